/*
 * traces.c - a burst leaves none: two learners, one of which has seen it, are
 * the same bit for bit, and so is what they say of the windows that follow.
 * Nor does a window that is judged frozen.
 */
#include "windows.h"

#define OLD (1 << 20) /* records learned, by which no model is young */

static prae_params variant; /* for set_variant */

static int
same_floats(const float *a, const float *b, size_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

static int
same_doubles(const double *a, const double *b, size_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

static int
same_net(const struct trainer *a, const struct trainer *b)
{
    size_t count = a->net.param_count;

    return same_floats(a->net.param, b->net.param, count) &&
           same_floats(a->adam.mean, b->adam.mean, count) &&
           same_floats(a->adam.square, b->adam.square, count) &&
           a->adam.steps == b->adam.steps && a->epochs == b->epochs;
}

static int
same_trust(const struct learner *left, const struct learner *right)
{
    const struct reservoir *a = &left->reservoir, *b = &right->reservoir;
    size_t inputs = pri_context_D(&left->context);

    return a->count == b->count && a->rng.at == b->rng.at &&
           a->rng.left == b->rng.left &&
           same_doubles(a->x, b->x, a->count * inputs) &&
           same_doubles(a->low, b->low, inputs) &&
           same_doubles(a->high, b->high, inputs);
}

static int
same_ranges(const struct learner *a, const struct learner *b)
{
    return same_doubles(a->ever_low, b->ever_low, D) &&
           same_doubles(a->ever_high, b->ever_high, D);
}

static int
same_time(const struct context *a, const struct context *b)
{
    return same_doubles(a->last, b->last, D) &&
           same_doubles(a->mean, b->mean, D) &&
           same_doubles(a->square, b->square, D) &&
           memcmp(a->count, b->count, D * sizeof *a->count) == 0;
}

/* Time goes on, frozen or not: it is put back by hand, for what follows to
 * compare. */
static void
copy_time(struct learner *left, const struct learner *right)
{
    struct context *to = &left->context;
    const struct context *from = &right->context;

    left->smooth.level = right->smooth.level;
    memcpy(to->last, from->last, D * sizeof *to->last);
    memcpy(to->mean, from->mean, D * sizeof *to->mean);
    memcpy(to->square, from->square, D * sizeof *to->square);
    memcpy(to->count, from->count, D * sizeof *to->count);
}

static int
same_past(const struct learner *a, const struct learner *b)
{
    const struct history *left = &a->history, *right = &b->history;

    return left->count == right->count &&
           same_floats(left->score, right->score, PRI_HISTORY) &&
           same_floats(left->sorted, right->sorted, PRI_HISTORY) &&
           same_floats(left->recent, right->recent, PRI_RECENT) &&
           a->smooth.on == b->smooth.on && a->smooth.last == b->smooth.last &&
           a->smooth.level == b->smooth.level &&
           a->smooth.mean == b->smooth.mean &&
           a->smooth.square == b->smooth.square &&
           a->smooth.product == b->smooth.product &&
           a->smooth.count == b->smooth.count && a->limit == b->limit &&
           a->factor == b->factor && a->anew == b->anew &&
           a->model == b->model && a->learned == b->learned && a->age == b->age;
}

static void
set_variant(prae_params *params)
{
    *params = variant;
}

/* A window that does not fit, but for its first FITTING records. */
static void
fill_burst(unsigned number, size_t fitting)
{
    static double good[N * D];

    fill(number, 0.0);
    memcpy(good, x, fitting * D * sizeof *x);
    fill(number, 30.0);
    memcpy(x, good, fitting * D * sizeof *x);
}

/* Counters tell that there was a burst, and nothing else does; also where
 * FITTING of its records would fit. */
static void
test_no_trace(size_t fitting)
{
    static const struct {
        const char *name, *option, *value;
    } variants[] = {{"smoothing if need be", "smooth", "auto"},
                    {"smoothed", "smooth", "7"},
                    {"never smoothed", "smooth", "off"},
                    {"no second opinion", "second", "none"},
                    {"a rate", "fpr", "0.05"},
                    {"relative losses", "loss", "relative"},
                    {"context", "context", "on"}};

    for (size_t v = 0; v < COUNT(variants); v++) {
        struct learner with, without;
        struct trace a, b;
        int bits = 1;
        prae_params_init(&variant);
        variant.context = PRAE_CONTEXT_OFF;
        variant.window = N;
        NEED(prae_params_set(&variant, variants[v].option, variants[v].value,
                             NULL, 0) == PRAE_OK);
        init(&with, set_variant);
        init(&without, set_variant);
        live(&with, 0, 6);
        live(&without, 0, 6);
        with.learned = without.learned = OLD;
        for (unsigned w = 0; w < 2; w++) {
            fill_burst(100 + w, fitting);
            (void)judge(&with);
            NEED(with.state == PRAE_STATE_BURST);
        }
        ok(same_net(&with.trainer, &without.trainer) &&
               same_trust(&with, &without) && same_past(&with, &without) &&
               same_ranges(&with, &without) &&
               same_time(&with.context, &without.context),
           "%s: a burst leaves no bit behind, though %zu of it fit",
           variants[v].name, fitting);
        for (unsigned w = 6; w < 9; w++) {
            live(&with, w, 1);
            keep(&with, &a);
            live(&without, w, 1);
            keep(&without, &b);
            bits &= same_floats(a.score, b.score, N) && a.limit == b.limit &&
                    memcmp(a.flagged, b.flagged, N) == 0;
        }
        ok(bits && same_past(&with, &without) && with.bursts == 1 &&
               same_ranges(&with, &without),
           "... nor do windows after it tell");
        pri_learner_fini(&with);
        pri_learner_fini(&without);
    }
}

static void
set_context(prae_params *params)
{
    params->context = PRAE_CONTEXT_ON;
}

/* By ranges that a window had widened, later ones would be judged in other
 * units. */
static void
test_frozen(void)
{
    struct learner with, without;
    int bits = 1;

    init(&with, set_context);
    init(&without, set_context);
    live(&with, 0, 6);
    live(&without, 0, 6);
    with.params.freeze = without.params.freeze = 1;
    for (unsigned w = 0; w < 3; w++) {
        fill(100 + w, 30.0);
        x[9 * D + 1] = 1e6;
        (void)judge(&with);
        NEED(with.state == PRAE_STATE_FROZEN && flagged[9]);
    }
    ok(same_ranges(&with, &without) &&
           same_net(&with.trainer, &without.trainer) &&
           same_trust(&with, &without) &&
           with.history.count == without.history.count &&
           with.limit == without.limit,
       "frozen, with context: what was learned stays, ranges and all");
    copy_time(&with, &without);
    for (unsigned w = 6; w < 9; w++) {
        struct trace a, b;
        live(&with, w, 1);
        keep(&with, &a);
        live(&without, w, 1);
        keep(&without, &b);
        bits &= same_floats(a.score, b.score, N) &&
                same_doubles(with.scale.least, without.scale.least, 3 * D) &&
                memcmp(a.flagged, b.flagged, N) == 0;
    }
    ok(bits, "... and so do units and verdicts");
    pri_learner_fini(&with);
    pri_learner_fini(&without);
}

int
main(void)
{
    test_no_trace(0);
    test_no_trace(N / 4);
    test_frozen();
    return tap_done();
}
