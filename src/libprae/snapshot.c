/*
 * snapshot.c - one function a section and direction, writer beside reader.
 *
 * Whatever is read was written by a stranger: every count is held against
 * the bytes there are before anything is allocated for it, and what follows
 * from other sizes (the weights' number from the layers) must agree.
 */
#include "snapshot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "bytes.h"
#include "mem.h"

static const char magic[8] = {'P', 'R', 'A', 'E', 'S', 'N', 'A', 'P'};

#define HEAD_BYTES 32
#define LIMIT_MOST 1e4 /* of a score, which is a logarithm */

/* The parameters that shape a model, and so belong to it. */
static const char *const shaping[] = {
    "gates",      "estimator", "sigma",   "lambda", "hidden",   "latent",
    "activation", "loss",      "context", "memory", "smooth",   "second",
    "seed",       "fields",    "ignore",  "coerce", "nonfinite"};

#define SHAPING_COUNT (sizeof shaping / sizeof *shaping)

/* ---- PARM: shaping parameters as text ---- */

static void
put_params(struct writer *out, const prae_params *params)
{
    char value[4096];

    pri_put_u64(out, SHAPING_COUNT);
    for (size_t i = 0; i < SHAPING_COUNT; i++) {
        if (prae_params_get(params, shaping[i], value, sizeof value) != PRAE_OK)
            value[0] = '\0';
        pri_put_text(out, shaping[i], strlen(shaping[i]));
        pri_put_text(out, value, strlen(value));
    }
}

/* One parameter of the snapshot against the caller's. */
static void
match_param(struct reader *in, prae_params *params, struct snapshot_meta *meta,
            const char *name, const char *value, char *why, size_t why_size)
{
    char given[4096], usual[4096];
    prae_params defaults;

    prae_params_init(&defaults);
    if (prae_params_get(params, name, given, sizeof given) != PRAE_OK ||
        prae_params_get(&defaults, name, usual, sizeof usual) != PRAE_OK)
        return; /* of a later version: not ours to judge */
    if (strcmp(given, value) == 0)
        return;
    if (strcmp(given, usual) != 0) {
        snprintf(why, why_size,
                 "it was learned with %s=%.60s, not %.60s: leave the option "
                 "out or start a new model",
                 name, value, given);
        pri_get_fail(in, why);
        return;
    }
    /* Texts must outlive the bytes they are in. */
    if (strcmp(name, "fields") == 0)
        snprintf(meta->fields, sizeof meta->fields, "%s", value);
    else if (strcmp(name, "ignore") == 0)
        snprintf(meta->ignore, sizeof meta->ignore, "%s", value);
    else if (prae_params_set(params, name, value, NULL, 0) != PRAE_OK)
        pri_get_fail(in, "a parameter in it cannot be used");
}

static void
get_params(struct reader *in, prae_params *params, struct snapshot_meta *meta,
           char *why, size_t why_size)
{
    size_t count = pri_get_count(in, 1000, 8);

    for (size_t i = 0; i < count && in->fault == NULL; i++) {
        char name[64], value[4096];
        size_t name_len, value_len;
        const char *n = pri_get_text(in, &name_len);
        const char *v = pri_get_text(in, &value_len);
        if (name_len >= sizeof name || value_len >= sizeof value) {
            pri_get_fail(in, "a parameter in it is too long");
            return;
        }
        memcpy(name, n, name_len);
        name[name_len] = '\0';
        memcpy(value, v, value_len);
        value[value_len] = '\0';
        match_param(in, params, meta, name, value, why, why_size);
    }
}

/* ---- FEAT: the tree of paths and the columns ---- */

