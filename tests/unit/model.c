/*
 * model.c - a table with planted outliers through the public interface: who
 * is shut out, what is learned, and that it comes out the same each time.
 */
#include <string.h>

#include "prae.h"
#include "rng.h"
#include "tap.h"

#define ROWS 600
#define COLS 8
#define PERIOD 25 /* one row in so many does not fit */

static double x[ROWS * COLS];

static double
between(struct rng *rng, double reach)
{
    return reach * (2.0 * (double)pri_rng_uniform(rng) - 1.0);
}

/* Columns that follow one hidden number, each in its own unit, round 100;
 * rows that do not fit have it with other signs. */
static void
plant(uint64_t seed)
{
    struct rng rng;

    pri_rng_init(&rng, seed, 99);
    for (size_t i = 0; i < ROWS; i++) {
        double t = between(&rng, 1.6);
        for (size_t d = 0; d < COLS; d++) {
            double value = 0.9 * t + between(&rng, 0.7);
            if (i % PERIOD == 7)
                value = ((d / 2 + i / PERIOD) % 2 ? 5.0 : -5.0) *
                        (0.7 + 0.3 * (double)pri_rng_uniform(&rng));
            x[i * COLS + d] = 100.0 + (double)(1 + d) * value;
        }
    }
}

static prae_model *
model_with(const char *const settings[][2], size_t count)
{
    prae_params params;
    prae_model *model;

    prae_params_init(&params);
    for (size_t i = 0; i < count && settings[i][0] != NULL; i++)
        NEED(prae_params_set(&params, settings[i][0], settings[i][1], NULL,
                             0) == PRAE_OK);
    NEED(prae_model_new(&params, &model) == PRAE_OK);
    return model;
}

static const struct variant {
    const char *name;
    const char *settings[3][2];
    double open; /* share of the other rows that stays open */
} variants[] = {
    {"defaults", {{NULL}}, 0.95},
    {"l0", {{"gates", "l0"}}, 0.95},
    {"hard", {{"gates", "hard"}}, 0.95},
    {"no gates", {{"gates", "none"}}, 0.95},
    {"sampled", {{"estimator", "sampled"}}, 0.95},
    {"sampled l0", {{"gates", "l0"}, {"estimator", "sampled"}}, 0.95},
    {"relative loss", {{"loss", "relative"}}, 0.95},
    {"linear activation", {{"activation", "linear"}}, 0.95},
    {"no hidden layers", {{"hidden", "none"}, {"latent", "1"}}, 0.95},
    {"the mean energy for lambda", {{"lambda", "me"}}, 0.95},
    {"lambda by validation", {{"lambda", "validate"}}, 0.95},
    {"lambda 2", {{"lambda", "2"}}, 0.95},
    {"lambda 0", {{"lambda", "0"}}, 0.0},
    {"little noise", {{"sigma", "0.05"}}, 0.95},
    {"batches of 7", {{"batch", "7"}}, 0.95},
    {"raw values", {{"scaling", "none"}}, 0.0},
};

/* The chance that a planted row has a higher score than another row. */
static double
ranked(const float *scores)
{
    double wins = 0.0, pairs = 0.0;

    for (size_t i = 7; i < ROWS; i += PERIOD)
        for (size_t j = 0; j < ROWS; j++) {
            if (j % PERIOD == 7)
                continue;
            wins += scores[i] > scores[j]    ? 1.0
                    : scores[i] == scores[j] ? 0.5
                                             : 0.0;
            pairs += 1.0;
        }
    return wins / pairs;
}

static void
check_variant(const struct variant *v)
{
    size_t shut = 0, open = 0, planted = ROWS / PERIOD, astray = 0;
    double threshold = 0.1;
    prae_model *model = model_with(v->settings, 3);

    NEED(prae_model_fit(model, x, ROWS, COLS) == PRAE_OK);
    const float *gates = prae_model_gates(model);
    const float *errors = prae_model_errors(model);
    for (size_t i = 0; i < ROWS; i++) {
        int below = (double)gates[i] < threshold;
        if (i % PERIOD == 7)
            shut += below;
        else
            open += !below;
        astray += below != ((double)errors[i] >= prae_model_limit(model));
    }
    if (v->open > 0.0) {
        if (!ok(shut == planted, "%s: planted rows are shut out", v->name))
            printf("# %zu of %zu\n", shut, planted);
        if (!ok((double)open >= v->open * (double)(ROWS - planted),
                "%s: the others stay", v->name))
            printf("# %zu of %zu\n", open, ROWS - planted);
        double auc = ranked(prae_model_scores(model));
        if (!ok(auc > 0.99, "%s: planted rows have the highest scores",
                v->name))
            printf("# but for %g\n", 1.0 - auc);
    }
    ok(astray == 0, "%s: the limit says what the gates say", v->name);
    prae_model_free(model);
}

