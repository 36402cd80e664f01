/* Bytes out to files and pipes: in order and whole, without ever waiting for
 * a pipe that is full; what went wrong is said once and stays, and which
 * records are out is known to the record. */
#define _XOPEN_SOURCE 700 /* for terminals of its own */

#include "outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "log.h"
#include "tap.h"

#define BUFFER                                                      \
    (256 * 1024)   /* what is gathered at most before it is clogged \
                    */
#define PIPE 65536 /* bytes a pipe takes */

static char scratch[] = "/tmp/prae-outfile.XXXXXX";

/* Whether TEXT was logged since this was asked last; NULL: nothing was. */
static int
told(const char *text)
{
    char messages[4096];
    int fd = open("messages", O_RDONLY);
    NEED(fd >= 0);
    ssize_t len = read(fd, messages, sizeof messages - 1);
    close(fd);
    NEED(len >= 0 && truncate("messages", 0) == 0);
    messages[len] = '\0';
    return text == NULL ? len == 0 : strstr(messages, text) != NULL;
}

static struct spec
spec_of(const char *path)
{
    return (struct spec){.text = path, .kind = SPEC_FILE};
}

/* Record NUMBER: eight bytes that say so. */
static void
put_number(struct outfile *out, unsigned number)
{
    char text[16];

    snprintf(text, sizeof text, "%07u\n", number);
    outfile_put(out, text, 8, 1);
}

/* Takes up to MOST bytes from FD, which must be the records that follow
 * *NEXT bytes. Returns how many, or -1 where they are not. */
static ssize_t
take(int fd, size_t most, size_t *next)
{
    static char bytes[1 << 20];
    char text[32];
    ssize_t got = read(fd, bytes, most < sizeof bytes ? most : sizeof bytes);

    for (ssize_t i = 0; i < got; i++, (*next)++) {
        if (i == 0 || *next % 8 == 0)
            snprintf(text, sizeof text, "%07zu\n", *next / 8);
        if (bytes[i] != text[*next % 8])
            return -1;
    }
    return got;
}

/* ---- pipes ---- */

static int
open_fifo(struct outfile *out, const struct spec *spec)
{
    NEED(mkfifo("fifo", 0600) == 0);
    int reader = open("fifo", O_RDONLY | O_NONBLOCK);
    NEED(reader >= 0);
    NEED(outfile_open(out, spec) == EXIT_DONE);
    return reader;
}

static void
test_full(void)
{
    struct spec spec = spec_of("fifo");
    struct outfile out;
    size_t next = 0, uneven = 0;
    unsigned number = 0;
    ssize_t got = 0;
    int reader = open_fifo(&out, &spec);

    ok((fcntl(out.fd, F_GETFL) & O_NONBLOCK) && !outfile_is_clogged(&out),
       "a pipe is not waited for");
    put_number(&out, number++);
    ok(take(reader, 99, &next) < 0 && errno == EAGAIN &&
           outfile_records(&out) == 1,
       "a record is gathered first");
    outfile_flush(&out);
    ok(take(reader, 99, &next) == 8 && outfile_records(&out) == 0 &&
           out.len == 0,
       "and written when it is flushed");
    while (!outfile_is_clogged(&out) && number < 1000000) {
        while (!outfile_is_clogged(&out))
            put_number(&out, number++);
        outfile_flush(&out);
    }
    size_t left = out.len - out.at;
    ok(outfile_is_clogged(&out) && out.failed == EXIT_DONE && left >= BUFFER &&
           left < BUFFER + PIPE && outfile_records(&out) > 0,
       "a pipe that is full clogs it (%zu bytes)", left);
    outfile_flush(&out);
    ok(out.len - out.at == left, "flushing does not wait, nor change that");
    /* Whoever does not heed it loses nothing. */
    for (int i = 0; i < 2000; i++)
        put_number(&out, number++);
    ok(out.len - out.at == left + 8 * 2000, "what still comes is kept");
    while ((got = take(reader, 30011, &next)) > 0) {
        outfile_flush(&out);
        /* The first of them may be out in part, which is not out. */
        uneven += outfile_records(&out) != (outfile_left(&out) + 7) / 8;
    }
    ok(got < 0 && errno == EAGAIN && next == 8 * (size_t)number,
       "all %u come out, in order", number);
    ok(outfile_records(&out) == 0 && out.len == 0 && uneven == 0,
       "and the records left are counted");
    ok(!outfile_is_clogged(&out) && outfile_close(&out) == EXIT_DONE,
       "in the end nothing is left");
    close(reader);
    unlink("fifo");
}

