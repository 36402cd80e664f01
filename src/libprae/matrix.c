/*
 * matrix.c - products by our own tiles, and of what is wide on BLIS, through
 * its typed interface and with one thread a call: its second one costs more
 * than it brings at these sizes.
 */
#include "matrix.h"

#include <blis.h>

#include <stdio.h>
#include <stdlib.h>

#include "kernel.h"

/*
 * Where BLIS, which first copies its operands into shape, is faster than our
 * tiles, which read them where they lie: once these no longer stay in the
 * cache. Measured with AVX2 on widths of 10 to 4096 and batches of 64 to 256,
 * where both get 80 to 95 % of what the processor can do; at a width of 10
 * BLIS gets a third, and our tiles of 2000 by 4096 a fifth.
 */
#define WIDE_FORWARD ((size_t)1 << 16) /* floats of x */
#define WIDE_BACK_X ((size_t)1 << 16)  /* weights */
#define WIDE_BACK_W ((size_t)1 << 18)  /* floats of x */

/* What BLIS 0.9 takes for a thread is below 5 MiB on all processors. */
#define BLIS_BYTES ((size_t)16 << 20)

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

prae_status
pri_matrix_room(void)
{
    /* Volatile, or the compiler knows the answer. */
    void *volatile block = malloc(BLIS_BYTES);
    prae_status status = block == NULL ? PRAE_ENOMEM : PRAE_OK;

    free(block);
    return status;
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

size_t
pri_batch_turned(size_t N)
{
    return (N + 15) / 16 * 16;
}

int
pri_affine_is_own(size_t in, size_t B)
{
    return in * B <= WIDE_FORWARD;
}

int
pri_affine_back_x_is_own(size_t out, size_t in)
{
    return out * in <= WIDE_BACK_X;
}

void
pri_affine(size_t out, size_t in, size_t B, const float *w, const float *b,
           const float *x, float *y, size_t stride, prae_activation act)
{
    if (pri_affine_is_own(in, B)) {
        pri_kernel()->affine(out, in, B, w, b, x, y, stride, act);
        return;
    }
    for (size_t i = 0; i < out; i++)
        for (size_t j = 0; j < B; j++)
            y[i * stride + j] = b[i];
    product(out, B, in, w, in, 1, x, stride, 1, 1.0f, y, stride);
    pri_kernel()->activate(act, out, B, y, stride);
}

void
pri_affine_back_act(size_t out, size_t B, const float *y, float *dy,
                    size_t stride, prae_activation act)
{
    pri_kernel()->activate_back(act, out, B, y, dy, stride);
}

void
pri_affine_back_x(size_t out, size_t in, size_t B, const float *w,
                  const float *dy, float *dx, size_t stride)
{
    if (!pri_affine_back_x_is_own(out, in))
        product(in, B, out, w, 1, in, dy, stride, 1, 0.0f, dx, stride);
    else
        pri_kernel()->affine_back_x(out, in, B, w, dy, dx, stride);
}

void
pri_affine_back_w(size_t out, size_t in, size_t B, const float *dy,
                  const float *x, float *dw, float *db, size_t stride,
                  float *turn)
{
    if (in * B <= WIDE_BACK_W) {
        pri_kernel()->affine_back_w(out, in, B, dy, x, dw, db, stride, turn);
        return;
    }
    product(out, in, B, dy, stride, 1, x, 1, stride, 0.0f, dw, in);
    pri_kernel()->sums(out, B, dy, stride, db);
}

void
pri_gram(size_t rows, size_t cols, const float *x, float *g)
{
    product(rows, rows, cols, x, cols, 1, x, 1, cols, 0.0f, g, rows);
}

/* Which of BLIS's kernels fit, as it would find out at its start: that takes
 * memory, and without it ends the process, so it is not for a question.
 * Where they are told by its variable it knows only then. */
static const char *
arch_name(void)
{
    static const char variable[] = "BLIS_ARCH_TYPE";

    if (getenv(variable) != NULL)
        return variable;
    size_t id = (size_t)bli_arch_query_id();
    return id < BLIS_NUM_ARCHS ? bli_arch_string((arch_t)id) : "unknown";
}

const char *
pri_matrix_name(void)
{
    /* Per thread, so that no two callers write the same text at once. */
    static _Thread_local char name[80];

    snprintf(name, sizeof name, "%s, blis %s (%s)", pri_kernel()->name,
             bli_info_get_version_str(), arch_name());
    return name;
}
