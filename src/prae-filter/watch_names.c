/*
 * watch_names.c - features by name.
 *
 * A filter at the worker cannot be asked, so names are taken once: features
 * stay what they are for a model's life.
 */
#include <stdio.h>
#include <stdlib.h>

#include "watch.h"

#define LEFT_MAX 1000 /* fields left out that are listed */

static void
name_features(struct watch *watch, prae_filter *filter)
{
    prae_stats stats;
    prae_feature feature;

    prae_filter_stats(filter, &stats);
    watch->feature = calloc(stats.features, sizeof *watch->feature);
    if (watch->feature == NULL)
        return;
    for (size_t d = 0; d < stats.features &&
                       prae_filter_feature(filter, d, &feature) == PRAE_OK;
         d++)
        snprintf(watch->feature[watch->feature_count++].name, WATCH_NAME, "%s",
                 feature.name);
}

static void
name_left_out(struct watch *watch, prae_filter *filter)
{
    const char *name, *reason;
    size_t count = 0;

    for (size_t i = 0; count < LEFT_MAX &&
                       prae_filter_field(filter, i, &reason) != NULL;
         i++)
        count += reason != NULL;
    watch->left_out = calloc(count + 1, sizeof *watch->left_out);
    if (watch->left_out == NULL)
        return;
    for (size_t i = 0; watch->left_count < count &&
                       (name = prae_filter_field(filter, i, &reason)) != NULL;
         i++) {
        if (reason == NULL)
            continue;
        struct left_out *left = &watch->left_out[watch->left_count++];
        snprintf(left->name, sizeof left->name, "%s", name);
        snprintf(left->reason, sizeof left->reason, "%s", reason);
    }
}

void
watch_names(struct watch *watch, prae_filter *filter)
{
    prae_stats stats;

    if (watch->feature_count > 0)
        return;
    prae_filter_stats(filter, &stats);
    if (stats.features == 0)
        return;
    name_features(watch, filter);
    if (watch->feature_count > 0)
        name_left_out(watch, filter);
    if (watch->left_out != NULL)
        return;
    /* All or nothing, so that the next window finds them unnamed. */
    free(watch->feature);
    watch->feature = NULL;
    watch->feature_count = 0;
}
