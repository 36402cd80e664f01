/* plain.c - escapes for texts, words for values. */
#include "plain.h"

#include <math.h>
#include <string.h>

#include "utf8.h"

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
    size_t bytes;
    int32_t code = utf8_take(text.text, text.len, &bytes);

    if (code < 0) {
        piece->code = -1;
        piece->len = (size_t)snprintf(piece->bytes, sizeof piece->bytes,
                                      "\\x%02x", (unsigned char)text.text[0]);
    } else if (utf8_is_control(code) || (ascii_only && code >= 0x80)) {
        escape(piece, code);
    } else {
        piece->code = code;
        piece->len = bytes;
        memcpy(piece->bytes, text.text, bytes);
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
