/*
 * inherit.h - descriptors that were handed to us and are named like files:
 * /dev/fd/3, /proc/self/fd/3, /dev/stdout.
 *
 *   1. One that was not open when we were started would be, by the time that
 *      it is opened, a pipe or a file of our own.
 *   2. Linux opens what such a name leads to anew: at its beginning, not to
 *      be appended to, and with whatever rights it has. So it is copied, not
 *      opened, and never emptied: what was redirected is not ours.
 */
#ifndef INHERIT_H
#define INHERIT_H

#include "options.h"

/*
 * Whether all that are read from or written to were open, and for that, which
 * is to be asked before we open any that stays: EXIT_DONE, or after saying
 * what is wrong what a file has that cannot be opened, EXIT_NOINPUT or
 * EXIT_IO.
 */
enum exit_status inherit_check(const struct options *options);

/* The descriptor that NAME stands for, or leads to; -1: it is a file's. */
int inherit_number(const char *name);

/* One more for what DESCRIPTOR is, beyond the first three; as open(2). */
int inherit_copy(int descriptor);

#endif
