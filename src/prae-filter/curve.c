/*
 * curve.c - keys from files to sockets.
 *
 * Keys are always read into a set of their own, which takes the place of the
 * old one whole: a reload that fails half way has changed nothing.
 */
#include "curve.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zmq.h>

#include "log.h"

#define KEY_BYTES 32

/* libzmq counts it as a draft and hides its name in usual builds, but knows
 * it. One that does not is refused when it is set. */
#ifndef ZMQ_ZAP_ENFORCE_DOMAIN
#define ZMQ_ZAP_ENFORCE_DOMAIN 93
#endif

static void
keys_free(struct curve_keys *keys)
{
    free(keys->allowed);
    zcert_wipe(&keys->own);
    zcert_wipe(&keys->server);
    keys->allowed = NULL;
    keys->allowed_count = 0;
}

/* ---- the directory of allowed keys ---- */

static int
ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), end_len = strlen(end);

    return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

static enum exit_status
allow(struct curve_keys *keys, size_t *cap, const struct zcert *cert)
{
    if (keys->allowed_count == *cap) {
        size_t more = *cap == 0 ? 16 : 2 * *cap;
        void *grown = realloc(keys->allowed, more * sizeof *keys->allowed);
        if (grown == NULL) {
            log_error("out of memory for %zu allowed keys", more);
            return EXIT_FAILED;
        }
        keys->allowed = grown;
        *cap = more;
    }
    (void)zmq_z85_decode(keys->allowed[keys->allowed_count++],
                         cert->public_key); /* zcert_read has tried it */
    return EXIT_DONE;
}

/* Takes the key of one entry of the directory, if it is one that counts. */
static enum exit_status
take_entry(struct curve_keys *keys, size_t *cap, int directory,
           const char *directory_name, const char *name)
{
    char path[PATH_MAX];
    struct stat stat;
    struct zcert cert;

    if (name[0] == '.' || ends_with(name, ZCERT_SECRET_SUFFIX))
        return EXIT_DONE;
    int len = snprintf(path, sizeof path, "%s/%s", directory_name, name);
    if (len < 0 || (size_t)len >= sizeof path) {
        log_error("cannot open %s in %s: the name is too long", name,
                  directory_name);
        return EXIT_CONFIG;
    }
    /* A link that leads nowhere is somebody who was meant to come in. */
    if (fstatat(directory, name, &stat, 0) != 0) {
        log_error("cannot open %s: %s", path, strerror(errno));
        return EXIT_CONFIG;
    }
    if (S_ISDIR(stat.st_mode))
        return EXIT_DONE;
    enum exit_status status = zcert_read(path, 0, &cert);
    if (status == EXIT_DONE)
        status = allow(keys, cap, &cert);
    return status;
}

static int
compare_keys(const void *a, const void *b)
{
    return memcmp(a, b, KEY_BYTES);
}

static void
sort_allowed(struct curve_keys *keys)
{
    size_t kept = 0;

    if (keys->allowed_count == 0)
        return;
    qsort(keys->allowed, keys->allowed_count, KEY_BYTES, compare_keys);
    for (size_t i = 1; i < keys->allowed_count; i++)
        if (memcmp(keys->allowed[kept], keys->allowed[i], KEY_BYTES) != 0)
            memmove(keys->allowed[++kept], keys->allowed[i], KEY_BYTES);
    keys->allowed_count = kept + 1;
}

static enum exit_status
read_allowed(struct curve_keys *keys, const char *name)
{
    enum exit_status status = EXIT_DONE;
    DIR *dir = opendir(name);
    size_t cap = 0;

    if (dir == NULL) {
        log_error("cannot open %s: %s; --curve-allow takes a directory of "
                  "public keys",
                  name, strerror(errno));
        return EXIT_CONFIG;
    }
    while (status == EXIT_DONE) {
        errno = 0;
        struct dirent *entry = readdir(dir);
        if (entry == NULL && errno == 0)
            break;
        if (entry == NULL) {
            log_error("cannot read %s: %s", name, strerror(errno));
            status = EXIT_CONFIG;
        } else {
            status = take_entry(keys, &cap, dirfd(dir), name, entry->d_name);
        }
    }
    closedir(dir);
    if (status == EXIT_DONE && keys->allowed_count == 0)
        log_warning("%s has no keys: nobody is allowed to connect; put the "
                    "peers' public keys there",
                    name);
    sort_allowed(keys);
    return status;
}

/* ---- all of them ---- */

static enum exit_status
read_keys(const struct curve *curve, struct curve_keys *keys)
{
    enum exit_status status = EXIT_DONE;

    memset(keys, 0, sizeof *keys);
    if (curve->secret_file != NULL)
        status = zcert_read(curve->secret_file, 1, &keys->own);
    if (status == EXIT_DONE && curve->server_file != NULL)
        status = zcert_read(curve->server_file, 0, &keys->server);
    if (status == EXIT_DONE && curve->allow_dir != NULL)
        status = read_allowed(keys, curve->allow_dir);
    if (status != EXIT_DONE)
        keys_free(keys);
    return status;
}

