/* plain.c - escapes for texts, words for values. */
#include "plain.h"

#include <math.h>
#include <string.h>

/* The character at TEXT, of *BYTES bytes; -1 where it is not UTF-8. */
static int32_t
take_character(const unsigned char *text, size_t len, size_t *bytes)
{
    static const int32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = text[0];
    size_t count = first < 0x80   ? 1
                   : first < 0xc0 ? 0
                   : first < 0xe0 ? 2
                   : first < 0xf0 ? 3
                   : first < 0xf8 ? 4
                                  : 0;
    int32_t code = count == 1 ? first : first & (0x7f >> count);

    *bytes = 1;
    if (count == 0 || count > len)
        return -1;
    for (size_t i = 1; i < count; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return -1;
        code = code << 6 | (text[i] & 0x3f);
    }
    if (code < least[count] || code > 0x10ffff ||
        (code >= 0xd800 && code < 0xe000))
        return -1;
    *bytes = count;
    return code;
}

/* Whether CODE does something other than to be seen. */
static int
is_control(int32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad ||
           code == 0x061c || (code >= 0x200b && code <= 0x200f) ||
           (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
           (code >= 0xfff9 && code <= 0xfffb) ||
           (code >= 0xe0000 && code <= 0xe007f);
}

static void
escape(struct plain_piece *piece, int32_t code)
{
    int letter = code == '\n'   ? 'n'
                 : code == '\r' ? 'r'
                 : code == '\t' ? 't'
                                : '\0';

    piece->code = -1;
    piece->len = letter != '\0'
                     ? (size_t)snprintf(piece->bytes, sizeof piece->bytes,
                                        "\\%c", letter)
                     : (size_t)snprintf(piece->bytes, sizeof piece->bytes,
                                        code < 0x80 ? "\\x%02x" : "\\u%04x",
                                        (unsigned)code);
}

size_t
plain_piece(struct word text, int ascii_only, struct plain_piece *piece)
{
    const unsigned char *here = (const unsigned char *)text.text;
    size_t bytes;
    int32_t code = take_character(here, text.len, &bytes);

    if (code < 0) {
        piece->code = -1;
        piece->len = (size_t)snprintf(piece->bytes, sizeof piece->bytes,
                                      "\\x%02x", (unsigned)here[0]);
    } else if (is_control(code) || (ascii_only && code >= 0x80)) {
        escape(piece, code);
    } else {
        piece->code = code;
        piece->len = bytes;
        memcpy(piece->bytes, here, bytes);
    }
    return bytes;
}

void
plain_text(FILE *out, struct word text)
{
    struct plain_piece piece;

    while (text.len > 0) {
        size_t bytes = plain_piece(text, 0, &piece);
        fwrite(piece.bytes, 1, piece.len, out);
        text.text += bytes;
        text.len -= bytes;
    }
}

void
plain_copy(char *out, size_t cap, struct word text)
{
    struct plain_piece piece;
    size_t len = 0;

    while (text.len > 0) {
        size_t bytes = plain_piece(text, 0, &piece);
        if (piece.len >= cap - len)
            break;
        memcpy(out + len, piece.bytes, piece.len);
        len += piece.len;
        text.text += bytes;
        text.len -= bytes;
    }
    out[len] = '\0';
}

void
plain_value(FILE *out, const struct value *value)
{
    switch (value->kind) {
    case VALUE_NONE: fputs("nothing", out); break;
    case VALUE_NUMBER:
        if (value->is_whole)
            fprintf(out, "%llu", (unsigned long long)value->whole);
        else if (isnan(value->number))
            fputs("nan", out); /* whatever its sign */
        else
            fprintf(out, "%.6g", value->number);
        break;
    case VALUE_TEXT: plain_text(out, value->text); break;
    case VALUE_OTHER: fputs("?", out); break;
    }
}

const char *
plain_measure(struct word field, const struct value *value,
              const struct value *other)
{
    static const char length[] = ", length";
    size_t len = sizeof length - 1;

    if (value->kind != VALUE_NUMBER || other->kind != VALUE_TEXT)
        return "";
    return field.len > len &&
                   memcmp(field.text + field.len - len, length, len) == 0
               ? "log of length "
               : "rarity ";
}