static void
put_column(struct writer *out, const struct column *column)
{
    pri_put_u32(out, (uint32_t)column->kind);
    pri_put_u32(out, column->node);
    if (column->kind == COLUMN_CATEGORY) {
        const struct categories *c = &column->categories;
        pri_put_f64(out, c->total);
        pri_put_u32(out, c->since);
        pri_put_u64(out, c->used);
        /* From behind an empty slot on, so that a value which was pushed
         * round the table's end finds its place again. */
        size_t first = 0, slots = 2 * PRI_CATEGORIES_MAX;
        while (c->slot[first].hash != 0)
            first++;
        for (size_t i = 0; i < slots; i++) {
            const struct category *slot = &c->slot[(first + i) % slots];
            if (slot->hash == 0)
                continue;
            pri_put_u64(out, slot->hash);
            pri_put_f64(out, slot->count);
            pri_put_bytes(out, slot->start, sizeof slot->start);
        }
    } else if (column->kind == COLUMN_TEXT) {
        pri_put_f64(out, column->words.lines);
        pri_put_u32(out, column->words.since);
        pri_put_floats(out, column->words.one, PRI_WORD_SLOTS);
        pri_put_floats(out, column->words.pair, PRI_WORD_SLOTS);
    }
}

static void
put_features(struct writer *out, const struct features *features)
{
    const struct path_tree *tree = &features->tree;

    pri_put_u64(out, tree->count);
    for (size_t i = 1; i < tree->count; i++) {
        const struct path_node *node = &tree->node[i];
        int named = node->key_len != UINT32_MAX;
        pri_put_u32(out, node->parent);
        pri_put_u32(out, named ? 1 : 0);
        pri_put_u32(out, node->index);
        pri_put_text(out, named ? tree->names + node->key : "",
                     named ? node->key_len : 0);
    }
    pri_put_u64(out, features->root_items);
    pri_put_u64(out, features->column_count);
    pri_put_u64(out, features->taken);
    for (size_t i = 0; i < features->column_count; i++)
        put_column(out, &features->column[i]);
}

static prae_status
get_tree(struct reader *in, struct path_tree *tree)
{
    size_t count = pri_get_count(in, PRI_PATHS_MAX, 1);

    for (size_t i = 1; i < count && in->fault == NULL; i++) {
        uint32_t parent = pri_get_u32(in), named = pri_get_u32(in);
        uint32_t index = pri_get_u32(in), node = 0;
        size_t len;
        const char *key = pri_get_text(in, &len);
        if (in->fault != NULL)
            break;
        prae_status status = PRAE_EINVAL;
        if (parent < i)
            status = pri_path_add(tree, parent, named ? key : NULL, len, index,
                                  &node);
        if (status == PRAE_ENOMEM)
            return status;
        if (status != PRAE_OK || node != i)
            pri_get_fail(in, "its paths make no tree");
    }
    return PRAE_OK;
}

static prae_status
get_categories(struct reader *in, struct categories *categories)
{
    prae_status status = pri_categories_init(categories);

    if (status != PRAE_OK)
        return status;
    double total = pri_get_f64(in);
    categories->since = pri_get_u32(in);
    size_t used = pri_get_count(in, PRI_CATEGORIES_MAX, 64);
    for (size_t i = 0; i < used && in->fault == NULL; i++) {
        uint64_t hash = pri_get_u64(in);
        double count = pri_get_f64(in);
        const char *start = pri_get_bytes(in, 48);
        if (start == NULL)
            break;
        if (hash == 0 || !(count >= 0.0) || isinf(count) || start[47] != '\0') {
            pri_get_fail(in, "a category in it makes no sense");
            break;
        }
        pri_categories_restore(categories, hash, count, start);
    }
    categories->total = total;
    if (!(total >= 0.0) || isinf(total))
        pri_get_fail(in, "a number in it is not finite");
    return PRAE_OK;
}

static prae_status
get_words(struct reader *in, struct words *words)
{
    prae_status status = pri_words_init(words);

    if (status != PRAE_OK)
        return status;
    words->lines = pri_get_f64(in);
    words->since = pri_get_u32(in);
    pri_get_floats(in, words->one, PRI_WORD_SLOTS);
    pri_get_floats(in, words->pair, PRI_WORD_SLOTS);
    for (size_t i = 0; i < PRI_WORD_SLOTS; i++)
        if (words->one[i] < 0.0f || words->pair[i] < 0.0f)
            pri_get_fail(in, "a count in it is below 0");
    if (!(words->lines >= 0.0) || isinf(words->lines))
        pri_get_fail(in, "a number in it is not finite");
    return PRAE_OK;
}

