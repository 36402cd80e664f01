/*
 * stream.h - records to push, and all that a filter says of them as bytes
 * that can be compared. For tests of the stream side.
 */
#ifndef PRAE_TEST_STREAM_H
#define PRAE_TEST_STREAM_H

#include <stdarg.h>
#include <string.h>

#include "prae.h"
#include "rng.h"
#include "tap.h"

/* ---- bytes to push ---- */

#define UNUSED __attribute__((unused))

UNUSED static void
put(prae_buffer *out, const void *bytes, size_t len)
{
    if (len > out->cap - out->len) {
        out->cap = 2 * out->cap + len + 4096;
        out->data = realloc(out->data, out->cap);
        NEED(out->data != NULL);
    }
    if (len > 0)
        memcpy(out->data + out->len, bytes, len);
    out->len += len;
}

__attribute__((format(printf, 2, 3), unused)) static void
put_line(prae_buffer *out, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    NEED(len >= 0 && (size_t)len < sizeof text);
    put(out, text, (size_t)len);
}

/* VALUE's lowest COUNT bytes behind HEAD, big-endian, as MessagePack has
 * them. */
UNUSED static void
put_head(prae_buffer *out, unsigned head, uint64_t value, unsigned count)
{
    unsigned char bytes[9] = {(unsigned char)head};

    for (unsigned i = 0; i < count; i++)
        bytes[count - i] = (unsigned char)(value >> 8 * i);
    put(out, bytes, count + 1);
}

UNUSED static void
put_map(prae_buffer *out, size_t count)
{
    put_head(out, 0xde, count, 2);
}

UNUSED static void
put_array(prae_buffer *out, size_t count)
{
    put_head(out, 0xdc, count, 2);
}

UNUSED static void
put_text(prae_buffer *out, const char *text)
{
    put_head(out, 0xda, strlen(text), 2);
    put(out, text, strlen(text));
}

UNUSED static void
put_real(prae_buffer *out, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    put_head(out, 0xcb, bits, 8);
}

UNUSED static void
put_named(prae_buffer *out, const char *name, double value)
{
    put_text(out, name);
    put_real(out, value);
}

UNUSED static void
buffer_fini(prae_buffer *buffer)
{
    free(buffer->data);
    *buffer = (prae_buffer){0};
}

UNUSED static int
buffer_same(const prae_buffer *a, const prae_buffer *b)
{
    return a->len == b->len &&
           (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

/* ---- a filter that is fed ---- */

struct stream {
    prae_filter *filter;
    prae_format format;
    prae_buffer log;   /* all verdicts: envelopes and rows of scores */
    size_t taken;      /* verdicts */
    size_t windows;    /* judged */
    int unbalanced;    /* times that the counts did not add up */
    uint64_t next_seq; /* that the next verdict must have */
    int disordered;    /* times that it had another */
    void (*look)(const prae_verdict *verdict, void *data); /* or NULL */
    void *data;
};

UNUSED static void
stream_open(struct stream *stream, const prae_params *params)
{
    *stream = (struct stream){.format = params->format};
    NEED(prae_filter_new(params, &stream->filter) == PRAE_OK);
}

UNUSED static void
stream_close(struct stream *stream)
{
    prae_filter_free(stream->filter);
    buffer_fini(&stream->log);
    *stream = (struct stream){0};
}

/* received = inliers + outliers + rejected + held, and held is what went in
 * and was not given out. */
static void
stream_count(struct stream *stream)
{
    prae_stats stats;

    prae_filter_stats(stream->filter, &stats);
    stream->unbalanced += stats.received != stats.inliers + stats.outliers +
                                                stats.rejected + stats.held ||
                          stats.held != stats.received - stream->taken;
}

/* Judges what was pushed and takes all verdicts. */
UNUSED static prae_status
stream_judge(struct stream *stream)
{
    prae_verdict verdict;
    prae_status status = prae_filter_judge(stream->filter);

    if (status != PRAE_OK)
        return status;
    stream->windows++;
    stream_count(stream);
    while (prae_filter_next(stream->filter, &verdict) == PRAE_OK) {
        stream->taken++;
        stream->disordered += verdict.seq != stream->next_seq++;
        NEED(prae_verdict_write_score(&verdict, stream->format, &stream->log) ==
             PRAE_OK);
        NEED(prae_verdict_write(&verdict, stream->format, &stream->log) ==
             PRAE_OK);
        if (stream->look != NULL)
            stream->look(&verdict, stream->data);
        stream_count(stream);
    }
    return PRAE_OK;
}

/*
 * Pushes BYTES (LEN) in pieces of STEP, judging each full window; with
 * AT_END the last one, too. The first failure's status, or PRAE_OK.
 */
UNUSED static prae_status
stream_push(struct stream *stream, const char *bytes, size_t len, size_t step,
            int at_end)
{
    size_t at = 0, have = step < len ? step : len;

    for (;;) {
        size_t used = 0;
        prae_status status =
            prae_filter_push(stream->filter, bytes + at, have - at,
                             at_end && have == len, &used);
        stream_count(stream);
        at += used;
        if (status == PRAE_FULL) {
            status = stream_judge(stream);
            if (status != PRAE_OK)
                return status;
            continue;
        }
        if (status != PRAE_OK)
            return status;
        if (have == len)
            break;
        have = step < len - have ? have + step : len;
    }
    return at_end ? stream_judge(stream) : PRAE_OK;
}

#endif
