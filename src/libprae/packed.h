/*
 * packed.h - numbers as MessagePack has them, from their bytes.
 *
 * For the cursor, which reads anything, and the plan, which reads what it
 * expects: both must come to the same number. Whoever calls has checked that
 * the bytes are there.
 */
#ifndef PRI_PACKED_H
#define PRI_PACKED_H

#include <stdint.h>
#include <string.h>

#define PRI_PACKED_EXACT (INT64_C(1) << 53) /* all integers to here */

/* BYTES (1, 2, 4 or 8) at AT, big-endian. Written out, because compilers
 * make one load of it. */
static inline uint64_t
pri_packed_bits(const unsigned char *at, unsigned bytes)
{
    switch (bytes) {
    case 8:
        return (uint64_t)at[0] << 56 | (uint64_t)at[1] << 48 |
               (uint64_t)at[2] << 40 | (uint64_t)at[3] << 32 |
               (uint64_t)at[4] << 24 | (uint64_t)at[5] << 16 |
               (uint64_t)at[6] << 8 | at[7];
    case 4:
        return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
               (uint32_t)at[2] << 8 | at[3];
    case 2: return (uint32_t)at[0] << 8 | at[1];
    default: return at[0];
    }
}

static inline double
pri_packed_real32(const unsigned char *at)
{
    uint32_t bits = (uint32_t)pri_packed_bits(at, 4);
    float value;

    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static inline double
pri_packed_real64(const unsigned char *at)
{
    uint64_t bits = pri_packed_bits(at, 8);
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* An unsigned integer; *WIDE says that a double cannot hold it. */
static inline double
pri_packed_unsigned(const unsigned char *at, unsigned bytes, int *wide)
{
    uint64_t value = pri_packed_bits(at, bytes);

    *wide = value > (uint64_t)PRI_PACKED_EXACT;
    return (double)value;
}

static inline double
pri_packed_signed(const unsigned char *at, unsigned bytes, int *wide)
{
    /* To the top and back, which copies the sign. */
    const unsigned spare = 64 - 8 * bytes;
    int64_t value = (int64_t)(pri_packed_bits(at, bytes) << spare) >> spare;

    *wide = value > PRI_PACKED_EXACT || value < -PRI_PACKED_EXACT;
    return (double)value;
}

#endif
