/*
 * seed_snapshot.c - writes the corpus of fuzz_snapshot.c into the directory
 * named, anew whenever a snapshot's format changes.
 */
#include "unit/stream.h"

static const struct {
    const char *name;
    prae_context context;
    int deep; /* the usual net, and a field that is ignored */
    const char *format;
} seeds[] = {
    {"numbers", PRAE_CONTEXT_OFF, 0, "{\"x\":%d,\"y\":%d,\"n\":{\"k\":1}}\n"},
    {"context", PRAE_CONTEXT_ON, 0, "{\"x\":%d,\"y\":%d,\"n\":{\"k\":1}}\n"},
    {"category", PRAE_CONTEXT_OFF, 0, "{\"x\":%d,\"c\":\"v%d\"}\n"},
    {"array", PRAE_CONTEXT_OFF, 0, "[%d,%d]\n"},
    {"deep", PRAE_CONTEXT_OFF, 1, "{\"x\":%d,\"y\":%d,\"c\":{\"k\":1}}\n"},
};

static void
write_seed(const char *directory, size_t i)
{
    prae_params params;
    struct stream stream;
    prae_buffer in = {0}, out = {0};
    char path[4096], line[128];

    prae_params_init(&params);
    params.format = PRAE_FORMAT_JSONL;
    params.window = 16;
    params.memory = 10;
    params.context = seeds[i].context;
    params.ignore = seeds[i].deep ? "c" : NULL;
    if (!seeds[i].deep) {
        params.hidden_count = 0;
        params.latent = 1;
    }
    for (int k = 0; k < 32; k++) {
        snprintf(line, sizeof line, seeds[i].format, k * 7 % 5, k * 3 % 7);
        put(&in, line, strlen(line));
    }
    stream_open(&stream, &params);
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    NEED(prae_filter_save(stream.filter, &out) == PRAE_OK);
    snprintf(path, sizeof path, "%s/%s", directory, seeds[i].name);
    FILE *file = fopen(path, "wb");
    NEED(file != NULL && fwrite(out.data, 1, out.len, file) == out.len &&
         fclose(file) == 0);
    stream_close(&stream);
    buffer_fini(&in);
    buffer_fini(&out);
}

int
main(int argc, char **argv)
{
    NEED(argc == 2);
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
        write_seed(argv[1], i);
    return 0;
}
