/*
 * choice.h - what the commands that read a file of flagged records share:
 * which file, and which of its records.
 */
#ifndef CHOICE_H
#define CHOICE_H

#include <getopt.h>

#include "quarantine.h"
#include "where.h"

/* For getopt_long; a command puts its own beside them. */
#define CHOICE_LETTERS ":f:hn:w:"
/* clang-format off */
#define CHOICE_LONGS \
    {"format", required_argument, NULL, 'f'}, \
    {"help", no_argument, NULL, 'h'}, \
    {"limit", required_argument, NULL, 'n'}, \
    {"max-record", required_argument, NULL, 'R'}, \
    {"where", required_argument, NULL, 'w'}
/* clang-format on */

struct choice {
    const char *command; /* for messages */
    const char *path;    /* "-": standard input */
    const char *format;  /* or NULL */
    struct where where;
    uint64_t limit, taken;
    size_t record_max;
};

void choice_init(struct choice *choice, const char *command);

/* The part of --help that the commands share. */
void choice_print_help(void);

/* An option that getopt_long gave as CODE; what is none of LONGS is told to
 * be wrong. EXIT_DONE or EXIT_USAGE. */
enum exit_status choice_option(struct choice *choice,
                               const struct option *longs, int code,
                               char **argv);

/* The one FILE behind the options. EXIT_DONE or EXIT_USAGE. */
enum exit_status choice_file(struct choice *choice, int argc, char **argv);

/* As quarantine_open and quarantine_next, of what was chosen. */
enum exit_status choice_open(const struct choice *choice,
                             struct quarantine *quarantine);
enum exit_status choice_next(struct choice *choice,
                             struct quarantine *quarantine,
                             const struct flagged **record);

void choice_fini(struct choice *choice);

#endif
