/* quarantine.c - records out of one buffer: read behind the rest, take from
 * the front. */
#include "quarantine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"

typedef unsigned long long ull;

#define FIRST_BYTES ((size_t)64 * 1024)

/* ---- bytes ---- */

static enum exit_status
make_room(struct quarantine *quarantine, size_t cap)
{
    char *buffer = malloc(cap), *scratch = malloc(cap);

    if (buffer == NULL || scratch == NULL) {
        free(buffer);
        free(scratch);
        log_error("%s: out of memory for a record of more than %zu bytes",
                  quarantine->name, quarantine->cap);
        return EXIT_FAILED;
    }
    if (quarantine->len > 0)
        memcpy(buffer, quarantine->buffer + quarantine->from, quarantine->len);
    free(quarantine->buffer);
    free(quarantine->scratch);
    quarantine->buffer = buffer;
    quarantine->scratch = scratch;
    quarantine->cap = cap;
    quarantine->from = 0;
    return EXIT_DONE;
}

/* Reads what comes at once; nothing at the file's end, or where a signal came
 * first. */
static enum exit_status
read_some(struct quarantine *quarantine)
{
    enum exit_status status = EXIT_DONE;

    if (quarantine->len == quarantine->cap)
        status =
            make_room(quarantine,
                      quarantine->cap == 0 ? FIRST_BYTES : 2 * quarantine->cap);
    if (status != EXIT_DONE)
        return status;
    if (quarantine->from > 0)
        memmove(quarantine->buffer, quarantine->buffer + quarantine->from,
                quarantine->len);
    quarantine->from = 0;
    ssize_t got = read(quarantine->fd, quarantine->buffer + quarantine->len,
                       quarantine->cap - quarantine->len);
    if (got < 0 && errno == EINTR)
        return EXIT_DONE;
    if (got < 0) {
        log_error("cannot read %s: %s", quarantine->name, strerror(errno));
        return EXIT_IO;
    }
    quarantine->at_end = got == 0;
    quarantine->len += (size_t)got;
    return EXIT_DONE;
}

/* Forgets the first COUNT bytes that are left. */
static void
take(struct quarantine *quarantine, size_t count)
{
    quarantine->from += count;
    quarantine->len -= count;
    quarantine->at += count;
    quarantine->enough = 0;
    quarantine->record.start = quarantine->record.size = 0;
}

/* ---- the beginning ---- */

static const char mark[] = {'\xef', '\xbb', '\xbf'};

/* The format by the bytes at AT of those that are left. A map's head is no
 * text: a letter's second byte would be thousands of keys. Of text only JSON
 * begins with a brace. */
static void
guess_format(struct quarantine *quarantine, size_t at)
{
    const char *bytes = quarantine->buffer + quarantine->from + at;
    unsigned char first = (unsigned char)bytes[0];
    int is_letter = first >= 0xc2 && first <= 0xf4 &&
                    quarantine->len > at + 1 && (bytes[1] & 0xc0) == 0x80;

    quarantine->format = first == '{'                  ? PRAE_FORMAT_JSONL
                         : first >= 0x80 && !is_letter ? PRAE_FORMAT_MSGPACK
                                                       : PRAE_FORMAT_CSV;
    quarantine->has_format = 1;
}

/* Whether the file begins with a byte order mark, or with LEN bytes of one,
 * and nothing of it is taken. */
static int
is_marked(const struct quarantine *quarantine, size_t len)
{
    return quarantine->at == 0 && quarantine->len >= len &&
           memcmp(quarantine->buffer + quarantine->from, mark, len) == 0;
}

/* At the file's beginning: a byte order mark is passed over, as editors leave
 * one, but for CSV, where the first row may have had it. 0 where more bytes
 * are needed to tell. */
static int
begin(struct quarantine *quarantine)
{
    const size_t len =
        quarantine->len < sizeof mark ? quarantine->len : sizeof mark;
    int text =
        !quarantine->has_format || quarantine->format != PRAE_FORMAT_MSGPACK;
    int marked = text && is_marked(quarantine, len);

    if (marked && !quarantine->at_end && len < sizeof mark)
        return 0;
    marked = marked && len == sizeof mark;
    if (!quarantine->has_format) {
        size_t first = marked ? sizeof mark : 0;
        if (quarantine->len == first ||
            (quarantine->len == first + 1 && !quarantine->at_end))
            return 0; /* the mark has come alone, or half a letter */
        guess_format(quarantine, first);
    }
    if (marked && quarantine->format != PRAE_FORMAT_CSV)
        take(quarantine, sizeof mark);
    return 1;
}

