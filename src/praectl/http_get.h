/*
 * http_get.h - a page by HTTP/1.1, over a connection of its own.
 *
 * Plain http only: no TLS, no redirects, no names and passwords. That is all
 * it takes to ask a filter for its facts.
 */
#ifndef HTTP_GET_H
#define HTTP_GET_H

#include <stddef.h>

#include "patience.h"
#include "status.h"

#define HTTP_WHY 256 /* bytes for what went wrong */

struct http_url {
    const char *text; /* as given */
    char host[256];   /* a name or an address, without brackets */
    char port[6];
    char path[512];
    int is_v6; /* the host stood in brackets */
};

/* Whether TEXT has the shape of any URL, such as https://... */
int http_is_url(const char *text);

/*
 * Reads TEXT, http://HOST[:PORT][/PATH], which has to last as long as URL. A
 * path that ends in a slash, or none, has LEAF put behind it. NULL, or what
 * is wrong.
 */
const char *http_url_parse(struct http_url *url, const char *text,
                           const char *leaf);

/*
 * Fetches it. EXIT_DONE gives BODY, which the caller frees, a zero behind its
 * LEN bytes; EXIT_UNAVAILABLE, EXIT_DATA where the answer is no HTTP, or
 * EXIT_FAILED without memory set WHY, a sentence for people.
 */
enum exit_status http_get(const struct http_url *url,
                          const struct patience *patience, char **body,
                          size_t *len, char why[HTTP_WHY]);

#endif
