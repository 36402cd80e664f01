/*
 * csv_names.c - column names, every one different from the others.
 *
 * A header is bytes from outside and may repeat one name 65536 times, so
 * names are looked up in a table, and each remembers the last number that
 * was tried behind it: the work is linear in the header's length.
 */
#include "csv_names.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "name_hash.h"

/* What a name may grow by: "f" with a number and "_" with another, each of
 * up to ten digits, and snprintf's final zero. */
#define NAME_EXTRA 24

struct slot {
    uint32_t column; /* from 1, so that 0 is a free slot */
    uint32_t suffix; /* tried last behind this name */
};

struct table {
    struct codec *codec;
    struct slot *slot; /* (mask + 1), at least half of them free */
    size_t mask;
    uint64_t seed; /* of the hash, name_hash.h */
};

static const char *
name_of(const struct codec *codec, size_t column, size_t *len)
{
    size_t from = column == 0 ? 0 : codec->name_end[column - 1];

    *len = codec->name_end[column] - from;
    return codec->names + from;
}

/* The slot that holds TEXT (LEN), or the free one where it belongs. */
static struct slot *
find(const struct table *table, const char *text, size_t len)
{
    for (size_t place = (size_t)pri_name_hash(table->seed, text, len);;
         place++) {
        struct slot *slot = &table->slot[place & table->mask];
        if (slot->column == 0)
            return slot;
        size_t there_len;
        const char *there = name_of(table->codec, slot->column - 1, &there_len);
        if (there_len == len && memcmp(there, text, len) == 0)
            return slot;
    }
}

/* Writes CELL's name behind the others, at FROM, and returns where it
 * ends. */
static size_t
add_name(struct table *table, const struct field *cell, size_t from)
{
    char *name = table->codec->names + from;
    size_t len = cell->text_len;

    if (len > 0)
        memcpy(name, cell->text, len);
    else
        len = (size_t)snprintf(name, NAME_EXTRA, "f%u", (unsigned)cell->index);
    struct slot *same = find(table, name, len), *slot = same;
    size_t base = len;
    while (slot->column != 0) {
        same->suffix++;
        len = base + (size_t)snprintf(name + base, NAME_EXTRA / 2, "_%u",
                                      (unsigned)same->suffix);
        slot = find(table, name, len);
    }
    *slot = (struct slot){.column = cell->index + 1, .suffix = 1};
    return from + len;
}

prae_status
pri_csv_names_make(struct codec *codec)
{
    const struct record *record = &codec->record;
    const size_t count = record->count - 1;
    struct table table = {
        .codec = codec, .mask = 1, .seed = pri_name_seed()};
    size_t room = 0;
    prae_status status = PRAE_ENOMEM;

    assert(count > 0); /* an empty row is none */
    for (size_t i = 0; i < count; i++)
        room += record->field[i + 1].text_len + NAME_EXTRA;
    if (room > UINT32_MAX)
        return PRAE_ENOMEM;
    while (table.mask < 2 * count)
        table.mask = table.mask * 2 + 1;
    table.slot = calloc(table.mask + 1, sizeof *table.slot);
    codec->names = malloc(room);
    codec->name_end = malloc(count * sizeof *codec->name_end);
    if (table.slot == NULL || codec->names == NULL || codec->name_end == NULL)
        goto out;

    size_t end = 0;
    for (size_t i = 0; i < count; i++) {
        end = add_name(&table, &record->field[i + 1], end);
        codec->name_end[i] = (uint32_t)end;
    }
    codec->name_count = count;
    status = PRAE_OK;
out:
    free(table.slot);
    return status;
}

void
pri_csv_name(const struct codec *codec, struct field *field)
{
    size_t len;

    field->key = name_of(codec, field->index, &len);
    field->key_len = (uint32_t)len;
}
