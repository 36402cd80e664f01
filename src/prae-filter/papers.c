/* papers.c - files are compared by what they are, and by their place where
 * there are none yet. */
#include "papers.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inherit.h"
#include "links.h"
#include "log.h"
#include "newfile.h"

/* Report, counts, model, configuration, log, standard error, two with keys. */
#define OTHERS 8
#define MOST (LIST_MAX + SINK_COUNT + OTHERS)

struct paper {
    const char *who;  /* the option */
    const char *path; /* or NULL: FD */
    int fd;           /* that was handed over, or -1 */
    int is_made_anew; /* beside, as PATH.N.tmp */
    int is_model;     /* and has PATH.1, PATH.2 ... */
    int is_read;      /* and not written to */
    int is_key;       /* which may serve as both */
};

struct papers {
    struct paper paper[MOST];
    size_t count;
    size_t keep; /* older snapshots */
};

static const char *
base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

/* Whether both are names in one directory. */
static int
have_same_directory(const char *a, const char *b)
{
    char directory[PATH_MAX];
    struct stat left, right;

    newfile_directory(a, directory, sizeof directory);
    if (stat(directory, &left) != 0)
        return 0;
    newfile_directory(b, directory, sizeof directory);
    return stat(directory, &right) == 0 && left.st_dev == right.st_dev &&
           left.st_ino == right.st_ino;
}

/* Whether PATH is, or may become, a file that comes with PAPER: what it is
 * written to first, which is swept up, or one of the KEEP older snapshots. */
static int
comes_with(const struct paper *paper, const char *path, size_t keep)
{
    char to[PATH_MAX];

    links_follow(path, to);
    const char *base = base_of(paper->path), *other = base_of(to);
    size_t len = strlen(base);
    char *end;

    if (strncmp(base, other, len) != 0 || other[len] != '.' ||
        other[len + 1] < '0' || other[len + 1] > '9')
        return 0;
    unsigned long long number = strtoull(other + len + 1, &end, 10);
    int is_older = paper->is_model && other[len + 1] != '0' &&
                   number <= keep && *end == '\0';
    int is_new = paper->is_made_anew && strcmp(end, ".tmp") == 0;
    return (is_older || is_new) && have_same_directory(paper->path, to);
}

static int
look(const struct paper *paper, struct stat *is)
{
    return paper->path == NULL ? fstat(paper->fd, is) == 0
                               : stat(paper->path, is) == 0;
}

static int
is_same(const struct paper *a, const struct paper *b)
{
    struct stat left, right;
    char from[PATH_MAX], other[PATH_MAX];
    int has_left = look(a, &left), has_right = look(b, &right);

    /* Who redirects both to one file has them share it: they mix, and neither
     * overwrites the other. So it is with one descriptor, whatever its
     * names. */
    if ((a->path == NULL && b->path == NULL) || (a->fd >= 0 && a->fd == b->fd))
        return 0;
    if (has_left && has_right)
        return S_ISREG(left.st_mode) && left.st_dev == right.st_dev &&
               left.st_ino == right.st_ino;
    if (has_left || has_right || a->path == NULL || b->path == NULL)
        return 0;
    links_follow(a->path, from);
    links_follow(b->path, other);
    return strcmp(base_of(from), base_of(other)) == 0 &&
           have_same_directory(from, other);
}

/* Whether one of them would spoil the other, after saying so. */
static int
collide(const struct papers *papers, const struct paper *one,
        const struct paper *other)
{
    const struct paper *owner = NULL, *guest = NULL;

    if (one->is_key && other->is_key)
        return 0;
    if (is_same(one, other)) {
        log_error("%s and %s are the same file, %s: one would overwrite the "
                  "other",
                  one->who, other->who,
                  one->path != NULL ? one->path : other->path);
        return 1;
    }
    if (one->path == NULL || other->path == NULL)
        return 0;
    if (comes_with(one, other->path, papers->keep)) {
        owner = one;
        guest = other;
    } else if (comes_with(other, one->path, papers->keep)) {
        owner = other;
        guest = one;
    }
    if (owner != NULL)
        log_error("%s and %s: %s is the name of a file that is made and "
                  "removed beside %s: choose another",
                  guest->who, owner->who, guest->path, owner->path);
    return owner != NULL;
}

/* Whether PAPER would lie in DIRECTORY, where every file is taken for a key,
 * after saying so. */
