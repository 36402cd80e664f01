/* signals.c - flags, a pipe that wakes the loop, and the signal that ends us
 * as shells expect. */
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "log.h"

static volatile sig_atomic_t stop_asked, reload_asked, save_asked, count_asked;
static int stop_told; /* not by a signal: the first one is still to come */
static int wake[2] = {-1, -1};

void
signals_wake(void)
{
    int kept = errno;

    while (write(wake[1], "", 1) < 0 && errno == EINTR)
        continue;
    errno = kept;
}

static void
note(int number)
{
    if (number == SIGHUP) {
        reload_asked = 1;
    } else if (number == SIGUSR1) {
        save_asked = 1;
    } else if (number == SIGUSR2) {
        count_asked = 1;
    } else if (stop_asked) {
        /* The second time it means now. In a container the first process is
         * spared by what ends others. */
        (void)signal(number, SIG_DFL);
        raise(number);
        _exit(128 + number);
    } else {
        stop_asked = 1;
    }
    signals_wake();
}

enum exit_status
signals_install(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
    struct sigaction action;
    sigset_t ours;

    if (pipe(wake) != 0 || fcntl(wake[0], F_SETFL, O_NONBLOCK) != 0 ||
        fcntl(wake[1], F_SETFL, O_NONBLOCK) != 0 ||
        fcntl(wake[0], F_SETFD, FD_CLOEXEC) != 0 ||
        fcntl(wake[1], F_SETFD, FD_CLOEXEC) != 0) {
        log_error("cannot make a pipe: %s", strerror(errno));
        return EXIT_FAILED;
    }
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    sigemptyset(&ours);
    action.sa_handler = note;
    /* No restart: a read that waits has to come back. Nor is the second
     * signal kept waiting while the first is looked at. */
    action.sa_flags = SA_NODEFER;
    /* None of these can be refused: they are signals, and not SIGKILL. */
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        (void)sigaction(numbers[i], &action, NULL);
        sigaddset(&ours, numbers[i]);
    }
    action.sa_handler = SIG_IGN;
    action.sa_flags = 0;
    /* Both are told by write, too, whose error can be dealt with. */
    (void)sigaction(SIGPIPE, &action, NULL);
    (void)sigaction(SIGXFSZ, &action, NULL);
    sigaddset(&ours, SIGPIPE);
    /* Who started us may have held them back, and that is inherited. */
    (void)pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
    return EXIT_DONE;
}

int
signals_fd(void)
{
    return wake[0];
}

void
signals_heard(void)
{
    char bytes[64];

    while (read(wake[0], bytes, sizeof bytes) > 0)
        continue;
}

void
signals_note_stop(void)
{
    stop_told = 1;
}

int
signals_stop(void)
{
    return stop_asked != 0 || stop_told;
}

/* Cleared only where it was seen to be set: one that comes between the two is
 * then asked for by the one before, where otherwise it would be lost. */
static int
take(volatile sig_atomic_t *flag)
{
    if (!*flag)
        return 0;
    *flag = 0;
    return 1;
}

int
signals_reload(void)
{
    return take(&reload_asked);
}

int
signals_save(void)
{
    return take(&save_asked);
}

int
signals_count(void)
{
    return take(&count_asked);
}

void
signals_die_of_pipe(void)
{
    (void)signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
    _exit(128 + SIGPIPE); /* the first process of a container: see note */
}
