/*
 * kernel.c - every kind of inner loops against BLIS, libm and plain counts,
 * and the choice among them. Padding is NaN.
 */
#include <blis.h>
#include <string.h>

#include "kernel.h"
#include "matrix.h"
#include "mem.h"
#include "paths.h"
#include "rng.h"
#include "tap.h"

#define TIMES 60 /* shapes, at random */
#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct rng rng;

static float *
filled(size_t rows, size_t used, size_t stride)
{
    float *block = pri_matrix_new(rows, stride);

    NEED(block != NULL);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < stride; j++)
            block[i * stride + j] =
                j < used ? 2.0f * pri_rng_uniform(&rng) - 1.0f : NAN;
    return block;
}

/* c (m, n) = a (m, k) b (k, n) by BLIS; steps are a row's and a column's. */
static void
blis(size_t m, size_t n, size_t k, const float *a, size_t a_row, size_t a_col,
     const float *b, size_t b_row, size_t b_col, float *c, size_t c_row)
{
    float one = 1.0f, zero = 0.0f;

    bli_sgemm(BLIS_NO_TRANSPOSE, BLIS_NO_TRANSPOSE, (dim_t)m, (dim_t)n,
              (dim_t)k, &one, (float *)a, (inc_t)a_row, (inc_t)a_col,
              (float *)b, (inc_t)b_row, (inc_t)b_col, &zero, c, (inc_t)c_row,
              1);
}

static double
apart(const float *a, const float *b, size_t rows, size_t cols, size_t stride)
{
    double worst = 0.0;

    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) {
            double off =
                fabs((double)a[i * stride + j] - (double)b[i * stride + j]);
            worst = off > worst || isnan(off) ? off : worst;
        }
    return worst;
}

/* The worst of a layer's three products, by what a sum of so many rounds. */
static double
layer_off(size_t out, size_t in, size_t B)
{
    const struct kernel *kernel = pri_kernel();
    size_t stride = pri_batch_stride(B), turned = pri_batch_turned(in);
    float *w = filled(out, in, in), *b = pri_floats_new(out);
    float *x = filled(in, B, stride), *dy = filled(out, B, stride);
    float *y = filled(out, 0, stride), *want_y = filled(out, 0, stride);
    float *dx = filled(in, 0, stride), *want_dx = filled(in, 0, stride);
    float *dw = filled(out, 0, in), *want_dw = filled(out, 0, in);
    float *db = filled(1, 0, out), *turn = filled(B, 0, turned);
    double worst = 0.0;

    kernel->affine(out, in, B, w, b, x, y, stride, PRAE_ACTIVATION_LINEAR);
    kernel->affine_back_x(out, in, B, w, dy, dx, stride);
    kernel->affine_back_w(out, in, B, dy, x, dw, db, stride, turn);
    blis(out, B, in, w, in, 1, x, stride, 1, want_y, stride);
    blis(in, B, out, w, 1, in, dy, stride, 1, want_dx, stride);
    blis(out, in, B, dy, stride, 1, x, 1, stride, want_dw, in);
    worst = fmax(worst, apart(y, want_y, out, B, stride) / (double)(in + 4));
    worst = fmax(worst, apart(dx, want_dx, in, B, stride) / (double)(out + 4));
    worst = fmax(worst, apart(dw, want_dw, out, in, in) / (double)(B + 4));
    float *blocks[] = {w,  b,  x,       dy, y,    want_y,
                       dx, db, want_dx, dw, turn, want_dw};
    for (size_t i = 0; i < COUNT(blocks); i++)
        free(blocks[i]);
    return worst;
}

static void
test_layers(const char *path)
{
    double worst = 0.0;

    for (int i = 0; i < TIMES; i++)
        worst = fmax(worst, layer_off(1 + pri_rng_below(&rng, 40),
                                      1 + pri_rng_below(&rng, 40),
                                      1 + pri_rng_below(&rng, 140)));
    worst = fmax(worst, layer_off(100, 300, 64));
    worst = fmax(worst, layer_off(300, 100, 77));
    if (!ok(worst < 1e-6, "%s: a layer's products are those of BLIS", path))
        printf("# off by %g a term\n", worst);
}

