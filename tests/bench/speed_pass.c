/*
 * speed_pass.c - decode + pass-through: the filter's way with nothing judged.
 *
 * Bytes are read, decoded into the window's vectors and written again with
 * the very files of program and library that the filter uses, so what it
 * takes longer is what judging costs.
 */
#include <math.h>
#include <stdlib.h>

#include "filter.h"
#include "outfile.h"
#include "source.h"
#include "speed.h"

/* The window's records leave as they came, and it is empty. */
static void
pass_window(prae_filter *filter, struct outfile *out)
{
    struct window *window = &filter->window;
    const struct slot *slot = window->slot;

    if (window->slot_count > 0) {
        const struct slot *last = &slot[window->slot_count - 1];
        outfile_put(out, window->bytes + slot->at,
                    last->at + last->len - slot->at, window->slot_count);
    }
    pri_window_reset(window, filter->stats.received);
}

/* PATH to /dev/null; returns how many records. */
static uint64_t
pass(prae_filter *filter, const char *path)
{
    struct spec in = {.text = path, .kind = SPEC_FILE};
    struct spec null = {.text = "/dev/null", .kind = SPEC_FILE};
    struct source source;
    struct outfile out;
    prae_status status = PRAE_OK;
    size_t used;

    if (source_open(&source, &in) != EXIT_DONE ||
        outfile_open(&out, &null) != EXIT_DONE)
        return 0;
    while (!(source.at_end && source.hungry)) {
        if (source.hungry && source_read(&source, filter->params.record_max))
            break;
        status = prae_filter_push(filter, source.bytes, source.len,
                                  source.at_end, &used);
        if (status < 0)
            break;
        source_take(&source, used);
        source.hungry = status == PRAE_OK;
        if (status == PRAE_FULL || (source.hungry && source.at_end))
            pass_window(filter, &out);
    }
    source_close(&source);
    return outfile_close(&out) == EXIT_DONE ? filter->stats.received : 0;
}

double
measure_pass(const struct speed *speed, const void *context)
{
    const struct shape *shape = context;
    char path[PATH_BYTES], model[PATH_BYTES];

    data_file(speed, *shape, speed->score_records, path);
    model_file(speed, *shape, "", 512, model);
    prae_filter *filter = filter_load(model, shape->form, 1);
    if (filter == NULL)
        return (double)NAN;
    double began = cpu_now();
    uint64_t count = pass(filter, path);
    double took = cpu_now() - began;
    prae_filter_free(filter);
    return count == speed->score_records ? 1e9 * took / (double)count
                                         : (double)NAN;
}
