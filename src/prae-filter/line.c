/* line.c - a table, by the descriptors' numbers. */
#include "line.h"

static struct line lines[LINES_MAX];
static atomic_int end; /* behind the last that was begun */

struct line *
line_of(int descriptor, enum use use)
{
    if (descriptor < 0 || descriptor >= LINES_MAX)
        return NULL;
    struct line *line = &lines[descriptor];
    return atomic_load_explicit(&line->use, memory_order_acquire) == use ? line
                                                                         : NULL;
}

enum intake_role
line_role(const struct line *line)
{
    return (enum intake_role)atomic_load_explicit(&line->role,
                                                  memory_order_relaxed);
}

const char *
line_name(const struct line *line)
{
    return atomic_load_explicit(&line->name, memory_order_relaxed);
}

int
line_end(void)
{
#ifdef LINES_ARE_KNOWN
    return atomic_load_explicit(&end, memory_order_relaxed);
#else
    return LINES_MAX;
#endif
}

int
line_is_input(int descriptor)
{
#ifdef LINES_ARE_KNOWN
    const struct line *line = line_of(descriptor, USE_PEER);

    return line != NULL && line_role(line) == INTAKE_INPUT &&
           !atomic_load(&line->is_cut);
#else
    (void)descriptor;
    return 1;
#endif
}

void
line_begin(int descriptor, enum use use, enum intake_role role,
           const char *name)
{
    if (descriptor < 0 || descriptor >= LINES_MAX)
        return;
    struct line *line = &lines[descriptor];
    int before = atomic_load_explicit(&end, memory_order_relaxed);
    while (descriptor >= before &&
           !atomic_compare_exchange_weak(&end, &before, descriptor + 1))
        continue;
    if (use == USE_PEER) {
        line->intake = (struct intake){0};
        line->flow = (struct outflow){0};
        line->owes = 0;
        atomic_store_explicit(&line->is_cut, 0, memory_order_relaxed);
        atomic_store_explicit(&line->reads, 0, memory_order_relaxed);
        atomic_store_explicit(&line->ignored, 0, memory_order_relaxed);
        atomic_store_explicit(&line->held_at, 0.0, memory_order_relaxed);
        atomic_store_explicit(&line->heard_at, 0.0, memory_order_relaxed);
        atomic_store_explicit(&line->shorts, 0, memory_order_relaxed);
        atomic_store_explicit(&line->records, 0, memory_order_relaxed);
        atomic_store_explicit(&line->rest, 0, memory_order_relaxed);
        atomic_store_explicit(&line->sent, 0, memory_order_relaxed);
    }
    atomic_fetch_add_explicit(&line->number, 1, memory_order_relaxed);
    atomic_store_explicit(&line->topics, 0, memory_order_relaxed);
    atomic_store_explicit(&line->role, (unsigned char)role,
                          memory_order_relaxed);
    atomic_store_explicit(&line->name, name, memory_order_relaxed);
    atomic_store_explicit(&line->use, (unsigned char)use, memory_order_release);
}
