/*
 * trusted.c - what trusted records say: least units by ranges, a sample that
 * moves on, its errors and energy.
 */
#include "windows.h"

static void
set_context(prae_params *params)
{
    params->context = PRAE_CONTEXT_ON;
}

static void
test_widen(void)
{
    static const double rows[3 * D] = {1.0, NAN, -5.0, 7.0, 3.0, NAN,
                                       2.0, 7.0, 2.0,  NAN, 9.0, 7.0};
    struct learner learner;

    init(&learner, NULL);
    pri_trusted_widen(&learner, rows, 1);
    pri_trusted_widen(&learner, rows + D, 2);
    ok(learner.ever_low[0] == 1.0 && learner.ever_high[0] == 3.0 &&
           learner.ever_low[2] == -5.0 && learner.ever_high[2] == 9.0 &&
           learner.ever_low[3] == 7.0 && learner.ever_high[3] == 7.0,
       "the range is of all that was ever seen");
    ok(!isfinite(learner.ever_high[1] - learner.ever_low[1]),
       "what was never there has none");
    pri_learner_fini(&learner);
}

/* The window is narrow, the past of feature 0 wide; what else was seen of
 * feature 1 is far wider, of feature 2, which never moved, any number, and
 * of feature 3 a little. */
static void
test_least(void)
{
    static const double least[D] = {0.0, 0.0, 0.0, 5.0};
    struct learner learner;

    init(&learner, set_context);
    pri_learner_set_least(&learner, least);
    live(&learner, 0, 3);
    learner.reservoir.low[0] = -400.0;
    learner.reservoir.high[0] = 600.0;
    learner.ever_low[0] = -500.0;
    learner.ever_high[0] = 1500.0;
    learner.reservoir.low[1] = -4.0;
    learner.reservoir.high[1] = 6.0;
    learner.ever_low[1] = -1000.0;
    learner.ever_high[1] = 2000.0;
    learner.reservoir.low[2] = learner.reservoir.high[2] = 3.0;
    learner.ever_low[2] = -1.7e308;
    learner.ever_high[2] = 1.7e308;
    fill(3, 0.0);
    (void)judge(&learner);
    const double *got = learner.scale.least, *unit = learner.scale.unit;
    ok(got[0] == 10.0 && unit[0] == 10.0,
       "a value's least unit is a hundredth of the trusted range");
    ok(got[1] == 0.1 && unit[1] < 10.0, "... whatever else was seen of it");
    ok(got[D] == 20.0 && got[2 * D] == 20.0 && unit[D] == 20.0,
       "a change's and a spread's is one of all that was ever seen");
    ok(got[D + 1] == 0.4 && got[2 * D + 1] == 0.4,
       "... though not of more than four times the trusted range");
    ok(got[D + 2] == 0.0 && got[2 * D + 2] == 0.0,
       "a range that is no number sets none");
    ok(got[3] == 5.0 && got[D + 3] == 5.0, "what is asked for is the least");
    pri_learner_fini(&learner);
}

/* Nothing is trusted in the first window: values have no least unit. */
static void
test_least_first(void)
{
    struct learner learner;

    init(&learner, set_context);
    fill(0, 0.0);
    (void)judge(&learner);
    double range = learner.ever_high[0] - learner.ever_low[0];
    ok(learner.scale.least[0] == 0.0, "at first a value has no least unit");
    is_close(learner.scale.least[D], 0.01 * range, 1e-9 * range,
             "... but its change has");
    pri_learner_fini(&learner);
}

/* Window NUMBER of waves that have nothing to do with each other: where a
 * value may be anywhere between -1 and 1, only its change can be odd. */
static void
fill_waves(unsigned number)
{
    static const double period[D] = {61.0, 83.0, 107.0, 131.0};
    struct rng rng;

    pri_rng_init(&rng, 4, number);
    for (size_t i = 0; i < N; i++)
        for (size_t d = 0; d < D; d++)
            x[i * D + d] = sin(6.28 * (double)(number * N + i) / period[d]) +
                           0.01 * (double)pri_rng_normal(&rng);
}

