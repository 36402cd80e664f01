/*
 * paper.h - what the experiments share: how a run was asked for, the data
 * sets with the figures they are compared to, and how tables are written.
 */
#ifndef PAPER_H
#define PAPER_H

#include <stddef.h>
#include <stdio.h>

#include "bench_data.h"

/* How a run was asked for. */
struct paper {
    int full;         /* 0: quick, a few minutes; 1: everything */
    size_t seeds;     /* runs a figure is the median of; seeds 1 to this */
    const char *data; /* directory that holds paper/NAME.csv.gz, or NULL */
    const char *out;  /* directory for NAME.tsv, or NULL for none */
};

/* A data set, and what others got on it: AUC in percent. */
struct paper_set {
    const char *name;
    int tabular;          /* 0: pictures */
    double in_l0, in_l1;  /* the paper, rows scored that were fitted */
    double in_prototype;  /* the prototype of the batch recipe, l1 */
    double out_l0;        /* the paper, rows scored that were not fitted */
    double out_prototype; /* the prototype */
};

#define PAPER_SETS 11
extern const struct paper_set paper_sets[PAPER_SETS];

/* The data set NAME of paper_sets. */
const struct paper_set *paper_set_find(const char *name);

/* Reads SET. 0, or -1 with the reason printed as a line of the table. */
int paper_set_load(const struct paper *paper, const struct paper_set *set,
                   struct bench_table *table);

/* Says that an experiment is left out where PRAE_DATA names no data; then
 * -1, else 0. */
int paper_need_data(const struct paper *paper);

/* ---- writing ---- */

/* A table's headline, underlined. */
__attribute__((format(printf, 1, 2))) void paper_title(const char *format, ...);

/* VALUE in a column of WIDTH, "-" for NaN. */
void paper_cell(double value, int width, int digits);

/* As paper_cell with its sign, for differences. */
void paper_cell_signed(double value, int width, int digits);

/* OUT/NAME.tsv, opened anew, or NULL where no directory was asked for.
 * Ends the program where it cannot be written. */
FILE *paper_tsv_open(const struct paper *paper, const char *name);

/* As fprintf; a NULL file is fine. */
__attribute__((format(printf, 2, 3))) void paper_tsv(FILE *tsv,
                                                     const char *format, ...);

/* Closes TSV, if any, and ends the program where it was not all written. */
void paper_tsv_close(FILE *tsv);

/* ---- the experiments, each in the file of its name ---- */

void paper_insample(const struct paper *paper);  /* paper_tables.c */
void paper_outsample(const struct paper *paper); /* paper_tables.c */
void paper_swiss(const struct paper *paper);     /* paper_swiss.c */
void paper_subspace(const struct paper *paper);  /* paper_subspace.c */
void paper_phase(const struct paper *paper);     /* paper_phase.c */
void paper_ablation(const struct paper *paper);  /* paper_ablation.c */
void paper_dirty(const struct paper *paper);     /* paper_ablation.c */
void paper_grid(const struct paper *paper);      /* paper_grid.c */

#endif
