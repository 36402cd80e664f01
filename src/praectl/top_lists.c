/* top_lists.c - the records flagged last, with the reasons; what is blamed,
 * and what was refused. */
#include <math.h>
#include <stdio.h>

#include "bars.h"
#include "plain.h"
#include "top_panel.h"

#define LAST_LEAST 3 /* rows: heading and two */
#define ROOMY 100    /* columns from which more is told */
#define MIDDLING 64
#define TALL 13 /* rows from which the record itself is shown */

/* ---- flagged last ---- */

struct want
want_last(const struct view *view, int cols)
{
    (void)cols;
    if (view->facts == NULL || view->facts->last_count == 0)
        return (struct want){0};
    int count = (int)view->facts->last_count;
    int least = count + 1 < LAST_LEAST ? count + 1 : LAST_LEAST;
    return (struct want){.least = least, .most = 1 + 2 * count};
}

static int
draw_value(struct canvas *canvas, int row, int col, int end,
           const struct facts_reason *reason, const struct value *value,
           const struct value *other)
{
    switch (value->kind) {
    case VALUE_NUMBER:
        return canvas_print(canvas, row, col, end, INK_PLAIN, "%s%.5g",
                            plain_measure(reason->field, value, other),
                            value->number);
    case VALUE_TEXT:
        return canvas_text(canvas, row, col, end, INK_PLAIN, value->text);
    default: return canvas_print(canvas, row, col, end, INK_PLAIN, "nothing");
    }
}

/* "temp 3, expected 20.1 (80 %)"; or BRIEF, "temp 3, not 20.1". */
static int
draw_reason(struct canvas *canvas, int row, int col, int end, int brief,
            const struct facts_reason *reason)
{
    col = canvas_text(canvas, row, col, end, INK_FIELD, reason->field);
    col = draw_value(canvas, row, col + 1, end, reason, &reason->observed,
                     &reason->expected);
    col = canvas_print(canvas, row, col, end, INK_FAINT, "%s",
                       brief ? ", not " : ", expected ");
    col = draw_value(canvas, row, col, end, reason, &reason->expected,
                     &reason->observed);
    if (!brief && isfinite(reason->share))
        col = canvas_print(canvas, row, col, end, INK_FAINT, " (%.0f %%)",
                           100.0 * reason->share);
    return col;
}

static void
draw_flagged(struct canvas *canvas, int row, struct box box,
             const struct facts_flagged *flagged)
{
    int col = box.col, end = box.col + box.cols;
    char text[TOP_TEXT];

    int brief = box.cols < MIDDLING;
    canvas_print(canvas, row, col, end, INK_PLAIN, "%*s", brief ? 8 : 9,
                 top_count(text, flagged->seq, !brief));
    col += brief ? 8 : 9;
    canvas_print(canvas, row, col, end, INK_BAD, "%9.4g", flagged->score);
    col += brief ? 10 : 11;
    if (box.cols >= ROOMY) {
        canvas_print(canvas, row, col, end, INK_PLAIN, "%9.3g", flagged->p);
        canvas_print(canvas, row, col + 10, end, INK_PLAIN, "%8s",
                     top_count(text, flagged->window, 0));
        col += 20;
    }
    if (box.cols >= MIDDLING) {
        canvas_print(canvas, row, col, end, top_state_ink(flagged->state), "%s",
                     top_state_name(flagged->state));
        col += 9;
    }
    for (size_t i = 0; i < flagged->why_count && col < end - 8; i++) {
        if (i > 0)
            col = canvas_print(canvas, row, col, end, INK_FAINT, "; ");
        col = draw_reason(canvas, row, col, end, brief, &flagged->why[i]);
    }
    if (flagged->why_total > flagged->why_count && col < end - 8)
        canvas_print(canvas, row, col, end, INK_FAINT, "; %zu more",
                     flagged->why_total - flagged->why_count);
}

