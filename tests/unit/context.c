/* Neighbours in time: how alike they are, changes and spreads. */
#include <string.h>

#include "context.h"
#include "rng.h"
#include "tap.h"

#define N 400
#define COUNT(array) (sizeof(array) / sizeof *(array))

static double x[3 * N], out[9 * N];

static double
likeness(size_t D0)
{
    prae_status status = PRAE_EINVAL;
    struct context context;

    NEED(pri_context_init(&context, D0) == PRAE_OK);
    double value = pri_context_likeness(&context, x, N, &status);
    NEED(status == PRAE_OK);
    pri_context_fini(&context);
    return value;
}

static void
test_likeness(void)
{
    struct rng rng;

    pri_rng_init(&rng, 1, 1);
    for (size_t i = 0; i < N; i++)
        x[i] = (double)pri_rng_normal(&rng);
    is_close(likeness(1), 0.0, 0.15, "noise has no neighbours");
    for (size_t i = 0; i < N; i++)
        x[i] = sin((double)i / 20.0);
    ok(likeness(1) > 0.95, "a slow wave has");
    for (size_t i = 0; i < N; i++)
        x[i] = i % 2 ? 1.0 : -1.0;
    ok(likeness(1) < -0.9, "alternating values are the opposite");
    for (size_t i = 0; i < N; i++)
        x[i] = 3.0;
    ok(likeness(1) == 0.0, "of a constant nothing can be told");
    for (size_t i = 0; i < N; i++)
        x[i] = (double)NAN;
    ok(likeness(1) == 0.0, "nor of what is missing");
    for (size_t i = 0; i < N; i++)
        x[i] = i % 5 == 0 ? (double)NAN : 1e300 * sin((double)i / 20.0);
    ok(likeness(1) > 0.9, "gaps and magnitudes do not matter");
    for (size_t i = 0; i < N; i++) {
        x[3 * i] = sin((double)i / 20.0);
        x[3 * i + 1] = cos((double)i / 20.0);
        x[3 * i + 2] = (double)pri_rng_normal(&rng);
    }
    ok(likeness(3) > 0.95, "the median of the features counts");
}

static void
test_off(void)
{
    struct context context;

    NEED(pri_context_init(&context, 2) == PRAE_OK);
    for (size_t i = 0; i < 6; i++)
        x[i] = (double)i;
    x[3] = (double)NAN;
    ok(pri_context_D(&context) == 2 &&
           pri_context_extend(&context, x, 3, out) == x,
       "off: vectors are as they come");
    context.on = 1;
    ok(pri_context_D(&context) == 6, "on: three times as wide");
    pri_context_fini(&context);
}

static void
test_changes(void)
{
    static const double values[] = {5.0, 7.0, (double)NAN, 4.0, 4.0};
    static const double changes[] = {0.0, 2.0, (double)NAN, -3.0, 0.0};
    struct context context;
    int right = 1, gap = 1;

    NEED(pri_context_init(&context, 1) == PRAE_OK);
    context.on = 1;
    (void)pri_context_extend(&context, values, COUNT(values), out);
    for (size_t i = 0; i < COUNT(values); i++) {
        if (i == 2)
            gap &= isnan(out[6]) && isnan(out[7]) && isnan(out[8]);
        else
            right &= out[3 * i] == values[i] && out[3 * i + 1] == changes[i];
    }
    ok(right, "changes are against the last value that was there");
    ok(gap, "what is missing has neither change nor spread");
    pri_context_fini(&context);
}

/* The same in one call or in many: windows do not show. */
static void
test_windows(void)
{
    static double pieces[9 * N];
    struct context one, many;
    struct rng rng;

    pri_rng_init(&rng, 2, 1);
    for (size_t i = 0; i < 3 * N; i++)
        x[i] = pri_rng_below(&rng, 10) == 0 ? (double)NAN
                                            : (double)pri_rng_normal(&rng);
    NEED(pri_context_init(&one, 3) == PRAE_OK);
    NEED(pri_context_init(&many, 3) == PRAE_OK);
    one.on = many.on = 1;
    (void)pri_context_extend(&one, x, N, out);
    for (size_t i = 0, some = 0; i < N; i += some) {
        some = i % 7 + 1 < N - i ? i % 7 + 1 : N - i;
        (void)pri_context_extend(&many, x + 3 * i, some, pieces + 9 * i);
    }
    int same = 1;
    for (size_t i = 0; i < 9 * N; i++)
        same &= out[i] == pieces[i] || (isnan(out[i]) && isnan(pieces[i]));
    ok(same, "changes and spreads go on from window to window");
    pri_context_fini(&one);
    pri_context_fini(&many);
}

