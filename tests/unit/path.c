/* Places of fields are known again, in any order, by their names. */
#include "path.h"
#include "codec.h"
#include "stream.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct codec codec;

/* Resolves a line of JSON; the paths of its leaves, in their order. */
static const char *
resolve(struct path_tree *tree, const char *line, int learn)
{
    static char text[4096];
    size_t len = 0;

    NEED(pri_codec_again(&codec, line, strlen(line)) == PRAE_OK);
    NEED(codec.record.fault == FAULT_NONE);
    NEED(pri_path_resolve(tree, &codec.record, learn) == PRAE_OK);
    text[0] = '\0';
    for (size_t i = 0; i < codec.record.count; i++) {
        uint8_t type = codec.record.field[i].type;
        if (type == FIELD_MAP || type == FIELD_ARRAY)
            continue;
        char path[256] = "?";
        if (tree->last[i] != PRI_PATH_NONE)
            pri_path_text(tree, tree->last[i], path, sizeof path);
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s",
                                len > 0 ? " " : "", path);
    }
    return text;
}

static void
test_paths(void)
{
    static const struct {
        const char *name, *line, *paths;
    } cases[] = {
        {"a map", "{\"a\":1,\"b\":2}", "a b"},
        {"maps and arrays", "{\"a\":{\"b\":[1,{\"c\":2}]},\"d\":3}",
         "a.b.0 a.b.1.c d"},
        {"an array", "[1,[2,3]]", "0 1.0 1.1"},
        {"equal names in different maps", "{\"x\":{\"k\":1},\"y\":{\"k\":2}}",
         "x.k y.k"},
        {"the last of equal names counts", "{\"a\":1,\"a\":2,\"a\":3}",
         "? ? a"},
        {"what is in others goes, too",
         "{\"a\":{\"x\":1,\"y\":2},\"b\":1,\"a\":{\"x\":3}}", "? ? b a.x"},
        {"a number, then a map", "{\"a\":1,\"a\":{\"b\":2}}", "? a.b"},
        {"a map, then a number", "{\"a\":{\"b\":[2,3]},\"a\":1}", "? ? a"},
        {"names that are digits", "{\"0\":1,\"1\":2}", "0 1"},
        {"a name with a zero", "{\"a\\u0000b\":1,\"a\":2}", "a?b a"},
        {"a name with a dot", "{\"a.b\":1}", "a.b"},
        {"an empty name within", "{\"a\":{\"\":1,\"b\":2}}", "a. a.b"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct path_tree tree;
        NEED(pri_path_init(&tree) == PRAE_OK);
        const char *got = resolve(&tree, cases[i].line, 1);
        if (!ok(strcmp(got, cases[i].paths) == 0, "%s", cases[i].name))
            printf("# got %s\n", got);
        size_t count = tree.count;
        got = resolve(&tree, cases[i].line, 0);
        ok(strcmp(got, cases[i].paths) == 0 && tree.count == count, "%s, again",
           cases[i].name);
        pri_path_fini(&tree);
    }
}

/* A digit in a map and an item of an array are two places. */
static void
test_digits(void)
{
    struct path_tree tree;

    NEED(pri_path_init(&tree) == PRAE_OK);
    (void)resolve(&tree, "{\"v\":{\"0\":1}}", 1);
    ok(strcmp(resolve(&tree, "{\"v\":[1]}", 0), "?") == 0,
       "an item is not the name 0");
    (void)resolve(&tree, "{\"v\":[1]}", 1);
    ok(tree.count == 4, "... they are kept apart");
    pri_path_fini(&tree);
}

static void
test_order(void)
{
    struct path_tree tree;
    uint32_t node[4];

    NEED(pri_path_init(&tree) == PRAE_OK);
    (void)resolve(&tree, "{\"a\":1,\"b\":2,\"c\":{\"d\":3}}", 1);
    memcpy(node, tree.last + 1, 2 * sizeof *node);
    ok(strcmp(resolve(&tree, "{\"c\":{\"d\":3},\"b\":2,\"a\":1}", 0),
              "c.d b a") == 0 &&
           tree.last[3] == node[1] && tree.last[4] == node[0],
       "names in another order are the same places");
    ok(strcmp(resolve(&tree, "{\"new\":1,\"a\":1,\"c\":{\"x\":{\"y\":1}}}", 0),
              "? a ?") == 0,
       "a name not learned has no place, nor has what is in it");
    ok(strcmp(resolve(&tree, "{\"a\":{\"b\":5}}", 0), "?") == 0,
       "a name below one that was a number has none");
    ok(strcmp(resolve(&tree, "{}", 0), "") == 0, "nothing has no places");
    pri_path_fini(&tree);
}

/* Fields outside the record's root have no place. */
static void
test_root(void)
{
    static const char event[] = "\x93\xa1t\x0a\x81\xa1"
                                "a\x01";
    struct codec_limits limits = {1 << 20, 32, 65536};
    struct codec msgpack;
    struct path_tree tree;
    char path[16];

    NEED(pri_codec_init(&msgpack, PRAE_FORMAT_MSGPACK, &limits) == PRAE_OK);
    NEED(pri_codec_next(&msgpack, event, sizeof event - 1, 1) == PRAE_OK);
    NEED(pri_path_init(&tree) == PRAE_OK);
    NEED(pri_path_resolve(&tree, &msgpack.record, 1) == PRAE_OK);
    pri_path_text(&tree, tree.last[4], path, sizeof path);
    ok(tree.last[0] == PRI_PATH_NONE && tree.last[1] == PRI_PATH_NONE &&
           tree.last[2] == PRI_PATH_NONE && tree.last[3] == PRI_PATH_ROOT &&
           strcmp(path, "a") == 0,
       "an event's paths begin in its map");
    pri_path_fini(&tree);
    pri_codec_fini(&msgpack);
}

static void
test_many(void)
{
    struct path_tree tree;
    uint32_t node;
    char name[16], path[16];
    size_t wrong = 0;

    NEED(pri_path_init(&tree) == PRAE_OK);
    for (unsigned i = 0; i < PRI_PATHS_MAX - 1; i++) {
        snprintf(name, sizeof name, "n%u", i);
        NEED(pri_path_add(&tree, 0, name, strlen(name), 0, &node) == PRAE_OK);
        wrong += node != i + 1;
    }
    for (unsigned i = 0; i < PRI_PATHS_MAX - 1; i += 97) {
        snprintf(name, sizeof name, "n%u", i);
        NEED(pri_path_add(&tree, 0, name, strlen(name), 0, &node) == PRAE_OK);
        pri_path_text(&tree, node, path, sizeof path);
        wrong += node != i + 1 || strcmp(path, name) != 0;
    }
    ok(wrong == 0, "%d places are kept apart", PRI_PATHS_MAX);
    ok(pri_path_add(&tree, 0, "more", 4, 0, &node) == PRAE_EINVAL &&
           tree.count == PRI_PATHS_MAX,
       "... and no more");
    ok(strcmp(resolve(&tree, "{\"more\":1,\"n5\":2}", 1), "? n5") == 0,
       "... then new names have no place");
    pri_path_fini(&tree);
}

/* Who chooses names that meet in one tree has not chosen them for another. */
static void
test_keyed(void)
{
    struct path_tree tree[2];
    uint32_t node;

    for (size_t t = 0; t < COUNT(tree); t++) {
        NEED(pri_path_init(&tree[t]) == PRAE_OK);
        for (uint32_t i = 0; i < 64; i++) {
            char name[2] = {(char)('0' + i), '\0'};
            NEED(pri_path_add(&tree[t], 0, i < 32 ? name : NULL, 1, i,
                              &node) == PRAE_OK);
        }
    }
    size_t same = 0;
    for (size_t i = 0; i < tree[0].slot_count; i++)
        same += tree[0].slot[i] != PRI_PATH_NONE &&
                tree[0].slot[i] == tree[1].slot[i];
    ok(tree[0].slot_count == tree[1].slot_count && same < 32,
       "where a place is found differs from tree to tree");
    pri_path_fini(&tree[0]);
    pri_path_fini(&tree[1]);
}

static void
test_cut(void)
{
    struct path_tree tree;
    char path[8];

    NEED(pri_path_init(&tree) == PRAE_OK);
    (void)resolve(&tree, "{\"abc\":{\"defgh\":1}}", 1);
    size_t len = pri_path_text(&tree, tree.last[2], path, sizeof path);
    ok(len == 9 && strcmp(path, "abc.def") == 0,
       "a path is cut, its length told");
    len = pri_path_text(&tree, tree.last[2], path, 4);
    ok(len == 9 && strcmp(path, "abc") == 0, "... also at the dot");
    path[0] = 'x';
    len = pri_path_text(&tree, tree.last[2], path, 0);
    ok(len == 9 && path[0] == 'x', "... and in no room at all");
    ok(pri_path_text(&tree, PRI_PATH_ROOT, path, sizeof path) == 0 &&
           path[0] == '\0',
       "the root has no name");
    pri_path_fini(&tree);
}

/* As deep as a snapshot may claim. */
static void
test_deep(void)
{
    struct path_tree tree;
    uint32_t node = 0;
    char path[64];

    NEED(pri_path_init(&tree) == PRAE_OK);
    for (unsigned i = 1; i < PRI_PATHS_MAX; i++)
        NEED(pri_path_add(&tree, node, "k", 1, 0, &node) == PRAE_OK);
    ok(pri_path_text(&tree, node, path, sizeof path) ==
               2 * (size_t)PRI_PATHS_MAX - 3 &&
           strlen(path) == sizeof path - 1,
       "a path of %d steps is told", PRI_PATHS_MAX - 1);
    pri_path_fini(&tree);
}

/* The first of all names may be empty. */
static void
test_empty(void)
{
    struct path_tree tree;

    NEED(pri_path_init(&tree) == PRAE_OK);
    ok(strcmp(resolve(&tree, "{\"\":1}", 1), "") == 0 && tree.count == 2,
       "a name of no letters is a name");
    ok(strcmp(resolve(&tree, "{\"\":1,\"b\":2}", 1), "b") == 0 &&
           tree.count == 3,
       "... and known again");
    pri_path_fini(&tree);
}

int
main(void)
{
    struct codec_limits limits = {1 << 20, 32, 65536};

    NEED(pri_codec_init(&codec, PRAE_FORMAT_JSONL, &limits) == PRAE_OK);
    test_paths();
    test_digits();
    test_order();
    test_root();
    test_many();
    test_keyed();
    test_cut();
    test_deep();
    test_empty();
    pri_codec_fini(&codec);
    return tap_done();
}
