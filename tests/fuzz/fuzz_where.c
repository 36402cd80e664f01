/*
 * fuzz_where.c - any text as conditions on flagged records.
 *
 * Those that are understood are asked of an outlier, of a reject, and of a
 * record that has nothing.
 *
 * About: src/praectl/where.c
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "where.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void
need(int held)
{
    if (!held)
        abort();
}

static void
ask(const struct where *where)
{
    static struct flagged outlier = {.seq = 7, .window = 2, .why_count = 2};
    static struct flagged reject = {.seq = 8, .is_reject = 1};
    static struct flagged nothing;
    const struct word none = {"", 0}; /* as flagged.c begins with */

    outlier.state = outlier.code = outlier.clause = none;
    reject.state = nothing.state = nothing.code = nothing.clause = none;
    outlier.score = 5.5;
    outlier.p = 0.001;
    outlier.gate = 0.25;
    outlier.error = INFINITY;
    outlier.model = 1.0;
    outlier.state = (struct word){"burst", 5};
    outlier.why[0].field = (struct word){"temp", 4};
    outlier.why[1].field = (struct word){"load, change", 12};
    reject.score = reject.p = reject.gate = reject.error = NAN;
    reject.code = (struct word){"malformed", 9};
    reject.clause = (struct word){"it is no JSON", 13};
    (void)where_holds(where, &outlier);
    (void)where_holds(where, &reject);
    (void)where_holds(where, &nothing);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct where where = {.count = 0};
    char *text = malloc(size + 1);
    char why[256] = "";

    need(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    int taken = where_add(&where, text, why, sizeof why);
    need(where.count <= WHERE_MAX);
    need(taken == (why[0] == '\0'));
    if (taken)
        ask(&where);
    /* As --where may be given again. */
    (void)where_add(&where, text, why, sizeof why);
    where_fini(&where);
    free(text);
    return 0;
}
