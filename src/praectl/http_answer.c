/* http_answer.c - lines first, then a body in one of three ways. */
#include "http_answer.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CHUNK_DIGITS 8 /* hexadecimal; far more than a body may have */

void
http_answer_init(struct http_answer *answer)
{
    memset(answer, 0, sizeof *answer);
}

static enum http_step
bad(struct http_answer *answer, const char *fault)
{
    answer->fault = fault;
    return HTTP_BAD;
}

/* ---- the head ---- */

static int
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "HTTP/1.1 200 OK" */
static enum http_step
take_status(struct http_answer *answer, const char *line)
{
    if (strncmp(line, "HTTP/1.", 7) != 0 || !is_digit(line[7]) ||
        line[8] != ' ' || !is_digit(line[9]) || !is_digit(line[10]) ||
        !is_digit(line[11]) || (line[12] != ' ' && line[12] != '\0'))
        return bad(answer, "it does not speak HTTP");
    answer->code =
        (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
    answer->stage = STAGE_HEADERS;
    return HTTP_MORE;
}

static enum http_step
take_length(struct http_answer *answer, const char *value)
{
    size_t length = 0, digits = 0;

    for (; is_digit(value[digits]); digits++) {
        length = length * 10 + (size_t)(value[digits] - '0');
        if (length > HTTP_BODY_MOST)
            return bad(answer, "its answer is too long");
    }
    if (digits == 0 || value[digits] != '\0' ||
        (answer->has_length && answer->left != length))
        return bad(answer, "its Content-Length is no length");
    answer->has_length = 1;
    answer->left = length;
    return HTTP_MORE;
}

/* The text of a header line behind NAME and its colon, without the blanks
 * around it; NULL where it is another header. */
static const char *
value_of(char *line, const char *name)
{
    size_t len = strlen(name), end = strlen(line);

    if (strncasecmp(line, name, len) != 0 || line[len] != ':')
        return NULL;
    while (end > len + 1 && (line[end - 1] == ' ' || line[end - 1] == '\t'))
        line[--end] = '\0';
    return line + len + 1 + strspn(line + len + 1, " \t");
}

static enum http_step
take_header(struct http_answer *answer, char *line)
{
    const char *value = value_of(line, "Content-Length");

    if (value != NULL)
        return take_length(answer, value);
    value = value_of(line, "Transfer-Encoding");
    if (value != NULL) {
        if (strcasecmp(value, "chunked") != 0 || answer->is_chunked)
            return bad(answer, "it sends the answer in an unknown way");
        answer->is_chunked = 1;
    }
    value = value_of(line, "Content-Encoding");
    if (value != NULL && strcasecmp(value, "identity") != 0)
        return bad(answer, "it packs the answer, which was not asked for");
    if (strchr(line, ':') == NULL || line[0] == ' ' || line[0] == '\t')
        return bad(answer, "a header is broken");
    return HTTP_MORE;
}

/* What follows the empty line. */
static enum http_step
begin_body(struct http_answer *answer)
{
    if (answer->code < 200) { /* a word before the answer proper */
        answer->stage = STAGE_STATUS;
        answer->has_length = answer->is_chunked = 0;
        answer->left = 0;
        return answer->code == 101 ? bad(answer, "it does not speak HTTP")
                                   : HTTP_MORE;
    }
    if (answer->code == 204 || answer->code == 304)
        answer->stage = STAGE_DONE;
    else if (answer->is_chunked) /* which counts more than a length */
        answer->stage = STAGE_CHUNK_SIZE;
    else if (!answer->has_length)
        answer->stage = STAGE_REST;
    else
        answer->stage = answer->left > 0 ? STAGE_BODY : STAGE_DONE;
    return HTTP_MORE;
}

/* ---- chunks ---- */

/* "1f4" with perhaps ";name=value" behind it. */
static enum http_step
take_chunk_size(struct http_answer *answer, const char *line)
{
    size_t digits = strspn(line, "0123456789abcdefABCDEF");
    const char *rest = line + digits + strspn(line + digits, " \t");

    if (digits == 0 || digits > CHUNK_DIGITS || (*rest != '\0' && *rest != ';'))
        return bad(answer, "a chunk has no size");
    size_t size = (size_t)strtoul(line, NULL, 16);
    if (size > HTTP_BODY_MOST - answer->len)
        return bad(answer, "its answer is too long");
    answer->left = size;
    answer->stage = size > 0 ? STAGE_BODY : STAGE_TRAILERS;
    return HTTP_MORE;
}

/* ---- lines ---- */

static enum http_step
take_line(struct http_answer *answer)
{
    char *line = answer->line;

    if (memchr(line, '\0', answer->line_len) != NULL)
        return bad(answer, "a header is broken");
    if (answer->line_len > 0 && line[answer->line_len - 1] == '\r')
        answer->line_len--;
    line[answer->line_len] = '\0';
    answer->line_len = 0;
    switch (answer->stage) {
    case STAGE_STATUS: return take_status(answer, line);
    case STAGE_HEADERS:
        return line[0] == '\0' ? begin_body(answer) : take_header(answer, line);
    case STAGE_CHUNK_SIZE: return take_chunk_size(answer, line);
    case STAGE_CHUNK_END:
        answer->stage = STAGE_CHUNK_SIZE;
        return line[0] == '\0' ? HTTP_MORE : bad(answer, "a chunk is broken");
    default: /* trailers tell nothing that is asked for */
        if (line[0] == '\0')
            answer->stage = STAGE_DONE;
        return HTTP_MORE;
    }
}

/* Up to the end of a line of BYTES; how many were taken, to *TAKEN. */
static enum http_step
feed_line(struct http_answer *answer, const char *bytes, size_t len,
          size_t *taken)
{
    const char *newline = memchr(bytes, '\n', len);
    size_t part = newline != NULL ? (size_t)(newline - bytes) : len;

    *taken = newline != NULL ? part + 1 : part;
    if (part >= HTTP_LINE_MOST - answer->line_len ||
        *taken > HTTP_HEAD_MOST - answer->head_bytes)
        return bad(answer, "its headers are too long");
    memcpy(answer->line + answer->line_len, bytes, part);
    answer->line_len += part;
    answer->head_bytes += *taken;
    return newline != NULL ? take_line(answer) : HTTP_MORE;
}

/* ---- the body ---- */

/* Grows with what has come, never with what was announced. */
static enum http_step
keep(struct http_answer *answer, const char *bytes, size_t len)
{
    if (len > HTTP_BODY_MOST - answer->len)
        return bad(answer, "its answer is too long");
    if (answer->len + len + 1 > answer->cap) {
        size_t cap = 2 * (answer->len + len) + 4096;
        char *body = realloc(answer->body, cap);
        if (body == NULL)
            return HTTP_MEMORY;
        answer->body = body;
        answer->cap = cap;
    }
    memcpy(answer->body + answer->len, bytes, len);
    answer->len += len;
    answer->body[answer->len] = '\0';
    return HTTP_MORE;
}

static enum http_step
feed_body(struct http_answer *answer, const char *bytes, size_t len,
          size_t *taken)
{
    int to_end = answer->stage == STAGE_REST;

    *taken = to_end || len < answer->left ? len : answer->left;
    if (!to_end) {
        answer->left -= *taken;
        if (answer->left == 0)
            answer->stage = answer->is_chunked ? STAGE_CHUNK_END : STAGE_DONE;
    }
    return keep(answer, bytes, *taken);
}

/* ---- all of it ---- */

enum http_step
http_answer_feed(struct http_answer *answer, const char *bytes, size_t len)
{
    enum http_step step = HTTP_MORE;
    size_t taken;

    for (; step == HTTP_MORE && len > 0 && answer->stage != STAGE_DONE;
         bytes += taken, len -= taken)
        step = answer->stage == STAGE_BODY || answer->stage == STAGE_REST
                   ? feed_body(answer, bytes, len, &taken)
                   : feed_line(answer, bytes, len, &taken);
    return step == HTTP_MORE && answer->stage == STAGE_DONE ? HTTP_DONE : step;
}

enum http_step
http_answer_end(struct http_answer *answer)
{
    if (answer->stage == STAGE_REST)
        answer->stage = STAGE_DONE;
    if (answer->stage == STAGE_DONE)
        return HTTP_DONE;
    return bad(answer, answer->head_bytes == 0 ? "it hung up at once"
                                               : "its answer breaks off");
}

void
http_answer_fini(struct http_answer *answer)
{
    free(answer->body);
    answer->body = NULL;
    answer->len = answer->cap = 0;
}
