/*
 * plan.h - a short cut from bytes to a row of features.
 *
 * Records of a stream mostly have one shape: the same fields in the same
 * order, only the values differ. A plan is that shape as it was found in a
 * record that was decoded in the ordinary way: the bytes that never change,
 * such as heads and keys, and between them steps that say what becomes of
 * each value. Reading by it means comparing those bytes and writing the
 * numbers straight into the row; no fields are listed, no names looked up.
 *
 * Invariants:
 *   1. The ordinary way is the only judge of anything unusual. At the first
 *      byte that differs, a value of another kind, a limit, a fault, or the
 *      end of the bytes, reading stops and nothing has happened; the record
 *      is then decoded in the ordinary way from its start.
 *   2. What is read by a plan is what the ordinary way would have made of
 *      it: row, counters, counts of strings, extent.
 *   3. Only speed depends on which records had a plan.
 */
#ifndef PRI_PLAN_H
#define PRI_PLAN_H

#include "codec.h"
#include "feature.h"

enum step_kind {
    STEP_NUMBER, /* a number, which is a feature */
    STEP_STRING, /* a category or a text, which makes features */
    STEP_PASS,   /* of no use */
    STEP_END     /* no value: the record ends with the fixed bytes */
};

/* Fixed bytes, and the value behind them. */
struct step {
    uint64_t first, mask; /* the first eight fixed bytes, as they lie in
                             memory; the mask has those that there are */
    uint32_t fixed;       /* where all of them start in plan->fixed */
    uint32_t fixed_len;
    uint32_t skip;         /* fixed bytes before the value; any behind are
                              its own first ones, see pri_plan_add */
    uint32_t feature;      /* the first that is made of it */
    struct column *column; /* NULL where none is */
    const char *text;      /* the string just read, or NULL for none */
    uint32_t text_len;
    uint8_t kind; /* enum step_kind */
};

struct plan {
    struct step *step;
    size_t count; /* 0: there is no plan */
    size_t cap;
    unsigned char *fixed;
    size_t fixed_len;
    size_t fixed_cap;
    size_t absent;     /* features that no step makes */
    size_t unknown;    /* fields of places that are not known */
    size_t strings;    /* steps of strings */
    uint64_t records;  /* read by plans so far */
    unsigned credit;   /* misses that it may have yet */
    unsigned patience; /* credit of the next plan, if this one never fits */
};

void pri_plan_fini(struct plan *plan);

/*
 * Reads the record that BYTES (LEN) begin with into X (D) and counts for
 * FEATURES what it has; with COUNT its strings, too. CODEC says where in the
 * stream it is, and is moved on. *USED is the record's length, or 0 where the
 * plan does not fit: then X holds anything and all else is untouched. PRAE_OK,
 * or PRAE_ENOMEM with some of the strings counted.
 */
prae_status pri_plan_read(struct plan *plan, struct features *features,
                          struct codec *codec, const char *bytes, size_t len,
                          int count, double *x, size_t *used);

/*
 * Takes note that the record which CODEC holds, BYTES (LEN) from its start,
 * was not read by the plan but turned out good: FEATURES were extracted from
 * it just now. A plan that most records do not fit is made anew, of this
 * one. PRAE_OK or PRAE_ENOMEM.
 */
prae_status pri_plan_missed(struct plan *plan, const struct features *features,
                            struct codec *codec, const char *bytes, size_t len);

#endif
