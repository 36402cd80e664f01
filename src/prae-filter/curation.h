/* curation.h - --report: what was found, in one file for people or
 * machines. */
#ifndef CURATION_H
#define CURATION_H

#include "loop.h"

/* Writes the report where one is asked for; it replaces an older one at
 * once. With OVER the run has ended with STATUS. EXIT_DONE, or EXIT_IO or
 * EXIT_FAILED after saying what is wrong. */
enum exit_status curation_write(const struct loop *loop, int over,
                                enum exit_status status);

#endif