/* A record larger than all buffers. */
static void
test_large(void)
{
    struct spec spec = spec_of("fifo");
    size_t len = 3 * BUFFER, got = 0, wrong = 0;
    char *bytes = malloc(len);
    struct outfile out;
    int reader = open_fifo(&out, &spec);

    NEED(bytes != NULL);
    for (size_t i = 0; i < len; i++)
        bytes[i] = (char)(i * 131 >> 3);
    outfile_put(&out, "begin", 5, 0);
    outfile_put(&out, bytes, len, 1);
    ok(outfile_is_clogged(&out) && outfile_records(&out) == 1,
       "a record larger than the buffer is taken whole");
    for (;;) {
        static char some[70000];
        outfile_flush(&out);
        ssize_t more = read(reader, some, sizeof some);
        if (more <= 0)
            break;
        for (ssize_t i = 0; i < more; i++, got++)
            wrong += some[i] != (got < 5 ? "begin"[got] : bytes[got - 5]);
    }
    ok(got == len + 5 && wrong == 0, "and comes out whole");
    ok(outfile_close(&out) == EXIT_DONE && out.bytes == NULL, "then closed");
    close(reader);
    unlink("fifo");
    free(bytes);
}

/* Lends the records from FROM up to TO, as they stand in BYTES, in runs of
 * RUN. */
static void
lend_numbers(struct outfile *out, const char *bytes, unsigned from, unsigned to,
             unsigned run)
{
    for (unsigned i = from; i < to; i += run) {
        unsigned count = to - i < run ? to - i : run;
        outfile_lend(out, bytes + 8 * (size_t)i, 8 * (size_t)count, count);
    }
}

/* Bytes that are lent are written from where they lie, in their turn, and
 * are not touched any more once they are given back. */
static void
test_lent(void)
{
    enum { MANY = 100000, HALF = 50000 };
    static char bytes[8 * MANY + 1];
    struct spec spec = spec_of("fifo");
    struct outfile out;
    size_t next = 0;
    ssize_t got = 0;

    for (unsigned i = 0; i < MANY; i++)
        snprintf(bytes + 8 * (size_t)i, 9, "%07u\n", i);
    int reader = open_fifo(&out, &spec);
    lend_numbers(&out, bytes, 0, 3, 1);
    ok(take(reader, 99, &next) < 0 && errno == EAGAIN &&
           outfile_records(&out) == 3 && out.len == 0 && outfile_left(&out) == 24,
       "little that is lent is neither written nor copied");
    outfile_settle(&out);
    ok(out.len == 24 && out.lent_count == 0 && outfile_records(&out) == 3,
       "and copied when it is to be given back");
    lend_numbers(&out, bytes, 3, HALF, 1000);
    ok(outfile_is_clogged(&out) && out.len - out.at < 24 + 1 &&
           outfile_left(&out) < 8 * HALF && outfile_records(&out) > 0,
       "a pipe that is full clogs it, and nothing is copied");
    while (outfile_left(&out) > 8 * 1000 &&
           (got = take(reader, 30011, &next)) > 0)
        outfile_flush(&out);
    ok(got > 0 && !outfile_is_clogged(&out) && out.lent_count == 1,
       "it goes on from there as the pipe is read");
    outfile_settle(&out);
    memset(bytes, 0, 8 * HALF);
    lend_numbers(&out, bytes, HALF, HALF + 2 * LENT_MAX, 1);
    put_number(&out, HALF + 2 * LENT_MAX);
    lend_numbers(&out, bytes, HALF + 2 * LENT_MAX + 1, MANY, MANY);
    outfile_settle(&out);
    memset(bytes, 0, sizeof bytes);
    while ((got = take(reader, 30011, &next)) > 0)
        outfile_flush(&out);
    ok(got < 0 && errno == EAGAIN && next == 8 * (size_t)MANY,
       "all come out in order, what was put between them, too");
    ok(outfile_records(&out) == 0 && outfile_left(&out) == 0 &&
           outfile_close(&out) == EXIT_DONE,
       "and nothing is left");
    close(reader);
    unlink("fifo");
}

