/* rescore.h - praectl rescore --model=FILE [OPTION]... [FILE]: flagged
 * records judged again. */
#ifndef RESCORE_H
#define RESCORE_H

#include "status.h"

/* ARGV[0] is the command. */
enum exit_status rescore(int argc, char **argv);

#endif
