/* report.c - counts, in one line and in JSON. */
#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "log.h"

typedef unsigned long long ull;

/* What was received but could not be delivered is named, too: the sum adds
 * up whatever happened. */
static void
report_line(const struct options *options, const prae_stats *stats)
{
    char held[64] = "";

    if (stats->held > 0)
        snprintf(held, sizeof held, " + undelivered %llu", (ull)stats->held);
    log_notice("received %llu = inliers %llu + outliers %llu + rejected "
               "%llu%s; windows %llu, state %s, model %s",
               (ull)stats->received, (ull)stats->inliers, (ull)stats->outliers,
               (ull)stats->rejected, held, (ull)stats->windows,
               prae_state_text(stats->state),
               options->model == NULL ? "none" : options->model);
}

static int
report_json(FILE *file, const prae_stats *stats, enum exit_status status)
{
    return fprintf(file,
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
                   "  \"state\": \"%s\",\n"
                   "  \"exit\": %d\n"
                   "}\n",
                   (ull)stats->received, (ull)stats->inliers,
                   (ull)stats->outliers, (ull)stats->rejected, (ull)stats->held,
                   (ull)stats->windows, (ull)stats->bursts, (ull)stats->drifts,
                   (ull)stats->rollbacks, (ull)stats->imputed,
                   (ull)stats->ignored, (ull)stats->wide_integers,
                   stats->features, stats->context ? "true" : "false",
                   stats->smooth ? "true" : "false",
                   prae_state_text(stats->state), (int)status);
}

enum exit_status
report_write(const struct options *options, const prae_stats *stats,
             enum exit_status status)
{
    report_line(options, stats);
    if (options->stats == NULL)
        return status;
    if (strcmp(options->stats, "-") == 0) {
        log_error("--stats: standard output carries records; name a file");
        return status == EXIT_DONE ? EXIT_USAGE : status;
    }
    FILE *file = fopen(options->stats, "w");
    int bad = file == NULL || report_json(file, stats, status) < 0;
    if (file != NULL)
        bad |= fclose(file) != 0;
    if (bad) {
        log_error("cannot write %s: %s", options->stats, strerror(errno));
        return status == EXIT_DONE ? EXIT_IO : status;
    }
    return status;
}
