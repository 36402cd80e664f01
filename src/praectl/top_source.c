/* top_source.c - a page or a question, and the JSON either gives. */
#include "top_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "plain.h"
#include "spec.h"

enum exit_status
source_open(struct source *source, const char *where, const char *curve_secret,
            const char *curve_server)
{
    struct spec spec;

    *source = (struct source){.text = where, .is_url = http_is_url(where)};
    if (source->is_url) {
        const char *fault = http_url_parse(&source->url, where, "stats.json");
        if (fault == NULL && (curve_secret != NULL || curve_server != NULL))
            fault = "CURVE keys are for endpoints, tcp://...";
        if (fault == NULL)
            return EXIT_DONE;
        log_error("top: %s: %s", where, fault);
        return EXIT_USAGE;
    }
    if (!ask_is_endpoint(where + (where[0] == '@'))) {
        log_error("top: %s is neither http://HOST:PORT/ nor an endpoint, "
                  "tcp://HOST:PORT or ipc://PATH",
                  where);
        return EXIT_USAGE;
    }
    if (spec_parse_asking(&spec, "top", where) != EXIT_DONE)
        return EXIT_USAGE; /* told */
    return ask_open(&source->ask, spec.endpoint, curve_secret, curve_server);
}

static enum exit_status
fetch_answer(struct source *source, const struct patience *patience,
             char **text, size_t *len, char why[SOURCE_WHY])
{
    static const struct word question = {"STATS", 5};
    static const char said[] = "the filter refuses: ";
    struct ask_reply reply;

    if (source->is_url)
        return http_get(&source->url, patience, text, len, why);
    enum exit_status status =
        ask(&source->ask, &question, 1, patience, &reply, why);
    if (status == EXIT_DONE && reply.is_error) {
        memcpy(why, said, sizeof said);
        plain_copy(why + sizeof said - 1, SOURCE_WHY - sizeof said + 1,
                   (struct word){reply.text, reply.len});
        free(reply.text);
        return EXIT_UNAVAILABLE;
    }
    if (status == EXIT_DONE) {
        *text = reply.text;
        *len = reply.len;
    }
    return status;
}

enum exit_status
source_fetch(struct source *source, const struct patience *patience,
             struct facts **facts, char why[SOURCE_WHY])
{
    char *text = NULL, fault[FACTS_WHY];
    size_t len = 0;
    enum exit_status status = fetch_answer(source, patience, &text, &len, why);

    if (status != EXIT_DONE)
        return status;
    status = facts_read(facts, text, len, fault);
    if (status != EXIT_DONE)
        snprintf(why, SOURCE_WHY, "%.100s: %s", source->text, fault);
    free(text);
    return status;
}

void
source_close(struct source *source)
{
    if (!source->is_url)
        ask_close(&source->ask);
}
