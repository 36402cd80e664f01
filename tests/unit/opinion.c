/*
 * opinion.c - errors to scores: by what is usual, with a second opinion or
 * without, and for strings by their rarity; each against the sum it stands
 * for.
 */
#include "stat.h"
#include "windows.h"

#define OLD (1 << 20) /* records learned, by which no model is young */

/* Row ROW of TABLE, in the net's units, against the net: the square each
 * feature is off by, 0 for a gap; with relative losses by ||x||. */
static void
misfit(struct learner *learner, const float *table, size_t row, double *square)
{
    const float *record = table + row * D;
    double norm = 0.0;
    float y[D];

    pri_trainer_expect(&learner->trainer, record, 1, y);
    for (size_t d = 0; d < D; d++)
        if (!isnan(record[d]))
            norm += (double)record[d] * (double)record[d];
    norm = learner->params.loss == PRAE_LOSS_RELATIVE ? sqrt(norm) + 1e-3 : 1.0;
    for (size_t d = 0; d < D; d++) {
        double away = (double)record[d] - (double)y[d];
        square[d] = isnan(away) ? 0.0 : away * away / norm;
    }
}

/* Rows whose last feature hangs on nothing, and some of whose are missing. */
static void
fill_noisy(unsigned number, int gaps)
{
    struct rng rng;

    fill(number, 0.0);
    pri_rng_init(&rng, 5, number);
    for (size_t i = 0; i < N; i++) {
        x[i * D + 3] = (double)pri_rng_normal(&rng);
        if (gaps)
            x[i * D + i % D] = i % 7 == 0 ? (double)NAN : x[i * D + i % D];
    }
}

static void
set_none(prae_params *params)
{
    params->second = PRAE_SECOND_NONE;
}

/* ---- what is usual ---- */

static void
test_weights(void)
{
    struct learner learner;
    double square[D], usual[D] = {0}, mean = 1e-6, worst = 0.0;

    init(&learner, NULL);
    for (unsigned w = 0; w < 6; w++) {
        fill_noisy(w, 1);
        (void)judge(&learner);
    }
    size_t count = learner.reservoir.count;
    fill_noisy(6, 1);
    (void)judge(&learner);
    NEED(count > N && count <= PRI_SAMPLE);
    for (size_t i = 0; i < count; i++) {
        misfit(&learner, learner.sample, i, square);
        for (size_t d = 0; d < D; d++) {
            usual[d] += square[d] / (double)count;
            mean += square[d] / (double)count / D;
        }
    }
    for (size_t d = 0; d < D; d++) {
        double wanted = 1.0 / (usual[d] + mean);
        worst = fmax(worst, fabs((double)learner.weight[d] / wanted - 1.0));
    }
    is_close(worst, 0.0, 1e-4, "a weight is by what is usual of trusted ones");
    ok(learner.weight[0] > 1.5f * learner.weight[3] &&
           learner.weight[1] > 1.5f * learner.weight[3],
       "a feature that is met well weighs more than one that is not");
    pri_learner_fini(&learner);
}

/* As far off in the net's units, but not to be expected. */
static void
test_quiet(void)
{
    void (*const sets[])(prae_params *) = {NULL, set_none};

    for (size_t s = 0; s < COUNT(sets); s++) {
        struct learner learner;
        init(&learner, sets[s]);
        for (unsigned w = 0; w < 6; w++) {
            fill_noisy(w, 0);
            (void)judge(&learner);
        }
        fill_noisy(6, 0);
        /* Rows do not overlap; it counts bytes where there are doubles. */
        /* cppcheck-suppress overlappingWriteFunction */
        memcpy(x + 9 * D, x + 8 * D, D * sizeof *x);
        x[8 * D + 1] += 1.5 * learner.scale.unit[1];
        x[9 * D + 3] += 1.5 * learner.scale.unit[3];
        (void)judge(&learner);
        ok(score[8] > 4.0f * score[9],
           "a quiet feature counts more, %s a second opinion (%.3g, %.3g)",
           s == 0 ? "with" : "without", (double)score[8], (double)score[9]);
        pri_learner_fini(&learner);
    }
}

/* ---- scores and their parts ---- */

enum how { LIVE, HELD, FROZEN };

static const char *const hows[] = {"live", "in a burst", "frozen"};
static prae_second second; /* for set_parts */
static prae_loss loss;

static void
set_parts(prae_params *params)
{
    params->second = second;
    params->loss = loss;
}

