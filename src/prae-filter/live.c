/* live.c - what was asked for, rendered between two turns of the loop. */
#include "live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "facts.h"
#include "log.h"
#include "loop.h"
#include "metrics.h"

#define PACE_SECONDS 0.5   /* between two looks at the rate */
#define IDLE_SECONDS 5.0   /* a loop with nothing to do turns so often */
#define RETRY_SECONDS 0.01 /* where the lock was taken */

static enum exit_status
check_exposure(const struct options *options)
{
    if (options->http_at.local || options->insecure)
        return EXIT_DONE;
    log_error("--http=%s: anybody who reaches this address could look at the "
              "records; listen on 127.0.0.1 or [::1], or give --insecure",
              options->http);
    return EXIT_CONFIG;
}

enum exit_status
live_open(struct loop *loop)
{
    const struct options *options = loop->options;
    struct live *live = &loop->live;

    if (options->http == NULL)
        return EXIT_DONE;
    enum exit_status status = check_exposure(options);
    if (status != EXIT_DONE)
        return status;
    int failed = publish_open(&live->publish);
    if (failed != 0) {
        log_error("--http: cannot start: %s", strerror(failed));
        return EXIT_FAILED;
    }
    return http_open(&live->http, &options->http_at, &live->publish);
}

/* TOPIC to OUT, which is empty. 0, or -1 out of memory. */
static int
render(const struct loop *loop, enum topic topic, prae_buffer *out)
{
    const char *missing;

    switch (topic) {
    case TOPIC_STATS: return facts_write(loop, FACTS_LIVE, 0, EXIT_DONE, out);
    case TOPIC_METRICS: return metrics_write(loop, out);
    default: break;
    }
    missing = loop_not_ready(loop);
    if (missing == NULL)
        return 0;
    return buffer_add(out, missing, strlen(missing)) && buffer_add(out, "\n", 1)
               ? 0
               : -1;
}

static void
pace(struct loop *loop, double time)
{
    prae_stats stats;

    if (time - loop->watch.rate_at < PACE_SECONDS)
        return;
    stage_stats(&loop->stage, &stats);
    watch_pace(&loop->watch, stats.received, time);
}

void
live_mind(struct loop *loop, double time)
{
    struct live *live = &loop->live;

    if (live->http == NULL)
        return;
    publish_beat(&live->publish, time);
    pace(loop, time);
    live->due |= publish_wanted(&live->publish);
    for (int i = 0; live->due != 0 && i < TOPIC_COUNT; i++) {
        if ((live->due & 1 << i) == 0)
            continue;
        live->text.len = 0;
        /* Where memory is short, who watches has to do with what was. */
        if (render(loop, (enum topic)i, &live->text) != 0 ||
            publish_put(&live->publish, (enum topic)i, &live->text))
            live->due &= ~(1 << i);
    }
}

double
live_next(const struct loop *loop, double time)
{
    return loop->live.http == NULL ? (double)INFINITY
           : loop->live.due != 0   ? time + RETRY_SECONDS
                                   : time + IDLE_SECONDS;
}

void
live_close(struct loop *loop)
{
    struct live *live = &loop->live;

    publish_end(&live->publish);
    http_close(live->http);
    publish_close(&live->publish);
    free(live->text.data);
    *live = (struct live){.http = NULL};
}
