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
    prae_filter *first, *second, *third;
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

static void
set_params(prae_params *params, prae_format format)
{
    prae_params_init(params);
    params->format = format;
    params->window = WINDOW;
    params->memory = 50;
    params->cold_epochs = 1;
    params->epochs = 1;
}

static void
in_turn(void *arg, prae_task task, void *work, size_t parts)
{
    (void)arg;
    for (size_t part = 0; part < parts; part++)
        task(work, part, part % 2);
}

/* Bytes, a snapshot, and threads: at first, for what is loaded, and more. */
static prae_status
play_stream(prae_format format, struct life *life, size_t *at)
{
    prae_params params;

    set_params(&params, format);
    prae_status status = prae_filter_new(&params, &life->first);
    if (status == PRAE_OK)
        status = prae_filter_set_runner(life->first, 2, in_turn, NULL);
    if (status == PRAE_OK)
        status = feed(life->first, format, at, life);
    if (status == PRAE_OK)
        status = prae_filter_save(life->first, &life->snapshot);
    if (status == PRAE_OK)
        status = prae_filter_new(&params, &life->second);
    if (status == PRAE_OK)
        status = prae_filter_set_runner(life->second, 2, in_turn, NULL);
    if (status == PRAE_OK)
        status = prae_filter_load(life->second, life->snapshot.data,
                                  life->snapshot.len);
    if (status == PRAE_OK)
        status = prae_filter_set_runner(life->second, 4, in_turn, NULL);
    if (status == PRAE_OK) {
        *at = 0;
        status = feed(life->second, format, at, life);
    }
    return status;
}

/* The input as one message; the first window leaves before it is judged. */
static prae_status
send_message(prae_filter *filter, prae_format format, struct life *life)
{
    const prae_buffer *in = &input[format];
    prae_status status = PRAE_FULL;
    prae_verdict verdict;
    size_t at = 0;

    while (status == PRAE_FULL) {
        size_t used = 0;
        status = prae_filter_push_message(filter, in->data + at, in->len - at,
                                          &used);
        if (status >= 0)
            at += used;
        if (status != PRAE_FULL)
            break;
        if (life->taken == 0 && prae_filter_release(filter) == PRAE_OK)
            while (prae_filter_next(filter, &verdict) == PRAE_OK)
                life->taken++;
        prae_status judged = drain(filter, format, life);
        status = judged == PRAE_OK ? status : judged;
    }
    return status;
}

/* A front of FILTER's takes the place of BEFORE. */
static prae_status
change_front(const prae_filter *filter, prae_filter *before,
             prae_filter **front)
{
    prae_status status = prae_filter_fork(filter, front);

    return status == PRAE_OK ? prae_filter_follow(*front, before) : status;
}

/* Messages, records that do not wait, and fronts. */
static prae_status
play_messages(prae_format format, struct life *life, size_t *at)
{
    prae_params params;
    size_t count;

    (void)at;
    set_params(&params, format);
    prae_status status = prae_message_count(&params, input[format].data,
                                            input[format].len, &count);
    if (status == PRAE_OK)
        status = prae_filter_new(&params, &life->first);
    if (status == PRAE_OK)
        status = send_message(life->first, format, life);
    if (status == PRAE_OK)
        status = change_front(life->first, life->first, &life->second);
    if (status == PRAE_OK)
        status = send_message(life->second, format, life);
    if (status == PRAE_OK)
        status = change_front(life->first, life->second, &life->third);
    if (status == PRAE_OK)
        status = prae_filter_refuse(life->third, PRAE_REFUSE_PARTS);
    if (status == PRAE_OK)
        status = drain(life->third, format, life);
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
    prae_filter_free(life->third);
    free(life->log.data);
    free(life->snapshot.data);
    *life = (struct life){0};
}

/* One life, and the records that leave in it. */
static const struct play {
    const char *name;
    prae_status (*run)(prae_format format, struct life *life, size_t *at);
    size_t records;
} stream = {"a stream", play_stream, 2 * RECORDS},
  messages = {"messages", play_messages, 2 * RECORDS + 1};

static const char *
fault(const struct play *play, prae_format format, long allocation,
      int continuing)
{
    struct life life = {0};
    const char *wrong = NULL;
    long before = held;
    size_t at = 0;

    asked = 0;
    failing = allocation;
    prae_status status = play->run(format, &life, &at);
    failing = -1;
    prae_filter *last = life.third != NULL    ? life.third
                        : life.second != NULL ? life.second
                                              : life.first;
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
check(const struct play *play, prae_format format, int continuing)
{
    static const char *const names[] = {"msgpack", "jsonl", "csv"};
    char name[64];
    struct life life = {0};
    long before = held, faults = 0;
    size_t at = 0;

    snprintf(name, sizeof name, "%s, %s", names[format], play->name);
    asked = 0;
    ok(play->run(format, &life, &at) == PRAE_OK && life.taken == play->records,
       "%s: works with memory", name);
    life_fini(&life);
    long count = asked;
    ok(held == before, "%s: gives back what it took", name);
    ok(count > 100, "%s: %ld allocations are seen", name, count);
    for (long i = 0; i < count; i++) {
        const char *wrong = fault(play, format, i, continuing);
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
    for (int f = 0; f < 3; f++)
        make_input(&input[f], (prae_format)f);
    for (int f = 0; f < 3; f++)
        check(&stream, (prae_format)f, 0);
    check(&stream, PRAE_FORMAT_MSGPACK, 1);
    for (int f = 0; f < 3; f++)
        check(&messages, (prae_format)f, 0);
    check(&messages, PRAE_FORMAT_CSV, 1);
    for (int f = 0; f < 3; f++)
        free(input[f].data);
    return tap_done();
}
