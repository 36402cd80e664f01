/*
 * show.c - pages through flagged records, in the order of the file or the
 * worst first.
 *
 * To sort them the file is read twice: first for the scores and places of
 * those that match, which is all that is held, then for each in its turn.
 */
#include "show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choice.h"
#include "log.h"
#include "pager.h"
#include "show_print.h"

struct view {
    struct choice choice;
    int help, table, record, pager, by_score;
};

static void
print_help(void)
{
    puts("Usage: praectl show [OPTION]... [FILE]\n"
         "Show flagged records, which prae-filter --outliers or --rejects "
         "wrote to FILE,\nwith the reasons; on a terminal through $PAGER.\n\n"
         "  -r, --record            with the record itself\n"
         "  -s, --sort=ORDER        time, as in the file, or score, the worst "
         "first\n"
         "  -t, --table             one line a record\n"
         "      --no-pager          show it at once");
    choice_print_help();
}

static enum exit_status
set_order(struct view *view, const char *order)
{
    view->by_score = strcmp(order, "score") == 0;
    if (view->by_score || strcmp(order, "time") == 0)
        return EXIT_DONE;
    log_error("show: --sort is by time or score, not by '%s'", order);
    return EXIT_USAGE;
}

static enum exit_status
parse(struct view *view, int argc, char **argv)
{
    static const struct option longs[] = {
        CHOICE_LONGS,
        {"no-pager", no_argument, NULL, 'P'},
        {"record", no_argument, NULL, 'r'},
        {"sort", required_argument, NULL, 's'},
        {"table", no_argument, NULL, 't'},
        {NULL, 0, NULL, 0}};
    enum exit_status status = EXIT_DONE;
    int code;

    opterr = 0;
    while (status == EXIT_DONE &&
           (code = getopt_long(argc, argv, CHOICE_LETTERS "rs:t", longs,
                               NULL)) >= 0) {
        switch (code) {
        case 'h': view->help = 1; return EXIT_DONE;
        case 'P': view->pager = 0; break;
        case 'r': view->record = 1; break;
        case 's': status = set_order(view, optarg); break;
        case 't': view->table = 1; break;
        default:
            status = choice_option(&view->choice, longs, code, argv);
            break;
        }
    }
    return status == EXIT_DONE ? choice_file(&view->choice, argc, argv)
                               : status;
}

/* ---- the worst first ---- */

struct ranked {
    double score; /* NaN: none */
    struct place place;
};

struct ranking {
    struct ranked *item; /* (cap) */
    size_t count, cap;
};

/* The worst first, those without a score last, equals as in the file. */
static int
compare(const void *one, const void *other)
{
    const struct ranked *a = one, *b = other;
    int unlike = isnan(a->score) - isnan(b->score);

    if (unlike == 0 && !isnan(a->score))
        unlike = (a->score < b->score) - (a->score > b->score);
    return unlike != 0
               ? unlike
               : (a->place.at > b->place.at) - (a->place.at < b->place.at);
}

static enum exit_status
rank(struct ranking *ranking, const struct flagged *record, struct place place)
{
    if (ranking->count == ranking->cap) {
        size_t cap = 2 * ranking->cap + 1024;
        struct ranked *item = realloc(ranking->item, cap * sizeof *item);
        if (item == NULL) {
            log_error("show: out of memory for the places of %zu records; "
                      "--where makes them fewer",
                      ranking->count);
            return EXIT_FAILED;
        }
        ranking->item = item;
        ranking->cap = cap;
    }
    ranking->item[ranking->count++] = (struct ranked){record->score, place};
    return EXIT_DONE;
}

/* All that match, whatever the limit: the worst may come last. A file that
 * breaks off is shown as far as it goes, and *BROKEN tells. */
static enum exit_status
rank_all(struct view *view, struct quarantine *quarantine,
         struct ranking *ranking, enum exit_status *broken)
{
    struct choice all = view->choice;
    const struct flagged *record;
    enum exit_status status =
        quarantine_check_twice(quarantine, "show: --sort=score");

