/* What comes over the control socket means something or is told why not. */
#include "command.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct command command;
static char why[COMMAND_WHY];

/* Parses PARTS, up to the first NULL. */
static int
parse(const char *const *parts)
{
    struct request request = {.count = 0};

    for (size_t i = 0; parts[i] != NULL; i++)
        request_add(&request, parts[i], strlen(parts[i]));
    why[0] = '\0';
    return command_parse(&command, &request, why);
}

static void
test_commands(void)
{
    static const struct {
        const char *parts[5];
        enum verb verb;
        size_t number;
    } cases[] = {
        {{"HELP"}, VERB_HELP, 0},
        {{"help"}, VERB_HELP, 0},
        {{"Pause"}, VERB_PAUSE, 0},
        {{"  RESUME \n"}, VERB_RESUME, 0},
        {{"SNAPSHOT", ""}, VERB_SNAPSHOT, 0},
        {{"", "STATS"}, VERB_STATS, 0},
        {{"stop"}, VERB_STOP, 0},
        {{"REVERT"}, VERB_REVERT, 0},
        {{"REVERT", "0"}, VERB_REVERT, 0},
        {{"REVERT", "1"}, VERB_REVERT, 1},
        {{"revert 100"}, VERB_REVERT, 100},
        {{"revert 007"}, VERB_REVERT, 7},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        ok(parse(cases[i].parts) && command.verb == cases[i].verb &&
               command.number == cases[i].number && why[0] == '\0',
           "'%s' is understood", cases[i].parts[0]);
}

static void
test_settings(void)
{
    static const struct {
        const char *parts[5];
        const char *name, *value;
    } cases[] = {
        {{"SET", "fpr", "0.01"}, "fpr", "0.01"},
        {{"SET fpr 0.01"}, "fpr", "0.01"},
        {{"set\tFPR   1e-3"}, "fpr", "1e-3"},
        {{"SET", "threshold 0.5"}, "threshold", "0.5"},
        {{"SET", "threshold", "anything"}, "threshold", "anything"},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        ok(parse(cases[i].parts) && command.verb == VERB_SET &&
               strcmp(command.name, cases[i].name) == 0 &&
               strcmp(command.value, cases[i].value) == 0,
           "%s is set to %s", cases[i].name, cases[i].value);
}

static void
test_errors(void)
{
    static const struct {
        const char *parts[12];
        const char *says; /* somewhere */
    } cases[] = {
        {{NULL}, "empty"},
        {{""}, "empty"},
        {{" \t\r\n"}, "empty"},
        {{"", "", ""}, "empty"},
        {{"FROB"}, "'FROB'"},
        {{"STOPP"}, "STOP"},
        {{"ST"}, "no command"},
        {{"PAUSE", "x"}, "PAUSE: go on judging"},
        {{"STATS all of it"}, "arguments"},
        {{"SET"}, "SET fpr RATE"},
        {{"SET", "fpr"}, "SET fpr RATE"},
        {{"SET", "fpr", "1", "2"}, "arguments"},
        {{"SET fpr 1 2 3 4 5 6 7 8 9"}, "arguments"},
        {{"SET", "window", "5"}, "fpr and threshold can"},
        {{"REVERT", "x"}, "'x' is no older snapshot"},
        {{"REVERT", "-1"}, "from 1 to 100"},
        {{"REVERT", "101"}, "from 1 to 100"},
        {{"REVERT", "99999999999999999999999"}, "from 1 to 100"},
        {{"REVERT", "1", "2"}, "arguments"},
        {{"\377\376"}, "no plain text"},
        {{"PAUSE\033[2J"}, "no plain text"},
        {{"p\303\244use"}, "no plain text"},
        {{"a", "b", "c", "d", "e", "f", "g", "h", "i"}, "too many frames"},
        {{"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},
         "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        int parsed = parse(cases[i].parts);
        ok(!parsed && strstr(why, cases[i].says) != NULL, "%zu: %s", i, why);
    }
}

static void
test_bounds(void)
{
    struct request request = {.count = 0};
    char bytes[COMMAND_BYTES + 1];

    memset(bytes, 'x', sizeof bytes);
    request_add(&request, bytes, COMMAND_BYTES);
    ok(!request.too_long && !command_parse(&command, &request, why) &&
           strstr(why, "no command") != NULL,
       "as long as may be");
    request_add(&request, "y", 1);
    ok(request.too_long && !command_parse(&command, &request, why) &&
           strstr(why, "too long") != NULL,
       "one byte more is too long");
    request = (struct request){.count = 0};
    request_add(&request, bytes, sizeof bytes);
    ok(request.too_long, "in one frame, too");
    request = (struct request){.count = 0};
    for (size_t i = 0; i < COMMAND_PARTS; i++)
        request_add(&request, "a b c d e f g h i j k l m n o p", 31);
    ok(!request.too_many && !command_parse(&command, &request, why),
       "as many words as there is room for are no command");
    request = (struct request){.count = 0};
    request_add(&request, "STOP\0", 5);
    ok(!command_parse(&command, &request, why), "a zero is no text");
    request = (struct request){.count = 0};
    request_add(&request, NULL, 0);
    ok(!command_parse(&command, &request, why), "nor is nothing");
}

/* Whatever the bytes are, there is a command or a sentence. */
static void
test_garbage(void)
{
    static const char pieces[] = "SET fpr REVERT 1\t\0\377stats";
    size_t bad = 0;

    srand(1);
    for (size_t i = 0; i < 200000; i++) {
        struct request request = {.count = 0};
        size_t parts = (size_t)rand() % 11;
        for (size_t k = 0; k < parts; k++) {
            size_t at = (size_t)rand() % sizeof pieces;
            request_add(&request, pieces + at,
                        (size_t)rand() % (sizeof pieces - at));
        }
        why[0] = '\0';
        int parsed = command_parse(&command, &request, why);
        bad += parsed ? why[0] != '\0' : strlen(why) < 10;
    }
    ok(bad == 0, "200000 requests of scraps: %zu are neither", bad);
}

int
main(void)
{
    test_commands();
    test_settings();
    test_errors();
    test_bounds();
    test_garbage();
    ok(strlen(command_help()) < COMMAND_WHY &&
           strstr(command_help(), "STOP") != NULL,
       "the list of commands fits an answer");
    return tap_done();
}