/* ---- records ---- */

static enum exit_status
complain(const struct quarantine *quarantine, const struct flagged_fault *fault)
{
    log_error("%s: record %llu is bad, at byte %llu of the file: %s; %s",
              quarantine->name, (ull)quarantine->number + 1,
              (ull)quarantine->at + fault->at, fault->what,
              quarantine->number == 0
                  ? "is this what prae-filter --outliers or --rejects wrote, "
                    "and is --format right?"
                  : "those before it are good; take it out to go on");
    return EXIT_DATA;
}

static enum exit_status
complain_of_end(const struct quarantine *quarantine)
{
    log_error("%s: the file ends within record %llu, which begins at byte "
              "%llu; it was cut short there, those before it are good",
              quarantine->name, (ull)quarantine->number + 1,
              (ull)quarantine->at);
    return EXIT_DATA;
}

/* Of the record that begins the bytes that are left. */
static enum exit_status
complain_of_length(const struct quarantine *quarantine)
{
    log_error("%s: record %llu, which begins at byte %llu, has or claims more "
              "than %zu bytes; --max-record lets it be longer",
              quarantine->name, (ull)quarantine->number + 1,
              (ull)quarantine->at, quarantine->record_max);
    return EXIT_DATA;
}

/* Keeps the CSV's header. It may come again, where files were joined. */
static enum exit_status
take_header(struct quarantine *quarantine)
{
    const struct flagged *row = &quarantine->record;
    size_t len = row->original.len + row->end.len;
    char *header = malloc(len + 1);

    if (header == NULL) {
        log_error("%s: out of memory for a header", quarantine->name);
        return EXIT_FAILED;
    }
    memcpy(header, row->original.text, row->original.len);
    memcpy(header + row->original.len, row->end.text, row->end.len);
    int first = quarantine->header == NULL && quarantine->number == 0;
    int same = quarantine->header != NULL && len == quarantine->header_len &&
               memcmp(header, quarantine->header, len) == 0;
    if (first) {
        quarantine->header = header;
        quarantine->header_len = len;
        return EXIT_DONE;
    }
    free(header);
    if (same)
        return EXIT_DONE;
    log_error("%s: another header, behind record %llu at byte %llu: these are "
              "two files, take them one by one",
              quarantine->name, (ull)quarantine->number,
              (ull)quarantine->at + row->start);
    return EXIT_DATA;
}

/* A record in what is left. */
static enum parse
look(struct quarantine *quarantine, struct flagged_fault *fault)
{
    struct flagged_input input = {quarantine->buffer + quarantine->from,
                                  quarantine->len, quarantine->at_end,
                                  quarantine->scratch};

    return flagged_parse(quarantine->format, &input, &quarantine->record,
                         fault);
}

/* The first row of a CSV, which begins with a mark. prae-filter begins with
 * none, so it is an editor's before a header, and else the row's own. */
static enum parse
look_at_marked(struct quarantine *quarantine, struct flagged_fault *fault)
{
    struct word *original = &quarantine->record.original;
    enum parse status = look(quarantine, fault);

    /* Nothing else may be there, and a quote opens behind a mark only where
     * that is no part of the cell. */
    if (status == PARSE_BAD ||
        (status == PARSE_MORE && quarantine->at_end)) {
        take(quarantine, sizeof mark);
        return look(quarantine, fault);
    }
    if (status == PARSE_OK && quarantine->record.is_header) {
        original->text += sizeof mark;
        original->len -= sizeof mark;
    }
    return status;
}

