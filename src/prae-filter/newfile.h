/*
 * newfile.h - a file that is there whole or not at all.
 *
 * The steps of a durable write, in the only order that works: write and sync
 * a new file beside the old one, rename it, sync the directory.
 */
#ifndef NEWFILE_H
#define NEWFILE_H

#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

#include "status.h"

/* Where PATH is, to DIRECTORY (SIZE): what stands before its last slash. */
void newfile_directory(const char *path, char *directory, size_t size);

/* Whether PATH's directory can be written to, after sweeping out what
 * processes that were killed while writing PATH have left there. EXIT_DONE,
 * or EXIT_IO after saying so. */
enum exit_status newfile_check(const char *path);

/* Whether to wait until the disk has it: a power cut then loses nothing. */
enum durable { NEWFILE_QUICK, NEWFILE_DURABLE };

/* Writes BYTES (LEN) to a file beside PATH, of MODE; its name goes to NAME.
 * EXIT_DONE, or EXIT_IO after saying what is wrong. */
enum exit_status newfile_write(const char *path, const char *bytes, size_t len,
                               mode_t mode, enum durable durable,
                               char name[PATH_MAX]);

/* It takes the place of PATH. As above. */
enum exit_status newfile_place(const char *name, const char *path,
                               enum durable durable);

#endif
