/* shape.h - which net suits a table, where the caller leaves it open. */
#ifndef PRI_SHAPE_H
#define PRI_SHAPE_H

#include "net.h"

/*
 * Lays out NET for X (N, D) in the net's units, by PARAMS or by the rule
 * below, and gives it random weights.
 *
 *   D <= 64: D-10-10-10-10-10-1-10-10-10-10-10-D
 *   D >  64: D-q-D, linear, q the number of directions X spreads over
 *
 * PRAE_OK or PRAE_ENOMEM.
 */
prae_status pri_shape_net(struct net *net, const prae_params *params,
                          const float *x, size_t N, size_t D);

#endif
