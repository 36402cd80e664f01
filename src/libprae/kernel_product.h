/*
 * kernel_product.h - products of a layer, in tiles that stay in registers:
 * some rows by two vectors of samples, through the whole of what is summed.
 */
#include "kernel_lay.h"

#define TILE_ROWS 6 /* with two vectors each, what registers there are */
#define DOT_OUT 4   /* rows by rows, where samples are summed */
#define DOT_IN 3
#define TURN_WEIGHTS 1024 /* of a layer, from which samples are turned, ... */
#define TURN_ROWS 32      /* ... if there are rows enough to make up for it */

/* c (M rows, COLS vectors) = start + a (M, K) b (K, COLS vectors). Steps are
 * in floats; START may be NULL, or has one value for each row. */
INLINE void
tile(size_t M, size_t cols, size_t K, const float *a, size_t a_row,
     size_t a_col, const float *b, size_t b_row, const float *start, float *c,
     size_t c_row)
{
    vec sum[TILE_ROWS][2];

    UNROLL
    for (size_t m = 0; m < M; m++) {
        UNROLL
        for (size_t n = 0; n < cols; n++)
            sum[m][n] = vec_all(start == NULL ? 0.0f : start[m]);
    }
    for (size_t k = 0; k < K; k++) {
        vec right[2];
        UNROLL
        for (size_t n = 0; n < cols; n++)
            right[n] = vec_load(b + k * b_row + n * LANES);
        UNROLL
        for (size_t m = 0; m < M; m++) {
            vec left = vec_all(a[m * a_row + k * a_col]);
            UNROLL
            for (size_t n = 0; n < cols; n++)
                sum[m][n] += left * right[n];
        }
    }
    UNROLL
    for (size_t m = 0; m < M; m++) {
        UNROLL
        for (size_t n = 0; n < cols; n++)
            vec_store(c + m * c_row + n * LANES, sum[m][n]);
    }
}

/* The same for up to TILE_ROWS rows: each count is code of its own. */
INLINE void
tile_rows(size_t M, size_t cols, size_t K, const float *a, size_t a_row,
          size_t a_col, const float *b, size_t b_row, const float *start,
          float *c, size_t c_row)
{
    switch (M) {
    case 1: tile(1, cols, K, a, a_row, a_col, b, b_row, start, c, c_row); break;
    case 2: tile(2, cols, K, a, a_row, a_col, b, b_row, start, c, c_row); break;
    case 3: tile(3, cols, K, a, a_row, a_col, b, b_row, start, c, c_row); break;
    case 4: tile(4, cols, K, a, a_row, a_col, b, b_row, start, c, c_row); break;
    case 5: tile(5, cols, K, a, a_row, a_col, b, b_row, start, c, c_row); break;
    default:
        tile(TILE_ROWS, cols, K, a, a_row, a_col, b, b_row, start, c, c_row);
    }
}

/* c (M, N) = start + a (M, K) b (K, N). B's and c's rows have room for N
 * rounded up to whole vectors. */
static void
product(size_t M, size_t N, size_t K, const float *a, size_t a_row,
        size_t a_col, const float *b, size_t b_row, const float *start,
        float *c, size_t c_row)
{
    size_t parts = (M + TILE_ROWS - 1) / TILE_ROWS;

    for (size_t n = 0; n < N; n += TWO_VECS) {
        for (size_t part = 0; part < parts; part++) {
            /* Bounds part M / parts: rows shared out evenly. */
            size_t m = part * M / parts;
            size_t rows = (part + 1) * M / parts - m;
            const float *s = start == NULL ? NULL : start + m;
            if (N - n > LANES)
                tile_rows(rows, 2, K, a + m * a_row, a_row, a_col, b + n, b_row,
                          s, c + m * c_row + n, c_row);
            else
                tile_rows(rows, 1, K, a + m * a_row, a_row, a_col, b + n, b_row,
                          s, c + m * c_row + n, c_row);
        }
    }
}

static void
affine_back_x(size_t out, size_t in, size_t B, const float *w, const float *dy,
              float *dx, size_t stride)
{
    product(in, B, out, w, 1, in, dy, stride, NULL, dx, stride);
}

/* ---- sums over samples ---- */

