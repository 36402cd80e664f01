/*
 * snapshot_parts.h - the sections of a snapshot, one function a direction,
 * writer beside reader.
 *
 * Whatever is read was written by a stranger: every count is held against
 * the bytes there are before anything is allocated for it, and what follows
 * from other sizes (the weights' number from the layers) must agree. What is
 * wrong latches in the reader; a status is of memory only.
 */
#ifndef PRI_SNAPSHOT_PARTS_H
#define PRI_SNAPSHOT_PARTS_H

#include "bytes.h"
#include "snapshot.h"

/* ---- snapshot_features.c: FEAT ---- */

void pri_snapshot_put_features(struct writer *out,
                               const struct features *features);
prae_status pri_snapshot_get_features(struct reader *in,
                                      struct features *features,
                                      size_t features_max);

/* ---- snapshot_learner.c: LEAR, of D0 features, and NETW, of D ---- */

void pri_snapshot_put_learner(struct writer *out,
                              const struct learner *learner);
prae_status pri_snapshot_get_learner(struct reader *in,
                                     const prae_params *params, size_t D0,
                                     size_t cap_rows, struct learner *learner);

void pri_snapshot_put_net(struct writer *out, const struct trainer *trainer);
prae_status pri_snapshot_get_net(struct reader *in, const prae_params *params,
                                 size_t D, size_t cap_rows,
                                 struct trainer *trainer);

#endif
