/*
 * fuzz_request.c - any bytes as what comes to --http.
 *
 * They come through a pair of sockets, the first byte of them saying how: who
 * may connect, and after how many bytes there is a pause. What is answered
 * has a status of ours or the server's, and all the bytes it announces; facts
 * are told to GET and HEAD only.
 *
 * About: src/prae-filter/http_reply.c src/prae-filter/listener.c
 */
#include "heard.h"

#ifdef PRAE_HTTP

#include <fcntl.h>
#include <sys/socket.h>

#include "http_reply.h"
#include "web.h"

#define ROUNDS_MOST 1000 /* of the server, for one input */

const char web_live[] = "<!DOCTYPE html>the page";
static const char facts[] = "facts";

/* In place of publish.c, whose answers hang on time. */
char *
publish_get(struct publish *publish, enum topic topic, size_t *len)
{
    (void)publish;
    *len = topic == TOPIC_READY ? 0 : sizeof facts - 1;
    return topic == TOPIC_STATS ? NULL : strdup(facts);
}

double
publish_age(struct publish *publish)
{
    (void)publish;
    return 0.0;
}

/* As http.c has it, but without a thread and an address. */
static struct MHD_Daemon *
start(struct http *http)
{
    return MHD_start_daemon(
        MHD_USE_NO_LISTEN_SOCKET, 0, NULL, NULL, http_reply, http,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)16 << 10,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

/* What there is to be read at FD is added to TEXT; 0 where FD has ended. */
static int
hear(int fd, char *text, size_t cap, size_t *len)
{
    ssize_t got = read(fd, text + *len, cap - *len - 1);

    if (got > 0)
        *len += (size_t)got;
    text[*len] = '\0';
    return got != 0;
}

/* Every answer in TEXT: its head, and what that announces. */
static void
check(const char *text, size_t len, const unsigned char *data, size_t size)
{
    static const int known[] = {200, 400, 403, 404, 405, 413, 414,
                                417, 431, 500, 501, 503, 505};
    int status = 0, is_known = 0;

    if (len == 0)
        return;
    MUST(sscanf(text, "HTTP/1.%*1[01] %3d ", &status) == 1);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        is_known |= status == known[i];
    MUST(is_known);
    const char *end = strstr(text, "\r\n\r\n");
    MUST(end != NULL);
    /* A method may go on behind a zero, which ends it for us: then the server
     * may take HEAD for another one, and a body is told. */
    if (strstr(text, facts) != NULL || strstr(text, web_live) != NULL)
        MUST(memmem(data, size, "GET", 3) != NULL ||
             memmem(data, size, "HEAD\0", 5) != NULL);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static struct http http;
    static char text[1 << 20];
    int pair[2];
    size_t len = 0, sent = 0;

    if (size == 0)
        return 0;
    if (http.daemon == NULL) {
        http.daemon = start(&http);
        MUST(http.daemon != NULL);
    }
    http.local = data[0] & 1;
    size_t pause = (size_t)(data[0] >> 1) + 1;
    data++;
    size--;
    MUST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
    struct sockaddr address = {.sa_family = AF_UNIX};
    MUST(MHD_add_connection(http.daemon, pair[1], &address, sizeof address) ==
         MHD_YES);
    int open = 1;
    for (int round = 0; open && round < ROUNDS_MOST; round++) {
        if (sent < size) {
            /* The first piece is short, and the rest comes at once. */
            size_t piece = sent == 0 && pause < size ? pause : size - sent;
            ssize_t put = send(pair[0], data + sent, piece, MSG_NOSIGNAL);
            sent = put < 0 ? size : sent + (size_t)put;
            if (sent == size)
                shutdown(pair[0], SHUT_WR);
        } else if (round == 0) {
            shutdown(pair[0], SHUT_WR);
        }
        MHD_run(http.daemon);
        while (len + 1 < sizeof text && open) {
            size_t before = len;
            open = hear(pair[0], text, sizeof text, &len);
            if (len == before)
                break;
        }
    }
    close(pair[0]);
    MUST(!open); /* who has nothing more to say is let go */
    check(text, len, data, size);
    return 0;
}

#else

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    (void)data;
    (void)size;
    return 0;
}

#endif
