/*
 * speed_data.c - records for the speed bench.
 *
 * Written byte by byte where the format is binary: what is measured is to
 * be read by our codec, not made by a library.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_rng.h"
#include "speed.h"

#define FACTORS 3
#define NOISE 0.1     /* the factors' loadings are of deviation 1 */
#define OUTLIERS 0.01 /* of the records */
#define CATEGORIES 24
#define WORDS 8 /* of a text */

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
