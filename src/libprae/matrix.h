/*
 * matrix.h - the engine's matrix products; nothing else multiplies.
 *
 * Batches are feature-major: row i holds feature i of every sample, samples
 * lie side by side. A row is `stride` floats, the samples and padding, see
 * pri_batch_stride; padding may be written to. Weights are (out, in), row
 * after row.
 */
#ifndef PRI_MATRIX_H
#define PRI_MATRIX_H

#include <stddef.h>

#include "prae.h"

/* Floats between two rows of a batch of B samples: a whole number of cache
 * lines and never a multiple of 4096 bytes, where rows would evict each
 * other from the cache. */
size_t pri_batch_stride(size_t B);

/* Floats that N take in a batch that was turned over. */
size_t pri_batch_turned(size_t N);

/* BLIS ends the process where it gets no memory for its copies of what is
 * multiplied, which it takes at first use and keeps. Whether there is some,
 * to be asked before that: PRAE_OK or PRAE_ENOMEM. */
prae_status pri_matrix_room(void);

/* y = act(w x + b);  w (out, in), x (in, B), b (out), y (out, B). */
void pri_affine(size_t out, size_t in, size_t B, const float *w, const float *b,
                const float *x, float *y, size_t stride, prae_activation act);

/* dy *= act'(y), both (out, B): from here on dy is by what act was given. */
void pri_affine_back_act(size_t out, size_t B, const float *y, float *dy,
                         size_t stride, prae_activation act);

/* dx = w' dy;  w (out, in), dy (out, B), dx (in, B). */
void pri_affine_back_x(size_t out, size_t in, size_t B, const float *w,
                       const float *dy, float *dx, size_t stride);

/* dw = dy x', db = row sums of dy;  dw (out, in), db (out). TURN is scratch:
 * B rows of pri_batch_turned(in). */
void pri_affine_back_w(size_t out, size_t in, size_t B, const float *dy,
                       const float *x, float *dw, float *db, size_t stride,
                       float *turn);

/* Whether the first and the third take columns of a batch, up to B in all, in
 * any number at once and give the same, to the bit: our own tiles do, and BLIS
 * makes no such promise. */
int pri_affine_is_own(size_t in, size_t B);
int pri_affine_back_x_is_own(size_t out, size_t in);

/* g = x x';  x (rows, cols) with rows side by side, g (rows, rows). */
void pri_gram(size_t rows, size_t cols, const float *x, float *g);

/* The products' maker, version and kernels: "v3, blis 0.9.0 (zen3)". BLIS is
 * not started for it, so it may be asked for at any time. */
const char *pri_matrix_name(void);

#endif
