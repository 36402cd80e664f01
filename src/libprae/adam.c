/* adam.c - one fused pass over the weights a step. */
#include "adam.h"

#include <math.h>

#include "mem.h"

#define BETA1 0.9f
#define BETA2 0.999f
#define EPSILON 1e-8f

prae_status
pri_adam_init(struct adam *adam, size_t count)
{
    *adam = (struct adam){.count = count};
    adam->mean = pri_floats_new(count);
    adam->square = pri_floats_new(count);
    if (adam->mean == NULL || adam->square == NULL) {
        pri_adam_fini(adam);
        return PRAE_ENOMEM;
    }
    return PRAE_OK;
}

void
pri_adam_fini(struct adam *adam)
{
    free(adam->mean);
    free(adam->square);
    *adam = (struct adam){0};
}

struct adam_step
pri_adam_begin(struct adam *adam, double rate)
{
    /* Both means start at 0 and are corrected for it. The corrections are
     * folded into the rate and the root, out of the loop. */
    adam->steps++;
    double t = (double)adam->steps;
    return (struct adam_step){
        .beta1 = BETA1,
        .beta2 = BETA2,
        .epsilon = EPSILON,
        .rate = (float)(rate / (1.0 - pow((double)BETA1, t))),
        .root = (float)(1.0 / sqrt(1.0 - pow((double)BETA2, t)))};
}

void
pri_adam_move(struct adam *adam, const struct adam_step *step, size_t from,
              size_t count, float *param, const float *grad)
{
    pri_kernel()->adam(step, count, grad + from, adam->mean + from,
                       adam->square + from, param + from);
}

void
pri_adam_step(struct adam *adam, float *param, const float *grad, double rate)
{
    struct adam_step step = pri_adam_begin(adam, rate);

    pri_adam_move(adam, &step, 0, adam->count, param, grad);
}