/* A sample alone, and in any place of a batch. */
static void
test_places(const char *path)
{
    const struct kernel *kernel = pri_kernel();
    size_t B = 37, stride = pri_batch_stride(B), one = pri_batch_stride(1);
    float *w = filled(10, 13, 13), *b = filled(1, 10, 10);
    float *x = filled(13, B, stride), *y = filled(10, 0, stride);
    float *own = filled(13, 0, one), *alone = filled(10, 0, one);
    int same = 1;

    kernel->affine(10, 13, B, w, b, x, y, stride, PRAE_ACTIVATION_TANH);
    for (size_t j = 0; j < B; j++) {
        for (size_t i = 0; i < 13; i++)
            own[i * one] = x[i * stride + j];
        kernel->affine(10, 13, 1, w, b, own, alone, one, PRAE_ACTIVATION_TANH);
        for (size_t i = 0; i < 10; i++)
            same &= alone[i * one] == y[i * stride + j];
    }
    ok(same, "%s: a sample's result is the same to the bit in any batch", path);
    float *blocks[] = {w, b, x, y, own, alone};
    for (size_t i = 0; i < COUNT(blocks); i++)
        free(blocks[i]);
}

static void
test_activations(const char *path)
{
    const struct kernel *kernel = pri_kernel();
    size_t B = 101, stride = pri_batch_stride(B);
    float *x = filled(3, B, stride), *y = filled(3, 0, stride);
    float *dy = filled(3, B, stride), *d = filled(3, 0, stride);
    double tanh_off = 0.0, leaky_off = 0.0;

    memcpy(y, x, 3 * stride * sizeof *y);
    memcpy(d, dy, 3 * stride * sizeof *d);
    kernel->activate(PRAE_ACTIVATION_TANH, 3, B, y, stride);
    kernel->activate_back(PRAE_ACTIVATION_TANH, 3, B, y, d, stride);
    for (size_t i = 0; i < 3 * stride; i++) {
        double t = tanh((double)x[i]);
        if (i % stride >= B)
            continue;
        tanh_off = fmax(tanh_off, fabs((double)y[i] - t));
        tanh_off =
            fmax(tanh_off, fabs((double)d[i] - (double)dy[i] * (1.0 - t * t)));
    }
    memcpy(y, x, 3 * stride * sizeof *y);
    memcpy(d, dy, 3 * stride * sizeof *d);
    kernel->activate(PRAE_ACTIVATION_LEAKY, 3, B, y, stride);
    kernel->activate_back(PRAE_ACTIVATION_LEAKY, 3, B, y, d, stride);
    for (size_t i = 0; i < 3 * stride; i++) {
        double slope = x[i] < 0.0f ? 0.01 : 1.0;
        if (i % stride >= B)
            continue;
        leaky_off = fmax(leaky_off, fabs((double)y[i] - slope * (double)x[i]));
        leaky_off = fmax(leaky_off, fabs((double)d[i] - slope * (double)dy[i]));
    }
    ok(tanh_off < 1e-6, "%s: tanh and its slope", path);
    ok(leaky_off < 1e-7, "%s: the leaky activation and its slope", path);
    free(x);
    free(y);
    free(dy);
    free(d);
}

static void
test_counts(const char *path)
{
    const struct kernel *kernel = pri_kernel();
    static const size_t counts[] = {0, 1, 2, 3, 17, 64, 1000};
    size_t wrong = 0;

    for (size_t c = 0; c < COUNT(counts); c++) {
        size_t count = counts[c];
        float *sorted = pri_floats_new(count + 1), asked[19];
        uint32_t below[19];
        for (size_t i = 0; i < count; i++) {
            const size_t third = i / 3; /* some are the same */
            sorted[i] = (float)third;
        }
        for (size_t i = 0; i < 19; i++)
            asked[i] = 0.5f * (float)i * (float)(count + 1) / 19.0f - 0.5f;
        asked[3] = INFINITY;
        asked[4] = 2.0f;
        kernel->count_below(sorted, count, asked, 19, below);
        for (size_t i = 0; i < 19; i++) {
            size_t want = 0;
            for (size_t k = 0; k < count; k++)
                want += sorted[k] < asked[i];
            wrong += below[i] != want;
        }
        free(sorted);
    }
    ok(wrong == 0, "%s: values are counted that are below others", path);
}

static void
test_earlier(const char *path)
{
    static const size_t lags[] = {0, 1, 5, 16, 31, 32, 33, 70, 99};
    float value[100], others[100];
    uint32_t least[101];
    size_t wrong = 0;

    for (size_t i = 0; i < 100; i++) {
        value[i] = (float)pri_rng_below(&rng, 20);
        others[i] = (float)pri_rng_below(&rng, 20);
    }
    for (size_t l = 0; l < COUNT(lags); l++) {
        for (size_t N = lags[l]; N <= 100; N++) {
            least[N] = 77;
            pri_kernel()->count_earlier(others, lags[l], value, N, least);
            for (size_t k = 0; k < N; k++) {
                size_t want = 0;
                for (size_t i = 0; i + lags[l] < k; i++)
                    want += others[i] >= value[k];
                wrong += least[k] != want;
            }
            wrong += least[N] != 77;
        }
    }
    ok(wrong == 0, "%s: of values before others the larger are counted", path);
}

