/* Trusted records are a sample of the stream that fades. */
#include <string.h>

#include "reservoir.h"
#include "tap.h"

#define D 2
#define COUNT(array) (sizeof(array) / sizeof *(array))

static void
offer(struct reservoir *reservoir, double value)
{
    const double x[D] = {value, -value};

    pri_reservoir_offer(reservoir, x);
}

static void
test_sizes(void)
{
    static const struct {
        size_t memory, cap;
    } cases[] = {{10, 4}, {5120, 2048}, {12, 4}, {1, 1}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct reservoir r;
        NEED(pri_reservoir_init(&r, D, cases[i].memory, 1) == PRAE_OK);
        ok(r.cap == cases[i].cap && r.count == 0,
           "a memory of %zu keeps %zu records", cases[i].memory, cases[i].cap);
        pri_reservoir_fini(&r);
    }
    struct reservoir r;
    ok(pri_reservoir_init(&r, D, SIZE_MAX / 2, 1) == PRAE_ENOMEM,
       "a size that cannot be is out of memory");
}

static void
test_room(void)
{
    struct reservoir r;
    int in_order = 1;

    NEED(pri_reservoir_init(&r, D, 500, 1) == PRAE_OK);
    for (size_t i = 0; i < r.cap; i++)
        offer(&r, (double)i);
    for (size_t i = 0; i < r.cap; i++)
        in_order &= r.x[i * D] == (double)i && r.x[i * D + 1] == -(double)i;
    ok(r.count == r.cap && in_order, "while there is room, all come in");
    ok(r.low[0] == 0.0 && r.high[0] == (double)(r.cap - 1) &&
           r.low[1] == -(double)(r.cap - 1),
       "the range is known");
    pri_reservoir_fini(&r);
}

/* Of a long stream the last `memory` records are most of what is kept. */
static void
test_fading(void)
{
    struct reservoir r;
    const size_t memory = 1000, all = 20000;
    double age = 0.0;
    size_t recent = 0, far = 0;

    NEED(pri_reservoir_init(&r, D, memory, 7) == PRAE_OK);
    for (size_t i = 0; i < all; i++)
        offer(&r, (double)i);
    for (size_t i = 0; i < r.count; i++) {
        double old = (double)all - r.x[i * D];
        age += old / (double)r.count;
        recent += old <= (double)memory;
        far += old > 6.0 * (double)memory;
    }
    ok(r.count == r.cap, "it stays full");
    is_close(age, (double)memory, 0.15 * (double)memory,
             "the mean age is the memory");
    ok(recent > r.count / 2 && recent < 3 * r.count / 4,
       "most are younger (%zu of %zu)", recent, r.count);
    ok(far < r.count / 50, "few are much older (%zu)", far);
    ok(r.low[0] == 0.0, "the range remembers all that was ever in");
    pri_reservoir_fini(&r);
}

/* Room is made as it fills, and changes nothing. */
static void
test_growth(void)
{
    const size_t memory = 50000;
    struct reservoir r, whole;

    NEED(pri_reservoir_init(&r, D, 100000000, 7) == PRAE_OK);
    ok(r.cap == 40000000 && r.room < 10000,
       "a memory of millions costs little before it is needed");
    pri_reservoir_fini(&r);
    NEED(pri_reservoir_init(&r, D, memory, 7) == PRAE_OK);
    NEED(pri_reservoir_init(&whole, D, memory, 7) == PRAE_OK);
    NEED(pri_reservoir_reserve(&whole, SIZE_MAX) == PRAE_OK);
    for (size_t i = 0; i < 2 * memory; i++) {
        NEED(pri_reservoir_reserve(&r, r.count + 1) == PRAE_OK);
        offer(&r, (double)i);
        offer(&whole, (double)i);
    }
    ok(r.room == r.cap && whole.room == r.cap && r.count == whole.count &&
           memcmp(r.x, whole.x, r.count * D * sizeof *r.x) == 0,
       "... and in the end it is as if it had been there");
    pri_reservoir_fini(&r);
    pri_reservoir_fini(&whole);
}

