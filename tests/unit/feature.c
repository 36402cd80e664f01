/* Columns are chosen from the first window; then every record becomes a
 * vector, or is refused with its reason. */
#include "feature.h"
#include "codec.h"
#include "stream.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct codec codec;

static const struct record *
decode(const char *line)
{
    NEED(pri_codec_again(&codec, line, strlen(line)) == PRAE_OK);
    NEED(codec.record.fault == FAULT_NONE);
    return &codec.record;
}

/* Surveys 40 records like those below and fixes the columns. */
static prae_status
learn(struct features *features, int array, const char *fields,
      const char *ignore, char *why)
{
    char line[512];

    NEED(pri_features_init(features) == PRAE_OK);
    for (unsigned i = 0; i < 40; i++) {
        unsigned r = i * 2654435761u >> 8;
        if (array)
            snprintf(line, sizeof line, "[%u,%u,%u.5]", r % 7, r % 11, r % 13);
        else
            snprintf(line, sizeof line,
                     "{\"a\":%u,\"in\":{\"b\":%u.5,\"bb\":%u},\"c\":\"%s\","
                     "\"t\":\"user %u came\",\"n\":%u,\"k\":3,"
                     "\"id\":\"%08x%08x\",\"m\":%s}",
                     r % 7, r % 11, r % 13, r % 3 ? "up" : "down", r, i, r,
                     ~r, i % 3 ? "\"it is late\"" : "7");
        NEED(pri_features_survey(features, decode(line)) == PRAE_OK);
    }
    return pri_features_choose(features, fields, ignore, 4096, why, 256);
}

/* The names of all features. */
static const char *
names(const struct features *features)
{
    static char text[1024];
    size_t len = 0;

    text[0] = '\0';
    for (size_t d = 0; d < features->D; d++) {
        char name[64];
        pri_features_name(features, d, name, sizeof name);
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s",
                                d > 0 ? " | " : "", name);
    }
    return text;
}

#define TEXT_NAMES                                                         \
    "t, rarest words | t, rarest word pairs | t, all words | t, all word " \
    "pairs | t, length"

static void
test_choice(void)
{
    static const struct {
        const char *fields, *ignore, *names;
        prae_status status;
    } cases[] = {
        {NULL, NULL, "a | in.b | in.bb | c | " TEXT_NAMES " | k", PRAE_OK},
        {"in", NULL, "in.b | in.bb", PRAE_OK},
        {"in.b", NULL, "in.b", PRAE_OK},
        {"in.bb,a", NULL, "a | in.bb", PRAE_OK},
        {"n", NULL, "n", PRAE_OK},
        {"id", NULL, "id", PRAE_OK},
        {"m", NULL, "m, rarest words | m, rarest word pairs | m, all words | "
         "m, all word pairs | m, length", PRAE_OK},
        {"in", "in.b", "in.bb", PRAE_OK},
        {NULL, "t,in,c", "a | k", PRAE_OK},
        {NULL, "a,in,c,t,k", NULL, PRAE_EDATA},
        {NULL, "nosuch,t", "a | in.b | in.bb | c | k", PRAE_OK},
        {"a,i", NULL, NULL, PRAE_ECONFIG},
        {"nosuch", NULL, NULL, PRAE_ECONFIG},
        {"a,,k", NULL, "a | k", PRAE_OK},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct features features;
        char why[256] = "";
        prae_status status =
            learn(&features, 0, cases[i].fields, cases[i].ignore, why);
        int same = status == cases[i].status &&
                   (status != PRAE_OK ||
                    strcmp(names(&features), cases[i].names) == 0);
        if (!ok(same && (status == PRAE_OK) == (why[0] == '\0'),
                "fields %s, ignore %s",
                cases[i].fields ? cases[i].fields : "not given",
                cases[i].ignore ? cases[i].ignore : "not given"))
            printf("# %d %s %s\n", (int)status,
                   status == PRAE_OK ? names(&features) : "", why);
        pri_features_fini(&features);
    }

    /* More than 64 entries, the last of which is not there. */
    char list[256] = "", why[256] = "";
    struct features features;
    for (int i = 0; i < 64; i++)
        strcat(list, "a,");
    strcat(list, "nosuch");
    ok(learn(&features, 0, list, NULL, why) == PRAE_ECONFIG &&
           strstr(why, "nosuch") != NULL,
       "the 65th field that is not there is named, too");
    pri_features_fini(&features);
}

