/* rejudge.c - a frozen filter that is given one record at a time. */
#include "rejudge.h"

#include <math.h>
#include <string.h>

#include "buffer.h"
#include "log.h"
#include "snapfile.h"

#define WINDOW 16 /* records a message may turn out to be, at a time */

void
rejudge_init(struct rejudge *rejudge, const char *model)
{
    *rejudge = (struct rejudge){.model = model};
    snapfile_params(&rejudge->params);
    rejudge->params.freeze = 1;
    rejudge->params.window = WINDOW;
    rejudge->params.why = 0;
    /* Whoever let such records in had raised the limits. */
    rejudge->params.record_max = (size_t)1 << 30;
    rejudge->params.depth_max = 256;
    rejudge->params.elements_max = (size_t)1 << 24;
}

void
rejudge_fini(struct rejudge *rejudge)
{
    prae_filter_free(rejudge->filter);
    free(rejudge->line.data);
    rejudge->filter = NULL;
    rejudge->line = (prae_buffer){0};
}

static enum exit_status
fail(const struct rejudge *rejudge, prae_status status)
{
    const char *why = prae_filter_errmsg(rejudge->filter);

    log_error("cannot judge by %s: %s", rejudge->model,
              why[0] == '\0' ? prae_status_text(status) : why);
    return status == PRAE_ECONFIG ? EXIT_CONFIG : EXIT_FAILED;
}

static enum exit_status
push_header(struct rejudge *rejudge, const struct quarantine *quarantine)
{
    size_t used;
    prae_status pushed = prae_filter_push(rejudge->filter, quarantine->header,
                                          quarantine->header_len, 0, &used);

    if (pushed != PRAE_OK)
        return fail(rejudge, pushed);
    if (prae_filter_received(rejudge->filter) == 0)
        return EXIT_DONE;
    log_error("%s: the header is no row of names; is it as prae-filter wrote "
              "it?",
              quarantine->name);
    return EXIT_DATA;
}

/* Only when the first record is there: its file says which format it is. */
static enum exit_status
open_filter(struct rejudge *rejudge, const struct quarantine *quarantine)
{
    prae_params *params = &rejudge->params;
    enum snapfile loaded = SNAPFILE_NONE;
    char why[256];

    params->format = quarantine->format;
    params->no_header = quarantine->header == NULL;
    if (prae_params_check(params, why, sizeof why) != PRAE_OK) {
        log_error("rescore: %s", why);
        return EXIT_USAGE;
    }
    prae_status made = prae_filter_new(params, &rejudge->filter);
    if (made != PRAE_OK) {
        log_error("rescore: %s", prae_status_text(made));
        return EXIT_FAILED;
    }
    enum exit_status status =
        snapfile_load(rejudge->filter, rejudge->model, &loaded);
    if (status == EXIT_DONE && loaded == SNAPFILE_NONE) {
        log_error("cannot open %s: there is no such file; --model is what "
                  "prae-filter --model wrote",
                  rejudge->model);
        status = EXIT_NOINPUT;
    }
    return status == EXIT_DONE && quarantine->header != NULL
               ? push_header(rejudge, quarantine)
               : status;
}

/* RECORD, of which nothing is heard. */
static struct opinion
unheard(const struct flagged *record)
{
    return (struct opinion){record->is_reject ? PRAE_KIND_REJECT
                                              : PRAE_KIND_OUTLIER,
                            (double)NAN, (double)NAN, record->code};
}

static struct opinion
opinion_of(const prae_verdict *verdict)
{
    struct opinion opinion = {verdict->kind, verdict->score, verdict->p,
                              {"", 0}};

    if (verdict->kind == PRAE_KIND_REJECT)
        opinion.code = (struct word){verdict->reject_code,
                                     strlen(verdict->reject_code)};
    return opinion;
}

static int
is_worse(const prae_verdict *verdict, const struct opinion *opinion)
{
    if (verdict->kind != opinion->kind)
        return verdict->kind > opinion->kind;
    return isnan(opinion->score) || verdict->score > opinion->score;
}

/* RECORD's bytes as they would be amid a stream. Those of text get an end of
 * line, or a carriage return that is a cell's would be taken for one; and the
 * header or else an end stands before them, or a row like the header would be
 * passed over, and a byte order mark, too. */
static enum exit_status
make_line(struct rejudge *rejudge, const struct quarantine *quarantine,
          const struct flagged *record)
{
    const char *end =
        rejudge->params.format == PRAE_FORMAT_MSGPACK ? "" : "\r\n";
    const int has_names = quarantine->header_len > 0;
    const char *lead = has_names ? quarantine->header : end;
    prae_buffer *line = &rejudge->line;

    line->len = 0;
    if (!buffer_add(line, lead,
                    has_names ? quarantine->header_len : strlen(end)) ||
        !buffer_add(line, record->original.text, record->original.len) ||
        !buffer_add(line, end, strlen(end))) {
        log_error("out of memory for a record");
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}

/* The worst of what the filter says of one record's bytes: what was refused
 * may turn out to be several, or none. */
static enum exit_status
hear(struct rejudge *rejudge, struct opinion *opinion, int *heard)
{
    prae_verdict verdict;
    prae_status status = prae_filter_judge(rejudge->filter);

    if (status != PRAE_OK)
        return fail(rejudge, status);
    while (prae_filter_next(rejudge->filter, &verdict) == PRAE_OK) {
        if (!*heard || is_worse(&verdict, opinion))
            *opinion = opinion_of(&verdict);
        *heard = 1;
    }
    return EXIT_DONE;
}

enum exit_status
rejudge_record(struct rejudge *rejudge, const struct quarantine *quarantine,
               const struct flagged *record, struct opinion *opinion)
{
    size_t at = 0, used;
    enum exit_status status = EXIT_DONE;
    prae_status pushed;
    int heard = 0;

    if (rejudge->filter == NULL)
        status = open_filter(rejudge, quarantine);
    *opinion = unheard(record);
    if (status != EXIT_DONE || !record->is_whole)
        return status;
    status = make_line(rejudge, quarantine, record);
    if (status != EXIT_DONE)
        return status;
    pushed = prae_filter_cut(rejudge->filter);
    if (pushed != PRAE_OK)
        return fail(rejudge, pushed);
    do {
        pushed = prae_filter_push_message(rejudge->filter,
                                          rejudge->line.data + at,
                                          rejudge->line.len - at, &used);
        if (pushed != PRAE_OK && pushed != PRAE_FULL)
            return fail(rejudge, pushed);
        at += used;
        status = hear(rejudge, opinion, &heard);
    } while (status == EXIT_DONE && pushed == PRAE_FULL);
    return status;
}

int
rejudge_misses_context(const struct rejudge *rejudge)
{
    prae_stats stats;

    prae_filter_stats(rejudge->filter, &stats);
    return stats.context;
}
