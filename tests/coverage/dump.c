/* dump.c - linked with every program of the coverage build: what ends without
 * exit(3) writes its counts first. That is _exit(2), the signals that a
 * program raises upon itself, and SIGPROF, by which tests/zmq/peers.py ends
 * what would else be killed. What is killed all the same writes none.
 *
 * Not compiled for coverage itself.
 */
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

void __gcov_dump(void);  /* libgcov's: once */
void __gcov_reset(void); /* and from 0 on again */

void
_exit(int status)
{
    __gcov_dump();
    for (;;)
        syscall(SYS_exit_group, status);
}

int
raise(int number)
{
    __gcov_dump();
    int raised =
        (int)syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
    __gcov_reset(); /* it was stopped only, or had it handled */
    return raised;
}

/* From wherever it is: where that hangs, it is killed a moment later. */
static void
end(int number)
{
    _exit(128 + number);
}

__attribute__((constructor)) static void
begin(void)
{
    struct sigaction action = {.sa_handler = end};

    sigaction(SIGPROF, &action, NULL);
}
