/* topics.c - a sum that is too high, until it is counted once more. */
#include "topics.h"

#include <fcntl.h>

#define UNREAD_TIMES 4 /* all that may be subscribed to, and it waits */

static uint64_t sum;            /* bytes of all lines, or more */
static int end;                 /* behind the last line that had some */
static _Atomic uint64_t unread; /* that came since all were read */

int
topics_grow(struct line *line, int descriptor, uint64_t limit_bytes)
{
    uint64_t more = line->intake.all - atomic_load(&line->topics);

    end = descriptor < end ? end : descriptor + 1;
    atomic_fetch_add(&line->topics, more);
    sum += more;
    return more == 0 ||
           atomic_fetch_add(&unread, more) <= UNREAD_TIMES * limit_bytes;
}

int
topics_beyond(uint64_t limit_bytes)
{
    uint64_t most = 0;
    int who = -1;

    if (sum <= limit_bytes)
        return -1;
    sum = 0;
    for (int i = 0; i < end; i++) {
        struct line *line = line_of(i, USE_PEER);
        uint64_t some = line == NULL ? 0 : atomic_load(&line->topics);
        if (some == 0 || fcntl(i, F_GETFD) < 0)
            continue; /* it has gone */
        sum += some;
        who = some > most ? i : who;
        most = some > most ? some : most;
    }
    return sum > limit_bytes ? who : -1;
}

void
topics_read(void)
{
    atomic_store(&unread, 0);
}
