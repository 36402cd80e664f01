/*
 * overhear.h - what comes and goes by connections: see overhear.c for what
 * stands in libc's place.
 */
#ifndef OVERHEAR_H
#define OVERHEAR_H

#include <stddef.h>
#include <stdint.h>

/* What connections may bring, and how many messages the queue of one may
 * have. To be called while nobody listens. */
void overhear_within(size_t max_message, size_t max_parts, size_t queue);

/* Messages that connections have brought to inputs, or with keys their frames:
 * no fewer. What becomes of them is not known here. */
uint64_t overhear_heard(void);

/* Who is connected to the input that is told as NAME is hung up on at once.
 * libzmq does so only when all is taken that is in its queue, and until then
 * what is sent would be lost. */
void overhear_cut(const char *name);

/* Nothing that anybody says is heard from now on. What comes amid the end of a
 * socket makes libzmq end the process. */
void overhear_end(void);

/* Bytes of a record that libzmq has and has begun to write to DESCRIPTOR: to
 * be asked for before the kernel is asked what it has, as that comes next. */
size_t overhear_rest(int descriptor);

/* Of UNREAD bytes that were sent by DESCRIPTOR and not read, those of
 * records. */
size_t overhear_unread(int descriptor, size_t unread);

#endif
