/* config_file.c - splits lines, and knows nothing of what they mean. */
#include "config_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"

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

enum exit_status
config_read(const char *path, config_take *take, void *context)
{
    enum exit_status status = EXIT_DONE;
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t cap = 0, number = 0;

    if (file == NULL) {
        log_error("cannot open %s: %s", path, strerror(errno));
        return EXIT_CONFIG;
    }
    while (status == EXIT_DONE && getline(&line, &cap, file) >= 0) {
        char place[512];
        snprintf(place, sizeof place, "%s:%zu: ", path, ++number);
        status = take_line(line, place, take, context);
    }
    /* Half of a configuration is none. */
    if (status == EXIT_DONE && !feof(file)) {
        log_error("cannot read %s: %s", path, strerror(errno));
        status = errno == ENOMEM ? EXIT_FAILED : EXIT_CONFIG;
    }
    free(line);
    fclose(file);
    return status;
}
