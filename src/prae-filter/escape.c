/* escape.c - character by character. */
#include "escape.h"

#include <string.h>

#include "utf8.h"

size_t
escape_plain(FILE *out, const char *text)
{
    size_t left = strlen(text), bytes, put = 0;

    for (; left > 0; text += bytes, left -= bytes) {
        int32_t code = utf8_take(text, left, &bytes);
        int printed;
        if (code >= 0 && !utf8_is_control(code))
            printed = (int)fwrite(text, 1, bytes, out);
        else if (code < 0x100)
            printed = fprintf(out, "\\x%02x",
                              code < 0 ? (unsigned char)*text : (unsigned)code);
        else
            printed = fprintf(out, "\\u%04x", (unsigned)code);
        put += printed > 0 ? (size_t)printed : 0;
    }
    return put;
}

void
escape_json(FILE *out, const char *text)
{
    size_t left = strlen(text), bytes;

    fputc('"', out);
    for (; left > 0; text += bytes, left -= bytes) {
        int32_t code = utf8_take(text, left, &bytes);
        if (code < 0)
            fputs("\\ufffd", out);
        else if (code == '"' || code == '\\')
            fprintf(out, "\\%c", (int)code);
        else if (code < 0x10000 && utf8_is_control(code))
            fprintf(out, "\\u%04x", (unsigned)code);
        else
            fwrite(text, 1, bytes, out);
    }
    fputc('"', out);
}
