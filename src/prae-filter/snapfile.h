/*
 * snapfile.h - snapshots in files: old or new, never a mix.
 *
 * A snapshot is written beside its place, made durable, and then put there
 * by one rename. Older ones are kept as FILE.1 (the newest of them),
 * FILE.2, ...
 */
#ifndef SNAPFILE_H
#define SNAPFILE_H

#include "prae.h"
#include "status.h"

/* Writes FILTER's snapshot to PATH, keeping KEEP older ones. EXIT_DONE, or
 * EXIT_IO or EXIT_FAILED after saying what is wrong; PATH is then as it
 * was. */
enum exit_status snapfile_save(const prae_filter *filter, const char *path,
                               size_t keep);

enum snapfile {
    SNAPFILE_NONE, /* nothing was loaded */
    SNAPFILE_ITSELF,
    SNAPFILE_OLDER /* as it cannot be used, and is not worth keeping */
};

/* PARAMS that any snapshot can be loaded with. */
void snapfile_params(prae_params *params);

/*
 * Loads PATH into FILTER, or the newest of its older versions that can be
 * used where it is spoiled, with a warning: *LOADED. A path that is not there
 * is no failure. EXIT_DONE; or EXIT_CONFIG where none of them can be used, or
 * PATH not with FILTER's parameters, or EXIT_FAILED without memory, after
 * saying why.
 */
enum exit_status snapfile_load(prae_filter *filter, const char *path,
                               enum snapfile *loaded);

/* Loads PATH, or where NUMBER is not 0 its older version PATH.NUMBER, and
 * none instead. EXIT_DONE, or EXIT_CONFIG with a sentence in WHY (SIZE). */
enum exit_status snapfile_load_one(prae_filter *filter, const char *path,
                                   size_t number, char *why, size_t size);

#endif
