/*
 * params.c - the defaults are the documented ones, every parameter can be
 * set by its name, and fields set past the setter are checked all the same.
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "prae.h"
#include "tap.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define AT(field) \
    offsetof(prae_params, field), sizeof(((prae_params *)0)->field)

static void
check_defaults(void)
{
    prae_params p;

    memset(&p, 0x5a, sizeof p);
    prae_params_init(&p);
    ok(p.size == sizeof p, "the size is the struct's");
    ok(p.gates == PRAE_GATES_L1 && p.estimator == PRAE_ESTIMATOR_EXACT &&
           p.sigma == 0.5 && p.threshold == 0.1 &&
           p.lambda_rule == PRAE_LAMBDA_AUTO && p.lambda == 1.0,
       "gates start as documented");
    ok(p.hidden_count == PRAE_HIDDEN_AUTO && p.latent == 0 &&
           p.activation == PRAE_ACTIVATION_TANH,
       "the net starts as documented");
    ok(p.loss == PRAE_LOSS_SQUARED && p.scaling == PRAE_SCALING_AUTO &&
           p.epochs == 0 && p.batch == 0 && p.rate == 1e-3 && p.seed == 1,
       "learning starts as documented");
    ok(p.format == PRAE_FORMAT_MSGPACK && p.no_header == 0 &&
           p.fields == NULL && p.ignore == NULL && p.coerce == 0 &&
           p.nonfinite == PRAE_NONFINITE_REJECT && p.window == 512 &&
           p.cold == PRAE_COLD_HOLD && p.context == PRAE_CONTEXT_AUTO &&
           p.cold_epochs == 0 && p.memory == 5120 && p.burst_share == 0.5 &&
           p.drift_after == 4 && p.fpr == 0.0 && p.why == 3 && p.freeze == 0 &&
           p.record_max == 1 << 20 && p.depth_max == 32 &&
           p.elements_max == 65536 && p.features_max == 4096,
       "streams start as documented");
    ok(prae_params_check(&p, NULL, 0) == PRAE_OK, "the defaults pass");
}

/* NAME=VALUE puts WANTED into the field: as unsigned, size_t, double or
 * uint64_t by its size and kind. */
enum type { WORD, REAL, WHOLE };

