/*
 * tap.h - just enough of the Test Anything Protocol for C.
 *
 *     ok(x > 0, "x is positive");
 *     is_close(y, 0.5, 1e-6, "y is a half");
 *     return tap_done();
 */
#ifndef PRAE_TAP_H
#define PRAE_TAP_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int tap_count, tap_failed;

__attribute__((format(printf, 2, 3), unused)) static int
ok(int passed, const char *format, ...)
{
    va_list args;

    printf("%sok %d - ", passed ? "" : "not ", ++tap_count);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
    if (!passed)
        tap_failed++;
    return passed;
}

/* Passes where GOT is within MARGIN of WANTED; says by how much it is off. */
__attribute__((unused)) static int
is_close(double got, double wanted, double margin, const char *name)
{
    int passed = fabs(got - wanted) <= margin;

    ok(passed, "%s", name);
    if (!passed)
        printf("# got %.9g, wanted %.9g within %g\n", got, wanted, margin);
    return passed;
}

/* Leaves out the whole file, with the reason. */
__attribute__((unused)) static int
tap_skip_all(const char *reason)
{
    printf("1..0 # SKIP %s\n", reason);
    return 0;
}

__attribute__((unused)) static int
tap_done(void)
{
    printf("1..%d\n", tap_count);
    return tap_failed == 0 ? 0 : 1;
}

/* For what a test cannot go on without. */
#define NEED(expression)                                                      \
    do {                                                                      \
        if (!(expression)) {                                                  \
            printf("Bail out! %s:%d: %s\n", __FILE__, __LINE__, #expression); \
            exit(99);                                                         \
        }                                                                     \
    } while (0)

#endif
