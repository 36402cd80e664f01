/* show.h - praectl show [OPTION]... [FILE]: flagged records, to look at. */
#ifndef SHOW_H
#define SHOW_H

#include "status.h"

/* ARGV[0] is the command. */
enum exit_status show(int argc, char **argv);

#endif
