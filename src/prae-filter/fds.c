/* fds.c - holding standard input, output and error open. */
#include "fds.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "log.h"

static int closed[3];

void
fds_hold(void)
{
    for (int i = 0; i < 3; i++) {
        closed[i] = fcntl(i, F_GETFD) < 0;
        if (closed[i])
            /* The lowest free descriptor is I, and stays open: it is not
             * lost, but known by its number. */
            /* cppcheck-suppress leakReturnValNotUsed */
            (void)!open("/dev/null", i == 0 ? O_RDONLY : O_WRONLY);
    }
}

int
fds_was_closed(int descriptor)
{
    return closed[descriptor];
}

enum exit_status
fds_check_stdout(void)
{
    if (!fds_was_closed(1) && fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_DONE;
    log_error("cannot write standard output: %s",
              fds_was_closed(1) ? "it is closed" : strerror(errno));
    return EXIT_IO;
}
