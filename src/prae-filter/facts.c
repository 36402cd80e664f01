/* facts.c - the run, member by member. */
#include "facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "json.h"
#include "options_table.h"

static const char *const format_names[] = {"msgpack", "jsonl", "csv"};
static const char *const output_names[SINK_COUNT] = {"inliers", "outliers",
                                                     "rejects", "scores"};

/* ---- what it is ---- */

static void
write_command(struct json *json, const struct options *options)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);

    if (out != NULL)
        options_print_command(out, options);
    if (out == NULL || fclose(out) != 0)
        json->failed = 1;
    else
        json_bytes(json, "command", text, len);
    free(text);
}

static void
write_run(struct json *json, const struct loop *loop, int over,
          enum exit_status status, const prae_stats *stats)
{
    const char *missing = loop_not_ready(loop);
    char program[64];

    snprintf(program, sizeof program, "prae-filter %s", prae_version());
    json_count(json, "version", 1);
    json_text(json, "program", program);
    json_text(json, "kernels", prae_version_kernels());
    json_flag(json, "live", !over);
    json_number(json, "started", loop->watch.started);
    json_number(json, "written", watch_time());
    if (over)
        json_count(json, "exit", (uint64_t)status);
    else
        json_null(json, "exit");
    json_text(json, "state", prae_state_text(stats->state));
    json_flag(json, "paused", loop->stage.paused);
    json_flag(json, "ready", missing == NULL);
    if (missing == NULL)
        json_null(json, "not_ready");
    else
        json_text(json, "not_ready", missing);
    write_command(json, loop->options);
    json_text(json, "format", format_names[loop->options->params.format]);
}

/* ---- counts ---- */

static void
write_totals(struct json *json, int over, const prae_stats *stats,
             const struct traffic *traffic)
{
    json_open(json, "totals", '{');
    json_count(json, "received", stats->received);
    json_count(json, "inliers", stats->inliers);
    json_count(json, "outliers", stats->outliers);
    json_count(json, "rejected", stats->rejected);
    json_count(json, "held", stats->held);
    json_count(json, "windows", stats->windows);
    json_count(json, "bursts", stats->bursts);
    json_count(json, "drifts", stats->drifts);
    json_count(json, "rollbacks", stats->rollbacks);
    json_count(json, "reverts", traffic->reverts);
    json_count(json, "imputed", stats->imputed);
    json_count(json, "ignored_fields", stats->ignored);
    json_count(json, "wide_integers", stats->wide_integers);
    json_count(json, "messages_in", traffic->messages_in);
    json_count(json, "messages_out", traffic->messages_out);
    /* What is held while it runs is on its way. */
    json_count(json, "undelivered", over ? traffic->undelivered : 0);
    json_count(json, "unheard", traffic->unheard);
    json_count(json, "dropped", traffic->dropped);
    json_count(json, "unlearned", traffic->unlearned);
    json_count(json, "turned_away", traffic->turned_away);
    json_close(json, '}');
}