static const struct {
    const char *name, *value;
    size_t offset, bytes;
    enum type type;
    double wanted;
} good[] = {
    {"gates", "l1", AT(gates), WORD, PRAE_GATES_L1},
    {"gates", "l0", AT(gates), WORD, PRAE_GATES_L0},
    {"gates", "hard", AT(gates), WORD, PRAE_GATES_HARD},
    {"gates", "none", AT(gates), WORD, PRAE_GATES_NONE},
    {"estimator", "exact", AT(estimator), WORD, PRAE_ESTIMATOR_EXACT},
    {"estimator", "sampled", AT(estimator), WORD, PRAE_ESTIMATOR_SAMPLED},
    {"sigma", "0.01", AT(sigma), REAL, 0.01},
    {"sigma", "10", AT(sigma), REAL, 10},
    {"sigma", "0.1234567890123", AT(sigma), REAL, 0.1234567890123},
    {"threshold", "-0.25", AT(threshold), REAL, -0.25},
    {"lambda", "auto", AT(lambda_rule), WORD, PRAE_LAMBDA_AUTO},
    {"lambda", "me", AT(lambda_rule), WORD, PRAE_LAMBDA_ME},
    {"lambda", "me", AT(lambda), REAL, 1},
    {"lambda", "validate", AT(lambda_rule), WORD, PRAE_LAMBDA_VALIDATE},
    {"lambda", "2.5", AT(lambda_rule), WORD, PRAE_LAMBDA_FIXED},
    {"lambda", "2.5", AT(lambda), REAL, 2.5},
    {"lambda", "0", AT(lambda), REAL, 0},
    {"lambda", "0.5me", AT(lambda_rule), WORD, PRAE_LAMBDA_ME},
    {"lambda", "0.5me", AT(lambda), REAL, 0.5},
    {"hidden", "auto", AT(hidden_count), WHOLE, (double)SIZE_MAX},
    {"hidden", "none", AT(hidden_count), WHOLE, 0},
    {"hidden", "20", AT(hidden_count), WHOLE, 1},
    {"hidden", "20,7,65536", AT(hidden_count), WHOLE, 3},
    {"hidden", "20,7,65536", AT(hidden[0]), WHOLE, 20},
    {"hidden", "20,7,65536", AT(hidden[1]), WHOLE, 7},
    {"hidden", "20,7,65536", AT(hidden[2]), WHOLE, 65536},
    {"hidden", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", AT(hidden[15]), WHOLE,
     16},
    {"latent", "24", AT(latent), WHOLE, 24},
    {"latent", "auto", AT(latent), WHOLE, 0},
    {"activation", "tanh", AT(activation), WORD, PRAE_ACTIVATION_TANH},
    {"activation", "leaky", AT(activation), WORD, PRAE_ACTIVATION_LEAKY},
    {"activation", "linear", AT(activation), WORD, PRAE_ACTIVATION_LINEAR},
    {"loss", "squared", AT(loss), WORD, PRAE_LOSS_SQUARED},
    {"loss", "relative", AT(loss), WORD, PRAE_LOSS_RELATIVE},
    {"scaling", "auto", AT(scaling), WORD, PRAE_SCALING_AUTO},
    {"scaling", "none", AT(scaling), WORD, PRAE_SCALING_NONE},
    {"epochs", "12", AT(epochs), WHOLE, 12},
    {"epochs", "auto", AT(epochs), WHOLE, 0},
    {"batch", "65536", AT(batch), WHOLE, 65536},
    {"batch", "auto", AT(batch), WHOLE, 0},
    {"rate", "1", AT(rate), REAL, 1},
    {"rate", "3e-4", AT(rate), REAL, 3e-4},
    {"format", "csv", AT(format), WORD, PRAE_FORMAT_CSV},
    {"format", "jsonl", AT(format), WORD, PRAE_FORMAT_JSONL},
    {"format", "msgpack", AT(format), WORD, PRAE_FORMAT_MSGPACK},
    {"no-header", "yes", AT(no_header), WORD, 1},
    {"no-header", "no", AT(no_header), WORD, 0},
    {"coerce", "yes", AT(coerce), WORD, 1},
    {"nonfinite", "impute", AT(nonfinite), WORD, PRAE_NONFINITE_IMPUTE},
    {"window", "all", AT(window), WHOLE, 0},
    {"window", "64", AT(window), WHOLE, 64},
    {"cold", "pass", AT(cold), WORD, PRAE_COLD_PASS},
    {"cold", "flag", AT(cold), WORD, PRAE_COLD_FLAG},
    {"context", "on", AT(context), WORD, PRAE_CONTEXT_ON},
    {"context", "off", AT(context), WORD, PRAE_CONTEXT_OFF},
    {"smooth", "off", AT(smooth), WHOLE, 1},
    {"smooth", "9", AT(smooth), WHOLE, 9},
    {"second", "none", AT(second), WORD, PRAE_SECOND_NONE},
    {"cold-epochs", "7", AT(cold_epochs), WHOLE, 7},
    {"memory", "100", AT(memory), WHOLE, 100},
    {"burst-share", "0.25", AT(burst_share), REAL, 0.25},
    {"drift-after", "9", AT(drift_after), WHOLE, 9},
    {"fpr", "0.01", AT(fpr), REAL, 0.01},
    {"why", "0", AT(why), WHOLE, 0},
    {"freeze", "yes", AT(freeze), WORD, 1},
    {"unscored", "yes", AT(unscored), WORD, 1},
    {"max-record", "16", AT(record_max), WHOLE, 16},
    {"max-depth", "256", AT(depth_max), WHOLE, 256},
    {"max-elements", "2", AT(elements_max), WHOLE, 2},
    {"max-features", "1", AT(features_max), WHOLE, 1},
    {"seed", "0", AT(seed), WHOLE, 0},
    {"seed", "18446744073709551615", AT(seed), WHOLE, (double)UINT64_MAX},
};

static void
check_good(void)
{
    for (size_t i = 0; i < COUNT(good); i++) {
        prae_params p;
        double got = (double)NAN;
        prae_params_init(&p);
        /* Not the default, so that setting it shows. */
        p.latent = p.epochs = p.batch = 5;
        p.hidden_count = 2;
        p.hidden[0] = p.hidden[1] = 3;
        p.lambda = 7.0;
        p.gates = PRAE_GATES_HARD;
        p.estimator = PRAE_ESTIMATOR_SAMPLED;
        p.activation = PRAE_ACTIVATION_LINEAR;
        p.loss = PRAE_LOSS_RELATIVE;
        p.scaling = PRAE_SCALING_NONE;
        const void *at = (const char *)&p + good[i].offset;
        prae_status status =
            prae_params_set(&p, good[i].name, good[i].value, NULL, 0);
        if (good[i].type == WORD)
            got = (double)*(const unsigned *)at;
        else if (good[i].type == REAL)
            got = *(const double *)at;
        else if (good[i].bytes == sizeof(uint64_t))
            got = (double)*(const uint64_t *)at;
        ok(status == PRAE_OK && got == good[i].wanted &&
               prae_params_check(&p, NULL, 0) == PRAE_OK,
           "%s=%s is taken", good[i].name, good[i].value);
        prae_params again = p;
        char text[128] = "";
        ok(prae_params_get(&p, good[i].name, text, sizeof text) == PRAE_OK &&
               prae_params_set(&again, good[i].name, text, NULL, 0) ==
                   PRAE_OK &&
               memcmp(&p, &again, sizeof p) == 0,
           "%s=%s comes back as %s", good[i].name, good[i].value, text);
    }
}

