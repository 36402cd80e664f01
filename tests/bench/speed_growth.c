/*
 * speed_growth.c - what a record costs as columns, windows, streams, nets and
 * strings grow: one table each, the rest at its defaults.
 *
 * Learning starts from a snapshot, so that no point has the first window's
 * long training in it and another has not.
 */
#include "speed.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POINTS_MAX 8
#define WINDOW 512
#define WINDOWS_LEAST 4
#define RECORDS_LEAST 1024
#define BYTES_MOST (100 << 20) /* of a point's input, unless it takes more */
#define BYTES_A_NUMBER 9

struct point {
    size_t x; /* what grows */
    struct shape shape;
    char options[64];
    size_t window;
    size_t score_count, learn_count; /* records */
    double score, learn;             /* ns a record, the least so far */
};

struct series {
    const char *name;
    const char *label;
    void (*set)(struct point *); /* by x */
    size_t x[POINTS_MAX];        /* 0 ends it, but for the first */
    int is_once;                 /* so long that one round says it all */
};

/* ---- what grows ---- */

static void
set_columns(struct point *point)
{
    point->shape.numbers = point->x;
}

static void
set_window(struct point *point)
{
    point->window = point->x;
    snprintf(point->options, sizeof point->options, "--window=%zu", point->x);
}

static void
set_length(struct point *point)
{
    point->score_count = point->learn_count = point->x;
}

static void
set_depth(struct point *point)
{
    size_t len = (size_t)snprintf(point->options, sizeof point->options,
                                  "--hidden=%s", point->x == 0 ? "none" : "");

    for (size_t i = 0; i < point->x; i++)
        len +=
            (size_t)snprintf(point->options + len, sizeof point->options - len,
                             "%s10", i == 0 ? "" : ",");
}

static void
set_categories(struct point *point)
{
    point->shape.categories = point->x;
}

static void
set_texts(struct point *point)
{
    point->shape.texts = point->x;
}

static const struct series all_series[] = {
    {"columns", "columns", set_columns, {4, 16, 64, 256, 1024, 4096}, 0},
    {"window",
     "records a window",
     set_window,
     {128, 512, 2048, 8192, 32768, 65536},
     0},
    {"length",
     "records in the stream, one round",
     set_length,
     {100000, 1000000, 10000000},
     1},
    {"depth",
     "hidden layers of 10 on each side",
     set_depth,
     {0, 1, 2, 3, 5, 8, 16},
     0},
    {"categories",
     "short strings beside 16 numbers",
     set_categories,
     {0, 1, 2, 4, 8, 16},
     0},
    {"texts",
     "lines of 8 words beside 16 numbers",
     set_texts,
     {0, 1, 2, 4, 8},
     0},
};

/* ---- one point ---- */

static size_t
at_least(size_t value, size_t least)
{
    return value > least ? value : least;
}

static void
point_init(struct point *point, const struct speed *speed,
           const struct series *series, size_t x)
{
    *point = (struct point){.x = x,
                            .shape = {FORM_ARRAY, 16, 0, 0},
                            .window = WINDOW,
                            .score = (double)NAN,
                            .learn = (double)NAN};
    series->set(point);
    if (point->score_count > 0)
        return;
    /* Wide records are fewer, but windows have to come to their end. */
    size_t most = BYTES_MOST / BYTES_A_NUMBER / point->shape.numbers;
    size_t least = at_least(WINDOWS_LEAST * point->window, RECORDS_LEAST);
    point->score_count = at_least(
        speed->score_records < most ? speed->score_records : most, least);
    point->learn_count = at_least(
        speed->learn_records < most ? speed->learn_records : most, least);
}

/* Learning saves what it learned: the model is for the next run, too. */
static void
copy_file(const char *from, const char *to)
{
    size_t len;
    char *bytes = file_load(from, &len);
    FILE *out = fopen(to, "wb");

    if (out == NULL || fwrite(bytes, 1, len, out) != len || fclose(out) != 0)
        die("cannot write %s: %s", to, strerror(errno));
    free(bytes);
}

/* CPU time of a run over COUNT records; NaN where it failed. */
static double
run_seconds(const struct speed *speed, const struct point *point,
            const char *mode, size_t count)
{
    char in[PATH_BYTES], model[PATH_BYTES], learned[PATH_BYTES], options[96];
    struct cost cost;

    model_file(speed, point->shape, point->options, point->window, model);
    data_file(speed, point->shape, count, in);
    snprintf(learned, sizeof learned, "%s/learned", speed->dir);
    copy_file(model, learned);
    snprintf(options, sizeof options, "%s %s", mode, point->options);
    return filter_run(speed, options, learned, in, PLUMB_FILES, &cost) == 0
               ? cost.seconds
               : (double)NAN;
}

/* ns a record beyond the first, which has the run's beginning and end. */
static double
record_ns(const struct speed *speed, const struct point *point,
          const char *mode, size_t count)
{
    double before = run_seconds(speed, point, mode, 1);
    double took = run_seconds(speed, point, mode, count);

    return 1e9 * (took - before) / (double)(count - 1);
}

static int
run_point(const struct speed *speed, struct point *point)
{
    double score = record_ns(speed, point, "--freeze", point->score_count);
    double learn = record_ns(speed, point, "", point->learn_count);

    point->score = fmin(point->score, score);
    point->learn = fmin(point->learn, learn);
    return isnan(score) || isnan(learn);
}

/* ---- a table ---- */

static void
print_series(const struct speed *speed, const struct series *series,
             const struct point *points, size_t count)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "%s/growth_%s.tsv", speed->out, series->name);
    FILE *to = fopen(path, "w");
    if (to == NULL)
        die("cannot write %s: %s", path, strerror(errno));
    fputs("x\tscore_ns\tlearn_ns\n", to);
    printf("\n%-36s %14s %14s\n", series->label, "score, us", "learn, us");
    for (size_t i = 0; i < count; i++) {
        fprintf(to, "%zu\t%.1f\t%.1f\n", points[i].x, points[i].score,
                points[i].learn);
        printf("%36zu %14.3f %14.3f\n", points[i].x, 1e-3 * points[i].score,
               1e-3 * points[i].learn);
    }
    if (fclose(to) != 0)
        die("cannot write %s: %s", path, strerror(errno));
}

static void
remove_files(const struct speed *speed, const struct point *points,
             size_t count)
{
    char path[PATH_BYTES];

    for (size_t i = 0; i < count; i++) {
        data_name(speed, points[i].shape, points[i].score_count, path);
        unlink(path);
        data_name(speed, points[i].shape, points[i].learn_count, path);
        unlink(path);
    }
}

int
growth(const struct speed *speed)
{
    struct point points[POINTS_MAX];
    int failed = 0;

    machine_print();
    printf("CPU time of a record, the least of %zu rounds.\n", speed->rounds);
    for (size_t s = 0; s < sizeof all_series / sizeof *all_series; s++) {
        const struct series *series = &all_series[s];
        size_t count = 0;
        while (count < POINTS_MAX && (count == 0 || series->x[count] > 0)) {
            point_init(&points[count], speed, series, series->x[count]);
            count++;
        }
        size_t rounds = series->is_once ? 1 : speed->rounds;
        for (size_t round = 0; round < rounds; round++)
            for (size_t i = 0; i < count; i++)
                failed |= run_point(speed, &points[i]);
        print_series(speed, series, points, count);
        remove_files(speed, points, count);
        fprintf(stderr, "speed: %s done\n", series->name);
    }
    return failed;
}
