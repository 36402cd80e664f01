/*
 * oom_filter.c - every allocation of a stream's life fails once, in turn.
 * Each time the caller is told, and the filter can be asked, saved, pushed
 * on and freed. Linked with --wrap, see counted.h.
 */
#include "counted.h"
#include "stream.h"

#define WINDOW 16
#define RECORDS (3 * WINDOW)
#define WIDE 150  /* fields: more than there is room for at first */
#define LONG 4200 /* records of a window: likewise */

static prae_buffer input[3], wide[3], lengthy;
static long late; /* allocations before which none fails */

static void
make_wide(prae_buffer *out, prae_format format)
{
    for (unsigned d = 0; d < WIDE && format == PRAE_FORMAT_CSV; d++)
        put_line(out, "%sf%u", d > 0 ? "," : "", d);
    if (format == PRAE_FORMAT_CSV)
        put_line(out, "\n");
    for (unsigned i = 0; i < RECORDS; i++) {
        if (format == PRAE_FORMAT_MSGPACK)
            put_map(out, WIDE);
        for (unsigned d = 0; d < WIDE; d++) {
            double x = (double)((i * 2654435761u >> 8) % (d + 2));
            char name[16];
            snprintf(name, sizeof name, "f%u", d);
            if (format == PRAE_FORMAT_MSGPACK)
                put_named(out, name, x);
            else if (format == PRAE_FORMAT_JSONL)
                put_line(out, "%s\"%s\":%g", d > 0 ? "," : "{", name, x);
            else
                put_line(out, "%s%g", d > 0 ? "," : "", x);
        }
        if (format != PRAE_FORMAT_MSGPACK)
            put_line(out, "%s\n", format == PRAE_FORMAT_JSONL ? "}" : "");
    }
}

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
feed(prae_filter *filter, const prae_buffer *in, prae_format format,
     size_t *at, struct life *life)
{
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
play_stream(const prae_buffer *in, prae_format format, struct life *life,
            size_t *at)
{
    prae_params params;

    set_params(&params, format);
    prae_status status = prae_filter_new(&params, &life->first);
    if (status == PRAE_OK)
        status = prae_filter_set_runner(life->first, 2, in_turn, NULL);
    if (status == PRAE_OK)
        status = feed(life->first, in, format, at, life);
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
        status = feed(life->second, in, format, at, life);
    }
    return status;
}

/* The input as one message; the first window leaves before it is judged. */
static prae_status
send_message(prae_filter *filter, const prae_buffer *in, prae_format format,
             struct life *life)
{
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
play_messages(const prae_buffer *in, prae_format format, struct life *life,
              size_t *at)
{
    prae_params params;
    const char *header = NULL;
    size_t header_len = 0, count;

    (void)at;
    set_params(&params, format);
    prae_status status =
        prae_message_count(&params, &header, &header_len, in->data, in->len,
                           &count);
    if (status == PRAE_OK)
        status = prae_filter_new(&params, &life->first);
    if (status == PRAE_OK)
        status = send_message(life->first, in, format, life);
    if (status == PRAE_OK)
        status = change_front(life->first, life->first, &life->second);
    if (status == PRAE_OK)
        status = send_message(life->second, in, format, life);
    if (status == PRAE_OK)
        status = change_front(life->first, life->second, &life->third);
    if (status == PRAE_OK)
        status = prae_filter_refuse(life->third, PRAE_REFUSE_PARTS);
    if (status == PRAE_OK)
        status = drain(life->third, format, life);
    return status;
}

/* A short window, then one that outgrows the room it was given at first. */
static prae_status
play_long(const prae_buffer *in, prae_format format, struct life *life,
          size_t *at)
{
    prae_params params;

    set_params(&params, format);
    params.window = LONG;
    prae_buffer few = {.data = in->data, .len = in->len / LONG * WINDOW};
    prae_status status = prae_filter_new(&params, &life->first);
    if (status == PRAE_OK)
        status = feed(life->first, &few, format, at, life);
    if (status == PRAE_OK)
        status = drain(life->first, format, life);
    late = asked;
    if (status == PRAE_OK)
        status = feed(life->first, in, format, at, life);
    return status == PRAE_OK ? drain(life->first, format, life) : status;
}

/* Whatever failed, asking on does no harm: the filter goes on, or says that
 * it cannot. */
static const char *
go_on(prae_filter *filter, const prae_buffer *in, prae_format format,
      size_t at, struct life *life)
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
    status = feed(filter, in, format, &at, life);
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

/* One life, what goes in, and how many records leave. */
static const struct play {
    const char *name;
    prae_status (*run)(const prae_buffer *in, prae_format format,
                       struct life *life, size_t *at);
    const prae_buffer *in; /* by format */
    size_t records;
} stream = {"a stream", play_stream, input, 2 * RECORDS},
  messages = {"messages", play_messages, input, 2 * RECORDS + 1},
  wide_stream = {"wide records", play_stream, wide, 2 * RECORDS},
  long_window = {"a long window", play_long, &lengthy, LONG};

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
    prae_status status = play->run(&play->in[format], format, &life, &at);
    failing = -1;
    prae_filter *last = life.third != NULL    ? life.third
                        : life.second != NULL ? life.second
                                              : life.first;
    if (status != PRAE_ENOMEM)
        wrong = "the status is not PRAE_ENOMEM";
    else if (continuing && last != NULL)
        wrong = go_on(last, &play->in[format], format, at, &life);
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
    asked = late = 0;
    ok(play->run(&play->in[format], format, &life, &at) == PRAE_OK &&
           life.taken == play->records,
       "%s: works with memory", name);
    life_fini(&life);
    long count = asked;
    ok(held == before, "%s: gives back what it took", name);
    ok(count > 100, "%s: %ld allocations are seen", name, count);
    long first = late;
    for (long i = first; i < count; i++) {
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
    for (int f = 0; f < 3; f++) {
        make_input(&input[f], (prae_format)f);
        make_wide(&wide[f], (prae_format)f);
    }
    for (unsigned i = 0; i < LONG; i++) {
        put_map(&lengthy, 1);
        put_named(&lengthy, "x", (double)((i * 2654435761u >> 8) % 97));
    }
    for (int f = 0; f < 3; f++)
        check(&stream, (prae_format)f, 0);
    check(&stream, PRAE_FORMAT_MSGPACK, 1);
    for (int f = 0; f < 3; f++)
        check(&messages, (prae_format)f, 0);
    check(&messages, PRAE_FORMAT_CSV, 1);
    for (int f = 0; f < 3; f++)
        check(&wide_stream, (prae_format)f, 0);
    check(&long_window, PRAE_FORMAT_MSGPACK, 0);
    for (int f = 0; f < 3; f++) {
        buffer_fini(&input[f]);
        buffer_fini(&wide[f]);
    }
    buffer_fini(&lengthy);
    return tap_done();
}
