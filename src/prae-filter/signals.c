/* signals.c - flags, and the signal that ends us as shells expect. */
#include "signals.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t stop_asked;
static volatile sig_atomic_t save_asked;

static void
ask_to_stop(int number)
{
    (void)number;
    stop_asked = 1;
}

static void
ask_to_save(int number)
{
    (void)number;
    save_asked = 1;
}

void
signals_install(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = ask_to_stop;
    /* The second of its kind meets the default action. No restart: a read
     * that waits has to come back. */
    action.sa_flags = (int)SA_RESETHAND;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = ask_to_save;
    action.sa_flags = 0;
    sigaction(SIGUSR1, &action, NULL);
    action.sa_handler = SIG_IGN;
    action.sa_flags = 0;
    sigaction(SIGPIPE, &action, NULL);
}

int
signals_stop(void)
{
    return stop_asked != 0;
}

int
signals_save(void)
{
    int asked = save_asked != 0;

    save_asked = 0;
    return asked;
}

void
signals_die_of_pipe(void)
{
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}
