/*
 * http_reply.c - what is answered to which request.
 *
 * A name that leads to 127.0.0.1 can be had by anybody, so a page from
 * elsewhere could have a browser on this machine read us under its own name.
 * Where only this machine may connect, requests under names other than
 * localhost are therefore refused.
 */
#include "http_reply.h"

#ifdef PRAE_HTTP

#include <stdlib.h>
#include <string.h>

#include "listener.h"
#include "web.h"

#define ALIVE_SECONDS 10.0 /* within which the loop turns */

#define PLAIN "text/plain; charset=utf-8"

/* What is answered. */
struct reply {
    unsigned status;
    const char *type;
    char *text; /* from malloc where not fixed */
    size_t len;
    int fixed;
};

/* ---- routes ---- */

static struct reply
say(unsigned status, const char *text)
{
    return (struct reply){status, PLAIN, (char *)text, strlen(text), 1};
}

/* The page asks for the rest itself. */
static struct reply
get_page(struct http *http)
{
    struct reply reply = say(MHD_HTTP_OK, web_live);

    (void)http;
    reply.type = "text/html; charset=utf-8";
    return reply;
}

static struct reply
get_topic(struct http *http, enum topic topic, const char *type)
{
    size_t len = 0;
    char *text = publish_get(http->publish, topic, &len);

    return text == NULL
               ? say(MHD_HTTP_SERVICE_UNAVAILABLE, "nothing to tell yet\n")
               : (struct reply){MHD_HTTP_OK, type, text, len, 0};
}

static struct reply
get_metrics(struct http *http)
{
    return get_topic(http, TOPIC_METRICS,
                     "text/plain; version=0.0.4; charset=utf-8");
}

static struct reply
get_stats(struct http *http)
{
    return get_topic(http, TOPIC_STATS, "application/json");
}

static struct reply
get_healthz(struct http *http)
{
    return publish_age(http->publish) <= ALIVE_SECONDS
               ? say(MHD_HTTP_OK, "ok\n")
               : say(MHD_HTTP_SERVICE_UNAVAILABLE,
                     "nothing has moved for more than 10 s\n");
}

static struct reply
get_readyz(struct http *http)
{
    struct reply reply = get_topic(http, TOPIC_READY, PLAIN);

    if (!reply.fixed && reply.len > 0) {
        reply.status = MHD_HTTP_SERVICE_UNAVAILABLE;
    } else if (!reply.fixed) {
        free(reply.text);
        reply = say(MHD_HTTP_OK, "ok\n");
    }
    return reply;
}

static const struct route {
    const char *path;
    struct reply (*get)(struct http *http);
} routes[] = {
    {"/", get_page},
    {"/metrics", get_metrics},
    {"/healthz", get_healthz},
    {"/readyz", get_readyz},
    {"/stats.json", get_stats},
};

/* ---- requests ---- */

static int
is_foreign(const struct http *http, struct MHD_Connection *connection)
{
    const char *host =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");

    return http->local && host != NULL && !listener_is_literal(host);
}

/* Whether more than a head is announced. */
static int
has_body(struct MHD_Connection *connection)
{
    const char *len = MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
                                                  "Content-Length");

    return (len != NULL && strcmp(len, "0") != 0) ||
           MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
                                       "Transfer-Encoding") != NULL;
}

static struct reply
reply_to(struct http *http, struct MHD_Connection *connection, const char *path,
         const char *method)
{
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return say(MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
    if (has_body(connection))
        return say(MHD_HTTP_BAD_REQUEST, "a request has no body here\n");
    if (is_foreign(http, connection))
        return say(MHD_HTTP_FORBIDDEN,
                   "this is for who asks for an address or localhost\n");
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
        if (strcmp(routes[i].path, path) == 0)
            return routes[i].get(http);
    return say(MHD_HTTP_NOT_FOUND, "there is no such page; see /\n");
}

static enum MHD_Result
send_reply(struct MHD_Connection *connection, const struct reply *reply)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(
        reply->len, reply->text,
        reply->fixed ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_FREE);

    if (response == NULL) {
        if (!reply->fixed)
            free(reply->text);
        return MHD_NO; /* closes the connection */
    }
    /* A header that memory is too short for is left out. */
    (void)MHD_add_response_header(response, "Content-Type", reply->type);
    (void)MHD_add_response_header(response, "Cache-Control", "no-store");
    (void)MHD_add_response_header(response, "X-Content-Type-Options",
                                  "nosniff");
    if (reply->status == MHD_HTTP_METHOD_NOT_ALLOWED)
        (void)MHD_add_response_header(response, "Allow", "GET, HEAD");
    enum MHD_Result queued =
        MHD_queue_response(connection, reply->status, response);
    MHD_destroy_response(response);
    return queued;
}

enum MHD_Result
http_reply(void *context, struct MHD_Connection *connection, const char *path,
           const char *method, const char *version, const char *body,
           size_t *body_len, void **state)
{
    (void)version;
    (void)body;
    (void)body_len;
    if (*state == NULL && !has_body(connection)) {
        *state = context;
        return MHD_YES;
    }
    struct reply reply = reply_to(context, connection, path, method);
    return send_reply(connection, &reply);
}

#endif
