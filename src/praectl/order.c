/* order.c - one command to a running filter, and its answer. */
#include "order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "duration.h"
#include "log.h"
#include "plain.h"
#include "spec.h"
#include "usage.h"

#define FRAMES_MAX 3
#define TIMEOUT_MOST 3600.0 /* seconds */

static const struct kind {
    const char *name;
    size_t least, most; /* arguments behind the endpoint */
    const char *arguments;
    const char *meaning;
} kinds[] = {
    {"pause", 0, 0, "",
     "Have a running filter learn nothing; it goes on judging."},
    {"resume", 0, 0, "", "Have it learn again."},
    {"revert", 0, 1, " [N]",
     "Have it go back to what was learned when its --model was saved last, or "
     "to the\nolder snapshot FILE.N."},
    {"set", 2, 2, " fpr|threshold VALUE",
     "Have it flag as with another --fpr or --threshold."},
    {"snapshot", 0, 0, "", "Have it save what it has learned to its --model."},
    {"stats", 0, 0, "", "Print all that is known of its run, as JSON."},
    {"stop", 0, 0, "",
     "Have it deliver what it has received, and end, as SIGTERM does."},
};

struct plan {
    const struct kind *kind;
    const char *endpoint;
    const char *curve_secret, *curve_server;
    double seconds;
    struct word frames[FRAMES_MAX];
    size_t count;
    int help;
};

static void
print_help(const struct kind *kind)
{
    printf("Usage: praectl %s [OPTION]... ENDPOINT%s\n"
           "%s\n"
           "ENDPOINT is that of prae-filter --control, tcp://HOST:PORT or "
           "ipc://PATH.\n\n"
           "      --curve-secret=FILE  our keys, for tcp\n"
           "      --curve-server=FILE  the filter's public key\n"
           "      --timeout=TIME       to wait for the answer (5s)\n"
           "  -h, --help               print this and stop\n",
           kind->name, kind->arguments, kind->meaning);
}

/* ---- the command line ---- */

static enum exit_status
set_timeout(struct plan *plan, const char *text)
{
    plan->seconds = duration_seconds(text);
    if (plan->seconds > 0.0 && plan->seconds <= TIMEOUT_MOST)
        return EXIT_DONE;
    log_error("%s: --timeout: '%s' is not a duration such as 500ms or 5s, up "
              "to 1h",
              plan->kind->name, text);
    return EXIT_USAGE;
}

/* A number below 0 looks like an option. */
static enum exit_status
refuse(const char *name, const struct option *longs, int code, char **argv)
{
    if (code != '?' || optopt < '0' || optopt > '9')
        return usage_refuse(name, longs, code, argv);
    log_error("%s: put -- before ENDPOINT where a number is below 0", name);
    return EXIT_USAGE;
}

/* ENDPOINT and the command's own arguments. */
static enum exit_status
take_operands(struct plan *plan, int count, char **words)
{
    const struct kind *kind = plan->kind;
    struct spec spec;

    if (count < 1 || (size_t)count - 1 < kind->least ||
        (size_t)count - 1 > kind->most) {
        log_error("%s takes ENDPOINT%s; see praectl %s --help", kind->name,
                  kind->arguments, kind->name);
        return EXIT_USAGE;
    }
    if (spec_parse_asking(&spec, kind->name, words[0]) != EXIT_DONE)
        return EXIT_USAGE; /* told */
    plan->endpoint = spec.endpoint;
    plan->frames[plan->count++] = (struct word){kind->name, strlen(kind->name)};
    for (int i = 1; i < count; i++)
        plan->frames[plan->count++] = (struct word){words[i], strlen(words[i])};
    return EXIT_DONE;
}

static enum exit_status
parse(struct plan *plan, int argc, char **argv)
{
    enum { SECRET = 256, SERVER, TIMEOUT };
    static const struct option longs[] = {
        {"curve-secret", required_argument, NULL, SECRET},
        {"curve-server", required_argument, NULL, SERVER},
        {"help", no_argument, NULL, 'h'},
        {"timeout", required_argument, NULL, TIMEOUT},
        {NULL, 0, NULL, 0}};
    enum exit_status status = EXIT_DONE;
    int code;

    opterr = 0;
    while (status == EXIT_DONE &&
           (code = getopt_long(argc, argv, ":h", longs, NULL)) >= 0) {
        switch (code) {
        case 'h': plan->help = 1; return EXIT_DONE;
        case SECRET: plan->curve_secret = optarg; break;
        case SERVER: plan->curve_server = optarg; break;
        case TIMEOUT: status = set_timeout(plan, optarg); break;
        default: return refuse(plan->kind->name, longs, code, argv);
        }
    }
    return status == EXIT_DONE
               ? take_operands(plan, argc - optind, argv + optind)
               : status;
}

/* ---- the answer ---- */

/* Facts are data and leave as they came, but on a terminal, where whoever
 * answers could say anything. */
static void
show_facts(struct word facts)
{
    if (!isatty(STDOUT_FILENO)) {
        fwrite(facts.text, 1, facts.len, stdout);
        return;
    }
    while (facts.len > 0) {
        const char *end = memchr(facts.text, '\n', facts.len);
        size_t len = end == NULL ? facts.len : (size_t)(end - facts.text);
        plain_text(stdout, (struct word){facts.text, len});
        if (end != NULL)
            putchar('\n');
        len += end != NULL;
        facts = (struct word){facts.text + len, facts.len - len};
    }
}

static enum exit_status
show(const struct plan *plan, const struct ask_reply *reply)
{
    struct word text = {reply->text, reply->len};
    char why[1024];

    if (reply->is_error) {
        plain_copy(why, sizeof why, text);
        log_error("%s: %s", plan->kind->name, why);
        return EXIT_FAILED;
    }
    if (strcmp(plan->kind->name, "stats") == 0)
        show_facts(text);
    else
        plain_text(stdout, text);
    putchar('\n');
    return EXIT_DONE;
}

static enum exit_status
run(const struct plan *plan)
{
    const struct patience patience = {.seconds = plan->seconds};
    struct ask_reply reply = {0};
    char why[ASK_WHY];
    struct ask asking;

    enum exit_status status = ask_open(&asking, plan->endpoint,
                                       plan->curve_secret, plan->curve_server);
    if (status == EXIT_DONE) {
        status =
            ask(&asking, plan->frames, plan->count, &patience, &reply, why);
        if (status != EXIT_DONE)
            log_error("%s: %s", plan->kind->name, why);
    }
    if (status == EXIT_DONE)
        status = show(plan, &reply);
    free(reply.text);
    ask_close(&asking);
    return status;
}

enum exit_status
order(int argc, char **argv)
{
    struct plan plan = {.kind = kinds, .seconds = ASK_SECONDS};

    while (strcmp(plan.kind->name, argv[0]) != 0)
        plan.kind++;
    enum exit_status status = parse(&plan, argc, argv);
    if (status != EXIT_DONE)
        return status;
    if (!plan.help)
        return run(&plan);
    print_help(plan.kind);
    return EXIT_DONE;
}
