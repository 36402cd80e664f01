/*
 * topics.h - what peers have subscribed to, of all of them together.
 *
 * libzmq walks over the topics of all when one of them goes, and keeps each
 * subscription until somebody has read it.
 */
#ifndef TOPICS_H
#define TOPICS_H

#include "line.h"

/* What DESCRIPTOR, which is LINE, has subscribed to, or taken back, may have
 * grown. Whether it may, as far as what waits to be read goes: many times
 * LIMIT_BYTES. By libzmq's thread alone, as the next. */
int topics_grow(struct line *line, int descriptor, uint64_t limit_bytes);

/* The descriptor that has most of them, where all have more than LIMIT_BYTES;
 * else -1. */
int topics_beyond(uint64_t limit_bytes);

/* All that was said to pub outputs was taken from them. */
void topics_read(void);

#endif
