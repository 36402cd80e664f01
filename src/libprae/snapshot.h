/*
 * snapshot.h - all that was learned, to bytes and back; prae-snapshot(5).
 *
 *   "PRAESNAP"  u32 version  u32 zero  u64 length  u64 xxh64 of the rest
 *   sections: four letters, u64 length, bytes; unknown ones are skipped
 */
#ifndef PRI_SNAPSHOT_H
#define PRI_SNAPSHOT_H

#include "feature.h"
#include "learner.h"

#define PRI_SNAPSHOT_VERSION 2

/* A text of the snapshot, as long as its bytes are there; NULL: none. */
struct snapshot_text {
    const char *text;
    size_t len;
};

struct snapshot_meta {
    uint64_t window_number;              /* of the next window */
    struct snapshot_text fields, ignore; /* read: the parameters of these
                                            names that become the caller's */
};

/* Appends a snapshot to BUFFER. PRAE_OK or PRAE_ENOMEM. */
prae_status pri_snapshot_write(const struct features *features,
                               const struct learner *learner,
                               const struct snapshot_meta *meta,
                               prae_buffer *buffer);

/*
 * Fills FEATURES and LEARNER, both just initialised or zeroed, from BYTES
 * (LEN). PARAMS are the caller's; those that shape the model are taken from
 * the snapshot, and must be the defaults or the same. PRAE_OK, PRAE_ENOMEM,
 * or PRAE_ESNAPSHOT with a sentence in WHY. After a failure both are to be
 * freed.
 */
prae_status pri_snapshot_read(const char *bytes, size_t len,
                              prae_params *params, struct features *features,
                              struct learner *learner,
                              struct snapshot_meta *meta, size_t cap_rows,
                              char *why, size_t why_size);

#endif
