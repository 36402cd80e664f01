/*
 * fuzz_msgpack.c - the cursor beside msgpack-c, on any bytes that msgpack-c
 * can be trusted with.
 *
 * It allocates what a head claims and gives up below 32 containers, so heads
 * are looked at first. What is whole for the one must be for the other, with
 * the same end and the same values; so must what breaks off and what is no
 * MessagePack.
 *
 * About: src/libprae/codec_msgpack.c src/libprae/packed.h
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "msgpack_same.h"

#define DEPTH 31      /* containers within each other */
#define CLAIMED 10000 /* items that a container may claim */

#define MUST(expression)                                                     \
    do {                                                                     \
        if (!(expression)) {                                                 \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, \
                    #expression);                                            \
            abort();                                                         \
        }                                                                    \
    } while (0)

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* The head of a container at AT (LEN bytes are left): its items, or 0. */
static size_t
claimed(const unsigned char *at, size_t len)
{
    size_t count = 0;
    unsigned wide = at[0] == 0xdc || at[0] == 0xde ? 2 : 4;

    if (at[0] >= 0x80 && at[0] <= 0x9f)
        return (at[0] & 15u) * (at[0] < 0x90 ? 2 : 1);
    if (at[0] < 0xdc || at[0] > 0xdf || len <= wide)
        return 0;
    for (unsigned i = 1; i <= wide; i++)
        count = count << 8 | at[i];
    return at[0] >= 0xde ? 2 * count : count;
}

/* An ext of all that 32 bits can say: msgpack-c adds its type's byte to that,
 * and takes what comes of it for nonsense before the type is there. */
static int
wraps_around(const unsigned char *at, size_t len)
{
    return len >= 5 && memcmp(at, "\xc9\xff\xff\xff\xff", 5) == 0;
}

/*
 * Whether every head in the bytes, and whatever looks like one within texts,
 * claims little, and no more than DEPTH containers can be within each other:
 * too strict at times, but simple enough to be right.
 */
static int
is_modest(const unsigned char *data, size_t size)
{
    size_t containers = 0;

    for (size_t i = 0; i < size; i++) {
        size_t items = claimed(data + i, size - i);
        /* An empty one is within the others, too. */
        containers += (data[i] >= 0x80 && data[i] < 0xa0) ||
                      (data[i] >= 0xdc && data[i] <= 0xdf);
        if (items > CLAIMED || wraps_around(data + i, size - i))
            return 0;
    }
    return containers <= DEPTH;
}

static void
check_whole(const struct codec *codec, const msgpack_unpacked *unpacked)
{
    const struct record *record = &codec->record;
    int is_container = unpacked->data.type == MSGPACK_OBJECT_MAP ||
                       unpacked->data.type == MSGPACK_OBJECT_ARRAY;
    size_t at = 0;

    MUST(record->fault == (is_container ? FAULT_NONE : FAULT_TYPE));
    MUST(same_value(&unpacked->data, record, &at));
    MUST(at == record->count);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    const struct codec_limits limits = {1 << 20, DEPTH, 65536};
    const char *bytes = (const char *)data;
    struct codec codec;
    msgpack_unpacked unpacked;
    size_t end = 0;

    if (size == 0 || !is_modest(data, size))
        return 0;
    MUST(pri_codec_init(&codec, PRAE_FORMAT_MSGPACK, &limits) == PRAE_OK);
    msgpack_unpacked_init(&unpacked);
    prae_status status = pri_msgpack_value(&codec, bytes, size, 0);
    switch (msgpack_unpack_next(&unpacked, bytes, size, &end)) {
    case MSGPACK_UNPACK_SUCCESS:
        MUST(status == PRAE_OK && codec.record.len_bytes == end);
        check_whole(&codec, &unpacked);
        break;
    case MSGPACK_UNPACK_CONTINUE:
        /* A text may claim more than a record may have. */
        MUST(status == PRAE_MORE ||
             (status == PRAE_EDATA && codec.record.fault == FAULT_LENGTH));
        break;
    case MSGPACK_UNPACK_PARSE_ERROR:
        MUST(status == PRAE_EDATA);
        MUST(codec.record.fault == FAULT_MALFORMED ||
             codec.record.fault == FAULT_LENGTH);
        break;
    default: break; /* without memory */
    }
    msgpack_unpacked_destroy(&unpacked);
    pri_codec_fini(&codec);
    return 0;
}
