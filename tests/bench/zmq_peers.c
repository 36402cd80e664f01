/*
 * zmq_peers.c - producer and consumer on either side of a stage, and a
 * clock.
 *
 *   zmq_peers records COUNT
 *       Writes records to standard output, to learn a model from.
 *   zmq_peers rate FROM TO COUNT PER-MESSAGE COMMAND...
 *       Sends COUNT records as fast as they are taken. Prints how many were
 *       sent, came, and came late; COMMAND's exit status; seconds.
 *   zmq_peers latency FROM TO PER-SECOND SECONDS WARM-MS COMMAND...
 *       Sends so many records a second, one a message. Prints how many were
 *       sent, came, and came late; COMMAND's exit status; the latencies'
 *       50, 99 and 99.9 % points and the highest, in us.
 *
 * The producer binds a PUSH socket to FROM and the consumer a PULL socket to
 * TO. COMMAND is the stage between them: it is started when both are bound,
 * finds the endpoints in its environment as FROM and TO, and is sent SIGTERM
 * when nothing more comes from it. What comes after that is late.
 *
 * The clock runs from the first message taken to the last that came in time.
 * Latencies are of records due from WARM-MS after the first arrival on.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zmq.h>

#include "zmq_peers.h"

typedef unsigned long long ull;

extern char **environ;

volatile sig_atomic_t interrupted;

static pid_t stage; /* once it is started */

void
fail(const char *what)
{
    fprintf(stderr, "zmq_peers: %s: %s\n", what, zmq_strerror(errno));
    /* It must not outlive us, and its peers are gone. */
    if (stage > 0)
        kill(stage, SIGKILL);
    exit(1);
}

uint64_t
now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

static int
write_records(size_t count)
{
    /* Not the seed of those that are sent: a model must not be asked about
     * the very records it was learned from. */
    unsigned char *records = records_new(count, RECORD_BYTES, 2);

    if (fwrite(records, RECORD_BYTES, count, stdout) != count ||
        fflush(stdout) != 0)
        fail("standard output");
    free(records);
    return 0;
}

/* A socket bound to ENDPOINT; the endpoint it has then, with the port that
 * was free, is in the environment as NAME. */
static void *
bound_socket(void *context, int type, const char *endpoint, const char *name)
{
    void *socket = zmq_socket(context, type);
    int tick = TICK_MS, linger = 0;
    char actual[1024];
    size_t size = sizeof actual;

    if (socket == NULL ||
        zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger) != 0 ||
        zmq_setsockopt(socket, ZMQ_SNDTIMEO, &tick, sizeof tick) != 0 ||
        zmq_setsockopt(socket, ZMQ_RCVTIMEO, &tick, sizeof tick) != 0 ||
        zmq_bind(socket, endpoint) != 0 ||
        zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, actual, &size) != 0 ||
        setenv(name, actual, 1) != 0)
        fail(endpoint);
    return socket;
}

static int
by_size(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

/* In us: SHARE of the latencies, sorted, are below. */
static double
quantile(const struct run *run, double share)
{
    size_t at = (size_t)(share * (double)run->latencies);

    at = at < run->latencies ? at : run->latencies - 1;
    return (double)run->latency[at] / (double)US;
}

static int
print_run(const struct run *run, int whole)
{
    ull sent = atomic_load(&run->sent), received = run->received;

    if (!whole || (run->step > 0 && run->latencies == 0)) {
        fprintf(
            stderr,
            "zmq_peers: the stage stopped or stalled, with status %d, after "
            "%llu records were sent and %llu came\n",
            run->status, sent, received);
        return 1;
    }
    printf("%llu %llu %llu %d", sent, received, (ull)run->late, run->status);
    if (run->step == 0) {
        printf(" %.6f\n",
               (double)(run->last - atomic_load(&run->begun)) / (double)SECOND);
        return 0;
    }
    qsort(run->latency, run->latencies, sizeof *run->latency, by_size);
    printf(" %.1f %.1f %.1f %.1f\n", quantile(run, 0.5), quantile(run, 0.99),
           quantile(run, 0.999), quantile(run, 1.0));
    return 0;
}

static int
measure(struct run *run, const char *from, const char *to, char **command)
{
    void *context = zmq_ctx_new();
    pthread_t producer;

    run->pool = records_new(POOL, run->record_bytes, 1);
    run->push = bound_socket(context, ZMQ_PUSH, from, "FROM");
    run->pull = bound_socket(context, ZMQ_PULL, to, "TO");
    run->status = -1;
    errno = posix_spawnp(&run->child, command[0], NULL, NULL, command, environ);
    if (errno != 0)
        fail(command[0]);
    stage = run->child;
    errno = pthread_create(&producer, NULL, produce, run);
    if (errno != 0)
        fail("cannot start a thread");

    int whole = consume(run);
    atomic_store(&run->stop, 1);
    consume_rest(run);
    pthread_join(producer, NULL);
    int status = print_run(run, whole);
    zmq_close(run->push);
    zmq_close(run->pull);
    zmq_ctx_term(context);
    free(run->pool);
    return status;
}

static int
measure_rate(char **arg, size_t count, size_t per)
{
    struct run run = {.record_bytes = RECORD_BYTES, .per = per, .count = count};

    if (per == 0 || POOL % per != 0 || count == 0 || count % per != 0) {
        fprintf(stderr,
                "zmq_peers: %zu records a message do not divide %zu and %d: "
                "take a power of two\n",
                per, count, POOL);
        return 2;
    }
    return measure(&run, arg[0], arg[1], arg + 4);
}

static int
measure_latency(char **arg, size_t rate, size_t seconds, size_t warm_ms)
{
    struct run run = {.record_bytes = TIMED_BYTES, .per = 1};

    run.step = SECOND / (rate > 0 ? rate : 1);
    run.timed = seconds * SECOND;
    run.warm = warm_ms * MS;
    run.cap_latencies = rate * seconds + 1;
    run.latency = calloc(run.cap_latencies, sizeof *run.latency);
    if (run.latency == NULL)
        fail("latencies");
    /* Until the first arrival says when it ends. */
    atomic_store(&run.until, UINT64_MAX);
    int status = measure(&run, arg[0], arg[1], arg + 5);
    free(run.latency);
    return status;
}

static void
interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

static size_t
number(const char *text)
{
    char *end;
    ull value = strtoull(text, &end, 10);

    if (*text < '0' || *text > '9' || *end != '\0' || value > 1000000000) {
        fprintf(stderr, "zmq_peers: '%s' is not a number up to 1000000000\n",
                text);
        exit(2);
    }
    return (size_t)value;
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    struct sigaction action = {.sa_handler = interrupt};

    if (strcmp(what, "records") == 0 && argc == 3)
        return write_records(number(argv[2]));
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (strcmp(what, "rate") == 0 && argc > 6)
        return measure_rate(argv + 2, number(argv[4]), number(argv[5]));
    if (strcmp(what, "latency") == 0 && argc > 7)
        return measure_latency(argv + 2, number(argv[4]), number(argv[5]),
                               number(argv[6]));
    fprintf(stderr, "usage: zmq_peers records COUNT\n"
                    "       zmq_peers rate FROM TO COUNT PER-MESSAGE "
                    "COMMAND...\n"
                    "       zmq_peers latency FROM TO PER-SECOND SECONDS "
                    "WARM-MS COMMAND...\n");
    return 2;
}
