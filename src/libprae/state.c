/*
 * state.c - what a filter has learned: saved, loaded, and told to whoever
 * asks.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "snapshot.h"

/* ---- snapshots ---- */

prae_status
prae_filter_save(const prae_filter *filter, prae_buffer *buffer)
{
    struct snapshot_meta meta = {0};

    if (filter == NULL || buffer == NULL || filter->broken ||
        !filter->learned || filter->learner.state == PRAE_STATE_WARMING)
        return PRAE_EINVAL;
    meta.window_number = filter->window_number +
                         (filter->judged && filter->window.slot_count > 0);
    return pri_snapshot_write(&filter->features, &filter->learner, &meta,
                              buffer);
}

/* Copies LIST, if there is one: its bytes are the caller's. */
static prae_status
copy_list(struct snapshot_text list, char **copy)
{
    if (list.len == 0)
        return PRAE_OK;
    *copy = malloc(list.len + 1);
    if (*copy == NULL)
        return PRAE_ENOMEM;
    memcpy(*copy, list.text, list.len);
    (*copy)[list.len] = '\0';
    return PRAE_OK;
}

/* The snapshot's lists of fields become the filter's, to be saved again. */
static prae_status
keep_lists(prae_filter *filter, const struct snapshot_meta *meta)
{
    char *fields = NULL, *ignore = NULL;

    if ((filter->fields == NULL &&
         copy_list(meta->fields, &fields) != PRAE_OK) ||
        (filter->ignore == NULL &&
         copy_list(meta->ignore, &ignore) != PRAE_OK)) {
        free(fields);
        return PRAE_ENOMEM;
    }
    if (fields != NULL)
        filter->fields = fields;
    if (ignore != NULL)
        filter->ignore = ignore;
    return PRAE_OK;
}

void
pri_filter_know_width(prae_filter *filter)
{
    struct codec *codec = &filter->codec;
    const size_t items = filter->features.root_items;

    if (codec->header_len == 0 && items < codec->limits.elements)
        codec->width = items;
}

prae_status
prae_filter_load(prae_filter *filter, const char *bytes, size_t len)
{
    struct features features;
    struct learner learner = {0};
    struct snapshot_meta meta = {0};
    prae_params params;
    char why[256] = "";

    if (filter == NULL || bytes == NULL)
        return PRAE_EINVAL;
    if (filter->learned || filter->stats.received > 0)
        return pri_filter_fail(filter, PRAE_EINVAL,
                               "a snapshot must come before the first record");
    params = filter->params;
    if (params.window == 0)
        return pri_filter_fail(filter, PRAE_ECONFIG,
                               "window=all has no use for a snapshot");
    size_t rows =
        params.window < PRI_ROWS_FIRST ? params.window : PRI_ROWS_FIRST;
    prae_status status = pri_features_init(&features);
    if (status == PRAE_OK)
        status = pri_snapshot_read(bytes, len, &params, &features, &learner,
                                   &meta, rows, why, sizeof why);
    if (status == PRAE_OK)
        status = pri_filter_set_rarity(&features, &learner);
    if (status == PRAE_OK)
        status = pri_learner_set_runner(&learner, &filter->runner);
    if (status == PRAE_OK)
        status = pri_window_reserve(&filter->window, rows, features.D);
    if (status == PRAE_OK)
        status = pri_filter_reserve_reasons(filter, rows);
    if (status == PRAE_OK)
        status = keep_lists(filter, &meta);
    if (status != PRAE_OK) {
        pri_features_fini(&features);
        pri_learner_fini(&learner);
        return pri_filter_fail(filter, status, "%s",
                               status == PRAE_ENOMEM ? "out of memory" : why);
    }
    features.coerce = params.coerce;
    features.impute_nonfinite = params.nonfinite == PRAE_NONFINITE_IMPUTE;
    pri_features_fini(&filter->features);
    filter->features = features;
    filter->learner = learner;
    filter->learner.params.fields = filter->fields;
    filter->learner.params.ignore = filter->ignore;
    filter->window_number = meta.window_number;
    filter->learned = 1;
    pri_filter_know_width(filter);
    return PRAE_OK;
}

/* ---- what it knows ---- */

