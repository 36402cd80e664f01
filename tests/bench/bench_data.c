/*
 * bench_data.c - tables in memory.
 *
 * gzip is run as a program rather than linked as a library: a bench should
 * not add to what the project needs to build.
 */
#include "bench_data.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_rng.h"

#define STREAM_SPLIT 1

extern char **environ;

void *
bench_alloc(size_t count, size_t size)
{
    void *block = calloc(count > 0 ? count : 1, size);

    if (block == NULL) {
        fprintf(stderr, "bench: out of memory\n");
        exit(2);
    }
    return block;
}

void
bench_table_init(struct bench_table *table, size_t rows, size_t cols)
{
    table->rows = rows;
    table->cols = cols;
    table->x = bench_alloc(rows * cols, sizeof *table->x);
    table->label = bench_alloc(rows, sizeof *table->label);
}

void
bench_table_fini(struct bench_table *table)
{
    free(table->x);
    free(table->label);
    *table = (struct bench_table){0};
}

size_t
bench_table_outliers(const struct bench_table *table)
{
    size_t count = 0;

    for (size_t i = 0; i < table->rows; i++)
        count += table->label[i];
    return count;
}

/* ---- reading ---- */

/* Starts gzip on PATH; its output is in *OUT. 0, or an errno value. */
static int
unzip_open(const char *path, FILE **out, pid_t *child)
{
    /* posix_spawnp takes its arguments without const, and leaves them. */
    char *argv[] = {(char *)"gzip", (char *)"-dc", (char *)"--", (char *)path,
                    NULL};
    posix_spawn_file_actions_t actions;
    int ends[2];

    if (pipe(ends) != 0)
        return errno;
    int error = posix_spawn_file_actions_init(&actions);
    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
        if (error == 0)
            error = posix_spawn_file_actions_addclose(&actions, ends[0]);
        if (error == 0)
            error = posix_spawn_file_actions_addclose(&actions, ends[1]);
        if (error == 0)
            error = posix_spawnp(child, argv[0], &actions, NULL, argv, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        return error;
    }
    *out = fdopen(ends[0], "r");
    if (*out == NULL) {
        error = errno;
        close(ends[0]);
        waitpid(*child, NULL, 0);
    }
    return error;
}

static size_t
count_fields(const char *line)
{
    size_t count = 1;

    for (; *line != '\0'; line++)
        count += *line == ',';
    return count;
}

/* One line of COLS numbers and a label. 0, or -1 for anything else. */
static int
parse_row(const char *line, size_t cols, double *x, unsigned char *label)
{
    char *end;

    for (size_t j = 0; j <= cols; j++) {
        double value = strtod(line, &end);
        int last = j == cols;
        if (end == line || !isfinite(value) ||
            (last ? *end != '\n' && *end != '\0' : *end != ','))
            return -1;
        if (last)
            *label = value != 0.0;
        else
            x[j] = value;
        line = end + 1;
    }
    return 0;
}

/* Twice the room, or the first. */
static void
grow(struct bench_table *table, size_t *cap_rows)
{
    size_t more = *cap_rows == 0 ? 1024 : *cap_rows * 2;
    struct bench_table wide;

    bench_table_init(&wide, more, table->cols);
    if (*cap_rows > 0) {
        memcpy(wide.x, table->x, *cap_rows * table->cols * sizeof *wide.x);
        memcpy(wide.label, table->label, *cap_rows);
    }
    free(table->x);
    free(table->label);
    table->x = wide.x;
    table->label = wide.label;
    *cap_rows = more;
}

/* 0, or the number of the line that is not understood. */
static size_t
read_lines(struct bench_table *table, FILE *file)
{
    char *line = NULL;
    size_t cap_line = 0, cap_rows = 0, number = 1, bad = 0;

    if (getline(&line, &cap_line, file) < 0 || count_fields(line) < 2)
        bad = number;
    else
        table->cols = count_fields(line) - 1;
    while (bad == 0 && getline(&line, &cap_line, file) >= 0) {
        number++;
        if (table->rows == cap_rows)
            grow(table, &cap_rows);
        if (parse_row(line, table->cols, table->x + table->rows * table->cols,
                      table->label + table->rows) != 0)
            bad = number;
        table->rows++;
    }
    free(line);
    return bad;
}