/* Names of any length are known, whole and as what others lie below. */
static void
test_long_names(void)
{
    enum { LONG = 3000 };
    static const struct {
        const char *what, *end; /* behind the long name */
        int by_fields;
        const char *left;
        size_t D;
    } cases[] = {
        {"ignored", "", 0, "a", 1},
        {"ignored below it", ".b", 0, NULL, 2},
        {"one of nearly its name", "x", 0, NULL, 3},
        {"taken", "", 1, NULL, 2},
        {"taken below it", ".b", 1, NULL, 1},
    };
    static char list[LONG + 8], line[LONG + 64];

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct features features;
        char why[256] = "", name[8];
        memset(list, 'k', LONG);
        list[LONG] = '\0';
        snprintf(line, sizeof line, "{\"a\":1.5,\"%s\":{\"b\":2.5,\"c\":3}}",
                 list);
        strcat(list, cases[i].end);
        NEED(pri_features_init(&features) == PRAE_OK);
        NEED(pri_features_survey(&features, decode(line)) == PRAE_OK);
        prae_status status = pri_features_choose(
            &features, cases[i].by_fields ? list : NULL,
            cases[i].by_fields ? NULL : list, 4096, why, sizeof why);
        pri_features_name(&features, 0, name, sizeof name);
        ok(status == PRAE_OK && features.D == cases[i].D &&
               (cases[i].left == NULL || strcmp(name, cases[i].left) == 0),
           "a name of 3000 bytes: %s", cases[i].what);
        pri_features_fini(&features);
    }
}

static void
test_too_many(void)
{
    struct features features;
    char line[4096] = "[", why[256] = "";
    size_t len = 1;

    NEED(pri_features_init(&features) == PRAE_OK);
    for (int i = 0; i < 100; i++)
        len += (size_t)snprintf(line + len, sizeof line - len, "%s%d",
                                i ? "," : "", i);
    strcat(line, "]");
    NEED(pri_features_survey(&features, decode(line)) == PRAE_OK);
    ok(pri_features_choose(&features, NULL, NULL, 99, why, sizeof why) ==
               PRAE_ECONFIG &&
           strstr(why, "100") != NULL,
       "more features than allowed are refused");
    pri_features_fini(&features);
}

/* ---- vectors ---- */

static const struct {
    const char *name, *line;
    enum fault fault;
    double a, b, k; /* NaN: missing */
} vectors[] = {
#define NO ((double)NAN)
    {"a record", "{\"a\":1,\"in\":{\"b\":2},\"k\":3}", FAULT_NONE, 1, 2, 3},
    {"in another order", "{\"k\":3,\"in\":{\"b\":2},\"a\":1}", FAULT_NONE, 1, 2,
     3},
    {"the last of duplicates", "{\"a\":9,\"a\":1,\"in\":{\"b\":2},\"k\":3}",
     FAULT_NONE, 1, 2, 3},
    {"the last is null", "{\"a\":9,\"a\":null,\"in\":{\"b\":2},\"k\":3}",
     FAULT_NONE, NO, 2, 3},
    {"the first is a text", "{\"a\":\"x\",\"a\":1,\"in\":{\"b\":2},\"k\":3}",
     FAULT_NONE, 1, 2, 3},
    {"the first is a map", "{\"a\":{\"a\":7},\"a\":1,\"in\":{\"b\":2},\"k\":3}",
     FAULT_NONE, 1, 2, 3},
    {"the first is NaN", "{\"a\":NaN,\"a\":1,\"in\":{\"b\":2},\"k\":3}",
     FAULT_NONE, 1, 2, 3},
    {"the last is a map", "{\"a\":1,\"a\":{\"a\":7},\"in\":{\"b\":2},\"k\":3}",
     FAULT_TYPE, 0, 0, 0},
    {"extra fields", "{\"a\":1,\"z\":5,\"in\":{\"b\":2,\"y\":[1]},\"k\":3}",
     FAULT_NONE, 1, 2, 3},
    {"booleans", "{\"a\":true,\"in\":{\"b\":false},\"k\":3}", FAULT_NONE, 1, 0,
     3},
    {"one missing", "{\"a\":1,\"in\":{\"b\":2}}", FAULT_NONE, 1, 2, NO},
    {"null is missing", "{\"a\":null,\"in\":{\"b\":2},\"k\":3}", FAULT_NONE, NO,
     2, 3},
    {"two of three missing", "{\"a\":1}", FAULT_MISSING, 0, 0, 0},
    {"nothing there", "{}", FAULT_MISSING, 0, 0, 0},
    {"a text for a number", "{\"a\":\"1\",\"in\":{\"b\":2},\"k\":3}",
     FAULT_TYPE, 0, 0, 0},
    {"a map for a number", "{\"a\":{},\"in\":{\"b\":2},\"k\":3}", FAULT_TYPE, 0,
     0, 0},
    {"an array for a number", "{\"a\":[1],\"in\":{\"b\":2},\"k\":3}",
     FAULT_TYPE, 0, 0, 0},
    {"a number for a map", "{\"a\":1,\"in\":2,\"k\":3}", FAULT_NONE, 1, NO, 3},
    {"NaN", "{\"a\":NaN,\"in\":{\"b\":2},\"k\":3}", FAULT_NONFINITE, 0, 0, 0},
    {"an infinity", "{\"a\":1,\"in\":{\"b\":-Infinity},\"k\":3}",
     FAULT_NONFINITE, 0, 0, 0},
    {"too large for a double", "{\"a\":1e999,\"in\":{\"b\":2},\"k\":3}",
     FAULT_NONFINITE, 0, 0, 0},
    {"an array among maps", "[1,2,3]", FAULT_MISSING, 0, 0, 0},
    {"a map after an array", "{\"a\":1,\"in\":{\"b\":2},\"k\":3}", FAULT_NONE,
     1, 2, 3},
};