static void
draw_last_head(struct canvas *canvas, struct box box)
{
    int col = box.col, end = box.col + box.cols;

    /* The names stand over the columns below them. */
    top_heading(canvas, box, "");
    col = canvas_print(canvas, box.row, col, end, INK_TITLE, "%s",
                       box.cols < MIDDLING ? " flagged    score "
                                           : "  flagged    score  ");
    if (box.cols >= ROOMY)
        col = canvas_print(canvas, box.row, col, end, INK_TITLE,
                           "        p   window  ");
    if (box.cols >= MIDDLING)
        col = canvas_print(canvas, box.row, col, end, INK_TITLE, "state    ");
    canvas_print(canvas, box.row, col, end, INK_TITLE, "why ");
}

void
draw_last(struct canvas *canvas, struct box box, const struct view *view)
{
    const struct facts *facts = view->facts;
    int row = box.row + 1, end = box.row + box.rows;
    int each = box.rows >= TALL && box.cols >= MIDDLING ? 2 : 1;

    draw_last_head(canvas, box);
    for (size_t i = 0; i < facts->last_count && row < end; i++, row += each) {
        const struct facts_flagged *one = &facts->last[i];
        draw_flagged(canvas, row, box, one);
        if (each < 2 || row + 1 >= end)
            continue;
        int col = canvas_text(canvas, row + 1, box.col + 11, box.col + box.cols,
                              INK_FAINT, one->record);
        if (one->is_cut)
            canvas_print(canvas, row + 1, col, box.col + box.cols, INK_FAINT,
                         " ...");
    }
}

/* ---- what is to blame ---- */

struct want
want_causes(const struct view *view, int cols)
{
    const struct facts *facts = view->facts;

    if (facts == NULL || cols < 24 ||
        facts->feature_count + facts->reject_count == 0)
        return (struct want){0};
    int rows = facts->feature_count > 0 ? 1 + (int)facts->feature_count : 0;
    rows += facts->reject_count > 0 ? 1 + 2 * (int)facts->reject_count : 0;
    return (struct want){.least = rows < 4 ? rows : 4, .most = rows};
}

static int
draw_features(struct canvas *canvas, struct box box, const struct facts *facts)
{
    int row = box.row + 1, end = box.row + box.rows, right = box.col + box.cols;
    int middle = box.col + box.cols / 2;
    int col = top_heading(canvas, box, "blamed");

    canvas_print(canvas, box.row, col, right, INK_FAINT, "share of the error ");
    for (size_t i = 0; i < facts->feature_count && row < end; i++, row++) {
        const struct facts_feature *one = &facts->features[i];
        canvas_text(canvas, row, box.col, middle - 1, INK_FIELD, one->name);
        canvas_print(canvas, row, middle, right, INK_PLAIN, "%5.1f %%",
                     100.0 * one->blame);
        bars_row(canvas, row, middle + 8, right, INK_BAD, one->blame);
    }
    return row;
}

static void
draw_rejects(struct canvas *canvas, struct box box, const struct facts *facts)
{
    int row = box.row + 1, end = box.row + box.rows, right = box.col + box.cols;
    char text[TOP_TEXT];

    top_heading(canvas, box, "rejected");
    for (size_t i = 0; i < facts->reject_count && row < end; i++) {
        const struct facts_reject *one = &facts->rejects[i];
        canvas_print(canvas, row, box.col, right, INK_PLAIN, "%7s",
                     top_count(text, one->count, 0));
        canvas_text(canvas, row++, box.col + 8, right, INK_WARN, one->reason);
        if (row < end && one->text.len > 0)
            canvas_text(canvas, row++, box.col + 8, right, INK_FAINT,
                        one->text);
    }
}

void
draw_causes(struct canvas *canvas, struct box box, const struct view *view)
{
    const struct facts *facts = view->facts;
    struct box upper = box, lower = box;

    /* What was refused gets a few rows even where both do not fit. */
    if (facts->feature_count > 0 && facts->reject_count > 0 && box.rows >= 7)
        upper.rows = box.rows - 3;
    if (facts->feature_count > 0)
        lower.row = draw_features(canvas, upper, facts);
    lower.rows = box.row + box.rows - lower.row;
    if (facts->reject_count > 0 && lower.rows >= 2)
        draw_rejects(canvas, lower, facts);
}
