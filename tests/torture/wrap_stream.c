/* wrap_stream.c - streams and directories that cannot be opened or end with
 * an error; threads and pipes that cannot be had; waiting that is cut off. */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fault.h"

FILE *__real_fopen(const char *path, const char *mode);
FILE *__real_open_memstream(char **text, size_t *len);
int __real_fflush(FILE *stream);
int __real_fclose(FILE *stream);
DIR *__real_opendir(const char *path);
int __real_closedir(DIR *dir);
int __real_poll(struct pollfd *items, nfds_t count, int timeout_ms);
int __real_getentropy(void *bytes, size_t len);
int __real_pipe(int *ends);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *), void *arg);
void __real__exit(int status) __attribute__((noreturn));

FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_open_memstream(char **text, size_t *len);
int __wrap_fflush(FILE *stream);
int __wrap_fclose(FILE *stream);
DIR *__wrap_opendir(const char *path);
int __wrap_closedir(DIR *dir);
int __wrap_poll(struct pollfd *items, nfds_t count, int timeout_ms);
int __wrap_getentropy(void *bytes, size_t len);
int __wrap_pipe(int *ends);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *), void *arg);
void __wrap__exit(int status) __attribute__((noreturn));

/* ---- streams ---- */

FILE *
__wrap_fopen(const char *path, const char *mode)
{
    if (FAULT_STRIKES(FAULT_STREAM, "fopen"))
        return NULL;
    FILE *stream = __real_fopen(path, mode);
    fault_note_fds(stream != NULL);
    return stream;
}

/* Who opens it frees the text. */
FILE *
__wrap_open_memstream(char **text, size_t *len)
{
    if (FAULT_STRIKES(FAULT_STREAM, "open_memstream"))
        return NULL;
    FILE *stream = __real_open_memstream(text, len);
    fault_note_blocks(stream != NULL);
    fault_note_fds(stream != NULL); /* fclose counts it off */
    return stream;
}

int
__wrap_fflush(FILE *stream)
{
    return FAULT_STRIKES(FAULT_STREAM, "fflush") ? EOF : __real_fflush(stream);
}

int
__wrap_fclose(FILE *stream)
{
    enum fault fault = FAULT_STRIKES(FAULT_STREAM, "fclose");
    int error = errno;
    int bad = __real_fclose(stream);

    fault_note_fds(-1);
    if (fault == FAULT_NONE)
        return bad;
    errno = error;
    return EOF;
}

DIR *
__wrap_opendir(const char *path)
{
    if (FAULT_STRIKES(FAULT_STREAM, "opendir"))
        return NULL;
    DIR *dir = __real_opendir(path);
    fault_note_fds(dir != NULL);
    return dir;
}

int
__wrap_closedir(DIR *dir)
{
    fault_note_fds(-1);
    return __real_closedir(dir);
}

/* ---- the system ---- */

int
__wrap_poll(struct pollfd *items, nfds_t count, int timeout_ms)
{
    return FAULT_STRIKES(FAULT_POLL, "poll")
               ? -1
               : __real_poll(items, count, timeout_ms);
}

int
__wrap_getentropy(void *bytes, size_t len)
{
    return FAULT_STRIKES(FAULT_ENTROPY, "getentropy")
               ? -1
               : __real_getentropy(bytes, len);
}

int
__wrap_pipe(int *ends)
{
    if (FAULT_STRIKES(FAULT_PIPE, "pipe"))
        return -1;
    int bad = __real_pipe(ends);
    fault_note_fds(bad == 0 ? 2 : 0);
    return bad;
}

int
__wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                      void *(*run)(void *), void *arg)
{
    if (FAULT_STRIKES(FAULT_THREAD, "pthread_create"))
        return errno;
    return __real_pthread_create(thread, attributes, run, arg);
}

void
__wrap__exit(int status)
{
    fault_end(1);
    __real__exit(status);
}
