/*
 * zap.c - requests in, answers out, one after the other.
 *
 * A REP socket keeps the addresses: each request is taken whole, with the
 * frames beyond those we know thrown away, and gets one answer, whatever it
 * was. So no request can bring the next one out of step.
 */
#include "zap.h"

#include <errno.h>
#include <string.h>
#include <zmq.h>

#include "frame.h"
#include "log.h"
#include "zap_judge.h"

#define ENDPOINT "inproc://zeromq.zap.01"

/* A request, and the messages its frames are in. */
struct received {
    zmq_msg_t msg[ZAP_FRAMES];
    struct zap_request request;
};

enum exit_status
zap_open(struct zap *zap, void *zmq_context, const struct curve *curve)
{
    int linger_ms = 0, bad = -1;

    memset(zap, 0, sizeof *zap);
    zap->curve = curve;
    zap->socket = zmq_socket(zmq_context, ZMQ_REP);
    if (zap->socket != NULL)
        bad = zmq_setsockopt(zap->socket, ZMQ_LINGER, &linger_ms,
                             sizeof linger_ms);
    if (bad == 0)
        do
            bad = zmq_bind(zap->socket, ENDPOINT);
        while (interrupted(bad));
    if (bad != 0) {
        log_error("cannot open the handler that checks keys, " ENDPOINT ": %s",
                  zmq_strerror(errno));
        zap_close(zap);
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}

void *
zap_socket(const struct zap *zap)
{
    return zap->socket;
}

/* ---- requests ---- */

static void
received_fini(struct received *received)
{
    for (size_t i = 0; i < ZAP_FRAMES; i++)
        zmq_msg_close(&received->msg[i]);
}

/* 0, or -1 where none waits. */
static int
receive(struct received *received, void *socket)
{
    struct zap_request *request = &received->request;
    zmq_msg_t surplus;
    int more = 1, got = 1;

    for (size_t i = 0; i < ZAP_FRAMES; i++)
        zmq_msg_init(&received->msg[i]);
    zmq_msg_init(&surplus);
    /* The parts of a message come together: only the first may be awaited. */
    for (request->count = 0; got && more; request->count++) {
        zmq_msg_t *msg = request->count < ZAP_FRAMES
                             ? &received->msg[request->count]
                             : &surplus;
        got = frame_receive(socket, msg);
        more = got && zmq_msg_more(msg);
    }
    zmq_msg_close(&surplus);
    for (size_t i = 0; i < ZAP_FRAMES; i++) {
        request->frame[i].data = zmq_msg_data(&received->msg[i]);
        request->frame[i].len = zmq_msg_size(&received->msg[i]);
    }
    return got ? 0 : -1;
}

/* ---- answers ---- */

/* The first is told, as it often is a key that was forgotten; all further
 * ones only to who wants to hear much: strangers must not fill logs. */
static void
tell_refused(const struct zap *zap, const struct zap_request *request)
{
    const void *key = request->frame[ZAP_FRAME_KEY].data;
    char text[ZCERT_KEY_CHARS + 1] = "none";
    size_t len = request->frame[ZAP_FRAME_ADDRESS].len;

    if (request->frame[ZAP_FRAME_KEY].len == ZAP_KEY_BYTES)
        zmq_z85_encode(text, key, ZAP_KEY_BYTES);
    log_line(zap->refused == 0 ? LOG_WARNING : LOG_INFO,
             "refused a peer at %.*s: its public key %s is not allowed; put it "
             "into the directory of --curve-allow and send SIGHUP if it should "
             "be%s",
             (int)(len < 64 ? len : 64),
             (const char *)request->frame[ZAP_FRAME_ADDRESS].data, text,
             zap->refused == 0 ? " (further ones are only counted)" : "");
}

static void
send_answer(void *socket, const struct zap_request *request,
            const struct zap_answer *answer)
{
    (void)frame_send(socket, ZAP_VERSION, strlen(ZAP_VERSION), ZMQ_SNDMORE);
    (void)frame_send(socket, request->frame[ZAP_FRAME_REQUEST].data,
               request->frame[ZAP_FRAME_REQUEST].len, ZMQ_SNDMORE);
    (void)frame_send(socket, answer->code, strlen(answer->code), ZMQ_SNDMORE);
    (void)frame_send(socket, answer->text, strlen(answer->text), ZMQ_SNDMORE);
    (void)frame_send(socket, answer->user, strlen(answer->user), ZMQ_SNDMORE);
    (void)frame_send(socket, "", 0, 0); /* no metadata */
}

void
zap_answer(struct zap *zap)
{
    struct received received;

    /* Ends: a handshake costs libzmq far more than its answer costs us. */
    while (receive(&received, zap->socket) == 0) {
        struct zap_answer answer = zap_judge(zap->curve, &received.request);
        send_answer(zap->socket, &received.request, &answer);
        if (answer.code[0] == '2') {
            zap->admitted++;
        } else if (answer.code[0] == '4') {
            tell_refused(zap, &received.request);
            zap->refused++;
        } else {
            zap->malformed++;
        }
        received_fini(&received);
    }
    received_fini(&received);
}

void
zap_close(struct zap *zap)
{
    if (zap->socket == NULL)
        return;
    /* Closing takes its time; who asked meanwhile would wait for nothing. */
    (void)zmq_unbind(zap->socket, ENDPOINT);
    zmq_close(zap->socket);
    zap->socket = NULL;
}
