/*
 * flagged_msgpack.c - envelopes in MessagePack.
 *
 * A value is skipped by counting the values still due, so neither the depth
 * nor the length that a head claims costs memory.
 */
#include "msgpack_head.h"

/* ---- steps ---- */

static int
step_enter(struct walk *walk, int is_map)
{
    const char *from = walk->at;
    struct head head;
    struct value ignored;

    if (!msgpack_head(walk, &head, &ignored))
        return 0;
    if (is_map ? !head.is_map : !head.is_list) {
        walk->at = from;
        return walk_fail(walk, is_map
                                   ? "it is no flagged record, as it is no map"
                                   : "a list should be here");
    }
    walk->left[walk->depth++] = is_map ? head.items / 2 : head.items;
    return 1;
}

static int
step_more(struct walk *walk)
{
    if (walk->status != PARSE_OK)
        return 0;
    if (walk->left[walk->depth - 1] == 0) {
        walk->depth--;
        return 0;
    }
    walk->left[walk->depth - 1]--;
    return 1;
}

static int
step_value(struct walk *walk, struct value *value)
{
    const char *from = walk->at;
    uint64_t due = 1;
    struct head head;
    struct value inner;
    int outermost = 1;

    while (due > 0 && msgpack_head(walk, &head, &inner) &&
           msgpack_need(walk, head.bytes)) {
        if (outermost) {
            *value = inner;
            value->text = (struct word){walk->at, (size_t)head.bytes};
        }
        outermost = 0;
        walk->at += head.bytes;
        due += head.items - 1;
    }
    if (walk->status != PARSE_OK)
        return 0;
    value->raw = (struct word){from, (size_t)(walk->at - from)};
    return 1;
}

static int
step_key(struct walk *walk, struct word *key)
{
    struct value value = {.kind = VALUE_NONE};

    if (!step_value(walk, &value))
        return 0;
    /* One that is no string is no key of ours. */
    *key = value.kind == VALUE_TEXT ? value.text : (struct word){"", 0};
    return 1;
}

enum parse
flagged_msgpack(const struct flagged_input *input, struct flagged *out,
                struct flagged_fault *fault)
{
    static const struct walk_steps steps = {step_enter, step_more, step_key,
                                            step_value};
    struct walk walk = {.steps = &steps,
                        .start = input->bytes,
                        .at = input->bytes,
                        .end = input->bytes + input->len,
                        .room = input->scratch};

    if (input->len == 0)
        return input->at_end ? PARSE_END : PARSE_MORE;
    enum parse status = envelope_read(&walk, out);
    if (status == PARSE_BAD)
        *fault = (struct flagged_fault){walk.what,
                                        (size_t)(walk.bad_at - walk.start)};
    out->size = (size_t)(walk.at - walk.start);
    /* A message that was refused unseen has left no bytes. */
    out->is_whole =
        !out->is_reject || out->original.len > 0 ||
        !(word_is(out->code, "length") || word_is(out->code, "parts"));
    return status;
}