static int
same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void
test_vectors(void)
{
    struct features features;
    char why[256];
    double x[3];

    NEED(learn(&features, 0, "a,in.b,k", NULL, why) == PRAE_OK);
    NEED(features.D == 3);
    for (size_t i = 0; i < COUNT(vectors); i++) {
        enum fault fault = FAULT_COUNT;
        prae_status status = pri_features_extract(
            &features, decode(vectors[i].line), 0, x, &fault);
        int right = status == PRAE_OK && fault == vectors[i].fault;
        /* Refused either way, by its shape or by what it lacks. */
        if (vectors[i].line[0] == '[')
            right = fault == FAULT_DIMENSION || fault == FAULT_MISSING;
        if (!ok(right && (fault != FAULT_NONE || (same(x[0], vectors[i].a) &&
                                                  same(x[1], vectors[i].b) &&
                                                  same(x[2], vectors[i].k))),
                "%s", vectors[i].name))
            printf("# fault %d, %g %g %g\n", (int)fault, x[0], x[1], x[2]);
    }
    pri_features_fini(&features);
}

static void
test_settings(void)
{
    struct features features;
    char why[256];
    enum fault fault;
    double x[3];

    NEED(learn(&features, 0, "a,in.b,k", NULL, why) == PRAE_OK);
    features.coerce = features.impute_nonfinite = 1;
    NEED(pri_features_extract(
             &features, decode("{\"a\":\"-1.5\",\"in\":{\"b\":2},\"k\":3}"), 0,
             x, &fault) == PRAE_OK);
    ok(fault == FAULT_NONE && x[0] == -1.5, "coerce: a text is its number");
    NEED(pri_features_extract(
             &features, decode("{\"a\":\"hot\",\"in\":{\"b\":2},\"k\":3}"), 0,
             x, &fault) == PRAE_OK);
    ok(fault == FAULT_TYPE, "... where it is one");
    uint64_t imputed = features.imputed;
    NEED(pri_features_extract(&features,
                              decode("{\"a\":NaN,\"in\":{\"b\":2},\"k\":3}"), 0,
                              x, &fault) == PRAE_OK);
    ok(fault == FAULT_NONE && isnan(x[0]) && features.imputed == imputed + 1,
       "impute: NaN is missing, and counted");
    NEED(pri_features_extract(
             &features, decode("{\"a\":\"inf\",\"in\":{\"b\":NaN},\"k\":3}"), 0,
             x, &fault) == PRAE_OK);
    ok(fault == FAULT_MISSING, "... but not most of a record");
    uint64_t unknown = features.unknown_fields;
    NEED(pri_features_extract(
             &features,
             decode("{\"a\":9007199254740993,\"in\":{\"b\":2,\"new\":1},"
                    "\"k\":3,\"n\":5,\"other\":6}"),
             0, x, &fault) == PRAE_OK);
    ok(features.unknown_fields == unknown + 2,
       "fields that the first window did not have are counted");
    ok(features.wide_ints == 1, "so are integers that were rounded");
    pri_features_fini(&features);
}

/* Half of the features may be missing, not more. */
static void
test_half(void)
{
    struct features features;
    char why[256];
    enum fault fault;
    double x[2];

    NEED(learn(&features, 0, "a,k", NULL, why) == PRAE_OK && features.D == 2);
    NEED(pri_features_extract(&features, decode("{\"k\":3}"), 0, x, &fault) ==
         PRAE_OK);
    ok(fault == FAULT_NONE && isnan(x[0]) && x[1] == 3.0,
       "half of a record is enough");
    pri_features_fini(&features);
}

