/* top_source.h - where facts come from: a filter's --http or its --control. */
#ifndef TOP_SOURCE_H
#define TOP_SOURCE_H

#include "ask.h"
#include "http_get.h"
#include "top_facts.h"

#define SOURCE_WHY 256

struct source {
    const char *text; /* as given */
    int is_url;
    struct http_url url;
    struct ask ask; /* where it is none */
};

/*
 * Reads WHERE, a URL or an endpoint, and the keys for the latter, files that
 * may be NULL; all have to last as long as SOURCE. EXIT_DONE, or else after
 * saying what is wrong; SOURCE can be closed in each case.
 */
enum exit_status source_open(struct source *source, const char *where,
                             const char *curve_secret,
                             const char *curve_server);

/* Asks for facts, which the caller frees. EXIT_DONE; or EXIT_UNAVAILABLE,
 * EXIT_DATA, EXIT_FAILED with WHY, which is safe to print. */
enum exit_status source_fetch(struct source *source,
                              const struct patience *patience,
                              struct facts **facts, char why[SOURCE_WHY]);

void source_close(struct source *source);

#endif
