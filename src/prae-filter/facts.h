/*
 * facts.h - all that is known of a run, as JSON: prae-report(5).
 *
 * One object serves reports, the live page, metrics and the control socket,
 * so that they never disagree.
 */
#ifndef FACTS_H
#define FACTS_H

#include "json.h"
#include "loop.h"

enum facts_kind {
    FACTS_LIVE, /* short: for somebody who asks every second */
    FACTS_FULL  /* with distributions and the worst records */
};

/* Appends the facts of LOOP to OUT; with OVER the run has ended with STATUS.
 * 0, or -1 out of memory. */
int facts_write(const struct loop *loop, enum facts_kind kind, int over,
                enum exit_status status, prae_buffer *out);

/* ---- facts_records.c, facts_features.c: parts of it ---- */

void facts_flagged(struct json *json, const struct watched *flagged,
                   prae_format format);
void facts_features(struct json *json, const struct watch *watch,
                    enum facts_kind kind);

#endif