/* What is no measurement has no neighbours. */
static void
test_untimed(void)
{
    prae_status status;
    struct context context;

    NEED(pri_context_init(&context, 2) == PRAE_OK);
    context.on = 1;
    context.untimed[1] = 1;
    for (size_t i = 0; i < N; i++) {
        x[2 * i] = i % 2 ? 1.0 : -1.0;
        x[2 * i + 1] = sin((double)i / 20.0);
    }
    ok(pri_context_likeness(&context, x, N, &status) < -0.9,
       "a feature that is no measurement has no say");
    (void)pri_context_extend(&context, x, N, out);
    int none = 1;
    for (size_t i = 0; i < N; i++)
        none &= out[6 * i + 3] == 0.0 && out[6 * i + 5] == 0.0 &&
                out[6 * i + 1] == x[2 * i + 1];
    ok(none, "... and neither change nor spread");
    pri_context_fini(&context);
}

static void
test_spread(void)
{
    struct context context;
    struct rng rng;

    pri_rng_init(&rng, 3, 1);
    NEED(pri_context_init(&context, 1) == PRAE_OK);
    context.on = 1;
    for (size_t i = 0; i < N; i++)
        x[i] = 100.0 + 2.0 * (double)pri_rng_normal(&rng);
    (void)pri_context_extend(&context, x, N, out);
    is_close(out[3 * N - 1], 2.0, 0.6, "the spread is a standard deviation");
    double before = out[3 * N - 1];
    x[0] = 1e6;
    x[1] = 100.0;
    (void)pri_context_extend(&context, x, 2, out);
    ok(out[1] > 9e5, "an upset is a large change");
    is_close(out[4], 0.0, 5.0, "... and the value behind it is not");
    ok(out[5] < 2.0 * before, "... nor is the spread ruined");
    pri_context_fini(&context);

    NEED(pri_context_init(&context, 1) == PRAE_OK);
    context.on = 1;
    for (size_t i = 0; i < N; i++)
        x[i] = 7.0;
    (void)pri_context_extend(&context, x, N, out);
    ok(out[3 * N - 1] == 0.0 && out[3 * N - 2] == 0.0,
       "a constant has no change and no spread");
    x[0] = 8.0;
    (void)pri_context_extend(&context, x, 1, out);
    ok(out[1] == 1.0 && out[2] > 0.0, "... until it moves");
    pri_context_fini(&context);
}

/* Numbers that fit a double have changes and spreads that do. */
static void
test_huge(void)
{
    static const double sizes[] = {1e100, 1e155, 1e200, 1e300, 1.7e308};

    for (size_t s = 0; s < COUNT(sizes); s++) {
        struct context context;
        int finite = 1;
        NEED(pri_context_init(&context, 1) == PRAE_OK);
        context.on = 1;
        for (size_t i = 0; i < N; i++)
            x[i] = i % 2 ? sizes[s] : -sizes[s];
        (void)pri_context_extend(&context, x, N, out);
        for (size_t i = 0; i < 3 * N; i++)
            finite &= !isinf(out[i]);
        ok(finite && !isnan(out[3 * N - 1]) && isfinite(context.square[0]) &&
               isfinite(context.mean[0]),
           "%g: changes and spreads stay finite", sizes[s]);
        pri_context_fini(&context);
    }
}

/* After a burst: what was before it, at the place where time has got to. */
static void
test_restored(void)
{
    struct context context, still;

    NEED(pri_context_init(&context, 1) == PRAE_OK);
    NEED(pri_context_init(&still, 1) == PRAE_OK);
    context.on = still.on = 1;
    for (size_t i = 0; i < N; i++)
        x[i] = 0.1 * sin((double)i);
    (void)pri_context_extend(&context, x, N, out);
    (void)pri_context_extend(&still, x, N, out);
    double spread = sqrt(context.square[0]);
    pri_context_keep(&context);
    for (size_t i = 0; i < N; i++)
        x[i] = i % 2 ? 50.0 : -50.0;
    (void)pri_context_extend(&context, x, N, out);
    NEED(sqrt(context.square[0]) > 10.0 * spread);
    pri_context_restore(&context);
    x[0] = 0.05;
    (void)pri_context_extend(&context, x, 1, out);
    (void)pri_context_extend(&still, x, 1, out + 3);
    ok(memcmp(out, out + 3, 3 * sizeof *out) == 0 &&
           context.mean[0] == still.mean[0],
       "near by, nothing tells that time has passed");
    pri_context_restore(&context);
    for (size_t i = 0; i < N; i++)
        x[i] = 7.0 + 0.1 * sin((double)i);
    (void)pri_context_extend(&context, x, N, out);
    double most = 0.0;
    for (size_t i = 0; i < N; i++)
        most = fmax(most, out[3 * i + 2]);
    ok(out[1] == 0.0 && most < 2.0 * spread,
       "far away, the spread of before starts there (%g, %g)", spread, most);
    pri_context_fini(&context);
    pri_context_fini(&still);
}

int
main(void)
{
    test_likeness();
    test_off();
    test_changes();
    test_windows();
    test_untimed();
    test_spread();
    test_huge();
    test_restored();
    return tap_done();
}
