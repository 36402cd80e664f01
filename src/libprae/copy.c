/*
 * copy.c - what a filter has learned, given to another as it stands.
 *
 * A snapshot, written and read, brings the same; but a front is made after
 * every window, and to write, check and sort what is in order anyway takes
 * nearly as long as to learn it. Each part is made by its own file and then
 * filled: what is learned is copied, scratch is not. All that a snapshot
 * holds has to be here, too; a test compares the two.
 */
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "mem.h"

/* ---- features ---- */

static prae_status
copy_tree(const struct path_tree *from, struct path_tree *to)
{
    for (size_t i = 1; i < from->count; i++) {
        const struct path_node *node = &from->node[i];
        int named = node->key_len != UINT32_MAX;
        uint32_t made;
        prae_status status = pri_path_add(
            to, node->parent, named ? from->names + node->key : NULL,
            named ? node->key_len : 0, node->index, &made);
        if (status != PRAE_OK)
            return status;
    }
    return PRAE_OK;
}

static prae_status
copy_words(const struct words *from, struct words *to)
{
    prae_status status = pri_words_init(to);

    if (status != PRAE_OK)
        return status;
    to->lines = from->lines;
    to->since = from->since;
    memcpy(to->one, from->one, PRI_WORD_SLOTS * sizeof *to->one);
    memcpy(to->pair, from->pair, PRI_WORD_SLOTS * sizeof *to->pair);
    return PRAE_OK;
}

static prae_status
copy_column(const struct column *from, struct column *to)
{
    *to = (struct column){.kind = from->kind,
                          .node = from->node,
                          .first = from->first,
                          .width = from->width};
    if (from->kind == COLUMN_CATEGORY)
        return pri_categories_copy(&from->categories, &to->categories);
    if (from->kind == COLUMN_TEXT)
        return copy_words(&from->words, &to->words);
    return PRAE_OK;
}

/* To TO, which is initialised and empty. */
static prae_status
copy_features(const struct features *from, struct features *to)
{
    size_t nodes = from->node_count * sizeof *from->column_of;
    prae_status status = copy_tree(&from->tree, &to->tree);

    if (status != PRAE_OK)
        return status;
    to->column = calloc(from->column_count + 1, sizeof *to->column);
    to->column_of = malloc(nodes);
    if (to->column == NULL || to->column_of == NULL)
        return PRAE_ENOMEM;
    memcpy(to->column_of, from->column_of, nodes);
    to->node_count = from->node_count;
    to->D = from->D;
    to->taken = from->taken;
    to->root_items = from->root_items;
    to->coerce = from->coerce;
    to->impute_nonfinite = from->impute_nonfinite;
    while (to->column_count < from->column_count && status == PRAE_OK) {
        size_t i = to->column_count++;
        status = copy_column(&from->column[i], &to->column[i]);
    }
    pri_features_chosen(to);
    return status;
}

/* ---- the learner ---- */

static void
copy_context(const struct context *from, struct context *to)
{
    size_t D0 = from->D0;

    to->on = from->on;
    memcpy(to->last, from->last, D0 * sizeof *to->last);
    memcpy(to->mean, from->mean, D0 * sizeof *to->mean);
    memcpy(to->square, from->square, D0 * sizeof *to->square);
    memcpy(to->count, from->count, D0 * sizeof *to->count);
    memcpy(to->upsets, from->upsets, D0 * sizeof *to->upsets);
    memcpy(to->kept, from->kept, 3 * D0 * sizeof *to->kept);
    memcpy(to->kept_count, from->kept_count, 2 * D0 * sizeof *to->kept_count);
    memcpy(to->moved, from->moved, D0);
}

static prae_status
copy_reservoir(const struct reservoir *from, struct reservoir *to)
{
    size_t D = from->D;
    prae_status status = pri_reservoir_reserve(to, from->count);

    if (status != PRAE_OK)
        return status;
    to->count = from->count;
    memcpy(to->x, from->x, from->count * D * sizeof *to->x);
    memcpy(to->old, from->old, from->count);
    to->parted = from->parted;
    to->offered = from->offered;
    memcpy(to->low, from->low, D * sizeof *to->low);
    memcpy(to->high, from->high, D * sizeof *to->high);
    to->rng = from->rng;
    return PRAE_OK;
}

static void
copy_history(const struct history *from, struct history *to)
{
    size_t held = pri_history_held(from);
    size_t recent = held < PRI_RECENT ? held : PRI_RECENT;

    to->count = from->count;
    memcpy(to->score, from->score, held * sizeof *to->score);
    memcpy(to->sorted, from->sorted, held * sizeof *to->sorted);
    memcpy(to->recent, from->recent, recent * sizeof *to->recent);
}

