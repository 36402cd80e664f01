/* snapshot_features.c - the section FEAT: the tree of paths and the columns. */
#include "snapshot_parts.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

static void
put_categories(struct writer *out, const struct categories *categories)
{
    const size_t used = categories->used;
    const struct category **sorted = calloc(used + 1, sizeof *sorted);

    if (sorted == NULL) {
        out->status = PRAE_ENOMEM;
        return;
    }
    pri_categories_sort(categories, sorted);
    pri_put_f64(out, categories->total);
    pri_put_u32(out, categories->since);
    pri_put_u64(out, used);
    for (size_t i = 0; i < used; i++) {
        pri_put_u64(out, sorted[i]->hash);
        pri_put_f64(out, sorted[i]->count);
        pri_put_bytes(out, sorted[i]->start, sizeof sorted[i]->start);
    }
    free(sorted);
}

static void
put_column(struct writer *out, const struct column *column)
{
    pri_put_u32(out, (uint32_t)column->kind);
    pri_put_u32(out, column->node);
    if (column->kind == COLUMN_CATEGORY) {
        put_categories(out, &column->categories);
    } else if (column->kind == COLUMN_TEXT) {
        pri_put_f64(out, column->words.lines);
        pri_put_u32(out, column->words.since);
        pri_put_floats(out, column->words.one, PRI_WORD_SLOTS);
        pri_put_floats(out, column->words.pair, PRI_WORD_SLOTS);
    }
}

void
pri_snapshot_put_features(struct writer *out, const struct features *features)
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

/* The beginning of a value, to be shown as it is. */
static int
is_start(const char start[48])
{
    const char *end = memchr(start, '\0', 48);
    size_t len = end == NULL ? 0 : (size_t)(end - start);

    return end != NULL && pri_utf8_valid(start, len) == len;
}

static prae_status
get_categories(struct reader *in, struct categories *categories)
{
    double total = pri_get_faded(in);
    prae_status status = PRAE_OK;

    pri_categories_init(categories);
    categories->since = pri_get_u32(in);
    size_t used = pri_get_count(in, PRI_CATEGORIES_MAX, 64);
    for (size_t i = 0; status == PRAE_OK && i < used && in->fault == NULL;
         i++) {
        uint64_t hash = pri_get_u64(in);
        double count = pri_get_faded(in);
        const char *start = pri_get_bytes(in, 48);
        if (start == NULL)
            break;
        if (hash == 0 || !is_start(start)) {
            pri_get_fail(in, "a category in it makes no sense");
            break;
        }
        status = pri_categories_restore(categories, hash, count, start);
    }
    categories->total = total;
    return status;
}

static prae_status
get_words(struct reader *in, struct words *words)
{
    prae_status status = pri_words_init(words);

    if (status != PRAE_OK)
        return status;
    words->lines = pri_get_faded(in);
    words->since = pri_get_u32(in);
    pri_get_floats(in, words->one, PRI_WORD_SLOTS);
    pri_get_floats(in, words->pair, PRI_WORD_SLOTS);
    for (size_t i = 0; i < PRI_WORD_SLOTS; i++)
        if (words->one[i] < 0.0f || words->pair[i] < 0.0f)
            pri_get_fail(in, "a count in it is below 0");
    return PRAE_OK;
}

/* Makes room for one column at a time, and for no more features than there
 * may be: a string's takes far more memory than it has bytes here. */
static prae_status
get_column(struct reader *in, struct features *features, size_t i,
           size_t features_max)
{
    struct column *column = &features->column[i];
    uint32_t kind = pri_get_u32(in), node = pri_get_u32(in);
    int taken = i < features->taken;

    if (in->fault == NULL &&
        (kind > COLUMN_IGNORED || node == 0 || node >= features->tree.count ||
         (pri_column_reason((enum column_kind)kind) == NULL) != taken ||
         features->column_of[node] != PRI_PATH_NONE))
        pri_get_fail(in, "a column in it makes no sense");
    if (in->fault != NULL)
        return PRAE_OK;
    uint32_t width = kind == COLUMN_TEXT ? PRI_TEXT_FEATURES : 1;
    if (taken && width > features_max - features->D) {
        pri_get_fail(in, "it has more features than max-features");
        return PRAE_OK;
    }
    *column = (struct column){.kind = (enum column_kind)kind, .node = node};
    if (!taken)
        return PRAE_OK;
    column->first = (uint32_t)features->D;
    column->width = width;
    features->D += width;
    features->column_of[node] = (uint32_t)i;
    if (kind == COLUMN_CATEGORY)
        return get_categories(in, &column->categories);
    if (kind == COLUMN_TEXT)
        return get_words(in, &column->words);
    return PRAE_OK;
}

prae_status
pri_snapshot_get_features(struct reader *in, struct features *features,
                          size_t features_max)
{
    prae_status status = get_tree(in, &features->tree);

    if (status != PRAE_OK || in->fault != NULL)
        return status;
    features->root_items = (size_t)pri_get_u64(in);
    size_t count = pri_get_count(in, PRI_PATHS_MAX, 8);
    size_t taken = pri_get_count(in, count, 1);
    size_t nodes = features->tree.count;
    if (taken > features_max)
        pri_get_fail(in, "it has more features than max-features");
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
        status = get_column(in, features, i, features_max);
        if (status != PRAE_OK)
            return status;
    }
    features->column_count = count;
    pri_features_chosen(features);
    if (in->fault == NULL && features->D == 0)
        pri_get_fail(in, "it has no features");
    return PRAE_OK;
}
