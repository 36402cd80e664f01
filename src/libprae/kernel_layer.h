/* kernel_layer.h - activations, and a layer's way forward with its own. */
#include "kernel_product.h"

#define LEAK 0.01f /* slope of the leaky activation below 0 */

/*
 * tanh x, error below 4e-7: x P(x^2) / Q(x^2), with P and Q of degree 4 the
 * best of that form up to 7.9, from where on tanh is 1 that nearly. Never
 * beyond 1, so 1 - tanh^2 is never negative. NaN stays NaN.
 */
INLINE vec
vec_tanh(vec x)
{
    x = vec_min(vec_all(7.9f), vec_max(vec_all(-7.9f), x));
    vec square = x * x;
    vec above = vec_all(1.5428293e-8f);
    above = above * square + 2.2023511e-5f;
    above = above * square + 3.5790093e-3f;
    above = above * square + 1.3450636e-1f;
    above = above * square + 1.0f;
    vec below = vec_all(8.5989222e-7f);
    below = below * square + 3.4236783e-4f;
    below = below * square + 2.6192306e-2f;
    below = below * square + 4.6783963e-1f;
    below = below * square + 1.0f;
    return x * above / below;
}

static void
activate(prae_activation act, size_t rows, size_t B, float *y, size_t stride)
{
    for (size_t i = 0; i < rows; i++) {
        float *row = y + i * stride;
        if (act == PRAE_ACTIVATION_TANH)
            for (size_t j = 0; j < B; j += LANES)
                vec_store(row + j, vec_tanh(vec_load(row + j)));
        else if (act == PRAE_ACTIVATION_LEAKY)
            for (size_t j = 0; j < B; j++)
                row[j] = row[j] < 0.0f ? LEAK * row[j] : row[j];
    }
}

/* tanh' = 1 - tanh^2. The leaky activation keeps the sign, so y tells which
 * slope it was. */
static void
activate_back(prae_activation act, size_t rows, size_t B, const float *y,
              float *dy, size_t stride)
{
    for (size_t i = 0; i < rows; i++) {
        const float *row = y + i * stride;
        float *d = dy + i * stride;
        if (act == PRAE_ACTIVATION_TANH)
            for (size_t j = 0; j < B; j++)
                d[j] *= 1.0f - row[j] * row[j];
        else if (act == PRAE_ACTIVATION_LEAKY)
            for (size_t j = 0; j < B; j++)
                d[j] = row[j] < 0.0f ? LEAK * d[j] : d[j];
    }
}

static void
affine(size_t out, size_t in, size_t B, const float *w, const float *b,
       const float *x, float *y, size_t stride, prae_activation act)
{
    product(out, B, in, w, in, 1, x, stride, b, y, stride);
    activate(act, out, B, y, stride);
}
