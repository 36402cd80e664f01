/* top_charts.c - the histogram of scores with the limit, and the windows with
 * their bursts and drifts. */
#include <math.h>
#include <stdio.h>

#include "bars.h"
#include "top_panel.h"

#define CHART_LEAST 4 /* rows: heading, two of bars, what is below */
#define SCORES_MOST 16
#define WINDOWS_MOST 16
#define WIDEST 6 /* columns of one bar */

/* ---- scores ---- */

/* The bins that are drawn, each as WIDE columns, or PER of them as one. */
struct histogram {
    size_t from, to; /* bins */
    int per, wide, columns;
    double most;
};

/* Without the empty ones at both ends, but with the limit. */
static void
choose_bins(struct histogram *chart, const struct facts *facts)
{
    size_t from = facts->bins, to = 0;

    for (size_t i = 0; i < facts->bins; i++) {
        int has_limit = facts->limit >= facts->edges[i] &&
                        facts->limit < facts->edges[i + 1];
        if (facts->inliers[i] + facts->outliers[i] <= 0.0 && !has_limit)
            continue;
        from = i < from ? i : from;
        to = i + 1;
    }
    chart->from = from < to ? from : 0;
    chart->to = to;
}

/* What column I of the chart sums up. */
static void
sum_bins(const struct histogram *chart, const struct facts *facts, int i,
         double *inliers, double *outliers)
{
    size_t first = chart->from + (size_t)i * (size_t)chart->per;

    *inliers = *outliers = 0.0;
    for (size_t bin = first;
         bin < first + (size_t)chart->per && bin < chart->to; bin++) {
        *inliers += facts->inliers[bin];
        *outliers += facts->outliers[bin];
    }
}

static struct histogram
plan_scores(const struct facts *facts, int cols)
{
    struct histogram chart = {.per = 1, .wide = 1};
    double inliers, outliers;

    choose_bins(&chart, facts);
    int bins = (int)(chart.to - chart.from);
    if (bins > cols)
        chart.per = (bins + cols - 1) / cols;
    else if (bins > 0)
        chart.wide = cols / bins < WIDEST ? cols / bins : WIDEST;
    chart.columns = (bins + chart.per - 1) / chart.per;
    for (int i = 0; i < chart.columns; i++) {
        sum_bins(&chart, facts, i, &inliers, &outliers);
        chart.most = fmax(chart.most, inliers + outliers);
    }
    return chart;
}

struct want
want_scores(const struct view *view, int cols)
{
    if (view->facts == NULL || view->facts->bins == 0 || cols < 16)
        return (struct want){0};
    struct histogram chart = plan_scores(view->facts, cols);
    if (chart.most <= 0.0)
        return (struct want){0};
    return (struct want){.least = CHART_LEAST, .most = SCORES_MOST};
}

/* The column that the limit is in, in cells from the left, or -1. */
static int
limit_cell(const struct histogram *chart, const struct facts *facts)
{
    if (!(facts->limit >= facts->edges[chart->from]))
        return -1;
    for (size_t i = chart->from; i < chart->to; i++)
        if (facts->limit < facts->edges[i + 1])
            return (int)(i - chart->from) / chart->per * chart->wide;
    return -1;
}

/* The lowest and highest score, and the limit between them. */
static void
draw_axis(struct canvas *canvas, int row, struct box box, int limit,
          const struct histogram *chart, const struct facts *facts)
{
    int end = box.col + chart->columns * chart->wide;
    char high[TOP_TEXT], mark[TOP_TEXT];

    if (end < box.col + 24)
        end = box.col + 24 < box.col + box.cols ? box.col + 24
                                                : box.col + box.cols;
    int len = snprintf(high, sizeof high, "%.3g", facts->edges[chart->to]);
    canvas_print(canvas, row, box.col, end, INK_FAINT, "%.3g",
                 facts->edges[chart->from]);
    canvas_print(canvas, row, end - len, end, INK_FAINT, "%s", high);
    if (limit < 0)
        return;
    int width = snprintf(mark, sizeof mark, " limit %.3g", facts->limit) + 1;
    int at = box.col + limit;
    /* Right of the mark where it fits, else left of it. */
    canvas_mark(canvas, row, at, INK_WARN, "▲", '^');
    if (at + width < end - len)
        canvas_print(canvas, row, at + 1, end, INK_WARN, "%s", mark);
    else if (at - width > box.col + 8)
        canvas_print(canvas, row, at - width + 1, at, INK_WARN, "%s ",
                     mark + 1);
}

