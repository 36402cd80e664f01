/* options.c - the command line and the configuration file, by the table. */
#include "options_table.h"

#include <assert.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_file.h"
#include "duration.h"
#include "fds.h"
#include "http.h"
#include "log.h"

#define ROWS_MAX 128 /* of the table; the tables below are as long */
#define SECONDS_MOST 1e9 /* of a duration: thirty years */

/* ---- setting ---- */

/* VALUE cannot be used for NAME: it must be WANTED. */
static enum exit_status
refuse(const char *name, const char *value, const char *wanted,
       const char *place)
{
    log_error("%s%s%s: '%s' is not %s", place, place[0] == '\0' ? "--" : "",
              name, value, wanted);
    return place[0] == '\0' ? EXIT_USAGE : EXIT_CONFIG;
}

/* Seconds of "90s", "5m", "1h", "500ms"; 0 or less where it is no duration,
 * or one of ages. */
static double
duration(const char *text)
{
    double seconds = duration_seconds(text);

    return seconds < SECONDS_MOST ? seconds : 0.0;
}

/* What a number may be. */
static const struct bounds {
    const char *name;
    size_t least, most;
} bounds[] = {
    {"keep", 0, 100},
    {"min-window", 1, SIZE_MAX},
    {"wait-peers", 0, 10000},
    {"hwm", 0, 1000000},
    {"max-message", 1024, (size_t)1 << 40},
    {"max-parts", 1, 1000},
    {"threads", 1, 256},
};

static enum exit_status
set_number(size_t *field, const char *name, const char *value,
           const char *place)
{
    const struct bounds *bound = bounds;
    char *end, wanted[80];
    unsigned long long number = strtoull(value, &end, 10);

    while (strcmp(bound->name, name) != 0)
        bound++;
    if (value[0] >= '0' && value[0] <= '9' && *end == '\0' &&
        number >= bound->least && number <= bound->most) {
        *field = (size_t)number;
        return EXIT_DONE;
    }
    if (bound->most == SIZE_MAX)
        snprintf(wanted, sizeof wanted, "a number from %zu", bound->least);
    else
        snprintf(wanted, sizeof wanted, "a number from %zu to %zu",
                 bound->least, bound->most);
    return refuse(name, value, wanted, place);
}

static enum exit_status
add_to_list(struct list *list, const char *name, const char *value,
            const char *place)
{
    if (list->count == LIST_MAX) {
        log_error("%s%s%s: more than %d of them", place,
                  place[0] == '\0' ? "--" : "", name, LIST_MAX);
        return place[0] == '\0' ? EXIT_USAGE : EXIT_CONFIG;
    }
    list->text[list->count++] = value;
    return EXIT_DONE;
}

static enum exit_status
set_own(struct options *options, const char *name, const char *value,
        const char *place)
{
    char *end;
    unsigned long number = strtoul(value, &end, 10);
    int whole = value[0] >= '0' && value[0] <= '9' && *end == '\0';

    if (strcmp(name, "max-wait") == 0) {
        options->max_wait = duration(value);
        if (options->max_wait <= 0.0 && strcmp(value, "never") != 0)
            return refuse(name, value, "a duration such as 1s, or never",
                          place);
    } else if (strcmp(name, "log") == 0) {
        options->json = strcmp(value, "json") == 0;
        if (!options->json && strcmp(value, "text") != 0)
            return refuse(name, value, "text or json", place);
    } else if (strcmp(name, "sandbox") == 0) {
        options->sandbox = strcmp(value, "off") != 0;
        if (options->sandbox && strcmp(value, "auto") != 0)
            return refuse(name, value, "auto or off", place);
    } else if (strcmp(name, "emit") == 0) {
        options->emit_now = strcmp(value, "now") == 0;
        if (!options->emit_now && strcmp(value, "window") != 0)
            return refuse(name, value, "window or now", place);
    } else {
        options->save_seconds = whole ? 0.0 : duration(value);
        options->save_windows = whole ? number : 0;
        if (options->save_seconds <= 0.0 && options->save_windows == 0)
            return refuse(name, value,
                          "a duration such as 30s or 5m, or windows", place);
    }
    return EXIT_DONE;
}

