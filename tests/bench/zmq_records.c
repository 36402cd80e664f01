/*
 * zmq_records.c - records for the socket bench, as MessagePack.
 *
 * Written byte by byte: a bench of what is between two sockets needs no
 * library to write arrays of numbers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench_rng.h"
#include "zmq_peers.h"

#define FIELDS 16
#define FACTORS 3
#define NOISE 0.1 /* the factors' loadings are of deviation 1 */

#define ARRAY16 0xdc
#define FLOAT64 0xcb
#define UINT64 0xcf

#define STREAM_PLANE 5
#define STREAM_RECORDS 6

static void
put_big_endian(unsigned char *to, uint64_t bits)
{
    for (int i = 0; i < 8; i++)
        to[i] = (unsigned char)(bits >> (56 - 8 * i));
}

static unsigned char *
put_double(unsigned char *to, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    *to = FLOAT64;
    put_big_endian(to + 1, bits);
    return to + 9;
}

static unsigned char *
put_record(unsigned char *to, double loading[FIELDS][FACTORS],
           struct bench_rng *rng)
{
    double factor[FACTORS];

    for (size_t k = 0; k < FACTORS; k++)
        factor[k] = bench_rng_normal(rng);
    for (size_t j = 0; j < FIELDS; j++) {
        double value = NOISE * bench_rng_normal(rng);
        for (size_t k = 0; k < FACTORS; k++)
            value += loading[j][k] * factor[k];
        to = put_double(to, value);
    }
    return to;
}

unsigned char *
records_new(size_t count, size_t record_bytes, uint64_t seed)
{
    int timed = record_bytes == TIMED_BYTES;
    unsigned char *records = calloc(count, record_bytes);
    double loading[FIELDS][FACTORS];
    struct bench_rng rng;

    errno = ENOMEM;
    if (records == NULL)
        fail("records");
    bench_rng_init(&rng, 1, STREAM_PLANE);
    for (size_t j = 0; j < FIELDS; j++)
        for (size_t k = 0; k < FACTORS; k++)
            loading[j][k] = bench_rng_normal(&rng);
    bench_rng_init(&rng, seed, STREAM_RECORDS);
    for (size_t i = 0; i < count; i++) {
        unsigned char *to = records + i * record_bytes;
        *to++ = ARRAY16;
        *to++ = 0;
        *to++ = (unsigned char)(FIELDS + timed);
        to = put_record(to, loading, &rng);
        if (timed)
            *to = UINT64;
    }
    return records;
}

void
record_set_time(unsigned char *end, uint64_t time)
{
    put_big_endian(end - 8, time);
}

uint64_t
record_time(const unsigned char *end)
{
    uint64_t time = 0;

    for (int i = -8; i < 0; i++)
        time = time << 8 | end[i];
    return time;
}
