/*
 * http.h - --http: what was published, to browsers and scrapers.
 *
 * The server has a thread of its own, libmicrohttpd's, that knows nothing of
 * the loop but what publish.h hands out. It only reads: GET and HEAD. All that
 * a request may take is bounded, connections, memory and time, and no body is
 * read.
 */
#ifndef HTTP_H
#define HTTP_H

#include "listener.h"
#include "publish.h"

struct http;

/* Which libmicrohttpd it is, NULL where it was built without. */
const char *http_version(void);

/* Starts answering at LISTENER, and says where. EXIT_DONE, or what is wrong,
 * after saying so. */
enum exit_status http_open(struct http **out, const struct listener *listener,
                           struct publish *publish);

/* Once publish_end was called. NULL is fine. */
void http_close(struct http *http);

#endif
