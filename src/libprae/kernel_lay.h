/*
 * kernel_lay.h - records, one after another, laid feature by feature.
 *
 * Squares of four by four are turned over in registers, eight records at a
 * time: what is read goes on in the order of memory, and half a cache line is
 * written at once.
 */
#ifndef PRI_KERNEL_LAY_H
#define PRI_KERNEL_LAY_H

#include "kernel_vec.h"

#define LAY_ROWS 8

typedef float quad __attribute__((vector_size(16)));
typedef int32_t quad_mask __attribute__((vector_size(16)));

INLINE quad
quad_load(const float *from)
{
    quad q;

    memcpy(&q, from, sizeof q);
    return q;
}

/* Four samples of a feature; a gap becomes 0 in both. */
INLINE void
lay_quad(quad value, float *to, float *seen)
{
    if (seen != NULL) {
        /* NOLINTNEXTLINE(misc-redundant-expression): NaN is not itself */
        quad_mask there = value == value;
        quad mark = (quad)(there & (quad_mask)(1.0f - (quad){0}));
        value = (quad)(there & (quad_mask)value);
        memcpy(seen, &mark, sizeof mark);
    }
    memcpy(to, &value, sizeof value);
}

/* Four features, from the D-th on, of four records. */
INLINE void
lay_square(const float *const *row, size_t d, size_t stride, float *to,
           float *seen)
{
    quad a = quad_load(row[0] + d), b = quad_load(row[1] + d);
    quad c = quad_load(row[2] + d), e = quad_load(row[3] + d);
    quad ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    quad ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    quad ce_low = __builtin_shufflevector(c, e, 0, 4, 1, 5);
    quad ce_high = __builtin_shufflevector(c, e, 2, 6, 3, 7);
    quad out[4] = {__builtin_shufflevector(ab_low, ce_low, 0, 1, 4, 5),
                   __builtin_shufflevector(ab_low, ce_low, 2, 3, 6, 7),
                   __builtin_shufflevector(ab_high, ce_high, 0, 1, 4, 5),
                   __builtin_shufflevector(ab_high, ce_high, 2, 3, 6, 7)};

    UNROLL
    for (size_t i = 0; i < 4; i++)
        lay_quad(out[i], to + i * stride,
                 seen == NULL ? seen : seen + i * stride);
}

/* Features FROM to D of one record, without more ado. */
static void
lay_rest(const float *row, size_t from, size_t D, size_t stride, float *to,
         float *seen)
{
    for (size_t d = from; d < D; d++) {
        float value = row[d];
        int there = value == value;
        to[d * stride] = there || seen == NULL ? value : 0.0f;
        if (seen != NULL)
            seen[d * stride] = there ? 1.0f : 0.0f;
    }
}

INLINE void
lay_rows(const float *const *row, size_t D, size_t stride, float *to,
         float *seen)
{
    size_t whole = D / 4 * 4;

    for (size_t d = 0; d < whole; d += 4) {
        UNROLL
        for (size_t j = 0; j < LAY_ROWS; j += 4)
            lay_square(row + j, d, stride, to + d * stride + j,
                       seen == NULL ? seen : seen + d * stride + j);
    }
    for (size_t j = 0; j < LAY_ROWS; j++)
        lay_rest(row[j], whole, D, stride, to + j,
                 seen == NULL ? seen : seen + j);
}

/* Where ROWS rows from the J-th on are, APART floats from each other. In two
 * loops: of one the compiler makes loads that are masked where there is no
 * order, and from nowhere these take a hundred times as long. */
INLINE void
find_rows(const float *x, size_t apart, const uint32_t *order, size_t j,
          size_t rows, const float **row)
{
    if (order == NULL)
        for (size_t r = 0; r < rows; r++)
            row[r] = x + (j + r) * apart;
    else
        for (size_t r = 0; r < rows; r++)
            row[r] = x + order[j + r] * apart;
}

/* As kernel.h says, of rows that are APART; those of TO lie
 * TO_ROW after each other. */
static void
lay_apart(const float *x, size_t apart, size_t D, const uint32_t *order,
          size_t B, size_t to_row, float *to, float *seen)
{
    const float *row[LAY_ROWS];
    size_t whole = B / LAY_ROWS * LAY_ROWS;

    for (size_t j = 0; j < B; j += LAY_ROWS) {
        size_t rows = j < whole ? LAY_ROWS : B - whole;
        find_rows(x, apart, order, j, rows, row);
        if (rows < LAY_ROWS)
            for (size_t r = 0; r < rows; r++)
                lay_rest(row[r], 0, D, to_row, to + j + r,
                         seen == NULL ? seen : seen + j + r);
        else if (seen == NULL)
            lay_rows(row, D, to_row, to + j, NULL);
        else
            lay_rows(row, D, to_row, to + j, seen + j);
    }
}

static void
lay(const float *x, size_t D, const uint32_t *order, size_t B, size_t stride,
    float *to, float *seen)
{
    lay_apart(x, D, D, order, B, stride, to, seen);
}

#endif
