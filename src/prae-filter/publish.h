/*
 * publish.h - what the loop hands to those who watch it.
 *
 * The loop renders texts when somebody has asked for them, and at most every
 * half second; others get copies. The only waiting is theirs, and it is
 * bounded: the loop passes on where the lock is taken and tries again on its
 * next turn, so that nobody who watches ever holds back a record.
 *
 * publish_fd to publish_beat are the loop's, publish_get and publish_age the
 * watchers'.
 */
#ifndef PUBLISH_H
#define PUBLISH_H

#include <pthread.h>
#include <stdatomic.h>

#include "prae.h"

enum topic {
    TOPIC_STATS,   /* JSON: prae-report(5) */
    TOPIC_METRICS, /* Prometheus' text */
    TOPIC_READY,   /* why it is not ready; empty where it is */
    TOPIC_COUNT
};

struct published {
    prae_buffer text;
    double at;    /* written then, in clock_now's seconds; 0: never */
    double asked; /* first asked for since then; 0: not */
};

struct publish {
    int open;
    int wake[2];       /* a pipe: a byte where something was asked for */
    atomic_int wanted; /* topics, 1 << topic each */
    atomic_llong beat; /* when the loop last turned, milliseconds */
    pthread_mutex_t lock;
    pthread_cond_t put;                  /* or over */
    struct published topic[TOPIC_COUNT]; /* under the lock, as is `over` */
    int over;
};

/* 0, or what errno would be. */
int publish_open(struct publish *publish);

/* Readable where something was asked for; -1 where it is not open. */
int publish_fd(const struct publish *publish);

/* It was readable; once heard it is not. */
void publish_heard(struct publish *publish);

/* Topics asked for since the last call, 1 << topic each. */
int publish_wanted(struct publish *publish);

/* Hands TEXT over and takes what was there in exchange, to be written over.
 * 0 where the lock is taken: try again soon. */
int publish_put(struct publish *publish, enum topic topic, prae_buffer *text);

/* The loop turns. */
void publish_beat(struct publish *publish, double now);

/* A copy of what TOPIC has, not older than half a second unless the loop does
 * not come round to it; NULL where there is none, or out of memory. To be
 * freed. */
char *publish_get(struct publish *publish, enum topic topic, size_t *len);

/* Seconds since the loop turned. */
double publish_age(struct publish *publish);

/* Nobody is kept waiting any more. */
void publish_end(struct publish *publish);

/* Once nobody watches. */
void publish_close(struct publish *publish);

#endif