static prae_status
get_column(struct reader *in, struct features *features, size_t i)
{
    struct column *column = &features->column[i];
    uint32_t kind = pri_get_u32(in), node = pri_get_u32(in);
    int taken = i < features->taken;

    if (in->fault == NULL &&
        (kind > COLUMN_IGNORED || node == 0 || node >= features->tree.count ||
         (pri_column_reason((enum column_kind)kind) == NULL) != taken))
        pri_get_fail(in, "a column in it makes no sense");
    if (in->fault != NULL)
        return PRAE_OK;
    *column = (struct column){.kind = (enum column_kind)kind, .node = node};
    if (!taken)
        return PRAE_OK;
    column->first = (uint32_t)features->D;
    column->width = kind == COLUMN_TEXT ? PRI_TEXT_FEATURES : 1;
    features->D += column->width;
    features->column_of[node] = (uint32_t)i;
    if (kind == COLUMN_CATEGORY)
        return get_categories(in, &column->categories);
    if (kind == COLUMN_TEXT)
        return get_words(in, &column->words);
    return PRAE_OK;
}

static prae_status
get_features(struct reader *in, struct features *features, size_t features_max)
{
    prae_status status = get_tree(in, &features->tree);

    if (status != PRAE_OK || in->fault != NULL)
        return status;
    features->root_items = (size_t)pri_get_u64(in);
    size_t count = pri_get_count(in, PRI_PATHS_MAX, 8);
    size_t taken = pri_get_count(in, count, 1);
    size_t nodes = features->tree.count;
    if (in->fault != NULL)
        return PRAE_OK;
    features->column = calloc(count + 1, sizeof *features->column);
    features->column_of = malloc(nodes * sizeof *features->column_of);
    if (features->column == NULL || features->column_of == NULL)
        return PRAE_ENOMEM;
    memset(features->column_of, 0xff, nodes * sizeof *features->column_of);
    features->node_count = nodes;
    features->taken = taken;
    for (size_t i = 0; i < count && in->fault == NULL; i++) {
        status = get_column(in, features, i);
        if (status != PRAE_OK)
            return status;
    }
    features->column_count = count;
    pri_features_chosen(features);
    if (in->fault == NULL && features->D == 0)
        pri_get_fail(in, "it has no features");
    else if (in->fault == NULL && features->D > features_max)
        pri_get_fail(in, "it has more features than max-features");
    return PRAE_OK;
}

/* ---- NETW: layers, weights, the optimiser ---- */

static void
put_net(struct writer *out, const struct trainer *trainer)
{
    const struct net *net = &trainer->net;

    pri_put_u64(out, net->D);
    pri_put_u64(out, net->latent);
    pri_put_u64(out, (net->layer_count - 2) / 2);
    for (size_t l = 0; l + 1 < net->layer_count / 2; l++)
        pri_put_u64(out, net->layer[l].out);
    pri_put_u64(out, net->param_count);
    pri_put_floats(out, net->param, net->param_count);
    pri_put_u64(out, trainer->adam.steps);
    pri_put_floats(out, trainer->adam.mean, net->param_count);
    pri_put_floats(out, trainer->adam.square, net->param_count);
    pri_put_u64(out, trainer->epochs);
}

static prae_status
get_net(struct reader *in, const prae_params *params, size_t D, size_t cap_rows,
        struct trainer *trainer)
{
    struct gate_rule rule = {params->gates, params->estimator,
                             (float)params->sigma};
    size_t hidden[PRAE_HIDDEN_MAX];
    struct net net;

