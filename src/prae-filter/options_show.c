/* options_show.c - the table as people see it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

#include "http.h"
#include "options_table.h"

/* ---- values ---- */

/* As short as gives the same again. */
static void
print_seconds(double seconds, char *value, size_t size)
{
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(value, size, "%.*gs", digits, seconds);
        if (strtod(value, NULL) == seconds)
            break;
    }
}

/* The value of ROW in OPTIONS as it would be given, to VALUE (SIZE); "" where
 * there is none. */
static void
print_value(const struct options *options, const struct row *row, char *value,
            size_t size)
{
    const void *at = (const char *)options + row->offset;
    const char *name = row->name;

    value[0] = '\0';
    if (row->kind == PARAM || row->kind == SWITCH)
        (void)!prae_params_get(&options->params, name, value, size);
    else if (row->kind == NUMBER)
        snprintf(value, size, "%zu", *(const size_t *)at);
    else if (row->kind == TIME)
        print_seconds(*(const double *)at, value, size);
    else if (row->kind == TEXT && *(const char *const *)at != NULL)
        snprintf(value, size, "%s", *(const char *const *)at);
    else if (row->kind == ON && *(const int *)at >= 0)
        snprintf(value, size, "%s", *(const int *)at > 0 ? "yes" : "no");
    else if (row->kind != OWN)
        return;
    else if (strcmp(name, "log") == 0)
        snprintf(value, size, "%s", options->json ? "json" : "text");
    else if (strcmp(name, "sandbox") == 0)
        snprintf(value, size, "%s", options->sandbox ? "auto" : "off");
    else if (strcmp(name, "emit") == 0)
        snprintf(value, size, "%s", options->emit_now ? "now" : "window");
    else if (strcmp(name, "max-wait") == 0 && options->max_wait > 0.0)
        print_seconds(options->max_wait, value, size);
    else if (strcmp(name, "max-wait") == 0 && options->max_wait == 0.0)
        snprintf(value, size, "never");
    else if (strcmp(name, "save-every") == 0 && options->save_windows > 0)
        snprintf(value, size, "%llu",
                 (unsigned long long)options->save_windows);
    else if (strcmp(name, "save-every") == 0 && options->save_seconds > 0.0)
        print_seconds(options->save_seconds, value, size);
}

/* ---- answers ---- */

static void
print_row(const struct row *row, const struct options *defaults)
{
    char left[48], value[64] = "";
    char letter[4] = "   ";

    if (row->letter != 0)
        snprintf(letter, sizeof letter, "-%c,", row->letter);
    snprintf(left, sizeof left, "  %s --%s%s%s", letter, row->name,
             row->arg == NULL ? "" : "=", row->arg == NULL ? "" : row->arg);
    if (row->kind == PARAM || row->kind == NUMBER || row->kind == TIME)
        print_value(defaults, row, value, sizeof value);
    printf("%-28s %s", left, row->meaning);
    if (value[0] != '\0')
        printf(" [%s]", value);
    putchar('\n');
}

void
options_print_help(void)
{
    struct options defaults;

    options_init(&defaults);
    puts("Usage: prae-filter [OPTION]... [FILE]\n"
         "\n"
         "Reads records from FILE or standard input, passes on those that fit "
         "the others,\n"
         "and sets aside those that do not, with the reasons.\n"
         "\n"
         "  prae-filter < in.msgpack > clean.msgpack\n"
         "  prae-filter -o clean.csv -O odd.csv sensors.csv\n"
         "  prae-filter -i pull:@ipc://in -o push:ipc://clean -O "
         "push:ipc://odd");
    for (size_t i = 0; i < option_count; i++) {
        if (option_rows[i].name == NULL)
            printf("\n%s:\n", option_rows[i].meaning);
        else
            print_row(&option_rows[i], &defaults);
    }
    puts("\nDefaults are in brackets. More: man prae-filter.");
}

void
options_print_version(void)
{
    int major, minor, patch;

    zmq_version(&major, &minor, &patch);
    printf("prae-filter %s\n%s, libzmq %d.%d.%d", prae_version(),
           prae_version_kernels(), major, minor, patch);
    if (http_version() != NULL)
        printf(", libmicrohttpd %s", http_version());
    putchar('\n');
}

/* A line of a configuration, with quotes where VALUE would lose something
 * without them. */
static void
print_setting(FILE *out, const char *name, const char *value)
{
    size_t len = strlen(value);
    const char *quote = "";

    if (strchr(value, '\n') != NULL) {
        fprintf(out, "# %s: has a line's end, which no line can hold\n", name);
        return;
    }
    if (len > 0 && (strchr(" \t\r\"", value[0]) != NULL ||
                    strchr(" \t\r", value[len - 1]) != NULL))
        quote = "\"";
    fprintf(out, "%s = %s%s%s\n", name, quote, value, quote);
}

/* What --config would take to give the same options. */
void
options_print_config(FILE *out, const struct options *options)
{
    static char value[1u << 20]; /* as long as a configuration may be */

    for (size_t i = 0; i < option_count; i++) {
        const struct row *row = &option_rows[i];
        if (row->name == NULL) {
            fprintf(out, "%s# %s\n", i == 0 ? "" : "\n", row->meaning);
            continue;
        }
        if (row->kind == ACTION || strcmp(row->name, "config") == 0)
            continue;
        if (row->kind == LIST) {
            const struct list *list =
                (const void *)((const char *)options + row->offset);
            for (size_t k = 0; k < list->count; k++)
                print_setting(out, row->name, list->text[k]);
            if (list->count == 0)
                fprintf(out, "# %s =\n", row->name);
            continue;
        }
        print_value(options, row, value, sizeof value);
        /* A format that was not asked for is still the suffix's to choose. */
        if (strcmp(row->name, "format") == 0 && !options->format_given)
            value[0] = '\0';
        if (value[0] == '\0')
            fprintf(out, "# %s =\n", row->name);
        else
            print_setting(out, row->name, value);
    }
}

/* TEXT as one word of a shell's. */
static void
print_word(FILE *out, const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz"
                                "0123456789%+,-./:=@_";

    if (text[0] != '\0' && strspn(text, plain) == strlen(text)) {
        fputs(text, out);
        return;
    }
    putc('\'', out);
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else
            putc(*text, out);
    }
    putc('\'', out);
}

static void
print_option(FILE *out, const struct row *row, const char *value)
{
    fprintf(out, " --%s", row->name);
    if (row->arg == NULL)
        return;
    putc('=', out);
    print_word(out, value);
}

void
options_print_command(FILE *out, const struct options *options)
{
    struct options defaults;
    char value[4096], usual[4096];

    options_init(&defaults);
    fputs("prae-filter", out);
    for (size_t i = 0; i < option_count; i++) {
        const struct row *row = &option_rows[i];
        if (row->name == NULL || row->kind == ACTION ||
            strcmp(row->name, "config") == 0)
            continue;
        if (row->kind == LIST) {
            const struct list *list =
                (const void *)((const char *)options + row->offset);
            for (size_t k = 0; k < list->count; k++)
                print_option(out, row, list->text[k]);
            continue;
        }
        print_value(options, row, value, sizeof value);
        print_value(&defaults, row, usual, sizeof usual);
        /* Where nobody said how long records wait, the inputs did. */
        if (strcmp(row->name, "max-wait") == 0)
            snprintf(usual, sizeof usual, "%s",
                     options->sockets_in ? "1s" : "never");
        /* Only a configuration can say no. */
        if (row->kind == ON && strcmp(value, "no") == 0)
            continue;
        if (value[0] != '\0' && strcmp(value, usual) != 0)
            print_option(out, row, value);
    }
}
