/*
 * trainer.c - what one pass over the records does, seen from outside: a
 * rate of 0 holds the weights still, so that visits, batches and gradients
 * can be told apart.
 */
#include <string.h>

#include "mem.h"
#include "paths.h"
#include "tap.h"
#include "trainer.h"

#define D 3
#define MOST 100

static const struct gate_level one = {1.0f, 1.0f};
static float x[MOST * D];

/* A 3-4-1-4-3 net with gates of KIND; the same weights for one SEED. */
static void
setup(struct trainer *trainer, prae_gates kind, prae_loss loss,
      prae_activation act, uint64_t seed, size_t cap_batch)
{
    const size_t hidden[] = {4};
    struct gate_rule rule = {kind, PRAE_ESTIMATOR_EXACT, 0.5f};
    struct net net;
    struct rng rng;

    NEED(pri_net_init(&net, D, hidden, 1, 1, act) == PRAE_OK);
    pri_rng_init(&rng, seed, PRI_STREAM_WEIGHTS);
    pri_net_randomise(&net, &rng, 1.0f);
    NEED(pri_trainer_init(trainer, &net, &rule, loss, seed, cap_batch, MOST) ==
         PRAE_OK);
    NEED(net.param == NULL); /* the trainer's now */
}

static void
check_pass(size_t N, size_t cap, size_t batch, size_t steps, size_t largest)
{
    static const prae_loss losses[] = {PRAE_LOSS_SQUARED, PRAE_LOSS_RELATIVE};
    struct gate_rule rule = {PRAE_GATES_L1, PRAE_ESTIMATOR_EXACT, 0.5f};
    float mu[MOST + 1], e[MOST + 1], wanted[MOST], expected[MOST], z[MOST];
    int once = 1, written = 1;
    struct trainer trainer;
    size_t used = 0;

    setup(&trainer, PRAE_GATES_L1, losses[N % 2], PRAE_ACTIVATION_TANH, 1, cap);
    trainer.batch = batch;
    pri_trainer_errors(&trainer, x, N, wanted);
    for (size_t i = 0; i <= MOST; i++) {
        mu[i] = 0.01f * (float)i;
        e[i] = -1.0f;
    }
    memcpy(expected, mu, sizeof expected);
    pri_gate_visit(&rule, one, N, wanted, expected, z, NULL);
    for (size_t j = 0; j < cap; j++)
        trainer.z[j] = -7.0f;

    pri_trainer_epoch(&trainer, x, N, one, 0.0, mu, e);
    for (size_t i = 0; i < N; i++) {
        once = once && fabsf(mu[i] - expected[i]) < 1e-5f;
        written = written && fabsf(e[i] - wanted[i]) < 1e-5f;
    }
    ok(once, "%zu gates by %zu: each is visited once", N, batch);
    ok(written, "%zu errors by %zu: each is left as visited", N, batch);
    ok(mu[N] == 0.01f * (float)N && e[N] == -1.0f,
       "%zu records by %zu: nothing is written past them", N, batch);
    while (used < cap && trainer.z[used] != -7.0f)
        used++;
    ok(trainer.adam.steps == steps && used == largest,
       "%zu records by %zu make %zu steps of at most %zu", N, batch, steps,
       largest);
    pri_trainer_fini(&trainer);
}

/* Feature D's part of row I's error, Y being what is expected; 0 for a
 * gap. */
static double
part_of(const float *table, const float *y, size_t i, size_t d, prae_loss loss)
{
    double away = (double)y[i * D + d] - (double)table[i * D + d];
    double norm = 0.0;

    for (size_t k = 0; k < D; k++)
        if (!isnan(table[i * D + k]))
            norm += (double)table[i * D + k] * (double)table[i * D + k];
    if (isnan(away))
        return 0.0;
    return away * away / (loss == PRAE_LOSS_RELATIVE ? sqrt(norm) + 1e-3 : 1.0);
}