static void
test_arrays(void)
{
    static const struct {
        const char *name, *line;
        enum fault fault;
    } cases[] = {
        {"as long", "[1,2,3]", FAULT_NONE},
        {"shorter", "[1,2]", FAULT_DIMENSION},
        {"longer", "[1,2,3,4]", FAULT_DIMENSION},
        {"empty", "[]", FAULT_DIMENSION},
        {"a map", "{\"a\":1}", FAULT_DIMENSION},
        {"as long again", "[1,null,3]", FAULT_NONE},
    };
    struct features features;
    char why[256];
    double x[3];

    NEED(learn(&features, 1, NULL, NULL, why) == PRAE_OK && features.D == 3);
    for (size_t i = 0; i < COUNT(cases); i++) {
        enum fault fault = FAULT_COUNT;
        NEED(pri_features_extract(&features, decode(cases[i].line), 0, x,
                                  &fault) == PRAE_OK);
        if (!ok(fault == cases[i].fault, "an array: %s", cases[i].name))
            printf("# fault %d\n", (int)fault);
    }
    pri_features_fini(&features);
}

static void
test_strings(void)
{
    static const char up[] = "{\"c\":\"up\",\"t\":\"user 5 came\"}";
    static const char new[] = "{\"c\":\"sideways\",\"t\":\"panic!\"}";
    struct features features;
    double x[6], before;
    enum fault fault;
    char why[256];

    NEED(learn(&features, 0, "c,t", NULL, why) == PRAE_OK && features.D == 6);
    for (int i = 0; i < 50; i++)
        NEED(pri_features_count(&features, decode(up)) == PRAE_OK);
    NEED(pri_features_extract(&features, decode(up), 0, x, &fault) == PRAE_OK);
    before = x[0];
    NEED(pri_features_extract(&features, decode(new), 0, x, &fault) == PRAE_OK);
    ok(x[0] > before + 3.0 && x[1] > 3.0 && isfinite(x[5]),
       "a string not seen before is rare");
    NEED(pri_features_extract(&features, decode(new), 1, x, &fault) == PRAE_OK);
    before = x[0];
    NEED(pri_features_extract(&features, decode(new), 0, x, &fault) == PRAE_OK);
    ok(x[0] < before, "... less so once it was counted");
    before = x[0];
    NEED(pri_features_extract(&features, decode(new), 0, x, &fault) == PRAE_OK);
    ok(x[0] == before, "... which is only on demand");
    NEED(pri_features_extract(&features, decode("{\"c\":1,\"t\":\"x\"}"), 0, x,
                              &fault) == PRAE_OK);
    ok(fault == FAULT_TYPE, "a number is no string");
    pri_features_fini(&features);
}

/* A map that has PAIR so many TIMES, then BEHIND. */
static const char *
repeat(const char *pair, size_t times, const char *behind)
{
    static char line[4096];
    size_t len = (size_t)snprintf(line, sizeof line, "{");

    for (size_t i = 0; i < times; i++)
        len += (size_t)snprintf(line + len, sizeof line - len, "%s,", pair);
    snprintf(line + len, sizeof line - len, "%s}", behind);
    return line;
}

/* A name that comes many times in one record is not one that many have. */
static void
test_repeated(void)
{
    struct features features;
    double x[2], before;
    char why[256], line[64];
    enum fault fault;

    NEED(pri_features_init(&features) == PRAE_OK);
    for (unsigned i = 0; i < 40; i++) {
        snprintf(line, sizeof line, "\"a\":%u,\"c\":\"%s\"", i * 7 % 13,
                 i % 3 ? "up" : "down");
        const char *pair = i == 20 ? "\"new\":1" : "\"a\":\"text\"";
        const size_t times = i == 20 || i == 30 ? 200 : 0;
        NEED(pri_features_survey(&features,
                                 decode(repeat(pair, times, line))) == PRAE_OK);
    }
    NEED(pri_features_choose(&features, NULL, NULL, 4096, why, sizeof why) ==
         PRAE_OK);
    ok(strcmp(names(&features), "a | c") == 0,
       "what one record repeats neither makes nor unmakes a feature");
    NEED(pri_features_extract(&features, decode("{\"a\":1,\"c\":\"odd\"}"), 0,
                              x, &fault) == PRAE_OK);
    before = x[1];
    NEED(pri_features_extract(
             &features,
             decode(repeat("\"c\":\"odd\"", 200, "\"c\":\"up\",\"a\":1")), 1, x,
             &fault) == PRAE_OK);
    ok(fault == FAULT_NONE && features.unknown_fields == 200,
       "... it is passed over, and counted");
    NEED(pri_features_extract(&features, decode("{\"a\":1,\"c\":\"odd\"}"), 0,
                              x, &fault) == PRAE_OK);
    ok(x[1] >= before, "... nor does it make a string usual");
    pri_features_fini(&features);
}

int
main(void)
{
    struct codec_limits limits = {1 << 20, 32, 65536};

    NEED(pri_codec_init(&codec, PRAE_FORMAT_JSONL, &limits) == PRAE_OK);
    test_choice();
    test_long_names();
    test_too_many();
    test_vectors();
    test_settings();
    test_half();
    test_arrays();
    test_strings();
    test_repeated();
    pri_codec_fini(&codec);
    return tap_done();
}
