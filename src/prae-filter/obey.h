/* obey.h - commands are carried out, or it is said why not. */
#ifndef OBEY_H
#define OBEY_H

#include "command.h"
#include "prae.h"

struct loop;

struct answer {
    int done; /* 0: the text says why not */
    char text[COMMAND_WHY];
    prae_buffer facts; /* instead of the text, where there are some; to be
                          freed */
};

/* Does what COMMAND says, or notes it for when the filter is ours again.
 * ANSWER begins as zeros. */
void obey(struct loop *loop, const struct command *command,
          struct answer *answer);

#endif
