/* show_print.c - how a flagged record looks. What came with it is printed by
 * plain.c, so that none can do anything to a terminal. */
#include "show_print.h"

#include <math.h>
#include <string.h>

#include "plain.h"

typedef unsigned long long ull;

/* What is coloured, and how. */
#define TITLE "\033[1m"
#define ODD "\033[31m"
#define REFUSED "\033[33m"
#define FIELD "\033[36m"
#define END "\033[0m"

static void
colour(const struct look *look, const char *code)
{
    if (look->colours)
        fputs(code, look->out);
}

static void
print_number(const struct look *look, const char *name, double number)
{
    if (!isnan(number))
        fprintf(look->out, "  %s %.6g", name, number);
}

/* A text is judged by a number, which is called what it is where it stands
 * beside one. */
static void
print_value(const struct look *look, const struct reason *reason,
            const struct value *value, const struct value *other)
{
    fputs(plain_measure(reason->field, value, other), look->out);
    plain_value(look->out, value);
}

/* The values that a reason is about: "observed X, expected Y (41 %)". */
static void
print_values(const struct look *look, const struct reason *reason)
{
    fputs("observed ", look->out);
    print_value(look, reason, &reason->observed, &reason->expected);
    fputs(", expected ", look->out);
    print_value(look, reason, &reason->expected, &reason->observed);
    fprintf(look->out, " (%.0f %%)", 100.0 * reason->share);
}

static void
print_record(const struct look *look, const struct flagged *record)
{
    if (look->format == PRAE_FORMAT_MSGPACK)
        plain_msgpack(look->out, record->original);
    else
        plain_text(look->out, record->original);
    if (!record->is_whole)
        fputs(" (not whole)", look->out);
}

/* ---- a block ---- */

static void
print_title(const struct look *look, const struct flagged *record)
{
    FILE *out = look->out;

    colour(look, TITLE);
    fprintf(out, "record %llu", (ull)record->seq);
    colour(look, END);
    fprintf(out, ", window %llu", (ull)record->window);
    if (record->state.len > 0) {
        fputs(", ", out);
        plain_text(out, record->state);
    }
    colour(look, record->is_reject ? REFUSED : ODD);
    if (record->is_reject)
        fputs("  rejected", out);
    print_number(look, "score", record->score);
    colour(look, END);
    print_number(look, "p", record->p);
    print_number(look, "gate", record->gate);
    print_number(look, "error", record->error);
    putc('\n', out);
}

static void
print_block(const struct look *look, const struct flagged *record)
{
    FILE *out = look->out;

    print_title(look, record);
    if (record->is_reject) {
        fputs("    ", out);
        colour(look, FIELD);
        plain_text(out, record->code);
        colour(look, END);
        fputs(": ", out);
        plain_text(out, record->clause);
        putc('\n', out);
    }
    for (size_t i = 0; i < record->why_count; i++) {
        fputs("    ", out);
        colour(look, FIELD);
        plain_text(out, record->why[i].field);
        colour(look, END);
        putc(' ', out);
        print_values(look, &record->why[i]);
        putc('\n', out);
    }
    if (look->record) {
        fputs("    ", out);
        print_record(look, record);
        putc('\n', out);
    }
    putc('\n', out);
}

/* ---- a line ---- */

static void
print_cell(const struct look *look, double number)
{
    if (isnan(number))
        fprintf(look->out, " %10s", "-");
    else
        fprintf(look->out, " %10.5g", number);
}

static void
print_why(const struct look *look, const struct flagged *record)
{
    FILE *out = look->out;

    if (record->is_reject) {
        plain_text(out, record->code);
        fputs(": ", out);
        plain_text(out, record->clause);
    }
    for (size_t i = 0; i < record->why_count; i++) {
        fputs(i == 0 ? "" : "; ", out);
        colour(look, FIELD);
        plain_text(out, record->why[i].field);
        colour(look, END);
        putc(' ', out);
        print_values(look, &record->why[i]);
    }
}

static void
print_line(const struct look *look, const struct flagged *record)
{
    FILE *out = look->out;
    struct word state =
        record->is_reject ? (struct word){"reject", 6} : record->state;

    fprintf(out, "%9llu %8llu", (ull)record->seq, (ull)record->window);
    print_cell(look, record->score);
    print_cell(look, record->p);
    fputs("  ", out);
    plain_text(out, state);
    fprintf(out, "%*s", state.len < 8 ? (int)(8 - state.len) : 1, "");
    print_why(look, record);
    if (look->record) {
        fputs("  ", out);
        print_record(look, record);
    }
    putc('\n', out);
}

/* ---- both ---- */

void
show_print_head(const struct look *look)
{
    if (!look->table)
        return;
    colour(look, TITLE);
    fprintf(look->out, "%9s %8s %10s %10s  %-8s%s", "record", "window", "score",
            "p", "state", "why");
    colour(look, END);
    putc('\n', look->out);
}

void
show_print(const struct look *look, const struct flagged *record)
{
    if (look->table)
        print_line(look, record);
    else
        print_block(look, record);
}
