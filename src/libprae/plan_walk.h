/*
 * plan_walk.h - what the formats' plans share: steps are added when a plan
 * is made, and walked along when a record is read by it.
 */
#ifndef PRI_PLAN_WALK_H
#define PRI_PLAN_WALK_H

#include <math.h>
#include <string.h>

#include "plan.h"

/* What a record is read into. */
struct walk {
    const struct features *features;
    double *x;      /* (D) */
    size_t missing; /* features that are NaN */
    uint32_t wide;  /* integers beyond 2^53 */
};

/* Everything that reads takes the place it is at and the end of the bytes,
 * which it never looks beyond, and returns the place behind what it read:
 * NULL where the plan does not fit. */

/* Follows PLAN to the record's end. */
typedef const unsigned char *pri_plan_walk(struct plan *plan, struct walk *walk,
                                           const unsigned char *at,
                                           const unsigned char *end);

pri_plan_walk pri_plan_walk_msgpack, pri_plan_walk_jsonl, pri_plan_walk_csv;

/* Lists the steps of the record that CODEC holds, whose bytes these are,
 * or leaves the plan empty where none can be made. PRAE_OK or
 * PRAE_ENOMEM. */
typedef prae_status pri_plan_draw(struct plan *plan,
                                  const struct features *features,
                                  struct codec *codec, const char *bytes,
                                  size_t len);

pri_plan_draw pri_plan_draw_msgpack, pri_plan_draw_jsonl, pri_plan_draw_csv;

/*
 * Adds a step: BYTES (LEN) are fixed and a value of field I follows, or with
 * I 0 nothing. ALIKE bytes behind are the value's own and fixed as well: its
 * kind decides what the whole record is. PRAE_OK or PRAE_ENOMEM.
 */
prae_status pri_plan_add(struct plan *plan, const struct features *features,
                         size_t i, const char *bytes, size_t len, size_t alike);

/* What becomes of a value that is no container: to STEP's features, unless
 * it is passed over. 0 where it is not what the step expects, or a fault. */
int pri_plan_value(struct walk *walk, struct step *step,
                   const struct field *field);

static inline uint64_t
pri_eight_bytes(const void *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
    return word;
}

/* The step's fixed bytes. Most are a short key: one comparison of eight
 * bytes, or two. */
static inline const unsigned char *
pri_walk_fixed(const struct plan *plan, const struct step *step,
               const unsigned char *at, const unsigned char *end)
{
    const unsigned char *fixed = plan->fixed + step->fixed;
    const size_t len = step->fixed_len, left = (size_t)(end - at);

    if (left < len)
        return NULL;
    if (left < 8)
        return memcmp(at, fixed, len) == 0 ? at + step->skip : NULL;
    if (((pri_eight_bytes(at) ^ step->first) & step->mask) != 0)
        return NULL;
    for (size_t i = 8; i < len; i += 8) {
        size_t from = i + 8 <= len ? i : len - 8;
        if (pri_eight_bytes(at + from) != pri_eight_bytes(fixed + from))
            return NULL;
    }
    return at + step->skip;
}

/* There is no value for STEP's feature. */
static inline void
pri_walk_missing(struct walk *walk, const struct step *step)
{
    walk->x[step->feature] = (double)NAN;
    walk->missing++;
}

/* NUMBER is STEP's feature; 0 where it is a fault. */
static inline int
pri_walk_number(struct walk *walk, const struct step *step, double number)
{
    walk->x[step->feature] = number;
    if (isfinite(number))
        return 1;
    if (!walk->features->impute_nonfinite)
        return 0;
    pri_walk_missing(walk, step);
    return 1;
}

#endif
