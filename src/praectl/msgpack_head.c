/*
 * msgpack_head.c - heads of values. No byte is read that was not asked for by
 * msgpack_need, which looks how many there are.
 */
#include "msgpack_head.h"

#include <assert.h>
#include <string.h>

int
msgpack_need(struct walk *walk, uint64_t count)
{
    if (walk->status == PARSE_OK && count > (uint64_t)(walk->end - walk->at))
        walk->status = PARSE_MORE;
    return walk->status == PARSE_OK;
}

/* COUNT bytes, big-endian; 0 where they are not there. */
static uint64_t
take_bits(struct walk *walk, unsigned count)
{
    uint64_t bits = 0;

    if (!msgpack_need(walk, count))
        return 0;
    for (unsigned i = 0; i < count; i++)
        bits = bits << 8 | (unsigned char)*walk->at++;
    return bits;
}

static void
take_real(struct walk *walk, unsigned count, struct value *value)
{
    uint64_t bits = take_bits(walk, count);
    uint32_t half = (uint32_t)bits;
    float single;

    if (count == 8) {
        memcpy(&value->number, &bits, sizeof bits);
    } else {
        memcpy(&single, &half, sizeof half);
        value->number = (double)single;
    }
}

/* An integer of COUNT bytes, with a sign or without. */
static void
take_integer(struct walk *walk, unsigned count, int has_sign,
             struct value *value)
{
    uint64_t bits = take_bits(walk, count);
    unsigned unused = 64 - 8 * count;

    assert(count >= 1 && count <= 8);
    value->number = (double)bits;
    value->whole = bits;
    value->is_whole = 1;
    if (has_sign && bits >> (8 * count - 1) != 0) {
        value->whole = (uint64_t)((int64_t)(bits << unused) >> unused);
        value->number = (double)(int64_t)value->whole;
        value->is_whole = 0;
    }
}

/* Heads of 0xc0 and above that are no small negative number. */
static void
take_long_head(struct walk *walk, unsigned byte, struct head *head,
               struct value *value)
{
    if (byte == 0xc0) {
        head->kind = VALUE_NONE;
    } else if (byte == 0xc1) {
        walk->at--;
        walk_fail(walk, "0xc1 begins no value of MessagePack");
    } else if (byte <= 0xc3) {
        head->kind = VALUE_OTHER; /* a boolean */
    } else if (byte <= 0xc6) {
        head->kind = VALUE_TEXT;
        head->bytes = take_bits(walk, 1u << (byte - 0xc4));
    } else if (byte <= 0xc9) {
        head->bytes = take_bits(walk, 1u << (byte - 0xc7)) + 1;
    } else if (byte <= 0xcb) {
        head->kind = VALUE_NUMBER;
        take_real(walk, byte == 0xca ? 4 : 8, value);
    } else if (byte <= 0xd3) {
        head->kind = VALUE_NUMBER;
        take_integer(walk, 1u << (byte & 3), byte >= 0xd0, value);
    } else if (byte <= 0xd8) {
        head->bytes = (1u << (byte - 0xd4)) + 1;
    } else if (byte <= 0xdb) {
        head->kind = VALUE_TEXT;
        head->bytes = take_bits(walk, 1u << (byte - 0xd9));
    } else {
        head->is_list = byte <= 0xdd;
        head->is_map = !head->is_list;
        head->items = take_bits(walk, byte & 1 ? 4 : 2) << head->is_map;
    }
}

int
msgpack_head(struct walk *walk, struct head *head, struct value *value)
{
    unsigned byte = (unsigned)take_bits(walk, 1);

    *head = (struct head){.byte = byte, .kind = VALUE_OTHER};
    *value = (struct value){.kind = VALUE_OTHER};
    if (walk->status != PARSE_OK)
        return 0;
    if (byte < 0x80 || byte >= 0xe0) {
        head->kind = VALUE_NUMBER;
        value->number = byte < 0x80 ? (double)byte : (double)byte - 256.0;
        value->whole = byte < 0x80 ? byte : ~(uint64_t)(255 - byte);
        value->is_whole = byte < 0x80;
    } else if (byte < 0x90) {
        head->is_map = 1;
        head->items = 2 * (uint64_t)(byte & 15);
    } else if (byte < 0xa0) {
        head->is_list = 1;
        head->items = byte & 15;
    } else if (byte < 0xc0) {
        head->kind = VALUE_TEXT;
        head->bytes = byte & 31;
    } else {
        take_long_head(walk, byte, head, value);
    }
    value->kind = head->kind;
    return walk->status == PARSE_OK;
}
