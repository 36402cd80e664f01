/*
 * parcel.c - parcels to and fro between two stacks.
 *
 * What comes back is pushed on one stack by whoever has it; the owner takes
 * all of that at once, so nothing that was popped is ever compared again.
 */
#include "parcel.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "rounds.h"

#define CAP_FIRST 512
#define CAP_KEPT 16384 /* larger ones are not kept */

/* Stands in for `returned` once nobody takes anything any more. */
static struct parcel closed;

void
depot_open(struct depot *depot)
{
    atomic_init(&depot->queued, 0);
    atomic_init(&depot->returned, NULL);
    depot->spare = NULL;
}

static void
free_all(struct parcel *parcel)
{
    while (parcel != NULL && parcel != &closed) {
        struct parcel *next = parcel->next;
        free(parcel);
        parcel = next;
    }
}

void
depot_close(struct depot *depot)
{
    free_all(atomic_exchange(&depot->returned, &closed));
    free_all(depot->spare);
    depot->spare = NULL;
}

/*
 * Bytes that libzmq is done with; called on its threads. That what was filled
 * in on another thread is seen on this one does not hang on how libzmq hands
 * messages over, of which it promises nothing: `out` is the last that was
 * written there and the first that is read here.
 */
static void
come_back(void *bytes, void *hint)
{
    struct parcel *parcel = hint;
    int out = atomic_load_explicit(&parcel->out, memory_order_acquire);
    struct depot *depot = parcel->depot;
    struct parcel *first = atomic_load(&depot->returned);
    int kept = parcel->cap <= CAP_KEPT;

    assert(out);
    (void)out;
    (void)bytes;
    rounds_touch(); /* what has become of them is not written yet */
    atomic_fetch_sub(&depot->queued, parcel->records);
    while (kept && first != &closed) {
        parcel->next = first;
        if (atomic_compare_exchange_weak(&depot->returned, &first, parcel))
            return;
    }
    free(parcel);
}

/* One that has come back, emptied, or NULL. */
static struct parcel *
take_spare(struct depot *depot)
{
    struct parcel *parcel = depot->spare;

    if (parcel == NULL)
        parcel = atomic_exchange(&depot->returned, NULL);
    if (parcel == NULL)
        return NULL;
    depot->spare = parcel->next;
    atomic_store_explicit(&parcel->out, 0, memory_order_relaxed);
    parcel->len = 0;
    parcel->records = 0;
    return parcel;
}

/* Room for LEN more bytes. */
static int
make_room(struct parcel **parcel, struct depot *depot, size_t len)
{
    if (*parcel == NULL)
        *parcel = take_spare(depot);
    struct parcel *have = *parcel;
    size_t used = have == NULL ? 0 : have->len;
    size_t cap = have == NULL ? CAP_FIRST : 2 * have->cap;
    if (have != NULL && len <= have->cap - used)
        return 1;
    if (cap < used + len)
        cap = used + len;
    struct parcel *more = realloc(have, sizeof *more + cap);
    if (more == NULL)
        return 0;
    if (have == NULL)
        *more = (struct parcel){.depot = depot};
    more->cap = cap;
    *parcel = more;
    return 1;
}

int
parcel_put(struct parcel **parcel, struct depot *depot, const char *bytes,
           size_t len, size_t records)
{
    if (!make_room(parcel, depot, len))
        return 0;
    memcpy((*parcel)->bytes + (*parcel)->len, bytes, len);
    (*parcel)->len += len;
    (*parcel)->records += records;
    return 1;
}

int
parcel_wrap(struct parcel *parcel, zmq_msg_t *message)
{
    if (zmq_msg_init_data(message, parcel->bytes, parcel->len, come_back,
                          parcel) != 0) {
        /* What it leaves there cannot be closed. */
        zmq_msg_init(message);
        return 0;
    }
    atomic_fetch_add(&parcel->depot->queued, parcel->records);
    atomic_store_explicit(&parcel->out, 1, memory_order_release);
    return 1;
}
