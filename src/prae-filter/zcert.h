/*
 * zcert.h - CURVE keys in files, in the text form that CZMQ and pyzmq share:
 *
 *     curve
 *         public-key = "40 characters of Z85"
 *         secret-key = "40 characters of Z85"
 *
 * A pair is two files: NAME has the public key alone and may be given away,
 * NAME_secret has both. Other sections and comments are skipped. No message
 * ever shows a key.
 */
#ifndef ZCERT_H
#define ZCERT_H

#include "status.h"

#define ZCERT_KEY_CHARS 40
#define ZCERT_SECRET_SUFFIX "_secret"

struct zcert {
    char public_key[ZCERT_KEY_CHARS + 1]; /* Z85 */
    char secret_key[ZCERT_KEY_CHARS + 1]; /* Z85, empty where there is none */
};

/* A new pair. EXIT_DONE, or EXIT_CONFIG after saying that libzmq has no
 * CURVE. */
enum exit_status zcert_make(struct zcert *cert);

/*
 * Reads PATH. With NEED_SECRET also PATH_secret where PATH has no secret or
 * is not there, and the two keys have to belong together; without, a secret
 * is not kept. A file with a secret is refused where others may touch it.
 * EXIT_DONE; or EXIT_CONFIG, or EXIT_FAILED without memory, after saying
 * what is wrong, with *CERT untouched.
 */
enum exit_status zcert_read(const char *path, int need_secret,
                            struct zcert *cert);

/*
 * Writes PATH, the public key, and PATH_secret, both, mode 0600 from its
 * first moment on. Files that exist are replaced with FORCE only. EXIT_DONE,
 * or EXIT_IO after saying what is wrong; nothing new is left there then.
 */
enum exit_status zcert_write(const char *path, const struct zcert *cert,
                             int force);

/* Leaves no trace of the keys in memory. */
void zcert_wipe(struct zcert *cert);

#endif
