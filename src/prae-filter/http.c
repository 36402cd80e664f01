/* http.c - the server, and the bounds of who asks. */
#include "http.h"

#ifdef PRAE_HTTP

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "http_reply.h"
#include "log.h"
#include "thread.h"

#define CONNECTIONS_MAX 32
#define CONNECTIONS_PER_PEER 16
#define CONNECTION_BYTES ((size_t)16 << 10) /* of its requests' heads */
#define TIMEOUT_SECONDS 10u

/* Called on the server's thread, before it does any work. */
static void
meet(void *context, struct MHD_Connection *connection, void **state,
     enum MHD_ConnectionNotificationCode code)
{
    struct http *http = context;

    (void)connection;
    (void)state;
    (void)code;
    if (!http->back)
        thread_step_back();
    http->back = 1;
}

/* ---- the server ---- */

const char *
http_version(void)
{
    return MHD_get_version();
}

/* The thread that this starts takes no signals. */
static struct MHD_Daemon *
start(struct http *http, int fd)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_AUTO_INTERNAL_THREAD, 0, NULL, NULL, http_reply, http,
        MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_NOTIFY_CONNECTION, meet, http,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned)CONNECTIONS_PER_PEER,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_BYTES,
        MHD_OPTION_CONNECTION_TIMEOUT, TIMEOUT_SECONDS,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    int kept = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = kept;
    return daemon;
}

enum exit_status
http_open(struct http **out, const struct listener *listener,
          struct publish *publish)
{
    char url[LISTENER_URL];
    int fd = -1;
    enum exit_status status = listener_open(listener, "--http", &fd, url);

    if (status != EXIT_DONE)
        return status;
    struct http *http = calloc(1, sizeof *http);
    if (http == NULL) {
        log_error("out of memory");
        close(fd);
        return EXIT_FAILED;
    }
    http->publish = publish;
    http->local = listener->local;
    http->daemon = start(http, fd);
    if (http->daemon == NULL) {
        log_error("--http: cannot start a server: %s", strerror(errno));
        free(http);
        return EXIT_FAILED;
    }
    log_notice("to be watched at %s", url);
    *out = http;
    return EXIT_DONE;
}

void
http_close(struct http *http)
{
    if (http == NULL)
        return;
    MHD_stop_daemon(http->daemon);
    free(http);
}

#else /* built without */

const char *
http_version(void)
{
    return NULL;
}

enum exit_status
http_open(struct http **out, const struct listener *listener,
          struct publish *publish)
{
    (void)out;
    (void)listener;
    (void)publish;
    return EXIT_CONFIG; /* options.c has said so */
}

void
http_close(struct http *http)
{
    (void)http;
}

#endif
