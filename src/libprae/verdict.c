/*
 * verdict.c - step 6: what was found of a record becomes a verdict, with the
 * fields that gave it away.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "filter.h"
#include "text.h"

/* ---- reasons ---- */

/* The words that feature D of a text is about, or else the beginning of the
 * string that a feature was made of, to REASON. */
static void
name_text(const struct column *column, size_t d, const struct field *field,
          struct reason *reason)
{
    size_t len = 0, room = sizeof reason->text - 1;

    if (column->kind == COLUMN_TEXT)
        len = pri_words_rarest(&column->words, field->text, field->text_len,
                               d - column->first, reason->text,
                               sizeof reason->text);
    if (len > 0)
        return;
    /* Not in the middle of a character, and no further than it is text:
     * MessagePack may hold any bytes. */
    len = pri_utf8_valid(field->text,
                         field->text_len < room ? field->text_len : room);
    memcpy(reason->text, field->text, len);
    reason->text[len] = '\0';
}

/* What a person should see of the string that feature D of SLOT's record
 * was made of. */
static void
find_text(prae_filter *filter, const struct slot *slot, size_t d,
          struct reason *reason)
{
    const struct features *features = &filter->features;
    const struct record *record = &filter->codec.record;
    const struct column *column = pri_features_column(features, d);

    if (column->kind != COLUMN_CATEGORY && column->kind != COLUMN_TEXT)
        return;
    if (pri_filter_decode(filter, slot) != PRAE_OK ||
        pri_path_resolve(&filter->features.tree, record, 0) != PRAE_OK)
        return;
    for (size_t i = 0; i < record->count; i++)
        if (features->tree.last[i] == column->node &&
            record->field[i].type == FIELD_TEXT)
            name_text(column, d, &record->field[i], reason);
}

prae_status
pri_filter_explain(prae_filter *filter, struct slot *slot)
{
    struct window *window = &filter->window;
    struct learner *learner = &filter->learner;
    double all = 0.0;

    pri_learner_explain(learner, slot->row, filter->part, filter->expected);
    for (size_t d = 0; d < learner->D; d++)
        all += (double)filter->part[d];
    slot->why = (uint32_t)window->reason_count;
    for (size_t k = 0; k < filter->params.why && k < learner->D; k++) {
        size_t most = 0;
        for (size_t d = 1; d < learner->D; d++)
            if (filter->part[d] > filter->part[most])
                most = d;
        if (!(filter->part[most] > 0.0f))
            break;
        struct reason *reason = pri_window_reason(window);
        if (reason == NULL)
            return PRAE_ENOMEM;
        *reason = (struct reason){
            .feature = (uint32_t)most,
            .share = (float)((double)filter->part[most] / all),
            .observed = learner->wide[slot->row * learner->D + most],
            .expected = filter->expected[most]};
        find_text(filter, slot, most % learner->context.D0, reason);
        filter->part[most] = 0.0f;
        slot->why_count++;
    }
    return PRAE_OK;
}

/* ---- verdicts out ---- */

void
pri_filter_name_feature(const prae_filter *filter, size_t d, char *text,
                        size_t size)
{
    size_t D0 = filter->learner.context.D0;

    pri_features_name(&filter->features, d % D0, text, size);
    size_t len = strlen(text);
    len = pri_utf8_valid(text, len); /* it may have been cut */
    text[len] = '\0';
    if (d >= D0)
        snprintf(text + len, size - len, "%s",
                 d < 2 * D0 ? ", change" : ", spread");
}

static void
give_reasons(prae_filter *filter, const struct slot *slot,
             prae_verdict *verdict)
{
    const struct window *window = &filter->window;

    for (size_t k = 0; k < slot->why_count; k++) {
        const struct reason *reason = &window->reason[slot->why + k];
        const struct column *column = pri_features_column(
            &filter->features, reason->feature % filter->learner.context.D0);
        pri_filter_name_feature(filter, reason->feature, filter->names[k],
                                sizeof filter->names[k]);
        filter->why[k] = (prae_reason){
            .field = filter->names[k],
            .input = reason->feature,
            .share = (double)reason->share,
            .observed = reason->observed,
            .expected = reason->expected,
            .observed_text = reason->text[0] == '\0' ? NULL : reason->text,
            .expected_text = column->kind == COLUMN_CATEGORY
                                 ? pri_categories_usual(&column->categories)
                                 : NULL};
    }
    verdict->why = filter->why;
    verdict->why_count = slot->why_count;
}

static void
give_findings(const prae_filter *filter, size_t row, prae_verdict *verdict)
{
    const struct findings *found = &filter->window.found;

    verdict->kind = found->flagged[row] ? PRAE_KIND_OUTLIER : PRAE_KIND_INLIER;
    verdict->score = (double)found->score[row];
    verdict->p = (double)found->p[row];
    verdict->gate = (double)found->gate[row];
    verdict->error = (double)found->error[row];
    verdict->values = &filter->window.x[row * filter->window.D0];
    verdict->value_count = filter->window.D0;
}

/* What is wrong with a reject, and where its file or message has lines, on
 * which of them. */
static const char *
reject_text(prae_filter *filter, const struct slot *slot)
{
    const char *text = pri_fault_text((enum fault)slot->fault);

    if (slot->line == 0)
        return text;
    snprintf(filter->reject, sizeof filter->reject, "line %llu: %s",
             (unsigned long long)slot->line, text);
    return filter->reject;
}

