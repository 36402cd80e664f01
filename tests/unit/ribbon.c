/*
 * ribbon.c - what a curve says of errors and distances at most, against the
 * whole net and all neighbours; and where there is none.
 */
#include "ribbon.h"

#include <string.h>

#include "mem.h"
#include "paths.h"
#include "rng.h"
#include "tap.h"

#define D 11
#define LEN_MOST 16
#define N 400
#define NEIGHBOURS 100
#define LAST 1.0f /* the curve goes through all of the data, and bends */
#define EPOCHS 30
#define LARGE 1e9f

static struct rng rng;
static float x[N * D], weight[D], z[N], e[N], away[N];

/* A bent line in D dimensions, and noise. */
static void
plant(void)
{
    for (size_t d = 0; d < D; d++)
        weight[d] = 0.1f + 4.0f * pri_rng_uniform(&rng);
    for (size_t i = 0; i < N; i++) {
        float at = pri_rng_normal(&rng);
        for (size_t d = 0; d < D; d++)
            x[i * D + d] = sinf(at * (0.3f + 0.2f * (float)d)) +
                           0.1f * pri_rng_normal(&rng);
    }
}

static void
setup(struct trainer *trainer, struct neighbours *neighbours, size_t latent,
      prae_activation act, prae_loss loss)
{
    static const size_t hidden[] = {10, 10};
    static const struct gate_rule rule = {PRAE_GATES_L1, PRAE_ESTIMATOR_EXACT,
                                          0.5f};
    static float mu[N];
    struct net net;

    plant();
    NEED(pri_net_init(&net, D, hidden, 2, latent, act) == PRAE_OK);
    pri_net_randomise(&net, &rng, LAST);
    NEED(pri_trainer_init(trainer, &net, &rule, loss, 1, 64, N) == PRAE_OK);
    for (size_t i = 0; i < N; i++)
        mu[i] = 1.0f;
    for (int epoch = 0; epoch < EPOCHS; epoch++)
        pri_trainer_epoch(trainer, x, N, (struct gate_level){LARGE, LARGE},
                          3e-3, mu, e);
    NEED(pri_neighbours_init(neighbours, D) == PRAE_OK);
    pri_neighbours_choose(neighbours, NEIGHBOURS, 0, NULL);
    memcpy(neighbours->x, x, NEIGHBOURS * D * sizeof *x);
    pri_neighbours_weigh(neighbours, weight);
}

static void
teardown(struct trainer *trainer, struct neighbours *neighbours)
{
    pri_trainer_fini(trainer);
    pri_neighbours_fini(neighbours);
}

static void
take_bounds(const struct ribbon *ribbon, const struct neighbours *neighbours)
{
    static float row[N * LEN_MOST];

    NEED(neighbours->len <= LEN_MOST);
    pri_neighbours_rows(neighbours, x, N, row);
    pri_ribbon_bounds(ribbon, N, row, z, e, away);
}

static void
check_bounds(prae_activation act, const char *what)
{
    struct trainer trainer;
    struct neighbours neighbours;
    struct ribbon ribbon;
    float exact[N], apart[N];
    size_t broken = 0, loose = 0, beyond = 0;

    setup(&trainer, &neighbours, 1, act, PRAE_LOSS_SQUARED);
    ok(pri_ribbon_can(&trainer), "%s: one value in the middle is a curve",
       what);
    NEED(pri_ribbon_init(&ribbon, D, neighbours.len) == PRAE_OK);
    pri_trainer_middle(&trainer, x, N, z);
    /* Of half of them, so that some are beyond its ends. */
    pri_ribbon_make(&ribbon, &trainer, &neighbours, z, N / 2, LARGE);
    take_bounds(&ribbon, &neighbours);
    pri_trainer_judge(&trainer, x, N, weight, NULL, exact);
    pri_neighbours_distance(&neighbours, x, N, PRI_STRANGER, apart);
    for (size_t i = 0; i < N; i++) {
        beyond += isinf(e[i]) && isinf(away[i]);
        broken += !(exact[i] <= e[i] * 1.00001f) ||
                  !(apart[i] <= away[i] * 1.00001f);
        loose += e[i] > 1.2f * exact[i] + 0.01f;
    }
    ok(ribbon.made && broken == 0, "%s: no bound is broken", what);
    if (!ok(loose < N / 20 && beyond < N / 20,
            "%s: and errors are as good as known", what))
        printf("# %zu loose, %zu beyond, off by %g\n", loose, beyond,
               (double)ribbon.off);
    x[3 * D + 2] = NAN;
    pri_trainer_middle(&trainer, x, N, z);
    take_bounds(&ribbon, &neighbours);
    ok(isinf(e[3]) && isinf(away[3]), "%s: with a gap nothing is known", what);

    for (size_t i = 0; i < N; i++)
        z[i] = 2.0f;
    pri_ribbon_make(&ribbon, &trainer, &neighbours, z, N, LARGE);
    ok(!ribbon.made, "%s: one point is no curve", what);
    z[0] = -2.0f;
    pri_ribbon_make(&ribbon, &trainer, &neighbours, z, N, 0.0f);
    ok(!ribbon.made, "%s: none is made that is off by too much", what);
    pri_ribbon_fini(&ribbon);
    teardown(&trainer, &neighbours);
}

/* Lines are off by something, and that is reckoned with. */
static void
check_bends(void)
{
    struct trainer trainer;
    struct neighbours neighbours;
    struct ribbon ribbon;
    float exact[N];
    size_t broken = 0, below = 0;

    setup(&trainer, &neighbours, 1, PRAE_ACTIVATION_TANH, PRAE_LOSS_SQUARED);
    const struct layer *layer = trainer.net.layer + trainer.net.layer_count / 2;
    for (size_t i = layer[0].w; i < layer[1].b; i++)
        trainer.net.param[i] *= 12.0f;
    NEED(pri_ribbon_init(&ribbon, D, neighbours.len) == PRAE_OK);
    pri_trainer_middle(&trainer, x, N, z);
    pri_ribbon_make(&ribbon, &trainer, &neighbours, z, N, LARGE);
    take_bounds(&ribbon, &neighbours);
    pri_trainer_judge(&trainer, x, N, weight, NULL, exact);
    for (size_t i = 0; i < N; i++) {
        float bare = sqrtf(e[i]) - ribbon.off;
        broken += !(exact[i] <= e[i] * 1.00001f);
        below += exact[i] > bare * bare * 1.00001f;
    }
    if (!ok(ribbon.made && broken == 0 && below > N / 20,
            "where it bends sharply, what lines are off by is added"))
        printf("# %zu broken, %zu below, off by %g\n", broken, below,
               (double)ribbon.off);
    pri_ribbon_fini(&ribbon);
    teardown(&trainer, &neighbours);
}

static void
check_none(size_t latent, prae_loss loss, const char *what)
{
    struct trainer trainer;
    struct neighbours neighbours;

    setup(&trainer, &neighbours, latent, PRAE_ACTIVATION_TANH, loss);
    ok(!pri_ribbon_can(&trainer), "%s: there is none", what);
    teardown(&trainer, &neighbours);
}

int
main(void)
{
    for (size_t path = 0; next_path(&path);) {
        pri_rng_init(&rng, 5, 1);
        check_bounds(PRAE_ACTIVATION_TANH, "tanh");
        check_bounds(PRAE_ACTIVATION_LEAKY, "leaky");
        check_bends();
        check_none(2, PRAE_LOSS_SQUARED, "two values in the middle");
        check_none(1, PRAE_LOSS_RELATIVE, "relative errors");
    }
    return tap_done();
}
