/*
 * inherit.h - descriptors that were handed to us and are named like files:
 * /dev/fd/3, /proc/self/fd/3, /dev/stdout.
 *
 * One that was not open when we were started would be, by the time that it
 * is opened, a pipe or a file of our own.
 */
#ifndef INHERIT_H
#define INHERIT_H

#include "options.h"

/*
 * Whether all that are read from or written to were open, which is to be
 * asked before we open any that stays: EXIT_DONE, or after saying what is
 * wrong what a file has that cannot be opened, EXIT_NOINPUT or EXIT_IO.
 */
enum exit_status inherit_check(const struct options *options);

#endif
