/* report.h - the account at the end: a line for people, a file for
 * machines. */
#ifndef REPORT_H
#define REPORT_H

#include "options.h"

/* Writes the exit line, and the --stats file where asked for. STATUS, or
 * what went wrong with the file. */
enum exit_status report_write(const struct options *options,
                              const prae_stats *stats, enum exit_status status);

#endif