static int
joins_keys(const struct paper *paper, const char *directory)
{
    char key[PATH_MAX], to[PATH_MAX];

    if (directory == NULL || paper->path == NULL || paper->is_read)
        return 0;
    snprintf(key, sizeof key, "%s/key", directory);
    links_follow(paper->path, to);
    if (!have_same_directory(key, to))
        return 0;
    log_error("%s and --curve-allow: %s would lie among the keys in %s: choose "
              "another directory",
              paper->who, paper->path, directory);
    return 1;
}

static void
add(struct papers *papers, const char *who, const char *path, int fd)
{
    papers->paper[papers->count++] =
        (struct paper){.who = who, .path = path, .fd = fd};
}

static void
add_spec(struct papers *papers, const char *who, const struct spec *spec,
         int fd)
{
    if (spec->kind == SPEC_FILE)
        add(papers, who, spec->text, inherit_number(spec->text));
    else if (spec->kind == SPEC_STDIO)
        add(papers, who, NULL, fd);
}

static void
add_paper(struct papers *papers, const char *who, const char *path)
{
    if (path != NULL)
        add(papers, who, path, inherit_number(path));
}

static void
add_read(struct papers *papers, const char *who, const char *path, int is_key)
{
    add_paper(papers, who, path);
    if (path == NULL)
        return;
    papers->paper[papers->count - 1].is_read = 1;
    papers->paper[papers->count - 1].is_key = is_key;
}

/* What is written at the end only is not to fail then for what can be known
 * now. */
static enum exit_status
check_writable(const char *path)
{
    char directory[PATH_MAX], end[PATH_MAX];
    struct stat is;

    if (stat(path, &is) != 0) {
        int error = errno;
        links_follow(path, end);
        newfile_directory(end, directory, sizeof directory);
        errno = error;
        if (error == ENOENT && access(directory, W_OK | X_OK) == 0)
            return EXIT_DONE;
    } else if (S_ISDIR(is.st_mode)) {
        errno = EISDIR;
    } else if (S_ISSOCK(is.st_mode)) {
        errno = ENXIO; /* as opening it will say */
    } else if (access(path, W_OK) == 0) {
        return EXIT_DONE;
    }
    log_error("cannot write %s: %s", path, strerror(errno));
    return EXIT_IO;
}

enum exit_status
papers_check(const struct options *options)
{
    static const char *const outputs[SINK_COUNT] = {"--inliers", "--outliers",
                                                    "--rejects", "--scores"};
    struct papers papers = {.keep = options->keep};

    for (size_t i = 0; i < options->in.count; i++)
        add_spec(&papers, "the input", &options->source[i], STDIN_FILENO);
    size_t inputs = papers.count;
    for (size_t i = 0; i < inputs; i++)
        papers.paper[i].is_read = 1;
    /* What is no file by a name of its own is looked at in loop_open.c: that
     * is too late for those that are made by being opened. */
    for (size_t i = 0; i < SINK_COUNT; i++)
        add_spec(&papers, outputs[i], &options->out[i], STDOUT_FILENO);
    add_read(&papers, "--config", options->config, 0);
    size_t report = papers.count;
    add_paper(&papers, "--report", options->report);
    if (options->report != NULL)
        papers.paper[report].is_made_anew = 1;
    add_paper(&papers, "--stats", options->stats);
    if (options->log_file == NULL)
        add(&papers, "the log on standard error", NULL, STDERR_FILENO);
    add_paper(&papers, "--log-file", options->log_file);
    size_t model = papers.count;
    add_paper(&papers, "--model", options->model);
    if (options->model != NULL)
        papers.paper[model].is_model = papers.paper[model].is_made_anew = 1;
    add_read(&papers, "--curve-secret", options->curve_secret, 1);
    add_read(&papers, "--curve-server", options->curve_server, 1);

    for (size_t i = 0; i < papers.count; i++)
        if (joins_keys(&papers.paper[i], options->curve_allow))
            return EXIT_USAGE;
    for (size_t j = inputs; j < papers.count; j++)
        for (size_t i = 0; i < j; i++)
            if (collide(&papers, &papers.paper[i], &papers.paper[j]))
                return EXIT_USAGE;
    if (options->stats == NULL || inherit_number(options->stats) >= 0)
        return EXIT_DONE; /* or it was looked at already */
    return check_writable(options->stats);
}
