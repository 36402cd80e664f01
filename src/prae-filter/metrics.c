/* metrics.c - the run, family by family. What counts from the start ends in
 * _total and never falls. */
#include "metrics.h"

#include <string.h>

#include "prom.h"

#define SCORE_STEPS 4 /* of watch's bins make one of ours: two a decade */
#define SCORE_EDGES (WATCH_SCORES / SCORE_STEPS - 1)

static const char *const output_names[SINK_COUNT] = {"inliers", "outliers",
                                                     "rejects", "scores"};

static void
write_run(struct prom *prom, const struct loop *loop, const prae_stats *stats)
{
    static const prae_state states[] = {PRAE_STATE_WARMING, PRAE_STATE_LIVE,
                                        PRAE_STATE_BURST, PRAE_STATE_DRIFT,
                                        PRAE_STATE_FROZEN};
    const struct prom_label build[] = {{"version", prae_version()},
                                       {"kernels", prae_version_kernels()}};

    prom_family(prom, "prae_build_info", "gauge",
                "Version of prae-filter, and the arithmetic it uses.");
    prom_sample(prom, "prae_build_info", build, 2, 1.0);
    prom_single(prom, "process_start_time_seconds", "gauge",
                "When it started, in Unix time.", loop->watch.started);
    prom_family(prom, "prae_state", "gauge", "1 for the state it is in.");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        prom_labelled(prom, "prae_state", "state", prae_state_text(states[i]),
                      states[i] == stats->state);
    prom_single(prom, "prae_ready", "gauge",
                "Whether records are judged by what was learned.",
                loop_not_ready(loop) == NULL);
}

/* The codes of prae-stream(7). All are there from the start: of a series that
 * begins with its first reject, nobody is told the increase. */
static const char *const reasons[] = {
    "malformed", "type",    "depth",     "length",   "elements",
    "nonfinite", "missing", "dimension", "features", "parts"};

static uint64_t
refused_for(const struct watch *watch, const char *code)
{
    for (size_t i = 0; i < watch->refusal_count; i++)
        if (strcmp(watch->refusal[i].code, code) == 0)
            return watch->refusal[i].count;
    return 0;
}

static void
write_rejects(struct prom *prom, const struct watch *watch, uint64_t rejected)
{
    static const char name[] = "prae_records_rejected_total";
    uint64_t named = 0;

    prom_family(prom, name, "counter", "Records that could not be judged.");
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        uint64_t count = refused_for(watch, reasons[i]);
        prom_labelled(prom, name, "reason", reasons[i], (double)count);
        named += count;
    }
    if (rejected > named)
        prom_labelled(prom, name, "reason", "other",
                      (double)(rejected - named));
}

static void
write_records(struct prom *prom, const struct watch *watch,
              const prae_stats *stats)
{
    static const char emitted[] = "prae_records_emitted_total";

    prom_single(prom, "prae_records_received_total", "counter",
                "Records taken in; emitted, rejected and held add up to it.",
                (double)stats->received);
    prom_family(prom, emitted, "counter", "Records judged.");
    prom_labelled(prom, emitted, "verdict", "inlier", (double)stats->inliers);
    prom_labelled(prom, emitted, "verdict", "outlier", (double)stats->outliers);
    write_rejects(prom, watch, stats->rejected);
    prom_single(prom, "prae_records_held", "gauge",
                "Records taken in whose verdict has not left yet.",
                (double)stats->held);
}

static void
write_learning(struct prom *prom, const struct watch *watch,
               const prae_stats *stats, const struct traffic *traffic)
{
    double edge[WATCH_TRAININGS];

    prom_single(prom, "prae_windows_total", "counter", "Windows judged.",
                (double)stats->windows);
    prom_single(prom, "prae_bursts_total", "counter",
                "Times that most of a window did not fit the past.",
                (double)stats->bursts);
    prom_single(prom, "prae_drifts_total", "counter",
                "Times that the past was given up for what came after.",
                (double)stats->drifts);
    prom_single(prom, "prae_model_rollbacks_total", "counter",
                "Windows whose training diverged and was undone.",
                (double)stats->rollbacks);
    prom_single(prom, "prae_records_unlearned_total", "counter",
                "Records judged, not learned: too fast, or too few at last.",
                (double)traffic->unlearned);
    for (size_t i = 0; i < WATCH_TRAININGS; i++)
        edge[i] = watch_training_edge(i);
    prom_family(prom, "prae_window_train_seconds", "histogram",
                "Time that a window took to be judged and learned.");
    prom_histogram(prom, "prae_window_train_seconds", edge, watch->training_bin,
                   WATCH_TRAININGS, watch->training_sum);
}

