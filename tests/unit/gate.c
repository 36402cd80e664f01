/*
 * gate.c - the gates' closed forms against integrals, their steps against
 * finite differences of the losses they descend.
 */
#include <string.h>

#include "gate.h"
#include "paths.h"
#include "tap.h"

#define L1 PRAE_GATES_L1
#define L0 PRAE_GATES_L0
#define HARD PRAE_GATES_HARD
#define EXACT PRAE_ESTIMATOR_EXACT
#define SAMPLED PRAE_ESTIMATOR_SAMPLED

static const char *const kinds[] = {"l1", "l0", "hard", "none"};

/* P(z > t) for t in [0, 1): the chance that mu + eps > t. */
static double
chance(double mu, double sigma, double t)
{
    return 0.5 * erfc((t - mu) / (sigma * sqrt(2.0)));
}

/* E z as the integral of P(z > t) over t in [0, 1], by Simpson's rule. */
static double
mean(double mu, double sigma)
{
    enum { PARTS = 4000 };
    double sum = chance(mu, sigma, 0.0) + chance(mu, sigma, 1.0);

    for (int i = 1; i < PARTS; i++)
        sum += (i % 2 == 1 ? 4.0 : 2.0) *
               chance(mu, sigma, (double)i / (double)PARTS);
    return sum / (3.0 * PARTS);
}

/* What a gate minimises. */
static double
loss(prae_gates kind, double mu, double sigma, double e, double lambda)
{
    if (kind == L0)
        return e * mean(mu, sigma) - lambda * chance(mu, sigma, 0.0);
    return (e - lambda) * mean(mu, sigma);
}

static const double mus[] = {-20.0, -3.0, -1.0, -0.2, 0.0, 0.1,
                             0.5,   0.9,  1.0,  1.4,  2.0, 30.0};
static const double sigmas[] = {0.01, 0.1, 0.5, 1.0, 10.0};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static void
check_closed_forms(void)
{
    const double h = 1e-5;

    for (size_t s = 0; s < COUNT(sigmas); s++) {
        double off[4] = {0}, sigma = sigmas[s];
        float width = (float)sigma;
        for (size_t m = 0; m < COUNT(mus); m++) {
            float mu = (float)mus[m];
            double at = (double)mu;
            double got[] = {(double)pri_gate_mean(mu, width),
                            (double)pri_gate_mean_slope(mu, width),
                            (double)pri_gate_chance(mu, width),
                            (double)pri_gate_chance_slope(mu, width)};
            double wanted[] = {
                mean(at, sigma),
                (mean(at + h, sigma) - mean(at - h, sigma)) / (2 * h),
                chance(at, sigma, 0.0),
                (chance(at + h, sigma, 0.0) - chance(at - h, sigma, 0.0)) /
                    (2 * h)};
            for (size_t i = 0; i < 4; i++)
                off[i] = fmax(off[i], fabs(got[i] - wanted[i]));
        }
        /* The parts of E z are as large as mu, sigma: so are their errors. */
        double margin = 1e-6 + 4e-6 * sigma;
        ok(off[0] < margin + 1e-5, "E z is its integral at sigma %g", sigma);
        ok(off[1] < 1e-6, "dE z/dmu is E z's difference at sigma %g", sigma);
        ok(off[2] < 1e-6, "P(z > 0) is its integral at sigma %g", sigma);
        ok(off[3] < 2e-6 / sigma, "dP/dmu is P's difference at sigma %g",
           sigma);
        if (off[0] >= margin + 1e-5)
            printf("# off by %g\n", off[0]);
    }
}

/* How far a gate goes is the data's choice: it stays what it is there. */
static void
check_far(void)
{
    static const struct {
        float mu;
        double mean;
    } cases[] = {{-50.0f, 0.0}, {-1e4f, 0.0},  {-1e7f, 0.0},
                 {-1e8f, 0.0},  {-1e20f, 0.0}, {-1e38f, 0.0},
                 {50.0f, 1.0},  {1e8f, 1.0},   {1e20f, 1.0}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        float mu = cases[i].mu;
        double got = (double)pri_gate_mean(mu, 0.5f);
        if (!ok(fabs(got - cases[i].mean) < 1e-6 &&
                    pri_gate_mean_slope(mu, 0.5f) < 1e-30f &&
                    pri_gate_chance_slope(mu, 0.5f) < 1e-30f,
                "a gate at %g lets %g through and stays", (double)mu,
                cases[i].mean))
            printf("# E z is %g\n", got);
    }
}

static const struct visit {
    prae_gates kind;
    double sigma, e, lambda, unit;
} visits[] = {
    {L1, 0.5, 2.0, 1.0, 1.0},  {L1, 0.5, 0.3, 1.0, 1.0},
    {L1, 0.1, 3.0, 2.0, 2.0},  {L1, 1.0, 1.0, 0.0, 0.25},
    {L1, 0.5, 0.0, 5.0, 5.0},  {L0, 0.5, 2.0, 1.0, 1.0},
    {L0, 0.5, 0.3, 1.0, 1.0},  {L0, 0.2, 3.0, 2.0, 2.0},
    {L0, 1.0, 1.0, 0.0, 0.25}, {L0, 2.0, 0.0, 5.0, 5.0},
};

#define GATES 6

