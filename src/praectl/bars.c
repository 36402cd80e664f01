/* bars.c - eighths of cells. */
#include "bars.h"

#include <math.h>

static const char *const rising[] = {" ", "▁", "▂", "▃", "▄",
                                     "▅", "▆", "▇", "█"};
static const char *const widening[] = {" ", "▏", "▎", "▍", "▌",
                                       "▋", "▊", "▉", "█"};

/* In ASCII a spark has more levels than the top of a bar: its cell stands
 * alone. */
static const char spark_ascii[] = " .:-=+*#@";
static const char bar_ascii[] = " ..::||##";

/* SHARE of UNITS, and at least one of what is there at all. */
static int
units_of(double share, int units)
{
    if (!(share > 0.0))
        return 0;
    int whole = (int)lround(fmin(share, 1.0) * units);
    return whole > 0 ? whole : 1;
}

void
bars_spark(struct canvas *canvas, int row, int col, int end, enum ink ink,
           const double *values, size_t count, double most)
{
    for (int at = end - 1; at >= col && count > 0; at--) {
        double value = values[--count];
        int level = most > 0.0 ? units_of(value / most, 8) : 0;
        /* A bottom line, so that nothing is told from not known. */
        if (isfinite(value) && level == 0)
            canvas_mark(canvas, row, at, INK_FAINT, rising[1], '_');
        else if (isfinite(value))
            canvas_mark(canvas, row, at, ink, rising[level],
                        spark_ascii[level]);
    }
}

void
bars_column(struct canvas *canvas, int bottom, int rows, int col, enum ink ink,
            double share)
{
    int left = units_of(share, 8 * rows);

    for (int i = 0; i < rows && left > 0; i++, left -= 8) {
        int level = left < 8 ? left : 8;
        canvas_mark(canvas, bottom - i, col, ink, rising[level],
                    bar_ascii[level]);
    }
}

void
bars_row(struct canvas *canvas, int row, int col, int end, enum ink ink,
         double share)
{
    int left = units_of(share, 8 * (end - col));

    for (; col < end && left > 0; col++, left -= 8) {
        int level = left < 8 ? left : 8;
        canvas_mark(canvas, row, col, ink, widening[level], '#');
    }
}
