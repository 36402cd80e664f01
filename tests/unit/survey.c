/* The first window shows what each field is good for. */
#include "survey.h"
#include "codec.h"
#include "stream.h"

#define RECORDS 200
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The I-th record's value, as JSON, of each kind of field. */
typedef void maker(char *text, size_t size, unsigned i);

static unsigned
mixed(unsigned i)
{
    return (i * 2654435761u) >> 8;
}

#define VALUE(name, ...)                                  \
    static void name(char *text, size_t size, unsigned i) \
    {                                                     \
        (void)i;                                          \
        snprintf(text, size, __VA_ARGS__);                \
    }

VALUE(real, "%u.5", mixed(i) % 1000)
VALUE(whole, "%u", mixed(i) % 1000)
VALUE(boolean, "%s", mixed(i) % 2 ? "true" : "false")
VALUE(constant, "42")
VALUE(zero, "0")
VALUE(counter, "%u", 10 * i)
VALUE(real_counter, "%u.25", i)
VALUE(steps, "%u", i / 40)
VALUE(seconds, "%u", 1700000000 + i)
VALUE(millis, "%u000", 1700000000 + i)
VALUE(micros, "%u000000", 1700000000 + i)
VALUE(nanos, "%u000000000", 1700000000 + i)
VALUE(unordered, "%u", 1700000000 + 10 * i - (i % 10 == 0 ? 15 : 0))
VALUE(shuffled, "%u", 1000000000 + mixed(i) % 1000000)
VALUE(date, "\"2024-05-%02uT10:00:00Z\"", i % 28 + 1)
VALUE(slashed, "\"2024/05/%02u\"", i % 28 + 1)
VALUE(clock, "\"10:%02u:07\"", i % 60)
VALUE(number_id, "%u", mixed(i) * 7 % 16777213)
VALUE(text_id, "\"%08x\"", mixed(i) * 7)
VALUE(category, "\"%s\"", mixed(i) % 3 ? "up" : "down")
VALUE(sentence, "\"user %u did %x\"", i, mixed(i))
VALUE(long_text, "\"%064x%032x\"", mixed(i), i)
VALUE(long_usual, "\"%080u\"", i % 4)
VALUE(nothing, "null")
VALUE(mostly_null, "%s", i % 3 ? "null" : "7")
VALUE(often_null, "%s%u", i % 3 ? "" : "-", mixed(i) % 9)
VALUE(half_text, "%s%u%s", i % 2 ? "\"" : "", mixed(i) % 9, i % 2 ? "\"" : "")
VALUE(few_texts, "%s%u%s", i % 20 ? "" : "\"", mixed(i) % 9, i % 20 ? "" : "\"")
VALUE(not_finite, "NaN")
VALUE(container, "{\"in\":%u}", mixed(i) % 9)

