/* log.c - stderr or a file, shared by log lines and the one progress line.
 * The worker may speak, too, so a line is printed under the stream's lock. */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "escape.h"

static const char *program = "prae-filter";
static enum log_level shown = LOG_NOTICE;
static atomic_int progress_shown;
static int json;
static const char *file_path; /* or NULL: there is nothing to open again */
static FILE *file;            /* or NULL: stderr */

void
log_set_program(const char *name)
{
    program = name;
}

void
log_set_level(enum log_level most)
{
    shown = most;
}

void
log_set_json(int on)
{
    json = on;
}

/* ---- where to ---- */

/* A stream of its own for HANDED, or NULL. Whether it appends is for those to
 * say who share it: "a" would say so for them. */
static FILE *
copy_stream(int handed)
{
    int fd = fcntl(handed, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    FILE *opened = fd < 0 ? NULL : fdopen(fd, "w");

    if (opened == NULL && fd >= 0) {
        int error = errno;
        close(fd);
        errno = error;
    }
    return opened;
}

int
log_open(const char *path, int handed)
{
    FILE *opened = handed < 0 ? fopen(path, "ae") : copy_stream(handed);

    if (opened == NULL) {
        log_error("cannot open %s: %s", path, strerror(errno));
        return 0;
    }
    setvbuf(opened, NULL, _IOLBF, 0);
    file_path = handed < 0 ? path : NULL;
    file = opened;
    return 1;
}

int
log_reopen(void)
{
    if (file_path == NULL)
        return 1;
    /* Records do not wait for somebody to read a FIFO. */
    int opened = open(file_path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK |
                                     O_CLOEXEC, 0666);
    if (opened < 0) {
        log_error("cannot open %s again: %s", file_path,
                  errno == ENXIO ? "nobody reads it" : strerror(errno));
        return 0;
    }
    (void)fcntl(opened, F_SETFL, fcntl(opened, F_GETFL) & ~O_NONBLOCK);
    /* In place, as the worker may be about to write to it; not by freopen,
     * which leaves no stream at all where it fails. */
    flockfile(file);
    fflush(file);
    int moved = dup2(opened, fileno(file)) >= 0;
    if (moved) {
        (void)fcntl(fileno(file), F_SETFD, FD_CLOEXEC);
        clearerr(file);
    }
    funlockfile(file);
    close(opened);
    return moved;
}

/* ---- lines ---- */

static void
print_time(FILE *out)
{
    char stamp[40];
    time_t now = time(NULL);
    struct tm utc;

    gmtime_r(&now, &utc);
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &utc);
    fputs(stamp, out);
}

static void
print_json(FILE *out, enum log_level level, const char *text)
{
    static const char *const names[] = {"notice", "error", "warning", "notice",
                                        "info"};

    fputs("{\"time\":\"", out);
    print_time(out);
    fprintf(out, "\",\"level\":\"%s\",\"text\":", names[level]);
    escape_json(out, text);
    fputs("}\n", out);
}

/* In a file a line has the time, too: nobody saw it come. */
static void
print_text(FILE *out, enum log_level level, const char *text)
{
    static const char *const words[] = {"", "error: ", "warning: ", "", ""};

    if (out == file) {
        print_time(out);
        fputc(' ', out);
    }
    fprintf(out, "%s: %s", program, words[level]);
    escape_plain(out, text);
    fputc('\n', out);
}

static void
print_line(FILE *out, enum log_level level, const char *text)
{
    flockfile(out);
    if (json)
        print_json(out, level, text);
    else
        print_text(out, level, text);
    funlockfile(out);
}

void
log_line(enum log_level level, const char *format, ...)
{
    FILE *out = file == NULL ? stderr : file;
    char text[2048];
    va_list args;

    if (level > shown)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    flockfile(stderr); /* no progress of another thread between the two */
    log_progress_end();
    print_line(out, level, text);
    funlockfile(stderr);
    /* Where the disk is full, errors still have to be heard of. */
    if (out != stderr && ferror(out) && level == LOG_ERROR)
        print_line(stderr, level, text);
}

/* ---- progress ---- */

void
log_progress_end(void)
{
    if (atomic_exchange(&progress_shown, 0))
        fputs("\r\033[K", stderr);
}

void
log_progress(const char *format, ...)
{
    va_list args;

    flockfile(stderr);
    fputs("\r", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs("\033[K", stderr);
    fflush(stderr);
    progress_shown = 1;
    funlockfile(stderr);
}