/* Sets ROW to VALUE, given in PLACE ("" on the command line). */
static enum exit_status
set(struct options *options, const struct row *row, const char *value,
    const char *place)
{
    void *at = (char *)options + row->offset;
    char why[256];

    switch (row->kind) {
    case PARAM:
    case SWITCH:
        if (value[0] == '\0')
            return refuse(row->name, value, "a value", place);
        if (prae_params_set(&options->params, row->name, value, why,
                            sizeof why) != PRAE_OK) {
            log_error("%s%s%s", place, place[0] == '\0' ? "--" : "", why);
            return place[0] == '\0' ? EXIT_USAGE : EXIT_CONFIG;
        }
        options->format_given |= strcmp(row->name, "format") == 0;
        break;
    case TEXT:
        if (value[0] == '\0')
            return refuse(row->name, value, "a name", place);
        *(const char **)at = value;
        break;
    case LIST: return add_to_list(at, row->name, value, place);
    case NUMBER: return set_number(at, row->name, value, place);
    case TIME:
        *(double *)at = duration(value);
        if (*(double *)at <= 0.0)
            return refuse(row->name, value, "a duration such as 500ms or 5s",
                          place);
        break;
    case ON:
        *(int *)at = strcmp(value, "yes") == 0;
        if (*(int *)at == 0 && strcmp(value, "no") != 0)
            return refuse(row->name, value, "yes or no", place);
        break;
    case OWN: return set_own(options, row->name, value, place);
    case ACTION: break;
    }
    return EXIT_DONE;
}

/* ---- the configuration file ---- */

/* A copy of VALUE that lives as long as OPTIONS, or NULL. */
static const char *
keep(struct options *options, const char *value)
{
    char **kept =
        realloc(options->kept, (options->kept_count + 1) * sizeof *kept);
    char *copy = strdup(value);

    if (kept != NULL)
        options->kept = kept;
    if (kept == NULL || copy == NULL) {
        free(copy);
        return NULL;
    }
    kept[options->kept_count++] = copy;
    return copy;
}

/* NAME = VALUE in the file, at PLACE. */
static enum exit_status
set_from_config(void *context, const char *name, const char *value,
                const char *place)
{
    struct options *options = context;
    const struct row *row = option_find(name);

    if (row != NULL && strcmp(name, "config") == 0) {
        log_error("%sa configuration cannot name another", place);
        return EXIT_CONFIG;
    }
    if (row != NULL && row->kind == ACTION) {
        log_error("%s'%s' is for the command line only", place, name);
        return EXIT_CONFIG;
    }
    if (row == NULL) {
        const char *meant = option_nearest(name);
        log_error("%sno option is called '%s'%s%s%s", place, name,
                  meant == NULL ? "" : "; is it '", meant == NULL ? "" : meant,
                  meant == NULL ? "" : "'?");
        return EXIT_CONFIG;
    }
    value = keep(options, value);
    if (value == NULL) {
        log_error("%sout of memory", place);
        return EXIT_FAILED;
    }
    return set(options, row, value, place);
}

/* ---- the command line ---- */

/* What getopt needs, made from the table. */
struct getopt_tables {
    struct option longs[ROWS_MAX + 1];
    char letters[3 * ROWS_MAX + 2];
};

static void
make_tables(struct getopt_tables *tables)
{
    size_t longs = 0, letters = 0;

    assert(option_count <= ROWS_MAX);
    memset(tables, 0, sizeof *tables);
    tables->letters[letters++] = ':'; /* tell a missing argument apart */
    for (size_t i = 0; i < option_count; i++) {
        const struct row *row = &option_rows[i];
        if (row->name == NULL)
            continue;
        /* Values from 256 on are rows; letters stay themselves. */
        tables->longs[longs++] = (struct option){
            row->name, row->arg == NULL ? no_argument : required_argument, NULL,
            256 + (int)i};
        if (row->letter == 0)
            continue;
        tables->letters[letters++] = row->letter;
        if (row->arg != NULL)
            tables->letters[letters++] = ':';
    }
}