static void
write_rejects(struct json *json, const struct watch *watch)
{
    json_open(json, "rejects", '[');
    for (size_t i = 0; i < watch->refusal_count; i++) {
        json_open(json, NULL, '{');
        json_text(json, "reason", watch->refusal[i].code);
        json_count(json, "count", watch->refusal[i].count);
        json_count(json, "seq", watch->refusal[i].seq);
        json_text(json, "text", watch->refusal[i].text);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* ---- flow ---- */

static void
write_inputs(struct json *json, const struct loop *loop)
{
    size_t box = 0;

    json_open(json, "inputs", '[');
    for (size_t i = 0; i < loop->options->in.count; i++) {
        json_open(json, NULL, '{');
        json_text(json, "name", loop->options->in.text[i]);
        if (loop->options->source[i].kind == SPEC_SOCKET) {
            json_count(json, "waiting", loop->boxes[box].count);
            json_count(json, "messages", loop->boxes[box++].messages);
        } else {
            json_count(json, "waiting", 0);
            json_null(json, "messages");
        }
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void
write_outputs(struct json *json, const struct loop *loop)
{
    const struct options *options = loop->options;
    const char *const texts[SINK_COUNT] = {options->inliers, options->outliers,
                                           options->rejects, options->scores};

    json_open(json, "outputs", '[');
    for (size_t i = 0; i < SINK_COUNT; i++) {
        const struct sink *sink = &loop->outputs.sink[i];
        if (sink->kind == SPEC_NOWHERE)
            continue;
        json_open(json, NULL, '{');
        json_text(json, "name", output_names[i]);
        json_text(json, "to", texts[i] == NULL ? "-" : texts[i]);
        json_count(json, "waiting", sink_left(sink));
        json_flag(json, "clogged", sink_is_clogged(sink));
        if (sink->kind == SPEC_SOCKET)
            json_count(json, "peers", sink->box.peers);
        else
            json_null(json, "peers");
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void
write_flow(struct json *json, const struct loop *loop, int over,
           const prae_stats *stats, const struct traffic *traffic)
{
    double seconds = watch_time() - loop->watch.started;

    json_number(json, "rate",
                over ? (double)stats->received / fmax(seconds, 1e-3)
                     : loop->watch.rate);
    json_number(json, "blocked_seconds", traffic->blocked);
    write_inputs(json, loop);
    write_outputs(json, loop);
}

/* ---- distributions ---- */

static void
write_edges(struct json *json, const char *key, double (*edge)(size_t),
            size_t count)
{
    json_open(json, key, '[');
    for (size_t i = 0; i < count; i++)
        json_number(json, NULL, edge(i));
    json_close(json, ']');
}

static void
write_bins(struct json *json, const char *key, const uint64_t *bin,
           size_t count)
{
    json_open(json, key, '[');
    for (size_t i = 0; i < count; i++)
        json_count(json, NULL, bin[i]);
    json_close(json, ']');
}

static void
write_training(struct json *json, const struct watch *watch)
{
    int any = watch->trainings > 0;

    json_open(json, "training", '{');
    json_count(json, "count", watch->trainings);
    json_number(json, "seconds", watch->training_sum);
    json_number(json, "longest", any ? watch->training_longest : (double)NAN);
    json_number(json, "last", any ? watch->training_last : (double)NAN);
    write_edges(json, "edges", watch_training_edge, WATCH_TRAININGS);
    write_bins(json, "counts", watch->training_bin, WATCH_TRAININGS + 1);
    json_close(json, '}');
}

static void
write_scores(struct json *json, const struct watch *watch,
             const prae_stats *stats, const prae_params *params)
{
    json_number(json, "limit",
                stats->features == 0 ? (double)NAN : stats->limit);
    json_number(json, "fpr", params->fpr > 0.0 ? params->fpr : (double)NAN);
    json_open(json, "scores", '{');
    write_edges(json, "edges", watch_score_edge, WATCH_SCORES + 1);
    write_bins(json, "inliers", watch->score_in, WATCH_SCORES);
    write_bins(json, "outliers", watch->score_out, WATCH_SCORES);
    json_number(json, "sum", watch->score_sum);
    json_close(json, '}');
    json_open(json, "p", '{');
    write_edges(json, "edges", watch_p_edge, WATCH_PS + 1);
    write_bins(json, "inliers", watch->p_in, WATCH_PS);
    write_bins(json, "outliers", watch->p_out, WATCH_PS);
    json_close(json, '}');
}

/* ---- windows, records, model ---- */

static void
write_timeline(struct json *json, const struct watch *watch)
{
    json_open(json, "timeline", '[');
    for (size_t i = 0; i < watch->tick_count; i++) {
        const struct tick *tick = &watch->tick[i];
        json_open(json, NULL, '{');
        json_count(json, "window", tick->window);
        json_count(json, "windows", tick->windows);
        json_count(json, "seq", tick->seq);
        json_number(json, "time", tick->time);
        json_count(json, "inliers", tick->inliers);
        json_count(json, "outliers", tick->outliers);
        json_count(json, "rejected", tick->rejected);
        json_text(json, "state", prae_state_text(tick->state));
        json_count(json, "bursts", tick->bursts);
        json_count(json, "drifts", tick->drifts);
        json_number(json, "limit", tick->limit);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void
write_left_out(struct json *json, const struct watch *watch)
{
    json_open(json, "left_out", '[');
    for (size_t i = 0; i < watch->left_count; i++) {
        json_open(json, NULL, '{');
        json_text(json, "name", watch->left_out[i].name);
        json_text(json, "reason", watch->left_out[i].reason);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void
write_model(struct json *json, const struct options *options,
            const prae_stats *stats)
{
    json_open(json, "model", '{');
    if (options->model == NULL)
        json_null(json, "file");
    else
        json_text(json, "file", options->model);
    json_count(json, "judged", stats->judged);
    json_count(json, "learned", stats->model);
    json_count(json, "inputs", stats->inputs);
    json_count(json, "latent", stats->latent);
    json_count(json, "weights", stats->weights);
    json_flag(json, "context", stats->context);
    json_number(json, "likeness", stats->likeness);
    json_flag(json, "smooth", stats->smooth);
    json_number(json, "score_likeness", stats->score_likeness);
    json_count(json, "trusted", stats->trusted);
    json_close(json, '}');
}

static void
write_flagged(struct json *json, const struct loop *loop, enum facts_kind kind)
{
    prae_format format = loop->options->params.format;
    const struct watched *ranked[WATCH_WORST], *recent;

    if (kind == FACTS_FULL) {
        size_t count = watch_rank(&loop->watch, ranked);
        json_open(json, "worst", '[');
        for (size_t i = 0; i < count; i++)
            facts_flagged(json, ranked[i], format);
        json_close(json, ']');
    }
    json_open(json, "last", '[');
    for (size_t i = 0; (recent = watch_recent(&loop->watch, i)) != NULL; i++)
        facts_flagged(json, recent, format);
    json_close(json, ']');
}

int
facts_write(const struct loop *loop, enum facts_kind kind, int over,
            enum exit_status status, prae_buffer *out)
{
    struct json json = {.out = out};
    struct traffic traffic;
    prae_stats stats;

    loop_account(loop, &stats, &traffic);
    json_open(&json, NULL, '{');
    write_run(&json, loop, over, status, &stats);
    write_totals(&json, over, &stats, &traffic);
    write_rejects(&json, &loop->watch);
    write_flow(&json, loop, over, &stats, &traffic);
    write_training(&json, &loop->watch);
    write_scores(&json, &loop->watch, &stats, &loop->stage.rule);
    write_timeline(&json, &loop->watch);
    facts_features(&json, &loop->watch, kind);
    if (kind == FACTS_FULL)
        write_left_out(&json, &loop->watch);
    write_model(&json, loop->options, &stats);
    write_flagged(&json, loop, kind);
    json_close(&json, '}');
    return json.failed ? -1 : 0;
}
