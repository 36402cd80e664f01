/* zmq_producer.c - sends records, in a flood or at a fixed rate. */
#include <errno.h>
#include <string.h>
#include <time.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <zmq.h>

#include "zmq_peers.h"

/* The next message; where records have a time, it is DUE. Waits while
 * nobody takes it. Returns 0 when there is no use in waiting. */
static int
send_message(struct run *run, uint64_t due)
{
    uint64_t sent = atomic_load(&run->sent);
    size_t bytes = run->per * run->record_bytes;
    zmq_msg_t message;

    if (zmq_msg_init_size(&message, bytes) != 0)
        fail("a message");
    unsigned char *data = zmq_msg_data(&message);
    memcpy(data, run->pool + sent % POOL * run->record_bytes, bytes);
    if (run->step > 0)
        record_set_time(data + bytes, due);
    while (zmq_msg_send(&message, run->push, 0) < 0) {
        if (errno != EAGAIN && errno != EINTR)
            fail("cannot send");
        if (atomic_load(&run->stop)) {
            zmq_msg_close(&message);
            return 0;
        }
    }
    atomic_store(&run->sent, sent + run->per);
    return 1;
}

static void
send_flood(struct run *run)
{
    while (atomic_load(&run->sent) < run->count && send_message(run, 0))
        ;
}

/* Open loop: when a record is due is settled beforehand, and its latency
 * counts from there. After a sleep or a send that took too long, all that
 * are due by then go at once, and a stall is charged to each of them. */
static void
send_paced(struct run *run)
{
    uint64_t due = atomic_load(&run->begun) + run->step;

#ifdef PR_SET_TIMERSLACK
    /* Sleeps may be late by 50 us else, a whole record. */
    prctl(PR_SET_TIMERSLACK, (unsigned long)US);
#endif
    for (; due < atomic_load(&run->until); due += run->step) {
        struct timespec at = {(time_t)(due / SECOND), (long)(due % SECOND)};
        while (now() < due)
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
        if (!send_message(run, due))
            return;
    }
}

void *
produce(void *arg)
{
    struct run *run = arg;

    /* It is taken when the stage has connected: starting is not timed. */
    if (send_message(run, now())) {
        atomic_store(&run->begun, now());
        if (run->step > 0)
            send_paced(run);
        else
            send_flood(run);
    }
    atomic_store(&run->done, 1);
    return NULL;
}
