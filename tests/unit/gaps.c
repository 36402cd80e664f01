/*
 * gaps.c - missing values: not counted by the scale, seen by the net as the
 * column's centre, and answered for to nobody.
 */
#include <string.h>

#include "mem.h"
#include "scale.h"
#include "tap.h"
#include "trainer.h"

#define D 4
#define N 30

static const struct gate_level one = {1.0f, 1.0f};
static float x[N * D], filled[N * D]; /* with gaps, and with 0 there */

/* Every third value or so is missing, in row 5 all, in row 6 none. */
static int
is_gap(size_t row, size_t d)
{
    return row == 5 || (row != 6 && (row * 7 + d * 5) % 3 == 0);
}

static void
setup(struct trainer *trainer, prae_loss loss, int gaps)
{
    const size_t hidden[] = {3};
    struct gate_rule rule = {PRAE_GATES_L1, PRAE_ESTIMATOR_EXACT, 0.5f};
    struct net net;
    struct rng rng;

    NEED(pri_net_init(&net, D, hidden, 1, 2, PRAE_ACTIVATION_LINEAR) ==
         PRAE_OK);
    pri_rng_init(&rng, 3, PRI_STREAM_WEIGHTS);
    pri_net_randomise(&net, &rng, 1.0f);
    NEED(pri_trainer_init(trainer, &net, &rule, loss, 3, N, N) == PRAE_OK);
    if (gaps)
        NEED(pri_trainer_allow_gaps(trainer) == PRAE_OK);
}

static void
check_errors(prae_loss loss, const char *name)
{
    float e[N], y[N * D];
    struct trainer trainer, plain;
    double worst = 0.0;

    setup(&trainer, loss, 1);
    setup(&plain, loss, 0);
    pri_trainer_errors(&trainer, x, N, e);
    pri_trainer_expect(&plain, filled, N, y);
    for (size_t i = 0; i < N; i++) {
        double squares = 0.0, norm = 0.0;
        for (size_t d = 0; d < D; d++) {
            double value = (double)filled[i * D + d];
            double away = (double)y[i * D + d] - value;
            norm += value * value;
            if (!is_gap(i, d))
                squares += away * away;
        }
        if (loss == PRAE_LOSS_RELATIVE)
            squares /= sqrt(norm) + 1e-3;
        worst = fmax(worst, fabs((double)e[i] - squares) / (squares + 1e-3));
    }
    ok(worst < 1e-5, "%s errors are of the values that are there", name);
    ok(e[5] == 0.0f, "a row without values has no %s error", name);
    pri_trainer_fini(&trainer);
    pri_trainer_fini(&plain);
}

static double
whole_loss(struct trainer *trainer, const float *z)
{
    float e[N];
    double sum = 0.0;

    pri_trainer_errors(trainer, x, N, e);
    for (size_t i = 0; i < N; i++)
        sum += (double)z[i] * (double)e[i] / N;
    return sum;
}

/* As in trainer.c: a linear net's central differences are exact. */
static void
check_gradient(prae_loss loss, const char *name)
{
    float mu[N], z[N], e[N];
    double worst = 0.0, largest = 0.0;
    struct trainer trainer;

    setup(&trainer, loss, 1);
    for (size_t i = 0; i < N; i++) {
        mu[i] = (float)i / N;
        z[i] = pri_gate_mean(mu[i], 0.5f);
    }
    pri_trainer_epoch(&trainer, x, N, one, 0.0, mu, e);
    for (size_t p = 0; p < trainer.net.param_count; p++) {
        const float h = 0.25f;
        float kept = trainer.net.param[p];
        trainer.net.param[p] = kept + h;
        double above = whole_loss(&trainer, z);
        trainer.net.param[p] = kept - h;
        double slope = (above - whole_loss(&trainer, z)) / (2.0 * (double)h);
        trainer.net.param[p] = kept;
        largest = fmax(largest, fabs(slope));
        worst = fmax(worst, fabs((double)trainer.grad[p] - slope));
    }
    ok(worst < 1e-4 * largest && largest > 0.1,
       "with gaps the gradient is the loss's difference: %s", name);
    pri_trainer_fini(&trainer);
}

static void
check_training(void)
{
    float mu[N], e[N], left[N], right[N], y[N * D];
    struct trainer trainer, plain;
    int finite = 1;

    setup(&trainer, PRAE_LOSS_SQUARED, 1);
    for (size_t i = 0; i < N; i++)
        mu[i] = 0.5f;
    for (int epoch = 0; epoch < 20; epoch++)
        pri_trainer_epoch(&trainer, x, N, one, 1e-2, mu, e);
    pri_trainer_expect(&trainer, x, N, y);
    for (size_t i = 0; i < N * D; i++)
        finite = finite && isfinite(y[i]) && isfinite(mu[i / D]);
    ok(finite, "no gap gets into weights, gates or what is expected");
    pri_trainer_fini(&trainer);

    setup(&trainer, PRAE_LOSS_SQUARED, 1);
    setup(&plain, PRAE_LOSS_SQUARED, 0);
    pri_trainer_errors(&trainer, filled, N, left);
    pri_trainer_errors(&plain, filled, N, right);
    ok(memcmp(left, right, sizeof left) == 0,
       "gaps that are allowed and do not come change nothing");
    pri_trainer_fini(&trainer);
    pri_trainer_fini(&plain);
}

static void
check_scale(void)
{
    static const double column[] = {1.0, 2.0, 2.0, 1.0};
    double table[8 * 3];
    float out[8 * 3];
    struct scale scale;
    int kept = 1;

    for (size_t i = 0; i < 8; i++) { /* half missing, none, all missing */
        table[3 * i] = i % 2 ? column[i / 2] : (double)NAN;
        table[3 * i + 1] = column[i / 2];
        table[3 * i + 2] = (double)NAN;
    }
    NEED(pri_scale_init(&scale, 3) == PRAE_OK);
    scale.centre[2] = 5.0;
    scale.unit[2] = 0.25;
    pri_scale_fit(&scale, table, 8);
    pri_scale_apply(&scale, table, 8, 1, out);
    ok(scale.centre[0] == scale.centre[1] && scale.unit[0] == scale.unit[1],
       "a scale is of the values that are there");
    ok(scale.centre[2] == 5.0 && scale.unit[2] == 0.25,
       "a column without values keeps its scale");
    for (size_t i = 0; i < 8 * 3; i++)
        kept = kept && !isnan(out[i]) == !isnan(table[i]);
    ok(kept, "a gap stays one, and nothing else becomes one");
    pri_scale_fini(&scale);
}

int
main(void)
{
    struct rng rng;

    pri_rng_init(&rng, 61, 1);
    for (size_t i = 0; i < N * D; i++) {
        float value = pri_rng_normal(&rng);
        x[i] = is_gap(i / D, i % D) ? NAN : value;
        filled[i] = is_gap(i / D, i % D) ? 0.0f : value;
    }
    check_errors(PRAE_LOSS_SQUARED, "squared");
    check_errors(PRAE_LOSS_RELATIVE, "relative");
    check_gradient(PRAE_LOSS_SQUARED, "squared");
    check_gradient(PRAE_LOSS_RELATIVE, "relative");
    check_training();
    check_scale();
    return tap_done();
}
