/* The learner judges windows, learns from what fits, and comes to no harm
 * from what does not. */
#include "windows.h"

/* ---- finding ---- */

static void
test_planted(void)
{
    static const size_t odd[] = {3, 17, 40};
    struct learner learner;
    size_t out = 0, none = 0, later = 0;
    int in_range = 1;

    init(&learner, NULL);
    fill(0, 0.0);
    for (size_t i = 0; i < COUNT(odd); i++)
        x[odd[i] * D + 1] += 8.0;
    size_t count = judge(&learner);
    for (size_t i = 0; i < COUNT(odd); i++)
        out += flagged[odd[i]];
    for (size_t i = 0; i < N; i++)
        none += isnan(p[i]) != 0;
    ok(out > 0 && out == count,
       "of the first window planted outliers are flagged, and no others");
    ok(none == N, "the first window has no p-values");
    size_t fit = 0;
    for (size_t i = 0; i < N; i++)
        fit += learner.fits[i];
    ok(learner.state == PRAE_STATE_LIVE && learner.model == 1 &&
           learner.reservoir.count == fit && fit > N / 2 && !learner.fits[3] &&
           !learner.fits[17] && !learner.fits[40],
       "what fits is trusted, and nothing else");
    for (unsigned w = 1; w < 6; w++) {
        fill(w, 0.0);
        x[5 * D + 1] -= 8.0;
        (void)judge(&learner);
        later += flagged[5];
        for (size_t i = 0; i < N; i++)
            in_range &= p[i] > 0.0f && p[i] <= 1.0f;
    }
    in_range &= p[5] < 0.05f;
    ok(later == 5, "so are later ones");
    ok(in_range, "p-values are above 0, at most 1, and small where odd");
    pri_learner_fini(&learner);
}

static void
test_constant(void)
{
    struct learner learner;

    init(&learner, NULL);
    for (unsigned w = 0; w < 3; w++) {
        fill(w, 0.0);
        for (size_t i = 0; i < N; i++)
            x[i * D + 2] = 5.0;
        (void)judge(&learner);
    }
    ok(all_finite(), "a constant feature gives finite scores");
    fill(3, 0.0);
    for (size_t i = 0; i < N; i++)
        x[i * D + 2] = i == 9 ? 5.0 + 1e-9 : 5.0;
    size_t count = judge(&learner);
    ok(flagged[9] && count < N / 2 && error[9] > 20.0f,
       "one that moves is flagged, by however little");
    pri_learner_fini(&learner);
}

static void
test_duplicates(void)
{
    struct learner learner;
    size_t count = 0;
    int finite = 1;

    init(&learner, NULL);
    for (int w = 0; w < 12; w++) {
        for (size_t i = 0; i < N * D; i++)
            x[i] = (double)(i % D) - 1.5;
        count += judge(&learner);
        finite &= all_finite();
    }
    ok(count == 0 && finite, "duplicates only: none is flagged, all finite");
    ok(learner.state == PRAE_STATE_LIVE && learner.bursts == 0,
       "... and the stream is live");
    pri_learner_fini(&learner);
}

static void
test_missing(void)
{
    struct learner learner;
    struct rng rng;
    size_t worst = 0;
    int finite = 1, odd = 1;

    pri_rng_init(&rng, 1, 1);
    init(&learner, NULL);
    for (unsigned w = 0; w < 6; w++) {
        fill(w, 0.0);
        for (size_t i = 0; i < N * D; i++)
            if (pri_rng_below(&rng, 8) == 0)
                x[i] = (double)NAN;
        x[7 * D] = 0.0;
        x[7 * D + 1] = 9.0;
        size_t count = judge(&learner);
        worst = count > worst ? count : worst;
        finite &= all_finite();
        odd &= flagged[7];
    }
    ok(finite && worst < N / 3, "missing values are no fault (%zu flagged)",
       worst);
    ok(odd, "... and hide none");
    for (size_t i = 0; i < N; i++)
        x[i * D + 3] = (double)NAN;
    (void)judge(&learner);
    ok(all_finite(), "a feature that is gone for a window does not matter");
    pri_learner_fini(&learner);
}

