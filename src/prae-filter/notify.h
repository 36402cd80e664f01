/*
 * notify.h - a word to the service manager, as sd_notify(3) has it, without
 * its library.
 *
 * Where no manager asked for it nothing is sent, and nothing here ever
 * waits or fails: records matter more than who watches.
 */
#ifndef NOTIFY_H
#define NOTIFY_H

/*
 * Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID, and takes them out of
 * the environment, so that no child speaks for us. To be called before there
 * are threads.
 */
void notify_open(void);

/* Sends STATE, as in "READY=1". Whether it was taken; where the manager is
 * too busy it is lost, and worth another try only if it is READY. */
int notify_send(const char *state);

/* Sends one line for people, cut at some 500 bytes. */
__attribute__((format(printf, 1, 2))) void notify_status(const char *format,
                                                         ...);

/* Seconds between two "WATCHDOG=1", half of what the manager allows; 0 where
 * it watches not. */
double notify_watchdog_seconds(void);

/* Whether the manager's socket has a name and no file. */
int notify_is_abstract(void);

void notify_close(void);

#endif
