/* top_facts.c - one function a member. A member that is missing or of another
 * kind is not known, as versions to come may leave some out. */
#include "top_facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- members ---- */

static double
number(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);

    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* A count; none that is not known. */
static double
count_of(const json_t *object, const char *name)
{
    double value = number(object, name);

    return value >= 0.0 ? value : 0.0;
}

static struct word
word(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);

    return json_is_string(value) ? (struct word){json_string_value(value),
                                                 json_string_length(value)}
                                 : (struct word){"", 0};
}

static int
is_true(const json_t *object, const char *name)
{
    return json_is_true(json_object_get(object, name));
}

/* The elements of an array, but no more than MOST. */
static size_t
length(const json_t *array, size_t most)
{
    size_t count = json_array_size(array);

    return count < most ? count : most;
}

static enum facts_state
state_of(const json_t *object)
{
    static const char *const names[] = {"warming", "live", "burst", "drift",
                                        "frozen"};
    struct word state = word(object, "state");

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (word_is(state, names[i]))
            return (enum facts_state)i;
    return STATE_UNKNOWN;
}

/* ---- the parts ---- */

static void
read_totals(struct facts_totals *totals, const json_t *object)
{
    *totals = (struct facts_totals){
        .received = count_of(object, "received"),
        .inliers = count_of(object, "inliers"),
        .outliers = count_of(object, "outliers"),
        .rejected = count_of(object, "rejected"),
        .held = count_of(object, "held"),
        .windows = count_of(object, "windows"),
        .bursts = count_of(object, "bursts"),
        .drifts = count_of(object, "drifts"),
        .rollbacks = count_of(object, "rollbacks"),
        .undelivered = count_of(object, "undelivered"),
        .dropped = count_of(object, "dropped"),
        .turned_away = count_of(object, "turned_away"),
    };
}

static size_t
read_ports(struct facts_port ports[FACTS_PORTS], const json_t *array)
{
    size_t count = length(array, FACTS_PORTS);

    for (size_t i = 0; i < count; i++) {
        const json_t *one = json_array_get(array, i);
        ports[i] = (struct facts_port){.name = word(one, "name"),
                                       .to = word(one, "to"),
                                       .waiting = number(one, "waiting"),
                                       .messages = number(one, "messages"),
                                       .peers = number(one, "peers"),
                                       .is_clogged = is_true(one, "clogged")};
    }
    return count;
}

static void
read_training(struct facts *facts, const json_t *object)
{
    facts->trained = number(object, "count");
    facts->train_seconds = number(object, "seconds");
    facts->train_longest = number(object, "longest");
    facts->train_last = number(object, "last");
}

/* COUNT numbers of ARRAY to OUT, which has to have exactly those. */
static int
read_numbers(double *out, const json_t *array, size_t count, int least_zero)
{
    if (json_array_size(array) != count)
        return 0;
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(array, i);
        out[i] = json_is_number(value) ? json_number_value(value) : (double)NAN;
        if (least_zero && !(out[i] >= 0.0))
            out[i] = 0.0;
    }
    return 1;
}

/* Edges have to rise, or there is nothing to draw. */
static int
read_scores(struct facts *facts, const json_t *object)
{
    const json_t *edges = json_object_get(object, "edges");
    size_t bins = json_array_size(edges);

    if (bins < 2)
        return 1;
    if (--bins > FACTS_BINS ||
        !read_numbers(facts->edges, edges, bins + 1, 0) ||
        !read_numbers(facts->inliers, json_object_get(object, "inliers"), bins,
                      1) ||
        !read_numbers(facts->outliers, json_object_get(object, "outliers"),
                      bins, 1))
        return 0;
    for (size_t i = 0; i < bins; i++)
        if (!(facts->edges[i] < facts->edges[i + 1]))
            return 0;
    facts->bins = bins;
    return 1;
}

/* Of more than fit, the newest. */
static void
read_timeline(struct facts *facts, const json_t *array)
{
    size_t total = json_array_size(array);
    size_t from = total > FACTS_SPANS ? total - FACTS_SPANS : 0;

    facts->span_count = total - from;
    for (size_t i = 0; i < facts->span_count; i++) {
        const json_t *one = json_array_get(array, from + i);
        double windows = number(one, "windows");
        facts->spans[i] =
            (struct facts_span){.window = count_of(one, "window"),
                                .windows = windows >= 1.0 ? windows : 1.0,
                                .inliers = count_of(one, "inliers"),
                                .outliers = count_of(one, "outliers"),
                                .bursts = count_of(one, "bursts"),
                                .drifts = count_of(one, "drifts"),
                                .state = state_of(one)};
    }
}

static struct value
value_of(const json_t *object, const char *number_name, const char *text_name)
{
    const json_t *text = json_object_get(object, text_name);
    double value = number(object, number_name);

    if (json_is_string(text))
        return (struct value){.kind = VALUE_TEXT,
                              .text = word(object, text_name)};
    if (isnan(value))
        return (struct value){.kind = VALUE_NONE};
    return (struct value){.kind = VALUE_NUMBER, .number = value};
}

