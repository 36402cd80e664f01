/*
 * fuzz_command.c - any frames as a request to --control.
 *
 * Each frame is a byte that says its length and then so many bytes, the last
 * one what is left. A refusal is a sentence of printable characters, as it
 * goes to terminals.
 *
 * About: src/prae-filter/command.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

#define MUST(expression)                                                     \
    do {                                                                     \
        if (!(expression)) {                                                 \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, \
                    #expression);                                            \
            abort();                                                         \
        }                                                                    \
    } while (0)

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void
read_frames(struct request *request, const unsigned char *data, size_t size)
{
    memset(request, 0, sizeof *request);
    while (size > 0) {
        size_t len = data[0] < size - 1 ? data[0] : size - 1;
        char *copy = malloc(len);
        MUST(copy != NULL || len == 0);
        if (len > 0)
            memcpy(copy, data + 1, len);
        request_add(request, copy, len);
        free(copy);
        data += 1 + len;
        size -= 1 + len;
    }
}

static void
check_printable(const char *text, size_t most)
{
    size_t len = strnlen(text, most);

    MUST(len > 0 && len < most);
    for (size_t i = 0; i < len; i++)
        MUST(text[i] >= ' ' && text[i] <= '~');
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct request request;
    struct command command;
    char why[COMMAND_WHY] = "";

    read_frames(&request, data, size);
    if (!command_parse(&command, &request, why)) {
        check_printable(why, sizeof why);
        return 0;
    }
    MUST(!request.too_long && !request.too_many);
    MUST(command.verb <= VERB_STOP);
    MUST((command.verb == VERB_SET) == (command.name != NULL));
    if (command.verb == VERB_SET) {
        MUST(strcmp(command.name, "fpr") == 0 ||
             strcmp(command.name, "threshold") == 0);
        MUST(command.value > command.text &&
             command.value < command.text + sizeof command.text);
        check_printable(command.value, COMMAND_BYTES);
    }
    MUST(command.number == 0 || command.verb == VERB_REVERT);
    return 0;
}
