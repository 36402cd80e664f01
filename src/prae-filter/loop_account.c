/* loop_account.c - every record that came, and where it is. */
#include <math.h>

#include "clock.h"
#include "loop.h"

#define LAST_SECONDS 0.1 /* for counting, when the time is over, ... */
#define LAST_SHARE 0.05  /* ... or of --drain */
#define AHEAD_BYTES ((size_t)64 << 10) /* of an input, counted at once */

/* Takes *LEFT off *COUNT, as far as it goes: of what the kernel has it is an
 * estimate. Returns how many. */
static uint64_t
take_off(uint64_t *count, uint64_t *left)
{
    uint64_t some = *left < *count ? *left : *count;

    *count -= some;
    *left -= some;
    return some;
}

static struct header
header_so_far(const struct loop *loop)
{
    const prae_filter *filter = stage_filter(&loop->stage);
    struct header header = {0};

    if (prae_filter_awaits_header(filter))
        return header;
    header.text = prae_filter_header(filter, &header.len_bytes);
    header.is_sure = 1;
    return header;
}

/* Records that were read from a pipe, and are gone from there, but were not
 * taken when the time was over. HEADER may stand at its beginning, not in its
 * midst. */
static uint64_t
records_read(const struct loop *loop, struct header *header)
{
    const struct source *source = &loop->sources[loop->source_at];
    size_t count = 0;

    if (!loop->late || loop->source_at == loop->source_count ||
        source->stays || source->len == 0)
        return 0;
    int begins = header->text == NULL || source->at == 0;
    if (prae_message_count(&loop->options->params,
                           begins ? &header->text : NULL, &header->len_bytes,
                           source->bytes, source->len, &count) != PRAE_OK)
        return 0;
    return count;
}

int
loop_count(struct loop *loop, double seconds)
{
    const prae_params *params = &loop->options->params;
    struct header header = header_so_far(loop);
    double enough = clock_now() + seconds;
    double until = fmax(enough, loop->stop_by);
    int some = header.is_sure; /* else which message brings it is not known */

    while (some && clock_now() < enough) {
        some = 0;
        for (size_t i = 0; i < loop->box_count; i++)
            some |= mailbox_count(&loop->boxes[i], params, &header,
                                  AHEAD_BYTES, until);
    }
    return some;
}

void
loop_count_last(struct loop *loop)
{
    if (!header_so_far(loop).is_sure)
        return;
    (void)loop_count(loop, fmax(LAST_SECONDS,
                                LAST_SHARE * loop->options->drain));
    for (size_t i = 0; i < loop->box_count; i++)
        loop->uncounted += mailbox_forgo(&loop->boxes[i]);
}

void
loop_account(const struct loop *loop, prae_stats *stats,
             struct traffic *traffic)
{
    uint64_t left[3], waiting = 0;
    struct header header = header_so_far(loop);
    prae_stats before = loop->before;

    *traffic = (struct traffic){.blocked = loop->blocked};
    stage_stats(&loop->stage, stats);
    for (size_t i = 0; i < loop->box_count; i++) {
        waiting += mailbox_records(&loop->boxes[i], &loop->options->params,
                                   &header);
        traffic->messages_in += loop->boxes[i].messages;
    }
    waiting += records_read(loop, &header);
    /* Where all went well the outputs were seen to be empty. */
    (void)outputs_left(&loop->outputs, left);
    if (!loop->late && !loop->failed)
        left[0] = left[1] = left[2] = 0;
    stats->received += waiting;
    /* A snapshot remembers those of runs before. */
    (void)take_off(&stats->bursts, &before.bursts);
    (void)take_off(&stats->drifts, &before.drifts);
    (void)take_off(&stats->rollbacks, &before.rollbacks);
    stats->held += waiting + take_off(&stats->inliers, &left[0]) +
                   take_off(&stats->outliers, &left[1]) +
                   take_off(&stats->rejected, &left[1]) +
                   take_off(&stats->rejected, &left[2]);
    traffic->undelivered = stats->held;
    traffic->unlearned = loop->stage.unlearned;
    traffic->reverts = loop->stage.reverts;
    traffic->turned_away = loop->wire.zap.refused;
    traffic->longest = loop->stage.longest;
    for (size_t i = 0; i < SINK_COUNT; i++) {
        const struct outbox *box = &loop->outputs.sink[i].box;
        traffic->messages_out += box->messages;
        traffic->unheard += box->unheard;
        traffic->dropped += box->dropped;
    }
}
