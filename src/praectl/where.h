/*
 * where.h - which flagged records are meant: conditions, all of which have
 * to hold.
 *
 *     score>5,field=temp,state!=burst
 *
 * A condition is a name, a comparison and a value. Numbers: score, p, gate,
 * error, seq, window, model, with = != < <= > >= and a number or the word
 * none. Texts: kind, state, field, code, reason, with = != and ~ (contains);
 * what has a comma or a quote in it is put between double quotes. Commas mean
 * "and".
 */
#ifndef WHERE_H
#define WHERE_H

#include "flagged.h"

#define WHERE_MAX 32 /* conditions */

enum comparison { EQUAL, UNEQUAL, LESS, LESS_EQUAL, MORE, MORE_EQUAL, HAS };

struct condition {
    int subject; /* a row of the table in where.c */
    enum comparison comparison;
    double number; /* NaN: none */
    char *text;    /* from malloc, where the subject is a text; or NULL */
};

struct where {
    struct condition condition[WHERE_MAX];
    size_t count;
};

/* Adds the conditions in TEXT. 0 with one sentence in WHY (SIZE). */
int where_add(struct where *where, const char *text, char *why, size_t size);

/* Whether RECORD meets all of them. */
int where_holds(const struct where *where, const struct flagged *record);

void where_fini(struct where *where);

#endif
