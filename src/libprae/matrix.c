/*
 * matrix.c - products on BLIS, through its typed interface and with one
 * thread a call: a second thread costs more than it brings at these sizes,
 * and whoever wants cores runs several models.
 */
#include "matrix.h"

#include <blis.h>

#include <stdio.h>

#define FEW 4            /* columns; a stride is never less */
#define FEW_WEIGHTS 4096 /* of a layer */

/* c (m, n) = beta c + a (m, k) b (k, n), each with its row and column step.
 * BLIS takes its operands without const and does not write to them. */
static void
product(size_t m, size_t n, size_t k, const float *a, size_t a_row,
        size_t a_col, const float *b, size_t b_row, size_t b_col, float beta,
        float *c, size_t c_row)
{
    rntm_t one_thread = BLIS_RNTM_INITIALIZER;
    float alpha = 1.0f;

    bli_rntm_set_num_threads(1, &one_thread);
    bli_sgemm_ex(BLIS_NO_TRANSPOSE, BLIS_NO_TRANSPOSE, (dim_t)m, (dim_t)n,
                 (dim_t)k, &alpha, (float *)a, (inc_t)a_row, (inc_t)a_col,
                 (float *)b, (inc_t)b_row, (inc_t)b_col, &beta, c, (inc_t)c_row,
                 1, NULL, &one_thread);
}

size_t
pri_batch_stride(size_t B)
{
    size_t line = 64 / sizeof(float);
    size_t stride = (B + line - 1) / line * line;

    if (stride % (4096 / sizeof(float)) == 0)
        stride += line;
    return stride;
}

/* The same for up to FEW columns and a layer that is not wide, where a call
 * of BLIS costs more than it brings. Columns beyond B are padding: read, as
 * that is faster, and of no consequence. */
static void
affine_few(size_t out, size_t in, size_t B, const float *w, const float *b,
           const float *x, float *y, size_t stride)
{
    for (size_t i = 0; i < out; i++) {
        float even[FEW], odd[FEW] = {0.0f};
        const float *row = w + i * in;
        size_t k = 0;
        for (size_t j = 0; j < FEW; j++)
            even[j] = b[i];
        for (; k + 1 < in; k += 2) {
            for (size_t j = 0; j < FEW; j++)
                even[j] += row[k] * x[k * stride + j];
            for (size_t j = 0; j < FEW; j++)
                odd[j] += row[k + 1] * x[(k + 1) * stride + j];
        }
        for (size_t j = 0; k < in && j < FEW; j++)
            even[j] += row[k] * x[k * stride + j];
        for (size_t j = 0; j < B; j++)
            y[i * stride + j] = even[j] + odd[j];
    }
}

void
pri_affine(size_t out, size_t in, size_t B, const float *w, const float *b,
           const float *x, float *y, size_t stride)
{
    if (B <= FEW && out * in <= FEW_WEIGHTS) {
        affine_few(out, in, B, w, b, x, y, stride);
        return;
    }
    for (size_t i = 0; i < out; i++)
        for (size_t j = 0; j < B; j++)
            y[i * stride + j] = b[i];
    product(out, B, in, w, in, 1, x, stride, 1, 1.0f, y, stride);
}

void
pri_affine_back_x(size_t out, size_t in, size_t B, const float *w,
                  const float *dy, float *dx, size_t stride)
{
    product(in, B, out, w, 1, in, dy, stride, 1, 0.0f, dx, stride);
}

void
pri_affine_back_w(size_t out, size_t in, size_t B, const float *dy,
                  const float *x, float *dw, float *db, size_t stride)
{
    product(out, in, B, dy, stride, 1, x, 1, stride, 0.0f, dw, in);
    for (size_t i = 0; i < out; i++) {
        float sum = 0.0f;
        for (size_t j = 0; j < B; j++)
            sum += dy[i * stride + j];
        db[i] = sum;
    }
}

void
pri_gram(size_t rows, size_t cols, const float *x, float *g)
{
    product(rows, rows, cols, x, cols, 1, x, 1, cols, 0.0f, g, rows);
}

void
pri_cross(size_t rows, size_t others, size_t cols, const float *x,
          const float *y, float *g)
{
    product(rows, others, cols, x, cols, 1, y, 1, cols, 0.0f, g, others);
}

const char *
pri_matrix_name(void)
{
    /* Per thread, so that no two callers write the same text at once. */
    static _Thread_local char name[80];

    bli_init(); /* else the question may come before BLIS knows */
    snprintf(name, sizeof name, "blis %s (%s)", bli_info_get_version_str(),
             bli_arch_string(bli_arch_query_id()));
    return name;
}
