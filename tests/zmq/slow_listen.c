/*
 * slow_listen.c - libzmq's thread gets no processor for PRAE_LISTEN
 * milliseconds, by LD_PRELOAD, where it has asked to hear of a connection
 * (again): what it had no room for before is on its hands then.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* By which the program stands in the place of epoll_ctl. */
long
syscall(long number, ...)
{
    long (*call)(long, ...), word[6];
    const char *text = getenv("PRAE_LISTEN");
    long ms = text == NULL ? 0 : strtol(text, NULL, 10);
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};
    va_list words;

    va_start(words, number);
    for (int i = 0; i < 6; i++)
        word[i] = va_arg(words, long);
    va_end(words);
    *(void **)&call = dlsym(RTLD_NEXT, "syscall");
    long got =
        call(number, word[0], word[1], word[2], word[3], word[4], word[5]);
    int error = errno;
    if (number == SYS_epoll_ctl && word[1] == EPOLL_CTL_ADD)
        while (nanosleep(&left, &left) != 0 && errno == EINTR)
            continue;
    errno = error;
    return got;
}
