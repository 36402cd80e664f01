/* speed_run.c - the program as people run it: scoring, learning, memory. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "speed.h"

#define WINDOW 512      /* the default */
#define RSS_WINDOW 1024 /* as the aim has it */
#define SHORT_SHARE                                          \
    100 /* a short stream is so much shorter than a long one \
         */

/* CPU time of a run over COUNT records; less than 0 where it failed. */
static double
run_seconds(const struct speed *speed, const struct run_shape *run,
            size_t count)
{
    char in[PATH_BYTES], model[PATH_BYTES], options[64];
    struct cost cost;

    data_file(speed, run->shape, count, in);
    snprintf(options, sizeof options, "--format=%s%s",
             form_name(run->shape.form), run->freeze ? " --freeze" : "");
    if (run->freeze)
        model_file(speed, run->shape, "", WINDOW, model);
    if (filter_run(speed, options, run->freeze ? model : NULL, in,
                   run->plumbing, &cost) != 0)
        return -1.0;
    return cost.seconds;
}

double
measure_run(const struct speed *speed, const void *context)
{
    const struct run_shape *run = context;
    size_t count = run->freeze ? speed->score_records : speed->learn_records;
    double took = run_seconds(speed, run, count);

    return took < 0.0 ? (double)NAN : 1e9 * took / (double)count;
}

double
measure_rss(const struct speed *speed, const void *context)
{
    const struct run_shape *run = context;
    size_t count = speed->long_records / (run->is_long ? 10 : SHORT_SHARE);
    char in[PATH_BYTES], options[64];
    struct cost cost;

    data_file(speed, run->shape, count, in);
    snprintf(options, sizeof options, "--window=%d", RSS_WINDOW);
    if (filter_run(speed, options, NULL, in, PLUMB_FILES, &cost) != 0)
        return (double)NAN;
    return cost.rss_mib;
}

/* The short runs come before and after the long one: a machine that gets
 * slower meanwhile does so for both. */
double
measure_flat(const struct speed *speed, const void *context)
{
    const struct run_shape *run = context;
    size_t count = speed->long_records / SHORT_SHARE;
    double before = run_seconds(speed, run, count);
    double took = run_seconds(speed, run, speed->long_records);
    double after = run_seconds(speed, run, count);

    if (before < 0.0 || took < 0.0 || after < 0.0)
        return (double)NAN;
    return took / SHORT_SHARE / (0.5 * (before + after));
}
