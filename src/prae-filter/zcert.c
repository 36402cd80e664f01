/*
 * zcert.c - key files read within bounds, and written without a moment in
 * which somebody else could read the secret.
 */
#include "zcert.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include "log.h"
#include "whole.h"

#define FILE_MAX (64u << 10) /* bytes; a larger file is none of keys */
#define BLANKS " \t\r\v\f"

void
zcert_wipe(struct zcert *cert)
{
    explicit_bzero(cert, sizeof *cert);
}

enum exit_status
zcert_make(struct zcert *cert)
{
    if (zmq_curve_keypair(cert->public_key, cert->secret_key) == 0)
        return EXIT_DONE;
    log_error("cannot make keys: this libzmq was built without CURVE; install "
              "one with libsodium");
    return EXIT_CONFIG;
}

/* ---- reading ---- */

/* Where in which file, for messages, and what was found so far. */
struct parse {
    const char *path;
    size_t line;  /* from 1 */
    int in_curve; /* within the section that holds keys */
    struct zcert *cert;
};

static int
is_key(const char *text)
{
    unsigned char binary[32];
    int good =
        strlen(text) == ZCERT_KEY_CHARS && zmq_z85_decode(binary, text) != NULL;

    explicit_bzero(binary, sizeof binary);
    return good;
}

/* The value of a line whose name ends where TEXT begins, cut out in place;
 * NULL where there is none. Z85 knows '#', so a key has to be quoted for one
 * not to begin a comment. */
static char *
value_of(char *text)
{
    text += strspn(text, BLANKS);
    if (*text != '=')
        return NULL;
    text++;
    text += strspn(text, BLANKS);
    if (*text != '"' && *text != '\'') {
        text[strcspn(text, BLANKS "#")] = '\0';
        return text;
    }
    char *end = strchr(text + 1, *text);
    if (end == NULL)
        return NULL;
    const char *rest = end + 1 + strspn(end + 1, BLANKS);
    if (*rest != '\0' && *rest != '#')
        return NULL;
    *end = '\0';
    return text + 1;
}

static enum exit_status
take_line(struct parse *parse, char *line)
{
    char *name = line + strspn(line, BLANKS);
    size_t len = strcspn(name, BLANKS "=#");

    if (len == 0) /* blank, or a comment */
        return EXIT_DONE;
    if (name == line) {
        parse->in_curve = len == 5 && memcmp(name, "curve", len) == 0;
        return EXIT_DONE;
    }
    if (!parse->in_curve || len != 10)
        return EXIT_DONE;
    char *key;
    if (memcmp(name, "public-key", len) == 0)
        key = parse->cert->public_key;
    else if (memcmp(name, "secret-key", len) == 0)
        key = parse->cert->secret_key;
    else
        return EXIT_DONE;

    const char *value = value_of(name + len);
    if (value == NULL || !is_key(value)) {
        log_error("%s:%zu: %.10s is not 40 characters of Z85 in quotes; take "
                  "the file again from where it was made",
                  parse->path, parse->line, name);
        return EXIT_CONFIG;
    }
    if (key[0] != '\0') {
        log_error("%s:%zu: %.10s stands there twice; keep one of them",
                  parse->path, parse->line, name);
        return EXIT_CONFIG;
    }
    memcpy(key, value, ZCERT_KEY_CHARS + 1);
    return EXIT_DONE;
}

/* TEXT, LEN bytes and a terminator, is cut into lines. */
static enum exit_status
parse_text(struct parse *parse, char *text, size_t len)
{
    enum exit_status status = EXIT_DONE;

    if (memchr(text, '\0', len) != NULL) {
        log_error("%s is no key file: it has NUL bytes", parse->path);
        return EXIT_CONFIG;
    }
    while (status == EXIT_DONE && text != NULL) {
        char *line = text;
        text = strchr(line, '\n');
        if (text != NULL)
            *text++ = '\0';
        parse->line++;
        status = take_line(parse, line);
    }
    if (status == EXIT_DONE && parse->cert->public_key[0] == '\0') {
        log_error("%s is no key file: it has no section 'curve' with a "
                  "public-key; praectl keygen makes one",
                  parse->path);
        status = EXIT_CONFIG;
    }
    return status;
}

/* Reads FD to the end into TEXT, with room for FILE_MAX bytes and one more.
 * The length, or -1 after saying what is wrong. */
