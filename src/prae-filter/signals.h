/* signals.h - signals only set a flag that the loop reads. */
#ifndef SIGNALS_H
#define SIGNALS_H

/* SIGINT and SIGTERM ask to stop, SIGPIPE is left to write's error. A
 * second SIGINT or SIGTERM ends the process at once. */
void signals_install(void);

/* Whether one asked. */
int signals_stop(void);

/* Whether SIGUSR1 asked for a snapshot since the last call. */
int signals_save(void);

/* Ends the process as SIGPIPE would have: nobody reads what we write. */
void signals_die_of_pipe(void);

#endif
