/*
 * score.c - what prae-filter found of the faults that sensors planted.
 *
 *     score truth.csv clean.msgpack flagged.msgpack
 *
 * Reads the truth (id,kind with growing ids) and both outputs of the filter,
 * and prints how many faults of each kind were flagged, how many good
 * records were, and some flagged records with their reasons.
 */
#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KINDS 16   /* kinds of faults at most */
#define EXAMPLES 3 /* flagged records that are shown */
#define REASONS 2  /* reasons shown of each */
#define READ ((size_t)1 << 16)

struct kind {
    char name[32];
    long planted, found;
    long long first;   /* id of the first that was found */
    char reasons[512]; /* of it, in plain words */
};

struct planted {
    long long id;
    int kind;
};

struct score {
    struct kind kind[KINDS];
    int kind_count;
    struct planted *planted;
    size_t planted_count;
    long records, flagged, false_alarms;
};

/* ---- the truth ---- */

static int
kind_by_name(struct score *score, const char *name)
{
    int k = 0;

    while (k < score->kind_count && strcmp(score->kind[k].name, name) != 0)
        k++;
    if (k == score->kind_count && k < KINDS) {
        snprintf(score->kind[k].name, sizeof score->kind[k].name, "%s", name);
        score->kind_count++;
    }
    return k < KINDS ? k : KINDS - 1;
}

static int
read_truth(struct score *score, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[128], name[32], *rest;

    if (file == NULL)
        return -1;
    while (fgets(line, sizeof line, file) != NULL) {
        long long id = strtoll(line, &rest, 10);
        if (rest == line || sscanf(rest, ",%31s", name) != 1)
            continue; /* the header */
        size_t count = score->planted_count;
        if ((count & (count - 1)) == 0) {
            size_t cap = count == 0 ? 1 : 2 * count;
            void *more = realloc(score->planted, cap * sizeof *score->planted);
            if (more == NULL)
                break;
            score->planted = more;
        }
        int kind = kind_by_name(score, name);
        score->planted[count] = (struct planted){id, kind};
        score->planted_count++;
        score->kind[kind].planted++;
    }
    int bad = !feof(file);
    fclose(file);
    return bad ? -1 : 0;
}

static int
compare_planted(const void *a, const void *b)
{
    const struct planted *left = a, *right = b;

    return left->id < right->id ? -1 : left->id > right->id;
}

/* The kind of fault planted in record ID, or NULL for a good one. */
static struct kind *
kind_by_id(struct score *score, long long id)
{
    struct planted key = {id, 0};
    const struct planted *hit =
        bsearch(&key, score->planted, score->planted_count, sizeof key,
                compare_planted);

    return hit == NULL ? NULL : &score->kind[hit->kind];
}

/* ---- MessagePack ---- */

static const msgpack_object *
find(const msgpack_object *map, const char *key)
{
    for (uint32_t i = 0; map != NULL && map->type == MSGPACK_OBJECT_MAP &&
                         i < map->via.map.size;
         i++) {
        const msgpack_object_kv *pair = &map->via.map.ptr[i];
        if (pair->key.type == MSGPACK_OBJECT_STR &&
            pair->key.via.str.size == strlen(key) &&
            memcmp(pair->key.via.str.ptr, key, strlen(key)) == 0)
            return &pair->val;
    }
    return NULL;
}

static double
real(const msgpack_object *value)
{
    switch (value->type) {
    case MSGPACK_OBJECT_POSITIVE_INTEGER: return (double)value->via.u64;
    case MSGPACK_OBJECT_NEGATIVE_INTEGER: return (double)value->via.i64;
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64: return value->via.f64;
    default: return 0.0;
    }
}

/* Calls EACH with every value of the file at PATH. */
static int
read_values(struct score *score, const char *path,
            void (*each)(struct score *, const msgpack_object *))
{
    FILE *file = fopen(path, "rb");
    msgpack_unpacker unpacker;
    msgpack_unpacked value;
    msgpack_unpack_return status = MSGPACK_UNPACK_CONTINUE;
    size_t got = 1;

    if (file == NULL)
        return -1;
    msgpack_unpacked_init(&value);
    if (!msgpack_unpacker_init(&unpacker, 2 * READ)) {
        fclose(file);
        return -1;
    }
    while (status == MSGPACK_UNPACK_CONTINUE && got > 0 &&
           msgpack_unpacker_reserve_buffer(&unpacker, READ)) {
        got = fread(msgpack_unpacker_buffer(&unpacker), 1, READ, file);
        msgpack_unpacker_buffer_consumed(&unpacker, got);
        while ((status = msgpack_unpacker_next(&unpacker, &value)) ==
               MSGPACK_UNPACK_SUCCESS)
            each(score, &value.data);
    }
    int bad = ferror(file) || got > 0;
    msgpack_unpacked_destroy(&value);
    msgpack_unpacker_destroy(&unpacker);
    fclose(file);
    return bad ? -1 : 0;
}

/* ---- verdicts in plain words ---- */

static void
add_words(char *text, size_t size, const char *words)
{
    size_t len = strlen(text);

    snprintf(text + len, size - len, "\n    %s", words);
}