static ssize_t
read_text(int fd, const char *path, char *text)
{
    ssize_t len = whole_read(fd, text, FILE_MAX);

    if (len >= 0)
        text[len] = '\0';
    else if (errno == EFBIG)
        log_error("%s is no key file: it is larger than %u bytes", path,
                  FILE_MAX);
    else
        log_error("cannot read %s: %s", path, strerror(errno));
    return len;
}

/* Whether nobody but its owner may touch a file with a secret. A file of
 * root's that its group may read will do for others than root: they could
 * not read it otherwise, and so does systemd hand over credentials. */
static int
is_private(const struct stat *stat)
{
    mode_t refused = S_IRWXG | S_IRWXO;

    if (stat->st_uid == 0 && geteuid() != 0)
        refused &= (mode_t)~S_IRGRP;
    return (stat->st_mode & refused) == 0;
}

static enum exit_status
read_open(int fd, const char *path, struct zcert *cert)
{
    struct stat stat;
    struct parse parse = {.path = path, .cert = cert};

    if (fstat(fd, &stat) != 0) {
        log_error("cannot read %s: %s", path, strerror(errno));
        return EXIT_CONFIG;
    }
    if (!S_ISREG(stat.st_mode)) {
        log_error("%s is no key file: it is not a regular file", path);
        return EXIT_CONFIG;
    }
    char *text = malloc(FILE_MAX + 1);
    if (text == NULL) {
        log_error("out of memory for %s", path);
        return EXIT_FAILED;
    }
    ssize_t len = read_text(fd, path, text);
    enum exit_status status =
        len < 0 ? EXIT_CONFIG : parse_text(&parse, text, (size_t)len);
    explicit_bzero(text, FILE_MAX + 1);
    free(text);
    if (status == EXIT_DONE && cert->secret_key[0] != '\0' &&
        !is_private(&stat)) {
        log_error("%s holds a secret key, and its mode %04o lets others at it; "
                  "run: chmod 600 %s",
                  path, (unsigned)stat.st_mode & 07777u, path);
        status = EXIT_CONFIG;
    }
    return status;
}

static enum exit_status
read_one(const char *path, struct zcert *cert)
{
    /* A FIFO must not make us wait for a writer. */
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

    if (fd < 0) {
        log_error("cannot open %s: %s", path, strerror(errno));
        return EXIT_CONFIG;
    }
    enum exit_status status = read_open(fd, path, cert);
    close(fd);
    return status;
}

/* A peer would only see handshakes fail, without a word why. */
static enum exit_status
check_pair(const char *path, const struct zcert *cert)
{
    char derived[ZCERT_KEY_CHARS + 1];

    if (zmq_curve_public(derived, cert->secret_key) != 0 ||
        strcmp(derived, cert->public_key) == 0)
        return EXIT_DONE;
    log_error("%s: its public-key and secret-key do not belong together; take "
              "the file again from where it was made",
              path);
    return EXIT_CONFIG;
}

static enum exit_status
read_pair(const char *path, struct zcert *cert)
{
    char beside[PATH_MAX];
    struct zcert first = {.public_key = ""};
    int len = snprintf(beside, sizeof beside, "%s" ZCERT_SECRET_SUFFIX, path);
    int has_beside =
        len > 0 && (size_t)len < sizeof beside && access(beside, F_OK) == 0;

    if (!has_beside || access(path, F_OK) == 0) {
        enum exit_status status = read_one(path, cert);
        if (status != EXIT_DONE || cert->secret_key[0] != '\0')
            return status == EXIT_DONE ? check_pair(path, cert) : status;
        if (!has_beside) {
            log_error("%s has no secret-key, and there is no %s; name the file "
                      "that holds both keys",
                      path, beside);
            return EXIT_CONFIG;
        }
        first = *cert;
        zcert_wipe(cert);
    }
    enum exit_status status = read_one(beside, cert);
    if (status != EXIT_DONE)
        return status;
    if (cert->secret_key[0] == '\0') {
        log_error("%s has no secret-key; take the file again from where it was "
                  "made",
                  beside);
        return EXIT_CONFIG;
    }
    if (first.public_key[0] != '\0' &&
        strcmp(first.public_key, cert->public_key) != 0) {
        log_error("%s and %s are of different pairs; take both again from "
                  "where they were made",
                  path, beside);
        return EXIT_CONFIG;
    }
    return check_pair(beside, cert);
}

