/*
 * canvas.h - a rectangle of character cells, drawn on and then printed.
 *
 * Whatever is drawn stays within the rectangle and within a row: texts are
 * cut, and no byte of a text but printable characters gets in, plain.h sees
 * to that. A cell has one character with its combining marks; a wide one
 * takes two cells. So what is printed can be trusted, whatever was drawn.
 */
#ifndef CANVAS_H
#define CANVAS_H

#include <stddef.h>
#include <stdio.h>

#include "flagged.h"

#define CANVAS_CELL 16 /* bytes: a character and three marks */

enum ink {
    INK_PLAIN,
    INK_FAINT,
    INK_TITLE,
    INK_GOOD,
    INK_BAD,
    INK_WARN,
    INK_COOL,
    INK_FIELD,
    INK_ALARM /* reversed */
};

struct cell {
    char bytes[CANVAS_CELL]; /* (len); len 0: the right half of a wide one */
    unsigned char len;
    unsigned char ink;
};

struct canvas {
    int rows, cols;
    int ascii;         /* nothing else can be shown */
    struct cell *cell; /* (rows, cols) */
};

/* A part of it. */
struct box {
    int row, col, rows, cols;
};

/* Blank cells. 0 where there is no memory. */
int canvas_init(struct canvas *canvas, int rows, int cols, int ascii);

/*
 * Puts TEXT at ROW and COL, as far as it goes before END, a column. The column
 * behind it. What is cut ends in an ellipsis, and END is returned.
 */
int canvas_text(struct canvas *canvas, int row, int col, int end, enum ink ink,
                struct word text);

/* The same of our own words. */
int canvas_print(struct canvas *canvas, int row, int col, int end, enum ink ink,
                 const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Puts one character of ours, one cell wide: UTF-8, or ASCII where the canvas
 * has to. */
void canvas_mark(struct canvas *canvas, int row, int col, enum ink ink,
                 const char *utf8, char ascii);

/* Prints row ROW: trailing blanks are left out where TRIM. */
void canvas_print_row(const struct canvas *canvas, int row, int colours,
                      int trim, FILE *out);

void canvas_fini(struct canvas *canvas);

#endif
