/* top_sums.c - counts and times, as many in a line as go in: where the records
 * are, and what has happened. */
#include <stdio.h>
#include <string.h>

#include "top_panel.h"

#define ITEMS 12 /* that a flow may have */
#define GAP 2    /* blanks between two of them */

/* ---- items that flow over lines ---- */

struct item {
    const char *before, *name;
    char value[TOP_TEXT];
    enum ink ink;
};

struct flow {
    struct item item[ITEMS];
    size_t count;
};

static struct item *
add(struct flow *flow, const char *before, const char *name, enum ink ink)
{
    struct item *item = &flow->item[flow->count++];

    *item = (struct item){.before = before, .name = name, .ink = ink};
    return item;
}

/* Lays them out, on CANVAS if there is one, and tells the rows. */
static int
lay_out(const struct flow *flow, struct canvas *canvas, struct box box)
{
    int row = 0, at = 0;

    for (size_t i = 0; i < flow->count; i++) {
        const struct item *item = &flow->item[i];
        int lead = (int)strlen(item->before) + (int)strlen(item->name) + 1;
        int width = lead + (int)strlen(item->value);
        if (at > 0 && at + width > box.cols) {
            row++;
            at = 0;
        }
        if (canvas != NULL && row < box.rows) {
            int col = box.col + at, end = box.col + box.cols;
            canvas_print(canvas, box.row + row, col, end, INK_FAINT, "%s%s ",
                         item->before, item->name);
            canvas_print(canvas, box.row + row, col + lead, end, item->ink,
                         "%s", item->value);
        }
        at += width +
              (item->before[0] != '\0' || (i + 1 < flow->count &&
                                           flow->item[i + 1].before[0] != '\0')
                   ? 1
                   : GAP);
    }
    return flow->count > 0 ? row + 1 : 0;
}

/* Every record is somewhere: received is the sum of the others. */
static struct flow
flow_totals(const struct facts *facts, int cols)
{
    const struct facts_totals *totals = &facts->totals;
    struct flow flow;

    /* As they are where they fit into a line, else shorter. */
    for (int exact = 1; exact >= 0; exact--) {
        flow = (struct flow){0};
        top_count(add(&flow, "", "received", INK_TITLE)->value,
                  totals->received, exact);
        top_count(add(&flow, "= ", "inliers", INK_GOOD)->value, totals->inliers,
                  exact);
        top_count(add(&flow, "+ ", "outliers", INK_BAD)->value,
                  totals->outliers, exact);
        top_count(add(&flow, "+ ", "rejected", INK_WARN)->value,
                  totals->rejected, exact);
        top_count(add(&flow, "+ ", "held", INK_PLAIN)->value, totals->held,
                  exact);
        if (lay_out(&flow, NULL, (struct box){.cols = cols}) <= 1)
            break;
    }
    return flow;
}

struct want
want_totals(const struct view *view, int cols)
{
    if (view->facts == NULL)
        return (struct want){0};
    struct flow flow = flow_totals(view->facts, cols);
    int rows = lay_out(&flow, NULL, (struct box){.cols = cols});
    return (struct want){.least = rows, .most = rows};
}

void
draw_totals(struct canvas *canvas, struct box box, const struct view *view)
{
    struct flow flow = flow_totals(view->facts, box.cols);

    lay_out(&flow, canvas, box);
}

/* What has happened; what is bad only where it did. */
static struct flow
flow_events(const struct facts *facts)
{
    const struct facts_totals *totals = &facts->totals;
    const struct {
        const char *name;
        double count;
        enum ink ink;
        int always;
    } counts[] = {
        {"windows", totals->windows, INK_PLAIN, 1},
        {"bursts", totals->bursts, INK_BAD, 1},
        {"drifts", totals->drifts, INK_WARN, 1},
        {"rollbacks", totals->rollbacks, INK_WARN, 0},
        {"undelivered", totals->undelivered, INK_BAD, 0},
        {"dropped", totals->dropped, INK_BAD, 0},
        {"turned away", totals->turned_away, INK_WARN, 0},
    };
    struct flow flow = {0};
    double mean = facts->train_seconds / facts->trained;

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].always || counts[i].count > 0.0)
            top_count(add(&flow, "", counts[i].name,
                          counts[i].count > 0.0 ? counts[i].ink : INK_PLAIN)
                          ->value,
                      counts[i].count, 0);
    top_time(add(&flow, "", "training", INK_PLAIN)->value, mean);
    top_time(add(&flow, "", "longest", INK_PLAIN)->value, facts->train_longest);
    top_time(add(&flow, "", "blocked",
                 facts->blocked_seconds > 0.0 ? INK_WARN : INK_PLAIN)
                 ->value,
             facts->blocked_seconds);
    return flow;
}

struct want
want_events(const struct view *view, int cols)
{
    if (view->facts == NULL)
        return (struct want){0};
    struct flow flow = flow_events(view->facts);
    int rows = lay_out(&flow, NULL, (struct box){.cols = cols});
    return (struct want){.least = 1, .most = rows};
}

void
draw_events(struct canvas *canvas, struct box box, const struct view *view)
{
    struct flow flow = flow_events(view->facts);

    lay_out(&flow, canvas, box);
}
