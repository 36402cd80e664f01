/*
 * number.h - numbers as people write them, correctly rounded.
 *
 * Locale-independent, and the same as strtod in C's own to the last bit. What
 * most numbers need is here, to be compiled into the loops that read them.
 */
#ifndef PRI_NUMBER_H
#define PRI_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#define PRI_NUMBER_MAX 1024 /* characters of a number that are looked at */
#define PRI_DIGITS_MAX 19   /* that 64 bits have room for, whichever */
#define PRI_NUMBER_EXACT (UINT64_C(1) << 53) /* all integers to here */

/* [-+]digits[.digits][e[-+]digits]: (-1)^negative digits 10^exponent */
struct decimal {
    uint64_t digits;
    int exact; /* `digits` has room for them all */
    int exponent;
    int negative;
    int whole; /* written as an integer */
    int json;  /* as JSON has it: no plus, no needless zero, no bare point */
};

/*
 * The number that TEXT (LEN) is in decimal or scientific notation, to
 * *NUMBER; *WHOLE says whether it was written as an integer. nan and inf
 * are numbers here. 0 where it is none.
 */
int pri_number_parse(const char *text, size_t len, double *number, int *whole);

/* VALUE in up to DIGITS digits to TEXT (SIZE), cut to fit, with a full stop
 * where other locales have a comma. The length. */
size_t pri_number_write(char *text, size_t size, int digits, double value);

/* ---- for those who read on behind it ---- */

/* What follows the e to *EXPONENT, cut to what no number needs. As
 * pri_decimal_read. */
const char *pri_decimal_exponent(const char *at, const char *end,
                                 int *exponent);

/* Whether COUNT digits from AT on, a point among them, are too many, zeros
 * before the first other digit left out. */
int pri_decimal_too_many(const char *at, ptrdiff_t count);

/* A value that takes more than one operation; 0 where it takes more than a
 * few. */
int pri_decimal_divide(const struct decimal *decimal, double *number);

/* Digits at AT, behind those that *DIGITS has. Returns where they end. */
static inline const char *
pri_decimal_digits(const char *at, const char *end, uint64_t *digits)
{
    uint64_t value = *digits;

    for (; at < end && (unsigned char)(*at - '0') < 10; at++)
        value = value * 10 + (uint64_t)(*at - '0');
    *digits = value;
    return at;
}

/* Reads the number at AT, up to END at most. Returns where it ends, or NULL
 * where there is none. */
static inline const char *
pri_decimal_read(const char *at, const char *end, struct decimal *decimal)
{
    const char *sign = at;
    int exponent = 0;

    decimal->negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    const char *first = at;
    decimal->digits = 0;
    at = pri_decimal_digits(at, end, &decimal->digits);
    const ptrdiff_t whole = at - first;
    ptrdiff_t count = whole;
    decimal->whole = whole > 0;
    decimal->json = whole > 0 && *sign != '+' && (whole == 1 || *first != '0');
    if (at < end && *at == '.') {
        const char *point = at++;
        at = pri_decimal_digits(at, end, &decimal->digits);
        count += at - point - 1;
        decimal->whole = 0;
        decimal->json &= at > point + 1;
    }
    if (count == 0)
        return NULL;
    if (at < end && (*at | 0x20) == 'e') {
        at = pri_decimal_exponent(at + 1, end, &exponent);
        decimal->whole = 0;
        if (at == NULL)
            return NULL;
    }
    decimal->exact =
        count <= PRI_DIGITS_MAX ||
        (at - sign <= PRI_NUMBER_MAX && !pri_decimal_too_many(first, count));
    decimal->exponent = exponent - (int)(count - whole);
    return at;
}

/* Its value to *NUMBER; 0 where that takes more than a few steps. */
static inline int
pri_decimal_value(const struct decimal *decimal, double *number)
{
    static const double powers[] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const int exponent = decimal->exponent;
    double value = (double)decimal->digits;

    /* Exact where the digits and the power of ten are: one rounding. */
    if (!decimal->exact || decimal->digits > PRI_NUMBER_EXACT ||
        exponent < -22 || exponent > 22)
        return pri_decimal_divide(decimal, number);
    value = exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
    *number = decimal->negative ? -value : value;
    return 1;
}

#endif
