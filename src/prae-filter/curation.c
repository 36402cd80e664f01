/* curation.c - the facts in a file, alone or in a page that draws them. */
#include "curation.h"

#include <stdlib.h>
#include <string.h>

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

/* Appends TEXT. 0, or -1 out of memory. */
static int
add(prae_buffer *out, const char *text)
{
    size_t len = strlen(text);
    char *more = realloc(out->data, out->len + len);

    if (more == NULL)
        return -1;
    /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): it has a length */
    memcpy(more + out->len, text, len);
    out->data = more;
    out->len += len;
    out->cap = out->len;
    return 0;
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
    if ((page && add(&out, web_report_begin) != 0) ||
        facts_write(loop, FACTS_FULL, over, status, &out) != 0 ||
        add(&out, page ? web_report_end : "\n") != 0) {
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
