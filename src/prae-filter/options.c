/* options.c - the table of options and what is done with it. */
#include "options.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

#include "config_file.h"
#include "fds.h"
#include "log.h"

enum kind {
    PARAM,  /* handed to prae_params_set by its name */
    SWITCH, /* the same, without an argument: yes */
    TEXT,   /* a string of struct options */
    ON,     /* an int of struct options becomes 1 */
    OWN,    /* has a function of its own below */
    ACTION  /* answered at once */
};

struct row {
    const char *name;
    char letter; /* 0 where it has none */
    enum kind kind;
    size_t offset;   /* TEXT, ON: of the field */
    const char *arg; /* the argument's name, NULL where it takes none */
    const char *meaning;
};

#define AT(field) offsetof(struct options, field)

/* A row without a name starts a group. */
static const struct row rows[] = {
    {NULL, 0, ACTION, 0, NULL, "Data"},
    {"format", 'f', PARAM, 0, "FORMAT",
     "msgpack, jsonl or csv; by FILE's suffix if not given"},
    {"no-header", 0, SWITCH, 0, NULL, "csv: the first line is a record"},
    {"in", 'i', TEXT, AT(in), "FILE", "read this file, - for standard input"},
    {"inliers", 'o', TEXT, AT(inliers), "FILE",
     "where what fits goes, - for standard output"},
    {"outliers", 'O', TEXT, AT(outliers), "FILE",
     "where what does not fit goes, with its reasons"},
    {"rejects", 0, TEXT, AT(rejects), "FILE",
     "where what cannot be judged goes; with the outliers if not given"},
    {"scores", 0, TEXT, AT(scores), "FILE", "one row a record"},
    {"fields", 0, PARAM, 0, "PATH,...", "make features of these fields only"},
    {"ignore", 0, PARAM, 0, "PATH,...", "make no features of these fields"},
    {"coerce", 0, SWITCH, 0, NULL, "take strings that spell numbers as such"},
    {"nonfinite", 0, PARAM, 0, "WHAT",
     "NaN and infinities: reject the record, or impute"},

    {NULL, 0, ACTION, 0, NULL, "Windows and decisions"},
    {"window", 'w', PARAM, 0, "N|all", "records that are judged together"},
    {"max-wait", 0, OWN, 0, "TIME",
     "judge a window that is not full after 500ms, 1s, ... [never]"},
    {"min-window", 0, OWN, 0, "N", "but not below so many records [1]"},
    {"cold", 0, PARAM, 0, "WHAT",
     "records of the first window: hold until judged, pass, or flag"},
    {"threshold", 't', PARAM, 0, "T", "flag gates below this"},
    {"fpr", 0, PARAM, 0, "RATE",
     "flag p-values below this instead; 0 leaves it to the gate"},
    {"why", 0, PARAM, 0, "K", "reasons a flagged record carries"},
    {"context", 0, PARAM, 0, "WHEN",
     "look at changes and spreads: auto, on, off"},
    {"smooth", 0, PARAM, 0, "SPAN",
     "smooth scores over records: auto, off, or so many"},
    {"second", 0, PARAM, 0, "WHAT",
     "second opinion: knn, distance to trusted records, or none"},
    {"burst-share", 0, PARAM, 0, "SHARE",
     "a window with more that does not fit is not learned from"},
    {"drift-after", 0, PARAM, 0, "N",
     "so many such windows in a row are the new normal"},
    {"memory", 0, PARAM, 0, "N", "records the past reaches back"},

    {NULL, 0, ACTION, 0, NULL, "Model"},
    {"model", 'm', TEXT, AT(model), "FILE",
     "go on from this snapshot, and save to it"},
    {"save-every", 0, OWN, 0, "TIME|N",
     "save now and then: after 30s, 5m, 1h, or N windows"},
    {"keep", 0, OWN, 0, "N", "older snapshots to keep, as FILE.1, ... [1]"},
    {"freeze", 0, SWITCH, 0, NULL, "judge by the snapshot, learn nothing"},
    {"inspect", 0, TEXT, AT(inspect), "FILE", "print a snapshot and stop"},
    {"gates", 0, PARAM, 0, "KIND", "l1, l0, hard or none"},
    {"estimator", 0, PARAM, 0, "HOW", "of the gates: exact or sampled"},
    {"lambda", 0, PARAM, 0, "RULE",
     "where gates turn: auto, me, validate or a number"},
    {"sigma", 0, PARAM, 0, "S", "the gates' noise"},
    {"hidden", 0, PARAM, 0, "W,W,...", "widths of the encoder, auto or none"},
    {"latent", 0, PARAM, 0, "N", "width of the narrowest layer"},
    {"activation", 0, PARAM, 0, "KIND", "tanh, leaky or linear"},
    {"loss", 0, PARAM, 0, "KIND", "squared or relative"},
    {"epochs", 0, PARAM, 0, "N", "passes over a window"},
    {"cold-epochs", 0, PARAM, 0, "N", "passes over the first window"},
    {"batch", 0, PARAM, 0, "N", "records a step"},
    {"rate", 0, PARAM, 0, "R", "Adam's step"},
    {"seed", 0, PARAM, 0, "N", "same seed and input, same output"},

    {NULL, 0, ACTION, 0, NULL, "Limits"},
    {"max-record", 0, PARAM, 0, "BYTES", "longest record"},
    {"max-depth", 0, PARAM, 0, "N", "containers within each other"},
    {"max-elements", 0, PARAM, 0, "N", "fields of a record"},
    {"max-features", 0, PARAM, 0, "N", "features of a record"},

    {NULL, 0, ACTION, 0, NULL, "Running"},
    {"quiet", 'q', ON, AT(quiet), NULL, "errors only"},
    {"verbose", 'v', ON, AT(verbose), NULL, "say more"},
    {"progress", 0, ON, AT(progress), NULL,
     "show the rate while running; on a terminal it is"},
    {"log", 0, OWN, 0, "FORM", "text, or json: a JSON object a line [text]"},
    {"stats", 0, TEXT, AT(stats), "FILE", "write the counts as JSON at exit"},
    {"config", 0, TEXT, AT(config), "FILE", "read options: name = value"},
    {"print-config", 0, ACTION, 0, NULL, "print them all and stop"},
    {"help", 'h', ACTION, 0, NULL, "print this and stop"},
    {"version", 'V', ACTION, 0, NULL, "print versions and stop"},
};