static prae_status
copy_trainer(const struct trainer *from, const prae_params *params,
             size_t cap_rows, struct trainer *to)
{
    const struct net *net = &from->net;
    size_t depth = net->layer_count / 2 - 1, hidden[PRAE_HIDDEN_MAX];
    size_t bytes = net->param_count * sizeof *net->param;
    struct net made;

    for (size_t l = 0; l < depth; l++)
        hidden[l] = net->layer[l].out;
    prae_status status = pri_net_init(&made, net->D, hidden, depth, net->latent,
                                      params->activation);
    if (status == PRAE_OK)
        status =
            pri_trainer_init(to, &made, &from->rule, from->loss, from->seed,
                             pri_fit_room(params, cap_rows), cap_rows);
    if (status == PRAE_OK)
        status = pri_trainer_allow_gaps(to);
    if (status != PRAE_OK)
        return status;
    memcpy(to->net.param, net->param, bytes);
    to->adam.steps = from->adam.steps;
    memcpy(to->adam.mean, from->adam.mean, bytes);
    memcpy(to->adam.square, from->adam.square, bytes);
    to->epochs = from->epochs;
    return PRAE_OK;
}

/* All that is no block of memory. */
static void
copy_counts(const struct learner *from, struct learner *to)
{
    to->likeness = from->likeness;
    to->smooth = from->smooth;
    to->limit = from->limit;
    to->shut = from->shut;
    to->slack = from->slack;
    to->factor = from->factor;
    to->state = from->state;
    to->anew = from->anew;
    memcpy(to->marks, from->marks, sizeof to->marks);
    to->stale = from->stale;
    to->calm_level = from->calm_level;
    to->astray = from->astray;
    to->held = from->held;
    to->load = from->load;
    to->drifted = from->drifted;
    to->windows = from->windows;
    to->model = from->model;
    to->learned = from->learned;
    to->age = from->age;
    to->bursts = from->bursts;
    to->drifts = from->drifts;
    to->rollbacks = from->rollbacks;
}

/* To TO, which holds nothing, and has room for windows of CAP_ROWS. */
static prae_status
copy_learner(const struct learner *from, const prae_params *params,
             size_t cap_rows, struct learner *to)
{
    size_t D0 = from->context.D0, D = from->D;
    prae_status status =
        pri_learner_init(to, params, D0, from->least, cap_rows);

    if (status != PRAE_OK)
        return status;
    copy_context(&from->context, &to->context);
    status = pri_learner_reserve(to);
    if (status == PRAE_OK)
        status = copy_reservoir(&from->reservoir, &to->reservoir);
    if (status == PRAE_OK)
        status = copy_trainer(&from->trainer, params, cap_rows, &to->trainer);
    if (status != PRAE_OK)
        return status;
    memcpy(to->ever_low, from->ever_low, D0 * sizeof *to->ever_low);
    memcpy(to->ever_high, from->ever_high, D0 * sizeof *to->ever_high);
    memcpy(to->scale.centre, from->scale.centre, D * sizeof *to->scale.centre);
    memcpy(to->scale.unit, from->scale.unit, D * sizeof *to->scale.unit);
    copy_history(&from->history, &to->history);
    copy_counts(from, to);
    return PRAE_OK;
}

/* ---- the whole ---- */

/* Lists of fields that came with a snapshot. */
static prae_status
copy_lists(const prae_filter *from, prae_filter *to)
{
    prae_status status = PRAE_OK;

    if (to->fields == NULL)
        status = pri_copy_text(from->fields, &to->fields);
    if (status == PRAE_OK && to->ignore == NULL)
        status = pri_copy_text(from->ignore, &to->ignore);
    return status;
}

prae_status
pri_filter_copy_learned(const prae_filter *from, prae_filter *to)
{
    size_t rows =
        to->params.window < PRI_ROWS_FIRST ? to->params.window : PRI_ROWS_FIRST;
    prae_status status = copy_lists(from, to);

    if (status != PRAE_OK)
        return status;
    prae_params params = from->learner.params;
    params.freeze = to->params.freeze;
    params.fields = to->fields;
    params.ignore = to->ignore;
    status = copy_features(&from->features, &to->features);
    if (status == PRAE_OK)
        status = copy_learner(&from->learner, &params, rows, &to->learner);
    if (status == PRAE_OK)
        status = pri_filter_set_rarity(&to->features, &to->learner);
    if (status == PRAE_OK)
        status = pri_window_reserve(&to->window, rows, to->features.D);
    if (status == PRAE_OK)
        status = pri_filter_reserve_reasons(to, rows);
    to->window_number =
        from->window_number + (from->judged && from->window.slot_count > 0);
    to->learned = status == PRAE_OK;
    if (to->learned)
        pri_filter_know_width(to);
    return status;
}