    if (pri_get_u64(in) != D)
        pri_get_fail(in, "its net and its features disagree");
    uint64_t latent = pri_get_u64(in);
    size_t depth = pri_get_count(in, PRAE_HIDDEN_MAX, 8);
    size_t weights = 0, width = D;
    for (size_t i = 0; i < depth; i++) {
        hidden[i] = (size_t)pri_get_u64(in);
        if (hidden[i] < 1 || hidden[i] > PRAE_WIDTH_MAX)
            pri_get_fail(in, "a layer in it has an impossible width");
    }
    if (latent < 1 || latent > PRAE_WIDTH_MAX)
        pri_get_fail(in, "a layer in it has an impossible width");
    /* The weights must be there before memory is asked for them. */
    size_t count = pri_get_count(in, SIZE_MAX / 16, 12);
    if (in->fault != NULL)
        return PRAE_OK;
    for (size_t i = 0; i <= depth; i++) {
        size_t next = i < depth ? hidden[i] : (size_t)latent;
        weights += 2 * width * next + width + next;
        width = next;
        if (weights > count)
            break;
    }
    if (weights != count) {
        pri_get_fail(in, "its layers and weights disagree");
        return PRAE_OK;
    }
    prae_status status = pri_net_init(&net, D, hidden, depth, (size_t)latent,
                                      params->activation);
    if (status == PRAE_OK)
        status =
            pri_trainer_init(trainer, &net, &rule, params->loss, params->seed,
                             pri_fit_room(params, cap_rows), cap_rows);
    if (status == PRAE_OK)
        status = pri_trainer_allow_gaps(trainer);
    if (status != PRAE_OK)
        return status;
    pri_get_floats(in, trainer->net.param, count);
    trainer->adam.steps = pri_get_u64(in);
    pri_get_floats(in, trainer->adam.mean, count);
    pri_get_floats(in, trainer->adam.square, count);
    for (size_t i = 0; i < count; i++)
        if (trainer->adam.square[i] < 0.0f)
            pri_get_fail(in, "its optimiser makes no sense");
    trainer->epochs = pri_get_u64(in);
    return PRAE_OK;
}

/* ---- LEAR: context, scale, reservoir, history, counters ---- */

static void
put_rng(struct writer *out, const struct rng *rng)
{
    pri_put_u64(out, rng->seed);
    pri_put_u64(out, rng->stream);
    pri_put_u64(out, rng->at);
    for (int i = 0; i < 4; i++)
        pri_put_u32(out, rng->block[i]);
    pri_put_u32(out, rng->left);
}

static void
get_rng(struct reader *in, struct rng *rng)
{
    rng->seed = pri_get_u64(in);
    rng->stream = pri_get_u64(in);
    rng->at = pri_get_u64(in);
    for (int i = 0; i < 4; i++)
        rng->block[i] = pri_get_u32(in);
    rng->left = pri_get_u32(in);
    if (rng->left > 4)
        pri_get_fail(in, "its random state makes no sense");
}

/* A feature that was never there has no range: written as gaps. */
static void
put_ranges(struct writer *out, const double *low, const double *high,
           size_t count)
{
    for (size_t d = 0; d < count; d++) {
        int seen = low[d] <= high[d];
        pri_put_f64(out, seen ? low[d] : (double)NAN);
        pri_put_f64(out, seen ? high[d] : (double)NAN);
    }
}

static void
get_ranges(struct reader *in, double *low, double *high, size_t count)
{
    for (size_t d = 0; d < count; d++) {
        double lowest, highest;
        pri_get_doubles(in, &lowest, 1, 1);
        pri_get_doubles(in, &highest, 1, 1);
        if (isnan(lowest) || isnan(highest))
            continue;
        low[d] = lowest;
        high[d] = highest;
    }
}

static void
put_scores(struct writer *out, const struct learner *learner)
{
    const struct smooth *smooth = &learner->smooth;
    const struct history *history = &learner->history;
    size_t held = pri_history_held(history);

    pri_put_u32(out, (uint32_t)smooth->on);
    pri_put_f64(out, smooth->level);
    pri_put_f64(out, smooth->last);
    pri_put_f64(out, smooth->mean);
    pri_put_f64(out, smooth->square);
    pri_put_f64(out, smooth->product);
    pri_put_u64(out, smooth->count);
    pri_put_u64(out, history->count);
    pri_put_floats(out, history->score, held);
}

static void
get_scores(struct reader *in, struct learner *learner)
{
    struct smooth *smooth = &learner->smooth;
    struct history *history = &learner->history;

    smooth->on = pri_get_u32(in) != 0;
    pri_get_doubles(in, &smooth->level, 1, 1);
    pri_get_doubles(in, &smooth->last, 1, 1);
    pri_get_doubles(in, &smooth->mean, 1, 0);
    pri_get_doubles(in, &smooth->square, 1, 0);
    pri_get_doubles(in, &smooth->product, 1, 0);
    smooth->count = pri_get_u64(in);
    history->count = pri_get_u64(in);
    size_t held = pri_history_held(history);
    pri_get_floats(in, history->score, held);
    if (in->fault == NULL && held == 0)
        pri_get_fail(in, "it holds no past score");
    else if (in->fault == NULL)
        pri_history_restore(history);
}

