/* usage.h - what the commands' command lines have in common. */
#ifndef USAGE_H
#define USAGE_H

#include <getopt.h>

#include "status.h"

/*
 * Says what getopt_long did not take of COMMAND's options and gave as CODE:
 * with LONGS, and letters that begin with ':'. Returns EXIT_USAGE.
 */
enum exit_status usage_refuse(const char *command, const struct option *longs,
                              int code, char **argv);

#endif
