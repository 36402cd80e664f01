/* report.c - counts, in one line and in JSON. */
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "fifo.h"
#include "inherit.h"
#include "log.h"

typedef unsigned long long ull;

enum exit_status
report_open(const struct options *options, int *fd)
{
    int handed = options->stats == NULL ? -1 : inherit_number(options->stats);

    *fd = handed < 0 ? -1 : inherit_copy(handed);
    if (handed < 0 || *fd >= 0)
        return EXIT_DONE;
    log_error("cannot open %s: %s", options->stats, strerror(errno));
    return EXIT_IO;
}

/* What was received but could not be delivered is named, too: the sum adds
 * up whatever happened. */
void
report_line(const struct options *options, const prae_stats *stats,
            const char *held, int asked)
{
    char more[64] = "";

    if (stats->held > 0)
        snprintf(more, sizeof more, " + %s %llu", held, (ull)stats->held);
    log_line(asked ? LOG_ASKED : LOG_NOTICE,
             "received %llu = inliers %llu + outliers %llu + rejected "
             "%llu%s; windows %llu, state %s, model %s",
             (ull)stats->received, (ull)stats->inliers, (ull)stats->outliers,
             (ull)stats->rejected, more, (ull)stats->windows,
             prae_state_text(stats->state),
             options->model == NULL ? "none" : options->model);
}

static int
report_json(FILE *file, const prae_stats *stats, const struct traffic *traffic,
            enum exit_status status)
{
    return fprintf(
        file,
        "{\n"
        "  \"received\": %llu,\n"
        "  \"inliers\": %llu,\n"
        "  \"outliers\": %llu,\n"
        "  \"rejected\": %llu,\n"
        "  \"held\": %llu,\n"
        "  \"windows\": %llu,\n"
        "  \"bursts\": %llu,\n"
        "  \"drifts\": %llu,\n"
        "  \"rollbacks\": %llu,\n"
        "  \"imputed\": %llu,\n"
        "  \"ignored_fields\": %llu,\n"
        "  \"wide_integers\": %llu,\n"
        "  \"features\": %zu,\n"
        "  \"context\": %s,\n"
        "  \"smooth\": %s,\n"
        "  \"messages_in\": %llu,\n"
        "  \"messages_out\": %llu,\n"
        "  \"undelivered\": %llu,\n"
        "  \"unheard\": %llu,\n"
        "  \"dropped\": %llu,\n"
        "  \"unlearned\": %llu,\n"
        "  \"reverts\": %llu,\n"
        "  \"turned_away\": %llu,\n"
        "  \"blocked_seconds\": %.3f,\n"
        "  \"longest_window_seconds\": %.3f,\n"
        "  \"state\": \"%s\",\n"
        "  \"exit\": %d\n"
        "}\n",
        (ull)stats->received, (ull)stats->inliers, (ull)stats->outliers,
        (ull)stats->rejected, (ull)stats->held, (ull)stats->windows,
        (ull)stats->bursts, (ull)stats->drifts, (ull)stats->rollbacks,
        (ull)stats->imputed, (ull)stats->ignored, (ull)stats->wide_integers,
        stats->features, stats->context ? "true" : "false",
        stats->smooth ? "true" : "false", (ull)traffic->messages_in,
        (ull)traffic->messages_out, (ull)traffic->undelivered,
        (ull)traffic->unheard, (ull)traffic->dropped, (ull)traffic->unlearned,
        (ull)traffic->reverts, (ull)traffic->turned_away, traffic->blocked,
        traffic->longest, prae_state_text(stats->state), (int)status);
}

enum exit_status
report_write(const struct options *options, int fd, const prae_stats *stats,
             const struct traffic *traffic, enum exit_status status)
{
    report_line(options, stats, "undelivered", 0);
    if (options->stats == NULL)
        return status;
    if (fd < 0)
        fd = fifo_open(options->stats, O_TRUNC);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    /* All of it is less than a page, and is written when it is closed. */
    int full = file != NULL && !fifo_wait(fd);
    int bad = file == NULL || full ||
              report_json(file, stats, traffic, status) < 0;
    if (file != NULL)
        bad |= fclose(file) != 0;
    if (full)
        errno = ENXIO;
    if (bad) {
        log_error("cannot write %s: %s", options->stats, fifo_error(errno));
        return status == EXIT_DONE ? EXIT_IO : status;
    }
    return status;
}