/* The calm moment that a burst goes back to. */
static void
put_moment(struct writer *out, const struct learner *learner)
{
    const struct context *context = &learner->context;

    pri_put_doubles(out, context->kept, 3 * context->D0);
    for (size_t i = 0; i < 2 * context->D0; i++)
        pri_put_u64(out, context->kept_count[i]);
    pri_put_bytes(out, context->moved, context->D0);
    pri_put_f64(out, learner->calm_level);
    pri_put_u64(out, learner->stale);
    pri_put_u64(out, learner->astray);
    pri_put_bytes(out, learner->marks, PRI_MARKS);
}

static void
get_moment(struct reader *in, struct learner *learner)
{
    struct context *context = &learner->context;
    size_t D0 = context->D0;

    pri_get_doubles(in, context->kept, D0, 1);
    pri_get_doubles(in, context->kept + D0, 2 * D0, 0);
    for (size_t i = 0; i < 2 * D0; i++)
        context->kept_count[i] = pri_get_u64(in);
    const unsigned char *moved = pri_get_bytes(in, D0);
    for (size_t d = 0; moved != NULL && d < D0; d++)
        context->moved[d] = moved[d] != 0;
    pri_get_doubles(in, &learner->calm_level, 1, 1);
    learner->stale = pri_get_u64(in);
    learner->astray = pri_get_u64(in);
    const unsigned char *marks = pri_get_bytes(in, PRI_MARKS);
    for (size_t i = 0; marks != NULL && i < PRI_MARKS; i++)
        learner->marks[i] = marks[i] != 0;
}

static void
put_learner(struct writer *out, const struct learner *learner)
{
    const struct context *context = &learner->context;
    const struct reservoir *trusted = &learner->reservoir;
    size_t D0 = context->D0, D = learner->D;

    pri_put_u64(out, D0);
    pri_put_u32(out, (uint32_t)context->on);
    pri_put_f64(out, learner->likeness);
    pri_put_doubles(out, context->last, D0);
    pri_put_doubles(out, context->mean, D0);
    pri_put_doubles(out, context->square, D0);
    for (size_t d = 0; d < D0; d++) {
        pri_put_u64(out, context->count[d]);
        pri_put_u64(out, context->upsets[d]);
    }
    put_moment(out, learner);
    pri_put_doubles(out, learner->least, D0);
    put_ranges(out, learner->ever_low, learner->ever_high, D0);
    pri_put_doubles(out, learner->scale.centre, D);
    pri_put_doubles(out, learner->scale.unit, D);
    pri_put_u64(out, trusted->count);
    pri_put_doubles(out, trusted->x, trusted->count * D);
    pri_put_bytes(out, trusted->old, trusted->count);
    pri_put_u32(out, (uint32_t)trusted->parted);
    pri_put_u64(out, trusted->offered);
    put_ranges(out, trusted->low, trusted->high, D);
    put_rng(out, &trusted->rng);
    put_scores(out, learner);
    pri_put_f64(out, (double)learner->limit);
    pri_put_f64(out, (double)learner->factor);
    /* That it was frozen is for the run, not for what was learned. */
    pri_put_u32(out, (uint32_t)(learner->state == PRAE_STATE_FROZEN &&
                                        learner->awake != PRAE_STATE_WARMING
                                    ? learner->awake
                                    : learner->state));
    pri_put_u32(out, (uint32_t)learner->anew);
    pri_put_u64(out, learner->held);
    pri_put_f64(out, learner->load);
    pri_put_u64(out, learner->drifted);
    pri_put_u64(out, learner->windows);
    pri_put_u64(out, learner->model);
    pri_put_u64(out, learner->learned);
    pri_put_u64(out, learner->age);
    pri_put_u64(out, learner->bursts);
    pri_put_u64(out, learner->drifts);
    pri_put_u64(out, learner->rollbacks);
}

