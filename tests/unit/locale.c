/*
 * locale.c - whatever the caller's locale writes for a decimal point, numbers
 * are read and written with a full stop: in records, parameters, envelopes
 * and snapshots.
 *
 * Locales that have another one are made for it, as none may be installed.
 */
#include "number.h"
#include "stream.h"

#include <langinfo.h>
#include <locale.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct {
    const char *name, *point;
} locales[] = {
    {"de_DE", ","},
    {"ps_AF", "\xd9\xab"}, /* of two bytes */
};

/* Makes locale NAME in DIRECTORY and takes on what it has for numbers. */
static int
take_on(const char *directory, const char *name)
{
    char command[512];

    snprintf(command, sizeof command,
             "localedef -c -i %s -f UTF-8 %s/%s >%s/log 2>&1", name, directory,
             name, directory);
    return system(command) >= 0 && setlocale(LC_NUMERIC, name) != NULL;
}

/* ---- all that a filter gives out ---- */

struct output {
    prae_buffer log, snapshot;
};

static void
run(prae_format format, struct output *output)
{
    prae_params params;
    struct stream stream;
    prae_buffer in = {0};

    prae_params_init(&params);
    params.format = format;
    params.window = 64;
    params.sigma = 0.6;
    params.lambda_rule = PRAE_LAMBDA_ME;
    params.lambda = 1.25;
    if (format == PRAE_FORMAT_CSV)
        put_line(&in, "a,b\n");
    /* More digits than are read at one go. */
    for (int i = 0; i < 256; i++)
        put_line(&in,
                 format == PRAE_FORMAT_CSV
                     ? "%d.25,%d.1234567890123456789012345\n"
                     : "{\"a\":%d.25,\"b\":%d.1234567890123456789012345}\n",
                 i == 200 ? 900 : i * 7 % 5, i * 3 % 7);
    stream_open(&stream, &params);
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 1) == PRAE_OK);
    output->log = stream.log;
    stream.log = (prae_buffer){0};
    NEED(prae_filter_save(stream.filter, &output->snapshot) == PRAE_OK);
    stream_close(&stream);
    buffer_fini(&in);
}

static void
output_fini(struct output *output)
{
    buffer_fini(&output->log);
    buffer_fini(&output->snapshot);
}

static void
test_filter(const char *name, const struct output *jsonl,
            const struct output *csv)
{
    struct output objects = {0}, rows = {0};

    run(PRAE_FORMAT_JSONL, &objects);
    ok(buffer_same(&objects.log, &jsonl->log), "%s: the same envelopes of JSON",
       name);
    ok(buffer_same(&objects.snapshot, &jsonl->snapshot),
       "%s: the same snapshot", name);
    run(PRAE_FORMAT_CSV, &rows);
    ok(buffer_same(&rows.log, &csv->log), "%s: the same rows of CSV", name);
    output_fini(&objects);
    output_fini(&rows);
}

/* ---- parameters and numbers ---- */

static void
test_params(const char *name)
{
    prae_params params;
    char why[256] = "", text[64] = "";

    prae_params_init(&params);
    ok(prae_params_set(&params, "sigma", "0.25", why, sizeof why) == PRAE_OK &&
           params.sigma == 0.25,
       "%s: a parameter is set with a full stop %s", name, why);
    ok(prae_params_get(&params, "sigma", text, sizeof text) == PRAE_OK &&
           strcmp(text, "0.25") == 0,
       "%s: and told with one: %s", name, text);
    ok(prae_params_set(&params, "lambda", "1.5me", why, sizeof why) ==
               PRAE_OK &&
           prae_params_get(&params, "lambda", text, sizeof text) == PRAE_OK &&
           strcmp(text, "1.5me") == 0,
       "%s: with a unit behind it, too: %s", name, text);
    ok(prae_params_set(&params, "sigma", "0,25", why, sizeof why) ==
           PRAE_ECONFIG,
       "%s: a comma is refused", name);
}

static void
test_numbers(const char *name)
{
    static const char digits[] = "0.1234567890123456789012345";
    double number = 0.0;
    int whole;
    char text[32], short_text[4];

    ok(pri_number_parse(digits, strlen(digits), &number, &whole) &&
           number == 0.1234567890123456789012345,
       "%s: a number of many digits is read", name);
    ok(pri_number_write(text, sizeof text, 6, -1.5e-300) == 9 &&
           strcmp(text, "-1.5e-300") == 0,
       "%s: one is written: %s", name, text);
    ok(pri_number_write(short_text, sizeof short_text, 6, 0.125) == 3 &&
           strcmp(short_text, "0.1") == 0,
       "%s: or as much of it as there is room for: %s", name, short_text);
}

int
main(void)
{
    char directory[] = "locale.XXXXXX", command[64];
    struct output jsonl = {0}, csv = {0};
    size_t made = 0;

    NEED(mkdtemp(directory) != NULL && setenv("LOCPATH", directory, 1) == 0);
    run(PRAE_FORMAT_JSONL, &jsonl);
    run(PRAE_FORMAT_CSV, &csv);
    for (size_t i = 0; i < COUNT(locales); i++) {
        if (!take_on(directory, locales[i].name) ||
            strcmp(nl_langinfo(RADIXCHAR), locales[i].point) != 0)
            continue;
        made++;
        test_numbers(locales[i].name);
        test_params(locales[i].name);
        test_filter(locales[i].name, &jsonl, &csv);
        setlocale(LC_NUMERIC, "C");
    }
    snprintf(command, sizeof command, "rm -rf %s", directory);
    NEED(system(command) == 0);
    output_fini(&jsonl);
    output_fini(&csv);
    return made == 0 ? tap_skip_all("no locale can be made here") : tap_done();
}
