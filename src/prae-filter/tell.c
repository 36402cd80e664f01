/* tell.c - log lines and the progress line. */
#include "tell.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "log.h"
#include "notify.h"

#define PROGRESS_SECONDS 0.25

typedef unsigned long long ull;

void
tell_start(struct teller *teller, const struct options *options,
           const struct stage *stage)
{
    *teller = (struct teller){.options = options, .started_at = clock_now()};
    teller->progress = !options->quiet && options->progress != 0 &&
                       (options->progress > 0 || isatty(STDERR_FILENO));
    stage_stats(stage, &teller->before);
    if (stage->loaded)
        teller->state = teller->before.state; /* which has been told already */
}

/* Adds ", TEXT" to LIST, which then may end in an ellipsis. */
static void
add_to_list(char *list, size_t size, const char *text)
{
    size_t len = strlen(list);

    if (len + strlen(text) + 8 < size)
        snprintf(list + len, size - len, "%s%s", len == 0 ? "" : ", ", text);
    else if (len == 0)
        snprintf(list, size, "...");
    else if (len + 6 < size &&
             (len < 3 || strcmp(list + len - 3, "...") != 0))
        snprintf(list + len, size - len, ", ...");
}

/* Which fields the first window made features of, and why not the rest. */
static void
tell_fields(struct teller *teller, const struct stage *stage,
            const prae_stats *stats)
{
    char taken[512] = "", left[512] = "", text[600];
    prae_filter *filter = stage_filter(stage);
    const char *name, *reason;
    size_t fields = 0;

    if (teller->fields_told || stats->features == 0)
        return;
    teller->fields_told = 1;
    for (size_t i = 0; (name = prae_filter_field(filter, i, &reason)) != NULL;
         i++) {
        if (reason == NULL) {
            add_to_list(taken, sizeof taken, name);
            fields++;
        } else {
            snprintf(text, sizeof text, "%.500s (%s)", name, reason);
            add_to_list(left, sizeof left, text);
        }
    }
    /* A text is several features. */
    if (fields != stats->features)
        snprintf(text, sizeof text, " of %zu field%s", fields,
                 fields == 1 ? "" : "s");
    log_notice("judging by %zu feature%s%s: %s", stats->features,
               stats->features == 1 ? "" : "s",
               fields != stats->features ? text : "", taken);
    if (left[0] != '\0')
        log_notice("left out: %s", left);
    log_notice("neighbours' likeness is %.2f: changes and spreads %s",
               stats->likeness, stats->context ? "count, too" : "do not count");
    log_notice("their scores' is %.2f: scores are %s", stats->score_likeness,
               stats->smooth ? "smoothed" : "taken one by one");
}

static void
tell_state(struct teller *teller, const prae_stats *stats)
{
    if (stats->state == teller->state)
        return;
    if (stats->state == PRAE_STATE_BURST)
        log_notice("burst: most of window %llu does not fit the past; it is "
                   "not learned from",
                   (ull)stats->window);
    else if (stats->state == PRAE_STATE_DRIFT)
        log_notice("drift: up to window %llu, %llu records in a row are of "
                   "windows that do not fit; learning the new behaviour",
                   (ull)stats->window, (ull)stats->misfits);
    teller->state = stats->state;
    notify_status("%s, %llu records received", prae_state_text(stats->state),
                  (ull)stats->received);
}

/* A first window of nothing but rejects is likely another format. */
static void
tell_refused(struct teller *teller, const prae_stats *stats)
{
    static const char *const formats[] = {"msgpack", "jsonl", "csv"};
    uint64_t refused = stats->rejected - teller->before.rejected;

    if (stats->windows > 0 || refused == 0 || teller->refusal_told ||
        stats->rejected < stats->received)
        return;
    teller->refusal_told = 1;
    log_warning("all of the first %llu records were refused: is the input "
                "really %s? See --format",
                (ull)refused, formats[teller->options->params.format]);
}

void
tell_window(struct teller *teller, const struct stage *stage)
{
    prae_stats stats;

    stage_stats(stage, &stats);
    tell_fields(teller, stage, &stats);
    tell_state(teller, &stats);
    if (stats.windows > teller->before.windows)
        log_info("window %llu: %llu inliers, %llu outliers, %llu rejected, %s",
                 (ull)stats.window,
                 (ull)(stats.inliers - teller->before.inliers),
                 (ull)(stats.outliers - teller->before.outliers),
                 (ull)(stats.rejected - teller->before.rejected),
                 prae_state_text(stats.state));
    tell_refused(teller, &stats);
    teller->before = stats;
}

int
tell_shows_progress(const struct teller *teller)
{
    return teller->progress;
}

void
tell_progress(struct teller *teller, const struct stage *stage)
{
    double time = teller->progress ? clock_now() : 0.0;
    prae_stats stats;

    if (!teller->progress || time - teller->progress_at < PROGRESS_SECONDS)
        return;
    teller->progress_at = time;
    stage_stats(stage, &stats);
    uint64_t decided = stats.received - stats.held;
    log_progress(
        "%llu records, %.0f/s, %.2f %% flagged, %s", (ull)decided,
        (double)decided / (time - teller->started_at + 1e-9),
        decided == 0 ? 0.0 : 100.0 * (double)stats.outliers / (double)decided,
        prae_state_text(stats.state));
}
