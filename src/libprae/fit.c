/* fit.c - the training run, and the choice of lambda by held-out rows. */
#include "fit.h"

#include <math.h>

#include "mem.h"
#include "shape.h"
#include "stat.h"

#define STEPS_MIN 100        /* fewer leave small tables untrained */
#define EPOCHS_MIN 3         /* many more would teach the net its outliers */
#define ROUNDS_MAX 30        /* of STEPS_MIN steps, while each pays off */
#define PAYS_OFF 0.667f      /* median error after a round, against before */
#define FLOOR_A_COLUMN 1e-6f /* an error a column that is none at all */
#define ENERGY_SHARE 0.7     /* of the mean energy, where gates turn at most */
#define LAMBDA_MOST 1e30     /* a float, whatever the factor */
#define PASS_LEAST 64        /* records that pass through the net at once */
#define HOLDOUT 5            /* one row in so many is held out */

float
pri_fit_floor(size_t D)
{
    return FLOOR_A_COLUMN * (float)D;
}

size_t
pri_fit_batch(const prae_params *params, size_t N)
{
    size_t wanted = params->batch;

    if (wanted == 0)
        wanted = N >= 512 ? 64 : N / 8 > 16 ? N / 8 : 16;
    return wanted < N ? wanted : N;
}

size_t
pri_fit_room(const prae_params *params, size_t cap_rows)
{
    /* Windows may be larger than those so far, and have larger batches. */
    size_t batch = pri_fit_batch(
        params, params->window > cap_rows ? params->window : cap_rows);

    return batch > PASS_LEAST ? batch : PASS_LEAST;
}

/* ME = mean ||x||^2 */
static double
mean_energy(const struct fit *fit)
{
    double sum = 0.0;

    for (size_t i = 0; i < fit->N * fit->D; i++)
        if (!isnan(fit->x[i]))
            sum += (double)fit->x[i] * (double)fit->x[i];
    return sum / (double)fit->N;
}

/* Where gates turn now, by the rule and the errors as they are. */
static struct gate_level
level_now(const struct fit *fit, const prae_params *params, double energy)
{
    float level = pri_error_level(fit->e, fit->N, PRI_SPREAD_TRAIN,
                                  pri_fit_floor(fit->D), fit->scratch);
    /* Above the mean energy, the paper shows, gates stop to shut outliers
     * out; with many of these the errors' own level lies there. */
    float lambda =
        (float)fmin((double)level, ENERGY_SHARE * energy) * fit->factor;

    if (params->lambda_rule == PRAE_LAMBDA_ME)
        lambda = (float)fmin(params->lambda * energy, LAMBDA_MOST);
    else if (params->lambda_rule == PRAE_LAMBDA_FIXED)
        lambda = (float)params->lambda;
    return (struct gate_level){lambda, lambda > 0.0f ? lambda : level};
}

static int
is_finite(const struct fit *fit)
{
    for (size_t i = 0; i < fit->N; i++)
        if (!isfinite(fit->e[i]) || !isfinite(fit->mu[i]))
            return 0;
    return 1;
}

static prae_status
make_trainer(const struct fit *fit, const prae_params *params,
             struct trainer *trainer)
{
    struct gate_rule rule = {params->gates, params->estimator,
                             (float)params->sigma};
    struct net net;
    prae_status status = pri_shape_net(&net, params, fit->x, fit->N, fit->D);

    if (status == PRAE_OK)
        status = pri_trainer_init(
            trainer, &net, &rule, params->loss, params->seed,
            pri_fit_room(params, fit->cap_rows), fit->cap_rows);
    if (status == PRAE_OK && fit->gaps)
        status = pri_trainer_allow_gaps(trainer);
    if (status == PRAE_OK && fit->origin != NULL)
        status = pri_trainer_set_origin(trainer, fit->origin);
    if (status == PRAE_OK)
        status = pri_trainer_set_runner(trainer, &fit->runner);
    return status;
}

/* What traces are in, from the first visit on: by a power of 2 they lose no
 * digit. */
static float
grain_of(struct gate_level level)
{
    int exponent;

    (void)frexpf(level.unit, &exponent);
    return level.unit < 1.0f ? ldexpf(1.0f, exponent - 1) : 1.0f;
}

/* One more visit in the mean. */
static void
trace_errors(const struct fit *fit, struct gate_level level)
{
    float share = 1.0f / (float)(fit->epochs + 1);
    float unit = level.unit / fit->grain;

    for (size_t i = 0; fit->trace != NULL && i < fit->N; i++)
        fit->trace[i] +=
            share * (pri_finite_error(fit->e[i] / unit) - fit->trace[i]);
}

/* Trains for COUNT epochs, lambda following the errors. */
static prae_status
run_epochs(struct fit *fit, const prae_params *params, struct trainer *trainer,
           double energy, size_t count)
{
    for (size_t epoch = 0; epoch < count; epoch++) {
        struct gate_level level = level_now(fit, params, energy);
        fit->lambda = level.lambda;
        fit->unit = level.unit;
        fit->epochs++;
        pri_trainer_epoch(trainer, fit->x, fit->N, level, params->rate, fit->mu,
                          fit->e);
        if (!is_finite(fit))
            return PRAE_ECONFIG;
        trace_errors(fit, level);
    }
    return pri_trainer_is_finite(trainer) ? PRAE_OK : PRAE_ECONFIG;
}

