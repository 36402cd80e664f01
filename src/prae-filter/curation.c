/* curation.c - the facts in a file, alone or in a page that draws them. */
#include "curation.h"

#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "facts.h"
#include "log.h"
#include "newfile.h"
#include "web.h"

static int
is_page(const char *path)
{
    size_t len = strlen(path);

    return len > 5 && strcmp(path + len - 5, ".html") == 0;
}

static int
add_text(prae_buffer *out, const char *text)
{
    return buffer_add(out, text, strlen(text));
}

enum exit_status
curation_write(const struct loop *loop, int over, enum exit_status status)
{
    const char *path = loop->options->report;
    prae_buffer out = {0};
    char name[PATH_MAX];

    if (path == NULL)
        return EXIT_DONE;
    int page = is_page(path);
    if ((page && !add_text(&out, web_report_begin)) ||
        facts_write(loop, FACTS_FULL, over, status, &out) != 0 ||
        !add_text(&out, page ? web_report_end : "\n")) {
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
