/* survey.c - statistics of places, and the rules that judge them. */
#include "survey.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "rarity.h"

#define SAMPLE_MAX 1024   /* values a place's variety is counted on */
#define RISES_MIN 8       /* of a counter, in the first window */
#define PRESENT_MIN 0.5   /* share of records that must have the field */
#define AGREE_MIN 0.9     /* share of values that must be of one type */
#define DISTINCT_ID 0.95  /* share of distinct values of an identifier */
#define DISTINCT_MANY 0.5 /* share above which short texts are names */
#define TEXT_LONG 64      /* mean bytes from which a string is a text */

void
pri_survey_init(struct survey *survey)
{
    *survey = (struct survey){0};
}

void
pri_survey_fini(struct survey *survey)
{
    for (size_t i = 0; i < survey->cap; i++)
        free(survey->place[i].sample);
    free(survey->place);
    *survey = (struct survey){0};
}

static prae_status
reserve(struct survey *survey, size_t count)
{
    if (count <= survey->cap)
        return PRAE_OK;
    size_t cap = count + survey->cap;
    struct place *place = realloc(survey->place, cap * sizeof *place);
    if (place == NULL)
        return PRAE_ENOMEM;
    memset(place + survey->cap, 0, (cap - survey->cap) * sizeof *place);
    survey->place = place;
    survey->cap = cap;
    return PRAE_OK;
}

static prae_status
sample_value(struct place *place, uint64_t hash)
{
    const uint32_t count = place->sample_count;

    if (count == SAMPLE_MAX)
        return PRAE_OK;
    /* Full at 0 and at each power of two: doubled, as there may be many
     * places that have few values. */
    if ((count & (count - 1)) == 0) {
        const size_t cap = count == 0 ? 1 : 2 * (size_t)count;
        uint64_t *sample =
            realloc(place->sample, cap * sizeof *place->sample);
        if (sample == NULL)
            return PRAE_ENOMEM;
        place->sample = sample;
    }
    place->sample[place->sample_count++] = hash;
    return PRAE_OK;
}

static prae_status
take_number(struct place *place, const struct field *field, double value)
{
    if (!isfinite(value)) {
        place->others++;
        return PRAE_OK;
    }
    if (place->numbers == 0) {
        place->low = place->high = value;
    } else {
        place->rises += value > place->last;
        place->falls += value < place->last;
        place->low = fmin(place->low, value);
        place->high = fmax(place->high, value);
    }
    place->last = value;
    place->numbers++;
    place->booleans += field->type == FIELD_BOOL;
    place->reals += value != floor(value);
    place->times += field->type == FIELD_TIME;
    return sample_value(place,
                        pri_text_hash((const char *)&value, sizeof value));
}

/* 2024-05-31..., 2024/05/31..., 05:31:07... */
static int
is_date(const char *text, size_t len)
{
    size_t digits = 0;

    while (digits < len && text[digits] >= '0' && text[digits] <= '9')
        digits++;
    if (digits == 4 && len >= 10)
        return (text[4] == '-' || text[4] == '/') && text[7] == text[4];
    return digits == 2 && len >= 8 && text[2] == ':' && text[5] == ':';
}

static prae_status
take_text(struct place *place, const struct field *field)
{
    place->texts++;
    place->text_bytes += field->text_len;
    place->dates += (uint32_t)is_date(field->text, field->text_len);
    place->spaced += memchr(field->text, ' ', field->text_len) != NULL;
    return sample_value(place, pri_text_hash(field->text, field->text_len));
}

prae_status
pri_survey_record(struct survey *survey, const struct path_tree *tree,
                  const struct record *record)
{
    prae_status status = reserve(survey, tree->count);

    for (size_t i = 0; status == PRAE_OK && i < record->count; i++) {
        const struct field *field = &record->field[i];
        double number;
        int whole;
        if (tree->last[i] == PRI_PATH_NONE)
            continue;
        struct place *place = &survey->place[tree->last[i]];
        switch (field->type) {
        case FIELD_BOOL:
        case FIELD_INTEGER:
        case FIELD_REAL:
        case FIELD_TIME:
            status = take_number(place, field, field->number);
            break;
        case FIELD_TEXT:
            if (survey->coerce &&
                pri_number_parse(field->text, field->text_len, &number, &whole))
                status = take_number(place, field, number);
            else
                status = take_text(place, field);
            break;
        case FIELD_MAP:
        case FIELD_ARRAY: place->containers++; break;
        default: place->others++; break;
        }
    }
    survey->records++;
    return status;
}

