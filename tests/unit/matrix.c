/*
 * matrix.c - the products against plain loops in double, for shapes that
 * fit no vector register. The padding of inputs is NaN, so a product that it
 * gets into shows; behind outputs there is a mark, so one that writes there
 * shows too.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "matrix.h"
#include "mem.h"
#include "paths.h"
#include "rng.h"
#include "tap.h"

#define MARK 12345.0f

static const struct shape {
    size_t out, in, B;
} shapes[] = {{1, 1, 1},      {1, 1, 17},    {3, 2, 5},     {2, 3, 1},
              {10, 7, 16},    {7, 10, 17},   {5, 1, 33},    {1, 9, 31},
              {10, 10, 64},   {24, 100, 63}, {100, 24, 64}, {65, 33, 15},
              {13, 11, 1024}, {300, 301, 7}, {9, 1200, 64}, {40, 1100, 250}};

/* What one shape is tried on; batches are (rows, B) in rows of stride. */
struct trial {
    struct shape s;
    size_t stride;
    float *w, *b, *x, *y, *dx, *dy, *dw, *db;
};

static struct rng rng;

static void
fill(float *block, size_t rows, size_t B, size_t stride)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < stride; j++)
            block[i * stride + j] =
                j < B ? 2.0f * pri_rng_uniform(&rng) - 1.0f : NAN;
}

static float *
filled(size_t rows, size_t B, size_t stride)
{
    float *block = pri_matrix_new(rows, stride);

    NEED(block != NULL);
    fill(block, rows, B, stride);
    return block;
}

static float *
marked(size_t rows, size_t stride)
{
    float *block = pri_matrix_new(rows, stride);

    NEED(block != NULL);
    for (size_t i = 0; i < rows * stride; i++)
        block[i] = MARK;
    return block;
}

/* A copy of BLOCK, to see later that nobody wrote to it. */
static float *
copied(const float *block, size_t count)
{
    float *copy = pri_floats_new(count);

    NEED(copy != NULL);
    return memcpy(copy, block, count * sizeof *block);
}

/* Whether what lies behind the first ROWS still has its mark. */
static int
is_kept(const float *block, size_t rows, size_t stride)
{
    for (size_t j = 0; j < stride; j++)
        if (block[rows * stride + j] != MARK)
            return 0;
    return 1;
}

/* Worst distance of t's three products from plain loops. */
static double
affine_off(const struct trial *t)
{
    double worst = 0.0;

    for (size_t i = 0; i < t->s.out; i++)
        for (size_t j = 0; j < t->s.B; j++) {
            double sum = (double)t->b[i];
            for (size_t k = 0; k < t->s.in; k++)
                sum += (double)t->w[i * t->s.in + k] *
                       (double)t->x[k * t->stride + j];
            worst = fmax(worst, fabs(sum - (double)t->y[i * t->stride + j]));
        }
    return worst;
}

static double
back_x_off(const struct trial *t)
{
    double worst = 0.0;

    for (size_t k = 0; k < t->s.in; k++)
        for (size_t j = 0; j < t->s.B; j++) {
            double sum = 0.0;
            for (size_t i = 0; i < t->s.out; i++)
                sum += (double)t->w[i * t->s.in + k] *
                       (double)t->dy[i * t->stride + j];
            worst = fmax(worst, fabs(sum - (double)t->dx[k * t->stride + j]));
        }
    return worst;
}

static double
back_w_off(const struct trial *t)
{
    double worst = 0.0;

    for (size_t i = 0; i < t->s.out; i++) {
        double row = 0.0;
        for (size_t j = 0; j < t->s.B; j++)
            row += (double)t->dy[i * t->stride + j];
        worst = fmax(worst, fabs(row - (double)t->db[i]));
        for (size_t k = 0; k < t->s.in; k++) {
            double sum = 0.0;
            for (size_t j = 0; j < t->s.B; j++)
                sum += (double)t->dy[i * t->stride + j] *
                       (double)t->x[k * t->stride + j];
            worst = fmax(worst, fabs(sum - (double)t->dw[i * t->s.in + k]));
        }
    }
    return worst;
}

