/*
 * accept.h - connections that others make to us: see accept.c for what stands
 * in libc's place.
 */
#ifndef ACCEPT_H
#define ACCEPT_H

#include "intake.h"

/* What connections may bring. To be called while nobody listens. */
void accept_within(size_t max_message, size_t max_parts);

/* Sockets that this thread opens from now on, to listen at, are for ROLE;
 * INTAKE_NONE for no such. NAME is told to people, and kept, not copied. */
void accept_for(enum intake_role role, const char *name);

#endif