/* dw (OUT, IN), a corner of a layer's: dots of rows of DY and X. */
INLINE void
dots(size_t out, size_t in, size_t B, const float *dy, const float *x,
     size_t stride, float *dw, size_t dw_row)
{
    vec sum[DOT_OUT][DOT_IN];
    size_t whole = B / LANES * LANES;

    UNROLL
    for (size_t o = 0; o < out; o++) {
        UNROLL
        for (size_t i = 0; i < in; i++)
            sum[o][i] = vec_all(0.0f);
    }
    for (size_t j = 0; j < whole; j += LANES) {
        vec right[DOT_IN];
        UNROLL
        for (size_t i = 0; i < in; i++)
            right[i] = vec_load(x + i * stride + j);
        UNROLL
        for (size_t o = 0; o < out; o++) {
            vec left = vec_load(dy + o * stride + j);
            UNROLL
            for (size_t i = 0; i < in; i++)
                sum[o][i] += left * right[i];
        }
    }
    UNROLL
    for (size_t o = 0; o < out; o++) {
        UNROLL
        for (size_t i = 0; i < in; i++) {
            float dot = vec_sum(sum[o][i]);
            for (size_t j = whole; j < B; j++)
                dot += dy[o * stride + j] * x[i * stride + j];
            dw[o * dw_row + i] = dot;
        }
    }
}

INLINE void
dots_in(size_t out, size_t in, size_t B, const float *dy, const float *x,
        size_t stride, float *dw, size_t dw_row)
{
    if (in == 1)
        dots(out, 1, B, dy, x, stride, dw, dw_row);
    else if (in == 2)
        dots(out, 2, B, dy, x, stride, dw, dw_row);
    else
        dots(out, DOT_IN, B, dy, x, stride, dw, dw_row);
}

static void
dots_all(size_t out, size_t in, size_t B, const float *dy, const float *x,
         size_t stride, float *dw)
{
    size_t out_parts = (out + DOT_OUT - 1) / DOT_OUT;
    size_t in_parts = (in + DOT_IN - 1) / DOT_IN;

    for (size_t q = 0; q < in_parts; q++) {
        size_t i = q * in / in_parts, wide = (q + 1) * in / in_parts - i;
        for (size_t p = 0; p < out_parts; p++) {
            size_t o = p * out / out_parts;
            size_t tall = (p + 1) * out / out_parts - o;
            const float *rows = dy + o * stride, *others = x + i * stride;
            float *to = dw + o * in + i;
            if (tall == 1)
                dots_in(1, wide, B, rows, others, stride, to, in);
            else if (tall == 2)
                dots_in(2, wide, B, rows, others, stride, to, in);
            else if (tall == 3)
                dots_in(3, wide, B, rows, others, stride, to, in);
            else
                dots_in(DOT_OUT, wide, B, rows, others, stride, to, in);
        }
    }
}

/* Of a wide layer: samples are what is summed in a product, once they lie
 * one below the other. The last columns by themselves, as dw has no room
 * behind its rows. */
static void
outer(size_t out, size_t in, size_t B, const float *dy, const float *x,
      size_t stride, float *dw, float *turn)
{
    size_t width = (in + 15) / 16 * 16, whole = in / LANES * LANES;

    lay_apart(x, stride, B, NULL, in, width, turn, NULL);
    product(out, whole, B, dy, stride, 1, turn, width, NULL, dw, in);
    for (size_t o = 0; o < out && whole < in; o += TILE_ROWS) {
        size_t rows = out - o < TILE_ROWS ? out - o : TILE_ROWS;
        float last[TILE_ROWS * LANES];
        tile_rows(rows, 1, B, dy + o * stride, stride, 1, turn + whole, width,
                  NULL, last, LANES);
        for (size_t m = 0; m < rows; m++)
            memcpy(dw + (o + m) * in + whole, last + m * LANES,
                   (in - whole) * sizeof *dw);
    }
}

/* db = row sums of dy (out, B). */
static void
sums(size_t out, size_t B, const float *dy, size_t stride, float *db)
{
    size_t whole = B / LANES * LANES;

    for (size_t o = 0; o < out; o++) {
        const float *row = dy + o * stride;
        vec sum = vec_all(0.0f);
        for (size_t j = 0; j < whole; j += LANES)
            sum += vec_load(row + j);
        db[o] = vec_sum(sum);
        for (size_t j = whole; j < B; j++)
            db[o] += row[j];
    }
}

static void
affine_back_w(size_t out, size_t in, size_t B, const float *dy, const float *x,
              float *dw, float *db, size_t stride, float *turn)
{
    if (out >= TURN_ROWS && out * in >= TURN_WEIGHTS && in >= LANES)
        outer(out, in, B, dy, x, stride, dw, turn);
    else
        dots_all(out, in, B, dy, x, stride, dw);
    sums(out, B, dy, stride, db);
}
