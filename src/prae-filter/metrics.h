/* metrics.h - the run in Prometheus' text format. */
#ifndef METRICS_H
#define METRICS_H

#include "loop.h"

/* Appends the metrics of LOOP to OUT. 0, or -1 out of memory. */
int metrics_write(const struct loop *loop, prae_buffer *out);

#endif
