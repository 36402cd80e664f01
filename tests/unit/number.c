/* Numbers are read as strtod reads them, bit for bit, and nothing else is
 * a number. */
#include "number.h"
#include "tap.h"

#include <stdint.h>
#include <string.h>

/* Same bits; any NaN is any other. */
static int
same(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static const struct {
    const char *text;
    int whole;
} numbers[] = {
    {"0", 1},
    {"-0", 1},
    {"+5", 1},
    {"5", 1},
    {"-17", 1},
    {"007", 1},
    {"9007199254740991", 1},
    {"9007199254740992", 1},
    {"9007199254740993", 1},
    {"-9007199254740995", 1},
    {"18446744073709551615", 1},
    {"18446744073709551616", 1},
    {"-9223372036854775808", 1},
    {"123456789012345678901234567890", 1},
    {"0.1", 0},
    {"0.2", 0},
    {"0.30000000000000004", 0},
    {"-0.0", 0},
    {"1.", 0},
    {".5", 0},
    {"-.5", 0},
    {"1.5", 0},
    {"3.141592653589793", 0},
    {"3.14159265358979323846264338327950288", 0},
    {"1e0", 0},
    {"1E5", 0},
    {"1e+5", 0},
    {"1e-5", 0},
    {"1e22", 0},
    {"1e23", 0},
    {"1e-22", 0},
    {"1e-23", 0},
    {"9007199254740993e0", 0},
    {"9007199254740993e-1", 0},
    {"900719925474099.25", 0},
    {"900719925474099.75", 0},
    {"18446744073709551615e-19", 0},
    {"18446744073709551615e-20", 0},
    {"9999999999999999999e-19", 0},
    {"99999999999999999999e-19", 0},
    {"0.00012345678901234567", 0},
    {"000000000000000000000000000001.5", 0},
    {"0.000000000000000000000000000000", 0},
    {"-0.0000000000000000000000000000001e31", 0},
    {"12345678901234567e-5", 0},
    {"1.7976931348623157e308", 0},
    {"1e308", 0},
    {"-1e308", 0},
    {"1e309", 0},
    {"-1e309", 0},
    {"1e999999999999", 0},
    {"2.2250738585072014e-308", 0},
    {"2.2250738585072011e-308", 0},
    {"2.225073858507201e-308", 0},
    {"4.9406564584124654e-324", 0},
    {"5e-324", 0},
    {"2e-324", 0},
    {"1e-999", 0},
    {"-1e-999", 0},
    {"0e999", 0},
    {"0.000000000000000000000000000001", 0},
    {"1000000000000000000000000000000.5", 0},
    {"0.1000000000000000055511151231257827021181583404541015625", 0},
    {"nan", 0},
    {"NaN", 0},
    {"-nan", 0},
    {"inf", 0},
    {"-INF", 0},
    {"Infinity", 0},
    {"+infinity", 0},
};

static const char *const others[] = {
    "",          ".",    "-",    "+",      "-.", "e5",    ".e5",      "1e",
    "1e+",       "1e-",  "0x10", "1_000",  " 1", "1 ",    "1,5",      "1.2.3",
    "--1",       "+-1",  "1-",   "1e5.5",  "1f", "0b1",   "in",       "infi",
    "infin",     "nanx", "na",   "nan(1)", "-",  "1e5e5", "\xd9\xa1", "1\n",
    "infinityx", "1d5",  "1p5",  "0x1p5",
};

static void
test_numbers(void)
{
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const char *text = numbers[i].text;
        double number = -1.0, wanted = strtod(text, NULL);
        int whole = -1, got;
        got = pri_number_parse(text, strlen(text), &number, &whole);
        ok(got && same(number, wanted) && whole == numbers[i].whole, "%s",
           text);
        if (!got || !same(number, wanted))
            printf("# got %.17g, wanted %.17g\n", number, wanted);
    }
}

static void
test_others(void)
{
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        double number;
        int whole;
        ok(!pri_number_parse(others[i], strlen(others[i]), &number, &whole),
           "\"%s\" is no number", others[i]);
    }
    double number;
    int whole;
    ok(!pri_number_parse("1\0", 2, &number, &whole),
       "nor is one with a zero byte");
    ok(pri_number_parse("123456", 3, &number, &whole) && number == 123.0,
       "the length counts, not what follows");
}

/* What is longer is no number, however it goes on. */
static void
test_long(void)
{
    char text[PRI_NUMBER_MAX + 1];
    double number;
    int whole;

    memset(text, '1', sizeof text);
    text[1] = '.';
    ok(pri_number_parse(text, PRI_NUMBER_MAX, &number, &whole) &&
           number == 1.0 + 1.0 / 9.0,
       "%d characters are a number", PRI_NUMBER_MAX);
    ok(!pri_number_parse(text, PRI_NUMBER_MAX + 1, &number, &whole),
       "one more is none");
}

static uint64_t
next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* Random doubles in several notations. */
static void
test_many(void)
{
    static const char *const formats[] = {"%.17g", "%.6g",  "%.15e",
                                          "%.3f",  "%.1e",  "%.40g",
                                          "%.16g", "%.18f", "%.0f"};
    enum { FORMATS = sizeof formats / sizeof formats[0] };
    uint64_t state = 88172645463325252u;
    size_t wrong[FORMATS] = {0};
    char text[400];

    for (int i = 0; i < 200000; i++) {
        uint64_t bits = next(&state);
        double number, got;
        int whole, f = i % FORMATS;
        /* Half of all bits, half of them like measurements. */
        memcpy(&number, &bits, sizeof number);
        if (i / FORMATS % 2 == 1)
            number = ((double)(bits % 2000000001) - 1e9) / 1e5;
        if (!isfinite(number) ||
            (strchr(formats[f], 'f') != NULL && fabs(number) > 1e40))
            continue;
        snprintf(text, sizeof text, formats[f], number);
        if (!pri_number_parse(text, strlen(text), &got, &whole) ||
            !same(got, strtod(text, NULL)))
            wrong[f]++;
    }
    for (int f = 0; f < FORMATS; f++)
        ok(wrong[f] == 0, "random numbers as %s", formats[f]);
}

int
main(void)
{
    test_numbers();
    test_others();
    test_long();
    test_many();
    return tap_done();
}
