/* bytes.c - little-endian, whatever the machine is. */
#include "bytes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void
pri_put_bytes(struct writer *out, const void *bytes, size_t len)
{
    prae_buffer *buffer = out->buffer;

    if (out->status != PRAE_OK || len == 0)
        return;
    if (len > buffer->cap - buffer->len) {
        size_t cap = 2 * buffer->cap + len + 4096;
        int fits = buffer->cap < SIZE_MAX / 4 && len < SIZE_MAX / 4;
        char *data = fits ? realloc(buffer->data, cap) : NULL;
        if (data == NULL) {
            out->status = PRAE_ENOMEM;
            return;
        }
        buffer->data = data;
        buffer->cap = cap;
    }
    memcpy(buffer->data + buffer->len, bytes, len);
    buffer->len += len;
}

static void
put_whole(struct writer *out, uint64_t value, size_t len)
{
    unsigned char bytes[8];

    for (size_t i = 0; i < len; i++)
        bytes[i] = (unsigned char)(value >> 8 * i);
    pri_put_bytes(out, bytes, len);
}

void
pri_put_u32(struct writer *out, uint32_t value)
{
    put_whole(out, value, 4);
}

void
pri_put_u64(struct writer *out, uint64_t value)
{
    put_whole(out, value, 8);
}

void
pri_put_f64(struct writer *out, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    pri_put_u64(out, bits);
}

void
pri_put_text(struct writer *out, const char *text, size_t len)
{
    pri_put_u32(out, (uint32_t)len);
    pri_put_bytes(out, text, len);
}

void
pri_put_floats(struct writer *out, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        pri_put_u32(out, bits);
    }
}

void
pri_put_doubles(struct writer *out, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pri_put_f64(out, values[i]);
}

size_t
pri_begin_section(struct writer *out, const char *tag)
{
    pri_put_bytes(out, tag, 4);
    pri_put_u64(out, 0);
    return out->buffer->len;
}

void
pri_end_section(struct writer *out, size_t begun)
{
    if (out->status != PRAE_OK)
        return;
    uint64_t len = out->buffer->len - begun;
    for (size_t i = 0; i < 8; i++)
        out->buffer->data[begun - 8 + i] = (char)(len >> 8 * i);
}

void
pri_get_fail(struct reader *in, const char *what)
{
    if (in->fault == NULL)
        in->fault = what;
    in->at = in->end;
}

const void *
pri_get_bytes(struct reader *in, size_t len)
{
    if (in->fault != NULL || len > (size_t)(in->end - in->at)) {
        pri_get_fail(in, "it ends too early");
        return NULL;
    }
    const void *bytes = in->at;
    in->at += len;
    return bytes;
}

static uint64_t
get_whole(struct reader *in, size_t len)
{
    const unsigned char *bytes = pri_get_bytes(in, len);
    uint64_t value = 0;

    for (size_t i = len; bytes != NULL && i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

uint32_t
pri_get_u32(struct reader *in)
{
    return (uint32_t)get_whole(in, 4);
}

uint64_t
pri_get_u64(struct reader *in)
{
    return get_whole(in, 8);
}

double
pri_get_f64(struct reader *in)
{
    uint64_t bits = pri_get_u64(in);
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

const char *
pri_get_text(struct reader *in, size_t *len)
{
    size_t wanted = pri_get_u32(in);
    const char *text = pri_get_bytes(in, wanted);

    *len = text == NULL ? 0 : wanted;
    return text == NULL ? "" : text;
}

void
pri_get_floats(struct reader *in, float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = pri_get_u32(in);
        memcpy(&values[i], &bits, sizeof bits);
        if (!isfinite(values[i]))
            pri_get_fail(in, "a number in it is not finite");
    }
}

void
pri_get_doubles(struct reader *in, double *values, size_t count, int gaps)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = pri_get_f64(in);
        if (isinf(values[i]) || (isnan(values[i]) && !gaps))
            pri_get_fail(in, "a number in it is not finite");
    }
}

uint64_t
pri_get_tally(struct reader *in)
{
    uint64_t count = pri_get_u64(in);

    if (count > PRI_TALLY_MOST)
        pri_get_fail(in, "a count in it is out of range");
    return count < PRI_TALLY_MOST / 2 ? count : PRI_TALLY_MOST / 2;
}

double
pri_get_within(struct reader *in, double most, int gaps)
{
    double value;

    pri_get_doubles(in, &value, 1, gaps);
    if (fabs(value) > most)
        pri_get_fail(in, "a number in it is out of range");
    return value;
}

double
pri_get_faded(struct reader *in)
{
    double count = pri_get_within(in, (double)PRI_TALLY_MOST, 0);

    if (count < 0.0)
        pri_get_fail(in, "a count in it is below 0");
    return fmin(count, 0.5 * (double)PRI_TALLY_MOST);
}

size_t
pri_get_count(struct reader *in, size_t most, size_t item_bytes)
{
    uint64_t count = pri_get_u64(in);

    if (count > most || count > (size_t)(in->end - in->at) / item_bytes) {
        pri_get_fail(in, "a size in it is out of range");
        return 0;
    }
    return (size_t)count;
}

int
pri_get_section(struct reader *in, char tag[5], struct reader *section)
{
    if (in->fault != NULL || in->at == in->end)
        return 0;
    const void *letters = pri_get_bytes(in, 4);
    uint64_t len = pri_get_u64(in);
    const unsigned char *bytes =
        len > SIZE_MAX ? NULL : pri_get_bytes(in, (size_t)len);
    if (bytes == NULL)
        return 0;
    memcpy(tag, letters, 4);
    tag[4] = '\0';
    *section = (struct reader){.at = bytes, .end = bytes + len};
    return 1;
}
