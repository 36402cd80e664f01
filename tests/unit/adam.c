/*
 * adam.c - the update against the published formula written out in double,
 * and on a valley whose bottom is known.
 */
#include <string.h>

#include "adam.h"
#include "mem.h"
#include "paths.h"
#include "rng.h"
#include "tap.h"

#define COUNT 37

static void
check_first_step(void)
{
    static const struct {
        float grad;
        double rate, wanted;
    } cases[] = {{1.0f, 1e-3, -1e-3},  {-1.0f, 1e-3, 1e-3},
                 {1e4f, 1e-2, -1e-2},  {-1e-3f, 0.1, 0.1},
                 {1e15f, 1e-3, -1e-3}, {0.0f, 1e-3, 0.0},
                 {3.0f, 0.0, 0.0},     {1e-8f, 1e-3, -0.5e-3}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct adam adam;
        float param = 0.0f;
        char name[80];
        NEED(pri_adam_init(&adam, 1) == PRAE_OK);
        pri_adam_step(&adam, &param, &cases[i].grad, cases[i].rate);
        snprintf(name, sizeof name, "first step at rate %g, gradient %g: %g",
                 cases[i].rate, (double)cases[i].grad, cases[i].wanted);
        is_close((double)param, cases[i].wanted, 2e-5 * fabs(cases[i].wanted),
                 name);
        pri_adam_fini(&adam);
    }
}

/* Kingma and Ba's algorithm 1, line by line. */
static void
plain_step(double *param, double *m, double *v, const float *grad, int t,
           double rate)
{
    for (size_t i = 0; i < COUNT; i++) {
        double g = (double)grad[i];
        m[i] = 0.9 * m[i] + 0.1 * g;
        v[i] = 0.999 * v[i] + 0.001 * g * g;
        double mean = m[i] / (1.0 - pow(0.9, t));
        double square = v[i] / (1.0 - pow(0.999, t));
        param[i] -= rate * mean / (sqrt(square) + 1e-8);
    }
}

static void
check_formula(void)
{
    double plain[COUNT] = {0}, m[COUNT] = {0}, v[COUNT] = {0}, worst = 0.0;
    float param[COUNT + 1] = {0}, grad[COUNT];
    struct adam adam;
    struct rng rng;

    NEED(pri_adam_init(&adam, COUNT) == PRAE_OK);
    pri_rng_init(&rng, 2, 1);
    param[COUNT] = 7.0f;
    for (int t = 1; t <= 50; t++) {
        double rate = t <= 25 ? 1e-2 : 3e-3;
        /* Each parameter's gradients have another size and drift. */
        for (size_t i = 0; i < COUNT; i++)
            grad[i] = powf(10.0f, (float)(i % 7) - 4.0f) *
                      (pri_rng_normal(&rng) + 0.1f * (float)(i % 5));
        pri_adam_step(&adam, param, grad, rate);
        plain_step(plain, m, v, grad, t, rate);
        for (size_t i = 0; i < COUNT; i++)
            worst = fmax(worst, fabs((double)param[i] - plain[i]));
    }
    if (!ok(worst < 1e-5, "50 steps follow the published formula"))
        printf("# off by %g\n", worst);
    ok(adam.steps == 50, "steps are counted");
    ok(param[COUNT] == 7.0f, "a step stays within its parameters");
    pri_adam_fini(&adam);
    ok(adam.mean == NULL && adam.square == NULL && adam.count == 0,
       "nothing is left after fini");
}

/* f = sum k_i (p_i - i)^2, curvatures k_i from 0.01 to 100. */
static void
check_valley(void)
{
    float param[5] = {0}, grad[5];
    struct adam adam;
    double far = 0.0;

    NEED(pri_adam_init(&adam, 5) == PRAE_OK);
    for (int t = 0; t < 4000; t++) {
        float k = 0.01f;
        for (int i = 0; i < 5; i++, k *= 10.0f)
            grad[i] = 2.0f * k * (param[i] - (float)i);
        pri_adam_step(&adam, param, grad, t < 3000 ? 1e-2 : 1e-3);
    }
    for (int i = 0; i < 5; i++)
        far = fmax(far, fabs((double)param[i] - i));
    if (!ok(far < 1e-2, "a quadratic's bottom is found"))
        printf("# %g away\n", far);
    pri_adam_fini(&adam);
}

int
main(void)
{
    for (size_t path = 0; next_path(&path);) {
        check_first_step();
        check_formula();
        check_valley();
    }
    return tap_done();
}
