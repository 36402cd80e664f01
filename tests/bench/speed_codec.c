/* speed_codec.c - bytes to vectors, and a model to bytes: the library's own
 * share of a run, without reading or writing. */
#include <math.h>
#include <stdlib.h>

#include "filter.h"
#include "speed.h"

#define SAVES 20

/* Bytes to the rows of windows, as a filter with features does it. */
double
measure_decode(const struct speed *speed, const void *context)
{
    const struct shape *shape = context;
    prae_status status = PRAE_FULL;
    size_t len, at = 0, used;
    char path[PATH_BYTES], model[PATH_BYTES];

    data_file(speed, *shape, speed->score_records, path);
    model_file(speed, *shape, "", 512, model);
    prae_filter *filter = filter_load(model, shape->form, 1);
    char *bytes = file_load(path, &len);
    if (filter == NULL || bytes == NULL)
        return (double)NAN;
    double began = cpu_now();
    while (status == PRAE_FULL) {
        status = prae_filter_push(filter, bytes + at, len - at, 1, &used);
        at += used;
        pri_window_reset(&filter->window, filter->stats.received);
    }
    double took = cpu_now() - began;
    uint64_t count = filter->stats.received;
    prae_filter_free(filter);
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