/* The list of names is whole: each default can be read and set again. */
static void
check_names(void)
{
    prae_params p;
    size_t count = 0;
    char text[128];

    prae_params_init(&p);
    for (const char *name; (name = prae_params_name(count)) != NULL; count++) {
        prae_params again = p;
        NEED(prae_params_get(&p, name, text, sizeof text) == PRAE_OK);
        prae_status status = prae_params_set(&again, name, text, NULL, 0);
        int listed = 0;
        if (strcmp(name, "fields") == 0 || strcmp(name, "ignore") == 0)
            listed = 1; /* texts of any kind */
        for (size_t i = 0; i < COUNT(good); i++)
            listed = listed || strcmp(good[i].name, name) == 0;
        ok(status == PRAE_OK && listed, "%s=%s is the default", name, text);
    }
    ok(count > 30, "%zu parameters have names", count);
    ok(prae_params_get(&p, "colour", text, sizeof text) == PRAE_EINVAL &&
           prae_params_get(&p, NULL, text, sizeof text) == PRAE_EINVAL &&
           prae_params_get(NULL, "seed", text, sizeof text) == PRAE_EINVAL &&
           prae_params_get(&p, "seed", NULL, 0) == PRAE_EINVAL,
       "what has no name or no place cannot be read");
}

/* Of no bytes none is touched: they lie where nobody may. */
static void
check_no_room(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), wrong = 0;
    prae_params p;
    const char *name;
    char few[4];

    prae_params_init(&p);
    p.sigma = 0.123456789;
    char *text = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                      0);
    NEED(text != MAP_FAILED);
    for (size_t i = 0; (name = prae_params_name(i)) != NULL; i++)
        wrong += prae_params_get(&p, name, text, 0) != PRAE_OK;
    ok(wrong == 0, "a parameter may be asked for without room for it");
    ok(prae_params_get(&p, "sigma", few, sizeof few) == PRAE_OK &&
           strcmp(few, "0.1") == 0,
       "... and in too little it is cut");
    munmap(text, page);
}

/* Fields set past prae_params_set; NAME is what the sentence must name. */
static void
check_fields(void)
{
    static const struct {
        const char *name;
        size_t offset, bytes;
        enum type type;
        double value;
    } cases[] = {
        {"gates", AT(gates), WORD, 4},
        {"gates", AT(gates), WORD, (double)UINT32_MAX},
        {"estimator", AT(estimator), WORD, 2},
        {"sigma", AT(sigma), REAL, (double)NAN},
        {"sigma", AT(sigma), REAL, 0},
        {"threshold", AT(threshold), REAL, (double)NAN},
        {"threshold", AT(threshold), REAL, (double)INFINITY},
        {"lambda", AT(lambda_rule), WORD, 4},
        {"lambda", AT(lambda), REAL, (double)NAN},
        {"lambda", AT(lambda), REAL, -1},
        {"lambda", AT(lambda), REAL, 1e31},
        {"hidden", AT(hidden_count), WHOLE, 17},
        {"hidden", AT(hidden_count), WHOLE, 3},
        {"latent", AT(latent), WHOLE, 65537},
        {"activation", AT(activation), WORD, 3},
        {"loss", AT(loss), WORD, 2},
        {"scaling", AT(scaling), WORD, 2},
        {"epochs", AT(epochs), WHOLE, 2e9},
        {"batch", AT(batch), WHOLE, 65537},
        {"rate", AT(rate), REAL, 0},
        {"rate", AT(rate), REAL, (double)NAN},
        {"rate", AT(rate), REAL, 1.5},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char why[160] = "";
        prae_params p;
        prae_model *model = NULL;
        prae_params_init(&p);
        void *at = (char *)&p + cases[i].offset;
        if (cases[i].type == WORD)
            *(unsigned *)at = (unsigned)cases[i].value;
        else if (cases[i].type == REAL)
            *(double *)at = cases[i].value;
        else
            *(size_t *)at = (size_t)cases[i].value;
        ok(prae_params_check(&p, why, sizeof why) == PRAE_ECONFIG &&
               strncmp(why, cases[i].name, strlen(cases[i].name)) == 0,
           "%s of %g does not pass", cases[i].name, cases[i].value);
        ok(prae_model_new(&p, &model) == PRAE_ECONFIG && model == NULL,
           "no model with %s of %g", cases[i].name, cases[i].value);
    }
}

int
main(void)
{
    check_defaults();
    check_good();
    check_names();
    check_no_room();
    check_fields();
    return tap_done();
}
