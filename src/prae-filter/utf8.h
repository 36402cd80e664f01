/* utf8.h - one character at a time, of bytes that may be anything. */
#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The character that TEXT (LEN > 0) begins with, of *BYTES bytes; -1, and one
 * byte, where it is not UTF-8. */
static inline int32_t
utf8_take(const char *text, size_t len, size_t *bytes)
{
    static const int32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *byte = (const unsigned char *)text;
    size_t count = byte[0] < 0x80   ? 1
                   : byte[0] < 0xc0 ? 0
                   : byte[0] < 0xe0 ? 2
                   : byte[0] < 0xf0 ? 3
                   : byte[0] < 0xf8 ? 4
                                    : 0;
    int32_t code = count == 1 ? byte[0] : byte[0] & (0x7f >> count);

    *bytes = 1;
    if (count == 0 || count > len)
        return -1;
    for (size_t i = 1; i < count; i++) {
        if ((byte[i] & 0xc0) != 0x80)
            return -1;
        code = code << 6 | (byte[i] & 0x3f);
    }
    if (code < least[count] || code > 0x10ffff ||
        (code >= 0xd800 && code < 0xe000))
        return -1;
    *bytes = count;
    return code;
}

/* Whether CODE does something other than to be seen: drives a terminal, ends
 * a line, turns text around, or hides. */
static inline int
utf8_is_control(int32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad ||
           code == 0x061c || (code >= 0x200b && code <= 0x200f) ||
           (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
           (code >= 0xfff9 && code <= 0xfffb) ||
           (code >= 0xe0000 && code <= 0xe007f);
}

#endif