static const struct row *
row_of(int code)
{
    if (code >= 256)
        return &option_rows[code - 256];
    for (size_t i = 0; i < option_count; i++)
        if (option_rows[i].letter == code && option_rows[i].name != NULL)
            return &option_rows[i];
    return NULL;
}

/* The options that NAME may be short for, where they are several, to LIST
 * (SIZE): whether they are. */
static int
is_ambiguous(const char *name, char *list, size_t size)
{
    size_t count = 0, len = 0;

    list[0] = '\0';
    for (size_t i = 0; i < option_count; i++) {
        const char *other = option_rows[i].name;
        if (other == NULL || strncmp(other, name, strlen(name)) != 0 ||
            len + strlen(other) + 8 > size)
            continue;
        len += (size_t)snprintf(list + len, size - len, "%s--%s",
                                count++ == 0 ? "" : ", ", other);
    }
    return count > 1;
}

static enum exit_status
complain(int code, char **argv, int at)
{
    const char *word = argv[at];

    if (code == ':') {
        log_error("%s needs an argument; see prae-filter --help", word);
        return EXIT_USAGE;
    }
    if (word[0] == '-' && word[1] == '-') {
        char name[64], list[256];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="),
                 word + 2);
        const char *meant = option_nearest(name);
        if (option_find(name) != NULL)
            log_error("--%s takes no argument", name);
        else if (is_ambiguous(name, list, sizeof list))
            log_error("--%s may be any of %s", name, list);
        else if (meant != NULL)
            log_error("no option --%s; did you mean --%s?", name, meant);
        else
            log_error("no option --%s; see prae-filter --help", name);
    } else {
        log_error("no option -%c; see prae-filter --help", optopt);
    }
    return EXIT_USAGE;
}

/* Everything but --config, or --config alone. */
static enum exit_status
walk(struct options *options, int argc, char **argv, int config_only)
{
    struct getopt_tables tables;
    enum exit_status status = EXIT_DONE;
    int code;

    make_tables(&tables);
    opterr = 0;
    optind = 0; /* GNU: start afresh */
    for (;;) {
        int at = optind > 0 ? optind : 1;
        code = getopt_long(argc, argv, tables.letters, tables.longs, NULL);
        if (code < 0 || status != EXIT_DONE)
            break;
        if (code == ':' || code == '?')
            return complain(code, argv, at);
        const struct row *row = row_of(code);
        assert(row != NULL); /* getopt_long knows no codes but ours */
        int is_config = strcmp(row->name, "config") == 0;
        if (row->kind == ACTION && !config_only)
            options->stop =
                options->stop == 0 ? (int)(row - option_rows) : options->stop;
        else if (is_config == config_only)
            status = set(options, row, optarg == NULL ? "yes" : optarg, "");
    }
    return status;
}

/* Whether NAME's suffix names a format: *FORMAT. */
static int
find_format(const char *name, prae_format *format)
{
    const char *dot = strrchr(name, '.');

    if (dot == NULL)
        return 0;
    if (strcmp(dot, ".csv") == 0)
        *format = PRAE_FORMAT_CSV;
    else if (strcmp(dot, ".jsonl") == 0 || strcmp(dot, ".ndjson") == 0 ||
             strcmp(dot, ".json") == 0)
        *format = PRAE_FORMAT_JSONL;
    else
        return 0;
    return 1;
}

/* There is one format for all inputs: the suffix of NAME has to agree with
 * that of *BEFORE, the first that named one, or NULL. */
