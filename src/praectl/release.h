/* release.h - praectl release [OPTION]... [FILE]: the original records. */
#ifndef RELEASE_H
#define RELEASE_H

#include "status.h"

/* ARGV[0] is the command. */
enum exit_status release(int argc, char **argv);

#endif
