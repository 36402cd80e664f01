/*
 * params.c - the parameters: one table gives each its name, its words or
 * its range, and serves defaults' checks as well as setting from text.
 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "prae.h"

enum kind { WORD, FLAG, REAL, COUNT, SEED, TEXT, HIDDEN, LAMBDA };

struct entry {
    const char *name;
    enum kind kind;
    size_t offset;        /* of the field in prae_params */
    const char *words[5]; /* WORD, FLAG: texts of the values 0, 1, ...
                             COUNT: words for 0 and for 1, where it has
                             them */
    double low, high;     /* REAL, COUNT: the range */
};

#define L0_SIGMA_LEAST 0.1
#define LAMBDA_MAX 1e30 /* far from where a float ends */

/* Of the columns that a net may have a feature takes up to three. */
enum { FEATURES_MOST = PRAE_COLS_MAX / 3 };

#define AT(field) offsetof(prae_params, field)

static const struct entry table[] = {
    {"gates", WORD, AT(gates), {"l1", "l0", "hard", "none"}, 0, 3},
    {"estimator", WORD, AT(estimator), {"exact", "sampled"}, 0, 1},
    {"sigma", REAL, AT(sigma), {0}, 0.01, 10},
    {"threshold", REAL, AT(threshold), {0}, -1, 2},
    {"lambda", LAMBDA, AT(lambda), {0}, 0, LAMBDA_MAX},
    {"hidden", HIDDEN, AT(hidden), {0}, 1, PRAE_WIDTH_MAX},
    {"latent", COUNT, AT(latent), {"auto"}, 0, PRAE_WIDTH_MAX},
    {"activation", WORD, AT(activation), {"tanh", "leaky", "linear"}, 0, 2},
    {"loss", WORD, AT(loss), {"squared", "relative"}, 0, 1},
    {"scaling", WORD, AT(scaling), {"auto", "none"}, 0, 1},
    {"epochs", COUNT, AT(epochs), {"auto"}, 0, 1e9},
    {"batch", COUNT, AT(batch), {"auto"}, 0, 65536},
    {"rate", REAL, AT(rate), {0}, DBL_MIN, 1},
    {"seed", SEED, AT(seed), {0}, 0, 0},
    {"format", WORD, AT(format), {"msgpack", "jsonl", "csv"}, 0, 2},
    {"no-header", FLAG, AT(no_header), {"no", "yes"}, 0, 1},
    {"fields", TEXT, AT(fields), {0}, 0, 0},
    {"ignore", TEXT, AT(ignore), {0}, 0, 0},
    {"coerce", FLAG, AT(coerce), {"no", "yes"}, 0, 1},
    {"nonfinite", WORD, AT(nonfinite), {"reject", "impute"}, 0, 1},
    {"window", COUNT, AT(window), {"all"}, 0, 1e9},
    {"cold", WORD, AT(cold), {"hold", "pass", "flag"}, 0, 2},
    {"context", WORD, AT(context), {"auto", "on", "off"}, 0, 2},
    {"smooth", COUNT, AT(smooth), {"auto", "off"}, 0, 1e6},
    {"second", WORD, AT(second), {"knn", "none"}, 0, 1},
    {"cold-epochs", COUNT, AT(cold_epochs), {"auto"}, 0, 1e9},
    {"memory", COUNT, AT(memory), {0}, 10, 1e8},
    {"burst-share", REAL, AT(burst_share), {0}, 0, 1},
    {"drift-after", COUNT, AT(drift_after), {0}, 1, 1e9},
    {"fpr", REAL, AT(fpr), {0}, 0, 1},
    {"why", COUNT, AT(why), {0}, 0, 255},
    {"freeze", FLAG, AT(freeze), {"no", "yes"}, 0, 1},
    {"unscored", FLAG, AT(unscored), {"no", "yes"}, 0, 1},
    {"max-record", COUNT, AT(record_max), {0}, 16, 1 << 30},
    {"max-depth", COUNT, AT(depth_max), {0}, 1, 256},
    {"max-elements", COUNT, AT(elements_max), {0}, 2, 1 << 24},
    {"max-features", COUNT, AT(features_max), {0}, 1, FEATURES_MOST},
};

#define TABLE_COUNT (sizeof table / sizeof *table)

static void *
field(const struct entry *entry, prae_params *params)
{
    return (char *)params + entry->offset;
}

__attribute__((format(printf, 3, 4))) static prae_status
refuse(char *why, size_t why_size, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (why != NULL && why_size > 0)
        vsnprintf(why, why_size, format, args);
    va_end(args);
    return PRAE_ECONFIG;
}