/* [field, share, observed, expected]: "flow_lpm 171, expected 391 (62 %)".
 * With context, a field may be the "flow_lpm, change" since the record
 * before, or the recent "flow_lpm, spread". */
static void
add_reason(char *text, size_t size, const msgpack_object *why)
{
    const msgpack_object *part = why->via.array.ptr;
    char words[160], name[96];

    if (why->type != MSGPACK_OBJECT_ARRAY || why->via.array.size != 4 ||
        part[0].type != MSGPACK_OBJECT_STR)
        return;
    snprintf(name, sizeof name, "%.*s", (int)part[0].via.str.size,
             part[0].via.str.ptr);
    char *comma = strstr(name, ", ");
    if (comma != NULL)
        *comma = '\0';
    snprintf(words, sizeof words, "%s%s%s %.4g, expected %.4g (%.0f %%)",
             comma == NULL ? "" : comma + 2, comma == NULL ? "" : " of ", name,
             real(&part[2]), real(&part[3]), 100.0 * real(&part[1]));
    add_words(text, size, words);
}

static void
explain(struct kind *kind, const msgpack_object *verdict)
{
    const msgpack_object *why = find(verdict, "why");
    const msgpack_object *reason = find(verdict, "reason");
    char words[160];

    if (reason != NULL && reason->type == MSGPACK_OBJECT_ARRAY &&
        reason->via.array.size == 2) {
        const msgpack_object_str *text = &reason->via.array.ptr[1].via.str;
        snprintf(words, sizeof words, "refused: %.*s", (int)text->size,
                 text->ptr);
        add_words(kind->reasons, sizeof kind->reasons, words);
    }
    for (uint32_t i = 0; why != NULL && why->type == MSGPACK_OBJECT_ARRAY &&
                         i < why->via.array.size && i < REASONS;
         i++)
        add_reason(kind->reasons, sizeof kind->reasons, &why->via.array.ptr[i]);
}

/* ---- counting ---- */

static void
count_clean(struct score *score, const msgpack_object *record)
{
    (void)record;
    score->records++;
}

static void
count_flagged(struct score *score, const msgpack_object *verdict)
{
    const msgpack_object *id = find(find(verdict, "record"), "id");
    struct kind *kind =
        id == NULL ? NULL : kind_by_id(score, (long long)real(id));

    score->records++;
    score->flagged++;
    if (kind == NULL) {
        score->false_alarms++;
        return;
    }
    if (kind->found++ == 0) {
        kind->first = (long long)real(id);
        explain(kind, verdict);
    }
}

/* ---- telling ---- */

static double
percent(long part, long whole)
{
    return whole == 0 ? 0.0 : 100.0 * (double)part / (double)whole;
}

static void
print_table(const struct score *score)
{
    long planted = (long)score->planted_count;
    long found = score->flagged - score->false_alarms;
    long good = score->records - planted;

    printf("%-12s %8s %8s %8s\n", "fault", "planted", "found", "share");
    for (int k = 0; k < score->kind_count; k++) {
        const struct kind *kind = &score->kind[k];
        printf("%-12s %8ld %8ld %6.0f %%\n", kind->name, kind->planted,
               kind->found, percent(kind->found, kind->planted));
    }
    printf("%-12s %8ld %8ld %6.0f %%\n", "all", planted, found,
           percent(found, planted));
    printf("good records flagged: %ld of %ld (%.2f %%)\n", score->false_alarms,
           good, percent(score->false_alarms, good));
}

/* One of each kind, those first that no single channel shows. */
static void
print_examples(struct score *score)
{
    static const char *const first[] = {"decoupled", "swapped", "inverted"};
    const struct kind *order[KINDS + 3] = {NULL};
    int count = 0, shown = 0;

    for (int i = 0; i < 3; i++)
        for (int k = 0; k < score->kind_count; k++)
            if (strcmp(score->kind[k].name, first[i]) == 0)
                order[count++] = &score->kind[k];
    int preferred = count;
    for (int k = 0; k < score->kind_count; k++) {
        int seen = 0;
        for (int i = 0; i < preferred; i++)
            seen |= order[i] == &score->kind[k];
        if (!seen)
            order[count++] = &score->kind[k];
    }
    for (int i = 0; i < count && shown < EXAMPLES; i++) {
        if (order[i]->found == 0)
            continue;
        printf("record %lld (%s):%s\n", order[i]->first, order[i]->name,
               order[i]->reasons);
        shown++;
    }
}

int
main(int argc, char **argv)
{
    static struct score score;
    const char *path = argc == 4 ? argv[1] : NULL;

    if (argc != 4) {
        fprintf(stderr, "usage: score TRUTH CLEAN FLAGGED\n");
        return 2;
    }
    int bad = read_truth(&score, path);
    if (bad == 0)
        bad = read_values(&score, path = argv[2], count_clean);
    if (bad == 0)
        bad = read_values(&score, path = argv[3], count_flagged);
    if (bad == 0) {
        print_table(&score);
        printf("\n");
        print_examples(&score);
    } else {
        fprintf(stderr, "score: cannot read %s\n", path);
    }
    free(score.planted);
    return bad == 0 ? 0 : 1;
}
