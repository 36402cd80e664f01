/* top.h - praectl top [OPTION]... ENDPOINT|URL: a running filter, looked at. */
#ifndef TOP_H
#define TOP_H

#include "status.h"

/* ARGV[0] is the command. */
enum exit_status top(int argc, char **argv);

#endif