/* ---- counting ---- */

/* A run of records, and where each of them ends. */
struct run {
    prae_params params;
    char *bytes;
    size_t len;
    size_t end[200];
    unsigned count;
};

/* Of FORMAT, every third long, with what could be taken for an end in it. */
static void
make_run(struct run *run, prae_format format)
{
    const char *csv[] = {"1,plain\n", "2,\"two\nlines\"\n", "3,crlf\r\n"};
    const char *jsonl[] = {"{\"a\":1}\n", "{\"a\":\"x\\ny\"}\r\n", "{}\n"};
    const char *msgpack[] = {"\x81\xa1"
                             "a\x01",
                             "\x81\xa1"
                             "b\xa2\x0a\x81",
                             "\x81\xa1"
                             "c\xc3"};
    const char **texts = format == PRAE_FORMAT_CSV     ? csv
                         : format == PRAE_FORMAT_JSONL ? jsonl
                                                       : msgpack;

    *run = (struct run){.bytes = malloc((size_t)4 << 20)};
    NEED(run->bytes != NULL);
    prae_params_init(&run->params);
    run->params.format = format;
    for (; run->count < 200; run->count++) {
        char *to = run->bytes + run->len;
        size_t size = 10 + 150 * run->count;
        if (run->count % 3 != 2) {
            strcpy(to, texts[run->count / 3 % 3]);
            run->len += strlen(to);
        } else if (format == PRAE_FORMAT_MSGPACK) {
            run->len += (size_t)sprintf(to, "\x81\xa1"
                                            "d\xda%c",
                                        (int)(size >> 8));
            run->bytes[run->len++] = (char)size;
            memset(run->bytes + run->len, '\x80', size);
            run->len += size;
        } else {
            run->len += (size_t)sprintf(to,
                                        format == PRAE_FORMAT_CSV
                                            ? "4,%0*d\n"
                                            : "{\"a\":\"%0*d\"}\n",
                                        (int)size, 0);
        }
        run->end[run->count] = run->len;
    }
}

/* Records of RUN that are not out when OUT bytes are. */
static unsigned
left_of(const struct run *run, size_t out)
{
    unsigned left = run->count;

    while (left > 0 && run->end[run->count - left] <= out)
        left--;
    return left;
}

/* RUN as one through a pipe, in small steps; it is given back after some. */
static void
test_counted(prae_format format, const char *name)
{
    struct spec spec = spec_of("fifo");
    size_t got = 0, wrong = 0, steps = 0;
    struct outfile out;
    struct run run;

    make_run(&run, format);
    int reader = open_fifo(&out, &spec);
    out.params = &run.params;
    outfile_put(&out, "head\n", 5, 0);
    outfile_lend(&out, run.bytes, run.len, run.count);
    for (;; steps++) {
        char some[1021];
        outfile_flush(&out);
        size_t put = 5 + run.len - outfile_left(&out);
        wrong += outfile_records(&out) != left_of(&run, put < 5 ? 0 : put - 5);
        ssize_t more = read(reader, some, sizeof some);
        if (more <= 0)
            break;
        for (ssize_t i = 0; i < more; i++, got++)
            wrong += some[i] != (got < 5 ? "head\n"[got] : run.bytes[got - 5]);
        if (steps == 50)
            outfile_settle(&out);
    }
    ok(got == 5 + run.len && wrong == 0 && steps > 500,
       "%s: which of a run are out is known at each step (%zu wrong)", name,
       wrong);
    ok(outfile_records(&out) == 0 && outfile_close(&out) == EXIT_DONE,
       "%s: and in the end all are", name);
    close(reader);
    unlink("fifo");
    free(run.bytes);
}

/* What is behind a run that is out in part is put where there is no room. */
static void
test_counted_behind(void)
{
    struct spec spec = spec_of("fifo");
    struct outfile out;
    struct run run;
    char some[9000];

    make_run(&run, PRAE_FORMAT_CSV);
    int reader = open_fifo(&out, &spec);
    out.params = &run.params;
    outfile_put(&out, run.bytes, run.len, run.count);
    outfile_flush(&out);
    NEED(read(reader, some, sizeof some) == sizeof some);
    outfile_flush(&out);
    size_t put = run.len - outfile_left(&out);
    for (unsigned i = 0; i < BUFFER / 8; i++)
        put_number(&out, i);
    ok(put > PIPE && put < run.len &&
           outfile_left(&out) == run.len - put + BUFFER &&
           outfile_records(&out) == left_of(&run, put) + BUFFER / 8,
       "a run that is out in part is known to be, whatever comes behind it");
    out.params = NULL;
    ok(outfile_records(&out) == run.count + BUFFER / 8,
       "without a way to tell, nothing is claimed of it");
    close(reader);
    (void)outfile_close(&out);
    unlink("fifo");
    free(run.bytes);
}