enum exit_status
zcert_read(const char *path, int need_secret, struct zcert *cert)
{
    struct zcert found = {.public_key = ""};
    enum exit_status status =
        need_secret ? read_pair(path, &found) : read_one(path, &found);

    if (!need_secret)
        explicit_bzero(found.secret_key, sizeof found.secret_key);
    if (status == EXIT_DONE)
        *cert = found;
    zcert_wipe(&found);
    return status;
}

/* ---- writing ---- */

/* A file on its way: NAME is where it is written, PLACE where it belongs.
 * They differ where a file is replaced. */
struct draft {
    char name[PATH_MAX];
    char place[PATH_MAX];
    int made;
};

static int
write_text(int fd, const char *text)
{
    size_t len = strlen(text);

    while (len > 0) {
        ssize_t put = write(fd, text, len);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -1;
        text += put;
        len -= (size_t)put;
    }
    return fsync(fd);
}

static enum exit_status
draft_write(struct draft *draft, mode_t mode, const char *text)
{
    int fd = open(draft->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);

    if (fd < 0) {
        log_error("cannot write %s: %s", draft->name,
                  errno == EEXIST ? "it is there already; choose another "
                                    "name, or replace it with --force"
                                  : strerror(errno));
        return EXIT_IO;
    }
    draft->made = 1;
    int bad = write_text(fd, text) != 0;
    int error = errno;
    if (close(fd) != 0 && !bad) {
        bad = 1;
        error = errno;
    }
    if (bad)
        log_error("cannot write %s: %s", draft->name, strerror(error));
    return bad ? EXIT_IO : EXIT_DONE;
}

static enum exit_status
draft_name(struct draft *draft, const char *path, const char *suffix, int force)
{
    struct stat stat;
    int len = snprintf(draft->place, sizeof draft->place, "%s%s", path, suffix);

    /* Room for the number of a process and .tmp. */
    if (len < 0 || (size_t)len + 32 >= sizeof draft->place) {
        log_error("cannot write %s: the name is too long", path);
        return EXIT_IO;
    }
    draft->made = 0;
    memcpy(draft->name, draft->place, (size_t)len + 1);
    if (!force || lstat(draft->place, &stat) != 0)
        return EXIT_DONE;
    /* Told before the other file is replaced: renaming would fail. */
    if (S_ISDIR(stat.st_mode)) {
        log_error("cannot write %s: it is a directory", draft->place);
        return EXIT_IO;
    }
    snprintf(draft->name + len, sizeof draft->name - (size_t)len, ".%ld.tmp",
             (long)getpid());
    return EXIT_DONE;
}

static enum exit_status
draft_place(struct draft *draft)
{
    if (strcmp(draft->name, draft->place) == 0 ||
        rename(draft->name, draft->place) == 0)
        return EXIT_DONE;
    log_error("cannot rename %s to %s: %s", draft->name, draft->place,
              strerror(errno));
    return EXIT_IO;
}

enum exit_status
zcert_write(const char *path, const struct zcert *cert, int force)
{
    struct draft public_draft = {.made = 0}, secret_draft = {.made = 0};
    char text[512];

    enum exit_status status = draft_name(&public_draft, path, "", force);
    if (status == EXIT_DONE)
        status = draft_name(&secret_draft, path, ZCERT_SECRET_SUFFIX, force);
    if (status == EXIT_DONE) {
        snprintf(
            text, sizeof text,
            "#   CURVE public key, for the peers. It is no secret, but see "
            "to it that it\n#   reaches them unchanged.\n\n"
            "curve\n    public-key = \"%s\"\n",
            cert->public_key);
        status = draft_write(&public_draft, 0644, text);
    }
    if (status == EXIT_DONE) {
        snprintf(text, sizeof text,
                 "#   CURVE secret key. Whoever reads this file can pass for "
                 "its owner: keep\n#   it where it is, and its mode 0600.\n\n"
                 "curve\n    public-key = \"%s\"\n    secret-key = \"%s\"\n",
                 cert->public_key, cert->secret_key);
        status = draft_write(&secret_draft, 0600, text);
        explicit_bzero(text, sizeof text);
    }
    if (status == EXIT_DONE)
        status = draft_place(&secret_draft);
    if (status == EXIT_DONE)
        status = draft_place(&public_draft);
    if (status != EXIT_DONE && public_draft.made)
        unlink(public_draft.name);
    if (status != EXIT_DONE && secret_draft.made)
        unlink(secret_draft.name);
    return status;
}
