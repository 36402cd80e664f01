/* notify.c - datagrams to the socket that NOTIFY_SOCKET names. */
#include "notify.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define STATUS_BYTES 512

static struct {
    int fd; /* -1: nobody listens */
    struct sockaddr_un address;
    socklen_t address_len;
    double watchdog; /* seconds; 0: none */
} manager = {.fd = -1};

/* A path or @NAME to the manager's address. -1 where it is neither. */
static int
read_address(const char *name)
{
    size_t len = strlen(name);

    if ((name[0] != '/' && name[0] != '@') || len < 2 ||
        len >= sizeof manager.address.sun_path)
        return -1;
    manager.address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(manager.address.sun_path, name, len);
    /* An abstract name begins with a zero byte and ends with its length. */
    if (name[0] == '@')
        manager.address.sun_path[0] = '\0';
    manager.address_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
                                      len + (name[0] == '/' ? 1 : 0));
    return 0;
}

/* TEXT as a number, 0 where it is none. */
static uint64_t
number(const char *text)
{
    char *end;

    if (text == NULL || text[0] < '0' || text[0] > '9')
        return 0;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    return *end == '\0' && errno == 0 ? value : 0;
}

/* The interval, where it is meant for this process. */
static double
read_watchdog(void)
{
    const char *pid = getenv("WATCHDOG_PID");
    uint64_t usec = number(getenv("WATCHDOG_USEC"));

    if (pid != NULL && number(pid) != (uint64_t)getpid())
        return 0.0;
    return usec == UINT64_MAX ? 0.0 : (double)usec / 1e6;
}

void
notify_open(void)
{
    const char *name = getenv("NOTIFY_SOCKET");

    notify_close();
    if (name != NULL && read_address(name) == 0)
        manager.fd =
            socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (manager.fd >= 0)
        manager.watchdog = read_watchdog();
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
}

int
notify_send(const char *state)
{
    size_t len = strlen(state);

    if (manager.fd < 0)
        return 0;
    /* The address each time: a manager that was restarted has a new socket
     * at the old place. */
    ssize_t sent =
        sendto(manager.fd, state, len, MSG_DONTWAIT | MSG_NOSIGNAL,
               (const struct sockaddr *)&manager.address, manager.address_len);
    return sent == (ssize_t)len;
}

void
notify_status(const char *format, ...)
{
    char state[STATUS_BYTES] = "STATUS=";
    char *text = state + strlen(state);
    size_t room = sizeof state - strlen(state);
    va_list args;

    if (manager.fd < 0)
        return;
    va_start(args, format);
    int len = vsnprintf(text, room, format, args);
    va_end(args);
    if (len < 0)
        return;
    if ((size_t)len >= room) {
        /* A character that was cut in two would void the whole line. */
        char *end = text + room - 1;
        while (end > text && ((unsigned char)end[-1] & 0xc0) == 0x80)
            end--;
        if (end > text && (unsigned char)end[-1] >= 0xc0)
            end--;
        *end = '\0';
    }
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 0x20) /* a newline begins another word */
            *text = ' ';
    (void)notify_send(state);
}

double
notify_watchdog_seconds(void)
{
    return manager.watchdog / 2.0;
}

int
notify_is_abstract(void)
{
    return manager.fd >= 0 && manager.address.sun_path[0] == '\0';
}

void
notify_close(void)
{
    if (manager.fd >= 0)
        close(manager.fd);
    manager.fd = -1;
    manager.watchdog = 0.0;
}
