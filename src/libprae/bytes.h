/*
 * bytes.h - numbers to little-endian bytes and back.
 *
 * Both ends latch their failure: write or read much, check once. A reader
 * never goes past its end; after a failure it gives zeros.
 */
#ifndef PRI_BYTES_H
#define PRI_BYTES_H

#include "prae.h"

struct writer {
    prae_buffer *buffer;
    prae_status status;
};

struct reader {
    const unsigned char *at, *end;
    const char *fault; /* what is wrong, NULL while nothing is */
};

void pri_put_bytes(struct writer *out, const void *bytes, size_t len);
void pri_put_u32(struct writer *out, uint32_t value);
void pri_put_u64(struct writer *out, uint64_t value);
void pri_put_f64(struct writer *out, double value);
void pri_put_text(struct writer *out, const char *text, size_t len);
void pri_put_floats(struct writer *out, const float *values, size_t count);
void pri_put_doubles(struct writer *out, const double *values, size_t count);

/* Starts a section TAG (four letters); its length is filled in at the end.
 * Returns what pri_end_section wants. */
size_t pri_begin_section(struct writer *out, const char *tag);
void pri_end_section(struct writer *out, size_t begun);

/* LEN bytes at the reader, or NULL. */
const void *pri_get_bytes(struct reader *in, size_t len);
uint32_t pri_get_u32(struct reader *in);
uint64_t pri_get_u64(struct reader *in);
double pri_get_f64(struct reader *in);

/* A text's bytes, not ended by a 0, and its length. */
const char *pri_get_text(struct reader *in, size_t *len);

/* COUNT numbers to VALUES. Infinities are a fault, NaN only without GAPS. */
void pri_get_floats(struct reader *in, float *values, size_t count);
void pri_get_doubles(struct reader *in, double *values, size_t count, int gaps);

/*
 * A count that is gone on from, and one that fades, so that it is no whole
 * number. Beyond PRI_TALLY_MOST it is a fault, as adding to it might end at 0
 * again; and of more than half of that, half is given, so that what is saved
 * of it later can be read again. No stream has ever had so many.
 */
#define PRI_TALLY_MOST (UINT64_C(1) << 63)

uint64_t pri_get_tally(struct reader *in);
double pri_get_faded(struct reader *in);

/* A number from -MOST to MOST, or with GAPS NaN. */
double pri_get_within(struct reader *in, double most, int gaps);

/* A count that must be at most MOST, and so many that the bytes left could
 * hold ITEM_BYTES each: what makes it safe to allocate for. */
size_t pri_get_count(struct reader *in, size_t most, size_t item_bytes);

/* The next section: its tag's four letters to TAG, its bytes as a reader of
 * their own. 0 at the end or after a fault. */
int pri_get_section(struct reader *in, char tag[5], struct reader *section);

/* Notes WHAT is wrong, if nothing was yet. */
void pri_get_fail(struct reader *in, const char *what);

#endif
