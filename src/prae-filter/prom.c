/* prom.c - families, labels, numbers. */
#include "prom.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "buffer.h"

static void
add(struct prom *prom, const char *bytes, size_t len)
{
    if (!prom->failed)
        prom->failed = !buffer_add(prom->out, bytes, len);
}

static void
add_word(struct prom *prom, const char *word)
{
    add(prom, word, strlen(word));
}

static void
add_quoted(struct prom *prom, const char *text)
{
    add_word(prom, "\"");
    for (; *text != '\0'; text++) {
        if (*text == '\n')
            add_word(prom, "\\n");
        else if (*text == '"' || *text == '\\')
            add(prom, (const char[]){'\\', *text}, 2);
        else
            add(prom, *text < ' ' || *text > '~' ? "?" : text, 1);
    }
    add_word(prom, "\"");
}

static void
print_number(char *text, size_t size, double number)
{
    if (isnan(number))
        snprintf(text, size, "NaN");
    else if (isinf(number))
        snprintf(text, size, "%s", number > 0.0 ? "+Inf" : "-Inf");
    else if (number == floor(number) && fabs(number) < 1e15)
        snprintf(text, size, "%.0f", number);
    else
        snprintf(text, size, "%.15g", number);
}

void
prom_family(struct prom *prom, const char *name, const char *kind,
            const char *help)
{
    const char *const words[] = {"# HELP ", name, " ",  help, "\n# TYPE ",
                                 name,      " ",  kind, "\n"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        add_word(prom, words[i]);
}

void
prom_sample(struct prom *prom, const char *name,
            const struct prom_label *labels, size_t count, double number)
{
    char text[32];

    add_word(prom, name);
    for (size_t i = 0; i < count; i++) {
        add_word(prom, i == 0 ? "{" : ",");
        add_word(prom, labels[i].name);
        add_word(prom, "=");
        add_quoted(prom, labels[i].text);
    }
    print_number(text, sizeof text, number);
    add_word(prom, count > 0 ? "} " : " ");
    add_word(prom, text);
    add_word(prom, "\n");
}

void
prom_labelled(struct prom *prom, const char *name, const char *label,
              const char *text, double number)
{
    prom_sample(prom, name, &(struct prom_label){label, text}, 1, number);
}

void
prom_number(struct prom *prom, const char *name, double number)
{
    prom_sample(prom, name, NULL, 0, number);
}

void
prom_single(struct prom *prom, const char *name, const char *kind,
            const char *help, double number)
{
    prom_family(prom, name, kind, help);
    prom_number(prom, name, number);
}

void
prom_histogram(struct prom *prom, const char *name, const double *edge,
               const uint64_t *bin, size_t count, double sum)
{
    char part[80], bound[32];
    uint64_t below = 0;

    snprintf(part, sizeof part, "%s_bucket", name);
    for (size_t i = 0; i <= count; i++) {
        below += bin[i];
        if (i < count)
            snprintf(bound, sizeof bound, "%.6g", edge[i]);
        prom_labelled(prom, part, "le", i < count ? bound : "+Inf",
                      (double)below);
    }
    snprintf(part, sizeof part, "%s_sum", name);
    prom_number(prom, part, sum);
    snprintf(part, sizeof part, "%s_count", name);
    prom_number(prom, part, (double)below);
}
