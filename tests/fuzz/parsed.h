/*
 * parsed.h - for targets that parse options: two that should be the same
 * are, and what is printed of one gives it again.
 */
#ifndef PRAE_PARSED_H
#define PRAE_PARSED_H

#include "heard.h"

#include <math.h>

#include "http.h"
#include "options_table.h"

/* In place of http.c: there is a server, so its address is looked at. */
const char *
http_version(void)
{
    return "0";
}

/* What options are given by, as one text. */
typedef void parsed_print(FILE *out, const struct options *options);

/* To be freed. */
static char *
parsed_text(parsed_print *print, const struct options *options)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);

    MUST(out != NULL);
    print(out, options);
    MUST(fclose(out) == 0 && text != NULL);
    return text;
}

/* Seconds are printed with six digits. */
static int
parsed_same_time(double a, double b)
{
    return fabs(a - b) <= 1e-5 * fabs(a);
}

/* What has no text of its own to be compared by. */
static void
parsed_compare(const struct options *a, const struct options *b)
{
    for (size_t i = 0; i < option_count; i++) {
        const struct row *row = &option_rows[i];
        const void *left = (const char *)a + row->offset;
        const void *right = (const char *)b + row->offset;
        if (row->kind == NUMBER)
            MUST(*(const size_t *)left == *(const size_t *)right);
        else if (row->kind == TIME)
            MUST(parsed_same_time(*(const double *)left,
                                  *(const double *)right));
        else if (row->kind == ON)
            MUST(*(const int *)left == *(const int *)right);
    }
    MUST(parsed_same_time(a->max_wait, b->max_wait));
    MUST(parsed_same_time(a->save_seconds, b->save_seconds));
    MUST(a->save_windows == b->save_windows);
    MUST(a->json == b->json && a->emit_now == b->emit_now);
    MUST(a->in.count == b->in.count && a->topics.count == b->topics.count);
    for (size_t i = 0; i < a->in.count; i++)
        MUST(a->source[i].kind == b->source[i].kind);
    for (size_t i = 0; i < 4; i++)
        MUST(a->out[i].kind == b->out[i].kind);
}

#endif