static void
check_shape(struct shape s)
{
    size_t stride = pri_batch_stride(s.B);
    struct trial t = {.s = s,
                      .stride = stride,
                      .w = filled(s.out, s.in, s.in),
                      .b = filled(1, s.out, s.out),
                      .x = filled(s.in, s.B, stride),
                      .dy = filled(s.out, s.B, stride),
                      .y = marked(s.out + 1, stride),
                      .dx = marked(s.in + 1, stride),
                      .dw = marked(s.out + 1, s.in),
                      .db = marked(2, s.out)};
    float *x = copied(t.x, s.in * stride), *w = copied(t.w, s.out * s.in);
    float *dy = copied(t.dy, s.out * stride);
    char name[64];

    float *turn = marked(s.B + 1, pri_batch_turned(s.in));
    pri_affine(s.out, s.in, s.B, t.w, t.b, t.x, t.y, stride,
               PRAE_ACTIVATION_LINEAR);
    pri_affine_back_x(s.out, s.in, s.B, t.w, t.dy, t.dx, stride);
    pri_affine_back_w(s.out, s.in, s.B, t.dy, t.x, t.dw, t.db, stride, turn);

    snprintf(name, sizeof name, "(%zu, %zu, %zu)", s.out, s.in, s.B);
    ok(affine_off(&t) < 1e-6 * (double)(s.in + 4), "y = w x + b %s", name);
    ok(back_x_off(&t) < 1e-6 * (double)(s.out + 4), "dx = w' dy %s", name);
    ok(back_w_off(&t) < 1e-6 * (double)(s.B + 4),
       "dw = dy x' and db its sums %s", name);
    ok(is_kept(t.y, s.out, stride) && is_kept(t.dx, s.in, stride) &&
           is_kept(t.dw, s.out, s.in) && is_kept(t.db, 1, s.out) &&
           is_kept(turn, s.B, pri_batch_turned(s.in)),
       "nothing behind results is written to %s", name);
    ok(memcmp(x, t.x, s.in * stride * sizeof *x) == 0 &&
           memcmp(w, t.w, s.out * s.in * sizeof *w) == 0 &&
           memcmp(dy, t.dy, s.out * stride * sizeof *dy) == 0,
       "operands stay as they were %s", name);

    float *blocks[] = {t.w,  t.b,  t.x, t.y, t.dx, t.dy,
                       t.dw, t.db, x,   w,   dy,   turn};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        free(blocks[i]);
}

static void
check_gram(size_t rows, size_t cols)
{
    float *x = filled(rows, cols, cols), *g = marked(rows, rows);
    double worst = 0.0;

    pri_gram(rows, cols, x, g);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < rows; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < cols; k++)
                sum += (double)x[i * cols + k] * (double)x[j * cols + k];
            worst = fmax(worst, fabs(sum - (double)g[i * rows + j]));
        }
    ok(worst < 1e-6 * (double)(cols + 4), "g = x x' (%zu, %zu)", rows, cols);
    free(x);
    free(g);
}

static void
check_stride(void)
{
    int wide = 1, lines = 1, apart = 1, thrifty = 1;

    for (size_t B = 1; B <= 70000; B++) {
        size_t stride = pri_batch_stride(B);
        wide = wide && stride >= B;
        lines = lines && stride % 16 == 0;
        apart = apart && stride * sizeof(float) % 4096 != 0;
        thrifty = thrifty && stride < B + 32;
    }
    ok(wide, "a stride holds its batch");
    ok(lines, "a stride is whole cache lines");
    ok(apart, "a stride is never a multiple of 4096 bytes");
    ok(thrifty, "a stride pads by less than two lines");
}

/* In a process of its own, as BLIS ends that where it is started without
 * memory: so this comes before any product. TOLD: which of its kernels BLIS is
 * to have is said by what it reads, which it needs to be started for. */
static void
check_name(int told)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    int status;
    pid_t child = fork();

    NEED(child >= 0);
    if (child == 0) {
        struct rlimit none = {0, 0};
        if ((told && setenv("BLIS_ARCH_TYPE", "0", 1) != 0) ||
            setrlimit(RLIMIT_AS, &none) != 0 ||
            setrlimit(RLIMIT_CORE, &none) != 0)
            _exit(2);
        void *volatile block; /* or the compiler leaves them out */
        for (size_t len = (size_t)1 << 20; len > 0; len /= 2)
            do {
                block = malloc(len);
            } while (block != NULL);
        _exit(strstr(pri_matrix_name(), "blis ") == NULL ? 1 : 0);
    }
    NEED(waitpid(child, &status, 0) == child);
    ok(status == 0, "the products say whose they are without memory%s",
       told ? ", and which is told" : "");
#else
    (void)told; /* sanitizers need memory of their own */
#endif
}

int
main(void)
{
    static const size_t grams[][2] = {{1, 1}, {5, 3}, {17, 100}, {64, 9}};

    pri_rng_init(&rng, 11, 1);
    check_name(0);
    check_name(1);
    check_stride();
    for (size_t at = 0; next_path(&at);)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            check_shape(shapes[i]);
    for (size_t i = 0; i < sizeof grams / sizeof *grams; i++)
        check_gram(grams[i][0], grams[i][1]);
    ok(strstr(pri_matrix_name(), "blis ") != NULL,
       "the products say whose they are");
    return tap_done();
}
