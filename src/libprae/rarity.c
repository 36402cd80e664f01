/* rarity.c - how rare a category is, by its count. */
#include "rarity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    *categories = (struct categories){.used = 0};
}

void
pri_categories_fini(struct categories *categories)
{
    for (size_t i = 0; i < PRI_CATEGORY_PAGES; i++)
        free(categories->page[i]);
    free(categories->value);
    pri_categories_init(categories);
}

prae_status
pri_categories_copy(const struct categories *from, struct categories *to)
{
    const size_t page_bytes = PRI_CATEGORY_PAGE * sizeof **from->page;

    for (size_t i = 0; i < PRI_CATEGORY_PAGES; i++) {
        if (from->page[i] == NULL)
            continue;
        to->page[i] = malloc(page_bytes);
        if (to->page[i] == NULL)
            goto fail;
        memcpy(to->page[i], from->page[i], page_bytes);
    }
    if (from->cap > 0) {
        to->value = calloc(from->cap, sizeof *to->value);
        if (to->value == NULL)
            goto fail;
        memcpy(to->value, from->value, from->used * sizeof *to->value);
    }
    to->used = from->used;
    to->cap = from->cap;
    to->total = from->total;
    to->since = from->since;
    return PRAE_OK;
fail:
    pri_categories_fini(to);
    return PRAE_ENOMEM;
}

/* The number of the value in slot AT, whose page is there. */
static uint16_t *
slot_number(const struct categories *categories, size_t at)
{
    return &categories->page[at / PRI_CATEGORY_PAGE][at % PRI_CATEGORY_PAGE];
}

static struct category *
category_at(const struct categories *categories, size_t at)
{
    if (categories->page[at / PRI_CATEGORY_PAGE] == NULL)
        return NULL;
    const size_t number = *slot_number(categories, at);
    return number == 0 ? NULL : &categories->value[number - 1];
}

const struct category *
pri_categories_at(const struct categories *categories, size_t at)
{
    return category_at(categories, at);
}

/* The slot that the value of HASH is in or, where it is not known, is to be
 * in; what is there to *VALUE. */
static size_t
category_slot(const struct categories *categories, uint64_t hash,
              struct category **value)
{
    size_t at = (size_t)hash % PRI_CATEGORY_SLOTS;

    while ((*value = category_at(categories, at)) != NULL &&
           (*value)->hash != hash)
        at = (at + 1) % PRI_CATEGORY_SLOTS;
    return at;
}

/* Room for a value in slot AT. */
static prae_status
category_reserve(struct categories *categories, size_t at)
{
    uint16_t **page = &categories->page[at / PRI_CATEGORY_PAGE];

    if (*page == NULL)
        *page = calloc(PRI_CATEGORY_PAGE, sizeof **page);
    if (*page == NULL)
        return PRAE_ENOMEM;
    if (categories->used < categories->cap)
        return PRAE_OK;
    const size_t cap =
        categories->cap == 0 ? VALUES_FIRST : 2 * categories->cap;
    struct category *value =
        realloc(categories->value, cap * sizeof *categories->value);
    if (value == NULL)
        return PRAE_ENOMEM;
    categories->value = value;
    categories->cap = cap;
    return PRAE_OK;
}

/* A value of HASH that has not been counted, in slot AT, to *VALUE. */
static prae_status
category_add(struct categories *categories, size_t at, uint64_t hash,
             struct category **value)
{
    prae_status status = category_reserve(categories, at);

    if (status != PRAE_OK)
        return status;
    *value = &categories->value[categories->used++];
    **value = (struct category){.hash = hash};
    *slot_number(categories, at) = (uint16_t)categories->used;
    return PRAE_OK;
}

/* Value NUMBER, which is in no slot any more, makes room for the last. */
static void
category_drop(struct categories *categories, uint16_t number)
{
    const struct category *last = &categories->value[categories->used - 1];
    struct category *unused;

    if (number < categories->used) {
        size_t at = category_slot(categories, last->hash, &unused);
        *slot_number(categories, at) = number;
        categories->value[number - 1] = *last;
    }
    categories->used--;
}

/*
 * Empties slot AT. Values behind it that had to make way for it move up, as
 * looking for one ends at the first empty slot. What was there before a value
 * came is so again after it has gone, slot for slot.
 */
static void
category_remove(struct categories *categories, size_t at)
{
    const uint16_t number = *slot_number(categories, at);
    const struct category *value;
    size_t next = at;

    for (;;) {
        *slot_number(categories, at) = 0;
        do {
            next = (next + 1) % PRI_CATEGORY_SLOTS;
            value = category_at(categories, next);
            if (value == NULL) {
                category_drop(categories, number);
                return;
            }
            /* Not where its own place lies behind the gap. */
        } while ((next - (size_t)value->hash) % PRI_CATEGORY_SLOTS <
                 (next - at) % PRI_CATEGORY_SLOTS);
        *slot_number(categories, at) = *slot_number(categories, next);
        at = next;
    }
}

prae_status
pri_categories_count(struct categories *categories, const char *text,
                     size_t len, int times)
{
    const uint64_t hash = pri_text_hash(text, len);
    struct category *value;
    const size_t at = category_slot(categories, hash, &value);

    if (value == NULL && times > 0 && categories->used < PRI_CATEGORIES_MAX) {
        prae_status status = category_add(categories, at, hash, &value);
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
        category_remove(categories, at);
    return PRAE_OK;
}

void
pri_categories_settle(struct categories *categories)
{
    const struct category *value;

    /* Sooner where there is no room for another. */
    if (categories->since < HALVE_VALUES &&
        categories->used < PRI_CATEGORIES_MAX)
        return;
    for (size_t i = 0; i < categories->used; i++)
        categories->value[i].count *= 0.5;
    for (size_t at = 0; at < PRI_CATEGORY_SLOTS; at++)
        while ((value = category_at(categories, at)) != NULL &&
               value->count <= ONCE)
            category_remove(categories, at);
    categories->total *= 0.5;
    categories->since = 0;
}

prae_status
pri_categories_restore(struct categories *categories, uint64_t hash,
                       double count, const char start[48])
{
    struct category *value;
    const size_t at = category_slot(categories, hash, &value);
    prae_status status = value == NULL
                             ? category_add(categories, at, hash, &value)
                             : PRAE_OK;

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
    struct category *value;

    (void)category_slot(categories, pri_text_hash(text, len), &value);
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

const char *
pri_categories_usual(const struct categories *categories)
{
    const char *start = "";
    double most = 0.0;

    /* Of several the one in the first slot. */
    for (size_t at = 0; at < PRI_CATEGORY_SLOTS; at++) {
        const struct category *value = category_at(categories, at);
        if (value != NULL && value->count > most) {
            most = value->count;
            start = value->start;
        }
    }
    return start;
}