static enum exit_status
format_by_suffix(struct options *options, const char *name, const char **before)
{
    prae_format format;

    if (options->format_given || !find_format(name, &format))
        return EXIT_DONE;
    if (*before != NULL && format != options->params.format) {
        log_error("%s and %s are of two formats by their names; give the one "
                  "that all inputs have with --format",
                  *before, name);
        return EXIT_USAGE;
    }
    if (*before == NULL)
        *before = name;
    options->params.format = format;
    return EXIT_DONE;
}

static enum exit_status
take_operand(struct options *options, int argc, char **argv)
{
    if (optind + 1 < argc) {
        log_error("one FILE at most; '%s' is the second", argv[optind + 1]);
        return EXIT_USAGE;
    }
    if (optind < argc && options->in.count > 0) {
        log_error("input given twice: --in=%s and %s", options->in.text[0],
                  argv[optind]);
        return EXIT_USAGE;
    }
    if (optind < argc)
        options->in.text[options->in.count++] = argv[optind];
    if (options->in.count == 0)
        options->in.text[options->in.count++] = "-";
    return EXIT_DONE;
}

/* What the outputs and inputs are, and what follows from it. */
static enum exit_status
parse_specs(struct options *options)
{
    const char *const names[] = {"--inliers", "--outliers", "--rejects",
                                 "--scores"};
    const char *const texts[] = {options->inliers, options->outliers,
                                 options->rejects, options->scores};
    enum exit_status status = EXIT_DONE;
    const char *named = NULL;
    int sockets = 0;

    for (size_t i = 0; status == EXIT_DONE && i < options->in.count; i++) {
        struct spec *spec = &options->source[i];
        status = spec_parse(spec, "--in", options->in.text[i], 1);
        sockets |= status == EXIT_DONE && spec->kind == SPEC_SOCKET;
        if (status == EXIT_DONE && spec->kind == SPEC_FILE)
            status = format_by_suffix(options, spec->text, &named);
    }
    for (size_t i = 0; status == EXIT_DONE && i < 4; i++) {
        options->out[i] = (struct spec){.kind = SPEC_NOWHERE};
        if (texts[i] != NULL)
            status = spec_parse(&options->out[i], names[i], texts[i], 0);
    }
    options->sockets_in = sockets;
    if (status == EXIT_DONE && options->control != NULL)
        status = spec_parse_asked(&options->control_at, "--control",
                                  options->control);
    options->watched = options->report != NULL || options->http != NULL ||
                       options->control != NULL;
    options->params.unscored =
        options->out[3].kind == SPEC_NOWHERE && !options->watched;
    if (options->max_wait < 0.0)
        options->max_wait = sockets ? 1.0 : 0.0;
    return status;
}

/* Whether one of COUNT specs is a socket of KIND. */
static int
has_socket(const struct spec *specs, size_t count, enum socket_kind kind)
{
    for (size_t i = 0; i < count; i++)
        if (specs[i].kind == SPEC_SOCKET && specs[i].socket == kind)
            return 1;
    return 0;
}

/* Whether two outputs would write into each other. */
static int
share_stdout(const struct options *options)
{
    size_t count = 0;

    for (size_t i = 0; i < 4; i++)
        count += options->out[i].kind == SPEC_STDIO;
    return count > 1;
}

static int
is_report(const char *path)
{
    size_t len = strlen(path);

    return len > 5 && (strcmp(path + len - 5, ".html") == 0 ||
                       strcmp(path + len - 5, ".json") == 0);
}