int
bench_table_load(struct bench_table *table, const char *dir, const char *name,
                 char *why, size_t why_size)
{
    char path[4096];
    FILE *file = NULL;
    pid_t child;
    int status;

    *table = (struct bench_table){0};
    int length = snprintf(path, sizeof path, "%s/paper/%s.csv.gz", dir, name);
    if (length < 0 || (size_t)length >= sizeof path) {
        snprintf(why, why_size, "path of %s too long", name);
        return -1;
    }
    if (access(path, R_OK) != 0) {
        snprintf(why, why_size, "%s: %s", path, strerror(errno));
        return -1;
    }
    int error = unzip_open(path, &file, &child);
    if (file == NULL) {
        snprintf(why, why_size, "gzip: %s", strerror(error));
        return -1;
    }
    size_t bad = read_lines(table, file);
    fclose(file);
    if (waitpid(child, &status, 0) != child)
        status = -1;
    if (bad != 0)
        snprintf(why, why_size, "%s: line %zu is not understood", path, bad);
    else if (status != 0)
        snprintf(why, why_size, "%s: gzip failed", path);
    else if (table->rows == 0)
        snprintf(why, why_size, "%s: no rows", path);
    else
        return 0;
    bench_table_fini(table);
    return -1;
}

/* ---- parts of tables ---- */

void
bench_table_pick(struct bench_table *out, const struct bench_table *from,
                 const size_t *order, size_t count)
{
    size_t cols = from->cols;

    bench_table_init(out, count, cols);
    for (size_t i = 0; i < count; i++) {
        memcpy(out->x + i * cols, from->x + order[i] * cols,
               cols * sizeof *out->x);
        out->label[i] = from->label[order[i]];
    }
}

void
bench_table_split(const struct bench_table *table, uint64_t seed,
                  struct bench_table *first, struct bench_table *second)
{
    size_t *order = bench_alloc(table->rows, sizeof *order);
    size_t half = table->rows - table->rows / 2;
    struct bench_rng rng;

    bench_rng_init(&rng, seed, STREAM_SPLIT);
    bench_rng_order(&rng, order, table->rows);
    bench_table_pick(first, table, order, half);
    bench_table_pick(second, table, order + half, table->rows - half);
    free(order);
}

/* ---- scale ---- */

static void
fit_column(struct bench_scale *scale, size_t col,
           const struct bench_table *table)
{
    const double *x = table->x + col;
    double low = x[0], high = x[0], sum = 0.0, squares = 0.0;

    for (size_t i = 0; i < table->rows; i++) {
        double value = x[i * table->cols];
        low = fmin(low, value);
        high = fmax(high, value);
        sum += value;
    }
    double mean = sum / (double)table->rows;
    for (size_t i = 0; i < table->rows; i++) {
        double away = x[i * table->cols] - mean;
        squares += away * away;
    }
    double deviation = sqrt(squares / (double)table->rows);
    scale->centre[col] = low == high ? low : mean;
    scale->unit[col] =
        low == high ? 1.0 : fmin(high - low, 8.0 * deviation) / 4.0;
}

void
bench_scale_init(struct bench_scale *scale, const struct bench_table *table)
{
    scale->cols = table->cols;
    scale->centre = bench_alloc(table->cols, sizeof *scale->centre);
    scale->unit = bench_alloc(table->cols, sizeof *scale->unit);
    for (size_t j = 0; j < table->cols; j++)
        fit_column(scale, j, table);
}

double
bench_scale_value(const struct bench_scale *scale, size_t col, double value)
{
    double scaled = (value - scale->centre[col]) / scale->unit[col];

    return fmin(fmax(scaled, -10.0), 10.0);
}

void
bench_scale_norms(const struct bench_scale *scale,
                  const struct bench_table *table, float *norms)
{
    for (size_t i = 0; i < table->rows; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < table->cols; j++) {
            double value =
                bench_scale_value(scale, j, table->x[i * table->cols + j]);
            sum += value * value;
        }
        norms[i] = (float)sum;
    }
}

void
bench_scale_fini(struct bench_scale *scale)
{
    free(scale->centre);
    free(scale->unit);
    *scale = (struct bench_scale){0};
}