/* The last bin also holds what lies beyond its edge, so it has none here. */
static void
write_scores(struct prom *prom, const struct watch *watch,
             const prae_stats *stats)
{
    uint64_t bin[SCORE_EDGES + 1] = {0};
    double edge[SCORE_EDGES];

    for (size_t i = 0; i < WATCH_SCORES; i++)
        bin[i / SCORE_STEPS] += watch->score_in[i] + watch->score_out[i];
    for (size_t i = 0; i < SCORE_EDGES; i++)
        edge[i] = watch_score_edge((i + 1) * SCORE_STEPS);
    prom_family(prom, "prae_score", "histogram",
                "Scores of records judged; high is odd.");
    prom_histogram(prom, "prae_score", edge, bin, SCORE_EDGES,
                   watch->score_sum);
    prom_family(prom, "prae_score_limit", "gauge",
                "The score beyond which a record is flagged.");
    if (stats->features > 0)
        prom_number(prom, "prae_score_limit", stats->limit);
}

static void
write_fields(struct prom *prom, const prae_stats *stats)
{
    prom_single(prom, "prae_values_imputed_total", "counter",
                "Values that were missing.", (double)stats->imputed);
    prom_single(prom, "prae_fields_ignored_total", "counter",
                "Fields that the first window did not have.",
                (double)stats->ignored);
    prom_single(prom, "prae_integers_rounded_total", "counter",
                "Integers beyond 2^53.", (double)stats->wide_integers);
}

static void
write_traffic(struct prom *prom, const struct loop *loop,
              const struct traffic *traffic)
{
    uint64_t waiting = 0, left[3];

    for (size_t i = 0; i < loop->box_count; i++)
        waiting += loop->boxes[i].count;
    prom_single(prom, "prae_messages_received_total", "counter",
                "Messages taken from sockets.", (double)traffic->messages_in);
    prom_single(prom, "prae_messages_sent_total", "counter",
                "Messages handed to sockets.", (double)traffic->messages_out);
    prom_single(prom, "prae_messages_waiting", "gauge",
                "Messages taken from sockets whose records are not taken yet.",
                (double)waiting);
    prom_single(prom, "prae_records_undelivered", "gauge",
                "Records judged that outputs have not let go yet.",
                (double)outputs_left(&loop->outputs, left));
    prom_single(prom, "prae_records_unheard_total", "counter",
                "Records published while nobody subscribed.",
                (double)traffic->unheard);
    prom_single(prom, "prae_records_dropped_total", "counter",
                "Records that some subscriber was too slow for.",
                (double)traffic->dropped);
    prom_single(prom, "prae_connections_refused_total", "counter",
                "Connections turned away for their key.",
                (double)traffic->turned_away);
    prom_single(prom, "prae_output_blocked_seconds_total", "counter",
                "Time that outputs kept everything waiting.", traffic->blocked);
}

static void
write_outputs(struct prom *prom, const struct outputs *outputs)
{
    prom_family(prom, "prae_output_clogged", "gauge",
                "Whether the output takes no more for now.");
    for (size_t i = 0; i < SINK_COUNT; i++)
        if (outputs->sink[i].kind != SPEC_NOWHERE)
            prom_labelled(prom, "prae_output_clogged", "output",
                          output_names[i], sink_is_clogged(&outputs->sink[i]));
    prom_family(prom, "prae_output_peers", "gauge",
                "Who is connected to the output's socket.");
    for (size_t i = 0; i < SINK_COUNT; i++)
        if (outputs->sink[i].kind == SPEC_SOCKET)
            prom_labelled(prom, "prae_output_peers", "output", output_names[i],
                          (double)outputs->sink[i].box.peers);
}

int
metrics_write(const struct loop *loop, prae_buffer *out)
{
    struct prom prom = {.out = out};
    struct traffic traffic;
    prae_stats stats;

    loop_account(loop, &stats, &traffic);
    write_run(&prom, loop, &stats);
    write_records(&prom, &loop->watch, &stats);
    write_learning(&prom, &loop->watch, &stats, &traffic);
    write_scores(&prom, &loop->watch, &stats);
    write_fields(&prom, &stats);
    write_traffic(&prom, loop, &traffic);
    write_outputs(&prom, &loop->outputs);
    return prom.failed ? -1 : 0;
}
