/*
 * fuzz_snapshot.c - any bytes as a snapshot.
 *
 * The head (magic, version, length, checksum) is made right first, so that
 * the parts behind it are met. What is loaded must tell all it knows and judge
 * some windows, and all it says is finite and text; what it saves, before and
 * after them, is loaded again, always.
 *
 * About: src/libprae/bytes.c src/libprae/snapshot*.c src/libprae/state.c
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "snapshot.h"
#include "text.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

#define HEAD_BYTES 32
#define WINDOW 8
#define WINDOWS 4

#define MUST(expression)                                                     \
    do {                                                                     \
        if (!(expression)) {                                                 \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, \
                    #expression);                                            \
            abort();                                                         \
        }                                                                    \
    } while (0)

static void
put_le(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static unsigned char *
with_head(const unsigned char *data, size_t size)
{
    unsigned char *copy = malloc(size);

    MUST(copy != NULL);
    memcpy(copy, data, size);
    memcpy(copy, "PRAESNAP", 8);
    put_le(copy + 8, PRI_SNAPSHOT_VERSION, 4);
    put_le(copy + 16, size - HEAD_BYTES, 8);
    put_le(copy + 24, XXH64(copy + HEAD_BYTES, size - HEAD_BYTES, 0), 8);
    return copy;
}

static prae_filter *
new_filter(void)
{
    prae_params params;
    prae_filter *filter;

    prae_params_init(&params);
    params.format = PRAE_FORMAT_JSONL;
    params.window = WINDOW;
    MUST(prae_filter_new(&params, &filter) == PRAE_OK);
    return filter;
}

/* Everything that can be asked of a filter. */
static void
ask(prae_filter *filter)
{
    const char *reason;
    prae_feature feature;
    prae_stats stats;

    for (size_t i = 0; prae_filter_field(filter, i, &reason) != NULL; i++)
        continue;
    for (size_t d = 0; prae_filter_feature(filter, d, &feature) == PRAE_OK; d++)
        MUST(feature.unit > 0.0);
    MUST(isfinite(prae_filter_quantile(filter, 0.5)));
    prae_filter_stats(filter, &stats);
    MUST(stats.features > 0 && isfinite(stats.likeness) &&
         isfinite(stats.limit) && isfinite(stats.score_likeness));
}

/* What FILTER saves is loaded again. */
static void
save(const prae_filter *filter)
{
    prae_filter *again = new_filter();
    prae_buffer saved = {0};

    MUST(prae_filter_save(filter, &saved) == PRAE_OK);
    MUST(prae_filter_load(again, saved.data, saved.len) == PRAE_OK);
    free(saved.data);
    prae_filter_free(again);
}

/* A record such as the corpus's models learned, for window W. */
static size_t
write_record(char *text, size_t size, int w, int i)
{
    static const char *const strings[] = {"a", "v1", "new"};
    const char *far = w == 1 && i == 3 ? "e300" : "";

    if (w == 2)
        return (size_t)snprintf(text, size, "[%d%s,%d]\n", i, far, 2 * i);
    return (size_t)snprintf(
        text, size,
        "{\"x\":%d%s,\"y\":%d,\"c\":\"%s\",\"t\":\"a %d b\",\"n\":{\"k\":1}}"
        "\n",
        i * 7 % 5, far, 2 * i, strings[(w + i) % 3], i);
}

static void
look_at(const prae_verdict *verdict)
{
    prae_buffer out = {0};

    if (verdict->kind != PRAE_KIND_REJECT)
        MUST(isfinite(verdict->score) && isfinite(verdict->error));
    for (size_t i = 0; i < verdict->value_count; i++)
        MUST(!isinf(verdict->values[i]));
    MUST(prae_verdict_write(verdict, PRAE_FORMAT_JSONL, &out) == PRAE_OK);
    MUST(pri_utf8_valid(out.data, out.len) == out.len);
    free(out.data);
}

static void
judge(prae_filter *filter, int w)
{
    size_t used = 0, len = 0, taken = 0;
    prae_verdict verdict;
    char text[2048];

    for (int i = 0; i < WINDOW; i++)
        len += write_record(text + len, sizeof text - len, w, i);
    prae_status status = prae_filter_push(filter, text, len, 0, &used);
    MUST((status == PRAE_OK || status == PRAE_FULL) && used == len);
    MUST(prae_filter_judge(filter) == PRAE_OK);
    for (; prae_filter_next(filter, &verdict) == PRAE_OK; taken++)
        look_at(&verdict);
    MUST(taken == WINDOW);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    if (size < HEAD_BYTES)
        return 0;
    unsigned char *bytes = with_head(data, size);
    prae_filter *filter = new_filter();
    prae_buffer saved = {0};
    prae_status status = prae_filter_load(filter, (const char *)bytes, size);

    if (status == PRAE_OK) {
        ask(filter);
        save(filter);
        for (int w = 0; w < WINDOWS; w++) {
            judge(filter, w);
            ask(filter);
            save(filter);
        }
    } else {
        MUST(status == PRAE_ESNAPSHOT || status == PRAE_ENOMEM);
        MUST(prae_filter_errmsg(filter)[0] != '\0');
        /* Else nothing behind the head would ever be met. */
        MUST(strstr(prae_filter_errmsg(filter), "its version is") == NULL);
        MUST(strstr(prae_filter_errmsg(filter), "its checksum") == NULL);
        MUST(prae_filter_save(filter, &saved) == PRAE_EINVAL);
    }
    free(saved.data);
    free(bytes);
    prae_filter_free(filter);
    return 0;
}
