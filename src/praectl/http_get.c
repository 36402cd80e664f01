/* http_get.c - connects, asks, and reads until the answer is whole, all of it
 * within one patience. */
#include "http_get.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "http_answer.h"

/* ---- the URL ---- */

int
http_is_url(const char *text)
{
    return strncmp(text, "http://", 7) == 0 ||
           strncmp(text, "https://", 8) == 0;
}

/* Copies LEN bytes of FROM, which have to be printable ASCII without blanks,
 * so that nothing can end the line of the request. */
static int
copy(char *to, size_t cap, const char *from, size_t len)
{
    if (len >= cap)
        return 0;
    for (size_t i = 0; i < len; i++)
        if (from[i] <= ' ' || from[i] > '~')
            return 0;
    memcpy(to, from, len);
    to[len] = '\0';
    return 1;
}

static int
take_host(struct http_url *url, const char **at)
{
    const char *start = *at;
    size_t len = strcspn(start, "/:?#");

    url->is_v6 = start[0] == '[';
    if (url->is_v6) {
        start++;
        len = strcspn(start, "]/");
        if (start[len] != ']')
            return 0;
    }
    *at = start + len + (url->is_v6 ? 1 : 0);
    return len > 0 && copy(url->host, sizeof url->host, start, len) &&
           strchr(url->host, '@') == NULL;
}

static int
take_port(struct http_url *url, const char **at)
{
    size_t len;

    memcpy(url->port, "80", 3);
    if (**at != ':')
        return 1;
    len = strspn(*at + 1, "0123456789");
    if (len == 0 || !copy(url->port, sizeof url->port, *at + 1, len) ||
        strtol(url->port, NULL, 10) < 1 ||
        strtol(url->port, NULL, 10) > 65535)
        return 0;
    *at += 1 + len;
    return 1;
}

const char *
http_url_parse(struct http_url *url, const char *text, const char *leaf)
{
    const char *at = text + 7;

    *url = (struct http_url){.text = text};
    if (strncmp(text, "http://", 7) != 0)
        return "only http:// is spoken here";
    if (!take_host(url, &at) || (*at != '\0' && *at != '/' && *at != ':'))
        return "this is not http://HOST:PORT/";
    if (!take_port(url, &at) || (*at != '\0' && *at != '/'))
        return "the port is none from 1 to 65535";
    if (strchr(at, '#') != NULL ||
        !copy(url->path, sizeof url->path - 1, at, strlen(at)))
        return "the path is too long or has blanks or such in it";
    size_t len = strlen(url->path);
    if (len == 0)
        url->path[len++] = '/';
    if (url->path[len - 1] == '/') {
        if (strlen(leaf) >= sizeof url->path - len)
            return "the path is too long";
        memcpy(url->path + len, leaf, strlen(leaf) + 1);
    }
    return NULL;
}

/* ---- waiting ---- */

/* Until FD is ready for EVENTS; 1, or 0 with errno set, to ETIMEDOUT where
 * time or patience is over. */
static int
await(int fd, short events, double until, const struct patience *patience)
{
    struct pollfd items[1 + PATIENCE_FDS] = {{.fd = fd, .events = events}};
    nfds_t count = 1;

    for (size_t i = 0; i < patience->count; i++)
        items[count++] =
            (struct pollfd){.fd = patience->fds[i], .events = POLLIN};
    for (;;) {
        double left = until - clock_now();
        int stirred = 0;
        int ready = poll(items, count, left > 0.0 ? (int)(left * 1e3) + 1 : 0);
        for (nfds_t i = 1; ready > 0 && i < count; i++)
            stirred |= items[i].revents != 0;
        if (ready < 0 && errno != EINTR)
            return 0;
        int enough = stirred && patience->stir(patience->context);
        if (!enough && ready > 0 && items[0].revents != 0)
            return 1;
        if (enough || left <= 0.0) {
            errno = ETIMEDOUT;
            return 0;
        }
    }
}

/* ---- the connection ---- */

/* A connection to ADDRESS; or -1 with errno set. */
static int
reach(const struct addrinfo *address, double until,
      const struct patience *patience)
{
    int fd =
        socket(address->ai_family, address->ai_socktype, address->ai_protocol);
    int fault = 0;
    socklen_t size = sizeof fault;

    if (fd < 0)
        return -1;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    if (connect(fd, address->ai_addr, address->ai_addrlen) == 0)
        return fd;
    if (errno == EINPROGRESS || errno == EINTR) {
        if (!await(fd, POLLOUT, until, patience) ||
            getsockopt(fd, SOL_SOCKET, SO_ERROR, &fault, &size) != 0)
            fault = errno;
        if (fault == 0)
            return fd;
        errno = fault;
    }
    fault = errno;
    close(fd);
    errno = fault;
    return -1;
}

