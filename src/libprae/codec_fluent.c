/*
 * codec_fluent.c - MessagePack as Fluentd and Fluent Bit send it.
 *
 * An event is [time, map], or [[time, meta], map] with metadata; its map is
 * the record. The Forward protocol puts a tag before it, alone or for many
 * events at once, and options behind:
 *
 *   message         [tag, time, map] or [tag, time, map, options]
 *   forward         [tag, [event, ...]] or [tag, [event, ...], options]
 *   packed forward  [tag, bytes] or [tag, bytes, options], the bytes being
 *                   events one after another
 *
 * A message is one record. Of the other two each event is a record of its
 * own; what stands around them is used up before the first and behind the
 * last, and is not passed on. What looks like a batch within one is refused:
 * by itself, when it is read again or learned from, it would be one.
 */
#include "codec.h"

/* ---- one event ---- */

static int
is_time(const struct field *field)
{
    return field->type == FIELD_INTEGER || field->type == FIELD_REAL ||
           field->type == FIELD_TIME;
}

/* The place of the map within an event or a message, or 0 where the record
 * is none. */
static size_t
find_root(const struct record *record)
{
    const struct field *field = record->field;
    size_t top[5], count = 0;

    if (field[0].type != FIELD_ARRAY)
        return 0;
    for (size_t i = 1; i < record->count; i++) {
        if (field[i].parent != 0)
            continue;
        if (count == 4)
            return 0;
        top[count++] = i;
    }
    size_t tagged = count >= 3 && field[top[0]].type == FIELD_TEXT;
    if (count < 2 + tagged || count > 2 + 2 * tagged)
        return 0;
    const struct field *time = &field[top[tagged]];
    if (field[top[tagged + 1]].type != FIELD_MAP)
        return 0;
    int with_meta = !tagged && time->type == FIELD_ARRAY &&
                    time[1].parent == top[0] && is_time(&time[1]);
    if (!is_time(time) && !with_meta)
        return 0;
    return top[tagged + 1];
}

/* Whether RECORD, by itself, could be taken for a batch. */
static int
is_like_batch(const struct record *record)
{
    const struct field *field = record->field;
    size_t items = 0, second = 0;

    for (size_t i = 1; i < record->count && items < 4; i++)
        if (field[i].parent == 0 && ++items == 2)
            second = i;
    return field[0].type == FIELD_ARRAY && (items == 2 || items == 3) &&
           field[1].type == FIELD_TEXT &&
           (field[second].type == FIELD_ARRAY ||
            field[second].type == FIELD_BYTES ||
            field[second].type == FIELD_TEXT);
}

/* ---- many events ---- */

/* A look at the bytes, head by head. */
struct peek {
    struct codec *codec;
    const char *bytes;
    size_t len, at;
    enum field_type type; /* of the last head */
    uint32_t count;
};

static prae_status
peek_head(struct peek *peek)
{
    size_t head_len;
    prae_status status =
        pri_msgpack_head(peek->bytes + peek->at, peek->len - peek->at,
                         &peek->type, &peek->count, &head_len);

    if (status == PRAE_OK)
        peek->at += head_len;
    return status;
}

/* PRAE_OK where an event begins at the peek: an array of two, the second a
 * map. PRAE_END where it does not. */
static prae_status
peek_event(struct peek *peek)
{
    prae_status status = peek_head(peek);

    if (status != PRAE_OK)
        return status;
    if (peek->type != FIELD_ARRAY || peek->count != 2)
        return PRAE_END;
    status = pri_msgpack_pass(peek->codec, peek->bytes, peek->len, peek->at,
                              &peek->at);
    if (status != PRAE_OK)
        return status;
    status = peek_head(peek);
    if (status == PRAE_OK && peek->type != FIELD_MAP)
        return PRAE_END;
    return status;
}

/*
 * Whether a forward or packed forward begins at BYTES: PRAE_OK with
 * *FORWARD set and the bytes before its first event in *USED, PRAE_MORE
 * where that cannot be told yet, anything else where none does. No more is
 * looked at than a record may have.
 */
static prae_status
enter(struct codec *codec, const char *bytes, size_t len,
      struct forward *forward, size_t *used)
{
    struct peek peek = {.codec = codec, .bytes = bytes, .len = len};
    prae_status status = peek_head(&peek);

    if (status != PRAE_OK)
        return status;
    if (peek.type != FIELD_ARRAY || peek.count < 2 || peek.count > 3)
        return PRAE_END;
    uint32_t parts = peek.count;
    status = peek_head(&peek);
    if (status != PRAE_OK)
        return status;
    if (peek.type != FIELD_TEXT || peek.count > codec->limits.record_bytes)
        return PRAE_END;
    if (peek.count > len - peek.at)
        return PRAE_MORE;
    peek.at += peek.count;
    status = peek_head(&peek);
    if (status != PRAE_OK)
        return status;
    struct forward found = {.behind = parts - 2};
    if (peek.type == FIELD_ARRAY)
        found.events = peek.count;
    else if (peek.type == FIELD_BYTES || peek.type == FIELD_TEXT)
        found.bytes = peek.count;
    if (found.events == 0 && found.bytes == 0)
        return PRAE_END;
    *used = peek.at;
    const int whole = found.bytes > 0 && found.bytes <= len - peek.at;
    if (whole)
        peek.len = peek.at + (size_t)found.bytes;
    status = peek_event(&peek);
    if (status == PRAE_MORE && whole)
        return PRAE_END; /* an event does not reach beyond the packed bytes */
    if (status == PRAE_OK && peek.at > codec->limits.record_bytes)
        return PRAE_END;
    if (status == PRAE_OK)
        *forward = found;
    return status;
}

