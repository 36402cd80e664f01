/*
 * heard.h - for targets of the programs: what they would log is caught, as a
 * refusal has to be told in one line, and what was accepted in none. To be
 * included first.
 */
#ifndef PRAE_HEARD_H
#define PRAE_HEARD_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create */
#endif

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"

#define MUST(expression)                                                     \
    do {                                                                     \
        if (!(expression)) {                                                 \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, \
                    #expression);                                            \
            abort();                                                         \
        }                                                                    \
    } while (0)

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static char heard[8192]; /* the last line */
static size_t heard_lines;

/* In place of log.c. */
void
log_line(enum log_level level, const char *format, ...)
{
    va_list args;

    (void)level;
    va_start(args, format);
    int len = vsnprintf(heard, sizeof heard, format, args);
    va_end(args);
    MUST(len > 0);
    heard_lines++;
}

/* DATA (SIZE) as a string, to be freed. It ends at the first NUL. */
__attribute__((unused)) static char *
as_text(const unsigned char *data, size_t size)
{
    char *text = malloc(size + 1);

    MUST(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

/* A file in memory with DATA (SIZE) in it, by its name; the same for each
 * call. */
__attribute__((unused)) static const char *
as_file(const void *data, size_t size)
{
    static char path[64];
    static int file = -1;

    if (file < 0) {
        file = memfd_create("input", MFD_CLOEXEC);
        MUST(file >= 0 && fchmod(file, 0600) == 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    MUST(ftruncate(file, 0) == 0);
    MUST(pwrite(file, data, size, 0) == (ssize_t)size);
    return path;
}

#endif
