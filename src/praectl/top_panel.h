/*
 * top_panel.h - the panels of a screen, and what they share.
 *
 * A panel tells with want_* how many rows it needs at COLS columns, LEAST 0
 * where it has nothing to show, and with draw_* fills a box of at least that
 * many.
 */
#ifndef TOP_PANEL_H
#define TOP_PANEL_H

#include "top_draw.h"

struct want {
    int least, most;
    int is_lump; /* one or the other, but nothing between them */
};

typedef struct want panel_want(const struct view *view, int cols);
typedef void panel_draw(struct canvas *canvas, struct box box,
                        const struct view *view);

/* top_lines.c */
panel_want want_title, want_fault, want_rate, want_share, want_keys;
panel_draw draw_title, draw_fault, draw_rate, draw_share, draw_keys;

/* top_sums.c, top_ports.c */
panel_want want_totals, want_events, want_ports;
panel_draw draw_totals, draw_events, draw_ports;

/* top_charts.c */
panel_want want_scores, want_windows;
panel_draw draw_scores, draw_windows;

/* top_lists.c */
panel_want want_last, want_causes;
panel_draw draw_last, draw_causes;

/* ---- what they share ---- */

#define TOP_NARROW 60 /* columns below which less is said */
#define TOP_TEXT 32   /* bytes that hold a number as text */

/* A count: whole below a hundred thousand or where EXACT, else as 12.3M; "-"
 * where it is not known. */
const char *top_count(char text[TOP_TEXT], double count, int exact);

/* A duration: "40 ms", "12 s", "3 h 20 min". */
const char *top_time(char text[TOP_TEXT], double seconds);

/* "1.23 %" of a share; "-" where it is not known. */
const char *top_percent(char text[TOP_TEXT], double share);

const char *top_state_name(enum facts_state state);
enum ink top_state_ink(enum facts_state state);

/* A rule across the first row of BOX with NAME in it. The column behind the
 * name, where more may be put. */
int top_heading(struct canvas *canvas, struct box box, const char *name);

#endif
