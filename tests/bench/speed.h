/*
 * speed.h - what the parts of the speed bench share.
 *
 * Every figure is one of CPU time, and comes from a process of its own: what
 * is measured inside the library is forked for it, what is measured from
 * outside is the program itself. So no figure hangs on what was measured
 * before it, and this process stays small. It has to: where a program is
 * started, its peak memory begins with that of who starts it.
 */
#ifndef SPEED_H
#define SPEED_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "prae.h"

#define PATH_BYTES 512

/* ---- the run ---- */

struct speed {
    const char *filter; /* the built program */
    const char *dir;    /* for inputs and models */
    const char *out;    /* for .json and .tsv */
    int quick;
    size_t rounds;        /* a figure is the least of so many */
    size_t score_records; /* in the input of a run that only scores */
    size_t learn_records; /* ... that learns */
    size_t long_records;  /* ... that is held against a short one */
};

/* ---- speed_child.c: processes, and what they cost ---- */

struct cost {
    double seconds; /* user and system, of all threads */
    double rss_mib; /* peak */
};

/* Seconds: CPU time of this process, and time. */
double cpu_now(void);
double wall_now(void);

/* What WORK returns in a process of its own; NaN where it failed. */
double child_call(double (*work)(const struct speed *, const void *),
                  const struct speed *speed, const void *context);

enum plumbing { PLUMB_FILES, PLUMB_PIPES };

struct child {
    pid_t pid;
    pid_t feeder, drain; /* those at the pipes' other ends, or 0 */
};

/* Starts the filter on IN, a file, with OPTIONS, words separated by blanks,
 * and MODEL, or NULL for none. Inliers go to /dev/null, with pipes through
 * one on either side of the filter; outliers go nowhere. */
void filter_start(const struct speed *speed, const char *options,
                  const char *model, const char *in, enum plumbing plumbing,
                  struct child *child);

/* Whether it has ended; lets it run on for MOST seconds, then stops it. */
int child_is_over(const struct child *child);
void child_let(const struct child *child, double most);

/* Waits for its end. 0, or -1 after a word on what went wrong. */
int child_wait(struct child *child, struct cost *cost);

/* Both at once. */
int filter_run(const struct speed *speed, const char *options,
               const char *model, const char *in, enum plumbing plumbing,
               struct cost *cost);

/* Says what went wrong and exits. */
void die(const char *format, ...)
    __attribute__((noreturn, format(printf, 1, 2)));

/* ---- speed_data.c: records ---- */

enum form { FORM_ARRAY, FORM_MAP, FORM_JSONL, FORM_CSV };

/* Records of numbers that have three factors in common, a hundredth of them
 * nothing at all; behind the numbers, strings. */
struct shape {
    enum form form;
    size_t numbers;
    size_t categories; /* strings of one in two dozen words */
    size_t texts;      /* strings like lines of a log */
};

/* Writes COUNT records; 0, or -1. */
int data_write(FILE *to, struct shape shape, size_t count);

/* X (count, D) in the net's units: the numbers of an array. */
void data_table(size_t D, size_t count, float *x);

/* ---- speed_files.c: files of them, and models ---- */

/* As --format has it, and as the library has. */
const char *form_name(enum form form);
prae_format form_format(enum form form);

/* The file of COUNT records of SHAPE to PATH (PATH_BYTES): its name; and
 * made if need be. */
void data_name(const struct speed *speed, struct shape shape, size_t count,
               char *path);
void data_file(const struct speed *speed, struct shape shape, size_t count,
               char *path);

/* The snapshot that the filter makes with OPTIONS of some windows of WINDOW
 * such records, likewise. */
void model_file(const struct speed *speed, struct shape shape,
                const char *options, size_t window, char *path);

/* The bytes of PATH, to be freed; *LEN of them. */
char *file_load(const char *path, size_t *len);

/* A filter that has learned what the snapshot MODEL holds, or NULL. */
prae_filter *filter_load(const char *model, enum form form, int freeze);

/* ---- what is measured: each returns its figure, NaN where it failed ---- */

/* speed_codec.c: ns a record; us a snapshot. CONTEXT is a struct shape. */
double measure_decode(const struct speed *speed, const void *context);
double measure_save(const struct speed *speed, const void *context);

/* speed_pass.c: ns a record that is read, made a vector and written again.
 * CONTEXT is a struct shape. */
double measure_pass(const struct speed *speed, const void *context);

/* speed_train.c: ns a record and epoch, of all of a step and of its
 * products. */
struct net_shape {
    size_t D, width, depth, batch;
};
double measure_train(const struct speed *speed, const void *context);
double measure_products(const struct speed *speed, const void *context);

/* speed_run.c, by the program: ns a record of scoring, or of learning from
 * the first window on; ms of a run with a single record; MiB at the peak;
 * cost of a record in a long stream over that in a short one. */
struct run_shape {
    struct shape shape;
    enum plumbing plumbing;
    int freeze;
    int is_long;
};
double measure_run(const struct speed *speed, const void *context);
double measure_start(const struct speed *speed, const void *context);
double measure_rss(const struct speed *speed, const void *context);
double measure_flat(const struct speed *speed, const void *context);

/* ---- speed_table.c: all of it ---- */

struct measure {
    const char *name;  /* in the JSON file */
    const char *label; /* in the table */
    const char *unit;
    double (*run)(const struct speed *, const void *);
    const void *context;
    int is_program; /* it starts processes itself */
    int is_once;    /* too long for every round */
    double least;   /* figure; NaN: none */
};

extern struct measure measures[];
extern const size_t measure_count;

/* Runs those whose names begin with ONLY, in rounds; 0, or 1 where one
 * failed. */
int measure_all(const struct speed *speed, const char *only);

/* The least figure of NAME; NaN where there is none. */
double measure_find(const char *name);

/* ---- speed_out.c: for people, and for programs ---- */

void table_print(void);
void aims_print(void);

/* One line a figure: name, figure, unit. */
void figures_print(void);

/* To the directory speed->out; 0, or 1. */
int json_write(const struct speed *speed);

/* ---- speed_growth.c: how cost grows; 0, or 1 where something failed ---- */

int growth(const struct speed *speed);

/* ---- speed_machine.c: where and with what it was measured ---- */

const char *machine_cpu(void);
const char *machine_kernel(void);
const char *machine_compiler(void);
const char *machine_version(void);
void machine_print(void);

#endif
