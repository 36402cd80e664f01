/* thread.c - starting a thread, and stepping back. */
#include "thread.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#endif

#include "clock.h"

#define NICE 19
#define TURN_SECONDS 1e-4

int
thread_start(pthread_t *thread, void *(*run)(void *), void *arg)
{
    sigset_t all, before;

    /* The new thread inherits that it takes none. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(thread, NULL, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

/* A program started in a real-time class hands it to its threads, where being
 * nice means nothing: that is left first. Only Linux has threads that are
 * nice; elsewhere, or where it is forbidden, it does without. */
void
thread_step_back(void)
{
    (void)pthread_setschedparam(pthread_self(), SCHED_OTHER,
                                &(struct sched_param){0});
#ifdef __linux__
    id_t self = (id_t)syscall(SYS_gettid);
    (void)setpriority(PRIO_PROCESS, self,
                      getpriority(PRIO_PROCESS, self) + NICE);
#endif
}

/* What the calling thread has had of the processor, in seconds. */
static double
time_worked(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Linux lets even the nicest thread finish its turn of some milliseconds
 * before one that was woken in the meantime gets the processor. Who gives way
 * loses the rest of that turn: beside programs that never sleep nothing would
 * get done. So we work as long as we were away, before we do it again. */
void
thread_give_way(struct turn *turn)
{
    double time = clock_now();

    if (time - turn->since < fmax(TURN_SECONDS, turn->away) ||
        time_worked() - turn->worked < turn->away)
        return;
    (void)sched_yield();
    turn->since = clock_now();
    turn->away = turn->since - time;
    turn->worked = time_worked();
}
