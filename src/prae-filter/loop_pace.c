/*
 * loop_pace.c - how much of what has come can be delivered in time, when
 * somebody asked to stop.
 *
 * What is read beyond that would be lost, and is not where it stays with who
 * sends: see loop_sweep.c.
 */
#include <math.h>

#include "clock.h"
#include "loop.h"
#include "overhear.h"
#include "unread.h"

#define PACE_SHARE 0.05 /* of --drain, that says how fast it goes, ... */
#define STUCK_SHARE 0.2 /* ... and says that an output was stuck */
#define PACE_SURE 0.5   /* of what it promises: what is slow may become slower,
                           and kernels take much at first */

/* Messages that wait, also in libzmq's queues. With keys these are counted by
 * frames, and of a sub some may have been thrown away: they are no more than
 * the queues have room for. */
static uint64_t
messages_waiting(const struct loop *loop)
{
    uint64_t waiting = 0, taken = loop->unqueued, heard = overhear_heard();
    uint64_t room = wire_queue(loop->options) * unread_look()->senders;

    for (size_t i = 0; i < loop->box_count; i++) {
        waiting += loop->boxes[i].count;
        taken += loop->boxes[i].messages;
    }
    uint64_t queued = heard > taken ? heard - taken : 0;
    return waiting + (queued < room ? queued : room);
}

/* Records of a message, as they were so far. */
static double
records_each(const struct loop *loop)
{
    uint64_t done = 0;

    for (size_t i = 0; i < loop->box_count; i++)
        done += loop->boxes[i].messages - loop->boxes[i].count;
    return done == 0 ? 0.0 : (double)loop->unpacked / (double)done;
}

static uint64_t
count_delivered(const struct loop *loop, const prae_stats *stats)
{
    uint64_t left[3], all = stats->inliers + stats->outliers + stats->rejected;
    uint64_t some = outputs_left(&loop->outputs, left);

    return all > some ? all - some : 0;
}

void
loop_pace_begin(struct loop *loop)
{
    prae_stats stats;

    stage_stats(&loop->stage, &stats);
    loop->pace = (struct pace){.windows = stats.windows};
}

/* From the end of a window to that of another, as all of one leaves at once;
 * but not where who reads is slower. What was before an output was stuck, and
 * is not any more, says nothing, nor does the time in which there was nothing
 * to do: it goes as fast as it could. */
void
loop_pace_note(struct loop *loop)
{
    struct pace *pace = &loop->pace;
    double time = clock_now(), drain = loop->options->drain;
    prae_stats stats;

    stage_stats(&loop->stage, &stats);
    uint64_t delivered = count_delivered(loop, &stats);
    int flows = stage_hurries(&loop->stage) ||
                outputs_are_clogged(&loop->outputs);
    if (flows ? delivered <= pace->delivered : stats.windows == pace->windows)
        return;
    int was_stuck = flows && time - pace->noted_at >= STUCK_SHARE * drain;
    pace->windows = stats.windows;
    pace->delivered = delivered;
    pace->flows = flows;
    pace->noted_at = time;
    if (pace->since <= 0.0 || was_stuck) {
        pace->rate = 0.0;
        pace->since = time - loop->idle;
        pace->from = delivered;
        return;
    }
    double took = time - loop->idle - pace->since;
    if (took >= PACE_SHARE * drain)
        pace->rate = ((double)delivered - (double)pace->from) / took;
}

/* Of a filter that learns windows it is known beforehand how fast it can be. */
static double
learning_rate(const struct loop *loop)
{
    const struct stage *stage = &loop->stage;

    return stage->busy && stage->trained > 0.0
               ? (double)loop->options->params.window / stage->trained
               : 0.0;
}

/* Records in a second; 0: nothing is known. Who reads slowly has libzmq send
 * many at once, then none for a while. */
static double
rate_now(const struct loop *loop, double time)
{
    const struct pace *pace = &loop->pace;
    double drain = loop->options->drain;
    double took = time - loop->idle - pace->since;

    if (!pace->flows)
        return pace->rate > 0.0 ? pace->rate : learning_rate(loop);
    if (pace->since <= 0.0 || took < PACE_SHARE * drain ||
        time - pace->noted_at >= STUCK_SHARE * drain)
        return 0.0;
    return ((double)pace->delivered - (double)pace->from) / took;
}

/* Who has hung up leaves nothing to others: that is read in any case. */
int
loop_has_enough(const struct loop *loop)
{
    double time = clock_now(), rate = rate_now(loop, time);
    double last = loop->stop_by - LOOP_SPARE * loop->options->drain;
    double left = fmax(last - time, 0.0);
    uint64_t unread[3];
    prae_stats stats;

    if (rate <= 0.0 || unread_look()->sending == 0)
        return 0;
    stage_stats(&loop->stage, &stats);
    double ours = (double)(stats.held + outputs_left(&loop->outputs, unread)) +
                  (double)messages_waiting(loop) * records_each(loop);
    return ours > PACE_SURE * rate * left;
}
