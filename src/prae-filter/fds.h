/* fds.h - the three descriptors that everybody takes for granted. */
#ifndef FDS_H
#define FDS_H

#include "status.h"

/* Opens those of 0, 1 and 2 that are closed on /dev/null: a file opened
 * later would else become standard error, and get our messages. */
void fds_hold(void);

/* Whether DESCRIPTOR, 0 to 2, was closed when we were started. */
int fds_was_closed(int descriptor);

/* Flushes what was printed to standard output: EXIT_DONE, or EXIT_IO after
 * saying what is wrong. */
enum exit_status fds_check_stdout(void);

#endif
