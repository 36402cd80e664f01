/*
 * rng.c - the generator gives its published numbers, and what is drawn from
 * it has the distribution it claims. Sample checks allow five standard
 * errors; they run from fixed seeds, so they pass or fail for good.
 */
#include <stdint.h>
#include <string.h>

#include "rng.h"
#include "tap.h"

#define DRAWS 100000

static void
check_vectors(void)
{
    /* From the authors' file of known answers. */
    static const struct {
        const char *name;
        uint32_t counter[4], key[2], wanted[4];
    } cases[] = {
        {"zeros",
         {0, 0, 0, 0},
         {0, 0},
         {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {"ones",
         {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {"digits of pi",
         {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t out[4];
        pri_philox(cases[i].counter, cases[i].key, out);
        ok(memcmp(out, cases[i].wanted, sizeof out) == 0,
           "Philox4x32-10 gives its published numbers for %s", cases[i].name);
    }
}

static void
check_streams(void)
{
    static const struct {
        uint64_t seed, stream;
        const char *name;
    } cases[] = {
        {1, 1, "seed 1, stream 1"},
        {2, 1, "another seed"},
        {1 + (UINT64_C(1) << 32), 1, "a seed's upper half"},
        {1, 2, "another stream"},
        {1, 1 + (UINT64_C(1) << 8), "a stream of the next epoch"},
        {1, 1 + (UINT64_C(1) << 32), "a stream's upper half"},
    };
    enum { COUNT = sizeof cases / sizeof *cases };
    uint32_t drawn[COUNT][8];
    struct rng rng;

    for (size_t i = 0; i < COUNT; i++) {
        int alone = 1;
        pri_rng_init(&rng, cases[i].seed, cases[i].stream);
        for (size_t k = 0; k < 8; k++)
            drawn[i][k] = pri_rng_bits(&rng);
        for (size_t j = 0; j < i; j++)
            for (size_t k = 0; k < 8; k++)
                alone = alone && drawn[i][k] != drawn[j][k];
        ok(alone, "%s has numbers of its own", cases[i].name);
    }

    uint32_t block[4];
    const uint32_t second[4] = {1, 0, 1, 0}, key[2] = {1, 0};
    pri_philox(second, key, block);
    ok(memcmp(drawn[0] + 4, block, sizeof block) == 0,
       "numbers 4 to 7 are the block of counter 1, each given once");

    pri_rng_init(&rng, 1, 1);
    rng.at = UINT64_C(1) << 32;
    const uint32_t far[4] = {0, 1, 1, 0};
    pri_philox(far, key, block);
    ok(pri_rng_bits(&rng) == block[0], "the position has 64 bits");
}

/* Pearson's statistic of COUNT equally likely bins. */
static double
chi_square(const unsigned *bins, size_t count, size_t draws)
{
    double expected = (double)draws / (double)count, sum = 0.0;

    for (size_t i = 0; i < count; i++) {
        double away = (double)bins[i] - expected;
        sum += away * away / expected;
    }
    return sum;
}

static void
check_below(void)
{
    /* 0xC0000000 of 2^32 numbers: without rejection every third result
     * would come twice as often as the others. */
    static const uint32_t limits[] = {
        1, 2, 3, 7, 10, 1000, 0x80000001, 0xC0000000, UINT32_MAX};
    struct rng rng;

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        uint32_t limit = limits[i];
        unsigned thirds[3] = {0}, parts[10] = {0};
        size_t count = limit < 10 ? limit : 10;
        int inside = 1;
        pri_rng_init(&rng, 7, i);
        for (size_t n = 0; n < DRAWS; n++) {
            uint32_t drawn = pri_rng_below(&rng, limit);
            inside = inside && drawn < limit;
            thirds[drawn % 3]++;
            parts[(uint64_t)drawn * count / limit % count]++;
        }
        ok(inside, "below(%u) stays below", (unsigned)limit);
        /* 9 degrees of freedom: 40 is passed once in 10^5. */
        ok(chi_square(parts, count, DRAWS) < 40.0,
           "below(%u) fills its range evenly", (unsigned)limit);
        if (limit % 3 == 0 && limit > 3)
            ok(chi_square(thirds, 3, DRAWS) < 25.0,
               "below(%u) has no favourites", (unsigned)limit);
    }
}

static void
check_uniform(void)
{
    double sum = 0.0, squares = 0.0;
    unsigned bins[16] = {0};
    int inside = 1, grid = 1;
    struct rng rng;

    pri_rng_init(&rng, 3, 1);
    for (size_t n = 0; n < DRAWS; n++) {
        double u = (double)pri_rng_uniform(&rng);
        inside = inside && u >= 0.0 && u < 1.0;
        grid = grid && u * 0x1p24 == floor(u * 0x1p24);
        sum += u;
        squares += u * u;
        bins[(size_t)(u * 16.0) & 15]++;
    }
    ok(inside, "uniform numbers are in [0, 1)");
    ok(grid, "uniform numbers are multiples of 2^-24");
    is_close(sum / DRAWS, 0.5, 0.005, "uniform numbers have mean 1/2");
    is_close(squares / DRAWS, 1.0 / 3.0, 0.005,
             "uniform numbers have mean square 1/3");
    ok(chi_square(bins, 16, DRAWS) < 55.0,
       "uniform numbers fill [0, 1) evenly");
}

static void
check_normal(void)
{
    static const struct {
        const char *name;
        double wanted, margin;
    } moments[] = {{"mean 0", 0.0, 0.016},
                   {"variance 1", 1.0, 0.023},
                   {"no skew", 0.0, 0.062},
                   {"fourth moment 3", 3.0, 0.16},
                   {"4.55 % beyond two deviations", 0.0455, 0.0033},
                   {"no correlation with the next", 0.0, 0.016}};
    double sums[6] = {0}, before = 0.0;
    struct rng rng;

    pri_rng_init(&rng, 5, 2);
    for (size_t n = 0; n < DRAWS; n++) {
        double x = (double)pri_rng_normal(&rng);
        sums[0] += x;
        sums[1] += x * x;
        sums[2] += x * x * x;
        sums[3] += x * x * x * x;
        sums[4] += fabs(x) > 2.0;
        sums[5] += x * before;
        before = x;
    }
    for (size_t i = 0; i < 6; i++) {
        char name[64];
        snprintf(name, sizeof name, "normal numbers have %s", moments[i].name);
        is_close(sums[i] / DRAWS, moments[i].wanted, moments[i].margin, name);
    }
}

static void
shuffled(uint64_t seed, uint32_t *order, size_t count)
{
    struct rng rng;

    pri_rng_init(&rng, seed, PRI_STREAM_SHUFFLE);
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    pri_rng_shuffle(&rng, order, count);
}

static void
check_shuffle(void)
{
    static const size_t counts[] = {0, 1, 2, 3, 10, 1000};
    uint32_t order[1001], again[1000], other[1000];

    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        unsigned seen[1000] = {0};
        int once = 1;
        order[counts[c]] = 12345;
        shuffled(9, order, counts[c]);
        for (size_t i = 0; i < counts[c]; i++)
            if (order[i] < counts[c])
                seen[order[i]]++;
        for (size_t i = 0; i < counts[c]; i++)
            once = once && seen[i] == 1;
        ok(once && order[counts[c]] == 12345,
           "%zu shuffled items are each there once", counts[c]);
    }
    shuffled(9, again, 1000);
    shuffled(10, other, 1000);
    ok(memcmp(order, again, sizeof again) == 0, "a seed shuffles one way");
    ok(memcmp(order, other, sizeof other) != 0, "another seed another way");

    unsigned ways[27] = {0}, bins[6];
    for (uint64_t seed = 0; seed < 6000; seed++) {
        shuffled(seed, order, 3);
        ways[order[0] * 9 + order[1] * 3 + order[2]]++;
    }
    const size_t orders[] = {5, 7, 11, 15, 19, 21}; /* 012 021 102 ... */
    for (size_t i = 0; i < 6; i++)
        bins[i] = ways[orders[i]];
    ok(chi_square(bins, 6, 6000) < 32.0, "every order of three is as likely");
}

int
main(void)
{
    check_vectors();
    check_streams();
    check_below();
    check_uniform();
    check_normal();
    check_shuffle();
    return tap_done();
}
