/* Parcels come back from other threads, whenever these are done with them:
 * each is filled again by one only, with nothing left of what was in it, and
 * what is out is counted. */
#include "parcel.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "tap.h"

#define THREADS 4
#define ROUNDS 20000
#define OUT_MOST 64 /* at each thread */

/* ---- one thread ---- */

static void
test_again(void)
{
    static char large[100000];
    struct depot depot;
    struct parcel *parcel = NULL, *first;
    zmq_msg_t message;

    depot_open(&depot);
    ok(parcel_put(&parcel, &depot, "head ", 5, 0) && parcel->records == 0 &&
           parcel_put(&parcel, &depot, "a", 1, 1) && parcel->len == 6 &&
           memcmp(parcel->bytes, "head a", 6) == 0,
       "what is put in lies side by side");
    first = parcel;
    NEED(parcel_wrap(parcel, &message));
    ok(zmq_msg_size(&message) == 6 && zmq_msg_data(&message) == first->bytes &&
           depot.queued == 1,
       "a message is its bytes, not a copy, and counted");
    parcel = NULL;
    NEED(parcel_put(&parcel, &depot, "b", 1, 2) && parcel != first);
    zmq_msg_close(&message);
    ok(depot.queued == 0, "as long as it is out");
    NEED(parcel_wrap(parcel, &message));
    parcel = NULL;
    ok(parcel_put(&parcel, &depot, "c", 1, 1) && parcel == first &&
           parcel->len == 1 && parcel->records == 1,
       "the next one is filled afresh in its place");
    ok(parcel_put(&parcel, &depot, large, sizeof large, 1) &&
           parcel->len == sizeof large + 1 && parcel->bytes[0] == 'c',
       "it grows as it has to");
    free(parcel);
    depot_close(&depot);
    depot_close(&depot);
    ok(depot.queued == 2, "what is out when it closes is still counted");
    zmq_msg_close(&message);
    ok(depot.queued == 0, "and goes away when it comes back");
}

/* ---- many ---- */

struct keeper {
    pthread_t thread;
    pthread_mutex_t lock;
    zmq_msg_t held[OUT_MOST]; /* (count) */
    size_t count;
    size_t wrong;
    int over;
};

static struct keeper keepers[THREADS];

/* A parcel is one byte, as often as there are records in it. */
static int
is_whole(zmq_msg_t *message)
{
    const char *bytes = zmq_msg_data(message);
    size_t len = zmq_msg_size(message);

    for (size_t i = 1; i < len; i++)
        if (bytes[i] != bytes[0])
            return 0;
    return len > 0;
}

/* Lets go what it is given, in another order than it came. */
static void *
keep(void *context)
{
    struct keeper *keeper = context;
    unsigned at = 0;
    int over = 0;

    while (!over) {
        zmq_msg_t message;
        zmq_msg_init(&message);
        pthread_mutex_lock(&keeper->lock);
        if (keeper->count > 0) {
            size_t i = (at += 7) % keeper->count;
            zmq_msg_move(&message, &keeper->held[i]);
            if (i < --keeper->count)
                zmq_msg_move(&keeper->held[i], &keeper->held[keeper->count]);
            keeper->wrong += !is_whole(&message);
        }
        over = keeper->over && keeper->count == 0;
        pthread_mutex_unlock(&keeper->lock);
        if (zmq_msg_size(&message) == 0)
            sched_yield();
        zmq_msg_close(&message);
    }
    return NULL;
}

static int
give(struct keeper *keeper, zmq_msg_t *message)
{
    pthread_mutex_lock(&keeper->lock);
    int room = keeper->count < OUT_MOST;
    if (room) {
        zmq_msg_init(&keeper->held[keeper->count]);
        zmq_msg_move(&keeper->held[keeper->count++], message);
    }
    pthread_mutex_unlock(&keeper->lock);
    return room;
}

static void
end_keepers(void)
{
    for (size_t t = 0; t < THREADS; t++) {
        pthread_mutex_lock(&keepers[t].lock);
        keepers[t].over = 1;
        pthread_mutex_unlock(&keepers[t].lock);
    }
    for (size_t t = 0; t < THREADS; t++)
        pthread_join(keepers[t].thread, NULL);
}

static void
test_threads(void)
{
    struct depot depot;
    size_t wrong = 0;
    uint64_t most = 0;

    depot_open(&depot);
    for (size_t t = 0; t < THREADS; t++) {
        NEED(pthread_mutex_init(&keepers[t].lock, NULL) == 0 &&
             pthread_create(&keepers[t].thread, NULL, keep, &keepers[t]) == 0);
    }
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct parcel *parcel = NULL;
        zmq_msg_t message;
        char byte = (char)i;
        for (unsigned k = 0; k < i % 5 + 1; k++)
            NEED(parcel_put(&parcel, &depot, &byte, 1, 1));
        NEED(parcel->len == i % 5 + 1);
        NEED(parcel_wrap(parcel, &message));
        uint64_t queued = depot.queued;
        most = queued > most ? queued : most;
        while (!give(&keepers[i % THREADS], &message))
            sched_yield();
    }
    depot_close(&depot); /* with some still out */
    end_keepers();
    for (size_t t = 0; t < THREADS; t++)
        wrong += keepers[t].wrong;
    ok(wrong == 0, "no parcel is filled while it is out");
    ok(most > 0 && most <= 5 * (THREADS * (OUT_MOST + 1) + 1) &&
           depot.queued == 0,
       "and all are counted, to the last that comes back");
}

int
main(void)
{
    test_again();
    test_threads();
    return tap_done();
}
