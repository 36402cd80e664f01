/* kernel_all.h - the loops as one table: the body of kernel_base.c and the
 * others, which say what it is called. */
#include "kernel_lay.h"
#include "kernel_layer.h"
#include "kernel_near.h"
#include "kernel_rank.h"
#include "kernel_scale.h"
#include "kernel_step.h"

const struct kernel PRI_KERNEL = {.name = PRI_KERNEL_NAME,
                                  .affine = affine,
                                  .affine_back_x = affine_back_x,
                                  .affine_back_w = affine_back_w,
                                  .sums = sums,
                                  .activate = activate,
                                  .activate_back = activate_back,
                                  .lay = lay,
                                  .error = error,
                                  .error_back = error_back,
                                  .misfit = misfit,
                                  .gate_l1 = gate_l1,
                                  .gate_l0 = gate_l0,
                                  .adam = adam,
                                  .weigh = weigh,
                                  .nearest = nearest,
                                  .within = within,
                                  .beside = beside,
                                  .count_below = count_below,
                                  .count_earlier = count_earlier,
                                  .exchange = exchange,
                                  .ranked_value = ranked_value,
                                  .moments = moments,
                                  .scale = scale};