#define ROW_COUNT (sizeof rows / sizeof *rows)

static const struct row *
find_row(const char *name)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (rows[i].name != NULL && strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

/* ---- answers ---- */

static void
print_row(const struct row *row, const prae_params *params)
{
    char left[48], value[64] = "";
    char letter[4] = "   ";

    if (row->letter != 0)
        snprintf(letter, sizeof letter, "-%c,", row->letter);
    snprintf(left, sizeof left, "  %s --%s%s%s", letter, row->name,
             row->arg == NULL ? "" : "=", row->arg == NULL ? "" : row->arg);
    if (row->kind == PARAM)
        (void)!prae_params_get(params, row->name, value, sizeof value);
    printf("%-28s %s", left, row->meaning);
    if (value[0] != '\0')
        printf(" [%s]", value);
    putchar('\n');
}

static void
print_help(const prae_params *params)
{
    puts("Usage: prae-filter [OPTION]... [FILE]\n"
         "\n"
         "Reads records from FILE or standard input, passes on those that fit "
         "the others,\n"
         "and sets aside those that do not, with the reasons.\n"
         "\n"
         "  prae-filter < in.msgpack > clean.msgpack\n"
         "  prae-filter -o clean.csv -O odd.csv sensors.csv");
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].name == NULL)
            printf("\n%s:\n", rows[i].meaning);
        else
            print_row(&rows[i], params);
    }
    puts("\nDefaults are in brackets. More: man prae-filter.");
}

static void
print_version(void)
{
    int major, minor, patch;

    zmq_version(&major, &minor, &patch);
    printf("prae-filter %s\n%s, libzmq %d.%d.%d\n", prae_version(),
           prae_version_kernels(), major, minor, patch);
}

