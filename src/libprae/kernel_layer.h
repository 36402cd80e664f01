/* kernel_layer.h - activations, and a layer's way forward with its own. */
#include "kernel_product.h"
#include "vmath.h"

#define LEAK 0.01f /* slope of the leaky activation below 0 */

static void
activate(prae_activation act, size_t rows, size_t B, float *y, size_t stride)
{
    for (size_t i = 0; i < rows; i++) {
        float *row = y + i * stride;
        if (act == PRAE_ACTIVATION_TANH)
            for (size_t j = 0; j < B; j++)
                row[j] = pri_tanh(row[j]);
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
