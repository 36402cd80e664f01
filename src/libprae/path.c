/* path.c - the tree of places, hashed by (parent, name). */
#include "path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "name_hash.h"

#define UNNAMED UINT32_MAX
#define NAMES_MAX (16u << 20) /* bytes of all names together */

/* Begun with the parent, so that equal names in different maps differ. */
static uint64_t
hash(const struct path_tree *tree, uint32_t parent, const char *key,
     size_t key_len, uint32_t index)
{
    uint64_t seed = tree->seed + parent * UINT64_C(0x9E3779B97F4A7C15);

    if (key == NULL)
        return pri_name_hash(seed, &index, sizeof index);
    return pri_name_hash(seed, key, key_len);
}

static int
is_node(const struct path_tree *tree, const struct path_node *node,
        uint32_t parent, const char *key, size_t key_len, uint32_t index)
{
    if (node->parent != parent)
        return 0;
    if (key == NULL)
        return node->key_len == UNNAMED && node->index == index;
    return node->key_len == key_len &&
           memcmp(tree->names + node->key, key, key_len) == 0;
}

prae_status
pri_path_init(struct path_tree *tree)
{
    *tree = (struct path_tree){
        .cap = 64, .slot_count = 256, .seed = pri_name_seed()};
    tree->node = calloc(tree->cap, sizeof *tree->node);
    tree->slot = malloc(tree->slot_count * sizeof *tree->slot);
    if (tree->node == NULL || tree->slot == NULL) {
        pri_path_fini(tree);
        return PRAE_ENOMEM;
    }
    memset(tree->slot, 0xff, tree->slot_count * sizeof *tree->slot);
    tree->node[0].parent = PRI_PATH_NONE;
    tree->count = 1;
    return PRAE_OK;
}

void
pri_path_fini(struct path_tree *tree)
{
    free(tree->node);
    free(tree->names);
    free(tree->slot);
    free(tree->last);
    *tree = (struct path_tree){0};
}

/* The slot that holds the node, or the empty one where it belongs. */
static uint32_t *
find_slot(const struct path_tree *tree, uint32_t parent, const char *key,
          size_t key_len, uint32_t index)
{
    size_t mask = tree->slot_count - 1;
    size_t at = (size_t)hash(tree, parent, key, key_len, index);

    for (;; at++) {
        uint32_t *slot = &tree->slot[at & mask];
        if (*slot == PRI_PATH_NONE ||
            is_node(tree, &tree->node[*slot], parent, key, key_len, index))
            return slot;
    }
}

static const char *
node_key(const struct path_tree *tree, const struct path_node *node)
{
    return node->key_len == UNNAMED ? NULL : tree->names + node->key;
}

/* Doubles the table; at most half of it is ever in use. */
static prae_status
grow_slots(struct path_tree *tree)
{
    uint32_t *old = tree->slot;
    size_t count = tree->slot_count * 2;
    uint32_t *slot = malloc(count * sizeof *slot);

    if (slot == NULL)
        return PRAE_ENOMEM;
    memset(slot, 0xff, count * sizeof *slot);
    tree->slot = slot;
    tree->slot_count = count;
    for (size_t i = 1; i < tree->count; i++) {
        const struct path_node *node = &tree->node[i];
        *find_slot(tree, node->parent, node_key(tree, node), node->key_len,
                   node->index) = (uint32_t)i;
    }
    free(old);
    return PRAE_OK;
}

/* Room for one more of everything that a node needs. */
static prae_status
make_room(struct path_tree *tree, size_t key_len)
{
    if (tree->count == tree->cap) {
        size_t cap = tree->cap * 2;
        struct path_node *node = realloc(tree->node, cap * sizeof *node);
        if (node == NULL)
            return PRAE_ENOMEM;
        tree->node = node;
        tree->cap = cap;
    }
    if (tree->names == NULL || key_len > tree->names_cap - tree->names_len) {
        size_t cap = 2 * tree->names_cap + key_len + 1024;
        char *names = realloc(tree->names, cap);
        if (names == NULL)
            return PRAE_ENOMEM;
        tree->names = names;
        tree->names_cap = cap;
    }
    if (2 * (tree->count + 1) > tree->slot_count)
        return grow_slots(tree);
    return PRAE_OK;
}