void
prae_params_init(prae_params *params)
{
    if (params == NULL)
        return;
    *params = (prae_params){
        .size = sizeof *params,
        .sigma = 0.5,
        .threshold = 0.1,
        .lambda = 1.0,
        .hidden_count = PRAE_HIDDEN_AUTO,
        .rate = 1e-3,
        .seed = 1,
        .window = 512,
        .memory = 5120,
        .burst_share = 0.5,
        .drift_after = 4,
        .why = 3,
        .record_max = 1 << 20,
        .depth_max = 32,
        .elements_max = 65536,
        .features_max = 4096,
    };
}

/* ---- checks ---- */

static prae_status
check_hidden(const prae_params *params, char *why, size_t why_size)
{
    if (params->hidden_count == PRAE_HIDDEN_AUTO)
        return PRAE_OK;
    if (params->hidden_count > PRAE_HIDDEN_MAX)
        return refuse(why, why_size, "hidden: at most %d layers",
                      PRAE_HIDDEN_MAX);
    for (size_t i = 0; i < params->hidden_count; i++)
        if (params->hidden[i] < 1 || params->hidden[i] > PRAE_WIDTH_MAX)
            return refuse(why, why_size, "hidden: widths are 1 to %zu",
                          PRAE_WIDTH_MAX);
    return PRAE_OK;
}

static prae_status
check_lambda(const prae_params *params, char *why, size_t why_size)
{
    if ((unsigned)params->lambda_rule > PRAE_LAMBDA_FIXED)
        return refuse(why, why_size, "lambda_rule: not a known rule");
    if (!(params->lambda >= 0.0 && params->lambda <= LAMBDA_MAX))
        return refuse(why, why_size, "lambda: must be 0 to %g", LAMBDA_MAX);
    return PRAE_OK;
}

/* A number that stands for a word is nobody's to give. */
static prae_status
refuse_value(const struct entry *entry, double value, char *why,
             size_t why_size)
{
    const char *zero = entry->kind == COUNT ? entry->words[0] : NULL;
    const char *one = zero == NULL ? NULL : entry->words[1];

    return refuse(why, why_size,
                  "%s: must be %.10g to %.10g%s%s%s%s, not %.10g", entry->name,
                  zero == NULL ? entry->low : 1.0, entry->high,
                  zero == NULL ? "" : ", or ", zero == NULL ? "" : zero,
                  one == NULL ? "" : " or ", one == NULL ? "" : one, value);
}

static prae_status
check_entry(const struct entry *entry, const prae_params *params, char *why,
            size_t why_size)
{
    const void *at = (const char *)params + entry->offset;
    double value = 0.0;

    if (entry->kind == HIDDEN)
        return check_hidden(params, why, why_size);
    if (entry->kind == LAMBDA)
        return check_lambda(params, why, why_size);
    if (entry->kind == WORD || entry->kind == FLAG)
        value = (double)*(const unsigned *)at;
    else if (entry->kind == COUNT)
        value = (double)*(const size_t *)at;
    else if (entry->kind == REAL)
        value = *(const double *)at;
    if (value >= entry->low && value <= entry->high)
        return PRAE_OK; /* which a NaN does not reach */
    return refuse_value(entry, value, why, why_size);
}

prae_status
prae_params_check(const prae_params *params, char *why, size_t why_size)
{
    if (params == NULL || params->size != sizeof *params) {
        (void)refuse(why, why_size,
                     "parameters not set up by prae_params_init");
        return PRAE_EINVAL;
    }
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        prae_status status = check_entry(&table[i], params, why, why_size);
        if (status != PRAE_OK)
            return status;
    }
    /* An l0 gate opens by a few sigma, all that its penalty asks for: below
     * this it would rest under the usual threshold however small the error. */
    if (params->gates == PRAE_GATES_L0 && params->sigma < L0_SIGMA_LEAST)
        return refuse(why, why_size, "sigma: gates=l0 needs at least %g",
                      L0_SIGMA_LEAST);
    return PRAE_OK;
}

/* ---- setting from text ---- */

static prae_status
set_word(const struct entry *entry, prae_params *params, const char *value,
         char *why, size_t why_size)
{
    char list[64] = "";

    for (unsigned i = 0; entry->words[i] != NULL; i++) {
        if (strcmp(entry->words[i], value) == 0) {
            *(unsigned *)field(entry, params) = i;
            return PRAE_OK;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : ", ",
                 entry->words[i]);
    }
    return refuse(why, why_size, "%s: '%s' is none of %s", entry->name, value,
                  list);
}

