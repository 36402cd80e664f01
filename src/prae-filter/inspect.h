/* inspect.h - prints what a snapshot holds. */
#ifndef INSPECT_H
#define INSPECT_H

#include "options.h"

/* Prints options->inspect to standard output, for people or as JSON.
 * EXIT_DONE, or what is wrong with it, after saying so. */
enum exit_status inspect_print(const struct options *options);

#endif
