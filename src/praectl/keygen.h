/* keygen.h - praectl keygen [--force] FILE: a new pair of keys. */
#ifndef KEYGEN_H
#define KEYGEN_H

#include "status.h"

/* ARGV[0] is the command. Says what was written to standard output, or what
 * is wrong. */
enum exit_status keygen(int argc, char **argv);

#endif
