/* status.h - how the program ends, as sysexits(3) counts. */
#ifndef STATUS_H
#define STATUS_H

enum exit_status {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_DATA = 65,        /* the input cannot be read further */
    EXIT_NOINPUT = 66,     /* it cannot be opened */
    EXIT_UNAVAILABLE = 69, /* an endpoint cannot be had */
    EXIT_IO = 74,          /* reading or writing failed */
    EXIT_UNDELIVERED = 75, /* some was left to do at the drain deadline */
    EXIT_CONFIG = 78       /* an option or the configuration cannot be used */
};

#endif
