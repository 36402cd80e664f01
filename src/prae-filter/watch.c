/* watch.c - counting what leaves. */
#include "watch.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SCORE_LEAST (-6.0) /* the lowest edge's logarithm */
#define PACE_SECONDS 2.0   /* over which the rate is taken, about */

static const double training_edges[WATCH_TRAININGS] = {
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
    0.1,    0.25,  0.5,    1.0,   2.5,  5.0,   10.0};

/* ---- bins ---- */

double
watch_score_edge(size_t i)
{
    return pow(10.0, SCORE_LEAST + (double)i / WATCH_STEPS);
}

double
watch_p_edge(size_t i)
{
    return (double)i / WATCH_PS;
}

double
watch_training_edge(size_t i)
{
    return training_edges[i];
}

/* The first and the last bin also hold what lies beyond them. */
static size_t
score_bin(double score)
{
    double at = WATCH_STEPS * (log10(score) - SCORE_LEAST);

    if (!(at > 0.0))
        return 0;
    return at < WATCH_SCORES ? (size_t)at : WATCH_SCORES - 1;
}

static size_t
p_bin(double p)
{
    double at = WATCH_PS * p;

    return at < WATCH_PS ? (size_t)fmax(at, 0.0) : WATCH_PS - 1;
}

double
watch_time(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int
watch_open(struct watch *watch, int on)
{
    *watch = (struct watch){.on = on, .tick_windows = 1};
    watch->started = watch_time();
    if (!on)
        return 0;
    watch->tick = calloc(WATCH_TICKS, sizeof *watch->tick);
    watch->worst = calloc(WATCH_WORST, sizeof *watch->worst);
    watch->last = calloc(WATCH_LAST, sizeof *watch->last);
    return watch->tick == NULL || watch->worst == NULL || watch->last == NULL
               ? -1
               : 0;
}

void
watch_close(struct watch *watch)
{
    free(watch->tick);
    free(watch->worst);
    free(watch->last);
    free(watch->feature);
    free(watch->left_out);
    sample_free(&watch->inliers);
    sample_free(&watch->outliers);
    *watch = (struct watch){0};
}

/* ---- windows over time ---- */

/* Two entries become one, of twice the windows. */
static void
halve(struct watch *watch)
{
    for (size_t i = 0; i < WATCH_TICKS / 2; i++) {
        struct tick both = watch->tick[2 * i];
        const struct tick *second = &watch->tick[2 * i + 1];
        both.windows += second->windows;
        both.inliers += second->inliers;
        both.outliers += second->outliers;
        both.rejected += second->rejected;
        both.state = second->state;
        both.bursts += second->bursts;
        both.drifts += second->drifts;
        both.limit = second->limit;
        watch->tick[i] = both;
    }
    watch->tick_count = WATCH_TICKS / 2;
    watch->tick_windows *= 2;
}

/* VERDICT is the first of another window than TICK's last: whether that one
 * still belongs to TICK. */
static int
joins(const struct watch *watch, struct tick *tick, const prae_verdict *verdict)
{
    if (verdict->window < tick->window + tick->windows)
        return 1;
    if (tick->windows >= watch->tick_windows)
        return 0;
    /* Of windows that nobody saw a verdict of there may be some between. */
    tick->windows = verdict->window + 1 - tick->window;
    return 1;
}

static void
count_tick(struct watch *watch, const prae_verdict *verdict)
{
    struct tick *tick =
        watch->tick_count == 0 ? NULL : &watch->tick[watch->tick_count - 1];
    prae_state before = tick == NULL ? PRAE_STATE_WARMING : tick->state;

    assert(watch->tick != NULL); /* who watches has them from the start */
    if (tick == NULL || !joins(watch, tick, verdict)) {
        if (watch->tick_count == WATCH_TICKS)
            halve(watch);
        tick = &watch->tick[watch->tick_count++];
        *tick = (struct tick){.window = verdict->window,
                              .windows = 1,
                              .seq = verdict->seq,
                              .time = watch_time(),
                              .state = before,
                              .limit = (double)NAN};
    }
    tick->inliers += verdict->kind == PRAE_KIND_INLIER;
    tick->outliers += verdict->kind == PRAE_KIND_OUTLIER;
    tick->rejected += verdict->kind == PRAE_KIND_REJECT;
    tick->state = verdict->state;
}

void
watch_window(struct watch *watch, const prae_stats *stats)
{
    if (!watch->on || watch->tick_count == 0)
        return;
    struct tick *tick = &watch->tick[watch->tick_count - 1];
    tick->limit = stats->limit;
    /* Fewer than before: it has gone back to a snapshot. */
    if (stats->bursts > watch->bursts)
        tick->bursts += stats->bursts - watch->bursts;
    if (stats->drifts > watch->drifts)
        tick->drifts += stats->drifts - watch->drifts;
    watch->bursts = stats->bursts;
    watch->drifts = stats->drifts;
}

/* ---- flagged records ---- */

static void
copy_text(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from == NULL ? "" : from);
}

static void
copy_flagged(struct watched *to, const prae_verdict *verdict)
{
    size_t len = verdict->record_len;

    *to = (struct watched){.seq = verdict->seq,
                           .window = verdict->window,
                           .score = verdict->score,
                           .p = verdict->p,
                           .gate = verdict->gate,
                           .time = watch_time(),
                           .state = verdict->state,
                           .record_len = len};
    memcpy(to->record, verdict->record,
           len < WATCH_RECORD ? len : WATCH_RECORD);
    for (size_t k = 0; k < verdict->why_count && k < WATCH_REASONS; k++) {
        const prae_reason *reason = &verdict->why[k];
        struct watched_reason *copy = &to->why[to->why_count++];
        copy_text(copy->field, sizeof copy->field, reason->field);
        copy->share = reason->share;
        copy->observed = reason->observed;
        copy->expected = reason->expected;
        copy_text(copy->observed_text, sizeof copy->observed_text,
                  reason->observed_text);
        copy_text(copy->expected_text, sizeof copy->expected_text,
                  reason->expected_text);
    }
}

