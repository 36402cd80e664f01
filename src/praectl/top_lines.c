/* top_lines.c - the panels of a line each: title, fault, rates, keys. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bars.h"
#include "top_panel.h"

#define LABEL 9 /* columns of "flagged" and its like */

/* ---- the first line ---- */

struct want
want_title(const struct view *view, int cols)
{
    (void)view, (void)cols;
    return (struct want){.least = 1, .most = 1};
}

/* What is wrong with the filter, or what it is doing: it comes first, so that
 * it is seen on the smallest screen. */
static int
draw_state(struct canvas *canvas, struct box box, const struct view *view)
{
    const struct facts *facts = view->facts;
    int col = box.col, end = box.col + box.cols;

    if (view->fault != NULL)
        return canvas_print(canvas, box.row, col, end, INK_ALARM, " %s ",
                            view->is_unreachable ? "no answer" : "bad answer");
    if (facts == NULL)
        return canvas_print(canvas, box.row, col, end, INK_FAINT, "asking");
    enum ink ink = top_state_ink(facts->state);
    canvas_mark(canvas, box.row, col, ink, "●", '*');
    col = canvas_text(canvas, box.row, col + 2, end, ink, facts->state_word);
    if (!facts->is_live)
        col = canvas_print(canvas, box.row, col, end, INK_WARN, ", ended");
    if (facts->is_paused)
        col = canvas_print(canvas, box.row, col, end, INK_WARN,
                           ", learning paused");
    if (!facts->is_ready)
        col = canvas_print(canvas, box.row, col, end, INK_WARN, ", not ready");
    return col;
}

/* On the right: for how long it runs, or how old the facts are, and how often
 * we look. */
static int
draw_clock(struct canvas *canvas, struct box box, const struct view *view)
{
    const struct facts *facts = view->facts;
    char text[3 * TOP_TEXT] = "", up[TOP_TEXT], every[TOP_TEXT];

    if (facts != NULL && view->fault != NULL)
        snprintf(text, sizeof text, "as of %s ago",
                 top_time(up, fmax(1.0, floor(view->age))));
    else if (facts != NULL && isfinite(facts->written - facts->started))
        snprintf(text, sizeof text, "up %s",
                 top_time(up, facts->written - facts->started));
    if (view->is_held)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "  display paused");
    else if (!view->is_once)
        snprintf(text + strlen(text), sizeof text - strlen(text), "  every %s",
                 top_time(every, view->interval));
    int col = box.col + box.cols - (int)strlen(text);
    canvas_print(canvas, box.row, col, box.col + box.cols,
                 view->is_held ? INK_WARN : INK_FAINT, "%s", text);
    return col;
}

void
draw_title(struct canvas *canvas, struct box box, const struct view *view)
{
    int col = draw_state(canvas, box, view) + 2, end = box.col + box.cols;

    if (box.cols >= TOP_NARROW || view->is_held)
        end = draw_clock(canvas, box, view) - 2;
    if (view->facts != NULL && box.cols >= TOP_NARROW)
        col = canvas_text(canvas, box.row, col, end, INK_TITLE,
                          view->facts->program) +
              2;
    canvas_print(canvas, box.row, col, end, INK_FAINT, "%s", view->source);
}

/* ---- what went wrong ---- */

struct want
want_fault(const struct view *view, int cols)
{
    const struct facts *facts = view->facts;
    int rows = view->fault == NULL ? 0 : 1;

    if (rows > 0 && (int)strlen(view->fault) + 2 > cols)
        rows = 2;
    if (rows == 0 && facts != NULL && !facts->is_ready &&
        facts->not_ready.len > 0)
        rows = 1;
    return (struct want){.least = rows, .most = rows};
}

void
draw_fault(struct canvas *canvas, struct box box, const struct view *view)
{
    int end = box.col + box.cols;

    if (view->fault == NULL) {
        canvas_text(canvas, box.row, box.col, end, INK_WARN,
                    view->facts->not_ready);
        return;
    }
    /* Cut at a blank, where there is one, and go on below. */
    size_t len = strlen(view->fault), first = len;
    if (box.rows > 1 && len > (size_t)box.cols) {
        for (first = (size_t)box.cols; first > 0; first--)
            if (view->fault[first] == ' ')
                break;
        first = first > 0 ? first : (size_t)box.cols;
    }
    int col = canvas_text(canvas, box.row, box.col, end, INK_BAD,
                          (struct word){view->fault, first});
    if (first < len)
        col = canvas_print(canvas, box.row + 1, box.col, end, INK_BAD, "%s",
                           view->fault + first + 1);
    canvas_print(canvas, box.row + (first < len), col, end, INK_FAINT,
                 "; trying again");
}

/* ---- rates ---- */

struct want
want_rate(const struct view *view, int cols)
{
    (void)cols;
    return (struct want){.least = view->facts != NULL,
                         .most = view->facts != NULL};
}

struct want
want_share(const struct view *view, int cols)
{
    return want_rate(view, cols);
}

/* "NAME  TEXT  ▁▂▃": the newest on the right. */
static void
draw_trend(struct canvas *canvas, struct box box, const char *name,
           const char *text, enum ink ink, const double *values, size_t count)
{
    int end = box.col + box.cols, col = box.col;

    canvas_print(canvas, box.row, col, end, INK_FAINT, "%s", name);
    col =
        canvas_print(canvas, box.row, col + LABEL, end, INK_TITLE, "%s", text);
    int from = box.col + (box.cols < TOP_NARROW ? 18 : 31);
    if (from < col + 2)
        from = col + 2;
    if (end - from >= 8 && count > 1)
        bars_spark(canvas, box.row, from, end, ink, values, count,
                   trend_peak(values, count, (size_t)(end - from)));
}

void
draw_rate(struct canvas *canvas, struct box box, const struct view *view)
{
    const struct trend *trend = view->trend;
    double peak = trend_peak(trend->rate, trend->count, TREND_MOST);
    char rate[TOP_TEXT], most[TOP_TEXT], text[3 * TOP_TEXT];

    top_count(rate, view->facts->rate, 0);
    if (box.cols < TOP_NARROW || trend->count < 2)
        snprintf(text, sizeof text, "%s/s", rate);
    else
        snprintf(text, sizeof text, "%s/s, peak %s", rate,
                 top_count(most, peak, 0));
    draw_trend(canvas, box, "rate", text, INK_GOOD, trend->rate, trend->count);
}

void
draw_share(struct canvas *canvas, struct box box, const struct view *view)
{
    const struct trend *trend = view->trend;
    double now = trend->count > 0 ? trend->share[trend->count - 1] : 0.0;
    char all[TOP_TEXT], last[TOP_TEXT], text[3 * TOP_TEXT];

    top_percent(all, facts_share(&view->facts->totals));
    if (box.cols < TOP_NARROW || trend->count < 2)
        snprintf(text, sizeof text, "%s", all);
    else
        snprintf(text, sizeof text, "%s, now %s", all, top_percent(last, now));
    draw_trend(canvas, box, "flagged", text, INK_BAD, trend->share,
               trend->count);
}

/* ---- keys ---- */

struct want
want_keys(const struct view *view, int cols)
{
    (void)cols;
    return (struct want){.least = !view->is_once, .most = !view->is_once};
}

void
draw_keys(struct canvas *canvas, struct box box, const struct view *view)
{
    canvas_print(canvas, box.row, box.col, box.col + box.cols, INK_FAINT,
                 "q quit  p %s  +/- interval",
                 view->is_held ? "go on" : "pause");
}
