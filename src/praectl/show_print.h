/* show_print.h - a flagged record as a block of lines, or as one. */
#ifndef SHOW_PRINT_H
#define SHOW_PRINT_H

#include <stdio.h>

#include "flagged.h"

struct look {
    FILE *out;
    int colours;
    int table;          /* one line a record */
    int record;         /* with the record itself */
    prae_format format; /* that it is written in */
};

/* What stands above a table. */
void show_print_head(const struct look *look);

void show_print(const struct look *look, const struct flagged *record);

#endif
