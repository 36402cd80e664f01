/*
 * curve.h - who we are and who may come: the keys of all our endpoints.
 *
 * One pair is ours. Where we bind, peers have to know our public key, and
 * theirs has to lie in the directory of allowed ones; zap.h asks us. Where
 * we connect, we have to know the public key of the server.
 */
#ifndef CURVE_H
#define CURVE_H

#include <stddef.h>

#include "status.h"
#include "zcert.h"

/* The domain that our bound sockets name to the ZAP handler. */
#define CURVE_DOMAIN "prae"

struct curve_keys {
    struct zcert own;             /* empty where we have no secret */
    struct zcert server;          /* its public key, or empty */
    unsigned char (*allowed)[32]; /* public keys, sorted, each once */
    size_t allowed_count;
};

struct curve {
    const char *secret_file; /* as given to curve_open, NULL for none */
    const char *server_file;
    const char *allow_dir;
    struct curve_keys keys;
};

/*
 * Reads our pair, the server's public key and the directory of allowed keys,
 * each of which may be NULL; the names have to last as long as CURVE.
 * EXIT_DONE; or EXIT_CONFIG, or EXIT_FAILED without memory, after saying
 * what is wrong. CURVE can be closed in each case.
 */
enum exit_status curve_open(struct curve *curve, const char *secret_file,
                            const char *server_file, const char *allow_dir);

/*
 * Reads all of them again and tells how many keys are allowed. EXIT_DONE, or
 * as curve_open with everything as it was. The list counts for connections
 * that are made from now on; sockets keep the keys they have until
 * curve_apply is called and they bind or connect anew.
 */
enum exit_status curve_reload(struct curve *curve);

/* Whether there is a pair of ours, so that bound endpoints are protected. */
int curve_serves(const struct curve *curve);

/* Whether there is a server's key, so that connected ones are. */
int curve_connects(const struct curve *curve);

/* Whether a directory of allowed keys was given. */
int curve_has_allow(const struct curve *curve);

/*
 * Prepares SOCKET to BIND, or else to connect; to be called before it does.
 * Does nothing where there are no keys for that. EXIT_DONE; or EXIT_CONFIG
 * where nobody could ever be let in for want of a directory, or EXIT_FAILED,
 * after saying so.
 */
enum exit_status curve_apply(const struct curve *curve, void *socket, int bind);

/* The same for one that connects, without a word: 0 where it fails, as errno
 * says. */
int curve_set_client(const struct curve *curve, void *socket);

/* Whether KEY is allowed; takes as long for one key as for another. */
int curve_allows(const struct curve *curve, const unsigned char key[32]);

/* Wipes and frees all keys. */
void curve_close(struct curve *curve);

#endif
