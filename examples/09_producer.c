/*
 * 09_producer.c - sends records to prae-filter, with libzmq and msgpack-c.
 *
 *     cc 09_producer.c $(pkg-config --cflags --libs libzmq msgpack) -lm \
 *         -o 09_producer
 *     prae-filter --in=pull:@ipc:///tmp/in -o clean.msgpack -O odd.msgpack &
 *     ./09_producer push:ipc:///tmp/in 10000
 *
 * The place is written as prae-filter writes it: push:, then the endpoint,
 * with @ before it to bind. A number of records may follow, and a topic.
 */
#include <math.h>
#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

#define PER_MESSAGE 64 /* many small messages cost more than one large */

static void
pack_field(msgpack_packer *packer, const char *name, double value)
{
    msgpack_pack_str_with_body(packer, name, strlen(name));
    msgpack_pack_double(packer, value);
}

/* From -1 to 1, mostly near 0. */
static double
noise(void)
{
    return ((double)rand() + (double)rand()) / RAND_MAX - 1.0;
}

/* A pump's readings. One in a hundred breaks what holds between them. */
static void
pack_record(msgpack_packer *packer, long number)
{
    double flow = 200.0 + 40.0 * sin((double)number / 300.0) + 3.0 * noise();
    double pressure = 5.0 - flow / 100.0 + 0.05 * noise();
    int is_wrong = rand() < RAND_MAX / 100; /* psi for bar */

    msgpack_pack_map(packer, 4);
    msgpack_pack_str_with_body(packer, "id", 2);
    msgpack_pack_long(packer, number);
    pack_field(packer, "flow_lpm", flow);
    pack_field(packer, "pressure_bar", is_wrong ? 14.5 * pressure : pressure);
    pack_field(packer, "current_A", flow / 40.0 + 0.1 * noise());
}

/* Records FIRST to END as one message, behind TOPIC where there is one. Waits
 * while the filter is busy: nothing is dropped. */
static int
send_records(void *socket, long first, long end, const char *topic)
{
    msgpack_sbuffer buffer;
    msgpack_packer packer;

    msgpack_sbuffer_init(&buffer);
    msgpack_packer_init(&packer, &buffer, msgpack_sbuffer_write);
    for (long i = first; i < end; i++)
        pack_record(&packer, i);
    int sent =
        topic == NULL ? 0 : zmq_send(socket, topic, strlen(topic), ZMQ_SNDMORE);
    if (sent >= 0)
        sent = zmq_send(socket, buffer.data, buffer.size, 0);
    msgpack_sbuffer_destroy(&buffer);
    return sent >= 0;
}

int
main(int argc, char **argv)
{
    if (argc < 2 || strncmp(argv[1], "push:", 5) != 0) {
        fprintf(stderr,
                "usage: 09_producer push:[@]ENDPOINT [COUNT [TOPIC]]\n");
        return 2;
    }
    const char *endpoint = argv[1] + 5;
    long count = argc > 2 ? strtol(argv[2], NULL, 10) : 10000, at = 0;
    void *context = zmq_ctx_new();
    void *socket = zmq_socket(context, ZMQ_PUSH);

    int good = (endpoint[0] == '@' ? zmq_bind(socket, endpoint + 1)
                                   : zmq_connect(socket, endpoint)) == 0;
    while (good && at < count) {
        long end = at + PER_MESSAGE < count ? at + PER_MESSAGE : count;
        good = send_records(socket, at, end, argc > 3 ? argv[3] : NULL);
        at = end;
    }
    if (!good)
        fprintf(stderr, "09_producer: %s: %s\n", argv[1],
                zmq_strerror(zmq_errno()));
    zmq_close(socket);
    zmq_ctx_term(context); /* waits until all of it has been sent */
    if (good)
        printf("sent %ld records\n", count);
    return !good;
}