/* Where nothing is learned a window is so many records, however few of them
 * are judged at once. */
static int
counts_rows(const prae_filter *filter)
{
    return filter->params.freeze && filter->params.window > 0 &&
           !filter->is_front;
}

uint64_t
pri_filter_window_at(const prae_filter *filter, uint64_t row)
{
    return filter->window_number +
           (counts_rows(filter) ? row / filter->params.window : 0);
}

/* That of the next record, or where it is a reject, of what follows it. */
static uint64_t
window_now(const prae_filter *filter)
{
    return pri_filter_window_at(filter, filter->passed);
}

void
pri_filter_start_window(prae_filter *filter)
{
    if (filter->releasing) {
        filter->releasing = 0;
        filter->given = filter->window.slot_count;
        return;
    }
    filter->judged = 0;
    filter->is_first = 0;
    filter->given = 0;
    if (counts_rows(filter)) {
        filter->window_number = window_now(filter);
        filter->passed %= filter->params.window;
    } else {
        filter->window_number +=
            filter->window.slot_count > 0 && !filter->is_front;
        filter->passed = 0;
    }
    pri_window_reset(&filter->window, filter->stats.received);
}

/* Whether SLOT's record leaves as it came. */
static int
is_inlier(const prae_filter *filter, const struct slot *slot)
{
    if (slot->row == PRI_WINDOW_NO_ROW)
        return 0;
    return filter->releasing ? filter->params.cold != PRAE_COLD_FLAG
                             : !filter->window.found.flagged[slot->row];
}

/* Whether SLOT's bytes are followed at once by the next one's, and may be:
 * not where a line lacks its end. */
static int
is_joined(const prae_filter *filter, const struct slot *slot)
{
    const char *end = filter->window.bytes + slot->at + slot->len;

    return slot[1].at == slot->at + slot->len &&
           (filter->params.format == PRAE_FORMAT_MSGPACK ||
            (slot->len > 0 && end[-1] == '\n'));
}

/* How many from next_at on, at most MOST, leave as they came and lie side by
 * side. */
static size_t
count_run(const prae_filter *filter, size_t most)
{
    const struct slot *first = &filter->window.slot[filter->next_at];
    size_t left = filter->window.slot_count - filter->next_at, count = 0;

    most = most < left ? most : left;
    while (count < most && is_inlier(filter, &first[count]) &&
           (count == 0 || is_joined(filter, &first[count - 1])))
        count++;
    return count;
}

prae_status
prae_filter_next_run(prae_filter *filter, size_t most, prae_run *run)
{
    if (filter == NULL || run == NULL)
        return PRAE_EINVAL;
    if (!filter->judged && !filter->releasing)
        return PRAE_END;
    const struct window *window = &filter->window;
    size_t count = count_run(filter, most);
    if (count == 0)
        return PRAE_END;
    const struct slot *first = &window->slot[filter->next_at];
    const struct slot *last = first + count - 1;
    *run = (prae_run){.seq = window->first_seq + filter->next_at,
                      .count = count,
                      .records = window->bytes + first->at,
                      .len = last->at + last->len - first->at};
    filter->stats.inliers += count;
    filter->next_at += count;
    filter->passed += count;
    return PRAE_OK;
}

prae_status
prae_filter_next(prae_filter *filter, prae_verdict *verdict)
{
    if (filter == NULL || verdict == NULL)
        return PRAE_EINVAL;
    if (!filter->judged && !filter->releasing)
        return PRAE_END;
    struct window *window = &filter->window;
    if (filter->next_at == window->slot_count) {
        pri_filter_start_window(filter);
        return PRAE_END;
    }
    const struct slot *slot = &window->slot[filter->next_at];
    /* Records of the first window came before anything was learned. */
    *verdict = (prae_verdict){.kind = PRAE_KIND_REJECT,
                              .seq = window->first_seq + filter->next_at,
                              .score = (double)NAN,
                              .p = (double)NAN,
                              .gate = (double)NAN,
                              .error = (double)NAN,
                              .window = window_now(filter),
                              .model = filter->learner.model,
                              .state = filter->is_first
                                           ? PRAE_STATE_WARMING
                                           : pri_filter_state(filter),
                              .parsed = slot->parsed,
                              .columns = filter->codec.width,
                              .record = window->bytes + slot->at,
                              .record_len = slot->len};
    if (slot->row != PRI_WINDOW_NO_ROW && filter->releasing) {
        verdict->kind = filter->params.cold == PRAE_COLD_FLAG
                            ? PRAE_KIND_OUTLIER
                            : PRAE_KIND_INLIER;
    } else if (slot->row != PRI_WINDOW_NO_ROW) {
        give_findings(filter, slot->row, verdict);
        give_reasons(filter, slot, verdict);
    } else {
        verdict->reject_code = pri_fault_code((enum fault)slot->fault);
        verdict->reject_text = reject_text(filter, slot);
    }
    filter->stats.inliers += verdict->kind == PRAE_KIND_INLIER;
    filter->stats.outliers += verdict->kind == PRAE_KIND_OUTLIER;
    filter->stats.rejected += verdict->kind == PRAE_KIND_REJECT;
    filter->next_at++;
    filter->passed += slot->row != PRI_WINDOW_NO_ROW;
    return PRAE_OK;
}
