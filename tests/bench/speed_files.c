/* speed_files.c - files of records, and snapshots that were learned from
 * them: made when they are first asked for, and kept for the run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "speed.h"

#define MODEL_WINDOWS 20
#define MODEL_WINDOWS_FEW 4 /* of long ones */
#define LONG 4096

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
    size_t windows = window > LONG ? MODEL_WINDOWS_FEW : MODEL_WINDOWS;
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
