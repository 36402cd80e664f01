/* smooth.c - the mean of neighbouring scores, and whether it is wanted. */
#include "smooth.h"

#include <math.h>

#define SPAN 7           /* records, unless asked for otherwise */
#define MEMORY 4096.0    /* scores that the likeness reaches back */
#define ALIKE 0.1        /* from which likeness on, and ... */
#define CHANCE 3.0       /* ... so many standard deviations beyond chance */
#define UNLIKE 0.05      /* below which it is off again */
#define OWN_LESS 0.5     /* what a score by itself is taken down by */
#define FEW 32           /* scores that tell nothing yet */
#define SQUARE_MIN 1e-12 /* scores that never differ have no likeness */

void
pri_smooth_init(struct smooth *smooth, size_t span)
{
    *smooth = (struct smooth){.span = span,
                              .on = span > 1,
                              .level = (double)NAN,
                              .last = (double)NAN};
}

double
pri_smooth_likeness(const struct smooth *smooth)
{
    if (!(smooth->square > SQUARE_MIN))
        return 0.0;
    /* Means over time are not quite those that keep it within. */
    return fmax(-1.0, fmin(1.0, smooth->product / smooth->square));
}

void
pri_smooth_learn(struct smooth *smooth, const float *score, size_t N)
{
    for (size_t i = 0; i < N; i++) {
        double value = (double)score[i];
        double weight = 1.0 / ((double)smooth->count + 1.0);
        if (weight < 1.0 / MEMORY)
            weight = 1.0 / MEMORY;
        smooth->mean += weight * (value - smooth->mean);
        double away = value - smooth->mean;
        smooth->square += weight * (away * away - smooth->square);
        if (!isnan(smooth->last))
            smooth->product += weight * (away * (smooth->last - smooth->mean) -
                                         smooth->product);
        smooth->last = value;
        smooth->count++;
    }
    if (smooth->span != 0 || smooth->count < FEW)
        return;
    /* Of unrelated scores the likeness is 0, give or take 1 / sqrt(count). */
    double count = fmin((double)smooth->count, MEMORY);
    double likeness = pri_smooth_likeness(smooth);
    if (likeness > ALIKE + CHANCE / sqrt(count))
        smooth->on = 1;
    else if (likeness < UNLIKE)
        smooth->on = 0;
}

void
pri_smooth_apply(struct smooth *smooth, float *score, size_t N, float most)
{
    double weight =
        2.0 / ((double)(smooth->span == 0 ? SPAN : smooth->span) + 1.0);

    for (size_t i = 0; i < N; i++) {
        double value = (double)fminf(score[i], most);
        if (isnan(smooth->level))
            smooth->level = value;
        smooth->level += weight * (value - smooth->level);
        if (smooth->on)
            score[i] = (float)fmax((double)score[i] - OWN_LESS, smooth->level);
    }
}
