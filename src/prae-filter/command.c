/* command.c - words to commands, and a sentence for each way to miss. */
#include "command.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define WORDS_MAX 4    /* one more than any command has */
#define NUMBER_MOST 100 /* of older snapshots, as many as --keep keeps */
#define ECHO_MOST 32   /* characters of what is not understood */

static const struct {
    const char *name;
    size_t least, most; /* arguments */
    const char *usage;
} verbs[] = {
    [VERB_HELP] = {"HELP", 0, 0, "HELP: list the commands"},
    [VERB_PAUSE] = {"PAUSE", 0, 0, "PAUSE: go on judging, learn nothing"},
    [VERB_RESUME] = {"RESUME", 0, 0, "RESUME: learn again"},
    [VERB_REVERT] = {"REVERT", 0, 1,
                     "REVERT [N]: go back to the snapshot saved last, or to "
                     "FILE.N"},
    [VERB_SET] = {"SET", 2, 2,
                  "SET fpr RATE, SET threshold T: flag by another rule"},
    [VERB_SNAPSHOT] = {"SNAPSHOT", 0, 0, "SNAPSHOT: save what was learned"},
    [VERB_STATS] = {"STATS", 0, 0,
                    "STATS: all that is known of the run, "
                    "as JSON"},
    [VERB_STOP] = {"STOP", 0, 0, "STOP: deliver what was received, and end"},
};

#define VERB_COUNT (sizeof verbs / sizeof *verbs)
#define ALL "HELP, PAUSE, RESUME, REVERT, SET, SNAPSHOT, STATS and STOP"

void
request_add(struct request *request, const char *bytes, size_t len)
{
    size_t at = request->count == 0 ? 0 : request->ends[request->count - 1];

    if (request->count == COMMAND_PARTS) {
        request->too_many = 1;
        return;
    }
    if (len > COMMAND_BYTES - at) {
        request->too_long = 1;
        len = 0;
    }
    if (len > 0)
        memcpy(request->bytes + at, bytes, len);
    request->ends[request->count++] = at + len;
}

/* ---- words ---- */

static int
is_blank(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static int
is_text(const struct request *request)
{
    size_t len = request->count == 0 ? 0 : request->ends[request->count - 1];

    for (size_t i = 0; i < len; i++)
        if (!is_blank(request->bytes[i]) &&
            (request->bytes[i] < '!' || request->bytes[i] > '~'))
            return 0;
    return 1;
}

/* The words of all frames to WORDS (WORDS_MAX), with their bytes in TEXT.
 * Returns how many, at most WORDS_MAX. */
static size_t
split(const struct request *request, char *text, const char **words)
{
    size_t count = 0, at = 0;

    for (size_t part = 0; part < request->count; part++) {
        for (int within = 0; at < request->ends[part]; at++) {
            char byte = request->bytes[at];
            if (is_blank(byte)) {
                within = 0;
                continue;
            }
            if (!within && count > 0)
                *text++ = '\0';
            if (!within && count == WORDS_MAX)
                return count;
            if (!within)
                words[count++] = text;
            within = 1;
            *text++ = byte;
        }
    }
    *text = '\0';
    return count;
}

/* ---- arguments ---- */

static int
parse_setting(struct command *command, const char *const *words,
              char why[COMMAND_WHY])
{
    static const char *const names[] = {"fpr", "threshold"};

    for (size_t i = 0; i < 2; i++)
        if (strcasecmp(words[1], names[i]) == 0)
            command->name = names[i];
    command->value = words[2];
    if (command->name != NULL)
        return 1;
    snprintf(why, COMMAND_WHY,
             "'%.*s' cannot be set while it runs; fpr and threshold can",
             ECHO_MOST, words[1]);
    return 0;
}

static int
parse_number(struct command *command, const char *word, char why[COMMAND_WHY])
{
    size_t len = strlen(word), number = 0;

    for (size_t i = 0; i < len && number <= NUMBER_MOST; i++)
        number = word[i] >= '0' && word[i] <= '9'
                     ? 10 * number + (size_t)(word[i] - '0')
                     : NUMBER_MOST + 1;
    command->number = number;
    if (number <= NUMBER_MOST)
        return 1;
    snprintf(why, COMMAND_WHY,
             "REVERT: '%.*s' is no older snapshot; give a number from 1 to %d, "
             "and 0 or none for the last one",
             ECHO_MOST, word, NUMBER_MOST);
    return 0;
}

/* ---- the whole ---- */

/* What no command can be made of. */
static const char *
wrong_with(const struct request *request)
{
    if (request->too_many)
        return "the request has too many frames; send the command and its "
               "arguments, or all in one with blanks between them";
    if (request->too_long)
        return "the request is too long; HELP lists the commands";
    return is_text(request) ? NULL
                            : "the request has bytes that are no plain text; "
                              "HELP lists the commands";
}

static int
find_verb(const char *word, enum verb *verb)
{
    for (size_t i = 0; i < VERB_COUNT; i++) {
        *verb = (enum verb)i;
        if (strcasecmp(word, verbs[i].name) == 0)
            return 1;
    }
    return 0;
}

int
command_parse(struct command *command, const struct request *request,
              char why[COMMAND_WHY])
{
    const char *words[WORDS_MAX] = {"", "", "", ""};
    const char *wrong = wrong_with(request);

    *command = (struct command){.verb = VERB_HELP};
    if (wrong != NULL) {
        snprintf(why, COMMAND_WHY, "%s", wrong);
        return 0;
    }
    size_t count = split(request, command->text, words);
    if (count == 0) {
        snprintf(why, COMMAND_WHY, "the request is empty; there are " ALL);
        return 0;
    }
    if (!find_verb(words[0], &command->verb)) {
        snprintf(why, COMMAND_WHY, "no command '%.*s'; there are " ALL,
                 ECHO_MOST, words[0]);
        return 0;
    }
    if (count - 1 < verbs[command->verb].least ||
        count - 1 > verbs[command->verb].most) {
        snprintf(why, COMMAND_WHY, "wrong number of arguments; %s",
                 verbs[command->verb].usage);
        return 0;
    }
    if (command->verb == VERB_SET)
        return parse_setting(command, words, why);
    if (command->verb == VERB_REVERT && count == 2)
        return parse_number(command, words[1], why);
    return 1;
}

const char *
command_help(void)
{
    static char text[640];
    size_t len = 0;

    for (size_t i = 0; i < VERB_COUNT; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s",
                                i == 0 ? "" : "\n", verbs[i].usage);
    return text;
}
