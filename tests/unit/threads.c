/*
 * threads.c - whatever threads there are, and whoever does which part when,
 * a filter makes the same of a stream, to the last bit.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "stream.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define THREADS_MOST 8

/* ---- runners ---- */

struct crew {
    size_t threads;
    size_t rounds;
    size_t most; /* parts of a round */
};

static void
note(struct crew *crew, size_t parts)
{
    crew->rounds++;
    if (parts > crew->most)
        crew->most = parts;
}

/* One after the other, the last part first. */
static void
run_backwards(void *arg, prae_task task, void *work, size_t parts)
{
    struct crew *crew = arg;

    note(crew, parts);
    for (size_t part = parts; part-- > 0;)
        task(work, part, part % crew->threads);
}

/* Threads that live as long as a round. */
struct round {
    prae_task task;
    void *work;
    size_t parts;
    atomic_size_t next;
};

struct hand {
    pthread_t thread;
    struct round *round;
    size_t who;
};

static void *
lend(void *context)
{
    struct hand *hand = context;
    struct round *round = hand->round;
    size_t part;

    while ((part = atomic_fetch_add(&round->next, 1)) < round->parts)
        round->task(round->work, part, hand->who);
    return NULL;
}

static void
run_threads(void *arg, prae_task task, void *work, size_t parts)
{
    struct crew *crew = arg;
    struct round round = {task, work, parts, 0};
    struct hand hand[THREADS_MOST];

    note(crew, parts);
    for (size_t i = 0; i < crew->threads; i++) {
        hand[i] = (struct hand){.round = &round, .who = i};
        NEED(pthread_create(&hand[i].thread, NULL, lend, &hand[i]) == 0);
    }
    for (size_t i = 0; i < crew->threads; i++)
        NEED(pthread_join(hand[i].thread, NULL) == 0);
}

/* ---- streams ---- */

static const struct shape {
    const char *name;
    size_t width, records, window;
    size_t hidden; /* width of the hidden layers, 0: none */
    size_t latent, batch;
    int shares; /* whether there is anything to share out */
} shapes[] = {
    {"small windows", 5, 200, 100, 10, 1, 0, 0},
    {"big windows", 5, 9000, 4000, 10, 1, 0, 1},
    {"a wide net", 200, 300, 150, 90, 2, 70, 1},
    {"a wide net of two layers", 700, 200, 100, 0, 24, 100, 1},
    {"layers that are BLIS's", 2100, 140, 70, 40, 3, 64, 1},
};

/* Numbers that hang together, but for the odd ones; some are missing. */
static void
put_stream(prae_buffer *out, const struct shape *shape)
{
    struct rng rng;

    pri_rng_init(&rng, 31, shape->width);
    for (size_t i = 0; i < shape->records; i++) {
        double a = (double)pri_rng_normal(&rng);
        double b = (double)pri_rng_normal(&rng);
        put_array(out, shape->width);
        for (size_t d = 0; d < shape->width; d++) {
            double value = (d % 3 == 0   ? a
                            : d % 3 == 1 ? b
                                         : a - b) +
                           0.1 * (double)pri_rng_normal(&rng);
            if (i % 70 == 69 && d % 4 == 0)
                value += 9.0;
            if (i % 31 == 30 && d == 2)
                put(out, "\xc0", 1);
            else
                put_real(out, value);
        }
    }
}

static prae_params
params_of(const struct shape *shape)
{
    prae_params params;

    prae_params_init(&params);
    params.window = shape->window;
    params.hidden_count = shape->hidden > 0 ? 2 : 0;
    params.hidden[0] = params.hidden[1] = shape->hidden;
    params.latent = shape->latent;
    params.batch = shape->batch;
    params.cold_epochs = 2;
    params.epochs = 2;
    params.context = PRAE_CONTEXT_OFF;
    return params;
}

/* All that is said of IN and learned from it, by RUN on so many threads; half
 * way the rest is left to another filter, by a snapshot. */
