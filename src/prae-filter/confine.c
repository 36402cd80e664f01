/*
 * confine.c - from options to exceptions.
 *
 * Each thing that is opened, made or removed after the start has its line
 * here:
 *   1. what is opened once is allowed by itself: inputs and outputs; what
 *      was handed over is open already, and needs nothing, but for pipes,
 *   2. what is replaced, by us or by others, with its directory, as there is
 *      no other way: --model, --report, --stats, --log-file, keys, ipc paths,
 *   3. what libraries may want to read, wherever it is: names of hosts,
 *      modules that look them up, the number of processors.
 * An exception that cannot be made might be one that is needed, so then there
 * are no rules at all.
 */
#include "confine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inherit.h"
#include "landlock.h"
#include "links.h"
#include "log.h"
#include "newfile.h"
#include "notify.h"

#define DNS_PORT 53  /* answers that are too long for udp */

#define READ (LANDLOCK_READ | LANDLOCK_LIST)
#define WRITE (LANDLOCK_WRITE | LANDLOCK_TRUNCATE | LANDLOCK_DEVICE)
/* As newfile.h writes. */
#define REPLACE (WRITE | LANDLOCK_LIST | LANDLOCK_MAKE | LANDLOCK_REMOVE)

struct list_text {
    char text[600];
    size_t len;
};

struct sandbox {
    struct landlock lock;
    int error; /* the first, and then nothing more is done */
    char place[PATH_MAX];
    struct list_text written, read, bound, connected; /* for -v */
};

/* ---- exceptions ---- */

/* Adds WORD where it is not there yet. What does not fit is left out. */
static void
note(struct list_text *list, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = list->text; *at != '\0';) {
        size_t other = strcspn(++at, " ");
        if (other == len && memcmp(at, word, len) == 0)
            return;
        at += other;
    }
    if (len + 2 > sizeof list->text - list->len)
        return;
    list->text[list->len++] = ' ';
    memcpy(list->text + list->len, word, len + 1);
    list->len += len;
}

static void
fail(struct sandbox *sandbox, const char *path)
{
    if (sandbox->error != 0)
        return;
    sandbox->error = errno;
    snprintf(sandbox->place, sizeof sandbox->place, "%s", path);
}

/* RIGHTS at PATH, and below it. */
static void
keep(struct sandbox *sandbox, const char *path, uint64_t rights)
{
    if (sandbox->error != 0)
        return;
    if (landlock_path(&sandbox->lock, path, rights) != 0)
        fail(sandbox, path);
    if (rights & LANDLOCK_READ)
        note(&sandbox->read, path);
    if (rights & ~(uint64_t)READ)
        note(&sandbox->written, path);
}

/* RIGHTS in the directory of PATH. */
static void
keep_around(struct sandbox *sandbox, const char *path, uint64_t rights)
{
    char directory[PATH_MAX];

    newfile_directory(path, directory, sizeof directory);
    keep(sandbox, directory, rights);
}

/* What is not there on every system. */
static void
keep_if_there(struct sandbox *sandbox, const char *path, uint64_t rights)
{
    if (sandbox->error == 0 &&
        landlock_path(&sandbox->lock, path, rights) != 0 && errno != ENOENT &&
        errno != EACCES)
        fail(sandbox, path);
}

/* ---- files ---- */

/* Opened for writing more than once, and made where it is gone. */
static void
keep_paper(struct sandbox *sandbox, const char *path, uint64_t rights)
{
    char end[PATH_MAX];
    struct stat stat_of;

    if (path == NULL || inherit_number(path) >= 0)
        return;
    int there = stat(path, &stat_of) == 0;
    if (there)
        keep(sandbox, path, rights);
    /* Pipes and devices are replaced by nobody. */
    if (there && !S_ISREG(stat_of.st_mode))
        return;
    links_follow(path, end);
    keep_around(sandbox, end, rights | LANDLOCK_MAKE);
}

/* A file of keys, which another may take the place of. */
static void
keep_key(struct sandbox *sandbox, const char *path)
{
    char end[PATH_MAX];

    if (path == NULL)
        return;
    links_follow(path, end);
    keep_around(sandbox, path, READ);
    if (strcmp(path, end) != 0)
        keep_around(sandbox, end, READ);
}

