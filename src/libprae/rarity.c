/* rarity.c - how rare a category is, by its count. */
#include "rarity.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "name_hash.h"
#include "text.h"

#define HALVE_VALUES 16384 /* values after which a category's are */
#define USUAL_SHARE 0.01   /* of a column: what has more is hardly rare */
#define VALUES_FIRST 4     /* room for values to begin with; doubled later */
#define ONCE 0.5           /* what a halved count must exceed to be kept */

uint64_t
pri_text_hash(const char *text, size_t len)
{
    uint64_t h = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    h ^= h >> 31;
    return h == 0 ? 1 : h;
}

void
pri_categories_init(struct categories *categories)
{
    *categories = (struct categories){.seed = pri_name_seed()};
}

void
pri_categories_fini(struct categories *categories)
{
    free(categories->slot);
    free(categories->value);
    *categories = (struct categories){0};
}

static size_t
slot_count(size_t cap)
{
    return 2 * cap;
}

prae_status
pri_categories_copy(const struct categories *from, struct categories *to)
{
    const size_t slots = slot_count(from->cap);

    *to = *from;
    to->slot = NULL;
    to->value = NULL;
    if (from->cap == 0)
        return PRAE_OK;
    to->slot = calloc(slots, sizeof *to->slot);
    to->value = calloc(from->cap, sizeof *to->value);
    if (to->slot == NULL || to->value == NULL) {
        pri_categories_fini(to);
        return PRAE_ENOMEM;
    }
    memcpy(to->slot, from->slot, slots * sizeof *to->slot);
    memcpy(to->value, from->value, from->used * sizeof *to->value);
    return PRAE_OK;
}

/* The slot that the value of HASH is looked for in first. */
static size_t
first_slot(const struct categories *categories, uint64_t hash)
{
    return (size_t)pri_name_hash(categories->seed, &hash, sizeof hash) %
           slot_count(categories->cap);
}

/* The slot that the value of HASH is in or, where it is not known, is to be
 * in. Half of them are empty at least, but there have to be some. */
static size_t
category_slot(const struct categories *categories, uint64_t hash)
{
    size_t at = first_slot(categories, hash);

    while (categories->slot[at] != 0 &&
           categories->value[categories->slot[at] - 1].hash != hash)
        at = (at + 1) % slot_count(categories->cap);
    return at;
}

/* The value of HASH, or NULL. */
static struct category *
category_find(const struct categories *categories, uint64_t hash)
{
    if (categories->used == 0)
        return NULL;
    const size_t number = categories->slot[category_slot(categories, hash)];
    return number == 0 ? NULL : &categories->value[number - 1];
}

/* Room for another value; with more slots each has another. */
static prae_status
category_reserve(struct categories *categories)
{
    if (categories->used < categories->cap)
        return PRAE_OK;
    const size_t cap =
        categories->cap == 0 ? VALUES_FIRST : 2 * categories->cap;
    struct category *value =
        realloc(categories->value, cap * sizeof *categories->value);
    if (value == NULL)
        return PRAE_ENOMEM;
    categories->value = value;
    uint16_t *slot = calloc(slot_count(cap), sizeof *slot);
    if (slot == NULL)
        return PRAE_ENOMEM;
    free(categories->slot);
    categories->slot = slot;
    categories->cap = cap;
    for (size_t i = 0; i < categories->used; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): it was used */
        slot[category_slot(categories, value[i].hash)] = (uint16_t)(i + 1);
    return PRAE_OK;
}

/* A value of HASH, which is not known, that has not been counted, to *VALUE. */
static prae_status
category_add(struct categories *categories, uint64_t hash,
             struct category **value)
{
    prae_status status = category_reserve(categories);

    if (status != PRAE_OK)
        return status;
    assert(categories->slot != NULL && categories->value != NULL);
    const size_t at = category_slot(categories, hash);
    *value = &categories->value[categories->used++];
    **value = (struct category){.hash = hash};
    categories->slot[at] = (uint16_t)categories->used;
    return PRAE_OK;
}

/* Empties slot AT. Values behind it that had to make way for it move up, as
 * looking for one ends at the first empty slot. */