static size_t
count_below(const struct reservoir *r, double value)
{
    size_t count = 0;

    for (size_t i = 0; i < r->count; i++)
        count += r->x[i * D] < value;
    return count;
}

/* After a parting what was before stays for `memory` records, no longer. */
static void
test_parting(void)
{
    const size_t memory = 1000;
    struct reservoir r;

    NEED(pri_reservoir_init(&r, D, memory, 7) == PRAE_OK);
    for (size_t i = 0; i < 5000; i++)
        offer(&r, (double)i);
    pri_reservoir_part(&r);
    ok(!pri_reservoir_forget(&r) && r.count == r.cap,
       "a parting forgets nothing yet");
    for (size_t i = 0; i < memory - 1; i++)
        offer(&r, 1e6 + (double)(i % 10));
    ok(!pri_reservoir_forget(&r) && count_below(&r, 1e6) > r.cap / 4,
       "... nor for as many records as it remembers");
    offer(&r, 1e6);
    ok(pri_reservoir_forget(&r) && count_below(&r, 1e6) == 0 &&
           r.count > r.cap / 2,
       "... but then it does");
    ok(r.low[0] == 1e6 && r.high[0] == 1e6 + 9.0 && r.high[1] == -1e6,
       "... with the range");
    ok(!pri_reservoir_forget(&r), "... once");
    for (size_t i = 0; i < memory; i++)
        offer(&r, 1e6);
    ok(r.count == r.cap, "there is room for others in its place");
    pri_reservoir_part(&r);
    r.offered = memory;
    ok(!pri_reservoir_forget(&r) && r.count == r.cap,
       "where nothing new was let in, the past is better than nothing");
    pri_reservoir_fini(&r);
}

static void
test_fill(void)
{
    enum { N = 1000 };
    static double x[N * D];
    static unsigned char good[N];
    struct reservoir r;
    double mean = 0.0;
    int odd = 0;

    for (size_t i = 0; i < N; i++) {
        x[i * D] = (double)i;
        x[i * D + 1] = i == 500 ? (double)NAN : 1.0;
        good[i] = i % 2 == 1;
    }
    NEED(pri_reservoir_init(&r, D, 500, 3) == PRAE_OK);
    pri_reservoir_fill(&r, x, N, NULL);
    for (size_t i = 0; i < r.count; i++)
        mean += r.x[i * D] / (double)r.count;
    ok(r.count == r.cap, "more than fit are sampled");
    is_close(mean, 499.5, 75.0, "... evenly");
    ok(r.low[1] == 1.0 && r.high[1] == 1.0, "what is missing has no range");
    pri_reservoir_fill(&r, x, N, good);
    for (size_t i = 0; i < r.count; i++)
        odd += (size_t)r.x[i * D] % 2 == 1;
    ok(r.count == r.cap && odd == (int)r.count, "bad ones never come in");
    memset(good, 0, sizeof good);
    good[7] = 1;
    pri_reservoir_fill(&r, x, N, good);
    ok(r.count == 1 && r.x[0] == 7.0, "... even if one is left");
    pri_reservoir_fini(&r);
}

static void
test_seed(void)
{
    struct reservoir a, b, c;

    NEED(pri_reservoir_init(&a, D, 50, 3) == PRAE_OK);
    NEED(pri_reservoir_init(&b, D, 50, 3) == PRAE_OK);
    NEED(pri_reservoir_init(&c, D, 50, 4) == PRAE_OK);
    for (size_t i = 0; i < 500; i++) {
        offer(&a, (double)i);
        offer(&b, (double)i);
        offer(&c, (double)i);
    }
    size_t bytes = a.cap * D * sizeof(double);
    ok(memcmp(a.x, b.x, bytes) == 0 && memcmp(a.x, c.x, bytes) != 0,
       "the seed decides what stays");
    pri_reservoir_fini(&a);
    pri_reservoir_fini(&b);
    pri_reservoir_fini(&c);
}

int
main(void)
{
    test_sizes();
    test_room();
    test_fading();
    test_growth();
    test_parting();
    test_fill();
    test_seed();
    return tap_done();
}