/* A directory of keys, and what its links lead to. */
static void
keep_keys(struct sandbox *sandbox, const char *directory)
{
    char path[PATH_MAX], end[PATH_MAX];
    DIR *dir = directory == NULL ? NULL : opendir(directory);
    struct dirent *entry;

    if (directory == NULL)
        return;
    keep_key(sandbox, directory);
    keep(sandbox, directory, READ);
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        int len =
            snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (len < 0 || (size_t)len >= sizeof path)
            continue;
        links_follow(path, end);
        if (strcmp(path, end) != 0)
            keep_around(sandbox, end, READ);
    }
    if (dir != NULL)
        closedir(dir);
}

static void
keep_output(struct sandbox *sandbox, const struct spec *spec)
{
    struct stat stat_of;
    int handed = spec->kind == SPEC_STDIO  ? STDOUT_FILENO
                 : spec->kind == SPEC_FILE ? inherit_number(spec->text)
                                           : -1;

    /* It is opened once more, if it is a pipe: see outfile.c. */
    if (handed >= 0 && sandbox->error == 0 &&
        landlock_fd(&sandbox->lock, handed, WRITE) != 0)
        fail(sandbox, handed == STDOUT_FILENO ? "standard output" : spec->text);
    if (spec->kind != SPEC_FILE || handed >= 0 || sandbox->error != 0)
        return;
    if (stat(spec->text, &stat_of) != 0) {
        int fd = errno == ENOENT ? open(spec->text,
                                        O_WRONLY | O_CREAT | O_CLOEXEC, 0666)
                                 : -1;
        if (fd >= 0)
            close(fd);
    }
    keep(sandbox, spec->text, WRITE);
}

static void
keep_files(struct sandbox *sandbox, const struct options *options)
{
    for (size_t i = 0; i < options->in.count; i++)
        if (options->source[i].kind == SPEC_FILE &&
            inherit_number(options->source[i].text) < 0)
            keep(sandbox, options->source[i].text, READ);
    for (size_t i = 0; i < sizeof options->out / sizeof *options->out; i++)
        keep_output(sandbox, &options->out[i]);
    if (options->model != NULL)
        keep_around(sandbox, options->model, LANDLOCK_READ | REPLACE);
    if (options->report != NULL)
        keep_around(sandbox, options->report, REPLACE);
    keep_paper(sandbox, options->stats, WRITE);
    keep_paper(sandbox, options->log_file, LANDLOCK_WRITE | LANDLOCK_DEVICE);
    keep_key(sandbox, options->curve_secret);
    keep_key(sandbox, options->curve_server);
    keep_keys(sandbox, options->curve_allow);
}

static void
keep_system(struct sandbox *sandbox)
{
    static const char *const trees[] = {
        "/etc",         "/usr",       "/lib",
        "/lib32",       "/lib64",     "/nix/store",
        "/gnu/store",   "/proc",      "/sys/devices/system/cpu",
        "/dev/urandom", "/dev/random"};
    char resolver[PATH_MAX], directory[PATH_MAX];

    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
        keep_if_there(sandbox, trees[i], READ);
    keep_if_there(sandbox, "/dev/null", READ | WRITE);
    /* It is often elsewhere, and replaced when the network changes. */
    if (realpath("/etc/resolv.conf", resolver) != NULL) {
        newfile_directory(resolver, directory, sizeof directory);
        keep_if_there(sandbox, directory, READ);
    }
#ifdef PRAE_OBSERVED
    /* See configure.ac. */
    keep_if_there(sandbox, "/", UINT64_MAX);
#endif
}

/* ---- sockets ---- */

/* The tcp port of SPEC; 0: it has none, or any. */
static uint16_t
port_of(const struct spec *spec)
{
    return (uint16_t)strtoul(strrchr(spec->endpoint, ':') + 1, NULL, 10);
}

static int
is_tcp(const struct spec *spec)
{
    return spec->kind == SPEC_SOCKET && strncmp(spec->endpoint, "tcp:", 4) == 0;
}

static int
is_abstract(const struct spec *spec)
{
    return spec->kind == SPEC_SOCKET &&
           strncmp(spec->endpoint, "ipc://@", 7) == 0;
}

static uint16_t
http_port(const struct options *options)
{
    const struct listener *at = &options->http_at;

    return ntohs(at->address.any.sa_family == AF_INET6
                     ? at->address.ipv6.sin6_port
                     : at->address.ipv4.sin_port);
}