static prae_status
get_reservoir(struct reader *in, struct reservoir *trusted)
{
    size_t D = trusted->D, count = pri_get_count(in, trusted->cap, 8 * D + 1);
    prae_status status = pri_reservoir_reserve(trusted, count);

    if (status != PRAE_OK)
        return status;
    trusted->count = count;
    pri_get_doubles(in, trusted->x, count * D, 1);
    const unsigned char *old = pri_get_bytes(in, count);
    for (size_t i = 0; old != NULL && i < count; i++)
        trusted->old[i] = old[i] != 0;
    trusted->parted = pri_get_u32(in) != 0;
    trusted->offered = pri_get_u64(in);
    get_ranges(in, trusted->low, trusted->high, D);
    get_rng(in, &trusted->rng);
    if (in->fault == NULL && trusted->count == 0)
        pri_get_fail(in, "it holds no trusted record");
    return PRAE_OK;
}

static void
get_counters(struct reader *in, struct learner *learner)
{
    get_scores(in, learner);
    double limit = pri_get_f64(in), factor = pri_get_f64(in);
    uint32_t state = pri_get_u32(in);
    learner->anew = pri_get_u32(in) != 0;
    learner->held = pri_get_u64(in);
    pri_get_doubles(in, &learner->load, 1, 0);
    learner->drifted = pri_get_u64(in);
    learner->windows = pri_get_u64(in);
    learner->model = pri_get_u64(in);
    learner->learned = pri_get_u64(in);
    learner->age = pri_get_u64(in);
    learner->bursts = pri_get_u64(in);
    learner->drifts = pri_get_u64(in);
    learner->rollbacks = pri_get_u64(in);
    if (in->fault == NULL &&
        (state == PRAE_STATE_WARMING || state > PRAE_STATE_FROZEN ||
         !(fabs(limit) < LIMIT_MOST) ||
         !((float)factor > 0.0f && factor < 1e30)))
        pri_get_fail(in, "its state makes no sense");
    learner->state = (prae_state)state;
    learner->limit = (float)limit;
    learner->factor = (float)factor;
}

static prae_status
get_learner(struct reader *in, const prae_params *params, size_t D0,
            size_t cap_rows, struct learner *learner)
{
    double *zero = calloc(D0, sizeof *zero);

    if (zero == NULL)
        return PRAE_ENOMEM;
    prae_status status = pri_learner_init(learner, params, D0, zero, cap_rows);
    free(zero);
    if (status != PRAE_OK)
        return status;
    struct context *context = &learner->context;
    if (pri_get_u64(in) != D0)
        pri_get_fail(in, "its learner and its features disagree");
    context->on = pri_get_u32(in) != 0;
    learner->likeness = pri_get_f64(in);
    pri_get_doubles(in, context->last, D0, 1);
    pri_get_doubles(in, context->mean, D0, 0);
    pri_get_doubles(in, context->square, D0, 0);
    for (size_t d = 0; d < D0; d++) {
        context->count[d] = pri_get_u64(in);
        context->upsets[d] = pri_get_u64(in);
    }
    get_moment(in, learner);
    pri_get_doubles(in, learner->least, D0, 0);
    if (in->fault != NULL)
        return PRAE_OK;
    pri_learner_set_least(learner, learner->least);
    get_ranges(in, learner->ever_low, learner->ever_high, D0);
    status = pri_learner_reserve(learner);
    if (status != PRAE_OK)
        return status;
    pri_get_doubles(in, learner->scale.centre, learner->D, 0);
    pri_get_doubles(in, learner->scale.unit, learner->D, 0);
    for (size_t d = 0; d < learner->D; d++)
        if (!(learner->scale.unit[d] > 0.0))
            pri_get_fail(in, "its scale makes no sense");
    status = get_reservoir(in, &learner->reservoir);
    get_counters(in, learner);
    return status;
}

/* ---- the whole ---- */

