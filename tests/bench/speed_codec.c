/* speed_codec.c - bytes to records, and a model to bytes: the library's own
 * share of a run, without reading or writing. */
#include <math.h>
#include <stdlib.h>

#include "codec.h"
#include "speed.h"

#define SAVES 20

static int
start_codec(struct codec *codec, enum form form)
{
    struct codec_limits limits;
    prae_params params;

    prae_params_init(&params);
    limits = (struct codec_limits){.record_bytes = params.record_max,
                                   .depth = params.depth_max,
                                   .elements = params.elements_max};
    return pri_codec_init(codec, form_format(form), &limits) == PRAE_OK ? 0
                                                                        : -1;
}

double
measure_decode(const struct speed *speed, const void *context)
{
    const struct shape *shape = context;
    prae_status status = PRAE_OK;
    size_t len, at = 0, count = 0;
    char path[PATH_BYTES];
    struct codec codec;

    data_file(speed, *shape, speed->score_records, path);
    char *bytes = file_load(path, &len);
    if (start_codec(&codec, shape->form) != 0)
        return (double)NAN;
    double began = cpu_now();
    while (status == PRAE_OK) {
        status = pri_codec_next(&codec, bytes + at, len - at, 1);
        at += codec.record.len_bytes;
        count += status == PRAE_OK && codec.record.fault == FAULT_NONE;
    }
    double took = cpu_now() - began;
    pri_codec_fini(&codec);
    free(bytes);
    return count == speed->score_records ? 1e9 * took / (double)count
                                         : (double)NAN;
}

double
measure_save(const struct speed *speed, const void *context)
{
    prae_status status = PRAE_OK;
    prae_buffer buffer = {0};
    char model[PATH_BYTES];

    model_file(speed, *(const struct shape *)context, "", 512, model);
    prae_filter *filter = filter_load(model, FORM_ARRAY, 0);
    if (filter == NULL)
        return (double)NAN;
    double began = cpu_now();
    for (int i = 0; status == PRAE_OK && i < SAVES; i++) {
        buffer.len = 0;
        status = prae_filter_save(filter, &buffer);
    }
    double took = cpu_now() - began;
    prae_filter_free(filter);
    free(buffer.data);
    return status == PRAE_OK ? 1e6 * took / SAVES : (double)NAN;
}
