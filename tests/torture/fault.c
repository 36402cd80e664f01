/* fault.c - counts calls, and chooses the one that fails. */
#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int __real_open(const char *path, int flags, ...);
ssize_t __real_write(int fd, const void *bytes, size_t len);

extern const char __executable_start[]; /* the linker's */

static const char *const names[FAULT_COUNT] = {
    [FAULT_MEMORY] = "memory",           [FAULT_OPEN] = "open",
    [FAULT_READ] = "read",               [FAULT_WRITE] = "write",
    [FAULT_PIPE_READ] = "pipe_read",     [FAULT_PIPE_WRITE] = "pipe_write",
    [FAULT_SYNC] = "sync",               [FAULT_RENAME] = "rename",
    [FAULT_LINK] = "link",               [FAULT_UNLINK] = "unlink",
    [FAULT_STAT] = "stat",               [FAULT_TRUNCATE] = "truncate",
    [FAULT_CLOSE] = "close",             [FAULT_CLOSE_FILE] = "close_file",
    [FAULT_POLL] = "poll",               [FAULT_PIPE] = "pipe",
    [FAULT_THREAD] = "thread",           [FAULT_ENTROPY] = "entropy",
    [FAULT_STREAM] = "stream",           [FAULT_SOCKET] = "socket",
    [FAULT_LISTEN] = "listen",           [FAULT_RESOLVE] = "resolve",
    [FAULT_CONNECT] = "connect",         [FAULT_SEND] = "send",
    [FAULT_RECV] = "recv",               [FAULT_TERMINAL] = "terminal",
    [FAULT_HTTP_START] = "http_start",   [FAULT_HTTP_REPLY] = "http_reply",
    [FAULT_ZMQ_NEW] = "zmq_new",         [FAULT_ZMQ_SET] = "zmq_set",
    [FAULT_ZMQ_EVENTS] = "zmq_events",   [FAULT_ZMQ_BIND] = "zmq_bind",
    [FAULT_ZMQ_CONNECT] = "zmq_connect", [FAULT_ZMQ_SEND] = "zmq_send",
    [FAULT_ZMQ_RECV] = "zmq_recv",       [FAULT_ZMQ_DATA] = "zmq_data",
    [FAULT_ZMQ_KEYS] = "zmq_keys",       [FAULT_COPY] = "copy",
};

static atomic_long counts[FAULT_COUNT];
static atomic_long blocks, fds;
static atomic_int ended;

/* What the environment said, before main. */
static int chosen = -1;
static long first, last;
static int error;
static int log_fd = -1; /* opened while nothing is given up: see confine.h */
static long size_most; /* bytes; 0: any */

/* Files can have as many BYTES, or any number where that is 0. */
static void
limit_size(long bytes)
{
    struct rlimit limit;

    (void)getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes == 0 ? limit.rlim_max : (rlim_t)bytes;
    (void)setrlimit(RLIMIT_FSIZE, &limit);
}

__attribute__((constructor)) static void
read_environment(void)
{
    const char *text = getenv("PRAE_FAULT");
    char name[32];
    char plus[2] = "";

    const char *log_path = getenv("PRAE_FAULT_LOG");
    if (log_path != NULL)
        log_fd = __real_open(
            log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (text == NULL)
        return;
    int read =
        sscanf(text, "%31[^:]:%ld%1[+]:%d", name, &first, plus, &error) == 4 ||
        sscanf(text, "%31[^:]:%ld:%d", name, &first, &error) == 3;
    for (int i = 0; read && i < FAULT_COUNT; i++)
        if (strcmp(name, names[i]) == 0)
            chosen = i;
    if (read && strcmp(name, "size") == 0) {
        size_most = first;
        signal(SIGXFSZ, SIG_IGN);
        limit_size(size_most);
    } else if (chosen < 0) {
        fprintf(stderr, "PRAE_FAULT=%s cannot be read\n", text);
        _exit(99);
    }
    last = plus[0] == '+' ? __LONG_MAX__ : first;
}

static void
append(const char *text)
{
    limit_size(0);
    if (log_fd >= 0)
        (void)!__real_write(log_fd, text, strlen(text));
    limit_size(size_most);
}

enum fault
fault_strikes(enum fault_class class, const char *name, const void *caller)
{
    long count = atomic_fetch_add(&counts[class], 1) + 1;
    char line[128];

    if ((int)class != chosen || count < first || count > last ||
        atomic_load(&ended))
        return FAULT_NONE;
    snprintf(line, sizeof line, "failed %s at 0x%tx\n", name,
             (const char *)caller - __executable_start);
    append(line);
    errno = error;
    return error == 0 ? FAULT_SHORT : FAULT_FAIL;
}

void
fault_note_blocks(int more)
{
    atomic_fetch_add(&blocks, more);
}

void
fault_note_fds(int more)
{
    atomic_fetch_add(&fds, more);
}

void
fault_end(int early)
{
    char text[FAULT_COUNT * 40 + 80];
    size_t len = 0;

    if (atomic_exchange(&ended, 1))
        return;
    for (int i = 0; i < FAULT_COUNT; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "count %s %ld\n",
                                names[i], atomic_load(&counts[i]));
    snprintf(text + len, sizeof text - len,
             "left blocks %ld\nleft fds %ld\ncount early %d\n",
             early ? 0 : atomic_load(&blocks), early ? 0 : atomic_load(&fds),
             early);
    size_most = 0;
    append(text);
}

__attribute__((destructor)) static void
end(void)
{
    fault_end(0);
}
