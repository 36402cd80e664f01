# PRAE_CHECK_BLIS
# Finds BLIS by pkg-config, else (Debian ships no .pc file) by its header
# and library. Where the header lies elsewhere, BLIS_CFLAGS=-I... and
# BLIS_LIBS=... on configure's command line say so. Stops without BLIS.
AC_DEFUN([PRAE_CHECK_BLIS], [
    PKG_CHECK_MODULES([BLIS], [blis],
        [blis_found=`$PKG_CONFIG --modversion blis`], [
        AC_CHECK_HEADER([blis.h], [],
            [AC_MSG_ERROR([BLIS is needed: no blis.h (Debian: libblis-dev or libblis-serial-dev)])])
        AC_CHECK_LIB([blis], [bli_sgemm_ex], [BLIS_LIBS=-lblis],
            [AC_MSG_ERROR([BLIS is needed: no libblis with bli_sgemm_ex (Debian: libblis-dev or libblis-serial-dev)])],
            [-lm -lpthread])
        blis_found="header and library"])
])
