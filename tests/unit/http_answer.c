/* http_answer: answers as servers send them, and as none should. Each is fed
 * whole, and then a byte at a time: the outcome has to be the same. */
#include "http_answer.h"

#include <string.h>

#include "http_get.h"
#include "tap.h"

#define OK "HTTP/1.1 200 OK\r\n"

static const struct answer {
    const char *name, *bytes;
    enum http_step step; /* at the end of the connection */
    int code;
    const char *body; /* or NULL */
} answers[] = {
    {"a body of a length", OK "Content-Length: 5\r\n\r\nhello", HTTP_DONE, 200,
     "hello"},
    {"what follows is passed over", OK "content-length:5 \r\n\r\nhelloHTTP",
     HTTP_DONE, 200, "hello"},
    {"lines without returns", "HTTP/1.0 200\nContent-Length: 2\n\nhi",
     HTTP_DONE, 200, "hi"},
    {"a body until the end", OK "\r\nhello", HTTP_DONE, 200, "hello"},
    {"chunks",
     OK "Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;a=b\r\nlo\r\n"
        "0\r\nX: y\r\n\r\n",
     HTTP_DONE, 200, "hello"},
    {"chunks count more than a length",
     OK "Content-Length: 1\r\nTransfer-Encoding: Chunked\r\n\r\n"
        "5\r\nhello\r\n0\r\n\r\n",
     HTTP_DONE, 200, "hello"},
    {"no body", OK "Content-Length: 0\r\n\r\n", HTTP_DONE, 200, NULL},
    {"none by its code", "HTTP/1.1 204 No\r\n\r\n", HTTP_DONE, 204, NULL},
    {"not found", "HTTP/1.1 404 \033[2J\r\nContent-Length: 2\r\n\r\nno",
     HTTP_DONE, 404, "no"},
    {"a word before the answer",
     "HTTP/1.1 100 Continue\r\nContent-Length: 9\r\n\r\n" OK
     "Content-Length: 2\r\n\r\nhi",
     HTTP_DONE, 200, "hi"},
    {"the same length twice",
     OK "Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi", HTTP_DONE, 200,
     "hi"},

    {"nothing", "", HTTP_BAD, 0, NULL},
    {"another protocol", "220 smtp ready\r\n", HTTP_BAD, 0, NULL},
    {"HTTP/2", "HTTP/2 200\r\n\r\n", HTTP_BAD, 0, NULL},
    {"a code of letters", "HTTP/1.1 2OO OK\r\n\r\n", HTTP_BAD, 0, NULL},
    {"a code of four digits", "HTTP/1.1 2000 OK\r\n\r\n", HTTP_BAD, 0, NULL},
    {"a switch of protocols", "HTTP/1.1 101 Up\r\n\r\n", HTTP_BAD, 101, NULL},
    {"an end in the headers", OK "Content-Length: 5\r\n", HTTP_BAD, 200, NULL},
    {"an end in the body", OK "Content-Length: 5\r\n\r\nhell", HTTP_BAD, 200,
     "hell"},
    {"an end in a chunk", OK "Transfer-Encoding: chunked\r\n\r\n5\r\nhell",
     HTTP_BAD, 200, "hell"},
    {"an end before the last chunk",
     OK "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n", HTTP_BAD, 200, "hi"},
    {"a length below zero", OK "Content-Length: -1\r\n\r\n", HTTP_BAD, 200,
     NULL},
    {"a length that overflows",
     OK "Content-Length: 18446744073709551621\r\n\r\nhello", HTTP_BAD, 200,
     NULL},
    {"a length beyond the limit", OK "Content-Length: 4194305\r\n\r\n",
     HTTP_BAD, 200, NULL},
    {"two lengths", OK "Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi",
     HTTP_BAD, 200, NULL},
    {"an empty length", OK "Content-Length: \r\n\r\n", HTTP_BAD, 200, NULL},
    {"a chunk without a size", OK "Transfer-Encoding: chunked\r\n\r\n\r\nhello",
     HTTP_BAD, 200, NULL},
    {"a chunk of a negative size",
     OK "Transfer-Encoding: chunked\r\n\r\n-5\r\nhello", HTTP_BAD, 200, NULL},
    {"a chunk's size that overflows",
     OK "Transfer-Encoding: chunked\r\n\r\n10000000000000005\r\nhello",
     HTTP_BAD, 200, NULL},
    {"a chunk beyond the limit",
     OK "Transfer-Encoding: chunked\r\n\r\nffffffff\r\nhello", HTTP_BAD, 200,
     NULL},
    {"a chunk longer than it says",
     OK "Transfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n", HTTP_BAD,
     200, "he"},
    {"a chunk of 0x2", OK "Transfer-Encoding: chunked\r\n\r\n0x2\r\nhi\r\n",
     HTTP_BAD, 200, NULL},
    {"another encoding", OK "Transfer-Encoding: gzip, chunked\r\n\r\n",
     HTTP_BAD, 200, NULL},
    {"a packed body", OK "Content-Encoding: gzip\r\n\r\nx", HTTP_BAD, 200,
     NULL},
    {"a header without a colon", OK "Content-Length\r\n\r\n", HTTP_BAD, 200,
     NULL},
    {"a folded header", OK "A: b\r\n c: d\r\n\r\n", HTTP_BAD, 200, NULL},
};