enum exit_status
curve_open(struct curve *curve, const char *secret_file,
           const char *server_file, const char *allow_dir)
{
    memset(curve, 0, sizeof *curve);
    if (secret_file == NULL && server_file == NULL && allow_dir == NULL)
        return EXIT_DONE;
    if (!zmq_has("curve")) {
        log_error("keys are given, but this libzmq was built without CURVE; "
                  "install one with libsodium");
        return EXIT_CONFIG;
    }
    if (allow_dir != NULL && secret_file == NULL) {
        log_error("--curve-allow needs --curve-secret: without a pair of our "
                  "own nobody is asked for a key");
        return EXIT_CONFIG;
    }
    curve->secret_file = secret_file;
    curve->server_file = server_file;
    curve->allow_dir = allow_dir;
    return read_keys(curve, &curve->keys);
}

enum exit_status
curve_reload(struct curve *curve)
{
    struct curve_keys fresh;
    enum exit_status status = read_keys(curve, &fresh);

    if (status != EXIT_DONE) {
        log_error("the keys stay as they were: %zu allowed",
                  curve->keys.allowed_count);
        return status;
    }
    if (strcmp(fresh.own.public_key, curve->keys.own.public_key) != 0)
        log_notice("%s holds another pair now", curve->secret_file);
    if (strcmp(fresh.server.public_key, curve->keys.server.public_key) != 0)
        log_warning("%s holds another key: what is connected keeps the old one "
                    "until a restart",
                    curve->server_file);
    keys_free(&curve->keys);
    curve->keys = fresh;
    zcert_wipe(&fresh.own);
    if (curve->allow_dir != NULL)
        log_notice("keys read again: %zu allowed by %s",
                   curve->keys.allowed_count, curve->allow_dir);
    return EXIT_DONE;
}

int
curve_serves(const struct curve *curve)
{
    return curve->keys.own.secret_key[0] != '\0';
}

int
curve_connects(const struct curve *curve)
{
    return curve->keys.server.public_key[0] != '\0';
}

int
curve_has_allow(const struct curve *curve)
{
    return curve->allow_dir != NULL;
}

/* ---- sockets ---- */

static int
set_key(void *socket, int option, const char *key)
{
    return zmq_setsockopt(socket, option, key, ZCERT_KEY_CHARS + 1);
}

static int
set_number(void *socket, int option, int value)
{
    return zmq_setsockopt(socket, option, &value, sizeof value);
}

static int
set_pair(void *socket, const struct zcert *cert)
{
    int bad = set_key(socket, ZMQ_CURVE_PUBLICKEY, cert->public_key);

    return bad != 0 ? bad
                    : set_key(socket, ZMQ_CURVE_SECRETKEY, cert->secret_key);
}

static int
apply_bind(const struct curve *curve, void *socket)
{
    int bad = set_number(socket, ZMQ_CURVE_SERVER, 1);

    if (bad == 0)
        bad = set_pair(socket, &curve->keys.own);
    if (bad == 0)
        bad = zmq_setsockopt(socket, ZMQ_ZAP_DOMAIN, CURVE_DOMAIN,
                             strlen(CURVE_DOMAIN));
    /* Where no handler answers, libzmq lets everybody in, but for this. */
    if (bad == 0)
        bad = set_number(socket, ZMQ_ZAP_ENFORCE_DOMAIN, 1);
    return bad;
}

/* A server that asks for no particular key takes any: a fresh one does. */
static int
apply_connect(const struct curve *curve, void *socket)
{
    struct zcert pair = curve->keys.own;
    int bad = set_number(socket, ZMQ_CURVE_SERVER, 0);

    if (bad == 0 && pair.secret_key[0] == '\0')
        bad = zmq_curve_keypair(pair.public_key, pair.secret_key);
    if (bad == 0)
        bad =
            set_key(socket, ZMQ_CURVE_SERVERKEY, curve->keys.server.public_key);
    if (bad == 0)
        bad = set_pair(socket, &pair);
    zcert_wipe(&pair);
    return bad;
}

int
curve_set_client(const struct curve *curve, void *socket)
{
    return !curve_connects(curve) || apply_connect(curve, socket) == 0;
}

enum exit_status
curve_apply(const struct curve *curve, void *socket, int bind)
{
    int bad = 0;

    if (bind && curve_serves(curve)) {
        if (!curve_has_allow(curve)) {
            log_error("an endpoint that is bound with --curve-secret needs "
                      "--curve-allow, a directory with the public keys of "
                      "those who may connect");
            return EXIT_CONFIG;
        }
        bad = apply_bind(curve, socket);
    } else if (!bind) {
        bad = !curve_set_client(curve, socket);
    }
    if (bad != 0) {
        log_error("cannot set CURVE keys on a socket: %s", zmq_strerror(errno));
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}

int
curve_allows(const struct curve *curve, const unsigned char key[32])
{
    unsigned found = 0;

    /* Over the whole list without a branch on what is in it. */
    for (size_t i = 0; i < curve->keys.allowed_count; i++) {
        unsigned differs = 0;
        for (size_t j = 0; j < KEY_BYTES; j++)
            differs |= (unsigned)(curve->keys.allowed[i][j] ^ key[j]);
        found |= (differs - 1u) >> 31;
    }
    return found != 0;
}

void
curve_close(struct curve *curve)
{
    keys_free(&curve->keys);
    memset(curve, 0, sizeof *curve);
}
