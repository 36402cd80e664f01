/* tell.h - what people are told while it runs. */
#ifndef TELL_H
#define TELL_H

#include "stage.h"

struct teller {
    const struct options *options;
    prae_stats before;  /* when a window was last told of */
    prae_state state;   /* that was told last */
    int fields_told;    /* the features were reported */
    int refusal_told;   /* that all were refused */
    double started_at;  /* in seconds */
    int progress;       /* is shown */
    double progress_at; /* when it was */
};

/* STAGE has just been opened. */
void tell_start(struct teller *teller, const struct options *options,
                const struct stage *stage);

/* A window was judged, or with --emit=now learned: on features, once, on the
 * state where it changed, and in detail if asked to. */
void tell_window(struct teller *teller, const struct stage *stage);

/* Progress, where it is shown and it is time to. */
void tell_progress(struct teller *teller, const struct stage *stage);

/* Whether it is shown at all. */
int tell_shows_progress(const struct teller *teller);

#endif
