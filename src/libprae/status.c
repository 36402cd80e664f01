/* status.c - words for statuses, and which library this is. */
#include "matrix.h"
#include "prae.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const char *
prae_status_text(prae_status status)
{
    switch (status) {
    case PRAE_OK: return "success";
    case PRAE_MORE: return "more input needed";
    case PRAE_END: return "no more results";
    case PRAE_FULL: return "window full";
    case PRAE_EINVAL: return "invalid call";
    case PRAE_EDATA: return "unusable data";
    case PRAE_ECONFIG: return "unusable parameter";
    case PRAE_ESNAPSHOT: return "unusable snapshot";
    case PRAE_ENOMEM: return "out of memory";
    }
    return "unknown status";
}

const char *
prae_version(void)
{
    return TEXT(PRAE_VERSION_MAJOR) "." TEXT(PRAE_VERSION_MINOR) "." TEXT(
        PRAE_VERSION_PATCH);
}

const char *
prae_version_kernels(void)
{
    return pri_matrix_name();
}