static int
ascending(const void *left, const void *right)
{
    float a = *(const float *)left, b = *(const float *)right;

    return (a > b) - (a < b);
}

/* Any number leave of any number, and others come, by a sort. */
static void
test_exchange(const char *path)
{
    size_t wrong = 0;

    for (size_t time = 0; time < 40 * TIMES; time++) {
        float before[96] = {0}, after[96], want[80], gone[40], come[40];
        size_t count = pri_rng_below(&rng, 41), N = pri_rng_below(&rng, 41);
        size_t leave = pri_rng_below(&rng, (uint32_t)count + 1);
        size_t kinds = 1 + pri_rng_below(&rng, 60);
        for (size_t i = 0; i < count + N; i++)
            want[i] = (float)pri_rng_below(&rng, (uint32_t)kinds);
        if (count > leave)
            want[0] = INFINITY;
        memcpy(before, want, count * sizeof *want);
        memcpy(gone, want + count - leave, leave * sizeof *want);
        memcpy(come, want + count, N * sizeof *want);
        memmove(want + count - leave, come, N * sizeof *want);
        qsort(before, count, sizeof *before, ascending);
        qsort(gone, leave, sizeof *gone, ascending);
        qsort(come, N, sizeof *come, ascending);
        qsort(want, count - leave + N, sizeof *want, ascending);
        pri_kernel()->exchange(before, count, gone, leave, come, N, after);
        wrong += memcmp(after, want, (count - leave + N) * sizeof *want) != 0;
    }
    ok(wrong == 0, "%s: values come and go in order", path);
}

/* Whether records are laid out as they would be by hand, of WIDTH features
 * and B of them, and nothing else is written. */
static int
lays_right(size_t width, size_t B, int ordered, int gaps)
{
    size_t stride = pri_batch_stride(B + 1), N = 2 * B;
    float *x = filled(N, width, width), *to = pri_matrix_new(width, stride);
    float *seen = pri_matrix_new(width, stride);
    uint32_t *order = pri_block_new(B, sizeof *order);
    int right = 1;

    NEED(to != NULL && seen != NULL && order != NULL);
    for (size_t i = 0; gaps && i < N * width; i += 1 + pri_rng_below(&rng, 9))
        x[i] = NAN;
    for (size_t j = 0; j < B; j++)
        order[j] = pri_rng_below(&rng, (uint32_t)N);
    for (size_t i = 0; i < width * stride; i++)
        to[i] = seen[i] = 7.0f;
    pri_kernel()->lay(x, width, ordered ? order : NULL, B, stride, to,
                      gaps ? seen : NULL);
    for (size_t d = 0; d < width; d++)
        for (size_t j = 0; j < stride; j++) {
            size_t at = d * stride + j;
            float value =
                j < B ? x[(ordered ? order[j] : j) * width + d] : 7.0f;
            float mark = !gaps || j >= B ? 7.0f : isnan(value) ? 0.0f : 1.0f;
            right = right && seen[at] == mark &&
                    to[at] == (isnan(value) ? 0.0f : value);
        }
    free(x);
    free(to);
    free(seen);
    free(order);
    return right;
}

static void
test_laying(const char *path)
{
    int right = 1;

    for (size_t width = 1; width <= 35; width += width < 9 ? 1 : 13)
        for (size_t B = 1; B <= 41; B += B < 17 ? 1 : 8)
            for (int how = 0; how < 4; how++)
                right = right && lays_right(width, B, how % 2, how / 2);
    ok(right, "%s: records are laid out, gaps marked, nothing else written",
       path);
}

int
main(void)
{
    pri_rng_init(&rng, 5, 1);
    const char *best = pri_kernel()->name;
    ok(prae_kernel_use("sse9") == PRAE_EINVAL &&
           prae_kernel_use(NULL) == PRAE_EINVAL &&
           prae_kernel_use("") == PRAE_EINVAL && pri_kernel()->name == best,
       "no kind of that name, and nothing changes");
    ok(strncmp(prae_version_kernels(), best, strlen(best)) == 0,
       "the version tells the kind in use");
    for (size_t at = 0; next_path(&at);) {
        const char *path = pri_kernel()->name;
        test_layers(path);
        test_places(path);
        test_activations(path);
        test_counts(path);
        test_earlier(path);
        test_exchange(path);
        test_laying(path);
    }
    ok(prae_kernel_use("baseline") == PRAE_OK, "the baseline runs anywhere");
    return tap_done();
}
