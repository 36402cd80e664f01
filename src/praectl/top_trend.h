/* top_trend.h - how it went since we look: one point an answer. */
#ifndef TOP_TREND_H
#define TOP_TREND_H

#include "top_facts.h"

#define TREND_MOST 1000 /* points; as wide as a screen may be */

struct trend {
    double rate[TREND_MOST];  /* (count) records a second */
    double share[TREND_MOST]; /* (count) flagged of those judged since the
                                 point before; NaN: none were */
    size_t count;
    struct facts_totals before;
    int has_before;
};

/* Adds a point; begins anew where the filter has. */
void trend_add(struct trend *trend, const struct facts *facts);

/* The largest of the last COUNT values; 0 where none is known. */
double trend_peak(const double *values, size_t total, size_t count);

#endif
