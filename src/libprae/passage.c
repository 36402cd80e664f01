/* passage.c - records through the net as it is: what it makes of them, and how
 * far that is from them. */
#include <math.h>

#include "kernel.h"
#include "mem.h"
#include "trainer.h"

/* A row at the origin is divided by this, not by 0. */
#define NORM_LEAST 1e-3f

prae_status
pri_passage_init(struct passage *passage, const struct trainer *trainer,
                 enum net_way way)
{
    *passage = (struct passage){.norm = pri_floats_new(trainer->cap_batch)};
    if (passage->norm == NULL ||
        pri_work_init(&passage->work, &trainer->net, trainer->cap_batch, way) !=
            PRAE_OK) {
        pri_passage_fini(passage);
        return PRAE_ENOMEM;
    }
    return PRAE_OK;
}

prae_status
pri_passage_allow_gaps(struct passage *passage, size_t D)
{
    if (passage->seen == NULL)
        passage->seen = pri_matrix_new(D, passage->work.stride);
    return passage->seen == NULL ? PRAE_ENOMEM : PRAE_OK;
}

void
pri_passage_fini(struct passage *passage)
{
    pri_work_fini(&passage->work);
    free(passage->seen);
    free(passage->norm);
    *passage = (struct passage){0};
}

/* ---- some columns of a batch ---- */

/* norm = ||x||, or 1. */
static void
measure(const struct trainer *trainer, struct passage *passage, size_t from,
        size_t B)
{
    size_t stride = passage->work.stride;
    const float *input = passage->work.y[0] + from;
    float *norm = passage->norm + from;

    if (trainer->loss == PRAE_LOSS_SQUARED) {
        for (size_t j = 0; j < B; j++)
            norm[j] = 1.0f;
        return;
    }
    memset(norm, 0, B * sizeof *norm);
    for (size_t d = 0; d < trainer->net.D; d++) {
        float origin = trainer->origin == NULL ? 0.0f : trainer->origin[d];
        for (size_t j = 0; j < B; j++) {
            float own = input[d * stride + j] - origin;
            norm[j] += own * own;
        }
    }
    for (size_t j = 0; j < B; j++)
        norm[j] = sqrtf(norm[j]) + NORM_LEAST;
}

void
pri_passage_forward(const struct trainer *trainer, struct passage *passage,
                    const float *x, const uint32_t *order, size_t from,
                    size_t B)
{
    float *seen = passage->seen == NULL ? NULL : passage->seen + from;

    pri_kernel()->lay(x, trainer->net.D, order, B, passage->work.stride,
                      passage->work.y[0] + from, seen);
    measure(trainer, passage, from, B);
    pri_net_forward(&trainer->net, &passage->work, from, B);
}

struct error_batch
pri_passage_batch(const struct trainer *trainer, const struct passage *passage,
                  size_t from, size_t B, size_t whole)
{
    const struct net *net = &trainer->net;

    return (struct error_batch){
        .D = net->D,
        .B = B,
        .stride = passage->work.stride,
        .whole = whole,
        .x = passage->work.y[0] + from,
        .y = passage->work.y[net->layer_count] + from,
        .seen = passage->seen == NULL ? NULL : passage->seen + from,
        .norm = passage->norm + from};
}

void
pri_passage_errors(const struct trainer *trainer, const struct passage *passage,
                   size_t from, size_t B, const float *weight, float *e)
{
    struct error_batch batch = pri_passage_batch(trainer, passage, from, B, B);

    pri_kernel()->error(&batch, weight, e);
}

void
pri_passage_errors_back(const struct trainer *trainer, struct passage *passage,
                        size_t from, size_t B, size_t whole, const float *z)
{
    struct error_batch batch =
        pri_passage_batch(trainer, passage, from, B, whole);

    pri_kernel()->error_back(&batch, z,
                             passage->work.dy[trainer->net.layer_count] + from);
}

/* ---- judging ---- */

struct judging {
    struct trainer *trainer;
    const float *x; /* (N, D) */
    size_t N;
    size_t rows; /* of a part: whole batches, so that each record is in the
                    same one however many threads there are */
    const float *weight;
    float *e, *weighted;
};

static void
judge_part(void *work, size_t part, size_t who)
{
    const struct judging *judging = work;
    struct trainer *trainer = judging->trainer;
    struct passage *passage = &trainer->passage[who];
    size_t at = part * judging->rows, rest = judging->N - at;
    size_t end = at + (rest < judging->rows ? rest : judging->rows);

    for (size_t B; at < end; at += B) {
        B = end - at < trainer->cap_batch ? end - at : trainer->cap_batch;
        pri_passage_forward(trainer, passage, judging->x + at * trainer->net.D,
                            NULL, 0, B);
        if (judging->e != NULL)
            pri_passage_errors(trainer, passage, 0, B, NULL, judging->e + at);
        pri_passage_errors(trainer, passage, 0, B, judging->weight,
                           judging->weighted + at);
    }
}

void
pri_trainer_judge(struct trainer *trainer, const float *x, size_t N,
                  const float *weight, float *e, float *weighted)
{
    size_t batches =
        PRI_PART_WORK / trainer->net.param_count / trainer->cap_batch + 1;
    size_t rows = batches * trainer->cap_batch;
    struct judging judging = {trainer, x, N, rows, weight, e, weighted};

    pri_runner_share(&trainer->runner, judge_part, &judging,
                     (N + rows - 1) / rows);
}

void
pri_trainer_errors(struct trainer *trainer, const float *x, size_t N, float *e)
{
    pri_trainer_judge(trainer, x, N, NULL, NULL, e);
}

void
pri_trainer_middle(struct trainer *trainer, const float *x, size_t N, float *z)
{
    const struct net *net = &trainer->net;
    struct net_work *work = &trainer->passage[0].work;
    size_t half = net->layer_count / 2;

    for (size_t at = 0, B; at < N; at += B) {
        B = N - at < trainer->cap_batch ? N - at : trainer->cap_batch;
        pri_kernel()->lay(x + at * net->D, net->D, NULL, B, work->stride,
                          work->y[0], NULL);
        pri_net_forward_part(net, work, 0, half, 0, B);
        memcpy(z + at, work->y[half], B * sizeof *z);
    }
}

void
pri_trainer_expect(struct trainer *trainer, const float *x, size_t B,
                   float *out)
{
    struct passage *passage = trainer->passage;
    size_t D = trainer->net.D, stride = passage->work.stride;
    const float *y = passage->work.y[trainer->net.layer_count];

    pri_passage_forward(trainer, passage, x, NULL, 0, B);
    for (size_t j = 0; j < B; j++)
        for (size_t d = 0; d < D; d++)
            out[j * D + d] = y[d * stride + j];
}
