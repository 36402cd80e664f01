/*
 * rescore.c - what another model thinks of records that were set aside: a
 * table of scores before and after, or the originals of those that are still
 * flagged, or no longer.
 */
#include "rescore.h"

#include <math.h>
#include <stdio.h>

#include "choice.h"
#include "log.h"
#include "original.h"
#include "plain.h"
#include "rejudge.h"

typedef unsigned long long ull;

enum output { TABLE, STILL, NO_LONGER };

struct task {
    struct choice choice;
    struct rejudge rejudge;
    struct original original;
    enum output output;
    int help;
    uint64_t counts[3]; /* by prae_kind */
};

static void
print_help(void)
{
    puts("Usage: praectl rescore --model=MODEL [OPTION]... [FILE]\n"
         "Judge flagged records, which prae-filter --outliers or --rejects "
         "wrote to FILE,\nonce more, by a snapshot that prae-filter --model "
         "wrote. Nothing is learned.\nPrints a line a record: its number, the "
         "score it had, the score it has, p, and\nwhat it is now.\n\n"
         "  -m, --model=MODEL       the snapshot\n"
         "      --still             write the original records that are still "
         "flagged\n"
         "      --no-longer         write those that are not, to be let in "
         "after all\n"
         "      --fpr=RATE          flag by p-value, as prae-filter does\n"
         "      --threshold=T       or by the gate");
    choice_print_help();
}

/* ---- the command line ---- */

static enum exit_status
set_param(struct task *task, const char *name, const char *value)
{
    char why[256];

    if (prae_params_set(&task->rejudge.params, name, value, why, sizeof why) ==
        PRAE_OK)
        return EXIT_DONE;
    log_error("rescore: --%s", why);
    return EXIT_USAGE;
}

static enum exit_status
set_output(struct task *task, enum output output)
{
    if (task->output == TABLE || task->output == output) {
        task->output = output;
        return EXIT_DONE;
    }
    log_error("rescore: --still and --no-longer are one output each; run it "
              "twice");
    return EXIT_USAGE;
}

static enum exit_status
parse(struct task *task, int argc, char **argv)
{
    static const struct option longs[] = {
        CHOICE_LONGS,
        {"fpr", required_argument, NULL, 'F'},
        {"model", required_argument, NULL, 'm'},
        {"no-longer", no_argument, NULL, 'L'},
        {"still", no_argument, NULL, 'S'},
        {"threshold", required_argument, NULL, 'T'},
        {NULL, 0, NULL, 0}};
    enum exit_status status = EXIT_DONE;
    int code;

    opterr = 0;
    while (status == EXIT_DONE &&
           (code = getopt_long(argc, argv, CHOICE_LETTERS "m:", longs, NULL)) >=
               0) {
        switch (code) {
        case 'h': task->help = 1; return EXIT_DONE;
        case 'F': status = set_param(task, "fpr", optarg); break;
        case 'm': task->rejudge.model = optarg; break;
        case 'L': status = set_output(task, NO_LONGER); break;
        case 'S': status = set_output(task, STILL); break;
        case 'T': status = set_param(task, "threshold", optarg); break;
        default:
            status = choice_option(&task->choice, longs, code, argv);
            break;
        }
    }
    if (status == EXIT_DONE && task->rejudge.model == NULL) {
        log_error("rescore: --model=MODEL is missing: a snapshot that "
                  "prae-filter --model wrote");
        return EXIT_USAGE;
    }
    return status == EXIT_DONE ? choice_file(&task->choice, argc, argv)
                               : status;
}

/* ---- records ---- */

static void
print_score(double score)
{
    if (isnan(score))
        printf(" %12s", "-");
    else
        printf(" %12.6g", score);
}

static void
print_line(const struct flagged *record, const struct opinion *now)
{
    static const char *const kinds[] = {"inlier", "outlier", "reject"};

    printf("%9llu", (ull)record->seq);
    print_score(record->score);
    print_score(now->score);
    print_score(now->p);
    printf("  %s", kinds[now->kind]);
    if (now->kind == PRAE_KIND_REJECT) {
        putchar(' ');
        plain_text(stdout, now->code);
    }
    putchar('\n');
}

static enum exit_status
put(struct task *task, const struct quarantine *quarantine,
    const struct flagged *record, const struct opinion *now)
{
    int still = now->kind != PRAE_KIND_INLIER;

    if (task->output == TABLE)
        print_line(record, now);
    else if (still == (task->output == STILL))
        return original_put(&task->original, quarantine, record);
    return EXIT_DONE;
}

static enum exit_status
begin(struct task *task, const struct quarantine *quarantine)
{
    if (task->output != TABLE)
        return original_check("rescore", quarantine);
    printf("%9s %12s %12s %12s  %s\n", "record", "score", "rescored", "p",
           "now");
    return EXIT_DONE;
}

static enum exit_status
end(struct task *task, const struct quarantine *quarantine)
{
    uint64_t *counts = task->counts;

    if (task->rejudge.filter != NULL && rejudge_misses_context(&task->rejudge))
        log_warning("%s goes by changes from record to record, too, which "
                    "cannot be told of records by themselves: they had no part "
                    "in this",
                    task->rejudge.model);
    log_notice("%s: %llu records: inliers %llu, outliers %llu, rejects %llu by "
               "%s",
               quarantine->name, (ull)task->choice.taken,
               (ull)counts[PRAE_KIND_INLIER], (ull)counts[PRAE_KIND_OUTLIER],
               (ull)counts[PRAE_KIND_REJECT], task->rejudge.model);
    return task->output == TABLE ? EXIT_DONE
                                 : original_end(&task->original, quarantine);
}

static enum exit_status
run(struct task *task, struct quarantine *quarantine)
{
    const struct flagged *record;
    struct opinion now;
    enum exit_status status;

    for (uint64_t done = 0;; done++) {
        status = choice_next(&task->choice, quarantine, &record);
        if (status != EXIT_DONE || record == NULL)
            break;
        status = rejudge_record(&task->rejudge, quarantine, record, &now);
        if (status == EXIT_DONE && done == 0)
            status = begin(task, quarantine);
        if (status != EXIT_DONE)
            break;
        task->counts[now.kind]++;
        status = put(task, quarantine, record, &now);
        if (status != EXIT_DONE)
            break;
    }
    return status == EXIT_DONE ? end(task, quarantine) : status;
}

enum exit_status
rescore(int argc, char **argv)
{
    struct task task = {.output = TABLE};
    struct quarantine quarantine = {.fd = -1};

    choice_init(&task.choice, "rescore");
    rejudge_init(&task.rejudge, NULL);
    enum exit_status status = parse(&task, argc, argv);
    if (status == EXIT_DONE && task.help) {
        print_help();
    } else if (status == EXIT_DONE) {
        status = choice_open(&task.choice, &quarantine);
        if (status == EXIT_DONE)
            status = run(&task, &quarantine);
    }
    rejudge_fini(&task.rejudge);
    quarantine_close(&quarantine);
    choice_fini(&task.choice);
    return status;
}
