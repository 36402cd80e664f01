/*
 * verdicts.c - scores to p-values, gates and flags: against the past scores
 * as they were, by the threshold or by a rate.
 */
#include "windows.h"

#define OLD (1 << 20) /* records learned, by which no model is young */

enum how { LIVE, HELD, FROZEN };

static const char *const names[] = {"live", "in a burst", "frozen"};

static void
set_smooth(prae_params *params)
{
    params->smooth = 7;
}

/* A learner of some windows. */
static void
setup(struct learner *learner, void (*set)(prae_params *))
{
    init(learner, set);
    live(learner, 0, 6);
    learner->learned = OLD;
}

/* Judges one more as HOW says, a few records of which are odd. */
static size_t
judge_one(struct learner *learner, enum how how)
{
    learner->params.freeze = how == FROZEN;
    fill(6, how == HELD ? 30.0 : 0.0);
    for (size_t i = 0; i < N; i += 9)
        x[i * D + 1] += 0.2 * (double)i;
    size_t count = judge(learner);
    NEED((learner->state == PRAE_STATE_BURST) == (how == HELD));
    return count;
}

/* ---- p-values ---- */

/* The share of past scores from the FROM-th to before the I-th that are as
 * bad as that. */
static float
share_of(const struct history *history, size_t from, size_t i)
{
    size_t worse = 0;

    for (size_t k = from; k < i; k++)
        worse += history->score[k] >= history->score[i];
    return (float)(1 + worse) / (float)(1 + i - from);
}

/* Long ago most was quieter, and the history is long: newer records say more
 * of those of today. */
static void
setup_long(struct learner *learner)
{
    struct rng rng;

    pri_rng_init(&rng, 2, 1);
    init(learner, NULL);
    live(learner, 0, 2);
    for (size_t i = 0; i < 3000; i++) {
        float past = 3.0f - 23.0f * pri_rng_uniform(&rng);
        pri_history_learn(&learner->history, &past, 1, NULL);
    }
    live(learner, 2, 4);
    learner->learned = OLD;
}

static void
test_ranks(void)
{
    static const char *const kinds[] = {
        "all before it", "all before it, by smoothed scores", "the newest"};

    for (size_t s = 0; s < COUNT(kinds); s++) {
        struct learner learner;
        size_t right = 0, shown = 0, newest = 0;
        if (s == 2)
            setup_long(&learner);
        else
            setup(&learner, s == 0 ? NULL : set_smooth);
        const struct history *history = &learner.history;
        size_t count = (size_t)history->count;
        (void)judge_one(&learner, LIVE);
        NEED(learner.smooth.on == (s == 1));
        for (size_t i = count; i < count + N; i++) {
            float all = share_of(history, 0, i);
            float recent =
                share_of(history, i < PRI_RECENT ? 0 : i - PRI_RECENT, i);
            right += p[i - count] == fmaxf(all, recent);
            newest += recent > all;
            shown += fabsf(logf(score[i - count]) - history->score[i]) < 1e-4f;
        }
        ok(right == N && shown == N && history->count == count + N &&
               (s == 2 ? newest > N / 2 : newest == 0),
           "a record is ranked among %s", kinds[s]);
        pri_learner_fini(&learner);
    }
}

/* Of a young model that is surprised no past score counts any more. */
static void
test_anew(void)
{
    struct learner learner;
    float least = 1.0f;

    init(&learner, NULL);
    live(&learner, 0, 6);
    for (unsigned w = 0; w < 2; w++) {
        size_t wrong = 0;
        fill(6 + w, 30.0);
        (void)judge(&learner);
        const float *own = learner.history.score;
        NEED(learner.history.count == N);
        for (size_t i = 0; i < N; i++) {
            size_t worse = 0;
            for (size_t k = 0; k < N; k++)
                worse += own[k] >= own[i];
            wrong += p[i] != (float)(1 + worse) / (float)(1 + N);
            least = fminf(least, p[i]);
        }
        ok(wrong == 0 && learner.bursts == 0,
           "a window that begins anew is ranked among itself%s",
           w == 0 ? "" : ", and so is the next");
    }
    is_close((double)least, 2.0 / (1 + N), 1e-6,
             "... so that its worst is one of as many, and itself");
    pri_learner_fini(&learner);
}

/* ---- windows that leave nothing ---- */