static void
check_steps(const struct visit *v)
{
    static const float starts[GATES] = {-0.7f, -0.1f, 0.2f, 0.5f, 0.8f, 1.3f};
    struct gate_rule rule = {v->kind, EXACT, (float)v->sigma};
    struct gate_level level = {(float)v->lambda, (float)v->unit};
    float mu[GATES + 1], z[GATES + 1] = {0}, e[GATES + 1];
    double step_off = 0.0, z_off = 0.0;
    const double h = 1e-5;

    memcpy(mu, starts, sizeof starts);
    mu[GATES] = 7.0f;
    for (size_t i = 0; i <= GATES; i++)
        e[i] = (float)v->e;
    pri_gate_visit(&rule, level, GATES, e, mu, z, NULL);
    for (size_t i = 0; i < GATES; i++) {
        double at = (double)starts[i];
        double slope = (loss(v->kind, at + h, v->sigma, v->e, v->lambda) -
                        loss(v->kind, at - h, v->sigma, v->e, v->lambda)) /
                       (2.0 * h);
        double step = (double)starts[i] - (double)mu[i];
        /* An l0 gate opens by no more than its range at once. */
        if (v->kind == L0)
            slope = fmax(slope, -v->unit);
        step_off = fmax(step_off, fabs(step - slope / v->unit));
        z_off = fmax(z_off, fabs((double)z[i] - mean(at, v->sigma)));
    }
    if (!ok(step_off < 2e-5 && mu[GATES] == 7.0f,
            "%s gates step down their loss (sigma %g, e %g, lambda %g, "
            "unit %g)",
            kinds[v->kind], v->sigma, v->e, v->lambda, v->unit))
        printf("# off by %g\n", step_off);
    ok(z_off < 1e-5, "%s records weigh E z of before the step", kinds[v->kind]);
}

/* The mean of many sampled visits is the exact one, within its standard
 * error. */
static void
check_sampled(const struct visit *v, float start)
{
    enum { DRAWS = 20000 };
    static float mu[DRAWS], z[DRAWS], e[DRAWS];
    struct gate_rule rule = {v->kind, SAMPLED, (float)v->sigma};
    struct gate_level level = {(float)v->lambda, (float)v->unit};
    double sum[2] = {0}, squares[2] = {0}, exact[2];
    int inside = 1;
    struct rng noise;

    pri_rng_init(&noise, 6, PRI_STREAM_NOISE);
    for (size_t i = 0; i < DRAWS; i++) {
        mu[i] = start;
        e[i] = (float)v->e;
    }
    pri_gate_visit(&rule, level, DRAWS, e, mu, z, &noise);
    for (size_t i = 0; i < DRAWS; i++) {
        double drawn[] = {(double)start - (double)mu[i], (double)z[i]};
        inside = inside && z[i] >= 0.0f && z[i] <= 1.0f;
        for (size_t k = 0; k < 2; k++) {
            sum[k] += drawn[k] / DRAWS;
            squares[k] += drawn[k] * drawn[k] / DRAWS;
        }
    }
    float once_mu = start, once_z = 0.0f;
    rule.estimator = EXACT;
    pri_gate_visit(&rule, level, 1, e, &once_mu, &once_z, NULL);
    exact[0] = (double)start - (double)once_mu;
    exact[1] = (double)once_z;
    for (size_t k = 0; k < 2; k++) {
        double error = sqrt(fmax(0.0, squares[k] - sum[k] * sum[k]) / DRAWS);
        char name[96];
        snprintf(name, sizeof name,
                 "sampled %s %s is the exact one on average (e %g, mu %g)",
                 kinds[v->kind], k == 0 ? "step" : "weight", v->e,
                 (double)start);
        is_close(sum[k], exact[k], 4.5 * error + 1e-6, name);
    }
    ok(inside, "sampled weights are in [0, 1]");
}

static void
check_hard_and_none(void)
{
    static const struct {
        prae_gates kind;
        float mu, e, wanted_mu, wanted_z;
    } cases[] = {
        {HARD, 0.5f, 1.25f, 0.25f, 0.5f}, {HARD, 0.5f, 9.0f, 0.0f, 0.5f},
        {HARD, 0.0f, 1.5f, 0.0f, 0.0f},   {HARD, 0.0f, 0.5f, 0.5f, 0.0f},
        {HARD, 1.0f, 0.5f, 1.0f, 1.0f},   {HARD, 1.0f, 1.5f, 0.5f, 1.0f},
        {HARD, 0.5f, 1e30f, 0.0f, 0.5f},  {PRAE_GATES_NONE, 0.3f, 9, 0.3f, 1},
        {PRAE_GATES_NONE, -4, 0, -4, 1},
    };
    struct gate_level level = {1.0f, 1.0f};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct gate_rule rule = {cases[i].kind, SAMPLED, 0.5f};
        float mu = cases[i].mu, z = -1.0f;
        /* No noise is given: neither kind may draw any. */
        pri_gate_visit(&rule, level, 1, &cases[i].e, &mu, &z, NULL);
        ok(mu == cases[i].wanted_mu && z == cases[i].wanted_z,
           "%s gate at %g with error %g weighs %g and goes to %g",
           kinds[cases[i].kind], (double)cases[i].mu, (double)cases[i].e,
           (double)cases[i].wanted_z, (double)cases[i].wanted_mu);
    }
}

int
main(void)
{
    for (size_t path = 0; next_path(&path);) {
        check_closed_forms();
        check_far();
        for (size_t i = 0; i < COUNT(visits); i++)
            check_steps(&visits[i]);
        for (size_t i = 0; i < COUNT(visits); i += 2) {
            check_sampled(&visits[i], 0.5f);
            check_sampled(&visits[i], -0.3f);
        }
        check_hard_and_none();
    }
    return tap_done();
}
