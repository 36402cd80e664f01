/* A window keeps its records' bytes and vectors, and its memory. */
#include <string.h>

#include "tap.h"
#include "window.h"

static void
fill(struct window *window, size_t count)
{
    struct slot *slot;
    char text[300];

    for (size_t i = 0; i < count; i++) {
        memset(text, 'a' + (int)(i % 26), sizeof text);
        NEED(pri_window_add(window, text, i % sizeof text, &slot) == PRAE_OK);
        NEED(slot->row == PRI_WINDOW_NO_ROW && slot->parsed == 1 &&
             slot->why_count == 0 && slot->fault == 0);
    }
}

static int
holds(const struct window *window, size_t count)
{
    if (window->slot_count != count)
        return 0;
    for (size_t i = 0; i < count; i++) {
        const struct slot *slot = &window->slot[i];
        if (slot->len != i % 300)
            return 0;
        for (size_t k = 0; k < slot->len; k++)
            if (window->bytes[slot->at + k] != 'a' + (int)(i % 26))
                return 0;
    }
    return 1;
}

static void
test_bytes(void)
{
    struct window window;

    pri_window_init(&window);
    fill(&window, 1000);
    ok(holds(&window, 1000), "a thousand records are there, byte for byte");
    const char *bytes = window.bytes;
    const struct slot *slots = window.slot;
    pri_window_reset(&window, 1000);
    ok(window.slot_count == 0 && window.bytes_len == 0 && window.rows == 0 &&
           window.first_seq == 1000,
       "an emptied window is empty");
    fill(&window, 1000);
    ok(holds(&window, 1000) && window.bytes == bytes && window.slot == slots,
       "... and filled again needs no more memory");
    pri_window_fini(&window);
    ok(window.bytes == NULL && window.slot_cap == 0, "nothing is left of it");
    pri_window_fini(&window);
}

static void
test_vectors(void)
{
    struct window window;

    pri_window_init(&window);
    NEED(pri_window_reserve(&window, 10, 3) == PRAE_OK);
    for (size_t i = 0; i < 30; i++)
        window.x[i] = 1.0;
    for (size_t i = 0; i < 10; i++) {
        window.found.score[i] = window.found.error[i] = 1.0f;
        window.found.gate[i] = window.found.p[i] = 1.0f;
        window.found.flagged[i] = 1;
    }
    const double *x = window.x;
    ok(pri_window_reserve(&window, 10, 3) == PRAE_OK &&
           pri_window_reserve(&window, 5, 3) == PRAE_OK && window.x == x &&
           window.rows_cap == 10,
       "room that is there is kept");
    ok(pri_window_reserve(&window, 10, 4) == PRAE_OK && window.D0 == 4 &&
           window.rows_cap == 10,
       "wider vectors get room");
    ok(pri_window_reserve(&window, SIZE_MAX, 4) == PRAE_ENOMEM &&
           window.rows_cap == 0,
       "a size that cannot be is out of memory");
    ok(pri_window_reserve(&window, 3, 4) == PRAE_OK && window.rows_cap == 3,
       "... and not for ever");
    pri_window_fini(&window);
}

static void
test_rows(void)
{
    struct window window;
    int kept = 1;

    pri_window_init(&window);
    NEED(pri_window_reserve(&window, 4, 2) == PRAE_OK);
    for (size_t i = 0; i < 100; i++) {
        NEED(pri_window_row(&window) == PRAE_OK);
        NEED(window.rows_cap > window.rows);
        window.x[2 * i] = (double)i;
        window.x[2 * i + 1] = -(double)i;
        window.found.score[i] = (float)i;
        window.found.flagged[i] = 1;
        window.rows++;
    }
    for (size_t i = 0; i < 100; i++)
        kept &=
            window.x[2 * i] == (double)i && window.x[2 * i + 1] == -(double)i;
    ok(kept, "more rows than foreseen find room, those there are kept");
    pri_window_fini(&window);
}

static void
test_reasons(void)
{
    struct window window;
    int kept = 1;

    pri_window_init(&window);
    for (uint32_t i = 0; i < 500; i++) {
        struct reason *reason = pri_window_reason(&window);
        NEED(reason != NULL);
        *reason = (struct reason){.feature = i};
    }
    for (uint32_t i = 0; i < 500; i++)
        kept &= window.reason[i].feature == i;
    ok(kept && window.reason_count == 500, "reasons are kept in their order");
    const struct reason *reasons = window.reason;
    pri_window_reset(&window, 0);
    (void)pri_window_reason(&window);
    ok(window.reason_count == 1 && window.reason == reasons,
       "... and their memory is used again");
    pri_window_fini(&window);
}

int
main(void)
{
    test_bytes();
    test_vectors();
    test_rows();
    test_reasons();
    return tap_done();
}
