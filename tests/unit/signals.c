/* Signals set flags and wake the loop; none is lost, whenever it comes. */
#include "signals.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#include "clock.h"
#include "log.h"
#include "tap.h"

#define ROUNDS 2000
#define PATIENCE_SECONDS 10.0 /* for a signal that was sent */

void
log_line(enum log_level level, const char *format, ...)
{
    (void)level;
    (void)format;
}

static int
is_readable(void)
{
    struct pollfd item = {.fd = signals_fd(), .events = POLLIN};

    return poll(&item, 1, 0) == 1;
}

static void
test_flags(void)
{
    ok(!is_readable() && !signals_reload() && !signals_save() &&
           !signals_count() && !signals_stop(),
       "nothing is asked for at first");
    raise(SIGUSR1);
    ok(is_readable(), "a signal wakes the loop");
    signals_heard();
    ok(!is_readable(), "once heard it is quiet");
    ok(!signals_reload() && !signals_count() && !signals_stop(),
       "nothing else is asked for");
    ok(signals_save(), "SIGUSR1 asks for a snapshot");
    ok(!signals_save(), "once");
    raise(SIGUSR2);
    raise(SIGHUP);
    ok(signals_count() && signals_reload(),
       "SIGUSR2 asks for the counts, SIGHUP to read again");
}

/* ---- one after the other, each sent when the one before was heeded ---- */

static pthread_t looker;
static atomic_int heeded, over;

static void *
send_all(void *context)
{
    (void)context;
    for (int i = 0; i < ROUNDS && !atomic_load(&over); i++) {
        pthread_kill(looker, SIGUSR1);
        while (atomic_load(&heeded) <= i && !atomic_load(&over))
            sched_yield();
    }
    return NULL;
}

static void
test_any_moment(void)
{
    double since = clock_now();
    pthread_t sender;
    int count = 0;

    looker = pthread_self();
    if (!ok(pthread_create(&sender, NULL, send_all, NULL) == 0, "a sender"))
        return;
    for (unsigned look = 0; count < ROUNDS; look++) {
        if (signals_save()) {
            atomic_store(&heeded, ++count);
            since = clock_now();
        } else if (look % 1024 == 0 &&
                   clock_now() - since > PATIENCE_SECONDS) {
            break; /* lost */
        }
    }
    atomic_store(&over, 1);
    pthread_join(sender, NULL);
    ok(count == ROUNDS, "of %d signals while they are looked for %d are heeded",
       ROUNDS, count);
}

static void
test_stop(void)
{
    signals_heard();
    raise(SIGTERM);
    ok(is_readable() && signals_stop() && signals_stop(),
       "SIGTERM asks to stop, for good");
}

int
main(void)
{
    sigset_t all, now;

    /* As where a parent held them back for itself. */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    if (signals_install() != EXIT_DONE)
        return tap_skip_all("no signals");
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    ok(!sigismember(&now, SIGTERM) && !sigismember(&now, SIGINT) &&
           !sigismember(&now, SIGHUP) && !sigismember(&now, SIGPIPE) &&
           !sigismember(&now, SIGUSR1) && !sigismember(&now, SIGUSR2),
       "what was held back by who started us is heard");
    test_flags();
    test_any_moment();
    test_stop();
    return tap_done();
}
