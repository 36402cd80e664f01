/*
 * fuzz_plan.c - any bytes, read by plans and without them.
 *
 * The first byte chooses: its lowest two bits the format, the next whether
 * a CSV has no header, the next two the limits, then whether NaN is imputed,
 * strings are numbers, and strings are left uncounted. The second byte says
 * how the rest is cut into pieces. The features
 * are those of the bytes themselves. They are pushed several times, as the
 * first record of a shape is never read by a plan; plan_pair.h aborts where
 * plans make a difference.
 *
 * About: src/libprae/plan*.[ch] src/libprae/feature.c src/libprae/message.c
 */
#include "plan_pair.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static const struct codec_limits limits[4] = {
    {1 << 20, 32, 65536},
    {1 << 20, 3, 8},
    {64, 32, 65536},
    {24, 2, 4},
};

static const prae_format formats[4] = {PRAE_FORMAT_MSGPACK, PRAE_FORMAT_JSONL,
                                       PRAE_FORMAT_CSV, PRAE_FORMAT_MSGPACK};

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    prae_params params;
    struct pair pair;

    if (size < 2)
        return 0;
    const struct codec_limits *most = &limits[data[0] >> 3 & 3];
    const char *input = (const char *)data + 2;
    size_t len = size - 2;
    prae_params_init(&params);
    params.format = formats[data[0] & 3];
    params.no_header = data[0] >> 2 & 1;
    params.record_max = most->record_bytes;
    params.depth_max = most->depth;
    params.elements_max = most->elements;
    params.nonfinite =
        data[0] >> 5 & 1 ? PRAE_NONFINITE_IMPUTE : PRAE_NONFINITE_REJECT;
    params.coerce = data[0] >> 6 & 1;
    params.freeze = data[0] >> 7;
    params.window = 64;
    if (!pair_open(&pair, &params, input, len))
        return 0;
    pair_stream(&pair, input, len, len, 1);
    pair_stream(&pair, input, len, data[1], data[1] % 16 + 1u);
    pair_message(&pair, input, len);
    pair_stream(&pair, input, len, len, 1);
    pair_close(&pair);
    return 0;
}
