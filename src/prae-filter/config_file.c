/* config_file.c - splits lines, and knows nothing of what they mean. */
#include "config_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "whole.h"

#define CONFIG_MAX (1u << 20) /* bytes of a file */

static char *
trim(char *text)
{
    text += strspn(text, " \t");
    size_t len = strlen(text);
    while (len > 0 && strchr(" \t\r\n", text[len - 1]) != NULL)
        text[--len] = '\0';
    return text;
}

/* Quotes around all of TEXT keep the blanks within, and are no part of it. */
static char *
unquote(char *text)
{
    size_t len = strlen(text);

    if (len < 2 || text[0] != '"' || text[len - 1] != '"')
        return text;
    text[len - 1] = '\0';
    return text + 1;
}

static enum exit_status
take_line(char *line, const char *place, config_take *take, void *context)
{
    char *name = trim(line);

    if (name[0] == '\0' || name[0] == '#')
        return EXIT_DONE;
    char *equals = strchr(name, '=');
    if (equals == NULL) {
        log_error("%s'%s' is not of the form name = value", place, name);
        return EXIT_CONFIG;
    }
    *equals = '\0';
    return take(context, trim(name), unquote(trim(equals + 1)), place);
}

/* Lines of TEXT (LEN), which is changed. Half of a configuration is none, so
 * a zero in it is an error, and not its end. */
static enum exit_status
take_lines(const char *path, char *text, size_t len, config_take *take,
           void *context)
{
    enum exit_status status = EXIT_DONE;
    const char *end = text + len;

    for (size_t number = 1; status == EXIT_DONE && text < end; number++) {
        char place[512], *stop = memchr(text, '\n', (size_t)(end - text));
        size_t line = (size_t)((stop == NULL ? end : stop) - text);
        snprintf(place, sizeof place, "%s:%zu: ", path, number);
        text[line] = '\0';
        if (strlen(text) == line) {
            status = take_line(text, place, take, context);
        } else {
            log_error("%sa zero byte: this is no text", place);
            status = EXIT_CONFIG;
        }
        text += line + 1;
    }
    return status;
}

enum exit_status
config_read(const char *path, config_take *take, void *context)
{
    enum exit_status status = EXIT_CONFIG;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        log_error("cannot open %s: %s", path, strerror(errno));
        return EXIT_CONFIG;
    }
    char *text = malloc(CONFIG_MAX + 1);
    ssize_t len = text == NULL ? -1 : whole_read(fd, text, CONFIG_MAX);
    if (len >= 0) {
        status = take_lines(path, text, (size_t)len, take, context);
    } else if (text == NULL) {
        log_error("out of memory for %s", path);
        status = EXIT_FAILED;
    } else if (errno == EFBIG) {
        log_error("%s is no configuration: it is larger than %u bytes", path,
                  CONFIG_MAX);
    } else {
        log_error("cannot read %s: %s", path, strerror(errno));
    }
    free(text);
    close(fd);
    return status;
}
