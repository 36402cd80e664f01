/*
 * journal.h - what was asked of the disk, in order.
 *
 * Where PRAE_JOURNAL names a file, every call that changes a file or makes
 * changes durable adds an entry to it:
 *
 *   open FD PATH     a new file, or one that is emptied
 *   write FD LEN     then LEN bytes and a newline
 *   sync FD
 *   directory FD PATH
 *   rename FROM TO
 *   link FROM TO
 *   unlink PATH
 *   close FD
 *
 * powerloss.py makes of it what a power cut could leave.
 */
#ifndef PRAE_TORTURE_JOURNAL_H
#define PRAE_TORTURE_JOURNAL_H

#include <stddef.h>
#include <sys/uio.h>

void journal_line(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* LEN bytes, the first of those in PIECES, were written to FD. */
void journal_write(int fd, const struct iovec *pieces, size_t count,
                   size_t len);

#endif
