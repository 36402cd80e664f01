/*
 * refusals.c - a parameter that cannot be used is refused with a sentence
 * that names it, and all stays as it was.
 */
#include <string.h>

#include "prae.h"
#include "tap.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char *const bad[][2] = {
    {"gates", "l2"},
    {"gates", ""},
    {"gates", "L1"},
    {"estimator", "exactly"},
    {"sigma", "0"},
    {"sigma", "0.009"},
    {"sigma", "10.1"},
    {"sigma", "-1"},
    {"sigma", "nan"},
    {"sigma", "inf"},
    {"sigma", "1x"},
    {"sigma", ""},
    {"sigma", "1e999"},
    {"threshold", "2.1"},
    {"threshold", "-1.1"},
    {"threshold", "nan"},
    {"lambda", "-1"},
    {"lambda", "nan"},
    {"lambda", "inf"},
    {"lambda", "1e31"},
    {"lambda", "1m"},
    {"lambda", "1mee"},
    {"lambda", ""},
    {"lambda", "-0.5me"},
    {"lambda", "nanme"},
    {"hidden", ""},
    {"hidden", "0"},
    {"hidden", "10,"},
    {"hidden", ",10"},
    {"hidden", "10,,10"},
    {"hidden", "10 10"},
    {"hidden", "-1"},
    {"hidden", "10,0"},
    {"hidden", "65537"},
    {"hidden", "none,10"},
    {"hidden", "1.5"},
    {"hidden", "99999999999999999999999"},
    {"hidden", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"},
    {"latent", "0"},
    {"latent", "-1"},
    {"latent", "65537"},
    {"latent", "1.0"},
    {"latent", " 1"},
    {"latent", ""},
    {"activation", "relu"},
    {"loss", "absolute"},
    {"scaling", "yes"},
    {"epochs", "0"},
    {"epochs", "1000000001"},
    {"epochs", "+1"},
    {"epochs", "many"},
    {"batch", "0"},
    {"batch", "65537"},
    {"batch", "1e3"},
    {"rate", "0"},
    {"rate", "-1e-3"},
    {"rate", "1.01"},
    {"rate", "nan"},
    {"rate", "fast"},
    {"seed", "-1"},
    {"seed", "auto"},
    {"seed", "18446744073709551616"},
    {"seed", "1.5"},
    {"format", "xml"},
    {"no-header", "true"},
    {"coerce", "1"},
    {"nonfinite", "drop"},
    {"window", "0"},
    {"window", "auto"},
    {"window", "2000000000"},
    {"cold", "wait"},
    {"context", "yes"},
    {"cold-epochs", "0"},
    {"memory", "9"},
    {"memory", "auto"},
    {"burst-share", "1.1"},
    {"burst-share", "-0.1"},
    {"drift-after", "0"},
    {"fpr", "2"},
    {"fpr", "nan"},
    {"why", "256"},
    {"freeze", ""},
    {"max-record", "15"},
    {"max-depth", "257"},
    {"max-elements", "1"},
    {"max-features", "0"},
    {"max-features", "65536"},
};

static void
check_bad(void)
{
    for (size_t i = 0; i < COUNT(bad); i++) {
        prae_params p, before;
        char why[160] = "", start[32];
        prae_params_init(&p);
        memcpy(&before, &p, sizeof p);
        snprintf(start, sizeof start, "%s: ", bad[i][0]);
        prae_status status =
            prae_params_set(&p, bad[i][0], bad[i][1], why, sizeof why);
        if (!ok(status == PRAE_ECONFIG &&
                    strncmp(why, start, strlen(start)) == 0 &&
                    strlen(why) > strlen(start) &&
                    memcmp(&p, &before, sizeof p) == 0,
                "%s=%s is refused by name, all stays", bad[i][0], bad[i][1]))
            printf("# status %d: %s\n", (int)status, why);
    }
}

static void
check_calls(void)
{
    char why[16], canary[16];
    prae_params p, old;

    prae_params_init(&p);
    old = p;
    old.size = sizeof old - 8;
    ok(prae_params_check(NULL, why, sizeof why) == PRAE_EINVAL &&
           why[0] != '\0',
       "no parameters at all");
    ok(prae_params_check(&old, NULL, 0) == PRAE_EINVAL &&
           prae_params_set(&old, "seed", "1", NULL, 0) == PRAE_EINVAL,
       "parameters of another size");
    ok(prae_params_set(NULL, "seed", "1", NULL, 0) == PRAE_EINVAL &&
           prae_params_set(&p, NULL, "1", NULL, 0) == PRAE_EINVAL &&
           prae_params_set(&p, "seed", NULL, NULL, 0) == PRAE_EINVAL,
       "NULL for parameters, name or value");
    ok(prae_params_set(&p, "colour", "1", why, sizeof why) == PRAE_EINVAL &&
           prae_params_set(&p, "", "1", why, sizeof why) == PRAE_EINVAL &&
           prae_params_set(&p, "see", "1", why, sizeof why) == PRAE_EINVAL,
       "names that are not known, or not whole");

    for (size_t size = 0; size <= sizeof canary; size++) {
        char text[200];
        memset(canary, '#', sizeof canary);
        NEED(prae_params_set(&p, "sigma", "x", text, sizeof text) ==
             PRAE_ECONFIG);
        (void)!prae_params_set(&p, "sigma", "x", canary, size);
        int cut = size == 0 || (strlen(canary) == size - 1 &&
                                strncmp(canary, text, size - 1) == 0);
        for (size_t i = size; i < sizeof canary; i++)
            cut = cut && canary[i] == '#';
        ok(cut, "a reason is cut to %zu bytes", size);
    }
}

int
main(void)
{
    check_bad();
    check_calls();
    return tap_done();
}