static void
test_left_alone(void)
{
    static float before[PRI_HISTORY], sorted[PRI_HISTORY];

    for (enum how how = HELD; how <= FROZEN; how++) {
        struct learner learner;
        size_t right = 0;
        setup(&learner, NULL);
        struct history *history = &learner.history;
        size_t count = (size_t)history->count;
        float limit = learner.limit;
        memcpy(before, history->score, sizeof before);
        memcpy(sorted, history->sorted, sizeof sorted);
        (void)judge_one(&learner, how);
        ok(history->count == count && learner.limit == limit &&
               memcmp(before, history->score, sizeof before) == 0 &&
               memcmp(sorted, history->sorted, sizeof sorted) == 0,
           "%s: past scores and the limit stay", names[how]);
        for (size_t i = 0; i < N; i++) {
            size_t worse = 0;
            for (size_t k = 0; k < count; k++)
                worse += expf(before[k]) >= score[i];
            right += p[i] == (float)(1 + worse) / (float)(1 + count);
        }
        ok(right == N, "... and each record is ranked among them alone");
        pri_learner_fini(&learner);
    }
}

/* ---- flags ---- */

static void
test_rate(void)
{
    static const double rates[] = {0.002, 0.02, 0.3, 1.0, 0.0};

    for (enum how how = LIVE; how <= FROZEN; how++) {
        struct learner learner;
        size_t wrong = 0, least = N, most = 0;
        setup(&learner, NULL);
        for (size_t r = 0; r < COUNT(rates); r++) {
            /* At last one that is a p-value itself, which is not below. */
            double rate = rates[r] > 0.0 ? rates[r] : (double)p[0];
            learner.params.fpr = rate;
            learner.held = 0; /* a burst that goes on is a drift */
            size_t count = judge_one(&learner, how);
            for (size_t i = 0; i < N; i++)
                wrong += flagged[i] != ((double)p[i] < rate);
            least = count < least ? count : least;
            most = count > most ? count : most;
        }
        ok(wrong == 0 && least == 0 && most > N / 2,
           "%s: a rate flags exactly the p-values below it", names[how]);
        pri_learner_fini(&learner);
    }
}

static void
set_rate(prae_params *params)
{
    params->fpr = 1.0;
}

/* There are no p-values in the first window to go by. */
static void
test_first(void)
{
    struct learner learner;
    size_t wrong = 0;

    init(&learner, set_rate);
    fill(0, 0.0);
    x[11 * D + 1] += 8.0;
    size_t count = judge(&learner);
    for (size_t i = 0; i < N; i++)
        wrong += flagged[i] != (gate[i] < 0.1f) || !isnan(p[i]);
    ok(wrong == 0 && flagged[11] && count < N / 4,
       "the first window is flagged by its gates, whatever the rate");
    pri_learner_fini(&learner);
}

static prae_gates kind;

static void
set_kind(prae_params *params)
{
    params->gates = kind;
}

/* The ends of the range flag nothing and all; between them live records are
 * flagged by their gates, frozen ones by the score at which those turn. */
static void
test_threshold(void)
{
    static const double thresholds[] = {-1.0, 0.02, 0.1, 0.4, 0.7, 2.0};

    for (kind = PRAE_GATES_L1; kind <= PRAE_GATES_NONE; kind++) {
        struct learner learner;
        size_t wrong = 0, apart = 0, counts[COUNT(thresholds)];
        setup(&learner, set_kind);
        for (size_t t = 0; t < COUNT(thresholds); t++) {
            learner.params.threshold = thresholds[t];
            learner.slack = pri_opinion_slack(&learner, (float)thresholds[t]);
            learner.bound = pri_opinion_bound(&learner);
            float bound = expf(learner.bound);
            counts[t] = judge_one(&learner, FROZEN);
            for (size_t i = 0; i < N; i++)
                wrong += flagged[i] != (score[i] > bound);
            counts[t] += judge_one(&learner, LIVE);
            for (size_t i = 0; i < N; i++) {
                wrong += flagged[i] != ((double)gate[i] < thresholds[t]);
                if (fabsf(score[i] / bound - 1.0f) > 1e-3f) /* for rounding */
                    apart += flagged[i] != (score[i] > bound);
            }
        }
        ok(wrong == 0, "gates of kind %d: flags are by the threshold",
           (int)kind);
        ok(apart == 0, "... which is a score, too, and the same frozen");
        /* An l0 gate may be as open as 2, and is then not below. */
        size_t all = counts[COUNT(thresholds) - 1];
        ok(counts[0] == 0 && (all == 2 * (size_t)N || kind == PRAE_GATES_L0),
           "... -1 flags none and 2 all");
        pri_learner_fini(&learner);
    }
}

int
main(void)
{
    test_ranks();
    test_anew();
    test_left_alone();
    test_rate();
    test_first();
    test_threshold();
    return tap_done();
}
