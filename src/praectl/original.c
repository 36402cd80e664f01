/* original.c - the bytes of records, without what was written around them. */
#include "original.h"

#include <stdio.h>
#include <unistd.h>

#include "fds.h"
#include "log.h"

enum exit_status
original_check(const char *command, const struct quarantine *quarantine)
{
    if (quarantine->format != PRAE_FORMAT_MSGPACK || !isatty(STDOUT_FILENO))
        return EXIT_DONE;
    log_error("%s: not writing MessagePack to a terminal; redirect the output",
              command);
    return EXIT_USAGE;
}

static void
begin(struct original *original, const struct quarantine *quarantine)
{
    if (!original->begun && quarantine->header != NULL)
        fwrite(quarantine->header, 1, quarantine->header_len, stdout);
    original->begun = 1;
}

enum exit_status
original_put(struct original *original, const struct quarantine *quarantine,
             const struct flagged *record)
{
    begin(original, quarantine);
    if (!record->is_whole) {
        original->partial++;
        return EXIT_DONE;
    }
    /* An empty message was refused, and had no line to end. */
    if (record->original.len > 0) {
        fwrite(record->original.text, 1, record->original.len, stdout);
        fwrite(record->end.text, 1, record->end.len, stdout);
    }
    original->given++;
    return ferror(stdout) ? fds_check_stdout() : EXIT_DONE;
}

enum exit_status
original_end(struct original *original, const struct quarantine *quarantine)
{
    begin(original, quarantine);
    enum exit_status status = fds_check_stdout();
    if (status != EXIT_DONE || original->partial == 0)
        return status;
    log_error("%s: %llu records are left out: they were too long when they "
              "came, and their bytes are not whole; "
              "--where='code!=length,code!=parts' does without them",
              quarantine->name, (unsigned long long)original->partial);
    return EXIT_DATA;
}
