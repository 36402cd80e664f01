/*
 * top_live.c - asks, draws and waits, and does what keys say meanwhile.
 *
 * There is one thread. Whoever waits for an answer sees to keys and signals
 * through a patience, so a filter that does not answer holds up nothing.
 */
#include "top_live.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "log.h"
#include "screen.h"
#include "top_draw.h"

#define CONTROL_L 12

struct live {
    struct source *source;
    struct view view;
    struct facts *facts;
    struct trend trend;
    char why[SOURCE_WHY];
    double came; /* when the facts did */
    double next; /* when to ask again */
    int ascii, colours, quit;
    int failed; /* an errno, or 0 */
};

static void
fail(struct live *live, int error)
{
    live->quit = 1;
    live->failed = error;
}

/* ---- showing ---- */

static void
show(struct live *live)
{
    struct canvas canvas;
    int rows, cols;

    screen_size(&rows, &cols);
    if (!canvas_init(&canvas, rows, cols, live->ascii)) {
        fail(live, ENOMEM);
        return;
    }
    live->view.age = clock_now() - live->came;
    top_draw(&canvas, &live->view);
    switch (screen_show(&canvas, live->colours)) {
    case SCREEN_SHOWN: break;
    case SCREEN_GONE: live->quit = 1; break; /* nobody is before it */
    case SCREEN_MEMORY: fail(live, ENOMEM); break;
    }
    canvas_fini(&canvas);
}

/* ---- keys ---- */

/* The interval above or below, WAY 1 or -1. */
static void
change_interval(struct live *live, int way)
{
    static const double steps[] = {0.1,  0.2,  0.5,  1.0,   2.0,   5.0,
                                   10.0, 30.0, 60.0, 300.0, 3600.0};
    const int count = sizeof steps / sizeof *steps;
    double old = live->view.interval, new = old;

    for (int i = way > 0 ? 0 : count - 1; i >= 0 && i < count; i += way)
        if ((steps[i] - old) * way > 1e-9) {
            new = steps[i];
            break;
        }
    live->view.interval = new;
    live->next += new - old;
}

static void
press(struct live *live, char key)
{
    switch (key) {
    case 'q':
    case 'Q': live->quit = 1; break;
    case 'p': live->view.is_held = !live->view.is_held; break;
    case '+':
    case '=': change_interval(live, 1); break;
    case '-': change_interval(live, -1); break;
    case CONTROL_L: break;
    default: return;
    }
    if (!live->quit)
        show(live);
}

/* All that has happened at the terminal; whether to end. */
static int
stir(void *context)
{
    struct live *live = context;
    enum screen_event event = SCREEN_DRAW;
    char key;

    while (!live->quit && event != SCREEN_NOTHING) {
        event = screen_event(&key);
        if (event == SCREEN_KEY)
            press(live, key);
        else if (event == SCREEN_DRAW)
            show(live);
        else if (event == SCREEN_END)
            live->quit = 1;
    }
    return live->quit;
}

/* ---- asking and waiting ---- */

static void
fetch(struct live *live)
{
    struct patience patience = {
        .seconds = ASK_SECONDS, .stir = stir, .context = live};
    struct facts *facts;

    patience.count = screen_fds(patience.fds);
    enum exit_status status =
        source_fetch(live->source, &patience, &facts, live->why);
    live->view.fault = status == EXIT_DONE ? NULL : live->why;
    live->view.is_unreachable = status != EXIT_DATA;
    if (status != EXIT_DONE)
        return;
    facts_free(live->facts);
    live->facts = facts;
    live->view.facts = facts;
    live->came = clock_now();
    trend_add(&live->trend, facts);
}

/* Until it is time to ask again. */
static void
wait_for_next(struct live *live)
{
    while (!live->quit) {
        int fds[2];
        size_t count = screen_fds(fds);
        struct pollfd items[2] = {{.fd = fds[0], .events = POLLIN},
                                  {.fd = fds[1], .events = POLLIN}};
        double left = live->next - clock_now();
        if (!live->view.is_held && left <= 0.0)
            return;
        int ready = poll(items, (nfds_t)count,
                         live->view.is_held ? -1 : (int)(left * 1e3) + 1);
        if (ready > 0)
            stir(live);
        else if (ready < 0 && errno != EINTR)
            fail(live, errno);
    }
}

enum exit_status
top_live(struct source *source, double interval, int ascii, int colours)
{
    static struct live live; /* its trend is too large for the stack */

    live = (struct live){.source = source, .ascii = ascii, .colours = colours};
    live.view = (struct view){
        .source = source->text, .trend = &live.trend, .interval = interval};
    enum exit_status status = screen_open();
    if (status != EXIT_DONE)
        return status;
    show(&live);
    while (!live.quit) {
        live.next = clock_now() + live.view.interval;
        fetch(&live);
        if (!live.quit)
            show(&live);
        wait_for_next(&live);
    }
    facts_free(live.facts);
    screen_close();
    if (live.failed == 0)
        return EXIT_DONE;
    log_error("top: %s",
              live.failed == ENOMEM ? "out of memory" : strerror(live.failed));
    return EXIT_FAILED;
}