/* Lets the entry at I sink to where it belongs. */
static void
sift(struct watched *heap, size_t count, size_t i)
{
    for (size_t least = i;; i = least) {
        for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < count; k++)
            if (heap[k].score < heap[least].score)
                least = k;
        if (least == i)
            return;
        struct watched held = heap[i];
        heap[i] = heap[least];
        heap[least] = held;
    }
}

static void
keep_if_worst(struct watch *watch, const struct watched *flagged)
{
    struct watched *heap = watch->worst;

    if (isnan(flagged->score))
        return;
    if (watch->worst_count < WATCH_WORST) {
        heap[watch->worst_count++] = *flagged;
        for (size_t i = watch->worst_count; i-- > 0;)
            sift(heap, watch->worst_count, i);
    } else if (flagged->score > heap[0].score) {
        heap[0] = *flagged;
        sift(heap, WATCH_WORST, 0);
    }
}

/* Whether one of the first COUNT reasons of VERDICT is FEATURE already. */
static int
is_named(const prae_verdict *verdict, size_t count, size_t feature)
{
    size_t features = verdict->value_count;
    int found = 0;

    for (size_t k = 0; k < count; k++)
        found |= verdict->why[k].input % features == feature;
    return found;
}

/* Inputs behind the features are these features' changes and spreads. */
static void
blame(struct watch *watch, const prae_verdict *verdict)
{
    size_t features = verdict->value_count;

    if (features == 0 || features != watch->feature_count)
        return;
    for (size_t k = 0; k < verdict->why_count; k++) {
        size_t feature = verdict->why[k].input % features;
        watch->feature[feature].blame += verdict->why[k].share;
        watch->feature[feature].flagged += !is_named(verdict, k, feature);
    }
}

static void
watch_flagged(struct watch *watch, const prae_verdict *verdict)
{
    struct watched *last = &watch->last[watch->last_count++ % WATCH_LAST];

    copy_flagged(last, verdict);
    keep_if_worst(watch, last);
    blame(watch, verdict);
}

static int
by_score(const void *a, const void *b)
{
    double left = (*(const struct watched *const *)a)->score;
    double right = (*(const struct watched *const *)b)->score;

    return (left < right) - (left > right);
}

size_t
watch_rank(const struct watch *watch, const struct watched *ranked[WATCH_WORST])
{
    for (size_t i = 0; i < watch->worst_count; i++)
        ranked[i] = &watch->worst[i];
    qsort(ranked, watch->worst_count, sizeof *ranked, by_score);
    return watch->worst_count;
}

const struct watched *
watch_recent(const struct watch *watch, size_t i)
{
    return i < WATCH_LAST && i < watch->last_count
               ? &watch->last[(watch->last_count - 1 - i) % WATCH_LAST]
               : NULL;
}

/* ---- one verdict ---- */

static void
count_refusal(struct watch *watch, const prae_verdict *verdict)
{
    struct refusal *refusal = watch->refusal;
    size_t i = 0;

    while (i < watch->refusal_count &&
           strcmp(refusal[i].code, verdict->reject_code) != 0)
        i++;
    if (i == WATCH_REFUSALS)
        return;
    if (i == watch->refusal_count) {
        refusal[watch->refusal_count++].code = verdict->reject_code;
        refusal[i].seq = verdict->seq;
        copy_text(refusal[i].text, sizeof refusal[i].text,
                  verdict->reject_text);
    }
    refusal[i].count++;
}

void
watch_verdict(struct watch *watch, const prae_verdict *verdict)
{
    int flagged = verdict->kind == PRAE_KIND_OUTLIER;

    if (!watch->on)
        return;
    count_tick(watch, verdict);
    if (verdict->kind == PRAE_KIND_REJECT) {
        count_refusal(watch, verdict);
        return;
    }
    if (!isnan(verdict->score)) {
        (flagged ? watch->score_out
                 : watch->score_in)[score_bin(verdict->score)]++;
        watch->score_sum += verdict->score;
    }
    if (!isnan(verdict->p))
        (flagged ? watch->p_out : watch->p_in)[p_bin(verdict->p)]++;
    if (verdict->values != NULL)
        sample_take(flagged ? &watch->outliers : &watch->inliers,
                    verdict->values, verdict->value_count);
    if (flagged)
        watch_flagged(watch, verdict);
}

/* ---- time ---- */

void
watch_training(struct watch *watch, double seconds)
{
    size_t i = 0;

    while (i < WATCH_TRAININGS && seconds > training_edges[i])
        i++;
    watch->training_bin[i]++;
    watch->trainings++;
    watch->training_sum += seconds;
    watch->training_last = seconds;
    watch->training_longest = fmax(watch->training_longest, seconds);
}

void
watch_pace(struct watch *watch, uint64_t received, double now)
{
    double passed = now - watch->rate_at;

    if (watch->rate_at > 0.0 && passed > 0.0) {
        double rate = (double)(received - watch->rate_received) / passed;
        double weight = 1.0 - exp(-passed / PACE_SECONDS);
        watch->rate += weight * (rate - watch->rate);
    }
    watch->rate_at = now;
    watch->rate_received = received;
}
