/*
 * fuzz_codec.c - any bytes through any codec.
 *
 * The first byte chooses: its lowest two bits the format, the next whether
 * a CSV has no header, the next two the limits, which are small enough for
 * short inputs to meet them. The rest is decoded at once and in two kinds
 * of pieces, of single bytes where it is short enough for the square of its
 * length not to matter; codec_trace.h aborts where a codec breaks a promise,
 * and this file where the pieces make a difference.
 *
 * About: src/libprae/codec*.c src/libprae/csv_names.c src/libprae/number.c
 * src/libprae/packed.h src/libprae/text.c
 */
#include "codec_trace.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static const struct codec_limits limits[4] = {
    {1 << 20, 32, 65536},
    {1 << 20, 3, 8},
    {64, 32, 65536},
    {8, 2, 4},
};

static const prae_format formats[4] = {PRAE_FORMAT_MSGPACK, PRAE_FORMAT_JSONL,
                                       PRAE_FORMAT_CSV, PRAE_FORMAT_CSV};

static void
check_same(const struct trace_setup *setup, const char *input, size_t len,
           const char *whole, size_t first, size_t step)
{
    char *pieces = trace_run(setup, input, len, first, step);

    if (strcmp(whole, pieces) != 0) {
        fprintf(stderr, "whole:   %s\n%zu, %zu: %s\n", whole, first, step,
                pieces);
        abort();
    }
    free(pieces);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    if (size == 0)
        return 0;
    struct trace_setup setup = {.format = formats[data[0] & 3],
                                .no_header = data[0] >> 2 & 1,
                                .limits = limits[data[0] >> 3 & 3]};
    const char *input = (const char *)data + 1;
    size_t len = size - 1;

    char *whole = trace_run(&setup, input, len, len, 1);
    check_same(&setup, input, len, whole, 0, len / 128 + 1);
    check_same(&setup, input, len, whole, (data[0] >> 5) + 1u, 7);
    free(whole);
    return 0;
}
