/*
 * clock_jump.c - moves the wall clock of one process, by LD_PRELOAD, so that
 * a test can see what the program makes of it.
 *
 * The file that PRAE_CLOCK names holds the seconds to add; it is read anew
 * at each call, so that the clock jumps when the test rewrites it. Monotonic
 * clocks are left alone, as a real jump leaves them alone.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Seconds to add now; 0 where nothing says so. */
static long
jump(void)
{
    const char *path = getenv("PRAE_CLOCK");
    char text[32] = "";
    int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return 0;
    ssize_t len = read(fd, text, sizeof text - 1);
    close(fd);
    return len > 0 ? strtol(text, NULL, 10) : 0;
}

/* The kernel is asked itself: libc's function is the one replaced here. */
int
clock_gettime(clockid_t clock, struct timespec *at)
{
    int result = (int)syscall(SYS_clock_gettime, clock, at);

    if (result == 0 &&
        (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        at->tv_sec += jump();
    return result;
}

int
gettimeofday(struct timeval *restrict at, void *restrict zone)
{
    struct timespec now;

    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t
time(time_t *at)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    if (at != NULL)
        *at = now.tv_sec;
    return now.tv_sec;
}