/* A connection to any of the host's addresses; or -1 and WHY. */
static int
dial(const struct http_url *url, double until, const struct patience *patience,
     char why[HTTP_WHY])
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM};
    struct addrinfo *all = NULL;
    int fd = -1, bad = getaddrinfo(url->host, url->port, &hints, &all);

    if (bad != 0) {
        snprintf(why, HTTP_WHY, "cannot find the host %.100s: %s", url->host,
                 bad == EAI_SYSTEM ? strerror(errno) : gai_strerror(bad));
        return -1;
    }
    for (struct addrinfo *one = all; fd < 0 && one != NULL; one = one->ai_next)
        fd = reach(one, until, patience);
    if (fd < 0)
        snprintf(why, HTTP_WHY, "cannot reach %s: %s", url->text,
                 strerror(errno));
    freeaddrinfo(all);
    return fd;
}

/* ---- question and answer ---- */

/* 1, or 0 with errno set. */
static int
send_request(int fd, const struct http_url *url, double until,
             const struct patience *patience)
{
    char text[1200];
    int len = snprintf(text, sizeof text,
                       "GET %s HTTP/1.1\r\nHost: %s%s%s:%s\r\n"
                       "User-Agent: praectl\r\nAccept: application/json\r\n"
                       "Connection: close\r\n\r\n",
                       url->path, url->is_v6 ? "[" : "", url->host,
                       url->is_v6 ? "]" : "", url->port);

    if (len < 0 || (size_t)len >= sizeof text) {
        errno = EMSGSIZE;
        return 0;
    }
    for (int at = 0; at < len;) {
        if (!await(fd, POLLOUT, until, patience))
            return 0;
        ssize_t sent = send(fd, text + at, (size_t)(len - at), MSG_NOSIGNAL);
        if (sent > 0)
            at += (int)sent;
        else if (errno != EAGAIN && errno != EINTR)
            return 0;
    }
    return 1;
}

static enum exit_status
refuse(char why[HTTP_WHY], const struct http_url *url, const char *what,
       enum exit_status status)
{
    snprintf(why, HTTP_WHY, "%s: %s", url->text, what);
    return status;
}

/* Refuses for what errno says; LATE are the words for time that is over. */
static enum exit_status
refuse_errno(char why[HTTP_WHY], const struct http_url *url, const char *late)
{
    return refuse(why, url, errno == ETIMEDOUT ? late : strerror(errno),
                  errno == ENOMEM ? EXIT_FAILED : EXIT_UNAVAILABLE);
}

static enum exit_status
receive(int fd, const struct http_url *url, double until,
        const struct patience *patience, struct http_answer *answer,
        char why[HTTP_WHY])
{
    enum http_step step = HTTP_MORE;
    char bytes[16384];

    while (step == HTTP_MORE) {
        if (!await(fd, POLLIN, until, patience))
            return refuse_errno(why, url, "it does not answer in time");
        ssize_t len = recv(fd, bytes, sizeof bytes, 0);
        if (len > 0)
            step = http_answer_feed(answer, bytes, (size_t)len);
        else if (len == 0)
            step = http_answer_end(answer);
        else if (errno != EAGAIN && errno != EINTR)
            return refuse_errno(why, url, "it does not answer in time");
    }
    if (step == HTTP_BAD)
        return refuse(why, url, answer->fault, EXIT_DATA);
    if (step == HTTP_MEMORY)
        return refuse(why, url, "out of memory", EXIT_FAILED);
    return EXIT_DONE;
}

enum exit_status
http_get(const struct http_url *url, const struct patience *patience,
         char **body, size_t *len, char why[HTTP_WHY])
{
    double until = clock_now() + patience->seconds;
    struct http_answer answer;
    enum exit_status status = EXIT_DONE;
    int fd = dial(url, until, patience, why);

    if (fd < 0)
        return EXIT_UNAVAILABLE;
    http_answer_init(&answer);
    if (!send_request(fd, url, until, patience))
        status = refuse_errno(why, url, "it does not take a question");
    if (status == EXIT_DONE)
        status = receive(fd, url, until, patience, &answer, why);
    if (status == EXIT_DONE && answer.code != 200) {
        /* The words behind the code are the server's, and not shown. */
        snprintf(why, HTTP_WHY, "%.100s: it has no %.100s (HTTP status %d)",
                 url->text, url->path, answer.code);
        status = EXIT_UNAVAILABLE;
    }
    if (status == EXIT_DONE && answer.body == NULL)
        status = refuse(why, url, "its answer is empty", EXIT_DATA);
    if (status == EXIT_DONE) {
        *body = answer.body;
        *len = answer.len;
        answer.body = NULL;
    }
    http_answer_fini(&answer);
    close(fd);
    return status;
}
