/* pager.c - a pager at the other end of a pipe. */
#include "pager.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fds.h"
#include "log.h"

static volatile sig_atomic_t interrupted;

static void
on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

/* What is run: the user's own, else less where there is one. */
static const char *
command(void)
{
    const char *pager = getenv("PAGER");

    if (pager == NULL)
        return "if command -v less >/dev/null 2>&1; then exec less; else exec "
               "cat; fi";
    return pager[0] == '\0' || strcmp(pager, "cat") == 0 ? NULL : pager;
}

/* Colours are for terminals, and for those who want them. */
static int
wants_colours(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    return isatty(STDOUT_FILENO) && (no == NULL || no[0] == '\0') &&
           term != NULL && strcmp(term, "dumb") != 0;
}

enum exit_status
pager_open(struct pager *pager, int wanted, int chop)
{
    const char *run = command();

    *pager =
        (struct pager){.out = stdout, .errors = -1, .colours = wants_colours()};
    if (!wanted || run == NULL || !isatty(STDOUT_FILENO))
        return EXIT_DONE;
    /* Colours as they are, and no page for what fits on one. */
    setenv("LESS", chop ? "FRSX" : "FRX", 0);
    fflush(stdout);
    /* NOLINTNEXTLINE(cert-env33-c): the command is the user's own */
    pager->out = popen(run, "w");
    if (pager->out == NULL) {
        log_error("cannot run the pager %s: %s; --no-pager does without", run,
                  strerror(errno));
        return EXIT_FAILED;
    }
    pager->is_pager = 1;
    setvbuf(pager->out, NULL, _IOLBF, 0); /* for the order of the two */
    if (isatty(STDERR_FILENO)) {
        pager->errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
        if (pager->errors >= 0)
            (void)dup2(fileno(pager->out), STDERR_FILENO);
    }
    /* Set only now, or the pager would inherit it. An interrupt is meant for
     * it as much as for us, and to die would leave it alone with the
     * terminal; a pager that was left is no failure. */
    struct sigaction action = {.sa_handler = on_interrupt};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    return EXIT_DONE;
}

const volatile sig_atomic_t *
pager_interrupt(void)
{
    return &interrupted;
}

int
pager_is_left(const struct pager *pager)
{
    return interrupted || ferror(pager->out);
}

enum exit_status
pager_close(struct pager *pager)
{
    if (!pager->is_pager)
        return fds_check_stdout();
    /* As long as it has an end of the pipe the pager waits for more. */
    if (pager->errors >= 0) {
        (void)dup2(pager->errors, STDERR_FILENO);
        close(pager->errors);
    }
    int status = pclose(pager->out);
    if (status < 0 || !WIFEXITED(status) || WEXITSTATUS(status) < 126)
        return EXIT_DONE;
    log_error("cannot run the pager, %s; --no-pager does without", command());
    return EXIT_FAILED;
}
