/*
 * fuzz_intake.c - any bytes as what a peer sends.
 *
 * The first byte says what our end is for, and whether it connected and to
 * whom, the second in which pieces the rest comes, which must not matter, and
 * whether who has keys is let in. What is counted is held against a reader of
 * whole frames, which has all bytes at once.
 *
 * About: src/prae-filter/intake.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "intake.h"

#define MUST(expression)                                                     \
    do {                                                                     \
        if (!(expression)) {                                                 \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, \
                    #expression);                                            \
            abort();                                                         \
        }                                                                    \
    } while (0)

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* Small, so that few bytes get there. */
static struct intake_limits
limits_of(enum intake_role role)
{
    struct intake_limits limits = intake_limits_of(role, 4, 1);

    limits.frames = limits.frames < 8 ? limits.frames : 8;
    limits.bytes = limits.bytes < 300 ? limits.bytes : 300;
    limits.all = limits.all < 600 ? limits.all : 600;
    return limits;
}

/* Follows SIZE bytes in pieces of up to PIECE, each in memory of its own
 * length. Returns how many are fine. */
static size_t
follow(struct intake *intake, const struct intake_limits *limits,
       const unsigned char *data, size_t size, size_t piece)
{
    size_t at = 0;

    while (at < size) {
        size_t len = piece < size - at ? piece : size - at;
        unsigned char *copy = malloc(len);
        MUST(copy != NULL);
        memcpy(copy, data + at, len);
        size_t fine = intake_follow(intake, limits, copy, len);
        free(copy);
        MUST(fine <= len);
        MUST(intake_wants(intake) > 0);
        MUST((fine < len) == (intake->fault != INTAKE_FINE));
        at += fine;
        if (fine < len)
            break;
    }
    return at;
}

/* In READY, or in ZMTP 2 the name, of ALL bytes, of which LEN are there, no
 * name begins with 0: read as libzmq does, which refuses what is longer than
 * READY. */
static void
check_name(const unsigned char *data, size_t len, uint64_t all, int is_old)
{
    size_t at = 6;

    if (is_old) {
        MUST(data[0] != 0);
        return;
    }
    if (len < at || memcmp(data, "\5READY", at) != 0)
        return;
    while (len - at > 5 && len - at - 5 > data[at]) {
        const unsigned char *name = data + at + 1;
        size_t name_len = data[at];
        const unsigned char *value = name + name_len + 4;
        uint32_t value_len = (uint32_t)value[-4] << 24 | value[-3] << 16 |
                             value[-2] << 8 | value[-1];
        at += 5 + name_len;
        if (value_len > all - at)
            return;
        if (name_len == 8 && value_len > 0 && memcmp(name, "Identity", 8) == 0)
            MUST(value[0] != 0);
        if (value_len > len - at)
            return;
        at += value_len;
    }
}

/* Frames with MORE in a row, none of them a command, and their bytes, never
 * exceed the limits in what INTAKE found fine, nor does any frame, nor do all
 * of them; and each that has none, but for the first, is one of its
 * messages; and no PING is shorter than libzmq reads. */
static void
check_frames(const struct intake *intake, const struct intake_limits *limits,
             const unsigned char *data, size_t size)
{
    static const char null[20] = "NULL";
    uint64_t frames = 0, bytes = 0, messages = 0, all = 0;
    size_t at = 12;
    int first = 1;

    if (size < at)
        return;
    MUST(data[0] == 0xff && (data[9] & 1) && data[10] != 0);
    if (data[10] != 1) {
        at = 64;
        if (size < at || memcmp(data + 12, null, sizeof null) != 0)
            return;
    }
    while (at < size) {
        unsigned flags = data[at++];
        size_t wide = flags & 2 ? 8 : 1;
        uint64_t len = 0;
        if (size - at < wide)
            return;
        for (size_t i = 0; i < wide; i++)
            len = len << 8 | data[at++];
        MUST(len <= limits->frame);
        MUST(!first || len <= 4096);
        MUST(!first || data[10] != 1 || !(flags & 5));
        if (!(flags & 4)) {
            frames++;
            bytes += len;
            MUST(frames <= limits->frames && bytes <= limits->bytes);
            all += first ? 0 : len + 16;
            MUST(all <= limits->all && all <= intake->all);
            messages += !(flags & 1) && !first;
            MUST(messages <= intake->messages);
            if (!(flags & 1))
                frames = bytes = 0;
        }
        if (first && len > 0 && size > at)
            check_name(data + at, size - at < len ? size - at : (size_t)len,
                       len, data[10] == 1);
        int is_short = !first && (flags & 4) && len < 7;
        first = 0;
        if (len > size - at)
            return;
        if (is_short && len >= 5)
            MUST(memcmp(data + at, "\4PING", 5) != 0);
        at += (size_t)len;
    }
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    if (size < 2)
        return 0;
    enum intake_role role = 1 + data[0] % (INTAKE_ROLES - 1);
    size_t piece = 2 + data[1];
    struct intake_limits limits = limits_of(role);
    unsigned peer = data[0] / (INTAKE_ROLES - 1);
    struct intake whole = {.kinds = peer & 15,
                           .keyed = (peer & 15) != 0 && peer >> 4 & 1,
                           .let_in = data[1] >> 7};
    struct intake pieces = whole, bytes = whole;

    if (peer >> 5)
        limits.frame = 200;
    data += 2;
    size -= 2;
    size_t fine = follow(&whole, &limits, data, size, size + 1);
    MUST(follow(&pieces, &limits, data, size, piece) == fine);
    MUST(follow(&bytes, &limits, data, size, 1) == fine);
    MUST(pieces.fault == whole.fault && bytes.fault == whole.fault);
    MUST(pieces.messages == whole.messages);
    MUST(bytes.messages == whole.messages);
    if (whole.fault != INTAKE_FINE)
        MUST(intake_follow(&whole, &limits, data, size) == 0);
    check_frames(&whole, &limits, data, fine);
    return 0;
}
