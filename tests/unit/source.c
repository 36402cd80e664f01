/* Bytes in: what is not there yet is no error, and no end. */
#include "source.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "tap.h"

/* Somebody else reads from standard input, too, has made it not wait, and
 * takes what there was before we do. */
static void
test_taken(void)
{
    struct spec spec = {.text = "-", .kind = SPEC_STDIO};
    struct source source;
    int ends[2];

    NEED(pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO &&
         fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK) == 0);
    NEED(source_open(&source, &spec) == EXIT_DONE);
    ok(source_read(&source, 1000) == EXIT_DONE && source.hungry &&
           !source.at_end && source.len == 0,
       "what somebody else has taken is not there yet");
    NEED(write(ends[1], "bytes", 5) == 5);
    ok(source_is_ready(&source) && source_read(&source, 1000) == EXIT_DONE &&
           !source.hungry && source.len == 5 &&
           memcmp(source.bytes, "bytes", 5) == 0,
       "what comes then is read");
    source_take(&source, 5);
    close(ends[1]);
    ok(source_read(&source, 1000) == EXIT_DONE && source.at_end,
       "up to the end");
    source_close(&source);
    close(ends[0]);
}

int
main(void)
{
    log_set_level(LOG_ERROR);
    test_taken();
    return tap_done();
}
