/* Texts change hands: fresh ones are waited for, within bounds, and who hands
 * them over never waits. */
#include "publish.h"

#include <poll.h>
#include <string.h>

#include "clock.h"
#include "tap.h"

static struct publish publish;

static int
is_readable(void)
{
    struct pollfd item = {.fd = publish_fd(&publish), .events = POLLIN};

    return poll(&item, 1, 0) == 1;
}

static int
put(enum topic topic, const char *text)
{
    prae_buffer buffer = {strdup(text), strlen(text), strlen(text) + 1};
    int done = publish_put(&publish, topic, &buffer);

    free(buffer.data);
    return done;
}

/* Whether TOPIC has TEXT, NULL for nothing, within SECONDS. */
static int
gives(enum topic topic, const char *text, double seconds)
{
    double began = clock_now();
    size_t len = 0;
    char *got = publish_get(&publish, topic, &len);
    int same = text == NULL ? got == NULL
                            : got != NULL && len == strlen(text) &&
                                  strcmp(got, text) == 0;

    if (!same)
        printf("# got %s\n", got == NULL ? "nothing" : got);
    free(got);
    return same && clock_now() - began < seconds;
}

static void
test_alone(void)
{
    double began = clock_now();

    ok(gives(TOPIC_STATS, NULL, 5.0) && clock_now() - began > 0.5,
       "a loop that does not come round is waited for, and not for ever");
    ok(is_readable(), "it was woken");
    ok(gives(TOPIC_STATS, NULL, 0.5), "who comes after does not wait");
    publish_heard(&publish);
    ok(!is_readable(), "once heard it is quiet");
    ok(publish_wanted(&publish) == 1 << TOPIC_STATS, "what was asked for");
    ok(publish_wanted(&publish) == 0, "is told once");
    ok(put(TOPIC_STATS, "one") && gives(TOPIC_STATS, "one", 0.5),
       "a text is handed over");
    ok(publish_wanted(&publish) == 0, "while fresh it is not asked for again");
    ok(put(TOPIC_STATS, "") && gives(TOPIC_STATS, "", 0.5),
       "a text may be empty");
}

static void
test_lock(void)
{
    pthread_mutex_lock(&publish.lock);
    ok(!put(TOPIC_METRICS, "x"), "a lock that is taken is not waited for");
    pthread_mutex_unlock(&publish.lock);
    ok(put(TOPIC_METRICS, "x"), "and can be had later");
}

static void
test_beat(void)
{
    publish_beat(&publish, clock_now());
    ok(publish_age(&publish) < 1.0, "a loop that turns is alive");
    publish_beat(&publish, clock_now() - 30.0);
    ok(publish_age(&publish) > 29.0, "one that does not is found out");
}

/* A loop that answers what it is asked for, until it gets "end". */
static void *
turn(void *unused)
{
    struct pollfd item = {.fd = publish_fd(&publish), .events = POLLIN};
    char text[32];

    for (int i = 0, ended = 0; !ended; i++) {
        (void)poll(&item, 1, 5000);
        publish_heard(&publish);
        int wanted = publish_wanted(&publish);
        ended = (wanted & 1 << TOPIC_READY) != 0;
        snprintf(text, sizeof text, "turn %d", i);
        for (int k = 0; k < TOPIC_COUNT; k++)
            while ((wanted & 1 << k) != 0 && !put((enum topic)k, text))
                continue;
    }
    return unused;
}

static void
test_together(void)
{
    pthread_t thread;
    int good = 1;

    NEED(pthread_create(&thread, NULL, turn, NULL) == 0);
    for (int i = 0; i < 200; i++) {
        size_t len = 0;
        /* As if each text were old. */
        pthread_mutex_lock(&publish.lock);
        publish.topic[TOPIC_STATS].at = 0.0;
        pthread_mutex_unlock(&publish.lock);
        char *got = publish_get(&publish, TOPIC_STATS, &len);
        good &= got != NULL && strncmp(got, "turn ", 5) == 0;
        free(got);
    }
    ok(good, "a loop that turns hands over each time");
    char *last = publish_get(&publish, TOPIC_READY, &(size_t){0});
    ok(last != NULL, "another topic as well");
    free(last);
    pthread_join(thread, NULL);
}

int
main(void)
{
    NEED(publish_open(&publish) == 0);
    test_alone();
    test_lock();
    test_beat();
    test_together();
    publish_end(&publish);
    double began = clock_now();
    publish.topic[TOPIC_STATS].at = 1.0;
    free(publish_get(&publish, TOPIC_STATS, &(size_t){0}));
    ok(clock_now() - began < 0.5, "at the end nobody waits");
    publish_close(&publish);
    return tap_done();
}
