/*
 * path.h - the places fields come from: a tree of names, each known by a
 * small number, so that a field is recognised without building its path.
 *
 * Records of a stream mostly look alike. The tree remembers where each
 * field of the last record belonged and tries that first; a name is looked
 * up only where the order changed.
 */
#ifndef PRI_PATH_H
#define PRI_PATH_H

#include "prae.h"
#include "record.h"

#define PRI_PATH_NONE UINT32_MAX
#define PRI_PATH_ROOT 0
#define PRI_PATHS_MAX 65536 /* places that are kept apart, at most */

struct path_node {
    uint32_t parent;
    uint32_t index;   /* the place in an array; 0 in a map */
    uint32_t key;     /* where the name starts in `names` */
    uint32_t key_len; /* UINT32_MAX: an array's item, without a name */
    uint32_t at;      /* the field that was last found to be it */
};

struct path_tree {
    struct path_node *node; /* node[0] is the root */
    size_t count;
    size_t cap;
    char *names;
    size_t names_len;
    size_t names_cap;
    uint32_t *slot; /* hash table of nodes, PRI_PATH_NONE where empty */
    size_t slot_count;
    uint64_t seed;  /* of the hash, name_hash.h */
    uint32_t *last; /* (last_cap) node of the last record's i-th field */
    size_t last_count;
    size_t last_cap;
};

/* A tree with its root only. PRAE_OK or PRAE_ENOMEM. */
prae_status pri_path_init(struct path_tree *tree);
void pri_path_fini(struct path_tree *tree);

/*
 * Finds the nodes of all of RECORD's fields: tree->last[i] is then field
 * i's node, or PRI_PATH_NONE for a place that is not known and, with LEARN
 * 0 or the tree full, not made known. Fields outside the record's root have
 * none, nor have those of a map whose name comes again in it, with all that
 * is in them: the last one counts. PRAE_OK or PRAE_ENOMEM.
 */
prae_status pri_path_resolve(struct path_tree *tree,
                             const struct record *record, int learn);

/* NODE's path, as a.b.2, to TEXT (SIZE bytes, cut if need be); a zero within
 * a name is a question mark there, so that it ends nothing. Returns the
 * length it would have had. */
size_t pri_path_text(const struct path_tree *tree, uint32_t node, char *text,
                     size_t size);

/* Adds the node of the path TEXT, as a.b.2. An item of digits is both a
 * name and an array's place; AS_INDEX says which. Used to restore a saved
 * tree. PRAE_OK, PRAE_ENOMEM, or PRAE_EINVAL where the tree is full. */
prae_status pri_path_add(struct path_tree *tree, uint32_t parent,
                         const char *key, size_t key_len, uint32_t index,
                         uint32_t *node);

#endif
