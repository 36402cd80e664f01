/*
 * window.h - step 4: the records that are judged together.
 *
 * A window owns its records' bytes, their vectors and what is found of
 * them. It is filled, judged, emptied and used again; the memory stays.
 */
#ifndef PRI_WINDOW_H
#define PRI_WINDOW_H

#include "learner.h"
#include "record.h"

#define PRI_WINDOW_NO_ROW UINT32_MAX

/* One record in arrival order. */
struct slot {
    size_t at; /* where its bytes start */
    size_t len;
    uint64_t line; /* of its file or message, where that has lines; else 0 */
    uint32_t row;  /* of the vectors, or PRI_WINDOW_NO_ROW for a reject */
    uint32_t why;  /* its first reason; why_count of them follow */
    uint8_t why_count;
    uint8_t fault;  /* enum fault */
    uint8_t parsed; /* the bytes are a value of the format */
};

struct reason {
    uint32_t feature;
    float share;
    double observed, expected;
    char text[96]; /* observed, for strings, in UTF-8; else "" */
};

struct window {
    char *bytes;
    size_t bytes_len;
    size_t bytes_cap;
    struct slot *slot;
    size_t slot_count;
    size_t slot_cap;
    double *x;   /* (rows_cap, D0) */
    size_t rows; /* vectors in use */
    size_t rows_cap;
    size_t D0; /* 0 while the features are not chosen */
    struct findings found;
    struct reason *reason;
    size_t reason_count;
    size_t reason_cap;
    uint64_t first_seq; /* of slot 0 */
};

void pri_window_init(struct window *window);
void pri_window_fini(struct window *window);

/* Empties the window; its memory stays. */
void pri_window_reset(struct window *window, uint64_t first_seq);

/* A new slot with a copy of BYTES (LEN) in *SLOT, valid until the next.
 * PRAE_OK or PRAE_ENOMEM. */
prae_status pri_window_add(struct window *window, const char *bytes, size_t len,
                           struct slot **slot);

/* Room for at least ROWS vectors of D0 and their findings. PRAE_OK or
 * PRAE_ENOMEM. */
prae_status pri_window_reserve(struct window *window, size_t rows, size_t D0);

/* Makes room for one more vector, keeping those there are. PRAE_OK or
 * PRAE_ENOMEM. */
prae_status pri_window_row(struct window *window);

/* Room for COUNT reasons. PRAE_OK or PRAE_ENOMEM. */
prae_status pri_window_reserve_reasons(struct window *window, size_t count);

/* A new reason, or NULL out of memory. */
struct reason *pri_window_reason(struct window *window);

#endif
