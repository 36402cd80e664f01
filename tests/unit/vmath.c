/*
 * vmath.c - the functions that are vectorised stay within the errors their
 * comments claim, as libm sees it, also at the ends of what a float holds.
 */
#include <float.h>

#include "kernel.h"
#include "tap.h"
#include "vmath.h"

#define STRIDE 16 /* of a batch of one: a whole vector */

/* The inner loops' own; those of other processors are compared in kernel.c. */
static float
activated(float x)
{
    float batch[STRIDE] = {x};

    pri_kernel()->activate(PRAE_ACTIVATION_TANH, 1, 1, batch, STRIDE);
    return batch[0];
}

static double
density(double x)
{
    return exp(-0.5 * x * x) / sqrt(2.0 * acos(-1.0));
}

static double
below(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

static const struct function {
    const char *name;
    float (*ours)(float x);
    double (*theirs)(double x);
    double low, high; /* where it is looked at, in steps of 1e-4 */
    int relative;     /* else the error is absolute */
    double margin;
    double at_low, at_high; /* what it ends in */
    int rises;
    float wavers;
} functions[] = {
    {"exp", pri_exp, exp, -87, 88, 1, 3e-7, 1.6458115e-38, 1.6516363e38, 1, 0},
    {"tanh", activated, tanh, -20, 20, 0, 4e-7, -1, 1, 1, 3e-7f},
    {"normal density", pri_normal_density, density, -15, 15, 0, 2e-7, 0, 0, 0,
     0},
    {"normal distribution", pri_normal_below, below, -15, 15, 0, 4e-7, 0, 1, 1,
     0},
};

#define COUNT (sizeof functions / sizeof *functions)

static void
check_errors(const struct function *f)
{
    double worst = 0.0, where = 0.0;
    long steps = lround((f->high - f->low) * 1e4);

    for (long i = 0; i <= steps; i++) {
        float x = (float)(f->low + (double)i * 1e-4);
        double wanted = f->theirs((double)x);
        double off = fabs((double)f->ours(x) - wanted);
        if (f->relative)
            off /= fabs(wanted);
        if (!(off <= worst)) {
            worst = off;
            where = (double)x;
        }
    }
    if (!ok(worst < f->margin, "%s is within %g of libm from %g to %g", f->name,
            f->margin, f->low, f->high))
        printf("# off by %g at %g\n", worst, where);
}

/* Steps far above the rounding, so that a fall is a fault of the method. Where
 * a quotient is all but 1, its last digits may waver. */
static void
check_rise(const struct function *f)
{
    long steps = lround((f->high - f->low) * 1e2);
    float before = f->ours((float)f->low);
    int rises = 1;

    for (long i = 1; i <= steps; i++) {
        float x = (float)(f->low + (double)i * 1e-2);
        float now = f->ours(x);
        rises = rises && now >= before - f->wavers;
        before = now;
    }
    ok(rises, "%s never falls", f->name);
}

static void
check_extremes(const struct function *f)
{
    static const float sizes[] = {90.0f, 1e3f, 1e10f, 1e30f, FLT_MAX, INFINITY};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double low = (double)f->ours(-sizes[i]);
        double high = (double)f->ours(sizes[i]);
        ok(fabs(low - f->at_low) <= 1e-6 * fabs(f->at_low) + 1e-37 &&
               fabs(high - f->at_high) <= 1e-6 * fabs(f->at_high) + 1e-37,
           "%s is at its ends at -+%g", f->name, (double)sizes[i]);
    }
}

static void
check_around_zero(void)
{
    static const float sizes[] = {0.0f, 1e-45f, FLT_MIN, 1e-20f, 1e-7f};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        float x = sizes[i];
        ok(fabs((double)activated(x)) < 3e-7 &&
               fabs((double)pri_exp(-x) - 1.0) < 3e-7 &&
               fabs((double)pri_normal_below(x) - 0.5) < 4e-7,
           "at %g tanh is 0, exp 1, the distribution 1/2", (double)x);
    }
}

static void
check_symmetry(void)
{
    int odd = 1, even = 1, whole = 1;

    for (float x = 0.0f; x < 12.0f; x += 0.01f) {
        odd = odd && activated(-x) == -activated(x);
        even = even && pri_normal_density(-x) == pri_normal_density(x);
        double sum = (double)pri_normal_below(x) + (double)pri_normal_below(-x);
        /* At 0 both are tails, each with the series' error. */
        whole = whole && fabs(sum - 1.0) < (x > 0.0f ? 6e-8 : 8e-7);
    }
    ok(odd, "tanh is odd to the bit");
    ok(even, "the density is even to the bit");
    ok(whole, "below x and below -x make 1");
}

static void
check_clamp(void)
{
    static const struct {
        float x, wanted;
    } cases[] = {{-2.0f, -1.0f}, {-1.0f, -1.0f},    {0.5f, 0.5f},
                 {2.0f, 2.0f},   {3.0f, 2.0f},      {INFINITY, 2.0f},
                 {-0.5f, -0.5f}, {-INFINITY, -1.0f}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ok(pri_clamp(cases[i].x, -1.0f, 2.0f) == cases[i].wanted,
           "%g clamped to -1..2 is %g", (double)cases[i].x,
           (double)cases[i].wanted);
}

int
main(void)
{
    for (size_t i = 0; i < COUNT; i++) {
        check_errors(&functions[i]);
        check_extremes(&functions[i]);
        if (functions[i].rises)
            check_rise(&functions[i]);
    }
    check_around_zero();
    check_symmetry();
    check_clamp();
    return tap_done();
}