/* A disk that has room for ROOM bytes of 100 records, given one by one. */
static uint64_t
left_on_disk(rlim_t room)
{
    struct spec spec = spec_of("full");
    struct rlimit before, little;
    struct outfile out;

    NEED(getrlimit(RLIMIT_FSIZE, &before) == 0);
    little = before;
    little.rlim_cur = room;
    signal(SIGXFSZ, SIG_IGN);
    NEED(outfile_open(&out, &spec) == EXIT_DONE);
    for (unsigned i = 0; i < 100; i++)
        put_number(&out, i);
    NEED(setrlimit(RLIMIT_FSIZE, &little) == 0);
    outfile_flush(&out);
    NEED(setrlimit(RLIMIT_FSIZE, &before) == 0);
    NEED(out.failed == EXIT_IO && told("cannot write full: "));
    (void)outfile_close(&out);
    unlink("full");
    return outfile_records(&out);
}

static void
test_last_byte(void)
{
    ok(left_on_disk(8 * 40 - 1) == 61 && left_on_disk(8 * 40) == 60 &&
           left_on_disk(8 * 40 + 1) == 60,
       "a record is out when its last byte is");
}

/* A disk that has room for a part of a run. */
static void
test_counted_full(void)
{
    struct spec spec = spec_of("full");
    struct rlimit before, little;
    struct outfile out;
    struct run run;

    make_run(&run, PRAE_FORMAT_JSONL);
    NEED(getrlimit(RLIMIT_FSIZE, &before) == 0);
    little = before;
    little.rlim_cur = run.end[120] + 7;
    signal(SIGXFSZ, SIG_IGN);
    NEED(outfile_open(&out, &spec) == EXIT_DONE);
    out.params = &run.params;
    NEED(setrlimit(RLIMIT_FSIZE, &little) == 0);
    outfile_lend(&out, run.bytes, run.len, run.count);
    outfile_flush(&out);
    NEED(setrlimit(RLIMIT_FSIZE, &before) == 0);
    ok(out.failed == EXIT_IO && told("cannot write full: ") &&
           outfile_records(&out) == run.count - 121,
       "a disk that is full within a run has what is out of it");
    outfile_settle(&out);
    memset(run.bytes, 0, run.len);
    outfile_put(&out, "more\n", 5, 1);
    ok(outfile_records(&out) == run.count - 120,
       "also when the run is given back");
    ok(outfile_close(&out) == EXIT_IO &&
           outfile_records(&out) == run.count - 120,
       "and it is closed");
    unlink("full");
    free(run.bytes);
}

/* What is left at the end is told, and must not leave after that. */
static void
test_end(void)
{
    struct spec spec = spec_of("fifo");
    struct outfile out;
    size_t next = 0;
    unsigned number = 0;
    int reader = open_fifo(&out, &spec);

    put_number(&out, number++);
    outfile_end(&out);
    ok(take(reader, 99, &next) == 8 && outfile_records(&out) == 0,
       "at the end what was gathered leaves");
    out.is_over = 0;
    while (!outfile_is_clogged(&out))
        put_number(&out, number++);
    outfile_end(&out);
    uint64_t left = outfile_records(&out);
    while (take(reader, PIPE, &next) > 0)
        continue;
    ok(left > 0 && outfile_close(&out) == EXIT_DONE &&
           take(reader, PIPE, &next) == 0 &&
           next / 8 + left == number && outfile_records(&out) == left,
       "and what a pipe has no room for stays, though there be some later");
    close(reader);
    unlink("fifo");
}

/* ---- gone and shared ---- */

