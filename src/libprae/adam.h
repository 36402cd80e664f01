/* adam.h - the weights' update (Kingma and Ba 2015). */
#ifndef PRI_ADAM_H
#define PRI_ADAM_H

#include <stddef.h>
#include <stdint.h>

#include "kernel.h"
#include "prae.h"

struct adam {
    size_t count;   /* parameters */
    uint64_t steps; /* taken so far */
    float *mean;    /* (count) running mean of the gradient */
    float *square;  /* (count) running mean of its square */
};

/* PRAE_OK or PRAE_ENOMEM. */
prae_status pri_adam_init(struct adam *adam, size_t count);
void pri_adam_fini(struct adam *adam);

/* One step of PARAM (count) against GRAD (count) at RATE. */
void pri_adam_step(struct adam *adam, float *param, const float *grad,
                   double rate);

/* The same in parts: what holds for all of the next step, and COUNT of the
 * parameters from FROM on, in any order. */
struct adam_step pri_adam_begin(struct adam *adam, double rate);
void pri_adam_move(struct adam *adam, const struct adam_step *step, size_t from,
                   size_t count, float *param, const float *grad);

#endif