/* A finite number that is the whole of TEXT up to *END. Not by strtod, which
 * goes by the locale: a snapshot is read again in any. */
static int
parse_real(const char *text, double *number, const char **end)
{
    struct decimal decimal;
    int whole;

    *end = pri_decimal_read(text, text + strlen(text), &decimal);
    return *end != NULL &&
           pri_number_parse(text, (size_t)(*end - text), number, &whole) &&
           isfinite(*number);
}

static prae_status
set_real(const struct entry *entry, prae_params *params, const char *value,
         char *why, size_t why_size)
{
    double number;
    const char *end;

    if (!parse_real(value, &number, &end) || *end != '\0')
        return refuse(why, why_size, "%s: '%s' is not a number", entry->name,
                      value);
    *(double *)field(entry, params) = number;
    return PRAE_OK;
}

/* Digits only: strtoull alone would take signs and blanks. */
static int
parse_whole(const char *text, unsigned long long *number, char **end)
{
    if (text[0] < '0' || text[0] > '9')
        return 0;
    errno = 0;
    *number = strtoull(text, end, 10);
    return errno == 0;
}

static prae_status
set_whole(const struct entry *entry, prae_params *params, const char *value,
          char *why, size_t why_size)
{
    unsigned long long number = 0;
    char *end;

    const char *zero = entry->kind == COUNT ? entry->words[0] : NULL;
    const char *one = zero == NULL ? NULL : entry->words[1];

    for (size_t i = 0; zero != NULL && entry->words[i] != NULL; i++) {
        if (strcmp(value, entry->words[i]) == 0) {
            *(size_t *)field(entry, params) = i;
            return PRAE_OK;
        }
    }
    if (!parse_whole(value, &number, &end) || *end != '\0')
        return refuse(why, why_size, "%s: '%s' is not %s%s%s%sa whole number",
                      entry->name, value, zero == NULL ? "" : zero,
                      one == NULL ? "" : ", ", one == NULL ? "" : one,
                      zero == NULL ? "" : " or ");
    if (entry->kind == SEED) {
        *(uint64_t *)field(entry, params) = number;
        return PRAE_OK;
    }
    if (number < 1 && zero != NULL)
        return refuse_value(entry, 0.0, why, why_size);
    *(size_t *)field(entry, params) = (size_t)number;
    return PRAE_OK;
}

static prae_status
set_hidden(prae_params *params, const char *value, char *why, size_t why_size)
{
    unsigned long long width;
    char *at = (char *)value;

    params->hidden_count = 0;
    if (strcmp(value, "none") == 0)
        return PRAE_OK;
    if (strcmp(value, "auto") == 0) {
        params->hidden_count = PRAE_HIDDEN_AUTO;
        return PRAE_OK;
    }
    for (;;) {
        if (!parse_whole(at, &width, &at) || (*at != ',' && *at != '\0'))
            return refuse(why, why_size,
                          "hidden: '%s' is not auto, none, or widths such "
                          "as 10,10",
                          value);
        if (params->hidden_count == PRAE_HIDDEN_MAX)
            return refuse(why, why_size, "hidden: at most %d layers",
                          PRAE_HIDDEN_MAX);
        params->hidden[params->hidden_count++] = (size_t)width;
        if (*at == '\0')
            return PRAE_OK;
        at++;
    }
}

static prae_status
set_lambda(prae_params *params, const char *value, char *why, size_t why_size)
{
    const char *end;

    params->lambda = 1.0;
    if (strcmp(value, "auto") == 0) {
        params->lambda_rule = PRAE_LAMBDA_AUTO;
    } else if (strcmp(value, "validate") == 0) {
        params->lambda_rule = PRAE_LAMBDA_VALIDATE;
    } else if (strcmp(value, "me") == 0) {
        params->lambda_rule = PRAE_LAMBDA_ME;
    } else if (!parse_real(value, &params->lambda, &end) ||
               (*end != '\0' && strcmp(end, "me") != 0)) {
        return refuse(why, why_size,
                      "lambda: '%s' is not auto, me, validate or a number",
                      value);
    } else {
        params->lambda_rule = *end == '\0' ? PRAE_LAMBDA_FIXED : PRAE_LAMBDA_ME;
    }
    return PRAE_OK;
}