static void
print_own(const struct options *options, const char *name, char *value,
          size_t size)
{
    if (strcmp(name, "keep") == 0)
        snprintf(value, size, "%zu", options->keep);
    else if (strcmp(name, "log") == 0)
        snprintf(value, size, "%s", options->json ? "json" : "text");
    else if (strcmp(name, "min-window") == 0)
        snprintf(value, size, "%zu", options->min_window);
    else if (strcmp(name, "max-wait") == 0 && options->max_wait <= 0.0)
        snprintf(value, size, "never");
    else if (strcmp(name, "max-wait") == 0)
        snprintf(value, size, "%gs", options->max_wait);
    else if (options->save_windows > 0)
        snprintf(value, size, "%llu",
                 (unsigned long long)options->save_windows);
    else if (options->save_seconds > 0.0)
        snprintf(value, size, "%gs", options->save_seconds);
}

/* What --config would take to give the same options. */
static void
print_config(const struct options *options)
{
    char value[4096];

    for (size_t i = 0; i < ROW_COUNT; i++) {
        const struct row *row = &rows[i];
        const char *at = (const char *)options + row->offset;
        const char *text = value;
        if (row->name == NULL) {
            printf("%s# %s\n", i == 0 ? "" : "\n", row->meaning);
            continue;
        }
        value[0] = '\0';
        /* A format that was not asked for is still the suffix's to choose. */
        if (strcmp(row->name, "format") == 0 && !options->format_given)
            text = NULL;
        else if (row->kind == PARAM || row->kind == SWITCH)
            (void)!prae_params_get(&options->params, row->name, value,
                                   sizeof value);
        else if (row->kind == TEXT && strcmp(row->name, "config") != 0)
            text = *(const char *const *)at;
        else if (row->kind == ON)
            text = *(const int *)at > 0 ? "yes" : NULL;
        else if (row->kind == OWN)
            print_own(options, row->name, value, sizeof value);
        else
            continue;
        if (text == NULL || text[0] == '\0')
            printf("# %s =\n", row->name);
        else
            printf("%s = %s\n", row->name, text);
    }
}

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

/* Seconds of "90s", "5m", "1h", "500ms"; 0 where it is no duration. */
static double
duration(const char *text)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"ms", 0.001}, {"s", 1.0}, {"m", 60.0}, {"h", 3600.0}};
    char *end;
    double number = strtod(text, &end);

    for (size_t i = 0; end != text && i < 4; i++)
        if (strcmp(end, units[i].unit) == 0 && number > 0.0 && number < 1e9)
            return number * units[i].seconds;
    return 0.0;
}

static enum exit_status
set_own(struct options *options, const char *name, const char *value,
        const char *place)
{
    char *end;
    unsigned long number = strtoul(value, &end, 10);
    int whole = value[0] >= '0' && value[0] <= '9' && *end == '\0';

    if (strcmp(name, "keep") == 0) {
        if (!whole || number > 100)
            return refuse(name, value, "a number from 0 to 100", place);
        options->keep = number;
    } else if (strcmp(name, "min-window") == 0) {
        if (!whole || number < 1)
            return refuse(name, value, "a number from 1", place);
        options->min_window = number;
    } else if (strcmp(name, "max-wait") == 0) {
        options->max_wait = duration(value);
        if (options->max_wait <= 0.0 && strcmp(value, "never") != 0)
            return refuse(name, value, "a duration such as 1s, or never",
                          place);
    } else if (strcmp(name, "log") == 0) {
        options->json = strcmp(value, "json") == 0;
        if (!options->json && strcmp(value, "text") != 0)
            return refuse(name, value, "text or json", place);
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
    char *at = (char *)options + row->offset;
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
    case ON: *(int *)at = strcmp(value, "no") != 0; break;
    case OWN: return set_own(options, row->name, value, place);
    case ACTION: break;
    }
    return EXIT_DONE;
}

