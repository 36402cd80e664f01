/* curation.c - the facts in a file. */
#include "curation.h"

#include <stdlib.h>

#include "facts.h"
#include "log.h"
#include "newfile.h"

enum exit_status
curation_write(const struct loop *loop, int over, enum exit_status status)
{
    const char *path = loop->options->report;
    prae_buffer out = {0};
    char name[PATH_MAX];

    if (path == NULL)
        return EXIT_DONE;
    if (facts_write(loop, FACTS_FULL, over, status, &out) != 0) {
        free(out.data);
        log_error("out of memory for the report %s", path);
        return EXIT_FAILED;
    }
    /* While records flow nobody waits for a disk. */
    enum durable durable = over ? NEWFILE_DURABLE : NEWFILE_QUICK;
    enum exit_status written =
        newfile_write(path, out.data, out.len, 0666, durable, name);
    if (written == EXIT_DONE)
        written = newfile_place(name, path, durable);
    free(out.data);
    return written;
}
