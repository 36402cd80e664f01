/* speed_out.c - the figures, for people and for programs. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "speed.h"

/* What this bench alone can tell; those against others are bench-peers'. */
struct aim {
    const char *label;
    const char *figure;
    const char *over; /* the figure it is divided by, or NULL */
    double most;
    const char *unit;
};

static const struct aim aims[] = {
    {"score only, file to /dev/null, over decode + pass-through", "score_file",
     "pass", 2.2, "x"},
    {"cost of a record in a long stream over a short one: score", "flat_score",
     NULL, 1.05, "x"},
    {"cost of a record in a long stream over a short one: learn", "flat_learn",
     NULL, 1.05, "x"},
    {"peak memory, 16 columns, window 1024, any length", "rss_long", NULL, 48.0,
     "MiB"},
};
#define AIMS (sizeof aims / sizeof *aims)

static double
aim_value(const struct aim *aim)
{
    double value = measure_find(aim->figure);

    return aim->over == NULL ? value : value / measure_find(aim->over);
}

static const char *
aim_word(const struct aim *aim)
{
    double value = aim_value(aim);

    return isnan(value)         ? "not measured"
           : value <= aim->most ? "reached"
                                : "missed";
}

void
table_print(void)
{
    printf("\n%-34s %10s  %-22s %12s\n", "", "least", "", "a second");
    for (size_t i = 0; i < measure_count; i++) {
        const struct measure *it = &measures[i];
        if (isnan(it->least))
            continue;
        printf("%-34s %10.*f  %-22s", it->label, it->least < 10.0 ? 2 : 1,
               it->least, it->unit);
        if (strncmp(it->unit, "ns", 2) == 0)
            printf(" %12.0f", 1e9 / it->least);
        printf("\n");
    }
}

void
aims_print(void)
{
    printf("\n%-58s %8s %8s\n", "aims", "measured", "aim");
    for (size_t i = 0; i < AIMS; i++)
        printf("%-58s %8.2f %8.2f %-3s %s\n", aims[i].label,
               aim_value(&aims[i]), aims[i].most, aims[i].unit,
               aim_word(&aims[i]));
}

void
figures_print(void)
{
    for (size_t i = 0; i < measure_count; i++)
        if (!isnan(measures[i].least))
            printf("%s\t%.4f\t%s\n", measures[i].name, measures[i].least,
                   measures[i].unit);
}

/* ---- JSON ---- */

static void
put_text(FILE *to, const char *name, const char *text)
{
    fprintf(to, "  \"%s\": \"", name);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            putc('\\', to);
        if ((unsigned char)*text >= ' ')
            putc(*text, to);
    }
    fputs("\",\n", to);
}

static void
put_number(FILE *to, const char *name, double value)
{
    if (isnan(value))
        fprintf(to, "\"%s\": null", name);
    else
        fprintf(to, "\"%s\": %.6g", name, value);
}

int
json_write(const struct speed *speed)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "%s/speed.json", speed->out);
    FILE *to = fopen(path, "w");
    if (to == NULL)
        die("cannot write %s: %s", path, strerror(errno));
    fputs("{\n", to);
    put_text(to, "version", machine_version());
    put_text(to, "machine", machine_cpu());
    put_text(to, "kernel", machine_kernel());
    put_text(to, "compiler", machine_compiler());
    fprintf(to,
            "  \"quick\": %s,\n  \"rounds\": %zu,\n"
            "  \"long_records\": %zu,\n  \"figures\": [\n",
            speed->quick ? "true" : "false", speed->rounds,
            speed->long_records);
    for (size_t i = 0; i < measure_count; i++) {
        fprintf(to, "    {\"name\": \"%s\", \"unit\": \"%s\", ",
                measures[i].name, measures[i].unit);
        put_number(to, "least", measures[i].least);
        fputs(i + 1 < measure_count ? "},\n" : "}\n", to);
    }
    fputs("  ],\n  \"aims\": [\n", to);
    for (size_t i = 0; i < AIMS; i++) {
        fprintf(to, "    {\"what\": \"%s\", \"most\": %g, ", aims[i].label,
                aims[i].most);
        put_number(to, "measured", aim_value(&aims[i]));
        fprintf(to, ", \"result\": \"%s\"}%s\n", aim_word(&aims[i]),
                i + 1 < AIMS ? "," : "");
    }
    fputs("  ]\n}\n", to);
    if (fclose(to) != 0)
        die("cannot write %s: %s", path, strerror(errno));
    return 0;
}
