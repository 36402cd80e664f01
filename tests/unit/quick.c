/*
 * quick.c - a frozen learner that need not score inliers comes to the same
 * verdicts as one that does, and to the same scores of all that it scores.
 */
#include <string.h>

#include "learner.h"
#include "mem.h"
#include "paths.h"
#include "rng.h"
#include "tap.h"

#define D0 12
#define N 512
#define WINDOWS 12
#define FROZEN_WINDOWS 32 /* enough for all that is made of one model */
#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct rng rng;
static double x[N * D0];

/* Three causes, noise, some outliers by little and by much, some gaps. */
static void
make_window(int gaps)
{
    for (size_t i = 0; i < N; i++) {
        float a = pri_rng_normal(&rng), b = pri_rng_normal(&rng);
        float c = pri_rng_normal(&rng);
        float far =
            pri_rng_below(&rng, 40) == 0 ? 8.0f * pri_rng_uniform(&rng) : 0.0f;
        for (size_t d = 0; d < D0; d++) {
            double value =
                (double)(a * (float)(d % 3) + b * (float)(d % 5) +
                         c * (float)(d % 4) + 0.3f * pri_rng_normal(&rng));
            if (d == i % D0)
                value += (double)far;
            if (gaps && pri_rng_below(&rng, 50) == 0)
                value = (double)NAN;
            x[i * D0 + d] = value;
        }
    }
}

struct room {
    float score[N], error[N], gate[N], p[N];
    unsigned char flagged[N];
};

static struct findings
findings_in(struct room *room)
{
    return (struct findings){room->score, room->error, room->gate, room->p,
                             room->flagged};
}

static void
teach(struct learner *learner, const prae_params *params, int gaps)
{
    static const double least[D0];
    static struct room room;
    struct findings found = findings_in(&room);

    NEED(pri_learner_init(learner, params, D0, least, N) == PRAE_OK);
    pri_rng_init(&rng, 3, 1);
    for (int w = 0; w < WINDOWS; w++) {
        make_window(gaps);
        NEED(pri_learner_window(learner, x, N, &found) == PRAE_OK);
    }
    learner->params.freeze = 1;
}

static void
check_same(const char *path, double fpr, int gaps, const char *what)
{
    static struct room plain_room, quick_room;
    struct findings plain_found = findings_in(&plain_room);
    struct findings quick_found = findings_in(&quick_room);
    struct learner plain, quick;
    prae_params params;
    size_t wrong = 0, flagged = 0, scored = 0;

    prae_params_init(&params);
    params.fpr = fpr;
    teach(&plain, &params, gaps);
    teach(&quick, &params, gaps);
    quick.params.unscored = 1;
    pri_rng_init(&rng, 4, 1);
    for (int w = 0; w < FROZEN_WINDOWS; w++) {
        make_window(gaps);
        NEED(pri_learner_window(&plain, x, N, &plain_found) == PRAE_OK);
        NEED(pri_learner_window(&quick, x, N, &quick_found) == PRAE_OK);
        for (size_t i = 0; i < N; i++) {
            int same = plain_room.flagged[i] == quick_room.flagged[i];
            if (!isnan(quick_room.score[i]))
                same &= plain_room.score[i] == quick_room.score[i] &&
                        plain_room.p[i] == quick_room.p[i] &&
                        plain_room.error[i] == quick_room.error[i];
            else
                same &= !quick_room.flagged[i] && isnan(quick_room.p[i]) &&
                        isnan(quick_room.error[i]);
            wrong += !same;
            flagged += quick_room.flagged[i];
            scored += !isnan(quick_room.score[i]);
        }
    }
    if (!ok(wrong == 0 && flagged > 20 && quick.quick.ribbon.made,
            "%s: the same verdicts, %s", path, what))
        printf("# %zu differ, %zu flagged\n", wrong, flagged);
    if (!ok(scored < N * FROZEN_WINDOWS / 3, "... and most are not scored"))
        printf("# %zu of %d scored\n", scored, N * FROZEN_WINDOWS);
    pri_learner_fini(&plain);
    pri_learner_fini(&quick);
}

int
main(void)
{
    for (size_t at = 0; next_path(&at);) {
        check_same("by the limit", 0.0, 0, "no gaps");
        check_same("by the limit", 0.0, 1, "gaps");
        check_same("by their rate", 0.01, 0, "one in a hundred");
        check_same("by their rate", 0.05, 0, "one in twenty");
    }
    return tap_done();
}
