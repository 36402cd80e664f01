/* usage.c - options that are none. */
#include "usage.h"

#include <stdio.h>
#include <string.h>

#include "log.h"
#include "nearest.h"

/* The long option that takes no value, and got one as --NAME=VALUE. */
static const struct option *
got_value(const struct option *longs, const char *word)
{
    size_t len = strcspn(word, "=");

    if (strncmp(word, "--", 2) != 0 || word[len] == '\0')
        return NULL;
    for (; longs->name != NULL; longs++)
        if (longs->has_arg == no_argument && longs->val == optopt &&
            strncmp(longs->name, word + 2, len - 2) == 0)
            return longs;
    return NULL;
}

static void
refuse_long(const char *command, const struct option *longs, const char *word)
{
    char name[64];
    struct nearest nearest;

    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    nearest_init(&nearest, name);
    for (; longs->name != NULL; longs++)
        nearest_try(&nearest, longs->name);
    if (nearest.best != NULL)
        log_error("%s: no option --%s; did you mean --%s?", command, name,
                  nearest.best);
    else
        log_error("%s: no option --%s; see praectl %s --help", command, name,
                  command);
}

/*
 * optind is past a long option, and past the last of a word's letters, but
 * not past a word of which letters are left; optopt is the letter, and 0 for
 * a long option that is not known or is short for several.
 */
enum exit_status
usage_refuse(const char *command, const struct option *longs, int code,
             char **argv)
{
    const char *word = argv[optind - 1];
    const struct option *valued = got_value(longs, word);

    if (code == ':')
        log_error("%s: %s needs a value; see praectl %s --help", command, word,
                  command);
    else if (optopt == 0)
        refuse_long(command, longs, word);
    else if (valued != NULL)
        log_error("%s: --%s takes no value", command, valued->name);
    else
        log_error("%s: no option -%c; see praectl %s --help", command, optopt,
                  command);
    return EXIT_USAGE;
}
