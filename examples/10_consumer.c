/*
 * 10_consumer.c - receives what prae-filter passes on or sets aside, with
 * libzmq and msgpack-c.
 *
 *     cc 10_consumer.c $(pkg-config --cflags --libs libzmq msgpack) \
 *         -o 10_consumer
 *     prae-filter -o push:@ipc:///tmp/clean -O pub:@ipc:///tmp/odd ... &
 *     ./10_consumer pull:ipc:///tmp/clean
 *     ./10_consumer sub:ipc:///tmp/odd 10
 *
 * The place is written as prae-filter writes it: pull: or sub:, then the
 * endpoint, with @ before it to bind. It ends after as many seconds of
 * silence as the second argument says.
 *
 * msgpack-c allocates what a header claims. It is given only what prae-filter
 * has decoded before, whose records are within its limits.
 */
#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

struct counts {
    unsigned long records, outliers, rejects;
};

static void *
open_socket(void *context, const char *place)
{
    int is_sub = strncmp(place, "sub:", 4) == 0;
    const char *endpoint = strchr(place, ':') + 1;
    void *socket = zmq_socket(context, is_sub ? ZMQ_SUB : ZMQ_PULL);

    if (is_sub)
        zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0);
    if ((endpoint[0] == '@' ? zmq_bind(socket, endpoint + 1)
                            : zmq_connect(socket, endpoint)) == 0)
        return socket;
    fprintf(stderr, "10_consumer: %s: %s\n", place, zmq_strerror(zmq_errno()));
    zmq_close(socket);
    return NULL;
}

static const msgpack_object *
find(const msgpack_object *map, const char *key)
{
    for (size_t i = 0; i < map->via.map.size; i++) {
        const msgpack_object_kv *pair = &map->via.map.ptr[i];
        if (pair->key.type == MSGPACK_OBJECT_STR &&
            pair->key.via.str.size == strlen(key) &&
            memcmp(pair->key.via.str.ptr, key, strlen(key)) == 0)
            return &pair->val;
    }
    return NULL;
}

/* One line on an envelope: its number, and the first reason or the code. */
static void
describe(const msgpack_object *flagged)
{
    const msgpack_object *seq = find(flagged, "seq");
    const msgpack_object *why = find(flagged, "why");
    const msgpack_object *reason = find(flagged, "reason");

    if (reason == NULL && why != NULL && why->via.array.size > 0)
        reason = &why->via.array.ptr[0];
    if (seq != NULL)
        msgpack_object_print(stdout, *seq);
    fputs(": ", stdout);
    if (reason != NULL)
        msgpack_object_print(stdout, *reason);
    putchar('\n');
}

/* A record as it was sent, or what was set aside, in its envelope: a map
 * that has a kind; see prae-stream(7). */
static void
take(const msgpack_object *record, struct counts *counts)
{
    const msgpack_object *kind = NULL;

    if (record->type == MSGPACK_OBJECT_MAP)
        kind = find(record, "kind");
    if (kind == NULL) {
        counts->records++;
        return;
    }
    unsigned long *count =
        kind->via.str.ptr[0] == 'r' ? &counts->rejects : &counts->outliers;
    if (++*count <= 5)
        describe(record);
}

/* The last frame holds one record or more, end to end. */
static void
take_all(const char *bytes, size_t len, struct counts *counts)
{
    msgpack_unpacked record;
    size_t at = 0;

    msgpack_unpacked_init(&record);
    while (msgpack_unpack_next(&record, bytes, len, &at) ==
           MSGPACK_UNPACK_SUCCESS)
        take(&record.data, counts);
    msgpack_unpacked_destroy(&record);
}

int
main(int argc, char **argv)
{
    struct counts counts = {0};
    zmq_msg_t frame;

    if (argc < 2 || (strncmp(argv[1], "pull:", 5) != 0 &&
                     strncmp(argv[1], "sub:", 4) != 0)) {
        fprintf(stderr, "usage: 10_consumer pull:|sub:[@]ENDPOINT [SECONDS]\n");
        return 2;
    }
    int silence_ms = argc > 2 ? (int)(1000.0 * strtod(argv[2], NULL)) : -1;
    void *context = zmq_ctx_new();
    void *socket = open_socket(context, argv[1]);
    if (socket == NULL) {
        zmq_ctx_term(context);
        return 1;
    }
    zmq_setsockopt(socket, ZMQ_RCVTIMEO, &silence_ms, sizeof silence_ms);
    zmq_msg_init(&frame);
    while (zmq_msg_recv(&frame, socket, 0) >= 0)
        if (!zmq_msg_more(&frame)) /* those before it came as they were sent */
            take_all(zmq_msg_data(&frame), zmq_msg_size(&frame), &counts);
    printf("got %lu records, %lu outliers, %lu rejects\n", counts.records,
           counts.outliers, counts.rejects);
    zmq_msg_close(&frame);
    zmq_close(socket);
    zmq_ctx_term(context);
    return 0;
}
