/* MessagePack is what msgpack-c says it is. */
#include "codec.h"
#include "msgpack_same.h"
#include "stream.h"

static void
random_bytes(struct rng *rng, prae_buffer *out, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char byte = (char)pri_rng_below(rng, 256);
        put(out, &byte, 1);
    }
}

static uint64_t
random_wide(struct rng *rng)
{
    uint64_t bits = (uint64_t)pri_rng_bits(rng) << 32 | pri_rng_bits(rng);

    return bits >> pri_rng_below(rng, 64);
}

/* A value of any type, in any of its encodings. */
static void
random_value(struct rng *rng, prae_buffer *out, unsigned deep)
{
    static const unsigned char sized[][2] = {{0xc4, 1}, {0xc5, 2}, {0xc6, 4},
                                             {0xd9, 1}, {0xda, 2}, {0xdb, 4}};
    static const unsigned char heads[][3] = {
        {0xdc, 2, 1}, {0xdd, 4, 1}, {0xde, 2, 2}, {0xdf, 4, 2}};
    unsigned what = pri_rng_below(rng, deep < 5 ? 16 : 12);
    unsigned pick = pri_rng_below(rng, 8);

    if (what < 2) {
        put_head(out, pick < 4 ? 0xe0 + pick * 7 : pick * 17, 0, 0);
    } else if (what < 5) {
        put_head(out, 0xcc + pick, random_wide(rng), 1u << pick % 4);
    } else if (what < 7) {
        unsigned bytes = 4 + 4 * (pick & 1);
        put_head(out, 0xca + (pick & 1), random_wide(rng), bytes);
    } else if (what == 7) {
        put_head(out, pick < 3 ? 0xc0 : 0xc2 + (pick & 1), 0, 0);
    } else if (what < 10) {
        size_t len = pri_rng_below(rng, 40), one = pick % 6;
        if (pick > 5 && len < 32)
            put_head(out, 0xa0 + (unsigned)len, 0, 0);
        else
            put_head(out, sized[one][0], len, sized[one][1]);
        random_bytes(rng, out, len);
    } else if (what == 10) {
        unsigned one = pick % 5;
        put_head(out, 0xd4 + one, pri_rng_below(rng, 2) ? 0xff : pick, 1);
        random_bytes(rng, out, (size_t)1 << one);
    } else if (what == 11) {
        size_t len = pick < 4 ? 12 : pri_rng_below(rng, 20);
        put_head(out, 0xc7 + pick % 3, len, 1u << pick % 3);
        put(out, pick < 4 ? "\xff" : "\x07", 1);
        random_bytes(rng, out, len);
    } else {
        unsigned one = pick % 4, count = pri_rng_below(rng, 6);
        unsigned items = count * heads[one][2];
        if (pick > 3)
            put_head(out, (one < 2 ? 0x90 : 0x80) + count, 0, 0);
        else
            put_head(out, heads[one][0], count, heads[one][1]);
        for (unsigned i = 0; i < items; i++)
            random_value(rng, out, deep + 1);
    }
}

static void
test_oracle(void)
{
    struct codec_limits limits = {1 << 20, 32, 65536};
    size_t values = 0, differ = 0, containers = 0;
    struct codec codec;
    struct rng rng;

    pri_rng_init(&rng, 5, 5);
    NEED(pri_codec_init(&codec, PRAE_FORMAT_MSGPACK, &limits) == PRAE_OK);
    for (int i = 0; i < 4000; i++) {
        prae_buffer in = {0};
        msgpack_unpacked unpacked;
        size_t end = 0, at = 0;
        random_value(&rng, &in, 0);
        msgpack_unpacked_init(&unpacked);
        int whole = msgpack_unpack_next(&unpacked, in.data, in.len, &end) ==
                    MSGPACK_UNPACK_SUCCESS;
        int same = pri_codec_next(&codec, in.data, in.len, 0) == PRAE_OK &&
                   whole && end == in.len && codec.record.len_bytes == end &&
                   same_value(&unpacked.data, &codec.record, &at) &&
                   at == codec.record.count;
        int open = unpacked.data.type == MSGPACK_OBJECT_MAP ||
                   unpacked.data.type == MSGPACK_OBJECT_ARRAY;
        same &= codec.record.fault == (open ? FAULT_NONE : FAULT_TYPE);
        values++;
        containers += (size_t)open;
        differ += (size_t)!same;
        msgpack_unpacked_destroy(&unpacked);
        buffer_fini(&in);
    }
    pri_codec_fini(&codec);
    ok(differ == 0, "%zu values are what msgpack-c says, %zu are not", values,
       differ);
    ok(containers > values / 10, "%zu of them are containers", containers);
}

int
main(void)
{
    test_oracle();
    return tap_done();
}
