/*
 * plain_msgpack.c - MessagePack for the eye. Nothing recurses, so depth in a
 * record is no depth on the stack.
 */
#include <math.h>
#include <stdlib.h>

#include "msgpack_head.h"
#include "plain.h"

#define DEPTH_MAX 64 /* containers shown within each other */

struct open {
    uint64_t left, seen; /* keys and values both count */
    int is_map;
};

/* As few digits as give the same number back. */
static void
print_real(FILE *out, double number)
{
    char text[40];

    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (isnan(number) || strtod(text, NULL) == number)
            break;
    }
    fputs(isnan(number) ? "nan" : text, out);
}

/* So that no text looks like the end of itself and more fields. */
static void
print_quoted(FILE *out, struct word text)
{
    putc('"', out);
    while (text.len > 0) {
        size_t plain = 0;
        while (plain < text.len && text.text[plain] != '"' &&
               text.text[plain] != '\\')
            plain++;
        plain_text(out, (struct word){text.text, plain});
        if (plain < text.len)
            fprintf(out, "\\%c", text.text[plain++]);
        text.text += plain;
        text.len -= plain;
    }
    putc('"', out);
}

/* Whether HEAD begins an integer: its digits tell more than a real's would. */
static int
is_integer(const struct head *head)
{
    return head->byte < 0x80 || head->byte >= 0xe0 ||
           (head->byte >= 0xcc && head->byte <= 0xd3);
}

static void
print_scalar(FILE *out, const struct head *head, const struct value *value,
             struct word bytes)
{
    int is_bytes = head->byte >= 0xc4 && head->byte <= 0xc6;

    if (head->kind == VALUE_NONE) {
        fputs("null", out);
    } else if (head->kind == VALUE_NUMBER && value->is_whole) {
        fprintf(out, "%llu", (unsigned long long)value->whole);
    } else if (head->kind == VALUE_NUMBER && is_integer(head)) {
        fprintf(out, "%lld", (long long)value->whole);
    } else if (head->kind == VALUE_NUMBER) {
        print_real(out, value->number);
    } else if (head->kind == VALUE_TEXT && !is_bytes) {
        print_quoted(out, bytes);
    } else if (head->byte == 0xc2 || head->byte == 0xc3) {
        fputs(head->byte == 0xc2 ? "false" : "true", out);
    } else {
        fprintf(out, "<%zu bytes>", bytes.len);
    }
}

/* What stands before an item of INSIDE. */
static void
print_separator(FILE *out, struct open *inside)
{
    if (inside->seen > 0)
        fputs(inside->is_map && inside->seen % 2 == 1 ? ": " : ", ", out);
    inside->seen++;
    inside->left--;
}

/* Ends the containers that have nothing more in them. Returns how many are
 * left. */
static size_t
close_containers(FILE *out, const struct open *open, size_t depth)
{
    while (depth > 0 && open[depth - 1].left == 0)
        putc(open[--depth].is_map ? '}' : ']', out);
    return depth;
}

void
plain_msgpack(FILE *out, struct word bytes)
{
    struct walk walk = {.at = bytes.text, .end = bytes.text + bytes.len};
    struct open open[DEPTH_MAX];
    size_t depth = 0;
    struct head head;
    struct value value;

    do {
        if (!msgpack_head(&walk, &head, &value) ||
            !msgpack_need(&walk, head.bytes))
            break;
        if (depth > 0)
            print_separator(out, &open[depth - 1]);
        if (!head.is_map && !head.is_list) {
            print_scalar(out, &head, &value,
                         (struct word){walk.at, (size_t)head.bytes});
            walk.at += head.bytes;
        } else if (depth < DEPTH_MAX) {
            putc(head.is_map ? '{' : '[', out);
            open[depth++] = (struct open){head.items, 0, head.is_map};
        } else {
            break;
        }
        depth = close_containers(out, open, depth);
    } while (depth > 0);
    if (depth > 0 || walk.status != PARSE_OK)
        fputs(" ...", out);
}
