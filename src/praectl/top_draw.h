/*
 * top_draw.h - a filter's facts on a canvas of any size.
 *
 * The screen is made of panels, each of which knows how many rows it needs
 * and how many it can use. What matters most is placed first; what does not
 * fit is left out; what room is left is shared out.
 */
#ifndef TOP_DRAW_H
#define TOP_DRAW_H

#include "canvas.h"
#include "top_trend.h"

struct view {
    const char *source;        /* the URL or endpoint, as given */
    const struct facts *facts; /* the last there were, or NULL */
    const struct trend *trend;
    const char *fault;  /* why there are no newer ones, or NULL */
    int is_unreachable; /* nobody answered; else the answer is bad */
    double age;         /* seconds since the facts came */
    double interval;    /* seconds between two */
    int is_held;        /* the display is paused */
    int is_once;        /* printed, not shown: there are no keys */
};

/* Draws VIEW on CANVAS, which is blank. */
void top_draw(struct canvas *canvas, const struct view *view);

/* The rows that a canvas of COLS needs to show all of VIEW in good shape. */
int top_draw_rows(const struct view *view, int cols);

#endif
