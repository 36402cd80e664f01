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

#include "log.h"

#define ENDPOINT "inproc://zeromq.zap.01"
#define VERSION "1.0"
#define KEY_BYTES 32

/* The frames of a request, in their order. */
enum frame {
    FRAME_VERSION,
    FRAME_REQUEST,
    FRAME_DOMAIN,
    FRAME_ADDRESS,
    FRAME_IDENTITY,
    FRAME_MECHANISM,
    FRAME_KEY, /* CURVE: the client's public key */
    FRAME_COUNT
};

struct request {
    zmq_msg_t frames[FRAME_COUNT];
    size_t count; /* frames that came, also those thrown away */
};

struct answer {
    const char *code;
    const char *text;
    char user[ZCERT_KEY_CHARS + 1]; /* the key, where it is let in */
};

enum exit_status
zap_open(struct zap *zap, void *zmq_context, const struct curve *curve)
{
    int linger_ms = 0;

    memset(zap, 0, sizeof *zap);
    zap->curve = curve;
    zap->socket = zmq_socket(zmq_context, ZMQ_REP);
    if (zap->socket == NULL ||
        zmq_setsockopt(zap->socket, ZMQ_LINGER, &linger_ms, sizeof linger_ms) !=
            0 ||
        zmq_bind(zap->socket, ENDPOINT) != 0) {
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
request_fini(struct request *request)
{
    for (size_t i = 0; i < FRAME_COUNT; i++)
        zmq_msg_close(&request->frames[i]);
}

/* As zmq_msg_recv, whatever interrupts us. */
static int
receive(void *socket, zmq_msg_t *frame)
{
    int got;

    do
        got = zmq_msg_recv(frame, socket, ZMQ_DONTWAIT);
    while (got < 0 && errno == EINTR);
    return got;
}

/* 0, or -1 where none waits. */
static int
request_receive(struct request *request, void *socket)
{
    zmq_msg_t surplus;
    int more = 1, got = 0;

    for (size_t i = 0; i < FRAME_COUNT; i++)
        zmq_msg_init(&request->frames[i]);
    zmq_msg_init(&surplus);
    /* The parts of a message come together: only the first may be awaited. */
    for (request->count = 0; got >= 0 && more; request->count++) {
        zmq_msg_t *frame = request->count < FRAME_COUNT
                               ? &request->frames[request->count]
                               : &surplus;
        got = receive(socket, frame);
        more = got >= 0 && zmq_msg_more(frame);
    }
    zmq_msg_close(&surplus);
    return got < 0 ? -1 : 0;
}

static int
frame_is(struct request *request, enum frame frame, const char *text)
{
    zmq_msg_t *msg = &request->frames[frame];
    size_t len = strlen(text);

    return zmq_msg_size(msg) == len &&
           memcmp(zmq_msg_data(msg), text, len) == 0;
}

/* ---- answers ---- */

static struct answer
judge(const struct curve *curve, struct request *request)
{
    zmq_msg_t *key = &request->frames[FRAME_KEY];
    struct answer answer = {"400", "not allowed", ""};

    if (request->count <= FRAME_MECHANISM ||
        !frame_is(request, FRAME_VERSION, VERSION))
        return (struct answer){"500", "not a request of ZAP " VERSION, ""};
    if (!frame_is(request, FRAME_DOMAIN, CURVE_DOMAIN) ||
        !frame_is(request, FRAME_MECHANISM, "CURVE"))
        return answer;
    if (request->count != FRAME_COUNT || zmq_msg_size(key) != KEY_BYTES)
        return (struct answer){"500", "CURVE takes a key of 32 bytes", ""};
    if (curve_allows(curve, zmq_msg_data(key))) {
        answer.code = "200";
        answer.text = "welcome";
        zmq_z85_encode(answer.user, zmq_msg_data(key), KEY_BYTES);
    }
    return answer;
}

/* The first is told, as it often is a key that was forgotten; all further
 * ones only to who wants to hear much: strangers must not fill logs. */
static void
tell_refused(const struct zap *zap, struct request *request)
{
    zmq_msg_t *address = &request->frames[FRAME_ADDRESS];
    zmq_msg_t *key = &request->frames[FRAME_KEY];
    char text[ZCERT_KEY_CHARS + 1] = "none";
    size_t len = zmq_msg_size(address);

    if (zmq_msg_size(key) == KEY_BYTES)
        zmq_z85_encode(text, zmq_msg_data(key), KEY_BYTES);
    log_line(zap->refused == 0 ? LOG_WARNING : LOG_INFO,
             "refused a peer at %.*s: its public key %s is not allowed; put it "
             "into the directory of --curve-allow and send SIGHUP if it should "
             "be%s",
             (int)(len < 64 ? len : 64), (const char *)zmq_msg_data(address),
             text, zap->refused == 0 ? " (further ones are only counted)" : "");
}

/* A frame of an answer, whatever interrupts us: without it the others would
 * mean something else. REP sends nowhere, without an error, where who asked
 * is gone. */
static void
send_frame(void *socket, const void *bytes, size_t len, int more)
{
    int sent;

    do
        sent = zmq_send(socket, bytes, len, ZMQ_DONTWAIT | more);
    while (sent < 0 && errno == EINTR);
}

static void
send_answer(void *socket, struct request *request, const struct answer *answer)
{
    zmq_msg_t *id = &request->frames[FRAME_REQUEST];

    send_frame(socket, VERSION, strlen(VERSION), ZMQ_SNDMORE);
    send_frame(socket, zmq_msg_data(id), zmq_msg_size(id), ZMQ_SNDMORE);
    send_frame(socket, answer->code, strlen(answer->code), ZMQ_SNDMORE);
    send_frame(socket, answer->text, strlen(answer->text), ZMQ_SNDMORE);
    send_frame(socket, answer->user, strlen(answer->user), ZMQ_SNDMORE);
    send_frame(socket, "", 0, 0); /* no metadata */
}

void
zap_answer(struct zap *zap)
{
    struct request request;

    /* Ends: a handshake costs libzmq far more than its answer costs us. */
    while (request_receive(&request, zap->socket) == 0) {
        struct answer answer = judge(zap->curve, &request);
        send_answer(zap->socket, &request, &answer);
        if (answer.code[0] == '2') {
            zap->admitted++;
        } else if (answer.code[0] == '4') {
            tell_refused(zap, &request);
            zap->refused++;
        } else {
            zap->malformed++;
        }
        request_fini(&request);
    }
    request_fini(&request);
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
