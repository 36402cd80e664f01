/* speed_table.c - everything that is measured, in the order of the table. */
#include <math.h>
#include <string.h>

#include "speed.h"

#define RECORD "ns a record"
#define EPOCH "ns a record and epoch"

static const struct shape array = {FORM_ARRAY, 16, 0, 0};
static const struct shape map = {FORM_MAP, 16, 0, 0};
static const struct shape jsonl = {FORM_JSONL, 16, 0, 0};
static const struct shape csv = {FORM_CSV, 16, 0, 0};

/* Of D columns, so many hidden layers on each side, so many records a step;
 * the wide one is the paper's for images. */
static const struct net_shape narrow_64 = {16, 10, 5, 64};
static const struct net_shape narrow_128 = {16, 10, 5, 128};
static const struct net_shape wide_64 = {784, 100, 5, 64};
static const struct net_shape wide_128 = {784, 100, 5, 128};

#define ARRAY                \
    {                        \
        FORM_ARRAY, 16, 0, 0 \
    }
static const struct run_shape score_file = {ARRAY, PLUMB_FILES, 1, 0};
static const struct run_shape score_pipe = {ARRAY, PLUMB_PIPES, 1, 0};
static const struct run_shape score_map = {
    {FORM_MAP, 16, 0, 0}, PLUMB_FILES, 1, 0};
static const struct run_shape score_jsonl = {
    {FORM_JSONL, 16, 0, 0}, PLUMB_FILES, 1, 0};
static const struct run_shape score_csv = {
    {FORM_CSV, 16, 0, 0}, PLUMB_FILES, 1, 0};
static const struct run_shape learn = {ARRAY, PLUMB_FILES, 0, 0};
static const struct run_shape learn_long = {ARRAY, PLUMB_FILES, 0, 1};

struct measure measures[] = {
    {"decode_array", "decode, MessagePack arrays", RECORD, measure_decode,
     &array, 0, 0, 0},
    {"decode_map", "decode, MessagePack maps", RECORD, measure_decode, &map, 0,
     0, 0},
    {"decode_jsonl", "decode, JSON Lines", RECORD, measure_decode, &jsonl, 0, 0,
     0},
    {"decode_csv", "decode, CSV", RECORD, measure_decode, &csv, 0, 0, 0},
    {"pass", "decode + pass-through", RECORD, measure_pass, &array, 0, 0, 0},
    {"score_file", "score only, file to /dev/null", RECORD, measure_run,
     &score_file, 1, 0, 0},
    {"score_pipe", "score only, pipe to pipe", RECORD, measure_run, &score_pipe,
     1, 0, 0},
    {"score_map", "score only, maps", RECORD, measure_run, &score_map, 1, 0, 0},
    {"score_jsonl", "score only, JSON Lines", RECORD, measure_run, &score_jsonl,
     1, 0, 0},
    {"score_csv", "score only, CSV", RECORD, measure_run, &score_csv, 1, 0, 0},
    {"learn", "in-line retraining, defaults", RECORD, measure_run, &learn, 1, 0,
     0},
    {"train_16_64", "train 16-10x5, batch 64", EPOCH, measure_train, &narrow_64,
     0, 0, 0},
    {"train_16_128", "train 16-10x5, batch 128", EPOCH, measure_train,
     &narrow_128, 0, 0, 0},
    {"train_784_64", "train 784-100x5, batch 64", EPOCH, measure_train,
     &wide_64, 0, 0, 0},
    {"train_784_128", "train 784-100x5, batch 128", EPOCH, measure_train,
     &wide_128, 0, 0, 0},
    {"products_784_64", "its products alone, batch 64", EPOCH, measure_products,
     &wide_64, 0, 0, 0},
    {"start", "start to end, one record", "ms", measure_start, &score_file, 1,
     0, 0},
    {"save", "snapshot to bytes", "us", measure_save, &array, 0, 0, 0},
    {"rss_short", "peak memory, window 1024, short", "MiB", measure_rss, &learn,
     1, 1, 0},
    {"rss_long", "peak memory, window 1024, long", "MiB", measure_rss,
     &learn_long, 1, 1, 0},
    {"flat_score", "long stream / short, score only", "ratio", measure_flat,
     &score_file, 1, 1, 0},
    {"flat_learn", "long stream / short, learning", "ratio", measure_flat,
     &learn, 1, 1, 0},
};
const size_t measure_count = sizeof measures / sizeof *measures;

static int
is_wanted(const struct measure *measure, const char *only)
{
    return strncmp(measure->name, only, strlen(only)) == 0;
}

int
measure_all(const struct speed *speed, const char *only)
{
    int failed = 0;

    for (size_t i = 0; i < measure_count; i++)
        measures[i].least = (double)NAN;
    /* Round by round, not figure by figure: a slow moment of the machine
     * must not fall on all of a figure's runs. */
    for (size_t round = 0; round < speed->rounds; round++) {
        for (size_t i = 0; i < measure_count; i++) {
            struct measure *it = &measures[i];
            if (!is_wanted(it, only) || (it->is_once && round > 0))
                continue;
            double value = it->is_program
                               ? it->run(speed, it->context)
                               : child_call(it->run, speed, it->context);
            failed |= isnan(value);
            it->least = fmin(it->least, value);
        }
        fprintf(stderr, "speed: round %zu of %zu\n", round + 1, speed->rounds);
    }
    return failed;
}

double
measure_find(const char *name)
{
    for (size_t i = 0; i < measure_count; i++)
        if (strcmp(measures[i].name, name) == 0)
            return measures[i].least;
    return (double)NAN;
}
