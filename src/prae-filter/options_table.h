/*
 * options_table.h - one row an option: parsing, --help, --print-config, the
 * completion and the check of the man page all go by it.
 */
#ifndef OPTIONS_TABLE_H
#define OPTIONS_TABLE_H

#include <stdio.h>

#include "options.h"

enum kind {
    PARAM,  /* handed to prae_params_set by its name */
    SWITCH, /* the same, without an argument: yes */
    TEXT,   /* a string of struct options */
    LIST,   /* a list of strings; may come again */
    NUMBER, /* a size_t of struct options */
    TIME,   /* seconds, a double */
    ON,     /* an int of struct options becomes 1 */
    OWN,    /* has a function of its own */
    ACTION  /* answered at once */
};

/* A row without a name starts a group. */
struct row {
    const char *name;
    char letter; /* 0 where it has none */
    enum kind kind;
    size_t offset;   /* of the field */
    const char *arg; /* the argument's name, NULL where it takes none */
    const char *meaning;
};

extern const struct row option_rows[];
extern const size_t option_count;

/* The row of NAME, or NULL. */
const struct row *option_find(const char *name);

/* The option that NAME was probably meant to be, or NULL. */
const char *option_nearest(const char *name);

/* --help, --version, --print-config. */
void options_print_help(void);
void options_print_version(void);
void options_print_config(FILE *out, const struct options *options);

/* A command line that gives the same options, for a shell. */
void options_print_command(FILE *out, const struct options *options);

#endif
