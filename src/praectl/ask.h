/*
 * ask.h - questions to a running filter's --control endpoint.
 *
 * A question is one message of frames, "STATS" or "SET" "fpr" "0.01"; the
 * answer is "OK" or "ERROR" and a text. Each question gets one answer or
 * none: after one that did not come the connection is made anew, so a late
 * answer is never taken for the next one's.
 */
#ifndef ASK_H
#define ASK_H

#include <stddef.h>

#include "curve.h"
#include "flagged.h"
#include "patience.h"
#include "status.h"

#define ASK_SECONDS 5.0            /* a usual patience */
#define ASK_MOST ((size_t)4 << 20) /* bytes of an answer */
#define ASK_WHY 256                /* bytes for what went wrong */

struct ask {
    const char *endpoint; /* as given to ask_open */
    struct curve curve;
    void *context;
    void *socket; /* NULL until it is needed */
};

struct ask_reply {
    int is_error; /* the filter says ERROR, and TEXT is why */
    char *text;   /* the frame after OK or ERROR, a zero behind it */
    size_t len;
};

/* Whether TEXT looks like an endpoint: tcp://... or ipc://... */
int ask_is_endpoint(const char *text);

/*
 * Reads the keys, each file of which may be NULL; they count for tcp.
 * ENDPOINT and the names have to last as long as ASK. Nothing is connected
 * yet. EXIT_DONE, or else after saying what is wrong; ASK can be closed in
 * each case.
 */
enum exit_status ask_open(struct ask *ask, const char *endpoint,
                          const char *curve_secret, const char *curve_server);

/*
 * Sends FRAMES (COUNT) and waits for the answer. EXIT_DONE fills REPLY, whose
 * text the caller frees; EXIT_UNAVAILABLE where nobody answers or PATIENCE
 * had enough, EXIT_DATA where the answer is none of a filter's, EXIT_FAILED
 * without memory or sockets: then WHY has a sentence for people, and nothing was
 * printed.
 */
enum exit_status ask(struct ask *ask, const struct word *frames, size_t count,
                     const struct patience *patience, struct ask_reply *reply,
                     char why[ASK_WHY]);

/* Lets go at once of what was not sent. */
void ask_close(struct ask *ask);

#endif
