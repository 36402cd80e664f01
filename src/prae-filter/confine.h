/*
 * confine.h - what the program will never need, as its options have it, it
 * gives up: to run programs, to read and write other files, to bind and
 * connect to other tcp ports, to signal other processes. So who finds a way
 * to make it do his will has gained little.
 */
#ifndef CONFINE_H
#define CONFINE_H

#include "options.h"

/*
 * Does so, by Landlock, where the kernel has it and --sandbox lets us. To be
 * called while there is one thread, as it holds for that one and those that
 * it starts, and before anything is opened. Where it cannot be done nothing
 * is given up; -v tells why, and otherwise what was. Files that records are
 * to go to are made, as where they are is not ours to write afterwards.
 * Whether we are confined.
 */
int confine(const struct options *options);

#endif