static void
play(const struct shape *shape, const prae_buffer *in, struct crew *crew,
     prae_runner run, prae_buffer *out)
{
    prae_params params = params_of(shape);
    size_t half = in->len / 2;
    struct stream first, second;
    prae_buffer snapshot = {0};

    stream_open(&first, &params);
    NEED(prae_filter_set_runner(first.filter, crew->threads, run, crew) ==
         PRAE_OK);
    NEED(stream_push(&first, in->data, half, half, 0) == PRAE_OK);
    if (first.windows == 0)
        NEED(stream_judge(&first) == PRAE_OK);
    NEED(prae_filter_save(first.filter, &snapshot) == PRAE_OK);
    stream_open(&second, &params);
    NEED(prae_filter_load(second.filter, snapshot.data, snapshot.len) ==
         PRAE_OK);
    NEED(prae_filter_set_runner(second.filter, crew->threads, run, crew) ==
         PRAE_OK);
    NEED(stream_push(&second, in->data, in->len, in->len, 1) == PRAE_OK);
    put(out, first.log.data, first.log.len);
    put(out, second.log.data, second.log.len);
    NEED(prae_filter_save(second.filter, out) == PRAE_OK);
    stream_close(&first);
    stream_close(&second);
    buffer_fini(&snapshot);
}

static void
test_shape(const struct shape *shape)
{
    static const size_t threads[] = {1, 2, 3, THREADS_MOST};
    prae_buffer in = {0}, alone = {0}, other = {0};
    struct crew crew = {.threads = 1};
    int backwards = 1, same = 1;

    put_stream(&in, shape);
    play(shape, &in, &crew, NULL, &alone);
    for (size_t i = 0; i < COUNT(threads); i++) {
        crew.threads = threads[i];
        other.len = 0;
        play(shape, &in, &crew, run_backwards, &other);
        backwards = backwards && buffer_same(&alone, &other);
        other.len = 0;
        play(shape, &in, &crew, run_threads, &other);
        same = same && buffer_same(&alone, &other);
    }
    ok(backwards, "%s: parts may come in any order", shape->name);
    ok(same, "%s: 1, 2, 3 and 8 threads are the same", shape->name);
    ok((crew.most > 1) == shape->shares,
       "%s: %s shared out (%zu rounds of up to %zu)", shape->name,
       shape->shares ? "work is" : "nothing is", crew.rounds, crew.most);
    ok(crew.rounds > 0, "%s: the caller is asked, all the same", shape->name);
    buffer_fini(&in);
    buffer_fini(&alone);
    buffer_fini(&other);
}

/* ---- calls ---- */

static void
test_calls(void)
{
    const struct shape *shape = &shapes[2];
    prae_params params = params_of(shape);
    struct crew crew = {.threads = 2};
    prae_buffer in = {0};
    struct stream stream;
    prae_filter *front;

    put_stream(&in, shape);
    stream_open(&stream, &params);
    ok(prae_filter_set_runner(NULL, 2, run_threads, &crew) == PRAE_EINVAL,
       "no filter, no threads");
    ok(prae_filter_set_runner(stream.filter, 0, run_threads, &crew) ==
               PRAE_EINVAL &&
           strstr(prae_filter_errmsg(stream.filter), "thread") != NULL,
       "none to run on is refused");
    ok(prae_filter_set_runner(stream.filter, 2, run_threads, &crew) ==
               PRAE_OK &&
           prae_filter_set_runner(stream.filter, 0, NULL, NULL) == PRAE_OK,
       "threads may be taken back");
    NEED(stream_push(&stream, in.data, in.len / 2, in.len, 0) == PRAE_OK);
    ok(crew.rounds == 0, "... and are not used then");
    NEED(prae_filter_set_runner(stream.filter, 2, run_threads, &crew) ==
         PRAE_OK);
    NEED(stream_judge(&stream) == PRAE_OK);
    NEED(stream_push(&stream, in.data, in.len, in.len, 1) == PRAE_OK);
    ok(crew.rounds > 0, "... or come when windows have been learned");
    size_t rounds = crew.rounds;
    NEED(prae_filter_fork(stream.filter, &front) == PRAE_OK);
    ok(crew.rounds > rounds, "a fork is made with them");
    rounds = crew.rounds;
    NEED(prae_filter_follow(front, stream.filter) == PRAE_OK);
    struct stream forked = {.filter = front, .format = params.format};
    NEED(stream_push(&forked, in.data, in.len, in.len, 1) == PRAE_OK);
    ok(crew.rounds == rounds, "... and has none");
    stream_close(&forked);
    stream_close(&stream);
    buffer_fini(&in);
}

int
main(void)
{
    for (size_t i = 0; i < COUNT(shapes); i++)
        test_shape(&shapes[i]);
    test_calls();
    return tap_done();
}
