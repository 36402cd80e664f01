/* fifo.h - files to write to, of which some are FIFOs. */
#ifndef FIFO_H
#define FIFO_H

/*
 * Opens PATH for writing, which is made where it is not there, with FLAGS of
 * open(2) besides. A FIFO that nobody reads is waited for until somebody asks
 * to stop; then it is -1 with ENXIO. A signal that came before would not wake
 * an open that waits by itself.
 */
int fifo_open(const char *path, int flags);

/*
 * Waits until FD takes a page, which a pipe, a terminal or a socket that is
 * full does not; not for long once somebody asks to stop. 0 where nobody has
 * read it by then, else 1.
 */
int fifo_wait(int fd);

/* What strerror says, or that nobody reads. */
const char *fifo_error(int error);

#endif
