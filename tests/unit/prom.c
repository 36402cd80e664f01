/* Prometheus' text: numbers, labels that could break it, histograms. */
#include "prom.h"

#include <string.h>

#include "tap.h"

static prae_buffer out;

/* What was written is WANTED; starts afresh. */
static void
wrote(const char *wanted, const char *name)
{
    int same = out.len == strlen(wanted) &&
               (out.len == 0 || memcmp(out.data, wanted, out.len) == 0);

    ok(same, "%s", name);
    if (!same)
        printf("# got: %.*s\n", (int)out.len, out.data);
    out.len = 0;
}

static void
test_numbers(struct prom *prom)
{
    static const struct {
        double number;
        const char *text;
    } cases[] = {
        {0.0, "x 0\n"},
        {1.0, "x 1\n"},
        {-3.0, "x -3\n"},
        {123456789012345.0, "x 123456789012345\n"},
        {0.25, "x 0.25\n"},
        {1e18, "x 1e+18\n"},
        {1794856408.125, "x 1794856408.125\n"},
        {(double)NAN, "x NaN\n"},
        {(double)INFINITY, "x +Inf\n"},
        {-(double)INFINITY, "x -Inf\n"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        prom_number(prom, "x", cases[i].number);
        wrote(cases[i].text, "a number");
    }
}

static void
test_labels(struct prom *prom)
{
    const struct prom_label two[] = {{"a", "1"}, {"b", ""}};

    prom_labelled(prom, "x", "a", "plain, {text} = 'so'", 1.0);
    wrote("x{a=\"plain, {text} = 'so'\"} 1\n", "a label");
    prom_labelled(prom, "x", "a", "q\" b\\ n\n", 1.0);
    wrote("x{a=\"q\\\" b\\\\ n\\n\"} 1\n",
          "quotes, backslashes and line ends are escaped");
    prom_labelled(prom, "x", "a", "\t\x01\x7f\xff\xc3\xa4", 1.0);
    wrote("x{a=\"??????\"} 1\n", "what is not printable ASCII is replaced");
    prom_sample(prom, "x", two, 2, 2.0);
    wrote("x{a=\"1\",b=\"\"} 2\n", "two labels, one of them empty");
}

static void
test_families(struct prom *prom)
{
    const double edge[] = {0.5, 3.16227766, 10.0};
    const uint64_t bin[] = {1, 0, 2, 4};

    prom_single(prom, "x_total", "counter", "Things.", 3.0);
    wrote("# HELP x_total Things.\n# TYPE x_total counter\nx_total 3\n",
          "a family of one");
    prom_histogram(prom, "x", edge, bin, 3, 61.5);
    wrote("x_bucket{le=\"0.5\"} 1\nx_bucket{le=\"3.16228\"} 1\n"
          "x_bucket{le=\"10\"} 3\nx_bucket{le=\"+Inf\"} 7\n"
          "x_sum 61.5\nx_count 7\n",
          "a histogram adds up");
}

static void
test_much(struct prom *prom)
{
    for (size_t i = 0; i < 10000; i++)
        prom_number(prom, "x", 1.0);
    ok(out.len == 40000 && !prom->failed, "the buffer grows");
    out.len = 0;
}

int
main(void)
{
    struct prom prom = {.out = &out};

    test_numbers(&prom);
    test_labels(&prom);
    test_families(&prom);
    test_much(&prom);
    free(out.data);
    return tap_done();
}
