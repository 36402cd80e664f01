/*
 * papers.h - files that are written beside the records: report, counts,
 * snapshots, log. None of them may be an input, an output or another of them,
 * as one would overwrite the other; and no output an input or another output.
 */
#ifndef PAPERS_H
#define PAPERS_H

#include "options.h"
#include "status.h"

/* Before anything is opened. EXIT_DONE, or EXIT_USAGE after naming the two;
 * EXIT_IO where the counts cannot be written. */
enum exit_status papers_check(const struct options *options);

#endif
