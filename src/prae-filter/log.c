/* log.c - stderr, shared by log lines and the one progress line. */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>

static enum log_level shown = LOG_NOTICE;
static int progress_shown;

void
log_set_level(enum log_level most)
{
    shown = most;
}

void
log_progress_end(void)
{
    if (progress_shown)
        fputs("\r\033[K", stderr);
    progress_shown = 0;
}

void
log_line(enum log_level level, const char *format, ...)
{
    static const char *const words[] = {"error: ", "warning: ", "", ""};
    char text[2048];
    va_list args;

    if (level > shown)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    log_progress_end();
    fprintf(stderr, "prae-filter: %s%s\n", words[level], text);
}

void
log_progress(const char *format, ...)
{
    va_list args;

    fputs("\r", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs("\033[K", stderr);
    fflush(stderr);
    progress_shown = 1;
}