/* One wild value does not blind the context for a change in the middle. */
static void
test_wild(void)
{
    enum { WINDOWS = 40, NEVER = WINDOWS };
    static const unsigned wild[] = {NEVER, 0, 20};

    for (size_t c = 0; c < COUNT(wild); c++) {
        struct learner learner;
        size_t seen = 0, planted = 0;
        int out = wild[c] == NEVER;
        init(&learner, set_context);
        for (unsigned w = 0; w < WINDOWS; w++) {
            fill_waves(w);
            if (w == wild[c])
                x[30 * D + 1] = 1e6;
            double *odd = &x[40 * D + 1];
            if (w > 24)
                *odd += *odd > 0.0 ? -0.7 : 0.7;
            (void)judge(&learner);
            if (w == wild[c])
                out = flagged[30];
            planted += w > 24;
            seen += w > 24 && flagged[40];
        }
        double known = learner.reservoir.high[1] - learner.reservoir.low[1];
        ok(out && known < 3.0 && learner.scale.least[D + 1] <= 0.04 * known,
           "a wild value is flagged, and units stay (%g)",
           learner.scale.least[D + 1]);
        ok(seen == planted, "... so that changes do: %zu of %zu", seen,
           planted);
        pri_learner_fini(&learner);
    }
}

static void
test_sample(void)
{
    static float wanted[PRI_SAMPLE * D];
    struct learner learner;
    size_t least = SIZE_MAX, most = 0;
    int inside = 1, right = 1;

    init(&learner, NULL);
    live(&learner, 0, 2);
    size_t few = learner.reservoir.count;
    ok(pri_trusted_sample(&learner) == few && learner.sample_first == 0,
       "few trusted records are a sample, all of them");
    for (unsigned w = 2; learner.reservoir.count < 3 * PRI_SAMPLE / 2; w++) {
        fill(w, 0.0);
        for (size_t i = 0; i < N; i++)
            pri_reservoir_offer(&learner.reservoir, x + i * D);
    }
    for (learner.model = 0; learner.model < 50; learner.model++) {
        inside &= pri_trusted_sample(&learner) == PRI_SAMPLE;
        size_t first = learner.sample_first;
        inside &= learner.sample_count == PRI_SAMPLE &&
                  first + PRI_SAMPLE <= learner.reservoir.count;
        pri_scale_apply(&learner.scale, learner.reservoir.x + first * D,
                        PRI_SAMPLE, 1, wanted);
        right &= memcmp(wanted, learner.sample, sizeof wanted) == 0;
        least = first < least ? first : least;
        most = first > most ? first : most;
    }
    ok(inside && right, "of more, a stretch is, in the net's units");
    ok(least < PRI_SAMPLE / 8 && most > PRI_SAMPLE / 4,
       "... another in each window (from %zu to %zu)", least, most);
    pri_learner_fini(&learner);
}

static void
test_errors(void)
{
    static float e[PRI_SAMPLE];
    struct learner learner;
    double energy = 0.0;

    init(&learner, NULL);
    for (unsigned w = 0; w < 3; w++) {
        fill(w, 0.0);
        for (size_t i = 0; i < N; i += 5)
            x[i * D + 2] = (double)NAN;
        (void)judge(&learner);
    }
    size_t count = pri_trusted_sample(&learner);
    pri_trainer_errors(&learner.trainer, learner.sample, count, e);
    for (size_t i = 0; i < count * D; i++)
        if (!isnan(learner.sample[i]))
            energy += pow((double)learner.sample[i], 2.0) / (double)count;
    memset(learner.sample_e, 0, sizeof e);
    learner.energy = 0.0f;
    learner.params.lambda_rule = PRAE_LAMBDA_ME;
    ok(pri_trusted_errors(&learner) == count &&
           memcmp(e, learner.sample_e, count * sizeof *e) == 0,
       "the sample's errors are by the net as it is");
    is_close((double)learner.energy, energy, 1e-5 * energy,
             "its energy is the mean square of what is there");
    pri_learner_fini(&learner);
}

int
main(void)
{
    test_widen();
    test_least();
    test_least_first();
    test_wild();
    test_sample();
    test_errors();
    return tap_done();
}