static void
test_broken_pipe(void)
{
    struct spec spec = spec_of("fifo");
    struct outfile out;
    int reader = open_fifo(&out, &spec);

    close(reader);
    put_number(&out, 0);
    outfile_flush(&out);
    ok(out.failed == EXIT_IO && out.broken_pipe && told(NULL),
       "nobody reads: noted, and no noise about it");
    size_t before = out.len;
    put_number(&out, 1);
    ok(out.len == before && !outfile_is_clogged(&out),
       "what comes then is dropped, and nobody waits for it");
    ok(outfile_close(&out) == EXIT_IO, "its last word is the error");
    unlink("fifo");
}

/* Standard output may be somebody else's, too: that pipe goes on waiting. */
static void
test_stdout(void)
{
    struct spec spec = {.text = "-", .kind = SPEC_STDIO};
    struct outfile out;
    size_t next = 0;
    int ends[2], mine = dup(STDOUT_FILENO);

    fflush(stdout);
    NEED(mine >= 0 && pipe(ends) == 0 && dup2(ends[1], STDOUT_FILENO) == 1);
    enum exit_status opened = outfile_open(&out, &spec);
    for (unsigned i = 0; i < 3 * PIPE / 8; i++)
        put_number(&out, i);
    outfile_flush(&out); /* would wait for ever */
    int shared = (fcntl(ends[1], F_GETFL) & O_NONBLOCK) == 0;
    enum exit_status emptied = outfile_empty(&out);
    ssize_t got = take(ends[0], PIPE, &next);
    enum exit_status closed = outfile_close(&out);
    int still = fcntl(STDOUT_FILENO, F_GETFD) >= 0;
    NEED(dup2(mine, STDOUT_FILENO) == 1);
    ok(opened == EXIT_DONE && emptied == EXIT_DONE && closed == EXIT_DONE &&
           got > 0,
       "standard output, a pipe, is not waited for");
    ok(shared && still, "and is as it was for everybody else");
    close(mine);
    close(ends[0]);
    close(ends[1]);
}

/* Standard output is END, and cannot be opened once more, as a pipe of
 * somebody else's; nobody reads READER before it is full. */
static void
test_not_ours(int reader, int end, const char *name)
{
    struct spec spec = {.text = "-", .kind = SPEC_STDIO};
    struct rlimit before, none;
    struct outfile out;
    size_t next = 0, wrong = 0;
    int mine = dup(STDOUT_FILENO), first_free = dup(0);
    unsigned count = 3 * PIPE / 8;

    fflush(stdout);
    NEED(mine >= 0 && first_free >= 0 && close(first_free) == 0 &&
         dup2(end, STDOUT_FILENO) == 1 &&
         getrlimit(RLIMIT_NOFILE, &before) == 0);
    none = before;
    none.rlim_cur = (rlim_t)first_free;
    NEED(setrlimit(RLIMIT_NOFILE, &none) == 0);
    enum exit_status opened = outfile_open(&out, &spec);
    NEED(setrlimit(RLIMIT_NOFILE, &before) == 0);
    int waits = (fcntl(out.fd, F_GETFL) & O_NONBLOCK) == 0;
    for (unsigned i = 0; i < count; i++)
        put_number(&out, i);
    outfile_flush(&out); /* would wait for ever */
    size_t stuck = outfile_left(&out);
    NEED(fcntl(reader, F_SETFL, O_NONBLOCK) == 0);
    while (next < 8 * (size_t)count && wrong < 1000) {
        ssize_t got = take(reader, 30011, &next);
        wrong += got == 0 || (got < 0 && errno != EAGAIN) ? 1000 : got < 0;
        outfile_flush(&out);
        wrong += outfile_records(&out) != (outfile_left(&out) + 7) / 8;
    }
    enum exit_status closed = outfile_close(&out);
    NEED(dup2(mine, STDOUT_FILENO) == 1);
    ok(opened == EXIT_DONE && waits && out.gulp > 0 && stuck > 0 &&
           stuck < 8 * (size_t)count,
       "%s that cannot be opened once more is not waited for (%zu left)", name,
       stuck);
    ok(closed == EXIT_DONE && next == 8 * (size_t)count && wrong < 1000,
       "%s: and all comes out as it is read", name);
    close(mine);
}

