/* Connections that have some for us, and those that may: over tcp who was kept
 * waiting owes more until it has hung up, or been silent. */
#include "unread.h"

#include <arpa/inet.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "line.h"
#include "tap.h"

#define WHILE 0.05 /* seconds: a while */

static int ours, theirs;

static void
pair_up(int domain)
{
    int fd[2];
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;

    if (domain == AF_UNIX) {
        NEED(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
        ours = fd[0];
        theirs = fd[1];
    } else {
        int listener = socket(AF_INET, SOCK_STREAM, 0);
        NEED(bind(listener, (struct sockaddr *)&at, len) == 0 &&
             listen(listener, 1) == 0 &&
             getsockname(listener, (struct sockaddr *)&at, &len) == 0);
        theirs = socket(AF_INET, SOCK_STREAM, 0);
        NEED(connect(theirs, (struct sockaddr *)&at, len) == 0);
        ours = accept(listener, NULL, NULL);
        NEED(ours >= 0 && close(listener) == 0);
    }
    line_begin(ours, USE_PEER, INTAKE_INPUT, "a pair");
}

static void
part(void)
{
    (void)close(ours);
    (void)close(theirs);
    line_begin(ours, USE_OTHER, INTAKE_NONE, NULL);
}

static void
rest(void)
{
    const struct timespec moment = {.tv_nsec = 1000000};

    (void)nanosleep(&moment, NULL);
}

/* The last of COUNT looks, a millisecond or more apart; each counts as five at
 * most. */
static struct unread
look(int count)
{
    struct unread found = unread_now();

    while (--count > 0) {
        rest();
        found = unread_now();
    }
    return found;
}

static void
say(const char *text, size_t len)
{
    NEED(write(theirs, text, len) == (ssize_t)len);
}

static void
hear(size_t len)
{
    char bytes[16];

    NEED(read(ours, bytes, len) == (ssize_t)len);
    atomic_store(&line_of(ours, USE_PEER)->heard_at, clock_now());
}

static void
test_keeps_up(int domain, const char *name)
{
    pair_up(domain);
    unread_begin(WHILE);
    ok(look(100).behind == 0, "%s: who says nothing owes nothing",
       name);
    say("ab", 2);
    rest();
    struct unread found = unread_now();
    ok(found.bytes == 2 && found.behind_bytes == 2 && found.behind == 1,
       "%s: who was not read from since it began is behind", name);
    hear(1);
    found = look(100);
    ok(found.bytes == 1 && found.behind_bytes == 0 && found.behind == 0,
       "%s: but not who was, and seen to have none", name);
    hear(1);
    NEED(shutdown(theirs, SHUT_WR) == 0);
    ok(look(50).behind == 0, "%s: who has hung up owes nothing", name);
    part();
}

static void
test_left(int domain, const char *name)
{
    pair_up(domain);
    say("abc", 3);
    rest();
    struct unread found = unread_now();
    ok(found.senders == 1 && found.sending == 1,
       "%s: who has sent some may send more", name);
    ok(found.unsure == (domain == AF_INET),
       "%s: over tcp it may have hung up", name);
    NEED(shutdown(theirs, SHUT_WR) == 0);
    rest();
    found = unread_now();
    ok(found.bytes == 3 && found.behind_bytes == 3,
       "%s: what was left by who has hung up is known", name);
    ok(found.senders == 1 && found.sending == 0 && found.unsure == 0,
       "%s: who has hung up sends no more", name);
    part();
}

static void
test_was_full(void)
{
    pair_up(AF_INET);
    say("abcd", 4);
    rest();
    unread_begin(WHILE);
    struct unread found = look(50);
    ok(found.behind == 1 && found.behind_bytes == 4,
       "who always had some may have more");
    hear(2);
    hear(2);
    found = look(5);
    ok(found.behind == 1 && found.bytes == 0, "also where that was taken");
    for (int i = 0; i < 10; i++) {
        say("e", 1);
        rest();
        hear(1);
        found = look(5);
    }
    ok(found.behind == 1, "and as long as it comes");
    ok(look(200).behind == 0, "but not after a while");
    part();
    pair_up(AF_INET);
    say("abcd", 4);
    rest();
    NEED(look(50).behind == 1);
    atomic_store(&line_of(ours, USE_PEER)->shorts, 1000);
    hear(1);
    ok(unread_now().behind == 0, "nor where little came again and again");
    part();
    pair_up(AF_INET);
    say("abcd", 4);
    rest();
    NEED(look(50).behind == 1);
    hear(4);
    NEED(shutdown(theirs, SHUT_WR) == 0);
    rest();
    ok(unread_now().behind == 0, "nor when it has hung up");
    part();
    pair_up(AF_UNIX);
    say("abcd", 4);
    unread_begin(WHILE);
    NEED(look(50).behind == 1);
    hear(1);
    found = look(50);
    ok(found.behind == 0 && found.behind_bytes == 0 && found.bytes == 3,
       "who is on this machine has all of it here");
    part();
}

static void
test_was_held(void)
{
    pair_up(AF_INET);
    unread_begin(WHILE);
    struct line *line = line_of(ours, USE_PEER);
    atomic_store(&line->held_at, clock_now());
    ok(unread_now().behind == 1, "whom libzmq kept waiting may have more");
    ok(look(200).behind == 0, "but not after a while");
    ok(look(50).behind == 0, "nor is that forgotten");
    atomic_store(&line->ignored_at, clock_now() - 1.0);
    atomic_store(&line->ignored, 1);
    ok(unread_now().behind == 1, "what libzmq has no room for is behind");
    atomic_store(&line->heard_at, clock_now());
    ok(unread_now().behind == 0, "until it reads on");
    NEED(shutdown(theirs, SHUT_WR) == 0);
    rest();
    ok(unread_now().behind == 1, "but where who sent it has hung up");
    part();
    pair_up(AF_INET);
    line = line_of(ours, USE_PEER);
    atomic_store(&line->heard_at, clock_now());
    atomic_store(&line->ignored_at, clock_now() - 1.0);
    atomic_store(&line->ignored, 1);
    say("a", 1);
    rest();
    struct unread found = unread_now();
    ok(found.behind == 1, "but whom it keeps waiting now");
    ok(found.due == 0, "which may be no more than it sends on");
    atomic_store(&line->held_at, clock_now());
    atomic_store(&line->ignored_at, clock_now());
    ok(unread_now().behind == 1, "also from one time of waiting to another");
    atomic_store(&line->ignored, 0);
    atomic_store(&line->held_at, clock_now() - 10.0);
    part();
    pair_up(AF_INET);
    line = line_of(ours, USE_PEER);
    atomic_store(&line->held_at, clock_now() - 10.0);
    ok(unread_now().behind == 0, "long ago it matters no more");
    part();
    pair_up(AF_INET);
    ok(unread_now().behind == 0, "and another one at its place owes nothing");
    part();
}

/* Descriptors of thousands who have gone lie before it. */
static void
test_far_behind(void)
{
    struct rlimit files;
    const int far = 5000;

    NEED(getrlimit(RLIMIT_NOFILE, &files) == 0);
    if (files.rlim_max <= (rlim_t)far) {
        ok(1, "far behind the others # SKIP the limit of open files is lower");
        return;
    }
    if (files.rlim_cur <= (rlim_t)far) {
        files.rlim_cur = (rlim_t)far + 1;
        NEED(setrlimit(RLIMIT_NOFILE, &files) == 0);
    }
    pair_up(AF_UNIX);
    int near = ours;
    NEED(dup2(near, far) == far);
    line_begin(near, USE_OTHER, INTAKE_NONE, NULL);
    NEED(close(near) == 0);
    ours = far;
    line_begin(ours, USE_PEER, INTAKE_INPUT, "far behind");
    unread_begin(WHILE);
    say("abc", 3);
    NEED(shutdown(theirs, SHUT_WR) == 0);
    struct unread found = unread_now();
    ok(found.bytes == 3 && found.behind == 1,
       "who is far behind the others is seen, too");
    part();
}

int
main(void)
{
    test_far_behind();
    test_keeps_up(AF_INET, "tcp");
    test_keeps_up(AF_UNIX, "ipc");
    test_left(AF_INET, "tcp");
    test_left(AF_UNIX, "ipc");
    test_was_full();
    test_was_held();
    return tap_done();
}
