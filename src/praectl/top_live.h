/* top_live.h - the facts on a terminal, again and again until q. */
#ifndef TOP_LIVE_H
#define TOP_LIVE_H

#include "top_source.h"

/* INTERVAL in seconds; ASCII: the locale has nothing else. EXIT_DONE when the
 * person has seen enough; EXIT_FAILED after saying what is wrong. */
enum exit_status top_live(struct source *source, double interval, int ascii,
                          int colours);

#endif