static prae_status
set_entry(const struct entry *entry, prae_params *params, const char *value,
          char *why, size_t why_size)
{
    switch (entry->kind) {
    case WORD:
    case FLAG: return set_word(entry, params, value, why, why_size);
    case TEXT: *(const char **)field(entry, params) = value; return PRAE_OK;
    case REAL: return set_real(entry, params, value, why, why_size);
    case HIDDEN: return set_hidden(params, value, why, why_size);
    case LAMBDA: return set_lambda(params, value, why, why_size);
    case COUNT:
    case SEED: break;
    }
    return set_whole(entry, params, value, why, why_size);
}

static const struct entry *
find_entry(const char *name)
{
    for (size_t i = 0; i < TABLE_COUNT; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

prae_status
prae_params_set(prae_params *params, const char *name, const char *value,
                char *why, size_t why_size)
{
    if (params == NULL || params->size != sizeof *params) {
        (void)refuse(why, why_size,
                     "parameters not set up by prae_params_init");
        return PRAE_EINVAL;
    }
    if (name == NULL || value == NULL) {
        (void)refuse(why, why_size, "no name or no value given");
        return PRAE_EINVAL;
    }
    const struct entry *entry = find_entry(name);
    if (entry == NULL) {
        (void)refuse(why, why_size, "no parameter is called '%s'", name);
        return PRAE_EINVAL;
    }
    prae_params changed = *params;
    prae_status status = set_entry(entry, &changed, value, why, why_size);
    if (status == PRAE_OK)
        status = check_entry(entry, &changed, why, why_size);
    if (status == PRAE_OK)
        *params = changed;
    return status;
}

/* ---- back to text ---- */

static void
get_hidden(const prae_params *params, char *text, size_t size)
{
    size_t len = 0;

    if (params->hidden_count == PRAE_HIDDEN_AUTO || params->hidden_count == 0) {
        snprintf(text, size, "%s", params->hidden_count == 0 ? "none" : "auto");
        return;
    }
    for (size_t i = 0; i < params->hidden_count && len < size; i++)
        len += (size_t)snprintf(text + len, size - len, "%s%zu",
                                i == 0 ? "" : ",", params->hidden[i]);
}

static void
get_lambda(const prae_params *params, char *text, size_t size)
{
    char number[32];

    (void)pri_number_write(number, sizeof number, 17, params->lambda);
    if (params->lambda_rule == PRAE_LAMBDA_AUTO)
        snprintf(text, size, "auto");
    else if (params->lambda_rule == PRAE_LAMBDA_VALIDATE)
        snprintf(text, size, "validate");
    else
        snprintf(text, size, "%s%s", number,
                 params->lambda_rule == PRAE_LAMBDA_ME ? "me" : "");
}

/* The shortest of the decimal forms that reads back as VALUE. */
static void
get_real(double value, char *text, size_t size)
{
    char whole[32]; /* TEXT may be too short for it */
    double back;
    int integer;

    for (int digits = 6; digits <= 17; digits++) {
        size_t len = pri_number_write(whole, sizeof whole, digits, value);
        if (pri_number_parse(whole, len, &back, &integer) && back == value)
            break;
    }
    snprintf(text, size, "%s", whole);
}

prae_status
prae_params_get(const prae_params *params, const char *name, char *text,
                size_t size)
{
    const struct entry *entry = name == NULL ? NULL : find_entry(name);

    if (params == NULL || params->size != sizeof *params || entry == NULL ||
        text == NULL || check_entry(entry, params, NULL, 0) != PRAE_OK)
        return PRAE_EINVAL;
    const void *at = (const char *)params + entry->offset;
    size_t count = 0;
    switch (entry->kind) {
    case WORD:
    case FLAG:
        snprintf(text, size, "%s", entry->words[*(const unsigned *)at]);
        break;
    case REAL: get_real(*(const double *)at, text, size); break;
    case COUNT:
        count = *(const size_t *)at;
        if (count < 2 && entry->words[0] != NULL && entry->words[count] != NULL)
            snprintf(text, size, "%s", entry->words[count]);
        else
            snprintf(text, size, "%zu", count);
        break;
    case SEED:
        snprintf(text, size, "%llu", (unsigned long long)*(const uint64_t *)at);
        break;
    case TEXT:
        snprintf(text, size, "%s",
                 *(const char *const *)at == NULL ? ""
                                                  : *(const char *const *)at);
        break;
    case HIDDEN: get_hidden(params, text, size); break;
    case LAMBDA: get_lambda(params, text, size); break;
    }
    return PRAE_OK;
}

const char *
prae_params_name(size_t i)
{
    return i < TABLE_COUNT ? table[i].name : NULL;
}