static void
check_seeds(void)
{
    static const char *const modes[] = {"exact", "sampled"};

    for (size_t m = 0; m < 2; m++) {
        const char *const mode[][2] = {{"estimator", modes[m]}};
        const char *const other[][2] = {{"estimator", modes[m]}, {"seed", "2"}};
        prae_model *a = model_with(mode, 1), *b = model_with(mode, 1);
        prae_model *c = model_with(other, 2);
        size_t bytes = ROWS * sizeof(float);
        NEED(prae_model_fit(a, x, ROWS, COLS) == PRAE_OK);
        /* One that held another table before. */
        NEED(prae_model_fit(b, x, 50, 3) == PRAE_OK);
        NEED(prae_model_fit(b, x, ROWS, COLS) == PRAE_OK);
        NEED(prae_model_fit(c, x, ROWS, COLS) == PRAE_OK);
        ok(memcmp(prae_model_gates(a), prae_model_gates(b), bytes) == 0 &&
               memcmp(prae_model_errors(a), prae_model_errors(b), bytes) == 0 &&
               memcmp(prae_model_scores(a), prae_model_scores(b), bytes) == 0 &&
               prae_model_lambda(a) == prae_model_lambda(b) &&
               prae_model_limit(a) == prae_model_limit(b),
           "%s: one seed, the same bits, also when fitted again", modes[m]);
        ok(memcmp(prae_model_errors(a), prae_model_errors(c), bytes) != 0,
           "%s: another seed, others", modes[m]);
        prae_model_free(a);
        prae_model_free(b);
        prae_model_free(c);
    }
}

static void
check_lambda(void)
{
    static const struct {
        const char *rule;
        double wanted; /* of a table with mean energy 10, or < 0: unknown */
    } cases[] = {{"auto", -1.0},   {"validate", -1.0}, {"me", 10.0},
                 {"0.25me", 2.5},  {"0", 0.0},         {"3.5", 3.5},
                 {"1e-20", 1e-20}, {"1e20", 1e20}};
    static double wave[64 * 2];

    for (size_t i = 0; i < 64; i++) { /* norms^2 of 1 + 1 and 9 + 9 */
        double size = i % 2 ? 1.0 : 3.0;
        wave[2 * i] = i & 2 ? size : -size;
        wave[2 * i + 1] = i & 4 ? size : -size;
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const settings[][2] = {{"lambda", cases[i].rule},
                                           {"scaling", "none"}};
        prae_model *model = model_with(settings, 2);
        NEED(prae_model_fit(model, wave, 64, 2) == PRAE_OK);
        double lambda = prae_model_lambda(model);
        double limit = prae_model_limit(model);
        if (!ok(cases[i].wanted < 0.0
                    ? lambda > 0.0 && isfinite(lambda)
                    : fabs(lambda - cases[i].wanted) <= 1e-6 * cases[i].wanted,
                "lambda=%s trains with what it says", cases[i].rule))
            printf("# %g\n", lambda);
        ok(cases[i].wanted > 0.0
               ? limit > 1.05 * lambda && limit < 1.12 * lambda
               : limit > 0.0 && isfinite(limit),
           "lambda=%s: rows turn a little above it", cases[i].rule);
        prae_model_free(model);
    }
}

static void
check_unseen(void)
{
    static float errors[ROWS], one[ROWS];
    static double expected[ROWS * COLS], fresh[ROWS * COLS];
    double away = 0.0, spread = 0.0, off = 0.0;
    prae_model *model = model_with(NULL, 0);

    NEED(prae_model_fit(model, x, ROWS, COLS) == PRAE_OK);
    NEED(prae_model_score(model, x, ROWS, COLS, errors) == PRAE_OK);
    ok(memcmp(errors, prae_model_errors(model), sizeof errors) == 0,
       "fitted rows score their errors");
    for (size_t i = 0; i < ROWS; i++) {
        NEED(prae_model_score(model, x + i * COLS, 1, COLS, one) == PRAE_OK);
        off = fmax(off, fabs((double)(one[0] - errors[i])) /
                            (1e-3 + (double)errors[i]));
    }
    ok(off < 1e-4, "a row scores the same by itself");

    NEED(prae_model_expect(model, x, ROWS, COLS, expected) == PRAE_OK);
    for (size_t i = 0; i < ROWS * COLS; i++) {
        double unit = (double)(1 + i % COLS); /* noise reaches 0.7 of it */
        if (i / COLS % PERIOD == 7)
            continue;
        away += pow((expected[i] - x[i]) / unit, 2.0);
        spread += pow((x[i] - 100.0) / unit, 2.0);
    }
    if (!ok(away < 0.35 * spread,
            "rows that fit are expected where they are, in their units"))
        printf("# %g of the variance is left\n", away / spread);
    memcpy(fresh, x, sizeof fresh);
    NEED(prae_model_expect(model, fresh, ROWS, COLS, fresh) == PRAE_OK);
    ok(memcmp(fresh, expected, sizeof fresh) == 0,
       "what is expected may replace what was given");

    plant(77); /* rows of the same kind, not seen before */
    size_t right = 0;
    NEED(prae_model_score(model, x, ROWS, COLS, errors) == PRAE_OK);
    for (size_t i = 0; i < ROWS; i++)
        right +=
            ((double)errors[i] > prae_model_limit(model)) == (i % PERIOD == 7);
    if (!ok(right > ROWS * 9 / 10, "rows not seen are told by the limit"))
        printf("# %zu of %d\n", right, ROWS);
    prae_model_free(model);
}

int
main(void)
{
    plant(1);
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        check_variant(&variants[i]);
    check_seeds();
    check_lambda();
    check_unseen();
    return tap_done();
}
