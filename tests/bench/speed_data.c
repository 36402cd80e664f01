/*
 * speed_data.c - records for the speed bench, and models of them.
 *
 * Written byte by byte where the format is binary: what is measured is to
 * be read by our codec, not made by a library.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench_rng.h"
#include "speed.h"

#define FACTORS 3
#define NOISE 0.1     /* the factors' loadings are of deviation 1 */
#define OUTLIERS 0.01 /* of the records */
#define CATEGORIES 24
#define WORDS 8 /* of a text */
#define MODEL_WINDOWS 20

#define ARRAY16 0xdc
#define MAP16 0xde
#define FLOAT64 0xcb
#define STR8 0xd9

#define STREAM_PLANE 15
#define STREAM_RECORDS 16

/* ---- one record's values ---- */

struct maker {
    struct shape shape;
    struct bench_rng rng;
    double *loading; /* (numbers, FACTORS) */
    double *value;   /* (numbers) of the record made last */
};

static void
maker_init(struct maker *maker, struct shape shape)
{
    size_t count = shape.numbers * FACTORS;

    *maker = (struct maker){.shape = shape};
    maker->loading = malloc((count + 1) * sizeof *maker->loading);
    maker->value = malloc((shape.numbers + 1) * sizeof *maker->value);
    if (maker->loading == NULL || maker->value == NULL)
        die("out of memory for records");
    bench_rng_init(&maker->rng, 1, STREAM_PLANE);
    for (size_t i = 0; i < count; i++)
        maker->loading[i] = bench_rng_normal(&maker->rng);
    bench_rng_init(&maker->rng, 1, STREAM_RECORDS);
}

static void
maker_fini(struct maker *maker)
{
    free(maker->loading);
    free(maker->value);
}

/* The next record's numbers. An outlier's have the usual spread and nothing
 * in common, so no single one gives it away. */
static void
make_numbers(struct maker *maker)
{
    struct bench_rng *rng = &maker->rng;
    int odd = bench_rng_uniform(rng) < OUTLIERS;
    double factor[FACTORS];

    for (size_t k = 0; k < FACTORS; k++)
        factor[k] = bench_rng_normal(rng);
    for (size_t j = 0; j < maker->shape.numbers; j++) {
        const double *loading = maker->loading + j * FACTORS;
        double value = NOISE * bench_rng_normal(rng);
        for (size_t k = 0; k < FACTORS; k++)
            value += loading[k] * (odd ? bench_rng_normal(rng) : factor[k]);
        maker->value[j] = value;
    }
}

/* A string: the first ones are the usual ones. */
static size_t
make_string(struct maker *maker, int is_text, char *to, size_t size)
{
    struct bench_rng *rng = &maker->rng;
    size_t len = 0;

    if (!is_text) {
        double share = bench_rng_uniform(rng);
        return (size_t)snprintf(to, size, "kind-%02d",
                                (int)(CATEGORIES * share * share));
    }
    for (size_t i = 0; i < WORDS; i++)
        len += (size_t)snprintf(to + len, size - len, "%sword%c%d",
                                i == 0 ? "" : " ", 'a' + (int)i,
                                (int)bench_rng_below(rng, 6));
    return len;
}

/* ---- as bytes ---- */

static void
put_head(FILE *to, int code, size_t count)
{
    putc(code, to);
    putc((int)(count >> 8 & 255), to);
    putc((int)(count & 255), to);
}

static void
put_double(FILE *to, double value)
{
    unsigned char bytes[9] = {FLOAT64};
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 8; i++)
        bytes[1 + i] = (unsigned char)(bits >> (56 - 8 * i));
    fwrite(bytes, 1, sizeof bytes, to);
}

static void
put_string(FILE *to, const char *text, size_t len)
{
    putc(STR8, to);
    putc((int)len, to);
    fwrite(text, 1, len, to);
}

static void
put_binary(FILE *to, struct maker *maker)
{
    const struct shape *shape = &maker->shape;
    size_t strings = shape->categories + shape->texts;
    int is_map = shape->form == FORM_MAP;
    char text[256], key[24];

    put_head(to, is_map ? MAP16 : ARRAY16, shape->numbers + strings);
    for (size_t j = 0; j < shape->numbers + strings; j++) {
        if (is_map)
            put_string(to, key,
                       (size_t)snprintf(key, sizeof key, "field%zu", j));
        if (j < shape->numbers) {
            put_double(to, maker->value[j]);
            continue;
        }
        size_t len = make_string(maker, j >= shape->numbers + shape->categories,
                                 text, sizeof text);
        put_string(to, text, len);
    }
}