prae_status
pri_path_add(struct path_tree *tree, uint32_t parent, const char *key,
             size_t key_len, uint32_t index, uint32_t *node)
{
    size_t named = key == NULL ? 0 : key_len;
    uint32_t *slot = find_slot(tree, parent, key, key_len, index);

    if (*slot != PRI_PATH_NONE) {
        *node = *slot;
        return PRAE_OK;
    }
    if (tree->count == PRI_PATHS_MAX || named > NAMES_MAX - tree->names_len)
        return PRAE_EINVAL;
    prae_status status = make_room(tree, named);
    if (status != PRAE_OK)
        return status;
    if (named > 0)
        memcpy(tree->names + tree->names_len, key, named);
    slot = find_slot(tree, parent, key, key_len, index);
    *slot = (uint32_t)tree->count;
    *node = (uint32_t)tree->count;
    tree->node[tree->count++] = (struct path_node){
        .parent = parent,
        .index = key == NULL ? index : 0,
        .key = (uint32_t)tree->names_len,
        .key_len = key == NULL ? UNNAMED : (uint32_t)key_len};
    tree->names_len += named;
    return PRAE_OK;
}

static prae_status
reserve_last(struct path_tree *tree, size_t count)
{
    if (count <= tree->last_cap)
        return PRAE_OK;
    size_t cap = count > 2 * tree->last_cap ? count : 2 * tree->last_cap;
    uint32_t *last = realloc(tree->last, cap * sizeof *last);
    if (last == NULL)
        return PRAE_ENOMEM;
    tree->last = last;
    tree->last_cap = cap;
    return PRAE_OK;
}

/* Field I is NODE; an earlier one that was it is none any more. Whether there
 * is such. */
static int
take_place(struct path_tree *tree, uint32_t node, size_t i)
{
    size_t before = tree->node[node].at;
    int again = before < i && tree->last[before] == node;

    if (again)
        tree->last[before] = PRI_PATH_NONE;
    tree->node[node].at = (uint32_t)i;
    return again;
}

/* What lies in a field that is none is none, too. */
static void
drop_inner(struct path_tree *tree, const struct record *record)
{
    for (size_t i = 1; i < record->count; i++)
        if (i != record->root &&
            tree->last[record->field[i].parent] == PRI_PATH_NONE)
            tree->last[i] = PRI_PATH_NONE;
}

prae_status
pri_path_resolve(struct path_tree *tree, const struct record *record, int learn)
{
    prae_status status = reserve_last(tree, record->count);
    int again = 0;

    if (status != PRAE_OK)
        return status;
    for (size_t i = 0; i < record->count; i++) {
        const struct field *field = &record->field[i];
        uint32_t guess = i < tree->last_count ? tree->last[i] : PRI_PATH_NONE;
        uint32_t node = PRI_PATH_NONE;

        if (i == record->root) {
            tree->last[i] = PRI_PATH_ROOT;
            continue;
        }
        uint32_t parent = i == 0 ? PRI_PATH_NONE : tree->last[field->parent];
        if (parent == PRI_PATH_NONE) {
            tree->last[i] = PRI_PATH_NONE;
            continue;
        }
        if (guess != PRI_PATH_NONE &&
            is_node(tree, &tree->node[guess], parent, field->key,
                    field->key_len, field->index)) {
            node = guess;
        } else if (learn) {
            status = pri_path_add(tree, parent, field->key, field->key_len,
                                  field->index, &node);
            if (status == PRAE_ENOMEM)
                return status;
        } else {
            node = *find_slot(tree, parent, field->key, field->key_len,
                              field->index);
        }
        tree->last[i] = node;
        if (node != PRI_PATH_NONE)
            again |= take_place(tree, node, i);
    }
    if (again)
        drop_inner(tree, record);
    tree->last_count = record->count;
    return PRAE_OK;
}

/* NODE's own part of the path; NUMBER is room for an array's place. */
static const char *
part_of(const struct path_tree *tree, const struct path_node *node,
        char number[16], size_t *len)
{
    if (node->key_len != UNNAMED) {
        *len = node->key_len;
        return node_key(tree, node);
    }
    *len = (size_t)snprintf(number, 16, "%u", node->index);
    return number;
}

size_t
pri_path_text(const struct path_tree *tree, uint32_t node, char *text,
              size_t size)
{
    char number[16];
    size_t len, total = 0;

    /* Upwards twice: for the length, then writing from the end. */
    for (uint32_t n = node; n != PRI_PATH_ROOT; n = tree->node[n].parent) {
        (void)part_of(tree, &tree->node[n], number, &len);
        total += len + (tree->node[n].parent != PRI_PATH_ROOT);
    }
    if (size == 0)
        return total;
    text[total < size ? total : size - 1] = '\0';
    size_t end = total;
    for (uint32_t n = node; n != PRI_PATH_ROOT; n = tree->node[n].parent) {
        const char *part = part_of(tree, &tree->node[n], number, &len);
        end -= len;
        /* Not all of a name that is far too long, for each that is in it. */
        size_t room = end + 1 < size ? size - 1 - end : 0;
        for (size_t i = 0; i < len && i < room; i++)
            text[end + i] = (char)(part[i] == '\0' ? '?' : part[i]);
        if (end > 0 && end-- < size)
            text[end] = '.';
    }
    return total;
}
