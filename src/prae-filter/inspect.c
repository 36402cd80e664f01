/* inspect.c - a snapshot loaded into a filter, and asked. */
#include "inspect.h"

#include <math.h>
#include <stdio.h>

#include "escape.h"
#include "log.h"
#include "snapfile.h"

typedef unsigned long long ull;

static const double shares[] = {0.5, 0.9, 0.99, 0.999};

#define SHARE_COUNT (sizeof shares / sizeof *shares)

static void
print_text(prae_filter *filter, const char *path, const prae_stats *stats)
{
    prae_feature feature;
    const char *name, *reason;

    printf("%s\n", path);
    printf("  state      %s\n", prae_state_text(stats->state));
    printf("  windows    %llu judged, %llu learned; %llu bursts, %llu drifts, "
           "%llu undone\n",
           (ull)stats->judged, (ull)stats->model, (ull)stats->bursts,
           (ull)stats->drifts, (ull)stats->rollbacks);
    printf("  net        %zu inputs, %zu in the middle, %zu weights\n",
           stats->inputs, stats->latent, stats->weights);
    printf("  context    %s (neighbours' likeness %.2f)\n",
           stats->context ? "on" : "off", stats->likeness);
    printf("  smoothing  %s (neighbouring scores' likeness %.2f)\n",
           stats->smooth ? "on" : "off", stats->score_likeness);
    printf("  memory     %zu trusted records\n", stats->trusted);
    printf("  limit      %.6g\n", stats->limit);
    printf("  scores    ");
    for (size_t i = 0; i < SHARE_COUNT; i++)
        printf(" %g %%: %.4g%s", 100.0 * shares[i],
               prae_filter_quantile(filter, shares[i]),
               i + 1 < SHARE_COUNT ? "," : "\n");
    printf("  features   %-32s %14s %14s\n", "field", "centre", "unit");
    for (size_t d = 0; prae_filter_feature(filter, d, &feature) == PRAE_OK;
         d++) {
        fputs("             ", stdout);
        size_t len = escape_plain(stdout, feature.name);
        printf("%*s %14.6g %14.6g\n", len < 32 ? (int)(32 - len) : 0, "",
               feature.centre, feature.unit);
    }
    for (size_t i = 0; (name = prae_filter_field(filter, i, &reason)) != NULL;
         i++)
        if (reason != NULL) {
            fputs("  left out   ", stdout);
            escape_plain(stdout, name);
            printf(" (%s)\n", reason);
        }
}

static void
print_json(prae_filter *filter, const prae_stats *stats)
{
    prae_feature feature;

    printf("{\"state\":\"%s\",\"windows\":%llu,\"model\":%llu,"
           "\"bursts\":%llu,\"drifts\":%llu,\"rollbacks\":%llu,"
           "\"inputs\":%zu,\"latent\":%zu,\"weights\":%zu,\"context\":%s,"
           "\"likeness\":%.6g,\"smooth\":%s,\"score_likeness\":%.6g,"
           "\"trusted\":%zu,",
           prae_state_text(stats->state), (ull)stats->judged, (ull)stats->model,
           (ull)stats->bursts, (ull)stats->drifts, (ull)stats->rollbacks,
           stats->inputs, stats->latent, stats->weights,
           stats->context ? "true" : "false", stats->likeness,
           stats->smooth ? "true" : "false", stats->score_likeness,
           stats->trusted);
    if (isfinite(stats->limit))
        printf("\"limit\":%.9g,", stats->limit);
    printf("\"quantiles\":{");
    for (size_t i = 0; i < SHARE_COUNT; i++)
        printf("%s\"%g\":%.9g", i == 0 ? "" : ",", shares[i],
               prae_filter_quantile(filter, shares[i]));
    printf("},\"features\":[");
    for (size_t d = 0; prae_filter_feature(filter, d, &feature) == PRAE_OK;
         d++) {
        printf("%s{\"name\":", d == 0 ? "" : ",");
        escape_json(stdout, feature.name);
        printf(",\"centre\":%.17g,\"unit\":%.17g}", feature.centre,
               feature.unit);
    }
    puts("]}");
}

enum exit_status
inspect_print(const struct options *options)
{
    prae_filter *filter = NULL;
    prae_stats stats;
    prae_params params;
    enum snapfile loaded = SNAPFILE_NONE;

    snapfile_params(&params);
    if (prae_filter_new(&params, &filter) != PRAE_OK) {
        log_error("out of memory");
        return EXIT_FAILED;
    }
    enum exit_status status = snapfile_load(filter, options->inspect, &loaded);
    if (status == EXIT_DONE && loaded == SNAPFILE_NONE) {
        log_error("cannot open %s: no such file", options->inspect);
        status = EXIT_NOINPUT;
    }
    if (status == EXIT_DONE) {
        prae_filter_stats(filter, &stats);
        if (options->json)
            print_json(filter, &stats);
        else
            print_text(filter, options->inspect, &stats);
    }
    prae_filter_free(filter);
    return status;
}
