/* journal.c - entries go out whole, one call of writev(2) each. */
#include "journal.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECES_MAX 64

int __real_open(const char *path, int flags, ...);
ssize_t __real_writev(int fd, const struct iovec *pieces, int count);

static int journal = -1;

/* Before main, which gives up to open it: see confine.h. */
__attribute__((constructor)) static void
begin(void)
{
    const char *path = getenv("PRAE_JOURNAL");

    if (path != NULL)
        journal =
            __real_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

static void
put(const struct iovec *pieces, size_t count)
{
    size_t len = 0;

    for (size_t i = 0; i < count; i++)
        len += pieces[i].iov_len;
    /* A journal with a gap would show states that cannot be. */
    if (__real_writev(journal, pieces, (int)count) != (ssize_t)len)
        abort();
}

void
journal_line(const char *format, ...)
{
    char line[9000];
    va_list args;

    if (journal < 0)
        return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    put(&(struct iovec){.iov_base = line, .iov_len = strlen(line)}, 1);
}

void
journal_write(int fd, const struct iovec *pieces, size_t count, size_t len)
{
    struct iovec all[PIECES_MAX + 2];
    char head[64], end = '\n';
    size_t used = 1;

    if (journal < 0)
        return;
    snprintf(head, sizeof head, "write %d %zu\n", fd, len);
    all[0] = (struct iovec){.iov_base = head, .iov_len = strlen(head)};
    for (size_t i = 0; i < count && len > 0 && used <= PIECES_MAX; i++) {
        all[used] = pieces[i];
        if (all[used].iov_len > len)
            all[used].iov_len = len;
        len -= all[used++].iov_len;
    }
    all[used++] = (struct iovec){.iov_base = &end, .iov_len = 1};
    put(all, used);
}
