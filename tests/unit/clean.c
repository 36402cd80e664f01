/*
 * clean.c - windows of the usual size: a clean stream stays trusted for as
 * long as it goes on, and is not flagged for being one.
 */
#define WINDOW 512

#include "windows.h"

#define WINDOWS 120
#define SETTLED 60 /* windows after which it is looked at */

/* Four columns that hang on one number are met so well that those met best
 * would, by what is trusted alone, leave less and less to trust. */
static void
check_stream(unsigned from)
{
    const size_t records = (size_t)(WINDOWS - SETTLED) * N;
    struct learner learner;
    size_t count = 0, trusted = 0, odd = 0;

    init(&learner, NULL);
    for (unsigned w = 0; w < WINDOWS; w++) {
        fill(from + w, 0.0);
        size_t out = judge(&learner);
        for (size_t i = 0; i < N && w >= SETTLED; i++)
            trusted += learner.fits[i];
        count += w >= SETTLED ? out : 0;
    }
    ok(count * 100 < 6 * records, "fewer than 6 %% are flagged (%.2f %%)",
       100.0 * (double)count / (double)records);
    ok(trusted * 100 >= 80 * records, "at least 80 %% are trusted (%.2f %%)",
       100.0 * (double)trusted / (double)records);
    ok(learner.bursts == 0 && learner.drifts == 0 &&
           learner.state == PRAE_STATE_LIVE,
       "no window is a burst");
    fill(from + WINDOWS, 0.0);
    for (size_t i = 100; i < N; i += 100) {
        x[i * D + 1] += 4.0;
        odd++;
    }
    (void)judge(&learner);
    for (size_t i = 100; i < N; i += 100)
        odd -= flagged[i] && !learner.fits[i];
    ok(odd == 0, "and what is odd is flagged as ever, and not trusted");
    pri_learner_fini(&learner);
}

/* The same of a first window, which knows nothing but itself. */
static void
test_first(void)
{
    static const size_t odd[] = {3, 173, 343};
    size_t out = 0, fit = 0, worst = 0;

    for (unsigned seed = 0; seed < 8; seed++) {
        struct learner learner;
        init(&learner, NULL);
        fill(seed, 0.0);
        for (size_t i = 0; i < COUNT(odd); i++)
            x[odd[i] * D + 1] += 8.0;
        size_t count = judge(&learner);
        worst = count > worst ? count : worst;
        for (size_t i = 0; i < COUNT(odd); i++) {
            out += flagged[odd[i]];
            fit += learner.fits[odd[i]];
        }
        pri_learner_fini(&learner);
    }
    ok(out == 8 * COUNT(odd) && fit == 0,
       "a first window's planted outliers are flagged and not trusted");
    ok(worst < N / 10, "... and not much else (at most %zu)", worst);
}

int
main(void)
{
    check_stream(0);
    check_stream(1000);
    test_first();
    return tap_done();
}
