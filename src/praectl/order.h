/* order.h - praectl pause, resume, revert, set, snapshot, stats and stop: what
 * a running filter is told over --control, prae-filter(1). */
#ifndef ORDER_H
#define ORDER_H

#include "status.h"

/* ARGV[0] is the command. */
enum exit_status order(int argc, char **argv);

#endif
