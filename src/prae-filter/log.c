/* log.c - stderr, shared by log lines and the one progress line. */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

static enum log_level shown = LOG_NOTICE;
static int progress_shown;
static int json;

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

/* TEXT as a JSON string, control characters and quotes escaped. */
static void
print_string(const char *text)
{
    fputc('"', stderr);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(stderr, "\\%c", c);
        else if (c < 0x20)
            fprintf(stderr, "\\u%04x", c);
        else
            fputc(c, stderr);
    }
    fputc('"', stderr);
}

static void
print_json(enum log_level level, const char *text)
{
    static const char *const names[] = {"error", "warning", "notice", "info"};
    char stamp[40];
    time_t now = time(NULL);
    struct tm utc;

    gmtime_r(&now, &utc);
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &utc);
    fprintf(stderr, "{\"time\":\"%s\",\"level\":\"%s\",\"text\":", stamp,
            names[level]);
    print_string(text);
    fputs("}\n", stderr);
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
    if (json)
        print_json(level, text);
    else
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