static void
set_context(prae_params *params)
{
    params->context = PRAE_CONTEXT_ON;
}

static void
test_huge(void)
{
    static const double sizes[] = {1e30, 1e160, 1e300, 1.7e308};
    void (*const sets[])(prae_params *) = {NULL, set_context};

    for (size_t s = 0; s < COUNT(sizes); s++) {
        for (size_t c = 0; c < COUNT(sets); c++) {
            struct learner learner;
            int finite = 1;
            init(&learner, sets[c]);
            for (unsigned w = 0; w < 3; w++) {
                fill(w, 0.0);
                if (w > 0) {
                    x[20 * D + 1] = sizes[s];
                    x[21 * D + 1] = -sizes[s];
                }
                (void)judge(&learner);
                finite &= all_finite();
            }
            ok(finite && flagged[20] && flagged[21],
               "%g %s context is flagged, scores are finite", sizes[s],
               c ? "with" : "without");
            pri_learner_fini(&learner);
        }
    }
}

/* What one in a hundred exceeds is, of 64, the second worst, and three spreads
 * are more where scores lie far apart: of three that are odd the least may
 * not be flagged. It is still known for what it is. */
static void
test_worst(void)
{
    static const size_t odd[] = {3, 17, 40};

    for (unsigned number = 0; number < 3; number++) {
        struct learner learner;
        float logs[N], scratch[N], least = INFINITY, most = 0.0f;
        size_t wrong = 0, worst = odd[0];
        init(&learner, NULL);
        fill(number, 0.0);
        for (size_t i = 0; i < COUNT(odd); i++)
            x[odd[i] * D + 1] += 8.0;
        (void)judge(&learner);
        for (size_t i = 0; i < COUNT(odd); i++) {
            least = fminf(least, score[odd[i]]);
            worst = score[odd[i]] > score[worst] ? odd[i] : worst;
        }
        for (size_t i = 0; i < N; i++) {
            logs[i] = logf(score[i]);
            if (i != odd[0] && i != odd[1] && i != odd[2])
                most = fmaxf(most, score[i]);
        }
        float limit = pri_score_limit(logs, N, 3.0f, scratch);
        for (size_t i = 0; i < N; i++)
            if (fabsf(logs[i] - limit) > 1e-3f)
                wrong += flagged[i] != (logs[i] > limit);
        ok(least > 2.0f * most,
           "planted outliers have the worst scores of a first window");
        ok(wrong == 0 && flagged[worst] && !learner.fits[3] &&
               !learner.fits[17] && !learner.fits[40],
           "... are not trusted, and flagged from the window's limit on");
        pri_learner_fini(&learner);
    }
}

/* ---- frozen ---- */

static void
test_freeze(void)
{
    struct learner learner;
    struct trace first;

    init(&learner, NULL);
    live(&learner, 0, 4);
    learner.params.freeze = 1;
    fill(5, 0.0);
    x[8 * D + 1] += 9.0;
    (void)judge(&learner);
    keep(&learner, &first);
    ok(learner.state == PRAE_STATE_FROZEN && flagged[8] && isnan(gate[0]) &&
           p[0] > 0.0f,
       "a frozen model judges, without gates");
    uint64_t model = learner.model, history = learner.history.count;
    for (unsigned w = 0; w < 20; w++) {
        fill(300 + w, 30.0);
        (void)judge(&learner);
    }
    fill(5, 0.0);
    x[8 * D + 1] += 9.0;
    (void)judge(&learner);
    ok(learner.model == model && learner.history.count == history &&
           memcmp(first.score, score, sizeof score) == 0 &&
           memcmp(first.flagged, flagged, sizeof flagged) == 0,
       "... and the same record the same way, whatever came between");
    pri_learner_fini(&learner);
}

/* ---- weights that break ---- */

