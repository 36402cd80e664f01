/* where.c - conditions on flagged records, read and asked. */
#include "where.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum subject {
    SUBJECT_SCORE,
    SUBJECT_P,
    SUBJECT_GATE,
    SUBJECT_ERROR,
    SUBJECT_SEQ,
    SUBJECT_WINDOW,
    SUBJECT_MODEL,
    SUBJECT_KIND, /* from here on texts */
    SUBJECT_STATE,
    SUBJECT_FIELD,
    SUBJECT_CODE,
    SUBJECT_REASON,
    SUBJECT_COUNT
};

static const char *const subjects[SUBJECT_COUNT] = {
    "score", "p",    "gate",  "error", "seq",  "window",
    "model", "kind", "state", "field", "code", "reason"};

/* Longer ones first, as < begins <=, too. */
static const struct {
    const char *sign;
    enum comparison comparison;
} signs[] = {{"!=", UNEQUAL}, {"<=", LESS_EQUAL}, {">=", MORE_EQUAL},
             {"=", EQUAL},    {"<", LESS},        {">", MORE},
             {"~", HAS}};

/* ---- reading ---- */

__attribute__((format(printf, 3, 4))) static int
refuse(char *why, size_t size, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(why, size, format, args);
    va_end(args);
    return 0;
}

static const char *
skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\n')
        at++;
    return at;
}

/* The name at *AT, moved behind it. */
static int
read_subject(const char **at, struct condition *condition, char *why,
             size_t size)
{
    const char *from = skip_blanks(*at);
    size_t len = strspn(from, "abcdefghijklmnopqrstuvwxyz");

    *at = from + len;
    for (int i = 0; i < SUBJECT_COUNT; i++)
        if (word_is((struct word){from, len}, subjects[i])) {
            condition->subject = i;
            return 1;
        }
    return refuse(why, size,
                  "'%s' does not begin with score, p, gate, error, seq, "
                  "window, model, kind, state, field, code or reason",
                  from);
}

static int
read_comparison(const char **at, struct condition *condition, char *why,
                size_t size)
{
    const char *from = skip_blanks(*at);
    const char *name = subjects[condition->subject];
    int is_text = condition->subject >= SUBJECT_KIND;

    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t len = strlen(signs[i].sign);
        if (strncmp(from, signs[i].sign, len) != 0)
            continue;
        condition->comparison = signs[i].comparison;
        *at = from + len;
        if (is_text && condition->comparison >= LESS &&
            condition->comparison <= MORE_EQUAL)
            return refuse(why, size,
                          "%s is a text: = and != compare it, ~ "
                          "looks within",
                          name);
        if (!is_text && condition->comparison == HAS)
            return refuse(why, size, "%s is a number: ~ is for texts", name);
        return 1;
    }
    return refuse(why, size, "'%s': after %s comes one of %s", from, name,
                  is_text ? "= != ~" : "= != < <= > >=");
}

/* The value at *AT, a copy without its quotes, moved behind it; or NULL. */
static char *
read_value(const char **at, char *why, size_t size)
{
    const char *from = skip_blanks(*at);
    char *copy = malloc(strlen(from) + 1), *to = copy;

    if (copy == NULL) {
        (void)refuse(why, size, "out of memory");
        return NULL;
    }
    if (*from != '"') {
        size_t len = strcspn(from, ",");
        *at = from + len;
        while (len > 0 && from[len - 1] == ' ')
            len--;
        memcpy(copy, from, len);
        copy[len] = '\0';
        return copy;
    }
    for (from++; *from != '\0'; from++) {
        if (*from == '"' && from[1] != '"')
            break;
        from += *from == '"';
        *to++ = *from;
    }
    *to = '\0';
    if (*from == '"') {
        *at = from + 1;
        return copy;
    }
    (void)refuse(why, size, "'%s' lacks its second quote", copy);
    free(copy);
    return NULL;
}

/* TEXT as the number that CONDITION compares with. */
static int
read_number(const char *text, struct condition *condition, char *why,
            size_t size)
{
    const char *name = subjects[condition->subject];

    if (strcmp(text, "none") == 0) {
        condition->number = (double)NAN;
        if (condition->comparison == EQUAL || condition->comparison == UNEQUAL)
            return 1;
        return refuse(why, size, "%s can be = or != none, no more", name);
    }
    if (word_number((struct word){text, strlen(text)}, &condition->number) &&
        !isnan(condition->number))
        return 1;
    return refuse(why, size,
                  "'%s', which %s is to be compared with, is no "
                  "number",
                  text, name);
}

