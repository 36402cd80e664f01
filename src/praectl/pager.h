/*
 * pager.h - where to show things: on a terminal through a pager, else as they
 * are.
 */
#ifndef PAGER_H
#define PAGER_H

#include <signal.h>
#include <stdio.h>

#include "status.h"

struct pager {
    FILE *out;
    int is_pager;
    int errors; /* standard error, while the pager has it; or -1 */
    int colours;
};

/* Starts $PAGER where standard output is a terminal and WANTED; what is said
 * on standard error then goes there, too, as it would not be seen beside it.
 * CHOP: lines are better cut than folded. EXIT_DONE, or EXIT_FAILED after
 * saying what is wrong. */
enum exit_status pager_open(struct pager *pager, int wanted, int chop);

/* Whether nobody looks any more, or has asked to stop. */
int pager_is_left(const struct pager *pager);

/* What an interrupt sets, once there is a pager. */
const volatile sig_atomic_t *pager_interrupt(void);

/* Waits until the person has seen enough. EXIT_DONE, EXIT_FAILED, or EXIT_IO
 * where standard output was not written. */
enum exit_status pager_close(struct pager *pager);

#endif
