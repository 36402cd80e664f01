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
#define LONG_SHARE 2        /* of the time, to that of short runs */

static void
start(const struct speed *speed, const struct run_shape *run, size_t count,
      struct child *child)
{
    char in[PATH_BYTES], model[PATH_BYTES], options[64];

    data_file(speed, run->shape, count, in);
    snprintf(options, sizeof options, "--format=%s%s",
             form_name(run->shape.form), run->freeze ? " --freeze" : "");
    if (run->freeze)
        model_file(speed, run->shape, "", WINDOW, model);
    filter_start(speed, options, run->freeze ? model : NULL, in, run->plumbing,
                 child);
}

/* CPU time of a run over COUNT records; NaN where it failed. */
static double
run_seconds(const struct speed *speed, const struct run_shape *run,
            size_t count)
{
    struct child child;
    struct cost cost;

    start(speed, run, count, &child);
    return child_wait(&child, &cost) == 0 ? cost.seconds : (double)NAN;
}

/* What each record costs beyond the first FIRST: a run has its beginning and
 * end, whatever is between. */
static double
record_seconds(const struct speed *speed, const struct run_shape *run,
               size_t count, size_t first)
{
    double before = run_seconds(speed, run, first);
    double took = run_seconds(speed, run, count);

    return (took - before) / (double)(count - first);
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
    return 1e3 * run_seconds(speed, context, 1);
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

/*
 * The long run is stopped now and then for a short one: other work on the
 * machine, which comes and goes in minutes, makes both dearer alike.
 */
double
measure_flat(const struct speed *speed, const void *context)
{
    size_t first = SHORT / BEGINNING, runs = 0;
    double beginning = run_seconds(speed, context, first), sum = 0.0;
    struct child child;
    struct cost cost;

    start(speed, context, speed->long_records, &child);
    do {
        child_let(&child, 0.0);
        double began = wall_now();
        sum += record_seconds(speed, context, SHORT, first);
        runs++;
        child_let(&child, LONG_SHARE * (wall_now() - began));
    } while (!child_is_over(&child));
    if (child_wait(&child, &cost) != 0)
        return (double)NAN;
    return (cost.seconds - beginning) / (double)(speed->long_records - first) /
           (sum / (double)runs);
}