prae_status
pri_snapshot_write(const struct features *features,
                   const struct learner *learner,
                   const struct snapshot_meta *meta, prae_buffer *buffer)
{
    struct writer out = {buffer, PRAE_OK};
    size_t start = buffer->len;

    pri_put_bytes(&out, magic, sizeof magic);
    pri_put_u32(&out, PRI_SNAPSHOT_VERSION);
    pri_put_u32(&out, 0);
    pri_put_u64(&out, 0);
    pri_put_u64(&out, 0);
    size_t at = pri_begin_section(&out, "META");
    pri_put_u64(&out, meta->window_number);
    pri_end_section(&out, at);
    at = pri_begin_section(&out, "PARM");
    put_params(&out, &learner->params);
    pri_end_section(&out, at);
    at = pri_begin_section(&out, "FEAT");
    put_features(&out, features);
    pri_end_section(&out, at);
    at = pri_begin_section(&out, "LEAR");
    put_learner(&out, learner);
    pri_end_section(&out, at);
    at = pri_begin_section(&out, "NETW");
    put_net(&out, &learner->trainer);
    pri_end_section(&out, at);
    if (out.status != PRAE_OK) {
        buffer->len = start;
        return out.status;
    }
    char *head = buffer->data + start;
    uint64_t len = buffer->len - start - HEAD_BYTES;
    uint64_t sum = XXH64(head + HEAD_BYTES, (size_t)len, 0);
    for (size_t i = 0; i < 8; i++) {
        head[16 + i] = (char)(len >> 8 * i);
        head[24 + i] = (char)(sum >> 8 * i);
    }
    return PRAE_OK;
}

/* The envelope: magic, version, length, checksum. */
static void
check_head(struct reader *in, char *why, size_t why_size)
{
    const void *head = pri_get_bytes(in, sizeof magic);

    if (head == NULL || memcmp(head, magic, sizeof magic) != 0) {
        in->fault = "it is no snapshot of prae's";
        return;
    }
    uint32_t version = pri_get_u32(in);
    (void)pri_get_u32(in);
    uint64_t len = pri_get_u64(in), sum = pri_get_u64(in);
    if (in->fault != NULL)
        return;
    if (version != PRI_SNAPSHOT_VERSION) {
        snprintf(why, why_size,
                 "its version is %u, and this program reads version %d",
                 version, PRI_SNAPSHOT_VERSION);
        pri_get_fail(in, why);
    } else if (len != (uint64_t)(in->end - in->at)) {
        snprintf(why, why_size, "it has %llu bytes and should have %llu",
                 (unsigned long long)(in->end - in->at) + HEAD_BYTES,
                 (unsigned long long)len + HEAD_BYTES);
        pri_get_fail(in, why);
    } else if (XXH64(in->at, (size_t)len, 0) != sum) {
        pri_get_fail(in, "its checksum is wrong: it was damaged");
    }
}

prae_status
pri_snapshot_read(const char *bytes, size_t len, prae_params *params,
                  struct features *features, struct learner *learner,
                  struct snapshot_meta *meta, size_t cap_rows, char *why,
                  size_t why_size)
{
    struct reader in = {.at = (const unsigned char *)bytes,
                        .end = (const unsigned char *)bytes + len};
    prae_status status = PRAE_OK;
    struct reader section;
    char tag[5], reason[256] = "";
    int seen = 0;

    check_head(&in, reason, sizeof reason);
    while (status == PRAE_OK && pri_get_section(&in, tag, &section)) {
        if (strcmp(tag, "META") == 0) {
            meta->window_number = pri_get_u64(&section);
        } else if (strcmp(tag, "PARM") == 0 && seen == 0) {
            get_params(&section, params, meta, reason, sizeof reason);
            seen = 1;
        } else if (strcmp(tag, "FEAT") == 0 && seen == 1) {
            status = get_features(&section, features, params->features_max);
            seen = 2;
        } else if (strcmp(tag, "LEAR") == 0 && seen == 2) {
            status =
                get_learner(&section, params, features->D, cap_rows, learner);
            seen = 3;
        } else if (strcmp(tag, "NETW") == 0 && seen == 3) {
            status = get_net(&section, params, learner->D, cap_rows,
                             &learner->trainer);
            if (status == PRAE_OK && section.fault == NULL)
                status = pri_learner_reserve_weights(learner);
            seen = 4;
        }
        if (section.fault != NULL)
            pri_get_fail(&in, section.fault);
    }
    if (in.fault == NULL && status == PRAE_OK && seen != 4)
        in.fault = "a part of it is missing";
    if (in.fault == NULL && status == PRAE_OK && !pri_trusted_is_sound(learner))
        in.fault = "its net gives no finite errors";
    if (in.fault != NULL) {
        snprintf(why, why_size, "%s", in.fault);
        return PRAE_ESNAPSHOT;
    }
    return status;
}