#define ANSWER_COUNT (sizeof answers / sizeof *answers)

static enum http_step
feed(struct http_answer *answer, const char *bytes, size_t len, size_t step)
{
    enum http_step found = HTTP_MORE;

    http_answer_init(answer);
    for (size_t at = 0; found == HTTP_MORE && at < len; at += step)
        found = http_answer_feed(answer, bytes + at,
                                 step < len - at ? step : len - at);
    return found == HTTP_MORE ? http_answer_end(answer) : found;
}

static int
is_as_wanted(const struct answer *wanted, size_t step)
{
    struct http_answer answer;
    size_t len = strlen(wanted->bytes);
    enum http_step found = feed(&answer, wanted->bytes, len, step);
    size_t body = wanted->body != NULL ? strlen(wanted->body) : 0;
    int good = found == wanted->step && answer.code == wanted->code &&
               answer.len == body &&
               (body == 0 || strcmp(answer.body, wanted->body) == 0) &&
               (found != HTTP_BAD || answer.fault != NULL);

    http_answer_fini(&answer);
    return good;
}

/* HEAD and then LEN times BYTE, until it had enough. */
static enum http_step
flood(const char *head, char byte, size_t len, size_t *kept)
{
    static char bytes[65536];
    struct http_answer answer;
    enum http_step step;

    memset(bytes, byte, sizeof bytes);
    http_answer_init(&answer);
    step = http_answer_feed(&answer, head, strlen(head));
    for (; step == HTTP_MORE && len > sizeof bytes; len -= sizeof bytes)
        step = http_answer_feed(&answer, bytes, sizeof bytes);
    *kept = answer.cap;
    http_answer_fini(&answer);
    return step;
}

static void
test_floods(void)
{
    const size_t lots = (size_t)64 << 20;
    static char many[40000];
    struct http_answer answer;
    size_t kept;

    ok(flood(OK "\r\n", 'x', lots, &kept) == HTTP_BAD && kept < lots / 4,
       "a body without an end is given up");
    ok(flood(OK "A: ", 'x', lots, &kept) == HTTP_BAD && kept == 0,
       "and so is a line");
    ok(flood("", '\n', lots, &kept) == HTTP_BAD, "and so are empty ones");
    ok(flood("HTTP", '\0', lots, &kept) == HTTP_BAD, "and so are zeros");
    memcpy(many, OK, strlen(OK));
    for (size_t at = strlen(OK); at + 5 < sizeof many; at += 5)
        memcpy(many + at, "a:b\r\n", 5);
    ok(feed(&answer, many, sizeof many, 7) == HTTP_BAD,
       "and so are headers without an end");
    http_answer_fini(&answer);
}

static const struct {
    const char *text, *host, *port, *path; /* host NULL: refused */
} urls[] = {
    {"http://a", "a", "80", "/stats.json"},
    {"http://a/", "a", "80", "/stats.json"},
    {"http://127.0.0.1:9100", "127.0.0.1", "9100", "/stats.json"},
    {"http://[::1]:9100/", "::1", "9100", "/stats.json"},
    {"http://a:1/stage/", "a", "1", "/stage/stats.json"},
    {"http://a:65535/x.json?y", "a", "65535", "/x.json?y"},
    {"https://a/", NULL, NULL, NULL},
    {"http://", NULL, NULL, NULL},
    {"http://:80/", NULL, NULL, NULL},
    {"http://a:/", NULL, NULL, NULL},
    {"http://a:0/", NULL, NULL, NULL},
    {"http://a:65536/", NULL, NULL, NULL},
    {"http://a:123456/", NULL, NULL, NULL},
    {"http://a:80x/", NULL, NULL, NULL},
    {"http://me:secret@a/", NULL, NULL, NULL},
    {"http://me@a/", NULL, NULL, NULL},
    {"http://[::1/", NULL, NULL, NULL},
    {"http://[::1]x/", NULL, NULL, NULL},
    {"http://a/b c", NULL, NULL, NULL},
    {"http://a/\r\nX: y", NULL, NULL, NULL},
    {"http://a\r\nX/", NULL, NULL, NULL},
    {"http://a/#x", NULL, NULL, NULL},
    {"http://a?x", NULL, NULL, NULL},
};

static void
test_urls(void)
{
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        struct http_url url;
        const char *fault = http_url_parse(&url, urls[i].text, "stats.json");
        int good = (fault == NULL) == (urls[i].host != NULL);
        if (good && fault == NULL)
            good = strcmp(url.host, urls[i].host) == 0 &&
                   strcmp(url.port, urls[i].port) == 0 &&
                   strcmp(url.path, urls[i].path) == 0;
        ok(good, "URL %zu is %s", i + 1,
           urls[i].host != NULL ? "understood" : "refused");
    }
}

int
main(void)
{
    for (size_t i = 0; i < ANSWER_COUNT; i++) {
        ok(is_as_wanted(&answers[i], 100000), "%s", answers[i].name);
        ok(is_as_wanted(&answers[i], 1), "%s, bytewise", answers[i].name);
    }
    test_floods();
    test_urls();
    return tap_done();
}
