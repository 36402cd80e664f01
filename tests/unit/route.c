/* A record finds the message it came in, and messages whose records have all
 * left are forgotten. */
#include "route.h"

#include <string.h>

#include "log.h"
#include "tap.h"

static int told;

void
log_line(enum log_level level, const char *format, ...)
{
    (void)level;
    (void)format;
    told++;
}

static int closed; /* frames that ZeroMQ has freed */

static void
note_closed(void *data, void *hint)
{
    (void)data;
    (void)hint;
    closed++;
}

/* One frame that is known when it is freed. */
static struct frames *
frames_of(const char *text)
{
    struct frames *frames = frames_new(1);

    NEED(frames != NULL && frames->count == 1);
    NEED(zmq_msg_init_data(&frames->frame[0], (char *)text, strlen(text),
                           note_closed, NULL) == 0);
    return frames;
}

static int
leads(const struct route *route, const char *text)
{
    zmq_msg_t *frame = &route->frames->frame[0];

    return zmq_msg_size(frame) == strlen(text) &&
           memcmp(zmq_msg_data(frame), text, strlen(text)) == 0;
}

static void
test_find(void)
{
    struct routes routes = {0};

    NEED(routes_add(&routes, 3, 0, frames_of("a")) == EXIT_DONE &&
         routes_add(&routes, 3, 0, frames_of("none")) == EXIT_DONE &&
         routes_add(&routes, 4, 0, NULL) == EXIT_DONE &&
         routes_add(&routes, 9, 0, frames_of("b")) == EXIT_DONE);
    const struct route *first = routes_find(&routes, 0);
    uint64_t id = first->id;
    ok(id != 0 && leads(first, "a") && !first->alone,
       "the first record is of the first message");
    ok(routes_find(&routes, 2)->id == id && closed == 0,
       "so is the last one of it, and it is kept until then");
    const struct route *second = routes_find(&routes, 3);
    ok(second->id != id && second->frames == NULL && closed == 2,
       "the next is of the next, but for a message without records");
    ok(leads(routes_find(&routes, 4), "b") &&
           leads(routes_find(&routes, 8), "b"),
       "frames are those that came before it");
    routes_extend(&routes, 12);
    NEED(routes_add(&routes, 13, 0, NULL) == EXIT_DONE);
    ok(leads(routes_find(&routes, 11), "b") &&
           routes_find(&routes, 12)->frames == NULL,
       "a message may turn out to have more records");
    ok(routes_find(&routes, 99)->end_seq == 13,
       "the last message is never forgotten");
    routes_fini(&routes);
    ok(closed == 3 && routes.count == 0, "in the end all frames are freed");
}

/* Bytes of a stream: one route for as long as no message comes between. */
static void
test_alone(void)
{
    struct routes routes = {0};

    for (uint64_t seq = 1; seq <= 1000; seq++)
        NEED(routes_add(&routes, seq, 1, NULL) == EXIT_DONE);
    ok(routes.count == 1 && routes_find(&routes, 999)->alone,
       "a stream is one route, whatever its pieces");
    NEED(routes_add(&routes, 1002, 0, NULL) == EXIT_DONE &&
         routes_add(&routes, 1003, 1, NULL) == EXIT_DONE &&
         routes_add(&routes, 1004, 0, NULL) == EXIT_DONE &&
         routes_add(&routes, 1006, 0, NULL) == EXIT_DONE);
    ok(routes.count == 5, "a message ends it, and each is its own");
    ok(!routes_find(&routes, 1000)->alone &&
           routes_find(&routes, 1002)->alone &&
           !routes_find(&routes, 1003)->alone,
       "both are found in their turn");
    routes_fini(&routes);
}

/* Rings that wrap around and grow while they do. */
static void
test_ring(void)
{
    struct routes routes = {0};
    uint64_t added = 0, found = 0;
    uint64_t last_id = 0;
    size_t wrong = 0, most = 0;

    closed = 0;
    for (int round = 0; round < 60; round++) {
        /* Two records a message; its number is in its frame. */
        for (int i = 0; i < 10 + round; i++, added++) {
            struct frames *frames = frames_new(1);
            NEED(frames != NULL &&
                 zmq_msg_init_size(&frames->frame[0], sizeof added) == 0);
            memcpy(zmq_msg_data(&frames->frame[0]), &added, sizeof added);
            NEED(routes_add(&routes, 2 * added + 2, 0, frames) == EXIT_DONE);
        }
        most = routes.count > most ? routes.count : most;
        for (; found + 20 < added; found++)
            for (uint64_t k = 0; k < 2; k++) {
                const struct route *route = routes_find(&routes, 2 * found + k);
                uint64_t number;
                memcpy(&number, zmq_msg_data(&route->frames->frame[0]),
                       sizeof number);
                wrong += number != found || route->id < last_id;
                last_id = route->id;
            }
    }
    ok(wrong == 0 && found > 2000,
       "%llu messages through a ring of %zu come out in order",
       (unsigned long long)found, routes.cap);
    ok(most > 64 && routes.cap < 256, "which grows as need be, and no more");
    routes_fini(&routes);
    routes_fini(&routes);
    frames_free(NULL);
    ok(routes.ring == NULL && told == 0, "and is freed, also twice");
}

int
main(void)
{
    test_find();
    test_alone();
    test_ring();
    return tap_done();
}
