/*
 * fuzz_zap.c - any frames as a request of ZAP.
 *
 * Each frame is a byte that says its length and then so many bytes, the last
 * one what is left. Only what libzmq asks for a key that is allowed may be
 * let in; keys of one byte, repeated, of 1 to 3 are.
 *
 * About: src/prae-filter/zap_judge.c
 */
#include "heard.h"

#include <zmq.h>

#include "zap_judge.h"

static void
read_frames(struct zap_request *request, const unsigned char *data, size_t size)
{
    *request = (struct zap_request){.count = 0};
    while (size > 0) {
        size_t len = data[0] < size - 1 ? data[0] : size - 1;
        if (request->count < ZAP_FRAMES) {
            request->frame[request->count].data = data + 1;
            request->frame[request->count].len = len;
        }
        request->count++;
        data += 1 + len;
        size -= 1 + len;
    }
}

static int
is(const struct zap_request *request, size_t frame, const void *bytes,
   size_t len)
{
    return request->count > frame && request->frame[frame].len == len &&
           memcmp(request->frame[frame].data, bytes, len) == 0;
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static unsigned char allowed[3][ZAP_KEY_BYTES];
    struct curve curve = {.keys = {.allowed = allowed, .allowed_count = 3}};
    struct zap_request request;
    int known = 0;

    for (int i = 0; i < 3; i++)
        memset(allowed[i], i + 1, ZAP_KEY_BYTES);
    read_frames(&request, data, size);
    struct zap_answer answer = zap_judge(&curve, &request);
    MUST(strlen(answer.code) == 3 && answer.text[0] != '\0');
    for (int i = 0; i < 3; i++)
        known |= is(&request, 6, allowed[i], ZAP_KEY_BYTES);
    int welcome = request.count == 7 && is(&request, 0, "1.0", 3) &&
                  is(&request, 2, "prae", 4) && is(&request, 5, "CURVE", 5) &&
                  known;
    MUST(welcome == (strcmp(answer.code, "200") == 0));
    if (welcome) {
        unsigned char key[ZAP_KEY_BYTES];
        MUST(zmq_z85_decode(key, answer.user) != NULL);
        MUST(is(&request, 6, key, sizeof key));
    } else {
        MUST(answer.user[0] == '\0');
        MUST(strcmp(answer.code, "400") == 0 ||
             strcmp(answer.code, "500") == 0);
    }
    return 0;
}