static void
test_rollback(void)
{
    struct learner learner;
    struct trace before;

    init(&learner, NULL);
    live(&learner, 0, 4);
    float *kept = malloc(learner.trainer.net.param_count * sizeof *kept);
    NEED(kept != NULL);
    memcpy(kept, learner.trainer.net.param,
           learner.trainer.net.param_count * sizeof *kept);
    double rate = learner.params.rate;
    learner.params.rate = 1e37;
    fill(5, 0.0);
    x[8 * D + 1] += 9.0;
    (void)judge(&learner);
    keep(&learner, &before);
    ok(learner.rollbacks == 1, "weights that are not finite are counted");
    ok(memcmp(kept, learner.trainer.net.param,
              learner.trainer.net.param_count * sizeof *kept) == 0,
       "... and put back");
    ok(all_finite() && flagged[8] && !flagged[9],
       "... the window is judged by what was learned before");
    learner.params.rate = rate;
    fill(6, 0.0);
    size_t count = judge(&learner);
    ok(learner.rollbacks == 1 && all_finite() && count < N / 4 &&
           learner.state == PRAE_STATE_LIVE,
       "... and the next is learned");
    free(kept);
    pri_learner_fini(&learner);
}

/* The parts of a record's score are its score. */
static void
test_explain(void)
{
    struct learner learner;
    float part[D];
    double expected[D], sum = 0.0;
    size_t most = 0;

    init(&learner, NULL);
    live(&learner, 0, 4);
    fill(5, 0.0);
    x[8 * D + 1] += 9.0;
    x[8 * D + 3] = (double)NAN;
    (void)judge(&learner);
    pri_learner_explain(&learner, 8, part, expected);
    for (size_t d = 0; d < D; d++) {
        sum += (double)part[d];
        most = part[d] > part[most] ? d : most;
    }
    ok(most == 1 && part[3] == 0.0f,
       "the planted feature has the largest part");
    ok(learner.smooth.on == 0 && (double)error[8] < sum,
       "they are more than the error");
    is_close(sum, (double)score[8], 1e-3 * sum, "the parts are the score");
    ok(expected[1] < x[8 * D + 1] - 4.0 && isfinite(expected[3]),
       "what was expected is told, also of what is missing");
    pri_learner_fini(&learner);
}

static void
test_quantile(void)
{
    struct learner learner;

    init(&learner, NULL);
    ok(isnan(pri_learner_quantile(&learner, 0.5)), "no scores, no quantile");
    live(&learner, 0, 330); /* more than the history holds */
    double low = pri_learner_quantile(&learner, 0.0);
    double high = pri_learner_quantile(&learner, 1.0);
    double least = (double)INFINITY, most = -(double)INFINITY;
    size_t held = pri_history_held(&learner.history);
    for (size_t i = 0; i < held; i++) {
        least = fmin(least, (double)learner.history.score[i]);
        most = fmax(most, (double)learner.history.score[i]);
    }
    ok(fabs(log(low) - least) < 1e-5 && fabs(log(high) - most) < 1e-5 &&
           held == PRI_HISTORY,
       "quantiles go from the least to the most of the last scores");
    pri_learner_fini(&learner);
}

/* However short the windows are, hundreds of trusted records are looked at
 * for each: not one by one. */
static void
test_room(void)
{
    static const size_t windows[] = {1, 16, N};

    for (size_t w = 0; w < COUNT(windows); w++) {
        static const double least[D];
        struct learner learner;
        prae_params params;
        prae_params_init(&params);
        params.window = windows[w];
        NEED(pri_learner_init(&learner, &params, D, least, windows[w]) ==
             PRAE_OK);
        fill(0, 0.0);
        NEED(pri_learner_window(&learner, x, windows[w], &found) == PRAE_OK);
        ok(learner.trainer.cap_batch >= 64,
           "windows of %zu: records pass the net by the dozen", windows[w]);
        pri_learner_fini(&learner);
    }
}

int
main(void)
{
    test_planted();
    test_worst();
    test_constant();
    test_duplicates();
    test_missing();
    test_huge();
    test_freeze();
    test_rollback();
    test_explain();
    test_quantile();
    test_room();
    return tap_done();
}
