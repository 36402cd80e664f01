/* paper_out.c - tables for people on stdout, for gnuplot in files. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"

void
paper_title(const char *format, ...)
{
    char line[256];
    va_list args;

    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    printf("\n%s\n", line);
    for (int i = 0; i < length; i++)
        putchar('-');
    putchar('\n');
}

void
paper_cell(double value, int width, int digits)
{
    if (isnan(value))
        printf("%*s", width, "-");
    else
        printf("%*.*f", width, digits, value);
}

void
paper_cell_signed(double value, int width, int digits)
{
    if (isnan(value))
        printf("%*s", width, "-");
    else
        printf("%+*.*f", width, digits, value);
}

FILE *
paper_tsv_open(const struct paper *paper, const char *name)
{
    char path[4096];

    if (paper->out == NULL)
        return NULL;
    int length = snprintf(path, sizeof path, "%s/%s.tsv", paper->out, name);
    FILE *tsv = NULL;
    errno = ENAMETOOLONG;
    if (length > 0 && (size_t)length < sizeof path)
        tsv = fopen(path, "w");
    if (tsv == NULL) {
        fprintf(stderr, "paper: %s: %s\n", path, strerror(errno));
        exit(2);
    }
    return tsv;
}

void
paper_tsv(FILE *tsv, const char *format, ...)
{
    va_list args;

    if (tsv == NULL)
        return;
    va_start(args, format);
    vfprintf(tsv, format, args);
    va_end(args);
}

void
paper_tsv_close(FILE *tsv)
{
    if (tsv == NULL)
        return;
    /* The error flag is lost on closing, so it is asked for before. */
    int bad = ferror(tsv);
    if (fclose(tsv) != 0 || bad) {
        fprintf(stderr, "paper: a .tsv file was not written whole\n");
        exit(2);
    }
}