/* Errors from what expect() gives, for each loss. */
static void
check_errors(prae_loss loss, const char *name)
{
    enum { N = 41, CAP = 16 };
    float e[N], y[N * D], copy[N * D];
    double worst = 0.0;
    struct trainer trainer;

    setup(&trainer, PRAE_GATES_L1, loss, PRAE_ACTIVATION_LEAKY, 2, CAP);
    pri_trainer_errors(&trainer, x, N, e);
    memcpy(copy, x, sizeof copy);
    for (size_t at = 0; at < N; at += CAP) {
        size_t B = N - at < CAP ? N - at : CAP;
        pri_trainer_expect(&trainer, x + at * D, B, y + at * D);
        pri_trainer_expect(&trainer, copy + at * D, B, copy + at * D);
    }
    for (size_t i = 0; i < N; i++) {
        double error = 0.0;
        for (size_t d = 0; d < D; d++)
            error += part_of(x, y, i, d, loss);
        worst = fmax(worst, fabs((double)e[i] - error) / (error + 1e-3));
    }
    ok(worst < 1e-5, "%s errors are those of the expected records", name);
    ok(memcmp(y, copy, sizeof y) == 0, "records may be expected in place");
    pri_trainer_fini(&trainer);
}

/* What a record is judged by: some rows have gaps, some are not good, and
 * they take more than one batch. */
static void
check_judge(prae_loss loss, const char *name)
{
    enum { N = 41, CAP = 16 };
    static const float weight[D] = {0.5f, 20.0f, 3.0f};
    float table[N * D], y[N * D], e[N], alone[N], weighted[N], again[N];
    unsigned char good[N];
    double usual[D], all[D], sum[D] = {0}, some[D] = {0}, worst = 0.0;
    double count = 0.0;
    struct trainer trainer;
    struct misfit kept;

    setup(&trainer, PRAE_GATES_L1, loss, PRAE_ACTIVATION_TANH, 6, CAP);
    NEED(pri_trainer_allow_gaps(&trainer) == PRAE_OK);
    NEED(pri_misfit_init(&kept, D, N) == PRAE_OK);
    for (size_t i = 0; i < N * D; i++)
        table[i] = i % 11 == 0 ? NAN : x[i];
    for (size_t at = 0; at < N; at += CAP)
        pri_trainer_expect(&trainer, table + at * D,
                           N - at < CAP ? N - at : CAP, y + at * D);
    pri_trainer_errors(&trainer, table, N, alone);
    pri_trainer_judge(&trainer, table, N, weight, e, weighted);
    pri_trainer_judge(&trainer, table, N, weight, NULL, again);
    for (size_t i = 0; i < N; i++) {
        double error = 0.0;
        good[i] = i % 3 != 1;
        count += good[i];
        for (size_t d = 0; d < D; d++) {
            double part = part_of(table, y, i, d, loss);
            error += (double)weight[d] * part;
            sum[d] += part / N;
            some[d] += good[i] * part;
        }
        worst = fmax(worst, fabs((double)weighted[i] - error) / (error + 1e-3));
    }
    ok(worst < 1e-5, "%s errors add up by the features' weights", name);
    ok(memcmp(e, alone, sizeof e) == 0 &&
           memcmp(weighted, again, sizeof again) == 0,
       "... beside those without, asked for or not");

    pri_trainer_usual(&trainer, table, N, NULL, &kept, all);
    pri_trainer_usual(&trainer, table, N, good, NULL, usual);
    worst = 0.0;
    for (size_t d = 0; d < D; d++) {
        worst = fmax(worst, fabs(all[d] / sum[d] - 1.0));
        worst = fmax(worst, fabs(usual[d] / (some[d] / count) - 1.0));
    }
    ok(worst < 1e-5, "%s: what is usual is the mean part, of all or the good",
       name);
    pri_misfit_errors(&kept, N, weight, again);
    ok(memcmp(weighted, again, sizeof again) == 0,
       "... and misfits that were kept are the same errors by weights");
    memset(good, 0, sizeof good);
    pri_trainer_usual(&trainer, table, N, good, NULL, usual);
    ok(usual[0] == 0.0 && usual[D - 1] == 0.0, "... and of none nothing");
    pri_misfit_fini(&kept);
    pri_trainer_fini(&trainer);
}