/* Tries for a record in what is there. */
static enum parse
parse(struct quarantine *quarantine, struct flagged_fault *fault)
{
    if (quarantine->len < quarantine->enough && !quarantine->at_end)
        return PARSE_MORE;
    if (quarantine->at == 0 && quarantine->len > 0 && !begin(quarantine))
        return quarantine->at_end ? PARSE_END : PARSE_MORE;
    if (!quarantine->has_format)
        return quarantine->at_end ? PARSE_END : PARSE_MORE;
    enum parse status = quarantine->format == PRAE_FORMAT_CSV &&
                                is_marked(quarantine, sizeof mark)
                            ? look_at_marked(quarantine, fault)
                            : look(quarantine, fault);
    /* Looking again at each few bytes of a long one would take for ever. But
     * before it is too long it has to be seen that it has not ended. */
    quarantine->enough = quarantine->len < FIRST_BYTES
                             ? 0
                             : quarantine->len + quarantine->len / 4;
    if (quarantine->enough > quarantine->record_max)
        quarantine->enough = quarantine->record_max + 1;
    return status;
}

enum exit_status
quarantine_next(struct quarantine *quarantine, const struct flagged **record)
{
    struct flagged *flagged = &quarantine->record;
    struct flagged_fault fault;
    enum exit_status status;

    /* The last record's words are in the buffer, so it goes only now. */
    take(quarantine,
         quarantine->number > 0 ? flagged->start + flagged->size : 0);
    for (;;) {
        switch (parse(quarantine, &fault)) {
        case PARSE_END: *record = NULL; return EXIT_DONE;
        case PARSE_BAD: return complain(quarantine, &fault);
        case PARSE_OK:
            if (flagged->size > quarantine->record_max) {
                take(quarantine, flagged->start);
                return complain_of_length(quarantine);
            }
            if (!flagged->is_header) {
                quarantine->number++;
                *record = flagged;
                return EXIT_DONE;
            }
            status = take_header(quarantine);
            if (status != EXIT_DONE)
                return status;
            take(quarantine, flagged->start + flagged->size);
            continue;
        case PARSE_MORE: break;
        }
        if (flagged->start > 0)
            take(quarantine, flagged->start); /* blank lines */
        if (quarantine->stop != NULL && *quarantine->stop) {
            *record = NULL;
            return EXIT_DONE;
        }
        if (quarantine->at_end)
            return complain_of_end(quarantine);
        if (quarantine->len > quarantine->record_max)
            return complain_of_length(quarantine);
        status = read_some(quarantine);
        if (status != EXIT_DONE)
            return status;
    }
}

/* ---- once more ---- */

struct place
quarantine_place(const struct quarantine *quarantine)
{
    const struct flagged *flagged = &quarantine->record;

    return (struct place){quarantine->at + flagged->start, flagged->size,
                          quarantine->number};
}

enum exit_status
quarantine_check_twice(const struct quarantine *quarantine, const char *option)
{
    struct stat stat;

    if (fstat(quarantine->fd, &stat) == 0 && S_ISREG(stat.st_mode) &&
        lseek(quarantine->fd, 0, SEEK_CUR) == 0)
        return EXIT_DONE;
    log_error("%s needs a file, as it is read twice, and %s cannot be; save "
              "it first",
              option, quarantine->name);
    return EXIT_USAGE;
}

enum exit_status
quarantine_again(struct quarantine *quarantine, struct place place,
                 const struct flagged **record)
{
    enum exit_status status = EXIT_DONE;
    struct flagged_fault fault;

    quarantine->len = quarantine->from = 0;
    if (place.len > quarantine->cap)
        status = make_room(quarantine, place.len);
    if (status != EXIT_DONE)
        return status;
    while (quarantine->len < place.len) {
        ssize_t got = pread(
            quarantine->fd, quarantine->buffer + quarantine->len,
            place.len - quarantine->len, (off_t)(place.at + quarantine->len));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        quarantine->len += (size_t)got;
    }
    struct flagged_input input = {quarantine->buffer, quarantine->len, 1,
                                  quarantine->scratch};
    if (quarantine->len < place.len ||
        flagged_parse(quarantine->format, &input, &quarantine->record,
                      &fault) != PARSE_OK) {
        log_error("%s: record %llu at byte %llu is not what it was a moment "
                  "ago; is somebody writing the file?",
                  quarantine->name, (ull)place.number, (ull)place.at);
        return EXIT_IO;
    }
    *record = &quarantine->record;
    return EXIT_DONE;
}