const char *
prae_filter_header(const prae_filter *filter, size_t *len)
{
    *len = filter == NULL ? 0 : filter->codec.header_len;
    if (filter == NULL)
        return "";
    return filter->codec.header == NULL ? "" : filter->codec.header;
}

const char *
prae_filter_field(prae_filter *filter, size_t i, const char **reason)
{
    if (filter == NULL || filter->broken || !filter->learned ||
        i >= filter->features.column_count)
        return NULL;
    const struct column *column = &filter->features.column[i];
    *reason = pri_column_reason(column->kind);
    pri_path_text(&filter->features.tree, column->node, filter->name,
                  sizeof filter->name);
    return filter->name;
}

prae_status
prae_filter_feature(prae_filter *filter, size_t d, prae_feature *feature)
{
    if (filter == NULL || feature == NULL || filter->broken ||
        !filter->learned || d >= filter->learner.D)
        return PRAE_END;
    pri_filter_name_feature(filter, d, filter->name, sizeof filter->name);
    *feature = (prae_feature){.name = filter->name,
                              .centre = filter->learner.scale.centre[d],
                              .unit = filter->learner.scale.unit[d]};
    return PRAE_OK;
}

double
prae_filter_quantile(const prae_filter *filter, double share)
{
    return filter == NULL || !filter->learned
               ? (double)NAN
               : pri_learner_quantile(&filter->learner, share);
}

uint64_t
prae_filter_received(const prae_filter *filter)
{
    return filter == NULL ? 0 : filter->stats.received;
}

prae_state
pri_filter_state(const prae_filter *filter)
{
    if (filter->is_front)
        return filter->back.state;
    if (!filter->learned || filter->learner.state == PRAE_STATE_WARMING)
        return PRAE_STATE_WARMING;
    return filter->params.freeze ? PRAE_STATE_FROZEN : filter->learner.state;
}

void
prae_filter_stats(const prae_filter *filter, prae_stats *stats)
{
    *stats = (prae_stats){.size = sizeof *stats};
    if (filter == NULL)
        return;
    *stats = filter->stats;
    stats->size = sizeof *stats;
    stats->held =
        stats->received - stats->inliers - stats->outliers - stats->rejected;
    stats->bursts = filter->learner.bursts;
    stats->drifts = filter->learner.drifts;
    stats->rollbacks = filter->learner.rollbacks;
    stats->imputed = filter->features.imputed;
    stats->ignored = filter->features.unknown_fields;
    stats->wide_integers = filter->features.wide_ints;
    stats->features = filter->features.D;
    stats->inputs = filter->learner.D;
    stats->context = filter->learner.context.on;
    stats->likeness = filter->learner.likeness;
    stats->judged = filter->learner.windows;
    stats->misfits = filter->learner.held;
    stats->model = filter->learner.model;
    stats->trusted = filter->learner.reservoir.count;
    stats->latent = filter->learner.trainer.net.latent;
    stats->weights = filter->learner.trainer.net.param_count;
    stats->state = pri_filter_state(filter);
    stats->smooth = filter->learner.smooth.on;
    stats->score_likeness = pri_smooth_likeness(&filter->learner.smooth);
    if (stats->state != PRAE_STATE_WARMING) {
        const struct learner *learner = &filter->learner;
        float limit =
            learner->settled ? learner->bound : pri_opinion_bound(learner);
        pri_opinion_show(&filter->learner, 1, &limit);
        stats->limit = (double)limit;
    }
    if (filter->is_front) {
        stats->windows = filter->back.windows;
        stats->bursts = filter->back.bursts;
        stats->drifts = filter->back.drifts;
        stats->rollbacks = filter->back.rollbacks;
        stats->judged = filter->back.judged;
        stats->window = filter->back.window;
        stats->misfits = filter->back.misfits;
    }
}

const char *
prae_state_text(prae_state state)
{
    switch (state) {
    case PRAE_STATE_WARMING: return "warming";
    case PRAE_STATE_LIVE: return "live";
    case PRAE_STATE_BURST: return "burst";
    case PRAE_STATE_DRIFT: return "drift";
    case PRAE_STATE_FROZEN: return "frozen";
    }
    return "unknown";
}

const char *
prae_filter_errmsg(const prae_filter *filter)
{
    return filter == NULL ? "no filter given" : filter->errmsg;
}
