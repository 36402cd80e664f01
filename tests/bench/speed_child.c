/* speed_child.c - processes, and what they cost. */
#include "speed.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORDS_MAX 32
#define PIPE_BYTES 65536 /* at a time, as cat and the like do */

void
die(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("speed: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

double
cpu_now(void)
{
    struct timespec time;

    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) != 0)
        die("no clock of CPU time: %s", strerror(errno));
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double
wall_now(void)
{
    struct timespec time;

    if (clock_gettime(CLOCK_MONOTONIC, &time) != 0)
        die("no clock: %s", strerror(errno));
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static pid_t
fork_or_die(void)
{
    fflush(NULL); /* or the child would write it once more */
    pid_t pid = fork();
    if (pid < 0)
        die("cannot fork: %s", strerror(errno));
    return pid;
}

static void
pipe_or_die(int ends[2])
{
    if (pipe(ends) != 0)
        die("no pipe: %s", strerror(errno));
}

/* ---- functions ---- */

double
child_call(double (*work)(const struct speed *, const void *),
           const struct speed *speed, const void *context)
{
    double value = (double)NAN;
    int ends[2];

    pipe_or_die(ends);
    pid_t pid = fork_or_die();
    if (pid == 0) {
        value = work(speed, context);
        _exit(write(ends[1], &value, sizeof value) == sizeof value ? 0 : 1);
    }
    close(ends[1]);
    if (read(ends[0], &value, sizeof value) != sizeof value)
        value = (double)NAN;
    close(ends[0]);
    waitpid(pid, NULL, 0);
    return value;
}

/* ---- programs ---- */

static void
move_to(int from, int to)
{
    if (from == to)
        return;
    if (dup2(from, to) < 0)
        _exit(126);
    close(from);
}

/* FROM to TO until it ends, as fast as they go; never returns. */
static void
pump(int from, int to)
{
    char *bytes = malloc(PIPE_BYTES);
    ssize_t got;

    if (bytes == NULL)
        _exit(1);
    while ((got = read(from, bytes, PIPE_BYTES)) > 0)
        for (ssize_t at = 0, put; at < got; at += put)
            if ((put = write(to, bytes + at, (size_t)(got - at))) < 0)
                _exit(1);
    _exit(got < 0 ? 1 : 0);
}

/* Puts a process that only moves bytes before or behind FD: returns what
 * the program is to have in its place. */
static int
plumb(int fd, int before, pid_t *pid)
{
    int ends[2];

    pipe_or_die(ends);
    *pid = fork_or_die();
    if (*pid == 0) {
        close(ends[before ? 0 : 1]);
        if (before)
            pump(fd, ends[1]);
        pump(ends[0], fd);
    }
    close(fd);
    close(ends[before ? 1 : 0]);
    fcntl(ends[before ? 0 : 1], F_SETFD, FD_CLOEXEC);
    return ends[before ? 0 : 1];
}

static double
seconds(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

static void
child_start(struct child *child, char *const argv[], const char *in,
            enum plumbing plumbing)
{
    int from = open(in, O_RDONLY | O_CLOEXEC);
    int to = open("/dev/null", O_WRONLY | O_CLOEXEC);

    *child = (struct child){0};
    if (from < 0 || to < 0)
        die("cannot open %s: %s", from < 0 ? in : "/dev/null", strerror(errno));
    if (plumbing == PLUMB_PIPES) {
        from = plumb(from, 1, &child->feeder);
        to = plumb(to, 0, &child->drain);
    }
    child->pid = fork_or_die();
    if (child->pid == 0) {
        move_to(from, STDIN_FILENO);
        move_to(to, STDOUT_FILENO);
        execvp(argv[0], argv);
        _exit(127);
    }
    close(from);
    close(to);
}

void
filter_start(const struct speed *speed, const char *options, const char *model,
             const char *in, enum plumbing plumbing, struct child *child)
{
    char words[512], named[PATH_BYTES + 16], filter[PATH_BYTES];
    char outliers[] = "--outliers=null:", quiet[] = "--quiet";
    char *argv[WORDS_MAX] = {filter, quiet, outliers};
    size_t count = 3;
    char *rest;

    snprintf(filter, sizeof filter, "%s", speed->filter);
    snprintf(words, sizeof words, "%s", options);
    for (char *word = strtok_r(words, " ", &rest);
         word != NULL && count < WORDS_MAX - 2;
         word = strtok_r(NULL, " ", &rest))
        argv[count++] = word;
    if (model != NULL) {
        snprintf(named, sizeof named, "--model=%s", model);
        argv[count++] = named;
    }
    child_start(child, argv, in, plumbing);
}

int
filter_run(const struct speed *speed, const char *options, const char *model,
           const char *in, enum plumbing plumbing, struct cost *cost)
{
    struct child child;

    filter_start(speed, options, model, in, plumbing, &child);
    return child_wait(&child, cost);
}

/* ---- while they run ---- */

int
child_is_over(const struct child *child)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)child->pid, &info,
                  WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid != 0;
}

void
child_let(const struct child *child, double most)
{
    const struct timespec moment = {.tv_nsec = 5000000};
    double until = wall_now() + most;

    kill(child->pid, SIGCONT);
    do
        nanosleep(&moment, NULL);
    while (!child_is_over(child) && wall_now() < until);
    kill(child->pid, SIGSTOP);
}

int
child_wait(struct child *child, struct cost *cost)
{
    struct rusage usage;
    int status = 0;

    if (wait4(child->pid, &status, 0, &usage) != child->pid)
        die("lost a process: %s", strerror(errno));
    if (child->feeder > 0)
        waitpid(child->feeder, NULL, 0);
    if (child->drain > 0)
        waitpid(child->drain, NULL, 0);
    cost->seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    cost->rss_mib = (double)usage.ru_maxrss / 1024.0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    fprintf(stderr, "speed: the filter failed: %s %d\n",
            WIFEXITED(status) ? "exit status" : "signal",
            WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    return -1;
}