static void
put_line(FILE *to, struct maker *maker)
{
    const struct shape *shape = &maker->shape;
    size_t fields = shape->numbers + shape->categories + shape->texts;
    int is_json = shape->form == FORM_JSONL;
    char text[256];

    for (size_t j = 0; j < fields; j++) {
        if (is_json)
            fprintf(to, "%c\"field%zu\":", j == 0 ? '{' : ',', j);
        else if (j > 0)
            putc(',', to);
        if (j < shape->numbers) {
            fprintf(to, "%.6g", maker->value[j]);
            continue;
        }
        (void)make_string(maker, j >= shape->numbers + shape->categories, text,
                          sizeof text);
        fprintf(to, is_json ? "\"%s\"" : "%s", text);
    }
    fputs(is_json ? "}\n" : "\n", to);
}

int
data_write(FILE *to, struct shape shape, size_t count)
{
    size_t fields = shape.numbers + shape.categories + shape.texts;
    struct maker maker;

    maker_init(&maker, shape);
    for (size_t j = 0; shape.form == FORM_CSV && j < fields; j++)
        fprintf(to, "field%zu%c", j, j + 1 < fields ? ',' : '\n');
    for (size_t i = 0; i < count; i++) {
        make_numbers(&maker);
        if (shape.form == FORM_ARRAY || shape.form == FORM_MAP)
            put_binary(to, &maker);
        else
            put_line(to, &maker);
    }
    maker_fini(&maker);
    return fflush(to) != 0 || ferror(to) ? -1 : 0;
}

void
data_table(size_t D, size_t count, float *x)
{
    struct maker maker;

    maker_init(&maker, (struct shape){.numbers = D});
    for (size_t i = 0; i < count; i++) {
        make_numbers(&maker);
        for (size_t d = 0; d < D; d++)
            x[i * D + d] = (float)(maker.value[d] / sqrt(FACTORS));
    }
    maker_fini(&maker);
}

/* ---- in files ---- */

static const char *const suffix[] = {"array.msgpack", "map.msgpack", "jsonl",
                                     "csv"};

void
data_name(const struct speed *speed, struct shape shape, size_t count,
          char *path)
{
    snprintf(path, PATH_BYTES, "%s/%zu-%zu-%zu-%zu.%s", speed->dir,
             shape.numbers, shape.categories, shape.texts, count,
             suffix[shape.form]);
}

void
data_file(const struct speed *speed, struct shape shape, size_t count,
          char *path)
{
    struct stat stat_buf;

    data_name(speed, shape, count, path);
    if (stat(path, &stat_buf) == 0)
        return;
    FILE *to = fopen(path, "wb");
    if (to == NULL || data_write(to, shape, count) != 0 || fclose(to) != 0)
        die("cannot write %s: %s", path, strerror(errno));
}

const char *
form_name(enum form form)
{
    return form == FORM_JSONL ? "jsonl" : form == FORM_CSV ? "csv" : "msgpack";
}

prae_format
form_format(enum form form)
{
    return form == FORM_JSONL ? PRAE_FORMAT_JSONL
           : form == FORM_CSV ? PRAE_FORMAT_CSV
                              : PRAE_FORMAT_MSGPACK;
}

void
model_file(const struct speed *speed, struct shape shape, const char *options,
           size_t window, char *path)
{
    size_t windows = window > 4096 ? 4 : MODEL_WINDOWS;
    char in[PATH_BYTES], all[256];
    struct stat stat_buf;
    struct cost cost;
    size_t len;

    snprintf(path, PATH_BYTES, "%s/%zu-%zu-%zu-%s.%s.model", speed->dir,
             shape.numbers, shape.categories, shape.texts, options,
             suffix[shape.form]);
    for (len = strlen(speed->dir) + 1; path[len] != '\0'; len++)
        if (path[len] == ' ' || path[len] == '/')
            path[len] = '_';
    if (stat(path, &stat_buf) == 0)
        return;
    data_file(speed, shape, windows * window, in);
    snprintf(all, sizeof all, "--format=%s %s", form_name(shape.form), options);
    if (filter_run(speed, all, path, in, PLUMB_FILES, &cost) != 0)
        die("no model of %s", in);
    unlink(in);
}

char *
file_load(const char *path, size_t *len)
{
    FILE *from = fopen(path, "rb");
    struct stat stat_buf;
    char *bytes = NULL;

    if (from != NULL && fstat(fileno(from), &stat_buf) == 0)
        bytes = malloc((size_t)stat_buf.st_size + 1);
    if (bytes == NULL)
        die("cannot load %s", path);
    *len = fread(bytes, 1, (size_t)stat_buf.st_size, from);
    fclose(from);
    return bytes;
}

prae_filter *
filter_load(const char *model, enum form form, int freeze)
{
    prae_filter *filter = NULL;
    prae_params params;
    size_t len;
    char *bytes = file_load(model, &len);

    prae_params_init(&params);
    params.format = form_format(form);
    params.freeze = freeze;
    if (prae_filter_new(&params, &filter) == PRAE_OK &&
        prae_filter_load(filter, bytes, len) != PRAE_OK) {
        prae_filter_free(filter);
        filter = NULL;
    }
    free(bytes);
    return filter;
}