    all.limit = UINT64_MAX;
    while (status == EXIT_DONE) {
        *broken = choice_next(&all, quarantine, &record);
        if (*broken != EXIT_DONE || record == NULL)
            break;
        status = rank(ranking, record, quarantine_place(quarantine));
    }
    if (ranking->count > 0)
        qsort(ranking->item, ranking->count, sizeof *ranking->item, compare);
    return status;
}

/* ---- showing ---- */

static struct look
look_of(const struct view *view, const struct pager *pager,
        const struct quarantine *quarantine)
{
    return (struct look){.out = pager->out,
                         .colours = pager->colours,
                         .table = view->table,
                         .record = view->record,
                         .format = quarantine->format};
}

static enum exit_status
show_ranked(struct view *view, struct quarantine *quarantine,
            const struct ranking *ranking, const struct pager *pager)
{
    struct look look = look_of(view, pager, quarantine);
    const struct flagged *record;
    enum exit_status status = EXIT_DONE;

    show_print_head(&look);
    for (size_t i = 0; status == EXIT_DONE && i < ranking->count &&
                       i < view->choice.limit && !pager_is_left(pager);
         i++) {
        status = quarantine_again(quarantine, ranking->item[i].place, &record);
        if (status == EXIT_DONE)
            show_print(&look, record);
    }
    return status;
}

static enum exit_status
show_in_order(struct view *view, struct quarantine *quarantine,
              const struct pager *pager)
{
    struct look look = look_of(view, pager, quarantine);
    const struct flagged *record;
    enum exit_status status = EXIT_DONE;

    quarantine->stop = pager_interrupt();
    show_print_head(&look);
    while (status == EXIT_DONE && !pager_is_left(pager)) {
        status = choice_next(&view->choice, quarantine, &record);
        if (status != EXIT_DONE || record == NULL)
            break;
        look.format = quarantine->format;
        show_print(&look, record);
    }
    return status;
}

/* Nothing at all would look as if something had gone wrong. */
static void
tell_none(const struct view *view, const struct quarantine *quarantine)
{
    log_notice("%s: %s", quarantine->name,
               view->choice.where.count > 0 ? "no record is as --where says"
                                            : "it has no flagged records");
}

static enum exit_status
run(struct view *view, struct quarantine *quarantine)
{
    struct ranking ranking = {0};
    struct pager pager;
    enum exit_status broken = EXIT_DONE, shown;
    enum exit_status status = EXIT_DONE;

    /* Before the pager is there: it would hide what is wrong. */
    if (view->by_score)
        status = rank_all(view, quarantine, &ranking, &broken);
    if (status == EXIT_DONE)
        status = pager_open(&pager, view->pager, view->table);
    if (status == EXIT_DONE) {
        status = view->by_score
                     ? show_ranked(view, quarantine, &ranking, &pager)
                     : show_in_order(view, quarantine, &pager);
        shown = pager_close(&pager);
        if (status == EXIT_DONE)
            status = shown;
    }
    if (status == EXIT_DONE)
        status = broken;
    if (status == EXIT_DONE && ranking.count == 0 && view->choice.taken == 0 &&
        !*pager_interrupt())
        tell_none(view, quarantine);
    free(ranking.item);
    return status;
}

enum exit_status
show(int argc, char **argv)
{
    struct view view = {.pager = 1};
    struct quarantine quarantine = {.fd = -1};

    choice_init(&view.choice, "show");
    enum exit_status status = parse(&view, argc, argv);
    if (status == EXIT_DONE && view.help) {
        print_help();
    } else if (status == EXIT_DONE) {
        status = choice_open(&view.choice, &quarantine);
        if (status == EXIT_DONE)
            status = run(&view, &quarantine);
    }
    quarantine_close(&quarantine);
    choice_fini(&view.choice);
    return status;
}