/* (1/B) sum z e by the weights as they are. */
static double
whole_loss(struct trainer *trainer, size_t B, const float *z)
{
    float e[MOST];
    double sum = 0.0;

    pri_trainer_errors(trainer, x, B, e);
    for (size_t i = 0; i < B; i++)
        sum += (double)z[i] * (double)e[i] / (double)B;
    return sum;
}

/* In a linear net a single weight's loss is a parabola, of which a central
 * difference is exact however far it reaches: no rounding to fight. */
static void
check_gradient(prae_gates kind, prae_loss loss, const char *name)
{
    enum { B = 24 };
    float mu[B], z[B], e[B];
    double worst = 0.0, largest = 0.0;
    struct trainer trainer;

    setup(&trainer, kind, loss, PRAE_ACTIVATION_LINEAR, 3, B);
    for (size_t i = 0; i < B; i++)
        mu[i] = (float)i / B;
    for (size_t i = 0; i < B; i++)
        z[i] = kind == PRAE_GATES_NONE   ? 1.0f
               : kind == PRAE_GATES_HARD ? mu[i]
                                         : pri_gate_mean(mu[i], 0.5f);
    pri_trainer_epoch(&trainer, x, B, one, 0.0, mu, e);
    for (size_t p = 0; p < trainer.net.param_count; p++) {
        const float h = 0.25f;
        float kept = trainer.net.param[p];
        trainer.net.param[p] = kept + h;
        double above = whole_loss(&trainer, B, z);
        trainer.net.param[p] = kept - h;
        double slope = (above - whole_loss(&trainer, B, z)) / (2.0 * (double)h);
        trainer.net.param[p] = kept;
        largest = fmax(largest, fabs(slope));
        worst = fmax(worst, fabs((double)trainer.grad[p] - slope));
    }
    if (!ok(worst < 1e-4 * largest && largest > 0.1,
            "the step's gradient is the loss's difference: %s", name))
        printf("# off by %g, largest %g\n", worst, largest);
    pri_trainer_fini(&trainer);
}

/* Weights after some passes over 16 open records and 8 of VALUE whose
 * gates start at SHUT. */
static void
train_beside(prae_gates kind, float shut, float value, float *param)
{
    float table[24 * D], mu[24], e[24];
    struct trainer trainer;

    setup(&trainer, kind, PRAE_LOSS_SQUARED, PRAE_ACTIVATION_TANH, 4, 8);
    memcpy(table, x, sizeof table);
    for (size_t i = 0; i < 24; i++)
        mu[i] = i < 16 ? 0.5f : shut;
    for (size_t i = 16 * D; i < 24 * D; i++)
        table[i] = value + (float)i;
    for (int epoch = 0; epoch < 5; epoch++)
        pri_trainer_epoch(&trainer, table, 24, one, 1e-2, mu, e);
    memcpy(param, trainer.net.param, trainer.net.param_count * sizeof *param);
    pri_trainer_fini(&trainer);
}

static void
check_shut(void)
{
    static const struct {
        prae_gates kind;
        float mu;
        int learned; /* the weights do hang on those records */
    } cases[] = {{PRAE_GATES_L1, 0.5f, 1},   {PRAE_GATES_NONE, -9.0f, 1},
                 {PRAE_GATES_HARD, 0.0f, 0}, {PRAE_GATES_L1, -9.0f, 0},
                 {PRAE_GATES_L0, -9.0f, 0},  {PRAE_GATES_L1, -1e4f, 0},
                 {PRAE_GATES_L1, -1e9f, 0}};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        float left[64] = {0}, right[64] = {0};
        train_beside(cases[c].kind, cases[c].mu, 10.0f, left);
        train_beside(cases[c].kind, cases[c].mu, -50.0f, right);
        ok((memcmp(left, right, sizeof left) != 0) == cases[c].learned,
           "records of gate kind %d at %g %s the weights", (int)cases[c].kind,
           (double)cases[c].mu, cases[c].learned ? "move" : "do not touch");
    }
}

