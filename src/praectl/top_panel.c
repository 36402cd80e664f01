/* top_panel.c - numbers for people, states, headings. */
#include "top_panel.h"

#include <math.h>
#include <stdio.h>

const char *
top_count(char text[TOP_TEXT], double count, int exact)
{
    static const char units[] = "kMGTP";
    int unit = -1;

    if (!isfinite(count)) {
        snprintf(text, TOP_TEXT, "-");
    } else if (fabs(count) < 99999.5 || (exact && fabs(count) < 1e15)) {
        int places = count == floor(count) || fabs(count) >= 100.0 ? 0 : 1;
        snprintf(text, TOP_TEXT, "%.*f", places, count);
    } else if (fabs(count) >= 1e18) {
        snprintf(text, TOP_TEXT, "%.2g", count);
    } else {
        do {
            count /= 1000.0;
            unit++;
        } while (fabs(count) >= 999.5 && unit < 4);
        snprintf(text, TOP_TEXT, "%.3g%c", count, units[unit]);
    }
    return text;
}

const char *
top_time(char text[TOP_TEXT], double seconds)
{
    if (!(seconds >= 0.0) || seconds > 1e12)
        snprintf(text, TOP_TEXT, "-");
    else if (seconds < 0.9995)
        snprintf(text, TOP_TEXT, "%.3g ms", seconds * 1e3);
    else if (seconds < 99.95)
        snprintf(text, TOP_TEXT, "%.3g s", seconds);
    else if (seconds < 7200.0)
        snprintf(text, TOP_TEXT, "%.0f min", floor(seconds / 60.0));
    else if (seconds < 48.0 * 3600.0)
        snprintf(text, TOP_TEXT, "%.0f h %.0f min", floor(seconds / 3600.0),
                 floor(fmod(seconds, 3600.0) / 60.0));
    else
        snprintf(text, TOP_TEXT, "%.0f days", floor(seconds / 86400.0));
    return text;
}

const char *
top_percent(char text[TOP_TEXT], double share)
{
    if (!isfinite(share))
        snprintf(text, TOP_TEXT, "-");
    else
        snprintf(text, TOP_TEXT, "%.*f %%",
                 share < 0.00995  ? 3
                 : share < 0.0995 ? 2
                                  : 1,
                 100.0 * share);
    return text;
}

const char *
top_state_name(enum facts_state state)
{
    static const char *const names[] = {"warming", "live",   "burst",
                                        "drift",   "frozen", "?"};

    return names[state];
}

enum ink
top_state_ink(enum facts_state state)
{
    static const enum ink inks[] = {INK_FIELD, INK_GOOD, INK_BAD,
                                    INK_WARN,  INK_COOL, INK_PLAIN};

    return inks[state];
}

int
top_heading(struct canvas *canvas, struct box box, const char *name)
{
    int end = box.col + box.cols;

    for (int i = box.col; i < end; i++)
        canvas_mark(canvas, box.row, i, INK_FAINT, "─", '-');
    if (box.cols < 8)
        return end;
    return canvas_print(canvas, box.row, box.col + 2, end, INK_TITLE, " %s ",
                        name);
}
