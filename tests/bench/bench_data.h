/* bench_data.h - labelled tables: read, split, scaled. */
#ifndef BENCH_DATA_H
#define BENCH_DATA_H

#include <stddef.h>
#include <stdint.h>

/* Rows of numbers with the truth beside them. Starts as all zeros. */
struct bench_table {
    size_t rows, cols;
    double *x;            /* (rows, cols) */
    unsigned char *label; /* (rows); 1: outlier */
};

/* Memory that is there: ends the program, with a word, where it is not.
 * A bench has nothing better to do. COUNT may be 0. */
void *bench_alloc(size_t count, size_t size);

/* An empty table of the given size, all zeros. */
void bench_table_init(struct bench_table *table, size_t rows, size_t cols);

/*
 * Reads DIR/paper/NAME.csv.gz, a header row and then numbers with the label
 * last. 0, or -1 with one sentence in WHY.
 */
int bench_table_load(struct bench_table *table, const char *dir,
                     const char *name, char *why, size_t why_size);

/* The rows that ORDER names, COUNT of them, as a table of their own. */
void bench_table_pick(struct bench_table *out, const struct bench_table *from,
                      const size_t *order, size_t count);

/* Two random halves; the first is the larger one of an odd number. */
void bench_table_split(const struct bench_table *table, uint64_t seed,
                       struct bench_table *first, struct bench_table *second);

/* Rows labelled 1. */
size_t bench_table_outliers(const struct bench_table *table);

/* Frees what the table holds; the struct is the caller's. */
void bench_table_fini(struct bench_table *table);

/* What the library's scaling=auto does, done again from its description:
 * centre on the mean, divide by min(range, 8 sd)/4, clip at 10. */
struct bench_scale {
    size_t cols;
    double *centre; /* (cols) */
    double *unit;   /* (cols) */
};

void bench_scale_init(struct bench_scale *scale,
                      const struct bench_table *table);

/* A cell of column COL in the scale's units. */
double bench_scale_value(const struct bench_scale *scale, size_t col,
                         double value);

/* ||x||^2 of each row, scaled: the score of no model at all. (rows) */
void bench_scale_norms(const struct bench_scale *scale,
                       const struct bench_table *table, float *norms);

void bench_scale_fini(struct bench_scale *scale);

#endif