/* Weights, gates and errors after three sampled passes. */
static void
run(uint64_t seed, float *left)
{
    struct trainer trainer;

    setup(&trainer, PRAE_GATES_L1, PRAE_LOSS_SQUARED, PRAE_ACTIVATION_TANH, 5,
          16);
    trainer.rule.estimator = PRAE_ESTIMATOR_SAMPLED;
    trainer.seed = seed;
    for (size_t i = 0; i < MOST; i++)
        left[i] = 0.5f;
    for (int epoch = 0; epoch < 3; epoch++)
        pri_trainer_epoch(&trainer, x, MOST, one, 1e-3, left, left + MOST);
    memcpy(left + 2 * MOST, trainer.net.param,
           trainer.net.param_count * sizeof *left);
    pri_trainer_fini(&trainer);
}

static void
check_seed(void)
{
    static float first[3 * MOST], again[3 * MOST], other[3 * MOST];
    float e[MOST], mu[MOST] = {0};
    uint32_t order[MOST];
    struct trainer trainer;

    run(1, first);
    run(1, again);
    run(2, other);
    ok(memcmp(first, again, sizeof first) == 0, "one seed, the same bits");
    ok(memcmp(first, other, sizeof first) != 0, "another seed, others");
    setup(&trainer, PRAE_GATES_L1, PRAE_LOSS_SQUARED, PRAE_ACTIVATION_TANH, 5,
          16);
    pri_trainer_epoch(&trainer, x, MOST, one, 0.0, mu, e);
    memcpy(order, trainer.order, sizeof order);
    pri_trainer_epoch(&trainer, x, MOST, one, 0.0, mu, e);
    ok(memcmp(order, trainer.order, sizeof order) != 0,
       "each pass has an order of its own");
    pri_trainer_fini(&trainer);
}

int
main(void)
{
    static const struct {
        size_t N, cap, batch, steps, largest;
    } passes[] = {{1, 1, 1, 1, 1},     {1, 16, 16, 1, 1},   {16, 16, 16, 1, 16},
                  {17, 16, 16, 2, 9},  {33, 16, 16, 3, 11}, {37, 8, 8, 5, 8},
                  {99, 64, 64, 2, 50}, {98, 7, 7, 14, 7},   {99, 1, 1, 99, 1},
                  {37, 64, 5, 8, 5}};
    struct rng rng;

    pri_rng_init(&rng, 31, 1);
    for (size_t i = 0; i < MOST * D; i++)
        x[i] = pri_rng_normal(&rng);
    for (size_t path = 0; next_path(&path);) {
        for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
            check_pass(passes[i].N, passes[i].cap, passes[i].batch,
                       passes[i].steps, passes[i].largest);
        check_errors(PRAE_LOSS_SQUARED, "squared");
        check_errors(PRAE_LOSS_RELATIVE, "relative");
        check_judge(PRAE_LOSS_SQUARED, "squared");
        check_judge(PRAE_LOSS_RELATIVE, "relative");
        check_gradient(PRAE_GATES_NONE, PRAE_LOSS_SQUARED, "no gates, squared");
        check_gradient(PRAE_GATES_NONE, PRAE_LOSS_RELATIVE,
                       "no gates, relative");
        check_gradient(PRAE_GATES_L1, PRAE_LOSS_SQUARED, "gates, squared");
        check_gradient(PRAE_GATES_L0, PRAE_LOSS_RELATIVE, "gates, relative");
        check_gradient(PRAE_GATES_HARD, PRAE_LOSS_SQUARED, "hard, squared");
        check_shut();
        check_seed();
    }
    return tap_done();
}
