/* window.c - growing arrays that are emptied, never shrunk. */
#include "window.h"

#include "mem.h"

void
pri_window_init(struct window *window)
{
    *window = (struct window){0};
}

static void
free_findings(struct findings *found)
{
    free(found->score);
    free(found->error);
    free(found->gate);
    free(found->p);
    free(found->flagged);
    *found = (struct findings){0};
}

void
pri_window_fini(struct window *window)
{
    free(window->bytes);
    free(window->slot);
    free(window->x);
    free(window->reason);
    free_findings(&window->found);
    *window = (struct window){0};
}

void
pri_window_reset(struct window *window, uint64_t first_seq)
{
    window->bytes_len = 0;
    window->slot_count = 0;
    window->rows = 0;
    window->reason_count = 0;
    window->first_seq = first_seq;
}

/* At least NEED items in *BLOCK, doubled so that adding one is cheap. */
static prae_status
grow(void **block, size_t *cap, size_t need, size_t item_bytes)
{
    if (need <= *cap)
        return PRAE_OK;
    size_t more = need > 2 * *cap ? need : 2 * *cap;
    if (more > SIZE_MAX / item_bytes)
        return PRAE_ENOMEM;
    void *moved = realloc(*block, more * item_bytes);
    if (moved == NULL)
        return PRAE_ENOMEM;
    *block = moved;
    *cap = more;
    return PRAE_OK;
}

prae_status
pri_window_add(struct window *window, const char *bytes, size_t len,
               struct slot **slot)
{
    void *arena = window->bytes, *slots = window->slot;
    prae_status status =
        grow(&arena, &window->bytes_cap, window->bytes_len + len, 1);

    window->bytes = arena;
    if (status == PRAE_OK)
        status = grow(&slots, &window->slot_cap, window->slot_count + 1,
                      sizeof **slot);
    window->slot = slots;
    if (status != PRAE_OK)
        return status;
    if (len > 0)
        memcpy(window->bytes + window->bytes_len, bytes, len);
    *slot = &window->slot[window->slot_count++];
    **slot = (struct slot){.at = window->bytes_len,
                           .len = len,
                           .row = PRI_WINDOW_NO_ROW,
                           .parsed = 1};
    window->bytes_len += len;
    return PRAE_OK;
}

prae_status
pri_window_reserve(struct window *window, size_t rows, size_t D0)
{
    struct findings *found = &window->found;

    if (rows <= window->rows_cap && D0 == window->D0)
        return PRAE_OK;
    /* Called between windows or before the first row: nothing to keep. */
    free(window->x);
    free_findings(found);
    window->x = NULL;
    window->rows_cap = 0;
    window->D0 = D0;
    if (D0 == 0 || rows <= SIZE_MAX / sizeof(double) / D0)
        window->x = pri_block_new(rows * D0, sizeof *window->x);
    found->score = pri_floats_new(rows);
    found->error = pri_floats_new(rows);
    found->gate = pri_floats_new(rows);
    found->p = pri_floats_new(rows);
    found->flagged = pri_block_new(rows, 1);
    if (window->x == NULL || found->score == NULL || found->error == NULL ||
        found->gate == NULL || found->p == NULL || found->flagged == NULL)
        return PRAE_ENOMEM;
    window->rows_cap = rows;
    return PRAE_OK;
}

prae_status
pri_window_row(struct window *window)
{
    if (window->rows < window->rows_cap)
        return PRAE_OK;
    /* The findings are of the next judgement: only vectors are kept. */
    double *kept = window->x;
    size_t rows = window->rows;
    window->x = NULL;
    window->rows_cap = 0;
    prae_status status = pri_window_reserve(window, 2 * rows + 1, window->D0);
    if (window->x != NULL && kept != NULL)
        memcpy(window->x, kept, rows * window->D0 * sizeof *kept);
    free(kept);
    return status;
}

prae_status
pri_window_reserve_reasons(struct window *window, size_t count)
{
    void *reasons = window->reason;
    prae_status status =
        grow(&reasons, &window->reason_cap, count, sizeof(struct reason));

    window->reason = reasons;
    return status;
}

struct reason *
pri_window_reason(struct window *window)
{
    void *reasons = window->reason;
    prae_status status = grow(&reasons, &window->reason_cap,
                              window->reason_count + 1, sizeof(struct reason));

    window->reason = reasons;
    if (status != PRAE_OK)
        return NULL;
    return &window->reason[window->reason_count++];
}
