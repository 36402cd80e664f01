/* zmq_consumer.c - takes what the stage lets through, and ends the stage. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <zmq.h>

#include "zmq_peers.h"

#define QUIET (250 * MS)    /* this long nothing came: nothing more comes */
#define STALL (30 * SECOND) /* this long nothing came though more is due */
#define STOP (15 * SECOND)  /* for the stage to end in, after SIGTERM */

static void
note_latency(struct run *run, zmq_msg_t *message, uint64_t at)
{
    size_t size = zmq_msg_size(message);
    const unsigned char *data = zmq_msg_data(message);

    errno = EBADMSG;
    if (size < TIMED_BYTES)
        fail("a message without a time");
    uint64_t due = record_time(data + size);
    if (due > at)
        fail("a message from the future");
    if (run->from == 0) {
        run->from = at + run->warm;
        atomic_store(&run->until, run->from + run->timed);
    }
    if (due >= run->from && run->latencies < run->cap_latencies)
        run->latency[run->latencies++] = at - due;
}

/* Takes a message; returns 0 where none came within a tick. */
static int
take(struct run *run)
{
    zmq_msg_t message;

    zmq_msg_init(&message);
    if (zmq_msg_recv(&message, run->pull, 0) < 0) {
        if (errno != EAGAIN && errno != EINTR)
            fail("cannot receive");
        return 0;
    }
    uint64_t at = now();
    if (run->last > 0 && at - run->last > run->gap)
        run->gap = at - run->last;
    run->last = at;
    if (run->step > 0) {
        note_latency(run, &message, at);
        run->received++;
    } else {
        errno = EBADMSG;
        if (zmq_msg_size(&message) % RECORD_BYTES != 0)
            fail("a message that is not whole records");
        run->received += zmq_msg_size(&message) / RECORD_BYTES;
    }
    zmq_msg_close(&message);
    return 1;
}

static int
child_gone(struct run *run)
{
    int status;

    if (run->status < 0 && waitpid(run->child, &status, WNOHANG) == run->child)
        run->status =
            WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return run->status >= 0;
}

/* A stage that lets through only some cannot show that it has: silence has
 * to. What it paused for once, it may pause for again. */
static int
is_over(const struct run *run, uint64_t silence)
{
    if (!atomic_load(&run->done) || run->last == 0)
        return 0;
    return run->received == atomic_load(&run->sent) ||
           (silence > QUIET && silence > 3 * run->gap);
}

int
consume(struct run *run)
{
    uint64_t start = now();

    for (;;) {
        if (take(run))
            continue;
        uint64_t silence = now() - (run->last > 0 ? run->last : start);
        if (is_over(run, silence))
            return 1;
        if (child_gone(run) || interrupted || silence > STALL)
            return 0;
    }
}

void
consume_rest(struct run *run)
{
    uint64_t before = run->received, last = run->last, start = now();

    kill(run->child, SIGTERM);
    while (!child_gone(run)) {
        take(run);
        if (now() - start > STOP)
            kill(run->child, SIGKILL);
    }
    while (take(run))
        ;
    run->late = run->received - before;
    /* What comes only now would time our patience. */
    run->last = last;
}