static void
check_parts(enum how how)
{
    struct learner learner;
    size_t net_alone = 0, sums = 0;

    init(&learner, set_parts);
    live(&learner, 0, 5);
    learner.learned = OLD;
    learner.params.freeze = how == FROZEN;
    fill(5, how == HELD ? 30.0 : 0.0);
    for (size_t i = 0; i < N; i += 5)
        x[i * D + i % D] = (double)NAN;
    (void)judge(&learner);
    NEED(learner.smooth.on == 0);
    NEED((learner.state == PRAE_STATE_BURST) == (how == HELD));
    for (size_t i = 0; i < N; i++) {
        float part[D];
        double expected[D], square[D], sum = 0.0, net = 0.0;
        pri_learner_explain(&learner, i, part, expected);
        misfit(&learner, learner.x, i, square);
        for (size_t d = 0; d < D; d++) {
            sum += (double)part[d];
            net += (double)learner.weight[d] * square[d];
        }
        sums += fabs(sum / (double)score[i] - 1.0) < 1e-3;
        net_alone += fabs(net / (double)score[i] - 1.0) < 1e-3;
    }
    ok(sums == N, "%s, %s loss: all scores are the sums of their parts",
       hows[how], loss == PRAE_LOSS_RELATIVE ? "relative" : "squared");
    ok(second == PRAE_SECOND_NONE ? net_alone == N : net_alone < N / 8,
       "... which are the net's misfit%s",
       second == PRAE_SECOND_NONE ? "" : " and a distance");
    pri_learner_fini(&learner);
}

static void
set_wide(prae_params *params)
{
    params->latent = 3;
}

/* Half the score of a usual record is the distance's: three free numbers
 * that the net lets through leave many records without one near by. Where
 * most have a twin, though, what little there is of it is not blown up. */
static void
test_balance(void)
{
    static float e[PRI_SAMPLE], away[PRI_SAMPLE];
    struct learner learner;
    size_t count = 0;
    double square[D];

    init(&learner, set_wide);
    for (unsigned w = 0; w < 6; w++) {
        fill_noisy(w, 0);
        for (size_t i = 0; i < N; i++)
            x[i * D] = x[(i * 7 + 1) % N * D + 1];
        count = learner.reservoir.count;
        (void)judge(&learner);
    }
    for (size_t i = 0; i < count; i++) {
        misfit(&learner, learner.sample, i, square);
        e[i] = 0.0f;
        for (size_t d = 0; d < D; d++)
            e[i] += (float)square[d] * learner.weight[d];
    }
    pri_neighbours_distance(&learner.neighbours, learner.sample, count, 0,
                            away);
    double wanted = (double)(pri_median(e, count) / pri_median(away, count));
    NEED(wanted < 2.0);
    is_close((double)learner.balance, wanted, 1e-3 * wanted,
             "net and neighbours have an equal say");
    pri_learner_fini(&learner);

    init(&learner, NULL);
    for (unsigned w = 0; w < 4; w++) {
        fill(0, 0.0);
        for (size_t i = D; i < N * D; i++)
            x[i] = x[i % (4 * D)];
        (void)judge(&learner);
    }
    ok(learner.balance == 2.0f, "... but twins do not blow distances up");
    pri_learner_fini(&learner);
}

/* ---- rarity ---- */

static void
fill_rarities(unsigned number)
{
    struct rng rng;

    pri_rng_init(&rng, 6, number);
    for (size_t i = 0; i < N; i++) {
        for (size_t d = 0; d < D; d++)
            x[i * D + d] = (double)pri_rng_below(&rng, 4);
        x[i * D + i % D] = i % 9 == 0 ? (double)NAN : x[i * D + i % D];
    }
}

static void
set_context(prae_params *params)
{
    params->context = PRAE_CONTEXT_ON;
}

static void
test_rarity(void)
{
    static const double weight[D] = {1.0, 0.5, 2.0, 0.0};
    void (*const sets[])(prae_params *) = {NULL, set_none, set_context};

    for (size_t s = 0; s < COUNT(sets); s++) {
        struct learner learner;
        size_t wrong = 0, parts = 0, inputs = 0;
        init(&learner, sets[s]);
        pri_learner_set_rarity(&learner, weight);
        for (unsigned w = 0; w < 4; w++) {
            fill_rarities(w);
            (void)judge(&learner);
            inputs = pri_context_D(&learner.context);
            for (size_t i = 0; i < N; i++) {
                float part[3 * D];
                double expected[3 * D], sum = 0.0, all = 0.0;
                for (size_t d = 0; d < D; d++)
                    sum += isnan(x[i * D + d]) ? 0.0 : weight[d] * x[i * D + d];
                pri_learner_explain(&learner, i, part, expected);
                for (size_t d = 0; d < inputs; d++)
                    all += (double)part[d];
                wrong += score[i] != (float)sum;
                parts += fabs(all - sum) > 1e-6;
            }
        }
        ok(wrong == 0 && inputs == (s == 2 ? 3 * D : D),
           "of strings the score is the weighted sum of rarities");
        ok(parts == 0, "... and the parts are what was summed up");
        pri_learner_fini(&learner);
    }
}

int
main(void)
{
    test_weights();
    test_quiet();
    for (int which = 0; which < 4; which++) {
        second = which % 2 == 0 ? PRAE_SECOND_KNN : PRAE_SECOND_NONE;
        loss = which < 2 ? PRAE_LOSS_SQUARED : PRAE_LOSS_RELATIVE;
        for (enum how how = LIVE; how <= FROZEN; how++)
            check_parts(how);
    }
    test_balance();
    test_rarity();
    return tap_done();
}
