/* top_trend.c - points, the oldest pushed out. */
#include "top_trend.h"

#include <math.h>
#include <string.h>

/* Flagged of those judged between BEFORE and NOW. */
static double
share_between(const struct facts_totals *before, const struct facts_totals *now)
{
    const struct facts_totals grown = {
        .inliers = now->inliers - before->inliers,
        .outliers = now->outliers - before->outliers};

    return facts_share(&grown);
}

static void
push(double *values, size_t count, double value)
{
    if (count == TREND_MOST)
        memmove(values, values + 1, (TREND_MOST - 1) * sizeof *values);
    values[count < TREND_MOST ? count : TREND_MOST - 1] = value;
}

void
trend_add(struct trend *trend, const struct facts *facts)
{
    if (trend->has_before && facts->totals.received < trend->before.received) {
        trend->count = 0;
        trend->has_before = 0;
    }
    push(trend->rate, trend->count, facts->rate);
    push(trend->share, trend->count,
         trend->has_before ? share_between(&trend->before, &facts->totals)
                           : (double)NAN);
    if (trend->count < TREND_MOST)
        trend->count++;
    trend->before = facts->totals;
    trend->has_before = 1;
}

double
trend_peak(const double *values, size_t total, size_t count)
{
    double peak = 0.0;

    for (size_t i = total > count ? total - count : 0; i < total; i++)
        if (isfinite(values[i]) && values[i] > peak)
            peak = values[i];
    return peak;
}
