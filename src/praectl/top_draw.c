/*
 * top_draw.c - which panels are there, and where.
 *
 * Bands lie below each other; on a wide screen some have two panels side by
 * side. Rows are given out by rank: each band gets the least it needs, and
 * one that does not fit is left out; then all grow in turns.
 */
#include "top_draw.h"

#include "top_panel.h"

#define WIDE 120 /* columns from which panels stand side by side */
#define SIDE 44  /* columns of the right one, where the left needs more */

struct panel {
    panel_want *want;
    panel_draw *draw;
};

struct band {
    struct panel left, right; /* no right.draw: the left has it all */
    int rank;                 /* 0 is placed first */
    int side;                 /* columns of the right; 0: half */
    int grows;                /* rows in a turn; 0: one */
    int from;                 /* rows of a screen that has room for it */
};

#define PANEL(name)              \
    {                            \
        want_##name, draw_##name \
    }

static const struct band narrow[] = {
    {.left = PANEL(title), .rank = 0},
    {.left = PANEL(fault), .rank = 1},
    {.left = PANEL(rate), .rank = 2},
    {.left = PANEL(share), .rank = 3},
    {.left = PANEL(totals), .rank = 4},
    {.left = PANEL(events), .rank = 7},
    {.left = PANEL(ports), .rank = 6},
    {.left = PANEL(scores), .rank = 9},
    {.left = PANEL(windows), .rank = 8},
    {.left = PANEL(last), .rank = 5, .grows = 2},
    {.left = PANEL(causes), .rank = 11, .from = 32},
    {.left = PANEL(keys), .rank = 10},
};

static const struct band wide[] = {
    {.left = PANEL(title), .rank = 0},
    {.left = PANEL(fault), .rank = 1},
    {.left = PANEL(rate), .right = PANEL(share), .rank = 2},
    {.left = PANEL(totals), .rank = 3},
    {.left = PANEL(events), .rank = 6},
    {.left = PANEL(ports), .rank = 5},
    {.left = PANEL(scores), .right = PANEL(windows), .rank = 7},
    {.left = PANEL(last),
     .right = PANEL(causes),
     .rank = 4,
     .side = SIDE,
     .grows = 2},
    {.left = PANEL(keys), .rank = 8},
};

#define BANDS (sizeof narrow / sizeof *narrow)

struct layout {
    const struct band *bands;
    size_t count;
    int cols;
    struct want want[BANDS];
    int rows[BANDS]; /* 0: left out */
};

static int
right_cols(const struct band *band, int cols)
{
    return band->side > 0 ? band->side : (cols - 2) / 2;
}

/* Where one side has nothing to show, the other has it all. */
static struct want
want_band(const struct band *band, const struct view *view, int cols)
{
    if (band->right.draw == NULL)
        return band->left.want(view, cols);
    int side = right_cols(band, cols);
    struct want right = band->right.want(view, side);
    struct want left =
        band->left.want(view, right.least > 0 ? cols - side - 2 : cols);
    return (struct want){
        .least = left.least > right.least ? left.least : right.least,
        .most = left.most > right.most ? left.most : right.most};
}

static void
begin(struct layout *layout, const struct view *view, int cols)
{
    int is_wide = cols >= WIDE;

    *layout =
        (struct layout){.bands = is_wide ? wide : narrow,
                        .count = is_wide ? sizeof wide / sizeof *wide : BANDS,
                        .cols = cols};
    for (size_t i = 0; i < layout->count; i++)
        layout->want[i] = want_band(&layout->bands[i], view, cols);
}

/* Gives band I up to COUNT rows more of those that are LEFT. */
static void
grow(struct layout *layout, size_t i, int count, int *left)
{
    int room = layout->want[i].most - layout->rows[i];

    if (layout->rows[i] == 0 && layout->want[i].least > 0)
        return;
    count = count < room ? count : room;
    count = count < *left ? count : *left;
    layout->rows[i] += count;
    *left -= count;
}

static void
give_out(struct layout *layout, int rows)
{
    int left = rows, before;

    for (int rank = 0; rank < (int)BANDS; rank++)
        for (size_t i = 0; i < layout->count; i++)
            if (layout->bands[i].rank == rank &&
                layout->bands[i].from <= rows &&
                layout->want[i].least <= left) {
                layout->rows[i] = layout->want[i].least;
                left -= layout->rows[i];
            }
    for (size_t i = 0; i < layout->count; i++) {
        int more = layout->want[i].most - layout->rows[i];
        if (layout->want[i].is_lump && more <= left)
            grow(layout, i, more, &left);
    }
    do {
        before = left;
        for (size_t i = 0; i < layout->count; i++)
            if (!layout->want[i].is_lump)
                grow(layout, i,
                     layout->bands[i].grows > 0 ? layout->bands[i].grows : 1,
                     &left);
    } while (left > 0 && left < before);
}

static void
draw_band(struct canvas *canvas, const struct band *band, struct box box,
          const struct view *view)
{
    struct box left = box, right = box;

    if (band->right.draw != NULL) {
        right.cols = right_cols(band, box.cols);
        right.col = box.cols - right.cols;
        if (band->right.want(view, right.cols).least > 0) {
            left.cols = right.col - 2;
            if (band->left.want(view, left.cols).least == 0)
                right = box;
            band->right.draw(canvas, right, view);
        }
    }
    if (band->left.want(view, left.cols).least > 0)
        band->left.draw(canvas, left, view);
}

void
top_draw(struct canvas *canvas, const struct view *view)
{
    struct layout layout;
    int row = 0;

    begin(&layout, view, canvas->cols);
    give_out(&layout, canvas->rows);
    for (size_t i = 0; i < layout.count; i++) {
        const struct band *band = &layout.bands[i];
        if (layout.rows[i] == 0)
            continue;
        /* The keys are at the very bottom, with what is left above them. */
        if (band->left.draw == draw_keys)
            row = canvas->rows - 1;
        draw_band(canvas, band,
                  (struct box){row, 0, layout.rows[i], canvas->cols}, view);
        row += layout.rows[i];
    }
}

int
top_draw_rows(const struct view *view, int cols)
{
    struct layout layout;
    int rows = 0;

    begin(&layout, view, cols);
    for (size_t i = 0; i < layout.count; i++) {
        const struct want *want = &layout.want[i];
        rows += want->most < 12 ? want->most : 12;
    }
    return rows;
}