static int
compare_hashes(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return left < right ? -1 : left > right;
}

/* The share of distinct values among those sampled. */
static double
distinct_share(const struct place *place)
{
    size_t distinct = 0;

    if (place->sample_count == 0)
        return 0.0;
    qsort(place->sample, place->sample_count, sizeof *place->sample,
          compare_hashes);
    for (size_t i = 0; i < place->sample_count; i++)
        distinct += i == 0 || place->sample[i] != place->sample[i - 1];
    return (double)distinct / (double)place->sample_count;
}

/* Whether the last part of PATH says that it names something: id, key_id,
 * deviceId, uuid, seq, ... */
static int
is_id_name(const char *path)
{
    static const char *const names[] = {"id",  "uuid", "guid",
                                        "seq", "key",  "offset"};
    const char *last = strrchr(path, '.');
    const char *name = last == NULL ? path : last + 1;
    size_t len = strlen(name);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t part = strlen(names[i]);
        if (len < part)
            continue;
        const char *end = name + len - part;
        int same = 1;
        for (size_t c = 0; c < part; c++)
            same &= (end[c] | 0x20) == names[i][c];
        /* The whole name, or set off: _id, -id, .id, Id. */
        if (same && (end == name || end[-1] == '_' || end[-1] == '-' ||
                     (*end >= 'A' && *end <= 'Z')))
            return 1;
    }
    return 0;
}

/* Seconds, milli-, micro- or nanoseconds since 1970, from 2001 to 2096. */
static int
is_epoch(double value)
{
    static const double units[] = {1.0, 1e3, 1e6, 1e9};

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (value >= 1e9 * units[i] && value < 4e9 * units[i])
            return 1;
    return 0;
}

static enum column_kind
number_kind(const struct place *place, const char *path)
{
    if (place->times > 0)
        return COLUMN_TIMESTAMP;
    if (place->low == place->high)
        return COLUMN_CONSTANT;
    if (place->falls == 0 && place->rises >= RISES_MIN)
        return is_epoch(place->low) && is_epoch(place->high) ? COLUMN_TIMESTAMP
                                                             : COLUMN_COUNTER;
    /* Out of order now and then, as timestamps of many senders are. */
    if (is_epoch(place->low) && is_epoch(place->high) &&
        place->rises > 4 * place->falls)
        return COLUMN_TIMESTAMP;
    if (place->reals == 0 && is_id_name(path) &&
        distinct_share(place) >= DISTINCT_ID)
        return COLUMN_IDENTIFIER;
    return COLUMN_NUMBER;
}

static enum column_kind
text_kind(const struct place *place)
{
    double share = distinct_share(place);

    if (place->dates >= AGREE_MIN * place->texts)
        return COLUMN_TIMESTAMP;
    if (share <= DISTINCT_MANY &&
        place->text_bytes < (uint64_t)place->texts * TEXT_LONG)
        return COLUMN_CATEGORY;
    if (place->spaced * 2 > place->texts ||
        place->text_bytes >= (uint64_t)place->texts * TEXT_LONG)
        return COLUMN_TEXT;
    return COLUMN_IDENTIFIER;
}

enum column_kind
pri_survey_kind(const struct survey *survey, uint32_t node, const char *path)
{
    const struct place *place = &survey->place[node];
    double all = (double)place->numbers + place->texts;

    if (all == 0.0)
        return COLUMN_OPAQUE;
    if (all < PRESENT_MIN * survey->records)
        return COLUMN_RARE;
    if (place->numbers >= AGREE_MIN * all)
        return number_kind(place, path);
    if (place->texts >= AGREE_MIN * all)
        return text_kind(place);
    return COLUMN_MIXED;
}

const char *
pri_column_reason(enum column_kind kind)
{
    switch (kind) {
    case COLUMN_IDENTIFIER: return "identifier";
    case COLUMN_TIMESTAMP: return "timestamp";
    case COLUMN_COUNTER: return "only grows";
    case COLUMN_RARE: return "rarely present";
    case COLUMN_MIXED: return "numbers and text";
    case COLUMN_OPAQUE: return "no numbers, no text";
    case COLUMN_IGNORED: return "not asked for";
    default: return NULL;
    }
}
