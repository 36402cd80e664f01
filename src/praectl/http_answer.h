/*
 * http_answer.h - what an HTTP/1.1 server says, taken apart as it arrives.
 *
 * No I/O: bytes are fed in pieces of any size. The server is not believed:
 * what stands before the body, the body itself and each number have limits,
 * and whatever is not plain is BAD.
 */
#ifndef HTTP_ANSWER_H
#define HTTP_ANSWER_H

#include <stddef.h>

#define HTTP_HEAD_MOST 16384             /* bytes that are not body */
#define HTTP_BODY_MOST ((size_t)4 << 20) /* bytes of the body */
#define HTTP_LINE_MOST 4096              /* bytes of one line */

enum http_step {
    HTTP_MORE, /* the answer goes on */
    HTTP_DONE,
    HTTP_BAD,   /* fault says why */
    HTTP_MEMORY /* there is none for the body */
};

enum http_stage {
    STAGE_STATUS,
    STAGE_HEADERS,
    STAGE_CHUNK_SIZE,
    STAGE_CHUNK_END, /* the empty line behind a chunk */
    STAGE_TRAILERS,
    STAGE_BODY, /* left bytes of it, or of a chunk */
    STAGE_REST, /* a body until the connection ends */
    STAGE_DONE
};

struct http_answer {
    enum http_stage stage;
    int code;       /* 200, 404, ... once there is one */
    int has_length; /* Content-Length was given */
    int is_chunked;
    size_t left;       /* STAGE_BODY: bytes still to come */
    size_t head_bytes; /* that were no body, so far */
    char line[HTTP_LINE_MOST];
    size_t line_len;
    char *body; /* (cap), a zero behind it; NULL while empty */
    size_t len, cap;
    const char *fault;
};

void http_answer_init(struct http_answer *answer);

/* Takes LEN more BYTES; what follows the answer's end is passed over. */
enum http_step http_answer_feed(struct http_answer *answer, const char *bytes,
                                size_t len);

/* The connection has ended: HTTP_DONE, or HTTP_BAD where that is too early. */
enum http_step http_answer_end(struct http_answer *answer);

void http_answer_fini(struct http_answer *answer);

#endif
