/* Lines of one thread and the progress of another share standard error: each
 * line begins where nothing else is. */
#include "log.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "tap.h"

#define LINES 500
#define SECONDS 2.0 /* at most: on a busy machine threads take turns */
#define CLEARED "\r\033[K"

static atomic_int shown, spoken, over;

/* Line by line, each somewhere within the progress. */
static void *
speak(void *context)
{
    double began = clock_now();

    (void)context;
    while (spoken < LINES && clock_now() - began < SECONDS) {
        int before = shown;
        log_error("line %d", ++spoken);
        while (shown == before)
            sched_yield();
    }
    over = 1;
    return NULL;
}

/* Speaks on one thread and shows progress on this one, with standard error in
 * FILE. */
static int
run(FILE *file)
{
    pthread_t speaker;

    fflush(stderr);
    int kept = dup(STDERR_FILENO);
    if (kept < 0 || dup2(fileno(file), STDERR_FILENO) < 0 ||
        pthread_create(&speaker, NULL, speak, NULL) != 0)
        return 0;
    while (!over)
        log_progress("%d records", ++shown);
    pthread_join(speaker, NULL);
    log_progress_end();
    return dup2(kept, STDERR_FILENO) >= 0 && close(kept) == 0;
}

/* What LINE has before it is cleared for a log line, or the line is empty. */
static int
begins_well(const char *line)
{
    const char *text = strstr(line, "prae-filter: error: line ");
    size_t len = strlen(CLEARED);

    return text == line ||
           (text != NULL && (size_t)(text - line) >= len &&
            memcmp(text - len, CLEARED, len) == 0);
}

int
main(void)
{
    static char line[1 << 20];
    int count = 0, bad = 0;
    FILE *file = tmpfile();

    if (file == NULL)
        return tap_skip_all("no temporary file");
    ok(run(file), "two threads");
    rewind(file);
    while (fgets(line, sizeof line, file) != NULL) {
        int last = strchr(line, '\n') == NULL; /* progress, after them all */
        count += !last;
        bad += !last && !begins_well(line);
    }
    ok(count > 0 && count == spoken, "%d of %d lines are there", count, spoken);
    ok(bad == 0, "%d begin behind a progress line", bad);
    fclose(file);
    return tap_done();
}
