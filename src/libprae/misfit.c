/*
 * misfit.c - what records are missed by, feature by feature.
 *
 * How much a feature counts hangs on what it is usually missed by, among the
 * very records whose errors are then asked for. So misfits are kept, and
 * weighed later without another way through the net.
 */
#include "kernel.h"
#include "matrix.h"
#include "mem.h"
#include "trainer.h"

#define STRIP 64 /* features of a wide net that are summed together */

prae_status
pri_misfit_init(struct misfit *misfit, size_t D, size_t cap_rows)
{
    size_t stride = pri_batch_stride(cap_rows);

    *misfit = (struct misfit){.D = D,
                              .stride = stride,
                              .away = pri_matrix_new(D, stride),
                              .norm = pri_floats_new(cap_rows)};
    if (misfit->away == NULL || misfit->norm == NULL) {
        pri_misfit_fini(misfit);
        return PRAE_ENOMEM;
    }
    return PRAE_OK;
}

void
pri_misfit_fini(struct misfit *misfit)
{
    free(misfit->away);
    free(misfit->norm);
    *misfit = (struct misfit){0};
}

/* ---- what is usual ---- */

struct usual {
    struct trainer *trainer;
    const float *x;            /* (B, D) */
    const unsigned char *good; /* (B), or NULL */
    size_t B;
    float *away; /* (D, B) to be kept, ... */
    size_t stride;
    double *square; /* (D) ... and sums */
};

static void
usual_forward(void *work, size_t part, size_t who)
{
    const struct usual *usual = work;
    struct trainer *trainer = usual->trainer;
    size_t from, B = pri_cut(trainer->forward_cols, usual->B, part, &from);

    (void)who; /* all columns are of one passage */
    pri_passage_forward(trainer, trainer->passage,
                        usual->x + from * trainer->net.D, NULL, from, B);
}

/* Features that are a part by themselves. */
static size_t
strip(const struct trainer *trainer)
{
    return trainer->cut ? STRIP : trainer->net.D;
}

/* A strip of features, each summed in the order of records. */
static void
usual_sum(void *work, size_t part, size_t who)
{
    const struct usual *usual = work;
    const struct trainer *trainer = usual->trainer;
    size_t wide = strip(trainer), from = part * wide, rest;
    struct error_batch batch =
        pri_passage_batch(trainer, trainer->passage, 0, usual->B, usual->B);

    (void)who;
    rest = batch.D - from;
    batch.D = rest < wide ? rest : wide;
    batch.x += from * batch.stride;
    batch.y += from * batch.stride;
    if (batch.seen != NULL)
        batch.seen += from * batch.stride;
    pri_kernel()->misfit(&batch, usual->good,
                         usual->away + from * usual->stride, usual->stride,
                         usual->square + from);
}

/* Where misfits of the batch from row AT on go: to KEPT, or where nobody asks
 * for them in place of what they are of. */
static void
place_misfits(struct usual *usual, struct misfit *kept, size_t at)
{
    const struct passage *passage = usual->trainer->passage;

    usual->away = passage->work.y[usual->trainer->net.layer_count];
    usual->stride = passage->work.stride;
    if (kept != NULL) {
        usual->away = kept->away + at;
        usual->stride = kept->stride;
        memcpy(kept->norm + at, passage->norm, usual->B * sizeof *kept->norm);
    }
}

void
pri_trainer_usual(struct trainer *trainer, const float *x, size_t N,
                  const unsigned char *good, struct misfit *kept,
                  double *square)
{
    size_t D = trainer->net.D, count = 0;
    size_t strips = (D + strip(trainer) - 1) / strip(trainer);
    struct usual usual = {.trainer = trainer, .square = square};

    memset(square, 0, D * sizeof *square);
    for (size_t at = 0; at < N; at += usual.B) {
        usual.B = N - at < trainer->cap_batch ? N - at : trainer->cap_batch;
        usual.x = x + at * D;
        usual.good = good == NULL ? NULL : good + at;
        pri_runner_share(&trainer->runner, usual_forward, &usual,
                         pri_cuts(trainer->forward_cols, usual.B));
        place_misfits(&usual, kept, at);
        pri_runner_share(&trainer->runner, usual_sum, &usual, strips);
        for (size_t j = 0; j < usual.B; j++)
            count += good == NULL || good[at + j];
    }
    for (size_t d = 0; d < D && count > 0; d++)
        square[d] /= (double)count;
}

/* ---- weighed ---- */

void
pri_misfit_errors(const struct misfit *misfit, size_t N, const float *weight,
                  float *e)
{
    struct error_batch batch = {.D = misfit->D,
                                .B = N,
                                .stride = misfit->stride,
                                .whole = N,
                                .y = misfit->away,
                                .norm = misfit->norm};

    pri_kernel()->error(&batch, weight, e);
}
