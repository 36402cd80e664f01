/* route.c - a ring of routes that grows when it is full. */
#include "route.h"

#include <stdlib.h>
#include <string.h>

#include "log.h"

#define CAP_FIRST 64

struct frames *
frames_new(size_t count)
{
    struct frames *frames =
        malloc(sizeof *frames + count * sizeof *frames->frame);

    if (frames == NULL)
        return NULL;
    frames->count = count;
    for (size_t i = 0; i < count; i++)
        zmq_msg_init(&frames->frame[i]);
    return frames;
}

void
frames_free(struct frames *frames)
{
    if (frames == NULL)
        return;
    for (size_t i = 0; i < frames->count; i++)
        zmq_msg_close(&frames->frame[i]);
    free(frames);
}

static struct route *
at(const struct routes *routes, size_t i)
{
    return &routes->ring[(routes->first + i) & (routes->cap - 1)];
}

static int
grow(struct routes *routes)
{
    size_t cap = routes->cap == 0 ? CAP_FIRST : 2 * routes->cap;
    struct route *ring = malloc(cap * sizeof *ring);

    if (ring == NULL)
        return 0;
    for (size_t i = 0; i < routes->count; i++)
        ring[i] = *at(routes, i);
    free(routes->ring);
    routes->ring = ring;
    routes->cap = cap;
    routes->first = 0;
    return 1;
}

void
routes_extend(struct routes *routes, uint64_t end_seq)
{
    at(routes, routes->count - 1)->end_seq = end_seq;
}

enum exit_status
routes_add(struct routes *routes, uint64_t end_seq, int alone,
           struct frames *frames)
{
    /* A stream's records go on where its last ones ended. */
    if (alone && routes->count > 0 && at(routes, routes->count - 1)->alone) {
        routes_extend(routes, end_seq);
        return EXIT_DONE;
    }
    if (routes->count == routes->cap && !grow(routes)) {
        log_error("out of memory for a message");
        frames_free(frames);
        return EXIT_FAILED;
    }
    *at(routes, routes->count++) = (struct route){.id = ++routes->next_id,
                                                  .end_seq = end_seq,
                                                  .alone = alone,
                                                  .frames = frames};
    return EXIT_DONE;
}

const struct route *
routes_find(struct routes *routes, uint64_t seq)
{
    while (routes->count > 1 && at(routes, 0)->end_seq <= seq) {
        frames_free(at(routes, 0)->frames);
        routes->first = (routes->first + 1) & (routes->cap - 1);
        routes->count--;
    }
    return at(routes, 0);
}

void
routes_fini(struct routes *routes)
{
    for (size_t i = 0; i < routes->count; i++)
        frames_free(at(routes, i)->frames);
    free(routes->ring);
    *routes = (struct routes){0};
}