/* Fresh gates, visited once before any weight moves, so that gross outliers
 * teach the net nothing. */
static void
start_gates(struct fit *fit, const prae_params *params, struct trainer *trainer,
            double energy)
{
    struct rng noise;

    for (size_t i = 0; i < fit->N; i++)
        fit->mu[i] = PRI_GATE_START;
    pri_rng_init(&noise, params->seed, PRI_STREAM_NOISE | 0x80);
    pri_gate_visit(&trainer->rule, level_now(fit, params, energy), fit->N,
                   fit->e, fit->mu, fit->scratch, &noise);
}

/*
 * As many epochs as make STEPS_MIN steps, at least EPOCHS_MIN. Most tables
 * have then given up what structure they have, and more would teach the net
 * their outliers. Where columns hang together tightly the error is still
 * falling steeply, and only once it has fallen does a broken relation show:
 * there, training goes on in rounds for as long as each pays off.
 */
static prae_status
run_rounds(struct fit *fit, const prae_params *params, struct trainer *trainer,
           double energy)
{
    size_t steps = (fit->N + trainer->batch - 1) / trainer->batch;
    size_t round = (STEPS_MIN + steps - 1) / steps;
    size_t first = round < EPOCHS_MIN ? EPOCHS_MIN : round;
    float before = pri_median(fit->e, fit->N);
    prae_status status =
        run_epochs(fit, params, trainer, energy, first - round);

    for (int i = 0; status == PRAE_OK && i < ROUNDS_MAX; i++) {
        status = run_epochs(fit, params, trainer, energy, round);
        float after = pri_median(fit->e, fit->N);
        if (!(after < PAYS_OFF * before))
            break;
        before = after;
    }
    return status;
}

prae_status
pri_fit_run(struct fit *fit, const prae_params *params, struct trainer *trainer)
{
    double energy = mean_energy(fit);
    prae_status status = make_trainer(fit, params, trainer);

    fit->epochs = 0;
    if (status != PRAE_OK)
        return status;
    trainer->batch = pri_fit_batch(params, fit->N);
    pri_trainer_errors(trainer, fit->x, fit->N, fit->e);
    fit->grain = grain_of(level_now(fit, params, energy));
    trace_errors(fit, level_now(fit, params, energy));
    start_gates(fit, params, trainer, energy);
    if (params->epochs > 0)
        return run_epochs(fit, params, trainer, energy, params->epochs);
    return run_rounds(fit, params, trainer, energy);
}

/* Trains on the rows before HELD and gives the median error of the rest:
 * those are as dirty as the others, and the median does not mind. */
static prae_status
try_factor(const struct fit *whole, const prae_params *params, size_t held,
           float factor, float *median)
{
    struct trainer trainer = {0};
    struct fit fit = *whole;

    fit.N = held;
    fit.factor = factor;
    fit.trace = NULL;
    prae_status status = pri_fit_run(&fit, params, &trainer);
    if (status == PRAE_OK) {
        size_t rest = whole->N - held;
        pri_trainer_errors(&trainer, whole->x + held * whole->D, rest,
                           fit.scratch);
        *median = pri_median(fit.scratch, rest);
    }
    pri_trainer_fini(&trainer);
    return status;
}

/* FIT's rows in random order to X (N, D). */
static void
mix_rows(const struct fit *fit, uint64_t seed, uint32_t *order, float *x)
{
    struct rng rng;

    for (size_t i = 0; i < fit->N; i++)
        order[i] = (uint32_t)i;
    pri_rng_init(&rng, seed, PRI_STREAM_HOLDOUT);
    pri_rng_shuffle(&rng, order, fit->N);
    for (size_t i = 0; i < fit->N; i++)
        memcpy(x + i * fit->D, fit->x + order[i] * fit->D, fit->D * sizeof *x);
}

prae_status
pri_fit_validate(struct fit *fit, const prae_params *params,
                 struct trainer *trainer)
{
    static const float factors[] = {0.25f, 0.5f, 1.0f, 2.0f, 4.0f};
    size_t held = fit->N - fit->N / HOLDOUT;
    float *x = pri_matrix_new(fit->N, fit->D);
    uint32_t *order = pri_block_new(fit->N, sizeof *order);
    struct fit mixed = *fit;
    float least = INFINITY;
    prae_status status = PRAE_OK;

    if (x == NULL || order == NULL) {
        status = PRAE_ENOMEM;
        goto out;
    }
    mix_rows(fit, params->seed, order, x);
    mixed.x = x;
    /* With too few rows to hold any out, the factor stays as it is. */
    for (size_t i = 0; held < fit->N && i < sizeof factors / sizeof *factors;
         i++) {
        float median = INFINITY;
        status = try_factor(&mixed, params, held, factors[i], &median);
        if (status != PRAE_OK)
            goto out;
        if (median < least) {
            least = median;
            fit->factor = factors[i];
        }
    }
    status = pri_fit_run(fit, params, trainer);
out:
    free(x);
    free(order);
    return status;
}
