/*
 * zap_judge.h - what a request of ZAP is answered: its frames in, the words
 * out, without a socket. https://rfc.zeromq.org/spec/27
 */
#ifndef ZAP_JUDGE_H
#define ZAP_JUDGE_H

#include <stddef.h>

#include "curve.h"

#define ZAP_VERSION "1.0"
#define ZAP_KEY_BYTES 32

/* The frames of a request, in their order. */
enum zap_frame {
    ZAP_FRAME_VERSION,
    ZAP_FRAME_REQUEST,
    ZAP_FRAME_DOMAIN,
    ZAP_FRAME_ADDRESS,
    ZAP_FRAME_IDENTITY,
    ZAP_FRAME_MECHANISM,
    ZAP_FRAME_KEY, /* CURVE: the client's public key */
    ZAP_FRAMES
};

struct zap_request {
    struct {
        const void *data; /* borrowed */
        size_t len;       /* 0 where the frame did not come */
    } frame[ZAP_FRAMES];
    size_t count; /* frames that came, also those beyond these */
};

struct zap_answer {
    const char *code; /* 200: let in; 400: refused; 500: not understood */
    const char *text;
    char user[ZCERT_KEY_CHARS + 1]; /* the key, where it is let in */
};

/* Any bytes may be in any frame. */
struct zap_answer zap_judge(const struct curve *curve,
                            const struct zap_request *request);

#endif