/* What is known of an unfinished value is not of the next. */
static void
begin_next(struct reading *reading)
{
    reading->scanned = 0;
    reading->due = 0;
    reading->is_plain = 0;
}

/* Uses up what stands behind the last event. */
static prae_status
leave(struct codec *codec, const char *bytes, size_t len,
      struct forward *forward, size_t *at)
{
    prae_status status = PRAE_OK;

    while (status == PRAE_OK && forward->behind > 0) {
        size_t value_len;
        status = pri_msgpack_pass(codec, bytes + *at, len - *at, 0, &value_len);
        if (status == PRAE_OK) {
            begin_next(&codec->reading);
            *at += value_len;
            forward->behind--;
        }
    }
    return status;
}

/* Whether the value at BYTES (LEN) may be complete. Where it was not, its end
 * has to be found first: to read all of it at each piece that comes would
 * take forever. */
static int
may_be_whole(struct codec *codec, const char *bytes, size_t len)
{
    size_t end;

    return codec->reading.scanned == 0 ||
           pri_msgpack_pass(codec, bytes, len, 0, &end) != PRAE_MORE;
}

size_t
pri_msgpack_room(struct codec *codec, const char *bytes, size_t len)
{
    const struct reading *reading = &codec->reading;
    const struct forward *forward = &reading->forward;
    const int inside = forward->events > 0 || forward->bytes > 0;

    if (len > codec->limits.record_bytes)
        len = codec->limits.record_bytes;
    if (forward->bytes > 0 && forward->bytes < len)
        len = (size_t)forward->bytes;
    /* Behind events, or what is not known to be no batch of them. */
    if (!inside && (forward->behind > 0 ||
                    (reading->scanned > 0 && !reading->is_plain)))
        return 0;
    return may_be_whole(codec, bytes, len) ? len : 0;
}

void
pri_msgpack_passed(struct codec *codec, size_t used)
{
    struct forward *forward = &codec->reading.forward;

    begin_next(&codec->reading);
    if (forward->events > 0)
        forward->events--;
    else if (forward->bytes > 0)
        forward->bytes -= used;
}

/* The next event or, outside of them, the next value. */
static prae_status
decode(struct codec *codec, const char *bytes, size_t len, int at_end,
       const struct forward *forward, size_t at)
{
    struct record *record = &codec->record;
    size_t most = len - at;
    int last = at_end;

    if (forward->bytes > 0 && forward->bytes <= most) {
        most = (size_t)forward->bytes;
        last = 1; /* an event does not reach beyond the packed bytes */
    }
    if (!last && !may_be_whole(codec, bytes + at, most))
        return PRAE_MORE;
    record->fault = FAULT_NONE; /* looking is no judgement */
    prae_status status = pri_msgpack_value(codec, bytes + at, most, last);
    if (status == PRAE_MORE) {
        size_t end;
        (void)pri_msgpack_pass(codec, bytes + at, most, 0, &end);
    }
    if (status != PRAE_OK)
        return status;
    if (record->fault == FAULT_NONE)
        record->root = find_root(record);
    if (record->fault == FAULT_NONE && record->root == 0 &&
        (forward->events > 0 || forward->bytes > 0) && is_like_batch(record))
        record->fault = FAULT_TYPE;
    codec->reading.forward = *forward;
    pri_msgpack_passed(codec, record->len_bytes);
    record->start = at;
    record->len_bytes += at;
    return PRAE_OK;
}

prae_status
pri_msgpack_next(struct codec *codec, const char *bytes, size_t len, int at_end)
{
    struct forward forward = codec->reading.forward;
    size_t at = 0, used = 0;
    prae_status status = PRAE_OK;

    if (forward.events == 0 && forward.bytes == 0)
        status = leave(codec, bytes, len, &forward, &at);
    int inside = forward.events > 0 || forward.bytes > 0 || forward.behind > 0;
    if (status == PRAE_OK && at == len && at_end && !inside) {
        codec->reading.forward = forward;
        codec->record.len_bytes = at;
        return PRAE_END;
    }
    if (status == PRAE_OK && at == len && !at_end)
        status = PRAE_MORE;
    if (status == PRAE_OK && !inside && !codec->reading.is_plain) {
        prae_status entered =
            enter(codec, bytes + at, len - at, &forward, &used);
        if (entered == PRAE_OK)
            at += used;
        else if (entered == PRAE_MORE && !at_end &&
                 len - at < codec->limits.record_bytes)
            status = PRAE_MORE;
        else
            codec->reading.is_plain = 1;
        if (status == PRAE_OK)
            codec->reading.scanned = 0; /* it was of a part only */
    }
    if (status == PRAE_OK)
        status = decode(codec, bytes, len, at_end, &forward, at);
    if (status == PRAE_MORE && at_end) {
        codec->record.fault = FAULT_MALFORMED;
        codec->record.fault_at = len - at;
        status = PRAE_EDATA;
    }
    /* What stands before the next event is used up: with it there might never
     * be room for the event. */
    if (status == PRAE_MORE)
        codec->reading.forward = forward;
    if (status == PRAE_MORE || status == PRAE_EDATA)
        codec->record.len_bytes = at;
    if (status == PRAE_EDATA)
        begin_next(&codec->reading); /* there is nothing to go on with */
    return status;
}
