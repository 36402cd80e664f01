/* top.c - the command: its options, and facts printed once. */
#include "top.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "duration.h"
#include "log.h"
#include "screen.h"
#include "top_draw.h"
#include "top_live.h"
#include "usage.h"

#define INTERVAL_LEAST 0.1
#define INTERVAL_MOST 3600.0

struct plan {
    const char *where;
    const char *curve_secret, *curve_server;
    double interval;
    int once, help;
};

static void
print_help(void)
{
    puts("Usage: praectl top [OPTION]... ENDPOINT|URL\n"
         "Show a running filter: URL is that of prae-filter --http, "
         "http://HOST:PORT/,\nENDPOINT that of --control, tcp://HOST:PORT or "
         "ipc://PATH. Keys: q quits,\np pauses the display, + and - change "
         "the interval.\n\n"
         "      --curve-secret=FILE  our keys, for tcp\n"
         "      --curve-server=FILE  the filter's public key\n"
         "  -i, --interval=TIME      between two looks (1s)\n"
         "      --once               print it once and stop, as where standard "
         "output\n"
         "                           is no terminal\n"
         "  -h, --help               print this and stop");
}

/* ---- the command line ---- */

static enum exit_status
set_interval(struct plan *plan, const char *text)
{
    double seconds = duration_seconds(text);

    /* 100ms is a tenth of a second, whatever its last bit. */
    if (!(seconds > INTERVAL_LEAST - 1e-9 && seconds <= INTERVAL_MOST)) {
        log_error("top: --interval: '%s' is not a duration from 100ms to 1h",
                  text);
        return EXIT_USAGE;
    }
    plan->interval = seconds;
    return EXIT_DONE;
}

static enum exit_status
parse(struct plan *plan, int argc, char **argv)
{
    enum { SECRET = 256, SERVER, ONCE };
    static const struct option longs[] = {
        {"curve-secret", required_argument, NULL, SECRET},
        {"curve-server", required_argument, NULL, SERVER},
        {"help", no_argument, NULL, 'h'},
        {"interval", required_argument, NULL, 'i'},
        {"once", no_argument, NULL, ONCE},
        {NULL, 0, NULL, 0}};
    enum exit_status status = EXIT_DONE;
    int code;

    opterr = 0;
    while (status == EXIT_DONE &&
           (code = getopt_long(argc, argv, ":hi:", longs, NULL)) >= 0) {
        switch (code) {
        case 'h': plan->help = 1; return EXIT_DONE;
        case 'i': status = set_interval(plan, optarg); break;
        case SECRET: plan->curve_secret = optarg; break;
        case SERVER: plan->curve_server = optarg; break;
        case ONCE: plan->once = 1; break;
        default: return usage_refuse("top", longs, code, argv);
        }
    }
    if (status == EXIT_DONE && argc - optind != 1) {
        log_error("top takes one ENDPOINT or URL; see praectl top --help");
        status = EXIT_USAGE;
    }
    plan->where = argv[optind];
    return status;
}

/* ---- once ---- */

static enum exit_status
print_once(struct source *source, int ascii)
{
    const struct patience patience = {.seconds = ASK_SECONDS};
    static struct trend trend; /* too large for the stack */
    struct facts *facts;
    struct canvas canvas;
    char why[SOURCE_WHY];
    int rows = 0, cols = 80;
    enum exit_status status = source_fetch(source, &patience, &facts, why);

    if (status != EXIT_DONE) {
        log_error("top: %s", why);
        return status;
    }
    trend_add(&trend, facts);
    const struct view view = {
        .source = source->text, .facts = facts, .trend = &trend, .is_once = 1};
    if (isatty(STDOUT_FILENO))
        screen_size(&rows, &cols);
    rows = top_draw_rows(&view, cols);
    if (canvas_init(&canvas, rows, cols, ascii)) {
        top_draw(&canvas, &view);
        for (int row = 0; row < rows; row++) {
            canvas_print_row(&canvas, row, 0, 1, stdout);
            putchar('\n');
        }
    } else {
        log_error("top: out of memory");
        status = EXIT_FAILED;
    }
    canvas_fini(&canvas);
    facts_free(facts);
    return status;
}

/* ---- both ---- */

/* A terminal on which the cursor can be moved. */
static int
is_screen(void)
{
    const char *term = getenv("TERM");

    return isatty(STDOUT_FILENO) && term != NULL && term[0] != '\0' &&
           strcmp(term, "dumb") != 0;
}

static int
wants_colours(void)
{
    const char *no = getenv("NO_COLOR");

    return no == NULL || no[0] == '\0';
}

enum exit_status
top(int argc, char **argv)
{
    struct plan plan = {.interval = 1.0};
    struct source source = {.is_url = 1};
    enum exit_status status = parse(&plan, argc, argv);

    if (status != EXIT_DONE)
        return status;
    if (plan.help) {
        print_help();
        return EXIT_DONE;
    }
    /* Only for what characters are and how wide: numbers stay as they are. */
    int ascii = setlocale(LC_CTYPE, "") == NULL ||
                strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
    status =
        source_open(&source, plan.where, plan.curve_secret, plan.curve_server);
    if (status == EXIT_DONE)
        status = plan.once || !is_screen()
                     ? print_once(&source, ascii)
                     : top_live(&source, plan.interval, ascii, wants_colours());
    source_close(&source);
    return status;
}
