/* signals.h - signals only set flags that the loop reads, and wake it. */
#ifndef SIGNALS_H
#define SIGNALS_H

#include "status.h"

/*
 * SIGINT and SIGTERM ask to stop, and the second of them ends the process at
 * once. SIGHUP asks to read keys and open the log again, SIGUSR1 for a
 * snapshot, SIGUSR2 for the counts. SIGPIPE and SIGXFSZ are left to write's
 * errors. EXIT_DONE, or EXIT_FAILED after saying what is wrong.
 */
enum exit_status signals_install(void);

/* The descriptor that can be read when one came. */
int signals_fd(void);

/* Wakes who waits for it, also from another thread. Where much is unread
 * there already it wakes all the same. */
void signals_wake(void);

/* From now on it cannot, until the next one comes. */
void signals_heard(void);

/* Somebody else asked to stop: all that a signal would have done is done, but
 * the next one is not the second. */
void signals_note_stop(void);

/* Whether one asked to stop, or somebody else. */
int signals_stop(void);

/* Whether it was asked for since the last call. */
int signals_reload(void);
int signals_save(void);
int signals_count(void);

/* Ends the process as SIGPIPE would have: nobody reads what we write. */
void signals_die_of_pipe(void);

#endif
