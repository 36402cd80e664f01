/*
 * heard.h - for targets of the programs: what they would log is caught, as a
 * refusal has to be told in one line, and what was accepted in none.
 */
#ifndef PRAE_HEARD_H
#define PRAE_HEARD_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

#endif