/* What does not go together. */
static enum exit_status
check_together(const struct options *options)
{
    int pubs = has_socket(options->out, 4, SOCKET_PUB);
    const char *wrong = NULL;
    char why[256];

    if (options->topics.count > 0 &&
        !has_socket(options->source, options->in.count, SOCKET_SUB))
        wrong = "--topic needs an input of the type sub:";
    else if (options->lossy && !pubs)
        wrong = "--lossy needs an output of the type pub:";
    else if (options->wait_peers > 0 && !pubs &&
             !has_socket(options->out, 4, SOCKET_PUSH))
        wrong = "--wait-peers needs an output of the type push: or pub:";
    else if (share_stdout(options))
        wrong = "standard output takes one output, the inliers unless they go "
                "elsewhere; name a file for the others";
    else if (options->stats != NULL && strcmp(options->stats, "-") == 0)
        wrong = "--stats: standard output carries records; name a file";
    else if (options->report != NULL && !is_report(options->report))
        wrong =
            "--report: the name must end in .html, for people, or in .json, "
            "for programs";
    else if (options->model == NULL &&
             (options->save_seconds > 0.0 || options->save_windows > 0))
        wrong = "--save-every needs --model=FILE";
    else if (options->params.window == 0 && options->emit_now)
        wrong = "--emit=now needs windows to learn from, not --window=all";
    else if (options->params.window == 0 && options->sockets_in &&
             options->max_wait <= 0.0)
        wrong = "--window=all waits for an end that a socket does not have; "
                "give --max-wait";
    else if (options->params.window == 0 && options->model != NULL)
        wrong = "--window=all has no use for --model: nothing comes after";
    else if (options->params.window > 0 &&
             options->min_window > options->params.window)
        wrong = "--min-window is more than --window: no window has so many";
    if (wrong != NULL)
        log_error("%s", wrong);
    else if (prae_params_check(&options->params, why, sizeof why) != PRAE_OK)
        log_error("--%s", why);
    else
        return EXIT_DONE;
    return EXIT_USAGE;
}

static enum exit_status
check_http(struct options *options)
{
    if (options->http == NULL)
        return EXIT_DONE;
    if (http_version() == NULL) {
        log_error("--http: this prae-filter was built without libmicrohttpd, "
                  "which serves it");
        return EXIT_CONFIG;
    }
    return listener_parse(&options->http_at, "--http", options->http);
}

static void
answer(const struct options *options)
{
    const char *name = option_rows[options->stop].name;

    if (strcmp(name, "help") == 0)
        options_print_help();
    else if (strcmp(name, "version") == 0)
        options_print_version();
    else
        options_print_config(stdout, options);
}

void
options_init(struct options *options)
{
    *options = (struct options){.inliers = "-",
                                .progress = -1,
                                .keep = 1,
                                .min_window = 1,
                                .max_wait = -1.0,
                                .drain = 5.0,
                                .max_message = (size_t)16 << 20,
                                .max_parts = 8,
                                .threads = 1,
                                .sandbox = 1};
    prae_params_init(&options->params);
}

void
options_free(struct options *options)
{
    for (size_t i = 0; i < options->kept_count; i++)
        free(options->kept[i]);
    free(options->kept);
    options->kept = NULL;
    options->kept_count = 0;
}

enum exit_status
options_parse(struct options *options, int argc, char **argv)
{
    options_init(options);
    enum exit_status status = walk(options, argc, argv, 1);
    if (status == EXIT_DONE && options->config != NULL)
        status = config_read(options->config, set_from_config, options);
    struct list from_config[2] = {options->in, options->topics};
    options->in.count = options->topics.count = 0;
    if (status == EXIT_DONE)
        status = walk(options, argc, argv, 0);
    /* The command line's replace the configuration's, and do not join them. */
    if (options->in.count == 0 && optind >= argc)
        options->in = from_config[0];
    if (options->topics.count == 0)
        options->topics = from_config[1];
    if (status == EXIT_DONE && options->stop != 0) {
        answer(options);
        return fds_check_stdout();
    }
    if (status == EXIT_DONE)
        status = take_operand(options, argc, argv);
    if (status == EXIT_DONE && options->inspect == NULL)
        status = parse_specs(options);
    if (status == EXIT_DONE && options->inspect == NULL)
        status = check_together(options);
    if (status == EXIT_DONE && options->inspect == NULL)
        status = check_http(options);
    return status;
}
