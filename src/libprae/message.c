/*
 * message.c - records that come in messages, each of which stands by itself:
 * what is broken in one is refused and does not reach the next.
 */
#include <string.h>

#include "filter.h"

/* ---- one message ---- */

/* One record of no fields, refused for FAULT; BYTES (LEN) is what it was. */
static prae_status
take_refused(prae_filter *filter, enum fault fault, const char *bytes,
             size_t len)
{
    struct record *record = &filter->codec.record;

    record->start = 0;
    record->len_bytes = len;
    record->fault = fault;
    return pri_filter_take(filter, bytes);
}

/* The next record of the message in BYTES (LEN), or all that is left of it
 * where no record can be made out. PRAE_END after the last. */
static prae_status
take_next(prae_filter *filter, const char *bytes, size_t len, size_t *used)
{
    prae_status status = pri_filter_read(filter, bytes, len, 1, used);

    if (status == PRAE_OK)
        return PRAE_OK;
    *used = len;
    if (status == PRAE_EDATA) {
        filter->codec.reading = (struct reading){0};
        return take_refused(filter, filter->codec.record.fault, bytes, len);
    }
    return status;
}

/* Whether nothing has come yet but what may be some of a header. */
static int
awaits_header(const struct codec *codec)
{
    return codec->format == PRAE_FORMAT_CSV && !codec->no_header &&
           !codec->header_done;
}

static prae_status
begin(prae_filter *filter, const char *bytes, size_t len)
{
    if (filter->in_message)
        return PRAE_OK;
    filter->in_message = 1;
    pri_codec_leave(&filter->codec, &filter->stream);
    return len > 0 ? PRAE_OK : take_refused(filter, FAULT_MALFORMED, bytes, 0);
}

prae_status
prae_filter_push_message(prae_filter *filter, const char *bytes, size_t len,
                         size_t *used)
{
    size_t at = 0, step;

    if (used == NULL || (bytes == NULL && len > 0))
        return PRAE_EINVAL;
    prae_status status = pri_filter_may_take(filter);
    if (status != PRAE_OK)
        return status;
    if (pri_filter_is_full(filter)) {
        *used = 0;
        return PRAE_FULL;
    }
    status = begin(filter, bytes, len);
    while (status == PRAE_OK) {
        if (pri_filter_is_full(filter)) {
            status = PRAE_FULL;
            break;
        }
        status = take_next(filter, bytes + at, len - at, &step);
        at += step;
    }
    *used = at;
    if (status == PRAE_END) {
        filter->in_message = 0;
        pri_codec_return(&filter->codec, &filter->stream);
        return PRAE_OK;
    }
    return status == PRAE_FULL ? PRAE_FULL : pri_filter_break(filter);
}

prae_status
prae_filter_refuse(prae_filter *filter, prae_refusal why)
{
    prae_status status = pri_filter_may_take(filter);

    if (status != PRAE_OK)
        return status;
    if (filter->in_message)
        return pri_filter_fail(filter, PRAE_EINVAL,
                               "a message has not come to its end");
    if (pri_filter_is_full(filter))
        return PRAE_FULL;
    struct reading stream;
    /* It has no line, and least of all one of a file's. */
    pri_codec_leave(&filter->codec, &stream);
    status = take_refused(
        filter, why == PRAE_REFUSE_PARTS ? FAULT_PARTS : FAULT_LENGTH, "", 0);
    pri_codec_return(&filter->codec, &stream);
    return status == PRAE_OK ? PRAE_OK : pri_filter_break(filter);
}

int
prae_filter_awaits_header(const prae_filter *filter)
{
    return filter != NULL && awaits_header(&filter->codec);
}

/* ---- without a filter ---- */

/* A CSV's header, as its first reader and those after it know it. */
struct header {
    const char *text; /* or NULL: it is awaited */
    size_t len;       /* 0: there is none, or it was refused */
};

/* Passes over HEADER where BYTES (LEN) begin with it, or reads it where it is
 * awaited: *USED bytes. *FOUND counts one that is refused. */
static prae_status
pass_header(struct codec *codec, struct header *header, const char *bytes,
            size_t len, size_t *used, size_t *found)
{
    const struct record *record = &codec->record;

    const int awaited = header->text == NULL;
    prae_status status =
        awaited ? pri_csv_header(codec, bytes, len, 1)
                : pri_csv_header_again(codec, header->text, header->len, bytes,
                                       len, 1);
    if (status != PRAE_OK)
        return status;
    *used = record->len_bytes;
    if (!awaited)
        return PRAE_OK;
    *found = record->fault != FAULT_NONE;
    *header = (struct header){.text = ""};
    if (record->fault == FAULT_NONE)
        *header = (struct header){.text = bytes + record->start,
                                  .len = record->len_bytes - record->start};
    return PRAE_OK;
}

/* How many records BYTES (LEN) are counted as that end within the first CUT;
 * HEADER, if any, may stand before them. */
static prae_status
count_records(const prae_params *params, struct header *header,
              const char *bytes, size_t len, size_t cut, size_t *count)
{
    struct codec codec;
    size_t at = 0, found = 0;

    if (count == NULL || (bytes == NULL && len > 0))
        return PRAE_EINVAL;
    prae_status status = prae_params_check(params, NULL, 0);
    if (status != PRAE_OK)
        return status;
    struct codec_limits limits = {.record_bytes = params->record_max,
                                  .depth = params->depth_max,
                                  .elements = params->elements_max};
    status = pri_codec_init(&codec, params->format, &limits);
    if (status != PRAE_OK)
        return status;
    if (header != NULL && params->format == PRAE_FORMAT_CSV &&
        !params->no_header)
        status = pass_header(&codec, header, bytes, len, &at, &found);
    codec.no_header = codec.counts = 1;
    while (status == PRAE_OK) {
        status = pri_codec_next(&codec, bytes + at, len - at, 1);
        at = status == PRAE_EDATA ? len : at + codec.record.len_bytes;
        found += (status == PRAE_OK || status == PRAE_EDATA) && at <= cut;
    }
    pri_codec_fini(&codec);
    if (status == PRAE_ENOMEM)
        return status;
    *count = found;
    return PRAE_OK;
}

prae_status
prae_message_count(const prae_params *params, const char **header,
                   size_t *header_len, const char *bytes, size_t len,
                   size_t *count)
{
    struct header known = {0};

    if (header != NULL && header_len == NULL)
        return PRAE_EINVAL;
    if (header != NULL)
        known = (struct header){.text = *header, .len = *header_len};
    prae_status status = count_records(params, header == NULL ? NULL : &known,
                                       bytes, len, len, count);
    if (status != PRAE_OK)
        return status;
    if (len == 0)
        *count = 1; /* it is refused as one */
    if (header != NULL) {
        *header = known.text;
        *header_len = known.len;
    }
    return PRAE_OK;
}

prae_status
prae_message_whole(const prae_params *params, const char *bytes, size_t len,
                   size_t cut, size_t *count)
{
    return count_records(params, NULL, bytes, len, cut, count);
}
