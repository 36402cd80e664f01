/*
 * envelope_walk.h - a walk through an envelope, a map, whatever format it is
 * written in.
 *
 * Errors latch: after the first one every step returns 0 and moves nothing,
 * so that a walk is written down straight and asked at its end how it went.
 */
#ifndef ENVELOPE_WALK_H
#define ENVELOPE_WALK_H

#include "flagged.h"

#define WALK_DEPTH 3 /* the envelope, its reasons, one of them */

struct walk;

/* How the steps are done in a format. */
struct walk_steps {
    /* Goes into the map or list that is next. 0: it is none. */
    int (*enter)(struct walk *walk, int is_map);
    /* Whether another item follows in what was entered last; where none does
     * it is left. */
    int (*more)(struct walk *walk);
    /* The next item's key. */
    int (*key)(struct walk *walk, struct word *key);
    /* The next value, a container as a whole. */
    int (*value)(struct walk *walk, struct value *value);
};

struct walk {
    const struct walk_steps *steps;
    const char *start, *at, *end;
    char *room;                /* scratch that is left */
    enum parse status;         /* PARSE_OK while all is well */
    const char *what;          /* PARSE_BAD: what is wrong, ... */
    const char *bad_at;        /* ... and where */
    uint64_t left[WALK_DEPTH]; /* items of what was entered: in MessagePack
                                  those to come, in JSON those seen */
    char close[WALK_DEPTH];    /* JSON: the bracket that ends it */
    unsigned depth;
};

/* Notes that WHAT is wrong where the walk is. 0. */
static inline int
walk_fail(struct walk *walk, const char *what)
{
    if (walk->status == PARSE_OK) {
        walk->status = PARSE_BAD;
        walk->what = what;
        walk->bad_at = walk->at;
    }
    return 0;
}

/* Reads an envelope to OUT. Returns the walk's status. */
enum parse envelope_read(struct walk *walk, struct flagged *out);

#endif