static int
read_condition(const char **at, struct condition *condition, char *why,
               size_t size)
{
    if (!read_subject(at, condition, why, size) ||
        !read_comparison(at, condition, why, size))
        return 0;
    condition->text = read_value(at, why, size);
    if (condition->text == NULL)
        return 0;
    if (condition->subject < SUBJECT_KIND) {
        int good = read_number(condition->text, condition, why, size);
        free(condition->text);
        condition->text = NULL;
        return good;
    }
    if (condition->subject != SUBJECT_KIND || condition->comparison == HAS ||
        strcmp(condition->text, "outlier") == 0 ||
        strcmp(condition->text, "reject") == 0)
        return 1;
    return refuse(why, size, "kind is outlier or reject, not '%s'",
                  condition->text);
}

int
where_add(struct where *where, const char *text, char *why, size_t size)
{
    const char *at = text;

    for (;;) {
        if (where->count == WHERE_MAX)
            return refuse(why, size, "there are more than %d conditions",
                          WHERE_MAX);
        struct condition *condition = &where->condition[where->count];
        *condition = (struct condition){.text = NULL};
        where->count++;
        if (!read_condition(&at, condition, why, size))
            return 0;
        at = skip_blanks(at);
        if (*at == '\0')
            return 1;
        if (*at != ',')
            return refuse(why, size, "'%s': a comma should be there", at);
        at++;
    }
}

void
where_fini(struct where *where)
{
    for (size_t i = 0; i < where->count; i++)
        free(where->condition[i].text);
    where->count = 0;
}

/* ---- asking ---- */

static double
number_of(const struct flagged *record, int subject)
{
    switch (subject) {
    case SUBJECT_SCORE: return record->score;
    case SUBJECT_P: return record->p;
    case SUBJECT_GATE: return record->gate;
    case SUBJECT_ERROR: return record->error;
    case SUBJECT_SEQ: return (double)record->seq;
    case SUBJECT_WINDOW: return (double)record->window;
    default: return record->model;
    }
}

/* What a record has not is neither more nor less than anything. */
static int
holds_number(const struct condition *condition, double number)
{
    double other = condition->number;

    if (isnan(other))
        return isnan(number) == (condition->comparison == EQUAL);
    if (isnan(number))
        return 0;
    switch (condition->comparison) {
    case EQUAL: return !(number < other) && !(number > other);
    case UNEQUAL: return number < other || number > other;
    case LESS: return number < other;
    case LESS_EQUAL: return number <= other;
    case MORE: return number > other;
    case MORE_EQUAL: return number >= other;
    case HAS: break;
    }
    return 0;
}

static int
contains(struct word text, const char *part)
{
    size_t len = strlen(part);

    for (size_t at = 0; at + len <= text.len; at++)
        if (memcmp(text.text + at, part, len) == 0)
            return 1;
    return 0;
}

/* Whether FIELD is of the path NAME: by itself or, before a comma, as that
 * which a change, a spread or the words are of. */
static int
is_field(struct word field, const char *name)
{
    size_t len = strlen(name);

    return word_is(field, name) ||
           (field.len > len + 1 && memcmp(field.text, name, len) == 0 &&
            memcmp(field.text + len, ", ", 2) == 0);
}

static int
has_field(const struct flagged *record, const struct condition *condition)
{
    int found = 0;

    for (size_t i = 0; !found && i < record->why_count; i++)
        found = condition->comparison == HAS
                    ? contains(record->why[i].field, condition->text)
                    : is_field(record->why[i].field, condition->text);
    return found;
}

static int
holds_text(const struct condition *condition, const struct flagged *record)
{
    struct word text = {"outlier", 7};

    switch (condition->subject) {
    case SUBJECT_FIELD:
        return has_field(record, condition) ==
               (condition->comparison != UNEQUAL);
    case SUBJECT_STATE: text = record->state; break;
    case SUBJECT_CODE: text = record->code; break;
    case SUBJECT_REASON: text = record->clause; break;
    default:
        if (record->is_reject)
            text = (struct word){"reject", 6};
        break;
    }
    if (condition->comparison == HAS)
        return contains(text, condition->text);
    return word_is(text, condition->text) == (condition->comparison == EQUAL);
}

int
where_holds(const struct where *where, const struct flagged *record)
{
    for (size_t i = 0; i < where->count; i++) {
        const struct condition *condition = &where->condition[i];
        if (condition->subject < SUBJECT_KIND
                ? !holds_number(condition,
                                number_of(record, condition->subject))
                : !holds_text(condition, record))
            return 0;
    }
    return 1;
}
