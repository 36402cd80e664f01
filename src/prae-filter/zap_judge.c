/* zap_judge.c - who is let in: in doubt nobody. */
#include "zap_judge.h"

#include <string.h>
#include <zmq.h>

static int
frame_is(const struct zap_request *request, enum zap_frame frame,
         const char *text)
{
    size_t len = strlen(text);

    return request->frame[frame].len == len &&
           memcmp(request->frame[frame].data, text, len) == 0;
}

struct zap_answer
zap_judge(const struct curve *curve, const struct zap_request *request)
{
    const void *key = request->frame[ZAP_FRAME_KEY].data;
    struct zap_answer answer = {"400", "not allowed", ""};

    if (request->count <= ZAP_FRAME_MECHANISM ||
        !frame_is(request, ZAP_FRAME_VERSION, ZAP_VERSION))
        return (struct zap_answer){"500", "not a request of ZAP " ZAP_VERSION,
                                   ""};
    if (!frame_is(request, ZAP_FRAME_DOMAIN, CURVE_DOMAIN) ||
        !frame_is(request, ZAP_FRAME_MECHANISM, "CURVE"))
        return answer;
    if (request->count != ZAP_FRAMES ||
        request->frame[ZAP_FRAME_KEY].len != ZAP_KEY_BYTES)
        return (struct zap_answer){"500", "CURVE takes a key of 32 bytes", ""};
    if (curve_allows(curve, key)) {
        answer.code = "200";
        answer.text = "welcome";
        zmq_z85_encode(answer.user, key, ZAP_KEY_BYTES);
    }
    return answer;
}
