/*
 * paper.c - the paper's experiments, run with libprae.
 *
 *     paper [-s SEEDS] [-o DIR] quick|full [EXPERIMENT...]
 *     paper list
 *
 * Prints a table for each, beside the paper's figures, on stdout, the time
 * each took on stderr. With -o, the same numbers go to DIR/NAME.tsv, for
 * the plots. Data sets are read from $PRAE_DATA/paper; without them what
 * needs them is left out, with the reason. Numbers are the library's as it
 * is built: nothing here is chosen a set by its labels. The same seeds give
 * the same tables.
 */
#include "paper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <prae.h>

#define SEEDS 5

static const struct experiment {
    const char *name;
    void (*run)(const struct paper *paper);
    const char *summary;
} experiments[] = {
    {"insample", paper_insample, "AUC on 11 data sets, rows fitted"},
    {"outsample", paper_outsample, "AUC on 11 data sets, rows not fitted"},
    {"swiss", paper_swiss, "swiss roll, outliers of several variances"},
    {"subspace", paper_subspace, "subspace recovery, 10 to 99 % outliers"},
    {"phase", paper_phase, "F1 by lambda, around the mean energy"},
    {"ablation", paper_ablation, "gates left out, on the data sets"},
    {"dirty", paper_dirty, "gates left out, under contamination"},
    {"grid", paper_grid, "AUC by lambda and rate"},
};

#define EXPERIMENTS (sizeof experiments / sizeof *experiments)

static int
usage(FILE *to)
{
    fprintf(to,
            "usage: paper [-s SEEDS] [-o DIR] quick|full [EXPERIMENT...]\n"
            "       paper list\n"
            "-s  runs a figure is the median of (%d)\n"
            "-o  directory for .tsv files (none)\n"
            "Data sets are read from $PRAE_DATA/paper.\n",
            SEEDS);
    return to == stdout ? 0 : 2;
}

static int
list(void)
{
    for (size_t i = 0; i < EXPERIMENTS; i++)
        printf("%-12s%s\n", experiments[i].name, experiments[i].summary);
    return 0;
}

/* Whether NAME is among the COUNT words given; no words mean all. */
static int
wanted(const char *name, char **words, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], name) == 0)
            return 1;
    return count == 0;
}

static int
known(const char *word)
{
    for (size_t i = 0; i < EXPERIMENTS; i++)
        if (strcmp(experiments[i].name, word) == 0)
            return 1;
    return 0;
}

static double
seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void
run(const struct paper *paper, char **words, int count)
{
    printf("libprae %s, %s; %s run, seeds 1 to %zu, figures are medians\n",
           prae_version(), prae_version_kernels(),
           paper->full ? "full" : "quick", paper->seeds);
    for (size_t i = 0; i < EXPERIMENTS; i++) {
        if (!wanted(experiments[i].name, words, count))
            continue;
        double from = seconds();
        experiments[i].run(paper);
        fflush(stdout);
        fprintf(stderr, "paper: %s took %.1f s\n", experiments[i].name,
                seconds() - from);
    }
}

int
main(int argc, char **argv)
{
    struct paper paper = {.seeds = SEEDS, .data = getenv("PRAE_DATA")};
    int option;

    while ((option = getopt(argc, argv, "hs:o:")) != -1) {
        if (option == 'h')
            return usage(stdout);
        if (option == 's')
            paper.seeds = (size_t)strtoul(optarg, NULL, 10);
        else if (option == 'o')
            paper.out = optarg;
        else
            return usage(stderr);
    }
    argv += optind;
    argc -= optind;
    if (argc == 1 && strcmp(argv[0], "list") == 0)
        return list();
    if (argc < 1 || paper.seeds < 1 || paper.seeds > 1000)
        return usage(stderr);
    paper.full = strcmp(argv[0], "full") == 0;
    if (!paper.full && strcmp(argv[0], "quick") != 0)
        return usage(stderr);
    for (int i = 1; i < argc; i++) {
        if (!known(argv[i])) {
            fprintf(stderr, "paper: no experiment is called '%s'\n", argv[i]);
            return 2;
        }
    }
    run(&paper, argv + 1, argc - 1);
    return 0;
}
