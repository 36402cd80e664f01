/*
 * screen.c - termios, the other screen, and signals.
 *
 * The sequences are those of ECMA-48 and xterm that every terminal of today
 * knows. Lines do not wrap while we draw: where the terminal counts a width
 * in another way than we do, a row suffers and the next does not.
 */
#include "screen.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "log.h"

#define OTHER "\033[?1049h"
#define READY "\033[?25l\033[?7l\033[2J"
#define LEAVE "\033[?7h\033[?25h\033[0m\033[?1049l"
#define SIZE_MOST 1000 /* rows or columns; more is no terminal */

static const int caught[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
                             SIGTSTP, SIGCONT, SIGWINCH};

#define CAUGHT_COUNT (sizeof caught / sizeof *caught)

static struct {
    int pipe[2];
    int is_other;          /* the other screen is shown */
    int has_keys;          /* standard input is a terminal */
    struct termios before; /* where it is */
    struct sigaction old[CAUGHT_COUNT];
    int ended_by; /* a signal, or 0 */
} screen = {.pipe = {-1, -1}};

/* ---- the terminal ---- */

static int
write_all(const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t done = write(STDOUT_FILENO, bytes, len);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return 0;
        bytes += done;
        len -= (size_t)done;
    }
    return 1;
}

/* It waits for what was written to be shown, and signals come meanwhile. */
static void
set_modes(const struct termios *modes)
{
    while (tcsetattr(STDIN_FILENO, TCSADRAIN, modes) != 0 && errno == EINTR)
        continue;
}

/* Signals from keys stay as they are: ^C and ^Z do what they always do. Who
 * stops us without our knowing may have changed everything but the screen. */
static void
enter(void)
{
    struct termios raw = screen.before;

    if (screen.has_keys) {
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        raw.c_cc[VMIN] = 1;
        raw.c_cc[VTIME] = 0;
        set_modes(&raw);
    }
    if (!screen.is_other)
        write_all(OTHER, strlen(OTHER));
    write_all(READY, strlen(READY));
    screen.is_other = 1;
}

static void
leave(void)
{
    write_all(LEAVE, strlen(LEAVE));
    screen.is_other = 0;
    if (screen.has_keys)
        set_modes(&screen.before);
}

/* ---- signals ---- */

static void
on_signal(int number)
{
    int before = errno;
    unsigned char mark = (unsigned char)number;

    /* A full pipe has enough to be read. */
    ssize_t done = write(screen.pipe[1], &mark, 1);
    (void)done;
    errno = before;
}

static void
catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < CAUGHT_COUNT; i++) {
        sigaction(caught[i], NULL, &screen.old[i]);
        /* Who starts us with one ignored, as nohup does, means it. */
        if (screen.old[i].sa_handler != SIG_IGN)
            sigaction(caught[i], &action, NULL);
    }
}

/* Stops as if the signal had not been caught; this returns when we are
 * continued. */
static void
stop(void)
{
    struct sigaction usual = {.sa_handler = SIG_DFL}, ours;

    sigemptyset(&usual.sa_mask);
    leave();
    sigaction(SIGTSTP, &usual, &ours);
    raise(SIGTSTP);
    sigaction(SIGTSTP, &ours, NULL);
    enter();
}

static enum screen_event
take_signal(int number)
{
    switch (number) {
    case SIGTSTP: stop(); return SCREEN_DRAW;
    case SIGCONT: enter(); return SCREEN_DRAW;
    case SIGWINCH: return SCREEN_DRAW;
    default: screen.ended_by = number; return SCREEN_END;
    }
}

/* ---- life ---- */

static enum exit_status
make_pipe(void)
{
    if (pipe(screen.pipe) != 0) {
        log_error("cannot make a pipe: %s", strerror(errno));
        return EXIT_FAILED;
    }
    for (int i = 0; i < 2; i++) {
        fcntl(screen.pipe[i], F_SETFD, FD_CLOEXEC);
        fcntl(screen.pipe[i], F_SETFL, O_NONBLOCK);
    }
    return EXIT_DONE;
}

enum exit_status
screen_open(void)
{
    enum exit_status status = make_pipe();

    if (status != EXIT_DONE)
        return status;
    screen.has_keys =
        isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &screen.before) == 0;
    screen.ended_by = 0;
    catch_signals();
    enter();
    return EXIT_DONE;
}

size_t
screen_fds(int fds[2])
{
    fds[0] = screen.pipe[0];
    fds[1] = STDIN_FILENO;
    return screen.has_keys ? 2 : 1;
}

/* Whether a key can be read without waiting. */
static int
key_is_there(void)
{
    int waiting = 0;

    return ioctl(STDIN_FILENO, FIONREAD, &waiting) != 0 || waiting > 0;
}

enum screen_event
screen_event(char *key)
{
    unsigned char mark;

    if (read(screen.pipe[0], &mark, 1) == 1)
        return take_signal(mark);
    if (!screen.has_keys || !key_is_there())
        return SCREEN_NOTHING;
    ssize_t len = read(STDIN_FILENO, key, 1);
    if (len == 1)
        return SCREEN_KEY;
    return len < 0 && (errno == EINTR || errno == EAGAIN) ? SCREEN_NOTHING
                                                          : SCREEN_END;
}

void
screen_size(int *rows, int *cols)
{
    struct winsize size = {0};

    *rows = 24;
    *cols = 80;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return;
    if (size.ws_row > 0)
        *rows = size.ws_row < SIZE_MOST ? size.ws_row : SIZE_MOST;
    if (size.ws_col > 0)
        *cols = size.ws_col < SIZE_MOST ? size.ws_col : SIZE_MOST;
}

enum screen_shown
screen_show(const struct canvas *canvas, int colours)
{
    char *bytes = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&bytes, &len);

    if (out == NULL)
        return SCREEN_MEMORY;
    for (int row = 0; row < canvas->rows; row++) {
        fprintf(out, "\033[%d;1H", row + 1);
        canvas_print_row(canvas, row, colours, 0, out);
    }
    enum screen_shown shown = fclose(out) != 0         ? SCREEN_MEMORY
                              : write_all(bytes, len) ? SCREEN_SHOWN
                                                      : SCREEN_GONE;
    free(bytes);
    return shown;
}

void
screen_close(void)
{
    leave();
    for (size_t i = 0; i < CAUGHT_COUNT; i++)
        sigaction(caught[i], &screen.old[i], NULL);
    close(screen.pipe[0]);
    close(screen.pipe[1]);
    screen.pipe[0] = screen.pipe[1] = -1;
    if (screen.ended_by != 0)
        raise(screen.ended_by);
}
