#!/bin/sh
# One version everywhere.
. "$top_srcdir/tests/tap.sh"

configured=$(sed -n 's/^AC_INIT(\[prae\], \[\([0-9.]*\)\].*/\1/p' \
    "$top_srcdir/configure.ac")
declared=$(sed -n 's/^#define PRAE_VERSION_[A-Z]* \([0-9]*\)$/\1/p' \
    "$top_srcdir/include/prae.h" | paste -sd.)
[ "$configured" = "$declared" ]
ok $? "configure.ac and prae.h say $configured"
run "$filter" --version
is_status 0 "--version succeeds"
has stdout "^prae-filter $configured\$" "--version says it"
has stdout 'blis.*libzmq [0-9.]*' "--version names BLIS and libzmq"
grep -q "^$configured " "$top_srcdir/ChangeLog"
ok $? "ChangeLog has an entry for it"
tap_done
