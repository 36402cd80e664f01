/*
 * msgpack_head.h - what the first byte of a value of MessagePack says, and
 * the numbers behind it.
 */
#ifndef MSGPACK_HEAD_H
#define MSGPACK_HEAD_H

#include "envelope_walk.h"

struct head {
    unsigned byte; /* the first one */
    enum value_kind kind;
    uint64_t items; /* values that follow, as parts of it */
    uint64_t bytes; /* or bytes; neither is believed to be there */
    int is_map, is_list;
};

/* Whether there are COUNT bytes more; PARSE_MORE is latched if not. */
int msgpack_need(struct walk *walk, uint64_t count);

/* The head at the walk, which is moved behind it; numbers are read with it,
 * to VALUE. 0 where the walk has failed. */
int msgpack_head(struct walk *walk, struct head *head, struct value *value);

#endif
