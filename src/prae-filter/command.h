/*
 * command.h - what is asked for over --control, understood.
 *
 * A request is a command and its arguments, each a frame of its own or all in
 * one with blanks between them. The command's case does not matter. Nothing
 * in a request is believed: it may be of any bytes.
 */
#ifndef COMMAND_H
#define COMMAND_H

#include <stddef.h>

#define COMMAND_BYTES 256 /* of all frames of a request */
#define COMMAND_PARTS 8   /* frames */
#define COMMAND_WHY 512   /* bytes for a sentence, with its 0 */

enum verb {
    VERB_HELP,
    VERB_PAUSE,
    VERB_RESUME,
    VERB_REVERT,
    VERB_SET,
    VERB_SNAPSHOT,
    VERB_STATS,
    VERB_STOP
};

struct command {
    enum verb verb;
    const char *name;  /* SET: what, as prae_params_set knows it */
    const char *value; /* and to what; points into text */
    size_t number;     /* REVERT: which of the older snapshots; 0: the last */
    char text[COMMAND_BYTES + COMMAND_PARTS + 1]; /* the words */
};

/* Frames that came, side by side. */
struct request {
    char bytes[COMMAND_BYTES];
    size_t ends[COMMAND_PARTS]; /* where each frame's bytes end */
    size_t count;
    int too_long, too_many; /* there was more, and it is gone */
};

/* Takes a frame, BYTES (LEN), into REQUEST, which begins as zeros. */
void request_add(struct request *request, const char *bytes, size_t len);

/* What REQUEST asks for: 1, or 0 with a sentence in WHY that says what is
 * wrong with it and what is possible. */
int command_parse(struct command *command, const struct request *request,
                  char why[COMMAND_WHY]);

/* All commands, a line each. */
const char *command_help(void);

#endif
