/*
 * oom_filter.c - every allocation of a stream's life fails once, in turn.
 * Each time the caller is told, and the filter can be asked, saved, pushed
 * on and freed. Linked with --wrap, see counted.h.
 */
#include "counted.h"
#include "stream.h"

#define WINDOW 16
#define RECORDS (3 * WINDOW)

static prae_buffer input[3];

static void
make_input(prae_buffer *out, prae_format format)
{
    if (format == PRAE_FORMAT_CSV)
        put_line(out, "x,state,line\n");
    for (unsigned i = 0; i < RECORDS; i++) {
        unsigned r = i * 2654435761u >> 8;
        const char *state = i == 40 ? "broken" : r % 3 ? "on" : "off";
        char text[64];
        snprintf(text, sizeof text, "user %u %s", r, i == 41 ? "fell" : "came");
        if (format == PRAE_FORMAT_MSGPACK) {
            put_map(out, 3);
            put_named(out, "x", i == 42 ? 1e9 : (double)(r % 97));
            put_text(out, "state");
            put_text(out, state);
            put_text(out, "line");
            put_text(out, text);
        } else if (format == PRAE_FORMAT_JSONL) {
            put_line(out, "{\"x\":%u,\"state\":\"\\t%s\",\"line\":\"%s\"}\n",
                     r % 97, state, text);
        } else {
            put_line(out, "%u,\"%s\"\"\",%s\n", r % 97, state, text);
        }
    }
}

/* All that is made on the way, so that it can be freed wherever it ends. */
struct life {
    prae_filter *first, *second;
    prae_buffer log, snapshot;
    size_t taken;
};

static prae_status
drain(prae_filter *filter, prae_format format, struct life *life)
{
    prae_status status = prae_filter_judge(filter);
    prae_verdict verdict;

    while (status == PRAE_OK && prae_filter_next(filter, &verdict) == PRAE_OK) {
        life->taken++;
        status = prae_verdict_write(&verdict, format, &life->log);
    }
    return status;
}

static prae_status
feed(prae_filter *filter, prae_format format, size_t *at, struct life *life)
{
    const prae_buffer *in = &input[format];
    prae_status status = PRAE_FULL;

    while (status == PRAE_FULL) {
        size_t used = 0;
        status =
            prae_filter_push(filter, in->data + *at, in->len - *at, 1, &used);
        if (status >= 0)
            *at += used;
        if (status == PRAE_FULL) {
            prae_status judged = drain(filter, format, life);
            status = judged == PRAE_OK ? status : judged;
        }
    }
    return status;
}

static prae_status
play(prae_format format, struct life *life, size_t *at)
{
    prae_params params;

    prae_params_init(&params);
    params.format = format;
    params.window = WINDOW;
    params.memory = 50;
    params.cold_epochs = 1;
    params.epochs = 1;
    prae_status status = prae_filter_new(&params, &life->first);
    if (status == PRAE_OK)
        status = feed(life->first, format, at, life);
    if (status == PRAE_OK)
        status = prae_filter_save(life->first, &life->snapshot);
    if (status == PRAE_OK)
        status = prae_filter_new(&params, &life->second);
    if (status == PRAE_OK)
        status = prae_filter_load(life->second, life->snapshot.data,
                                  life->snapshot.len);
    if (status == PRAE_OK) {
        *at = 0;
        status = feed(life->second, format, at, life);
    }
    return status;
}

/* Whatever failed, asking on does no harm: the filter goes on, or says that
 * it cannot. */
static const char *
go_on(prae_filter *filter, prae_format format, size_t at, struct life *life)
{
    prae_buffer saved = {0};
    const char *reason;
    prae_feature feature;
    prae_verdict verdict;
    prae_stats stats;

    for (size_t i = 0; prae_filter_field(filter, i, &reason) != NULL; i++)
        continue;
    for (size_t d = 0; prae_filter_feature(filter, d, &feature) == PRAE_OK; d++)
        continue;
    prae_status status = prae_filter_save(filter, &saved);
    free(saved.data);
    if (status != PRAE_OK && status != PRAE_EINVAL)
        return "a save that is neither possible nor refused";
    while (prae_filter_next(filter, &verdict) == PRAE_OK)
        life->taken++;
    status = feed(filter, format, &at, life);
    if (status < 0 && status != PRAE_EINVAL)
        return "the filter neither goes on nor refuses to";
    prae_filter_stats(filter, &stats);
    if (stats.received !=
        stats.inliers + stats.outliers + stats.rejected + stats.held)
        return "the counts do not add up";
    return NULL;
}

static void
life_fini(struct life *life)
{
    prae_filter_free(life->first);
    prae_filter_free(life->second);
    free(life->log.data);
    free(life->snapshot.data);
    *life = (struct life){0};
}

static const char *
fault(prae_format format, long allocation, int continuing)
{
    struct life life = {0};
    const char *wrong = NULL;
    long before = held;
    size_t at = 0;

    asked = 0;
    failing = allocation;
    prae_status status = play(format, &life, &at);
    failing = -1;
    prae_filter *last = life.second != NULL ? life.second : life.first;
    if (status != PRAE_ENOMEM)
        wrong = "the status is not PRAE_ENOMEM";
    else if (continuing && last != NULL)
        wrong = go_on(last, format, at, &life);
    life_fini(&life);
    if (wrong == NULL && held != before)
        wrong = "memory is lost";
    return wrong;
}

static void
check(const char *name, prae_format format, int continuing)
{
    struct life life = {0};
    long before = held, faults = 0;
    size_t at = 0;

    asked = 0;
    ok(play(format, &life, &at) == PRAE_OK && life.taken == 2 * RECORDS,
       "%s: works with memory", name);
    life_fini(&life);
    long count = asked;
    ok(held == before, "%s: gives back what it took", name);
    ok(count > 100, "%s: %ld allocations are seen", name, count);
    for (long i = 0; i < count; i++) {
        const char *wrong = fault(format, i, continuing);
        if (wrong != NULL && faults < 20)
            printf("# allocation %ld of %ld: %s\n", i, count, wrong);
        faults += wrong != NULL;
    }
    ok(faults == 0,
       continuing ? "%s: each may fail, and asking on does no harm"
                  : "%s: each may fail",
       name);
}

int
main(void)
{
    static const char *const names[] = {"msgpack", "jsonl", "csv"};

    for (int f = 0; f < 3; f++)
        make_input(&input[f], (prae_format)f);
    for (int f = 0; f < 3; f++)
        check(names[f], (prae_format)f, 0);
    check(names[0], PRAE_FORMAT_MSGPACK, 1);
    for (int f = 0; f < 3; f++)
        free(input[f].data);
    return tap_done();
}
