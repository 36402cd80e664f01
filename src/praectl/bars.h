/* bars.h - numbers as bars of block characters, an eighth of a cell fine; of
 * ASCII where nothing else can be shown. */
#ifndef BARS_H
#define BARS_H

#include "canvas.h"

/* VALUES (COUNT), the last of them rightmost, in one row from COL up to END;
 * MOST is as high as it gets. What is not finite is left blank. */
void bars_spark(struct canvas *canvas, int row, int col, int end, enum ink ink,
                const double *values, size_t count, double most);

/* A bar in column COL that stands on row BOTTOM; SHARE, 0 to 1, of ROWS. What
 * is more than nothing can be seen. */
void bars_column(struct canvas *canvas, int bottom, int rows, int col,
                 enum ink ink, double share);

/* A bar to the right, SHARE of the cells from COL up to END. */
void bars_row(struct canvas *canvas, int row, int col, int end, enum ink ink,
              double share);

#endif
