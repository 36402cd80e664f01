/*
 * records.h - records whose y is twice x but for the odd ones, and what a
 * filter's verdicts were of each.
 */
#ifndef PRAE_TEST_RECORDS_H
#define PRAE_TEST_RECORDS_H

#include "stream.h"

#define RECORDS 300
#define WINDOW 64
#define ODD(i) ((i) % 50 == 37)
#define COUNT(array) (sizeof(array) / sizeof *(array))

static void
put_record(prae_buffer *out, prae_format format, double x, double y, double z)
{
    if (format == PRAE_FORMAT_JSONL) {
        put_line(out, "{\"x\":%.9g,\"in\":{\"y\":%.9g,\"z\":%.9g}}\n", x, y, z);
    } else if (format == PRAE_FORMAT_CSV) {
        put_line(out, "%.9g,%.9g,%.9g\r\n", x, y, z);
    } else {
        put_map(out, 2);
        put_named(out, "x", x);
        put_text(out, "in");
        put_map(out, 2);
        put_named(out, "y", y);
        put_named(out, "z", z);
    }
}

/* COUNT records from the FROM-th on; y is 2 x but for the odd ones. */
UNUSED static void
put_records(prae_buffer *out, prae_format format, size_t from, size_t count)
{
    struct rng rng;

    pri_rng_init(&rng, 7, 99);
    for (size_t i = 0; i < from + count; i++) {
        double x = (double)pri_rng_normal(&rng);
        double noise = 0.05 * (double)pri_rng_normal(&rng);
        double z = (double)pri_rng_normal(&rng);
        if (i >= from)
            put_record(out, format, x, ODD(i) ? 25.0 : 2.0 * x + noise, z);
    }
}

UNUSED static prae_params
params_of(prae_format format, size_t window)
{
    prae_params params;

    prae_params_init(&params);
    params.format = format;
    params.window = window;
    return params;
}

/* What was seen of each record. */
struct seen {
    prae_verdict verdict[2 * RECORDS];
    char field[2 * RECORDS][64]; /* of the first reason */
    size_t count;
    int bad_shares, bad_p, bad_values;
};

/* Whether VERDICT's values are those of the odd record that it is, or near
 * to what all others have, and its first reason the input it names. */
static int
has_values(const prae_verdict *verdict)
{
    const double *value = verdict->values;

    if (value == NULL || verdict->value_count != 3)
        return 0;
    if (verdict->kind == PRAE_KIND_OUTLIER && ODD(verdict->seq) &&
        verdict->why[0].input % 3 != 1)
        return 0;
    return ODD(verdict->seq) ? fabs(value[1] - 25.0) < 1e-6
                             : fabs(value[1] - 2.0 * value[0]) < 0.5;
}

static void
look(const prae_verdict *verdict, void *data)
{
    struct seen *seen = data;
    double sum = 0.0, last = 1.0;

    NEED(seen->count < COUNT(seen->verdict));
    for (size_t i = 0; i < verdict->why_count; i++) {
        sum += verdict->why[i].share;
        seen->bad_shares += verdict->why[i].share > last;
        last = verdict->why[i].share;
    }
    seen->bad_shares +=
        sum > 1.0 + 1e-6 || (verdict->why_count > 0 && !(sum > 0));
    seen->bad_p += verdict->window == 0
                       ? !isnan(verdict->p)
                       : !(verdict->p > 0.0 && verdict->p <= 1.0);
    seen->bad_values += !has_values(verdict);
    snprintf(seen->field[seen->count], sizeof seen->field[0], "%s",
             verdict->why_count > 0 ? verdict->why[0].field : "");
    seen->verdict[seen->count++] = *verdict;
}

static struct seen seen;

UNUSED static void
open_seen(struct stream *stream, const prae_params *params)
{
    stream_open(stream, params);
    memset(&seen, 0, sizeof seen);
    stream->look = look;
    stream->data = &seen;
}

#endif
