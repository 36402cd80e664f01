/* duration.h - times as people write them. */
#ifndef DURATION_H
#define DURATION_H

#include <stdlib.h>
#include <string.h>

/* The seconds that TEXT says, as 500ms, 5s, 2m or 1h; 0 where it is none. */
static inline double
duration_seconds(const char *text)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"ms", 0.001}, {"s", 1.0}, {"m", 60.0}, {"h", 3600.0}};
    char *end;
    double number = strtod(text, &end);

    for (size_t i = 0; end != text && i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0)
            return number * units[i].seconds;
    return 0.0;
}

#endif
