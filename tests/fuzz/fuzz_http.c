/*
 * fuzz_http.c - any bytes as what an HTTP server says, or as a URL.
 *
 * The first byte says how the rest is cut into pieces, which must make no
 * difference; 255 makes the rest a URL, nothing of which may end the line of
 * a request.
 *
 * About: src/praectl/http_answer.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http_answer.h"
#include "http_get.h"

#define MUST(expression)                                                     \
    do {                                                                     \
        if (!(expression)) {                                                 \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, \
                    #expression);                                            \
            abort();                                                         \
        }                                                                    \
    } while (0)

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* Feeds BYTES (LEN) in pieces of STEP, each just as long as it is, and then
 * the end. */
static enum http_step
feed(struct http_answer *answer, const unsigned char *bytes, size_t len,
     size_t step)
{
    enum http_step got = HTTP_MORE;

    http_answer_init(answer);
    while (got == HTTP_MORE && len > 0) {
        size_t piece = step < len ? step : len;
        char *copy = malloc(piece);
        MUST(copy != NULL);
        memcpy(copy, bytes, piece);
        got = http_answer_feed(answer, copy, piece);
        free(copy);
        bytes += piece;
        len -= piece;
    }
    if (got == HTTP_MORE)
        got = http_answer_end(answer);
    MUST(got == HTTP_DONE || got == HTTP_BAD);
    MUST((got == HTTP_BAD) == (answer->fault != NULL));
    MUST(answer->len <= HTTP_BODY_MOST);
    MUST(answer->len == 0 || answer->body[answer->len] == '\0');
    return got;
}

static void
check_answer(const unsigned char *bytes, size_t len, size_t step)
{
    static struct http_answer whole, pieces;
    enum http_step got = feed(&whole, bytes, len, len);

    MUST(feed(&pieces, bytes, len, step) == got);
    if (got == HTTP_BAD) {
        MUST(strcmp(whole.fault, pieces.fault) == 0);
    } else {
        MUST(whole.code == pieces.code && whole.len == pieces.len);
        MUST(whole.len == 0 || memcmp(whole.body, pieces.body, whole.len) == 0);
    }
    http_answer_fini(&whole);
    http_answer_fini(&pieces);
}

static int
is_plain(const char *text)
{
    for (; *text != '\0'; text++)
        if (*text <= ' ' || *text > '~')
            return 0;
    return 1;
}

static void
check_url(const unsigned char *bytes, size_t len)
{
    char *text = malloc(len + 1);
    struct http_url url;

    MUST(text != NULL);
    if (len > 0)
        memcpy(text, bytes, len);
    text[len] = '\0';
    const char *wrong = http_url_parse(&url, text, "facts");
    if (wrong == NULL) {
        int port = atoi(url.port);
        MUST(http_is_url(text));
        MUST(url.host[0] != '\0' && is_plain(url.host));
        MUST(port >= 1 && port <= 65535);
        MUST(url.path[0] == '/' && is_plain(url.path));
    } else {
        MUST(wrong[0] != '\0');
    }
    free(text);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] == 255)
        check_url(data + 1, size - 1);
    else
        check_answer(data + 1, size - 1, data[0] + 1u);
    return 0;
}