/* Every socket's SPEC, one after the other: the next of *AT, or NULL. */
static const struct spec *
next_socket(const struct options *options, size_t *at)
{
    size_t outs = sizeof options->out / sizeof *options->out;

    for (;;) {
        size_t i = (*at)++;
        const struct spec *spec = i < options->in.count ? &options->source[i]
                                  : i < options->in.count + outs
                                      ? &options->out[i - options->in.count]
                                      : &options->control_at;
        if (i > options->in.count + outs ||
            (spec == &options->control_at && options->control == NULL))
            return NULL;
        if (spec->kind == SPEC_SOCKET)
            return spec;
    }
}

/* What cannot be given up. A port that the kernel chose is bound once more,
 * by its number, when our key changes: any has to be allowed then. */
static unsigned
leave(const struct options *options)
{
    const struct spec *spec;
    unsigned left = 0;

    for (size_t at = 0; (spec = next_socket(options, &at)) != NULL;) {
        if (is_tcp(spec) && spec->bind && port_of(spec) == 0)
            left |= LANDLOCK_LEAVE_BIND;
        if (is_abstract(spec) && !spec->bind)
            left |= LANDLOCK_LEAVE_ABSTRACT;
    }
    if (options->http != NULL && http_port(options) == 0)
        left |= LANDLOCK_LEAVE_BIND;
    if (notify_is_abstract())
        left |= LANDLOCK_LEAVE_ABSTRACT;
    return left;
}

static void
keep_port(struct sandbox *sandbox, uint16_t port, enum landlock_port right)
{
    char word[8];

    if (sandbox->error != 0)
        return;
    if (landlock_tcp(&sandbox->lock, port, right) != 0)
        fail(sandbox, "a tcp port");
    snprintf(word, sizeof word, "%d", (int)port);
    note(right == LANDLOCK_BIND ? &sandbox->bound : &sandbox->connected, word);
}

static void
keep_sockets(struct sandbox *sandbox, const struct options *options)
{
    const struct spec *spec;

    for (size_t at = 0; (spec = next_socket(options, &at)) != NULL;) {
        if (is_tcp(spec) && spec->bind)
            keep_port(sandbox, port_of(spec), LANDLOCK_BIND);
        if (is_tcp(spec) && !spec->bind) {
            keep_port(sandbox, port_of(spec), LANDLOCK_CONNECT);
            keep_port(sandbox, DNS_PORT, LANDLOCK_CONNECT);
        }
        if (!is_tcp(spec) && spec->bind && !is_abstract(spec))
            keep_around(sandbox, spec->endpoint + strlen("ipc://"),
                        LANDLOCK_MAKE_SOCKET | LANDLOCK_REMOVE);
    }
    if (options->http != NULL)
        keep_port(sandbox, http_port(options), LANDLOCK_BIND);
}

/* ---- the whole ---- */

static const char *
or_nothing(const struct list_text *list)
{
    return list->len == 0 ? " nothing" : list->text;
}

static void
tell(const struct sandbox *sandbox)
{
    const struct landlock *lock = &sandbox->lock;

    log_info("sandbox, by Landlock %d: no program is run, no other process "
             "signalled; written to:%s; read, besides the system's:%s",
             lock->version, or_nothing(&sandbox->written),
             or_nothing(&sandbox->read));
    if (lock->version >= 4)
        log_info("sandbox: tcp ports that are bound:%s; connected to:%s",
                 lock->ports & LANDLOCK_BIND ? or_nothing(&sandbox->bound)
                                             : " any",
                 or_nothing(&sandbox->connected));
}

int
confine(const struct options *options)
{
    struct sandbox sandbox = {.error = 0};

    if (!options->sandbox)
        return 0;
    landlock_gain_nothing();
    if (landlock_version() == 0) {
        log_info("no sandbox: this system has no Landlock");
        return 0;
    }
    if (landlock_open(&sandbox.lock, leave(options)) != 0)
        fail(&sandbox, "Landlock");
    keep_system(&sandbox);
    if (options->inspect != NULL) {
        keep_around(&sandbox, options->inspect, READ);
    } else {
        keep_files(&sandbox, options);
        keep_sockets(&sandbox, options);
    }
    if (sandbox.error == 0 && landlock_enforce(&sandbox.lock) != 0)
        fail(&sandbox, "Landlock");
    landlock_close(&sandbox.lock);
    if (sandbox.error != 0)
        log_info("no sandbox: %s: %s", sandbox.place, strerror(sandbox.error));
    else
        tell(&sandbox);
    return sandbox.error == 0;
}