void
draw_scores(struct canvas *canvas, struct box box, const struct view *view)
{
    const struct facts *facts = view->facts;
    struct histogram chart = plan_scores(facts, box.cols);
    int rows = box.rows - 2, bottom = box.row + rows;
    int limit = limit_cell(&chart, facts);
    char fpr[64] = "";

    if (isfinite(facts->fpr))
        snprintf(fpr, sizeof fpr, ", flagged by p below %.3g", facts->fpr);
    int col = top_heading(canvas, box, "scores");
    canvas_print(canvas, box.row, col, box.col + box.cols, INK_FAINT,
                 "counts on a log scale%s ", fpr);
    for (int i = 0; limit >= 0 && i < rows; i++)
        canvas_mark(canvas, bottom - i, box.col + limit, INK_WARN, "┊", ':');
    for (int i = 0; i < chart.columns; i++) {
        double inliers, outliers;
        sum_bins(&chart, facts, i, &inliers, &outliers);
        /* Few are flagged of many: as they are, they could not be seen. */
        double share = log1p(inliers + outliers) / log1p(chart.most);
        for (int j = 0; j < chart.wide; j++)
            bars_column(canvas, bottom, rows, box.col + i * chart.wide + j,
                        outliers > inliers ? INK_BAD : INK_GOOD, share);
    }
    draw_axis(canvas, bottom + 1, box, limit, &chart, facts);
}

/* ---- windows ---- */

struct want
want_windows(const struct view *view, int cols)
{
    if (view->facts == NULL || view->facts->span_count == 0 || cols < 16)
        return (struct want){0};
    return (struct want){.least = CHART_LEAST, .most = WINDOWS_MOST};
}

/* Spans FIRST up to END, as one. */
static struct facts_span
join(const struct facts *facts, size_t first, size_t end)
{
    struct facts_span sum = facts->spans[first];

    for (size_t i = first + 1; i < end; i++) {
        const struct facts_span *one = &facts->spans[i];
        sum.windows += one->windows;
        sum.inliers += one->inliers;
        sum.outliers += one->outliers;
        sum.bursts += one->bursts;
        sum.drifts += one->drifts;
        /* What is not usual is to be seen. */
        if (sum.state == STATE_LIVE || sum.state == STATE_WARMING ||
            one->state == STATE_BURST)
            sum.state = one->state;
    }
    return sum;
}

static double
span_share(const struct facts_span *span)
{
    const struct facts_totals totals = {.inliers = span->inliers,
                                        .outliers = span->outliers};

    return facts_share(&totals);
}

/* A letter below a bar where a burst or a drift began. */
static void
draw_event(struct canvas *canvas, int row, int col,
           const struct facts_span *span)
{
    if (span->bursts > 0.0)
        canvas_mark(canvas, row, col, INK_BAD, "B", 'B');
    else if (span->drifts > 0.0)
        canvas_mark(canvas, row, col, INK_WARN, "D", 'D');
    else
        canvas_mark(canvas, row, col, INK_FAINT, "·", '.');
}

/* The spans of column I of COLUMNS; a share suffers nothing from it that some
 * columns have one more than others. */
static struct facts_span
join_column(const struct facts *facts, size_t i, size_t columns)
{
    return join(facts, i * facts->span_count / columns,
                (i + 1) * facts->span_count / columns);
}

static void
draw_windows_head(struct canvas *canvas, struct box box,
                  const struct facts *facts, double peak)
{
    const struct facts_span *last = &facts->spans[facts->span_count - 1];
    char most[TOP_TEXT], from[TOP_TEXT], to[TOP_TEXT];
    int at = top_heading(canvas, box, "windows");

    canvas_print(canvas, box.row, at, box.col + box.cols, INK_FAINT,
                 "%s to %s, up to %s flagged%s ",
                 top_count(from, facts->spans[0].window, 0),
                 top_count(to, last->window + last->windows - 1.0, 0),
                 top_percent(most, peak),
                 box.cols >= 72 ? "; B: burst, D: drift" : "");
}

void
draw_windows(struct canvas *canvas, struct box box, const struct view *view)
{
    const struct facts *facts = view->facts;
    size_t count = facts->span_count, cols = (size_t)box.cols;
    size_t columns = count < cols ? count : cols;
    int wide = cols / columns < WIDEST ? (int)(cols / columns) : WIDEST;
    int rows = box.rows - 2, bottom = box.row + rows, col = box.col;
    double peak = 0.0;

    for (size_t i = 0; i < columns; i++) {
        struct facts_span span = join_column(facts, i, columns);
        peak = fmax(peak, span_share(&span));
    }
    draw_windows_head(canvas, box, facts, peak);
    for (size_t i = 0; i < columns; i++, col += wide) {
        struct facts_span span = join_column(facts, i, columns);
        for (int j = 0; j < wide; j++)
            bars_column(canvas, bottom, rows, col + j,
                        top_state_ink(span.state),
                        peak > 0.0 ? span_share(&span) / peak : 0.0);
        draw_event(canvas, bottom + 1, col, &span);
    }
}