static void
read_flagged(struct facts_flagged *flagged, const json_t *object)
{
    const json_t *why = json_object_get(object, "why");

    *flagged = (struct facts_flagged){.seq = number(object, "seq"),
                                      .score = number(object, "score"),
                                      .p = number(object, "p"),
                                      .window = number(object, "window"),
                                      .time = number(object, "time"),
                                      .state = state_of(object),
                                      .record = word(object, "record"),
                                      .is_cut = is_true(object, "cut"),
                                      .why_count = length(why, FACTS_REASONS),
                                      .why_total = json_array_size(why)};
    for (size_t i = 0; i < flagged->why_count; i++) {
        const json_t *one = json_array_get(why, i);
        flagged->why[i] = (struct facts_reason){
            .field = word(one, "field"),
            .share = number(one, "share"),
            .observed = value_of(one, "observed", "observed_text"),
            .expected = value_of(one, "expected", "expected_text")};
    }
}

static void
read_lists(struct facts *facts, const json_t *root)
{
    const json_t *last = json_object_get(root, "last");
    const json_t *features = json_object_get(root, "features");
    const json_t *rejects = json_object_get(root, "rejects");

    facts->last_count = length(last, FACTS_LAST);
    for (size_t i = 0; i < facts->last_count; i++)
        read_flagged(&facts->last[i], json_array_get(last, i));
    facts->feature_count = length(features, FACTS_FEATURES);
    for (size_t i = 0; i < facts->feature_count; i++) {
        const json_t *one = json_array_get(features, i);
        facts->features[i] = (struct facts_feature){
            word(one, "name"), number(one, "blame"), number(one, "named")};
    }
    facts->reject_count = length(rejects, FACTS_REJECTS);
    for (size_t i = 0; i < facts->reject_count; i++) {
        const json_t *one = json_array_get(rejects, i);
        facts->rejects[i] = (struct facts_reject){
            word(one, "reason"), word(one, "text"), count_of(one, "count")};
    }
}

static void
read_words(struct facts *facts, const json_t *root)
{
    facts->program = word(root, "program");
    facts->state_word = word(root, "state");
    facts->state = state_of(root);
    facts->is_live = is_true(root, "live");
    facts->is_paused = is_true(root, "paused");
    facts->is_ready = is_true(root, "ready");
    facts->not_ready = word(root, "not_ready");
    facts->started = number(root, "started");
    facts->written = number(root, "written");
    facts->rate = number(root, "rate");
    facts->blocked_seconds = number(root, "blocked_seconds");
    facts->limit = number(root, "limit");
    facts->fpr = number(root, "fpr");
}

/* ---- the whole ---- */

static enum exit_status
check(const json_t *root, const json_error_t *error, char why[FACTS_WHY])
{
    double version = number(root, "version");

    /* Without memory jansson says nothing. */
    if (root == NULL && error->text[0] == '\0') {
        snprintf(why, FACTS_WHY, "out of memory");
        return EXIT_FAILED;
    }
    /* What it says quotes the text, which may drive a terminal. */
    if (root == NULL)
        snprintf(why, FACTS_WHY, "the answer is not JSON: line %d, column %d",
                 error->line, error->column);
    else if (!(version >= 0.0))
        snprintf(why, FACTS_WHY, "the answer is JSON, but not a filter's");
    else if (version < FACTS_VERSION || version >= FACTS_VERSION + 1)
        snprintf(why, FACTS_WHY,
                 "the facts are of version %g; this praectl knows version %d",
                 version, FACTS_VERSION);
    else
        return EXIT_DONE;
    return EXIT_DATA;
}

enum exit_status
facts_read(struct facts **facts, const char *text, size_t len,
           char why[FACTS_WHY])
{
    struct facts *read = calloc(1, sizeof *read);
    json_error_t error = {0};

    if (read == NULL) {
        snprintf(why, FACTS_WHY, "out of memory");
        return EXIT_FAILED;
    }
    /* A zero within a record's text is a character like others, and a count
     * beyond 64 bits a number. */
    json_t *root =
        json_loadb(text, len, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, &error);
    read->root = root;
    enum exit_status status = check(root, &error, why);
    if (status == EXIT_DONE) {
        read_words(read, root);
        read_totals(&read->totals, json_object_get(root, "totals"));
        read->input_count =
            read_ports(read->inputs, json_object_get(root, "inputs"));
        read->output_count =
            read_ports(read->outputs, json_object_get(root, "outputs"));
        read_training(read, json_object_get(root, "training"));
        read_lists(read, root);
        read_timeline(read, json_object_get(root, "timeline"));
        if (!read_scores(read, json_object_get(root, "scores"))) {
            snprintf(why, FACTS_WHY, "its scores do not fit together");
            status = EXIT_DATA;
        }
    }
    if (status == EXIT_DONE)
        *facts = read;
    else
        facts_free(read);
    return status;
}

double
facts_share(const struct facts_totals *totals)
{
    double judged = totals->inliers + totals->outliers;

    return judged > 0.0 ? totals->outliers / judged : (double)NAN;
}

void
facts_free(struct facts *facts)
{
    if (facts != NULL)
        json_decref(facts->root);
    free(facts);
}
