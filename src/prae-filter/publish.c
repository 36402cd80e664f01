/* publish.c - texts, under a lock that the loop never waits for. */
#include "publish.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"

#define FRESH_SECONDS 0.5    /* a text may be so old */
#define PATIENCE_SECONDS 1.0 /* for the loop to come round */

static int
open_pipe(int *ends)
{
    if (pipe(ends) != 0) {
        ends[0] = ends[1] = -1;
        return -1;
    }
    for (int i = 0; i < 2; i++)
        if (fcntl(ends[i], F_SETFD, FD_CLOEXEC) != 0 ||
            fcntl(ends[i], F_SETFL, O_NONBLOCK) != 0)
            return -1;
    return 0;
}

static int
open_lock(struct publish *publish)
{
    pthread_condattr_t attributes;
    int failed = pthread_condattr_init(&attributes);

    if (failed != 0)
        return failed;
    /* The other clock jumps. */
    failed = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (failed == 0)
        failed = pthread_cond_init(&publish->put, &attributes);
    pthread_condattr_destroy(&attributes);
    if (failed == 0) {
        failed = pthread_mutex_init(&publish->lock, NULL);
        if (failed != 0)
            pthread_cond_destroy(&publish->put);
    }
    return failed;
}

int
publish_open(struct publish *publish)
{
    int failed = 0;

    *publish = (struct publish){.wake = {-1, -1}};
    if (open_pipe(publish->wake) != 0)
        failed = errno;
    if (failed == 0)
        failed = open_lock(publish);
    publish->open = failed == 0;
    if (publish->open)
        publish_beat(publish, clock_now());
    for (int i = 0; failed != 0 && i < 2; i++)
        if (publish->wake[i] >= 0)
            close(publish->wake[i]);
    return failed;
}

/* ---- the loop's ---- */

int
publish_fd(const struct publish *publish)
{
    return publish->open ? publish->wake[0] : -1;
}

void
publish_heard(struct publish *publish)
{
    char bytes[16];

    while (read(publish->wake[0], bytes, sizeof bytes) > 0)
        continue;
}

int
publish_wanted(struct publish *publish)
{
    /* Asked on every turn of the loop: mostly a plain read. */
    return atomic_load(&publish->wanted) == 0
               ? 0
               : atomic_exchange(&publish->wanted, 0);
}

int
publish_put(struct publish *publish, enum topic topic, prae_buffer *text)
{
    struct published *published = &publish->topic[topic];

    if (pthread_mutex_trylock(&publish->lock) != 0)
        return 0;
    prae_buffer before = published->text;
    published->text = *text;
    published->at = clock_now();
    published->asked = 0.0;
    pthread_cond_broadcast(&publish->put);
    pthread_mutex_unlock(&publish->lock);
    before.len = 0;
    *text = before;
    return 1;
}

void
publish_beat(struct publish *publish, double now)
{
    atomic_store(&publish->beat, (long long)(now * 1e3));
}

/* ---- the watchers' ---- */

/* Has the loop wake up and render TOPIC. */
static void
ask(struct publish *publish, enum topic topic)
{
    int bit = 1 << topic;

    if ((atomic_fetch_or(&publish->wanted, bit) & bit) == 0)
        (void)!write(publish->wake[1], "", 1); /* full: it wakes as well */
}

/* Waits until PUBLISHED is fresh, within the loop's time. Where the loop has
 * let that pass, nobody waits any more until it comes round. */
static void
await_fresh(struct publish *publish, enum topic topic)
{
    struct published *published = &publish->topic[topic];
    double now = clock_now(), oldest = now - FRESH_SECONDS;

    if (published->at > 0.0 && published->at >= oldest)
        return;
    if (published->asked <= 0.0)
        published->asked = now;
    ask(publish, topic);
    double until = published->asked + PATIENCE_SECONDS;
    struct timespec limit = {.tv_sec = (time_t)until,
                             .tv_nsec =
                                 (long)((until - (double)(time_t)until) * 1e9)};
    while (!publish->over && published->asked > 0.0 &&
           pthread_cond_timedwait(&publish->put, &publish->lock, &limit) == 0)
        continue;
}

char *
publish_get(struct publish *publish, enum topic topic, size_t *len)
{
    struct published *published = &publish->topic[topic];
    char *copy = NULL;

    pthread_mutex_lock(&publish->lock);
    await_fresh(publish, topic);
    if (published->at > 0.0)
        copy = malloc(published->text.len + 1);
    if (copy != NULL) {
        *len = published->text.len;
        if (*len > 0)
            memcpy(copy, published->text.data, *len);
        copy[*len] = '\0';
    }
    pthread_mutex_unlock(&publish->lock);
    return copy;
}

double
publish_age(struct publish *publish)
{
    double now = clock_now();

    return now - (double)atomic_load(&publish->beat) * 1e-3;
}

/* ---- the end ---- */

void
publish_end(struct publish *publish)
{
    if (!publish->open)
        return;
    pthread_mutex_lock(&publish->lock);
    publish->over = 1;
    pthread_cond_broadcast(&publish->put);
    pthread_mutex_unlock(&publish->lock);
}

void
publish_close(struct publish *publish)
{
    if (!publish->open)
        return;
    for (size_t i = 0; i < TOPIC_COUNT; i++)
        free(publish->topic[i].text.data);
    pthread_cond_destroy(&publish->put);
    pthread_mutex_destroy(&publish->lock);
    close(publish->wake[0]);
    close(publish->wake[1]);
    publish->open = 0;
}