static void
empty_slot(struct categories *categories, size_t at)
{
    const size_t slots = slot_count(categories->cap);
    size_t number;

    categories->slot[at] = 0;
    for (size_t next = (at + 1) % slots; (number = categories->slot[next]) != 0;
         next = (next + 1) % slots) {
        const size_t first =
            first_slot(categories, categories->value[number - 1].hash);
        /* Not where its own place lies behind the gap. */
        if ((next - first) % slots < (next - at) % slots)
            continue;
        categories->slot[at] = (uint16_t)number;
        categories->slot[next] = 0;
        at = next;
    }
}

/* Removes VALUE; the last one takes its place. */
static void
category_remove(struct categories *categories, struct category *value)
{
    const struct category *last = &categories->value[categories->used - 1];
    const size_t at = category_slot(categories, value->hash);
    const uint16_t number = categories->slot[at];

    empty_slot(categories, at);
    if (value != last) {
        categories->slot[category_slot(categories, last->hash)] = number;
        *value = *last;
    }
    categories->used--;
}

prae_status
pri_categories_count(struct categories *categories, const char *text,
                     size_t len, int times)
{
    const uint64_t hash = pri_text_hash(text, len);
    struct category *value = category_find(categories, hash);

    if (value == NULL && times > 0 && categories->used < PRI_CATEGORIES_MAX) {
        prae_status status = category_add(categories, hash, &value);
        if (status != PRAE_OK)
            return status;
        size_t kept =
            len < sizeof value->start - 1 ? len : sizeof value->start - 1;
        /* Not in the middle of a character, and no further than it is text. */
        memcpy(value->start, text, pri_utf8_valid(text, kept));
    }
    categories->total = fmax(categories->total + times, 0.0);
    categories->since += times > 0 || categories->since > 0 ? times : 0;
    if (value == NULL)
        return PRAE_OK;
    value->count += times;
    if (!(value->count > 0.0))
        category_remove(categories, value);
    return PRAE_OK;
}

void
pri_categories_settle(struct categories *categories)
{
    size_t at = 0;

    /* Sooner where there is no room for another. */
    if (categories->since < HALVE_VALUES &&
        categories->used < PRI_CATEGORIES_MAX)
        return;
    for (size_t i = 0; i < categories->used; i++)
        categories->value[i].count *= 0.5;
    while (at < categories->used)
        if (categories->value[at].count <= ONCE)
            category_remove(categories, &categories->value[at]);
        else
            at++;
    categories->total *= 0.5;
    categories->since = 0;
}

prae_status
pri_categories_restore(struct categories *categories, uint64_t hash,
                       double count, const char start[48])
{
    struct category *value = category_find(categories, hash);
    prae_status status =
        value == NULL ? category_add(categories, hash, &value) : PRAE_OK;

    if (status != PRAE_OK)
        return status;
    value->count = count;
    memcpy(value->start, start, sizeof value->start);
    return PRAE_OK;
}

double
pri_categories_rarity(const struct categories *categories, const char *text,
                      size_t len)
{
    const struct category *value =
        category_find(categories, pri_text_hash(text, len));
    const double count = value == NULL ? 0.0 : value->count;
    return -log((count + 1.0) / (categories->total + 2.0));
}

double
pri_categories_oddity(const struct categories *categories, const char *text,
                      size_t len)
{
    double odds =
        USUAL_SHARE * exp(pri_categories_rarity(categories, text, len));

    return log1p(odds * odds);
}

/* Whether LEFT comes before RIGHT. By the hash, its last 13 bits first: where
 * their slots hung on those alone, values lay and were saved like that. */
static int
is_before(const struct category *left, const struct category *right)
{
    const uint64_t a = left->hash, b = right->hash;

    return (a >> 13 | a << 51) < (b >> 13 | b << 51);
}

const char *
pri_categories_usual(const struct categories *categories)
{
    const struct category *usual = NULL;

    for (size_t i = 0; i < categories->used; i++) {
        const struct category *value = &categories->value[i];
        const double most = usual == NULL ? 0.0 : usual->count;
        if (value->count > most || (usual != NULL && value->count == most &&
                                    is_before(value, usual)))
            usual = value;
    }
    return usual == NULL ? "" : usual->start;
}

static int
compare(const void *left, const void *right)
{
    const struct category *const *a = left, *const *b = right;

    return is_before(*a, *b) ? -1 : is_before(*b, *a);
}

void
pri_categories_sort(const struct categories *categories,
                    const struct category **sorted)
{
    for (size_t i = 0; i < categories->used; i++)
        sorted[i] = &categories->value[i];
    qsort(sorted, categories->used, sizeof *sorted, compare);
}
