/* number.c - the numbers that take more than reading their digits. */
#include "number.h"

#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINT_MAX 16 /* bytes of a locale's decimal point */

const char *
pri_decimal_exponent(const char *at, const char *end, int *exponent)
{
    int minus = 0, value = 0;

    if (at < end && (*at == '-' || *at == '+'))
        minus = *at++ == '-';
    const char *first = at;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        value = value < 9999 ? value * 10 + (*at - '0') : value;
    *exponent = minus ? -value : value;
    return at > first ? at : NULL;
}

int
pri_decimal_too_many(const char *at, ptrdiff_t count)
{
    for (; count > PRI_DIGITS_MAX && (*at == '0' || *at == '.'); at++)
        count -= *at == '0';
    return count > PRI_DIGITS_MAX;
}

/* 2^E of a normal number. */
static double
two_to(int e)
{
    uint64_t bits = (uint64_t)(1023 + e) << 52;
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/*
 * DIGITS / 10^PLACES to *VALUE, of more than 53 bits and at most PRI_DIGITS_MAX
 * places.
 *
 * Both are shifted up to have their first bit at the top. The quotient then
 * has 63 or 64 bits, ten more than a double; what is left over only decides
 * whether a tie is one, and for that any bit below the 53 will do.
 */
static int
divide(uint64_t digits, int places, double *value)
{
#ifdef __SIZEOF_INT128__
    uint64_t power = 10;

    for (int i = 1; i < places; i++)
        power *= 10;
    const int up = __builtin_clzll(digits), down = __builtin_clzll(power);
    const unsigned __int128 above = (unsigned __int128)(digits << up) << 63;
    const uint64_t below = power << down;
    uint64_t quotient = (uint64_t)(above / below);

    quotient |= (unsigned __int128)quotient * below != above;
    *value = (double)quotient * two_to(down - up - 63);
    return 1;
#else
    (void)digits, (void)places, (void)value;
    return 0;
#endif
}

int
pri_decimal_divide(const struct decimal *decimal, double *number)
{
    const int exponent = decimal->exponent;
    double value = (double)decimal->digits;

    if (!decimal->exact || exponent > 0 || exponent < -PRI_DIGITS_MAX)
        return 0;
    if (exponent < 0 && !divide(decimal->digits, -exponent, &value))
        return 0;
    *number = decimal->negative ? -value : value;
    return 1;
}

/* ---- any text ---- */

/* strtod on a copy that ends, with the point the locale wants, which may be
 * of several bytes. */
static int
parse_slowly(const char *text, size_t len, double *number)
{
    const char *point = nl_langinfo(RADIXCHAR), *stop;
    const size_t point_len = strlen(point);
    char copy[PRI_NUMBER_MAX + POINT_MAX + 1];
    char *end;

    if (len > PRI_NUMBER_MAX || point_len > POINT_MAX)
        return 0;
    stop = memchr(text, '.', len);
    size_t used = stop == NULL ? len : (size_t)(stop - text);
    memcpy(copy, text, used);
    if (stop != NULL) {
        const size_t rest = len - used - 1;
        memcpy(copy + used, point, point_len);
        memcpy(copy + used + point_len, stop + 1, rest);
        used += point_len + rest;
    }
    copy[used] = '\0';
    *number = strtod(copy, &end);
    return end == copy + used;
}

/* nan, inf, infinity in any case, with a sign. */
static int
parse_word(const char *text, size_t len, double *number)
{
    static const char *const words[] = {"nan", "inf", "infinity"};
    int negative = len > 0 && text[0] == '-';

    if (len > 0 && (text[0] == '-' || text[0] == '+')) {
        text++;
        len--;
    }
    for (size_t w = 0; w < 3; w++) {
        size_t i = 0;
        while (i < len && words[w][i] != '\0' &&
               (text[i] | 0x20) == words[w][i])
            i++;
        if (i == len && words[w][i] == '\0') {
            double value = w == 0 ? (double)NAN : (double)INFINITY;
            *number = negative ? -value : value;
            return 1;
        }
    }
    return 0;
}

int
pri_number_parse(const char *text, size_t len, double *number, int *whole)
{
    struct decimal decimal;
    const char *end = pri_decimal_read(text, text + len, &decimal);

    *whole = end != NULL && decimal.whole;
    if (end == NULL)
        return parse_word(text, len, number);
    if (end != text + len)
        return 0;
    return pri_decimal_value(&decimal, number) ||
           parse_slowly(text, len, number);
}

/* ---- and back ---- */

size_t
pri_number_write(char *text, size_t size, int digits, double value)
{
    static const char plain[] = "0123456789+-einfa";
    char whole[64]; /* where a point of several bytes is not cut */
    const char *at = whole;
    size_t len = 0;

    snprintf(whole, sizeof whole, "%.*g", digits, value);
    while (*at != '\0' && len + 1 < size) {
        const size_t point_len = strcspn(at, plain);
        text[len++] = (char)(point_len > 0 ? '.' : *at);
        at += point_len > 0 ? point_len : 1;
    }
    if (size > 0)
        text[len] = '\0';
    return len;
}
