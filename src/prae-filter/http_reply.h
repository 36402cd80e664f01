/* http_reply.h - requests, as libmicrohttpd has read them, and answers. */
#ifndef HTTP_REPLY_H
#define HTTP_REPLY_H

#ifdef PRAE_HTTP

#include <microhttpd.h>

#include "publish.h"

struct http {
    struct MHD_Daemon *daemon;
    struct publish *publish;
    int local; /* only this machine can connect */
    int back;  /* the thread has stepped back */
};

/* For MHD_start_daemon, with a struct http: called when the head has come,
 * where an answer would end the connection, and once more where nothing
 * follows it. A body is not waited for. */
enum MHD_Result http_reply(void *context, struct MHD_Connection *connection,
                           const char *path, const char *method,
                           const char *version, const char *body,
                           size_t *body_len, void **state);

#endif

#endif
