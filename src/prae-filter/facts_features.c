/* facts_features.c - who is to blame, and how its values lie. */
#include <math.h>
#include <stdlib.h>

#include "facts.h"

#define FULL_MAX 256 /* features of a report */
#define LIVE_MAX 12
#define BINS 32

static const double shares[] = {0.0,  0.01, 0.05, 0.25, 0.5,
                                0.75, 0.95, 0.99, 1.0};
#define SHARE_COUNT (sizeof shares / sizeof *shares)

/* Values of one feature, sorted. */
struct values {
    double *at; /* (sample's cap) */
    size_t count, missing;
};

/* Between its neighbours; NaN where there is nothing. */
static double
quantile(const struct values *values, double share)
{
    if (values->count == 0)
        return (double)NAN;
    double place = share * (double)(values->count - 1);
    size_t low = (size_t)place, high = low + (low + 1 < values->count);
    double part = place - (double)low;
    return (1.0 - part) * values->at[low] + part * values->at[high];
}

static void
write_quantiles(struct json *json, const char *key, const struct values *values)
{
    json_open(json, key, '{');
    json_count(json, "sample", values->count + values->missing);
    json_count(json, "missing", values->missing);
    json_open(json, "quantiles", '[');
    for (size_t i = 0; i < SHARE_COUNT; i++)
        json_number(json, NULL, quantile(values, shares[i]));
    json_close(json, ']');
    json_close(json, '}');
}

/* What the charts show: where nearly all inliers are, with some room beside
 * them, as one far value would squeeze all others into one bin. */
static void
choose_range(const struct values *inliers, const struct values *outliers,
             double *low, double *high)
{
    const struct values *by = inliers->count > 0 ? inliers : outliers;

    *low = quantile(by, 0.005);
    *high = quantile(by, 0.995);
    double room = 0.3 * (*high - *low);
    if (!(room > 0.0))
        room = *low == 0.0 ? 0.5 : 0.05 * fabs(*low);
    *low -= room;
    *high += room;
    /* No room where there are no values at all. */
    if (quantile(by, 0.0) >= 0.0 && *low < 0.0 &&
        (outliers->count == 0 || outliers->at[0] >= 0.0) && by->count > 0 &&
        quantile(by, 0.0) < room)
        *low = 0.0;
}

static void
write_counts(struct json *json, const char *key, const char *beyond_key,
             const struct values *values, double low, double high)
{
    uint64_t bin[BINS] = {0}, beyond[2] = {0};

    for (size_t i = 0; i < values->count; i++) {
        double at = BINS * ((values->at[i] - low) / (high - low));
        beyond[0] += values->at[i] < low;
        beyond[1] += values->at[i] > high;
        bin[at < 0.0 ? 0 : at < BINS ? (size_t)at : BINS - 1]++;
    }
    json_open(json, key, '[');
    for (size_t i = 0; i < BINS; i++)
        json_count(json, NULL, bin[i]);
    json_close(json, ']');
    json_open(json, beyond_key, '[');
    json_count(json, NULL, beyond[0]);
    json_count(json, NULL, beyond[1]);
    json_close(json, ']');
}

static void
write_distribution(struct json *json, const struct values *inliers,
                   const struct values *outliers)
{
    double low, high;

    write_quantiles(json, "inliers", inliers);
    write_quantiles(json, "outliers", outliers);
    if (inliers->count + outliers->count == 0)
        return;
    choose_range(inliers, outliers, &low, &high);
    json_open(json, "edges", '[');
    for (size_t i = 0; i <= BINS; i++)
        json_number(json, NULL,
                    low + (high - low) * ((double)i / (double)BINS));
    json_close(json, ']');
    write_counts(json, "inlier_counts", "inliers_beyond", inliers, low, high);
    write_counts(json, "outlier_counts", "outliers_beyond", outliers, low,
                 high);
}

static void
take_column(const struct sample *sample, size_t column, struct values *values)
{
    values->count =
        sample->count == 0 ? 0 : sample_column(sample, column, values->at);
    values->missing = sample->count - values->count;
}

static int
by_blame(const void *a, const void *b)
{
    const struct named *left = *(const struct named *const *)a;
    const struct named *right = *(const struct named *const *)b;

    if (left->blame != right->blame)
        return left->blame < right->blame ? 1 : -1;
    return (left > right) - (left < right); /* as they came */
}

static void
write_features(struct json *json, const struct watch *watch,
               const struct named **ranked, size_t most, struct values *inliers,
               struct values *outliers)
{
    double all = 0.0;

    for (size_t i = 0; i < watch->feature_count; i++)
        all += watch->feature[i].blame;
    for (size_t i = 0; i < watch->feature_count && i < most; i++) {
        json_open(json, NULL, '{');
        json_text(json, "name", ranked[i]->name);
        json_number(json, "blame", all > 0.0 ? ranked[i]->blame / all : 0.0);
        json_count(json, "named", ranked[i]->flagged);
        if (inliers->at != NULL) {
            size_t column = (size_t)(ranked[i] - watch->feature);
            take_column(&watch->inliers, column, inliers);
            take_column(&watch->outliers, column, outliers);
            write_distribution(json, inliers, outliers);
        }
        json_close(json, '}');
    }
}

void
facts_features(struct json *json, const struct watch *watch,
               enum facts_kind kind)
{
    int full = kind == FACTS_FULL;
    const struct named **ranked =
        calloc(watch->feature_count + 1, sizeof *ranked);
    struct values inliers = {0}, outliers = {0};

    if (full) {
        inliers.at = calloc(WATCH_SAMPLE, sizeof *inliers.at);
        outliers.at = calloc(WATCH_SAMPLE, sizeof *outliers.at);
    }
    int ready = ranked != NULL &&
                (!full || (inliers.at != NULL && outliers.at != NULL));
    if (!ready)
        json->failed = 1;
    json_open(json, "features", '[');
    if (ready) {
        for (size_t i = 0; i < watch->feature_count; i++)
            ranked[i] = &watch->feature[i];
        qsort(ranked, watch->feature_count, sizeof *ranked, by_blame);
        write_features(json, watch, ranked, full ? FULL_MAX : LIVE_MAX,
                       &inliers, &outliers);
    }
    json_close(json, ']');
    json_count(json, "features_total", watch->feature_count);
    free(ranked);
    free(inliers.at);
    free(outliers.at);
}