static void
test_shared(void)
{
    struct termios plain;
    int ends[2], reader = posix_openpt(O_RDWR | O_NOCTTY);

    NEED(pipe(ends) == 0);
    test_not_ours(ends[0], ends[1], "a pipe");
    close(ends[0]);
    close(ends[1]);
    if (reader < 0 || grantpt(reader) != 0 || unlockpt(reader) != 0)
        return;
    int terminal = open(ptsname(reader), O_RDWR | O_NOCTTY);
    NEED(terminal >= 0 && tcgetattr(terminal, &plain) == 0);
    plain.c_oflag &= ~(tcflag_t)OPOST;
    NEED(tcsetattr(terminal, TCSANOW, &plain) == 0);
    test_not_ours(reader, terminal, "a terminal");
    close(terminal);
    close(reader);
}

/* A terminal that nobody reads. */
static void
test_terminal(void)
{
    int reader = posix_openpt(O_RDWR | O_NOCTTY);
    struct outfile out;

    if (reader < 0 || grantpt(reader) != 0 || unlockpt(reader) != 0)
        return;
    struct spec spec = spec_of(ptsname(reader));
    NEED(outfile_open(&out, &spec) == EXIT_DONE);
    for (unsigned i = 0; i < 3 * PIPE / 8; i++)
        put_number(&out, i);
    outfile_flush(&out); /* would wait for ever */
    ok(outfile_left(&out) > 0 && out.failed == EXIT_DONE && out.gulp == 0,
       "a terminal is not waited for");
    (void)outfile_close(&out);
    close(reader);
}

/* ---- files ---- */

static off_t
size_of(const char *path)
{
    struct stat stat_of;

    return stat(path, &stat_of) == 0 ? stat_of.st_size : -1;
}

static void
test_file(void)
{
    struct spec spec = spec_of("file");
    struct outfile out;
    size_t next = 0;

    int fd = open("file", O_WRONLY | O_CREAT, 0600);
    NEED(fd >= 0 && write(fd, "old content", 11) == 11);
    close(fd);
    ok(outfile_open(&out, &spec) == EXIT_DONE && size_of("file") == 11,
       "a file is opened and left as it is");
    ok(outfile_empty(&out) == EXIT_DONE && size_of("file") == 0,
       "until it is to be emptied");
    for (unsigned i = 0; i < 100000; i++)
        put_number(&out, i);
    ok(size_of("file") > 0 && size_of("file") < 800000 &&
           !outfile_is_clogged(&out),
       "it is written in large pieces");
    ok(outfile_close(&out) == EXIT_DONE && size_of("file") == 800000,
       "closing writes what is left");
    fd = open("file", O_RDONLY);
    NEED(fd >= 0);
    ok(take(fd, 1 << 20, &next) == 800000, "and all is there, in order");
    close(fd);
}

static void
test_failures(void)
{
    struct spec missing = spec_of("no/such/file"), full = spec_of("/dev/full");
    struct outfile out;

    ok(outfile_open(&out, &missing) == EXIT_IO &&
           told("cannot open no/such/file: No such file"),
       "what cannot be opened is named");
    ok(outfile_close(&out) == EXIT_IO && told(NULL), "once");
    if (access("/dev/full", W_OK) == 0 &&
        outfile_open(&out, &full) == EXIT_DONE) {
        put_number(&out, 1);
        outfile_flush(&out);
        ok(out.failed == EXIT_IO && !out.broken_pipe &&
               told("cannot write /dev/full: No space"),
           "a full disk is told");
        outfile_flush(&out);
        put_number(&out, 2);
        ok(outfile_close(&out) == EXIT_IO && told(NULL) &&
               outfile_records(&out) == 2,
           "once, and what was not written is still counted");
    }
}

int
main(void)
{
    NEED(mkdtemp(scratch) != NULL && chdir(scratch) == 0);
    NEED(log_open("messages", -1));
    signal(SIGPIPE, SIG_IGN);
    alarm(60); /* a write that waits would wait for ever */
    test_full();
    test_large();
    test_lent();
    test_counted(PRAE_FORMAT_CSV, "csv");
    test_counted(PRAE_FORMAT_JSONL, "jsonl");
    test_counted(PRAE_FORMAT_MSGPACK, "msgpack");
    test_last_byte();
    test_counted_behind();
    test_counted_full();
    test_end();
    test_broken_pipe();
    test_stdout();
    test_shared();
    test_terminal();
    test_file();
    test_failures();
    NEED(unlink("messages") == 0 && unlink("file") == 0 && chdir("/") == 0 &&
         rmdir(scratch) == 0);
    return tap_done();
}
