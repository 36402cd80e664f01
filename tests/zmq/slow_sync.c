/*
 * slow_sync.c - a disk that takes its time, by LD_PRELOAD, so that a test can
 * see what the program does meanwhile.
 *
 * To sync a file takes as many milliseconds as PRAE_SYNC says, and fails then
 * where PRAE_SYNC_FAILS is set.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int
fsync(int fd)
{
    const char *text = getenv("PRAE_SYNC");
    long ms = text == NULL ? 0 : strtol(text, NULL, 10);
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};

    (void)fd;
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
    if (getenv("PRAE_SYNC_FAILS") == NULL)
        return 0;
    errno = EIO;
    return -1;
}
