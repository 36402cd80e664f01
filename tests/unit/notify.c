/* The service manager hears us, and never holds us up. */
#include "notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tap.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Where a manager of ours listens; @ is an abstract name's first letter. */
static int
listen_at(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t len = strlen(name);
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

    NEED(fd >= 0 && len < sizeof address.sun_path);
    memcpy(address.sun_path, name, len);
    if (name[0] == '@')
        address.sun_path[0] = '\0';
    NEED(bind(fd, (struct sockaddr *)&address,
              (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) == 0);
    return fd;
}

/* The next datagram, "" where there is none. */
static const char *
next(int fd)
{
    static char text[2048];
    ssize_t len = recv(fd, text, sizeof text - 1, MSG_DONTWAIT);

    text[len < 0 ? 0 : len] = '\0';
    return text;
}

static void
set(const char *name, const char *value)
{
    if (value == NULL)
        unsetenv(name);
    else
        setenv(name, value, 1);
}

static void
open_with(const char *socket_name, const char *usec, const char *pid)
{
    set("NOTIFY_SOCKET", socket_name);
    set("WATCHDOG_USEC", usec);
    set("WATCHDOG_PID", pid);
    notify_open();
}

static char name[64]; /* of the manager's socket */

static void
test_environment(void)
{
    char self[32], other[32], longest[200] = "/";
    int fd = listen_at(name);

    snprintf(self, sizeof self, "%ld", (long)getpid());
    snprintf(other, sizeof other, "%ld", (long)getppid());
    memset(longest + 1, 'x', sizeof longest - 2);
    const struct {
        const char *title, *socket, *usec, *pid;
        int heard;
        double seconds;
    } cases[] = {
        {"nothing set", NULL, NULL, NULL, 0, 0.0},
        {"a socket", name, NULL, NULL, 1, 0.0},
        {"a watchdog", name, "30000000", NULL, 1, 15.0},
        {"a watchdog for us", name, "500000", self, 1, 0.25},
        {"a watchdog for another", name, "500000", other, 1, 0.0},
        {"a watchdog for nobody", name, "500000", "x", 1, 0.0},
        {"a watchdog that never barks", name, "18446744073709551615", NULL, 1,
         0.0},
        {"a watchdog of no time", name, "0", NULL, 1, 0.0},
        {"a watchdog of less", name, "-5", NULL, 1, 0.0},
        {"a watchdog in other units", name, "30s", NULL, 1, 0.0},
        {"a watchdog beyond numbers", name, "99999999999999999999999", NULL, 1,
         0.0},
        {"a watchdog without a socket", NULL, "500000", NULL, 0, 0.0},
        {"an empty socket", "", "500000", NULL, 0, 0.0},
        {"a relative path", "x", "500000", NULL, 0, 0.0},
        {"a root", "/", "500000", NULL, 0, 0.0},
        {"no name", "@", "500000", NULL, 0, 0.0},
        {"a vsock", "vsock:2:1234", "500000", NULL, 0, 0.0},
        {"a path too long", longest, "500000", NULL, 0, 0.0},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        open_with(cases[i].socket, cases[i].usec, cases[i].pid);
        int sent = notify_send("READY=1");
        int heard = strcmp(next(fd), "READY=1") == 0;
        ok(sent == cases[i].heard && heard == cases[i].heard, "%s: %s",
           cases[i].title, cases[i].heard ? "heard" : "silence");
        is_close(notify_watchdog_seconds(), cases[i].seconds, 1e-9,
                 "... the watchdog's time");
        ok(getenv("NOTIFY_SOCKET") == NULL && getenv("WATCHDOG_USEC") == NULL &&
               getenv("WATCHDOG_PID") == NULL,
           "... nothing is left for children");
    }
    notify_close();
    close(fd);
}

static void
test_status(void)
{
    char longer[2000], wanted[512];
    int fd = listen_at(name);

    open_with(name, NULL, NULL);
    notify_status("%d records, %s", 5, "live");
    ok(strcmp(next(fd), "STATUS=5 records, live") == 0, "a status is heard");
    notify_status("one\nREADY=1\ttwo");
    ok(strcmp(next(fd), "STATUS=one READY=1 two") == 0,
       "a newline in it begins no other word");
    notify_status("%s", "");
    ok(strcmp(next(fd), "STATUS=") == 0, "an empty one is one");

    memset(longer, 'a', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    notify_status("%s", longer);
    snprintf(wanted, sizeof wanted, "STATUS=%.504s", longer);
    ok(strcmp(next(fd), wanted) == 0, "a long one is cut");
    for (size_t i = 0; i < sizeof longer - 1; i++)
        longer[i] = "\xe2\x82\xac"[i % 3];
    for (int lead = 0; lead < 3; lead++) {
        notify_status("%.*s%s", lead, "xx", longer);
        const char *got = next(fd);
        size_t len = strlen(got), cut = len - strlen("STATUS=") - (size_t)lead;
        ok(len > 500 && len < 512 && cut % 3 == 0, "... between characters");
    }
    notify_close();
    notify_status("gone");
    ok(notify_send("READY=1") == 0 && next(fd)[0] == '\0',
       "nothing is sent once closed");
    close(fd);
}

/* Ends the test where anything waits. */
static void
test_stall(void)
{
    int fd = listen_at(name), sent = 0;

    alarm(20);
    open_with(name, "1000000", NULL);
    while (sent < 1000000 && notify_send("WATCHDOG=1"))
        sent++;
    ok(sent > 0 && sent < 1000000, "a manager that does not read is not "
                                   "waited for");
    notify_status("still here");
    while (next(fd)[0] != '\0')
        ;
    ok(notify_send("READY=1") && strcmp(next(fd), "READY=1") == 0,
       "... and heard again when it does");
    close(fd);
    unlink(name);
    ok(!notify_send("READY=1"), "one that is gone is no matter");
    fd = listen_at(name);
    ok(notify_send("READY=1") && strcmp(next(fd), "READY=1") == 0,
       "... and found when it is back");
    alarm(0);
    notify_close();
    close(fd);
}

/* A descriptor a call would soon be all of them. */
static void
test_descriptors(void)
{
    int before = dup(0);

    close(before);
    for (int i = 0; i < 5; i++)
        open_with("@prae-filter-test-nobody", NULL, NULL);
    notify_close();
    notify_close();
    int after = dup(0);
    ok(before == after, "opening again closes first");
    close(after);
}

int
main(void)
{
    char directory[] = "/tmp/prae-notify-XXXXXX";

    NEED(mkdtemp(directory) != NULL);
    for (int abstract = 0; abstract < 2; abstract++) {
        if (abstract)
            snprintf(name, sizeof name, "@prae-filter-test-%ld",
                     (long)getpid());
        else
            snprintf(name, sizeof name, "%s/notify", directory);
        test_environment();
        unlink(name);
        test_status();
        unlink(name);
        test_stall();
        unlink(name);
    }
    test_descriptors();
    ok(rmdir(directory) == 0, "nothing is left");
    return tap_done();
}