/* The number of letters to change, add or drop between two short words. */
static size_t
distance(const char *a, const char *b)
{
    size_t row[64], lb = strlen(b);

    if (lb >= 64)
        return 64;
    for (size_t j = 0; j <= lb; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[lb];
}

/* The option that NAME was probably meant to be, or NULL. */
static const char *
nearest(const char *name)
{
    const char *best = NULL;
    size_t least = 3; /* more wrong letters are another word */

    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].name == NULL)
            continue;
        size_t away = distance(name, rows[i].name);
        if (away < least) {
            least = away;
            best = rows[i].name;
        }
    }
    return best;
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
    const struct row *row = find_row(name);

    if (row != NULL && strcmp(name, "config") == 0) {
        log_error("%sa configuration cannot name another", place);
        return EXIT_CONFIG;
    }
    if (row == NULL || row->kind == ACTION) {
        const char *meant = nearest(name);
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
    struct option longs[ROW_COUNT + 1];
    char letters[3 * ROW_COUNT + 2];
};

static void
make_tables(struct getopt_tables *tables)
{
    size_t longs = 0, letters = 0;

    memset(tables, 0, sizeof *tables);
    tables->letters[letters++] = ':'; /* tell a missing argument apart */
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const struct row *row = &rows[i];
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
        return &rows[code - 256];
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (rows[i].letter == code && rows[i].name != NULL)
            return &rows[i];
    return NULL;
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
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="),
                 word + 2);
        const char *meant = nearest(name);
        if (find_row(name) != NULL)
            log_error("--%s takes no argument", name);
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
        int is_config = strcmp(row->name, "config") == 0;
        if (row->kind == ACTION && !config_only)
            options->stop =
                options->stop == 0 ? (int)(row - rows) : options->stop;
        else if (is_config == config_only)
            status = set(options, row, optarg == NULL ? "yes" : optarg, "");
    }
    return status;
}

static void
format_by_suffix(struct options *options)
{
    const char *dot = strrchr(options->in, '.');

    if (options->format_given || dot == NULL)
        return;
    if (strcmp(dot, ".csv") == 0)
        options->params.format = PRAE_FORMAT_CSV;
    else if (strcmp(dot, ".jsonl") == 0 || strcmp(dot, ".ndjson") == 0 ||
             strcmp(dot, ".json") == 0)
        options->params.format = PRAE_FORMAT_JSONL;
}

static enum exit_status
take_operand(struct options *options, int argc, char **argv)
{
    if (optind + 1 < argc) {
        log_error("one FILE at most; '%s' is the second", argv[optind + 1]);
        return EXIT_USAGE;
    }
    if (optind < argc && options->in != NULL) {
        log_error("input given twice: --in=%s and %s", options->in,
                  argv[optind]);
        return EXIT_USAGE;
    }
    if (optind < argc)
        options->in = argv[optind];
    if (options->in == NULL)
        options->in = "-";
    format_by_suffix(options);
    return EXIT_DONE;
}

static void
answer(const struct options *options)
{
    const char *name = rows[options->stop].name;

    if (strcmp(name, "help") == 0) {
        prae_params defaults;
        prae_params_init(&defaults);
        print_help(&defaults);
    } else if (strcmp(name, "version") == 0) {
        print_version();
    } else {
        print_config(options);
    }
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
    *options = (struct options){
        .inliers = "-", .progress = -1, .keep = 1, .min_window = 1};
    prae_params_init(&options->params);
    enum exit_status status = walk(options, argc, argv, 1);
    if (status == EXIT_DONE && options->config != NULL)
        status = config_read(options->config, set_from_config, options);
    if (status == EXIT_DONE)
        status = walk(options, argc, argv, 0);
    if (status == EXIT_DONE && options->stop == 0)
        status = take_operand(options, argc, argv);
    if (status == EXIT_DONE && options->stop == 0 && options->model == NULL &&
        (options->save_seconds > 0.0 || options->save_windows > 0)) {
        log_error("--save-every needs --model=FILE");
        status = EXIT_USAGE;
    }
    if (status == EXIT_DONE && options->stop != 0) {
        answer(options);
        status = fds_check_stdout();
    }
    return status;
}