static const struct {
    const char *what, *name;
    maker *value;
    enum column_kind kind;
} cases[] = {
    {"reals", "x", real, COLUMN_NUMBER},
    {"integers", "x", whole, COLUMN_NUMBER},
    {"booleans", "x", boolean, COLUMN_NUMBER},
    {"a number that never changes", "x", constant, COLUMN_CONSTANT},
    {"zero", "x", zero, COLUMN_CONSTANT},
    {"a counter", "x", counter, COLUMN_COUNTER},
    {"a counter of fractions", "x", real_counter, COLUMN_COUNTER},
    {"a level with few steps up", "x", steps, COLUMN_NUMBER},
    {"seconds since 1970", "x", seconds, COLUMN_TIMESTAMP},
    {"milliseconds", "x", millis, COLUMN_TIMESTAMP},
    {"microseconds", "x", micros, COLUMN_TIMESTAMP},
    {"nanoseconds", "x", nanos, COLUMN_TIMESTAMP},
    {"seconds out of order now and then", "x", unordered, COLUMN_TIMESTAMP},
    {"numbers as large, in no order", "x", shuffled, COLUMN_NUMBER},
    {"an ISO date", "x", date, COLUMN_TIMESTAMP},
    {"a date with slashes", "x", slashed, COLUMN_TIMESTAMP},
    {"a time of day", "x", clock, COLUMN_TIMESTAMP},
    {"distinct integers named id", "id", number_id, COLUMN_IDENTIFIER},
    {"... user_id", "user_id", number_id, COLUMN_IDENTIFIER},
    {"... deviceId", "deviceId", number_id, COLUMN_IDENTIFIER},
    {"... UUID", "UUID", number_id, COLUMN_IDENTIFIER},
    {"... humid", "humid", number_id, COLUMN_NUMBER},
    {"... idle", "idle", number_id, COLUMN_NUMBER},
    {"... x", "x", number_id, COLUMN_NUMBER},
    {"few integers named id", "id", steps, COLUMN_NUMBER},
    {"reals named id", "id", real, COLUMN_NUMBER},
    {"distinct words", "x", text_id, COLUMN_IDENTIFIER},
    {"few words", "x", category, COLUMN_CATEGORY},
    {"sentences", "x", sentence, COLUMN_TEXT},
    {"long words", "x", long_text, COLUMN_TEXT},
    {"long words, few", "x", long_usual, COLUMN_TEXT},
    {"null", "x", nothing, COLUMN_OPAQUE},
    {"NaN only", "x", not_finite, COLUMN_OPAQUE},
    {"mostly null", "x", mostly_null, COLUMN_RARE},
    {"numbers of either sign", "x", often_null, COLUMN_NUMBER},
    {"numbers and texts", "x", half_text, COLUMN_MIXED},
    {"numbers and few texts", "x", few_texts, COLUMN_NUMBER},
    {"a map", "x", container, COLUMN_OPAQUE},
};

/* The kind of the field NAME in COUNT records; FROM of them lack it. */
static enum column_kind
survey(const char *name, maker *value, unsigned count, unsigned lacking)
{
    struct codec_limits limits = {1 << 20, 32, 65536};
    struct path_tree tree;
    struct survey all;
    struct codec codec;
    uint32_t node = PRI_PATH_NONE;

    NEED(pri_codec_init(&codec, PRAE_FORMAT_JSONL, &limits) == PRAE_OK);
    NEED(pri_path_init(&tree) == PRAE_OK);
    pri_survey_init(&all);
    for (unsigned i = 0; i < count; i++) {
        char text[256], line[512];
        value(text, sizeof text, i);
        if (i < lacking)
            snprintf(line, sizeof line, "{\"other\":1}");
        else
            snprintf(line, sizeof line, "{\"%s\":%s}", name, text);
        NEED(pri_codec_again(&codec, line, strlen(line)) == PRAE_OK);
        NEED(pri_path_resolve(&tree, &codec.record, 1) == PRAE_OK);
        NEED(pri_survey_record(&all, &tree, &codec.record) == PRAE_OK);
        if (i >= lacking)
            node = tree.last[1];
    }
    enum column_kind kind = pri_survey_kind(&all, node, name);
    pri_survey_fini(&all);
    pri_path_fini(&tree);
    pri_codec_fini(&codec);
    return kind;
}

int
main(void)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        enum column_kind got =
            survey(cases[i].name, cases[i].value, RECORDS, 0);
        if (!ok(got == cases[i].kind, "%s", cases[i].what))
            printf("# got %d, wanted %d\n", (int)got, (int)cases[i].kind);
    }
    ok(survey("x", real, RECORDS, RECORDS / 2) == COLUMN_NUMBER,
       "what half of the records have is taken");
    ok(survey("x", real, RECORDS, RECORDS / 2 + 1) == COLUMN_RARE,
       "what fewer have is rare");
    ok(survey("x", counter, 8, 0) == COLUMN_NUMBER &&
           survey("x", counter, 9, 0) == COLUMN_COUNTER,
       "a counter takes eight rises to be known");
    ok(survey("x", real, 1, 0) == COLUMN_CONSTANT,
       "of one record every number is constant");
    ok(survey("x", sentence, 3000, 0) == COLUMN_TEXT,
       "more values than are sampled");
    for (int kind = 0; kind <= COLUMN_IGNORED; kind++)
        ok((pri_column_reason((enum column_kind)kind) == NULL) ==
               (kind <= COLUMN_TEXT),
           "kind %d is taken, or left out with a reason", kind);
    return tap_done();
}
