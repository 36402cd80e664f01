/* speed_run.c - the program as people run it: scoring, learning, memory. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "speed.h"

#define WINDOW 512          /* the default */
#define RSS_WINDOW 1024     /* as the aim has it */
#define RSS_RECORDS 1000000 /* enough to see memory grow, if it did */
#define SHORT 100000        /* records of a short stream */
#define BEGINNING 10        /* a share of a short stream that is not counted */

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

/* What each record costs beyond the first FIRST: a run has its beginning and
 * end, whatever is between. */
static double
record_seconds(const struct speed *speed, const struct run_shape *run,
               size_t count, size_t first)
{
    double start = run_seconds(speed, run, first);
    double took = run_seconds(speed, run, count);

    if (start < 0.0 || took < 0.0)
        return (double)NAN;
    return (took - start) / (double)(count - first);
}

double
measure_run(const struct speed *speed, const void *context)
{
    const struct run_shape *run = context;
    size_t count = run->freeze ? speed->score_records : speed->learn_records;

    return 1e9 * record_seconds(speed, run, count, 1);
}

double
measure_start(const struct speed *speed, const void *context)
{
    double took = run_seconds(speed, context, 1);

    return took < 0.0 ? (double)NAN : 1e3 * took;
}

double
measure_rss(const struct speed *speed, const void *context)
{
    const struct run_shape *run = context;
    size_t count = SHORT;
    char in[PATH_BYTES], options[64];
    struct cost cost;

    if (run->is_long)
        count = speed->long_records < RSS_RECORDS ? speed->long_records
                                                  : RSS_RECORDS;
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
    size_t first = SHORT / BEGINNING;
    double before = record_seconds(speed, context, SHORT, first);
    double took = record_seconds(speed, context, speed->long_records, first);
    double after = record_seconds(speed, context, SHORT, first);

    return took / (0.5 * (before + after));
}
