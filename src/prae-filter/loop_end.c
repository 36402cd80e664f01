/* loop_end.c - what there is to say at the end, and how it ends. */
#include "log.h"
#include "loop.h"

/* Why records are left. Who has taken all that there was is not to blame. */
static const char *
why_left(const struct loop *loop, int learning)
{
    if (loop->peers_awaited || !outputs_are_empty(&loop->outputs))
        return "is somebody reading?";
    return learning ? "a window was still being learned; give a longer "
                      "--drain, or a smaller --window, --epochs or "
                      "--cold-epochs"
                    : "there was no time to judge them; give a longer --drain";
}

/* What was left when --drain had passed. */
static enum exit_status
tell_left(const struct loop *loop, uint64_t undelivered)
{
    const struct stage *stage = &loop->stage;
    enum exit_status status = EXIT_DONE;
    double drain = loop->options->drain;
    uint64_t rows = loop->late ? outputs_rows_left(&loop->outputs) : 0;
    int learning = stage->busy && stage->job.learns;

    if (undelivered > 0) {
        log_error("%llu records were not delivered when --drain=%gs had "
                  "passed: %s",
                  (unsigned long long)undelivered, drain,
                  why_left(loop, learning));
        status = EXIT_UNDELIVERED;
    } else if (learning) {
        log_warning("the last window was not learned when --drain=%gs had "
                    "passed",
                    drain);
    }
    if (loop->uncounted > 0) {
        log_error("%llu messages more were not delivered: there was no time to "
                  "count their records",
                  (unsigned long long)loop->uncounted);
        status = EXIT_UNDELIVERED;
    }
    if (loop->behind > 0) {
        log_error("some of what senders had sent was not read, as --drain=%gs "
                  "has no time for more: %zu bytes or more of %zu or more of "
                  "them; give a longer --drain",
                  drain, loop->unread_bytes, loop->behind);
        status = EXIT_UNDELIVERED;
    }
    if (loop->cut > 0) {
        log_error("some of what senders had sent was not read when another "
                  "pair of keys was taken on: %zu bytes or more of %zu of them",
                  loop->cut_bytes, loop->cut);
        status = EXIT_UNDELIVERED;
    }
    if (rows > 0) {
        log_error("%llu rows of --scores were not delivered when --drain=%gs "
                  "had passed: is somebody reading them?",
                  (unsigned long long)rows, drain);
        status = EXIT_UNDELIVERED;
    }
    if (loop->late && loop_saves(loop) && !stage_is_saved(stage)) {
        log_error("what was learned was not saved to %s when --drain=%gs had "
                  "passed",
                  loop->options->model, drain);
        status = EXIT_UNDELIVERED;
    }
    /* A header, or the end of a line that came without one. */
    if (loop->late && status == EXIT_DONE &&
        !outputs_are_empty(&loop->outputs)) {
        log_error("the last bytes of an output were not written when "
                  "--drain=%gs had passed: is somebody reading?",
                  drain);
        status = EXIT_UNDELIVERED;
    }
    return status;
}

enum exit_status
loop_conclude(const struct loop *loop)
{
    struct traffic traffic;
    prae_stats stats;

    loop_account(loop, &stats, &traffic);
    enum exit_status left = tell_left(loop, traffic.undelivered);
    if (left != EXIT_DONE)
        return left;
    if (loop->stage.save_failed != EXIT_DONE)
        return loop->stage.save_failed; /* told */
    if (loop->lost != EXIT_DONE)
        return loop->lost; /* told */
    if (loop->box_count == 0 && stats.received > 0 && !loop->stopping &&
        stats.rejected == stats.received) {
        int is_one = loop->source_count == 1;
        log_error("%s%s %llu records could be judged",
                  is_one ? loop->sources[0].name : "",
                  is_one ? ": none of its" : "none of the",
                  (unsigned long long)stats.received);
        return EXIT_DATA;
    }
    return EXIT_DONE;
}
