/* A filter takes bytes and gives verdicts: each record once, in order, the
 * same whatever the pieces. */
#include "rarity.h"
#include "records.h"

static const prae_format formats[] = {PRAE_FORMAT_MSGPACK, PRAE_FORMAT_JSONL,
                                      PRAE_FORMAT_CSV};
static const char *const format_names[] = {"msgpack", "jsonl", "csv"};

static void
put_input(prae_buffer *out, prae_format format)
{
    if (format == PRAE_FORMAT_CSV)
        put_line(out, "x,in.y,in.z\r\n");
    put_records(out, format, 0, RECORDS);
}

static void
test_pieces(size_t f)
{
    static const size_t steps[] = {SIZE_MAX, 1, 7, 1000};
    prae_params params = params_of(formats[f], WINDOW);
    prae_buffer in = {0}, first = {0};

    put_input(&in, formats[f]);
    for (size_t s = 0; s < COUNT(steps); s++) {
        struct stream stream;
        stream_open(&stream, &params);
        NEED(stream_push(&stream, in.data, in.len, steps[s], 1) == PRAE_OK);
        ok(stream.unbalanced == 0 && stream.disordered == 0 &&
               stream.taken == RECORDS,
           "%s in pieces of %zd: every record once, in order, counts add up",
           format_names[f], (ssize_t)steps[s]);
        if (s == 0)
            put(&first, stream.log.data, stream.log.len);
        else
            ok(buffer_same(&first, &stream.log),
               "%s in pieces of %zd: the same verdicts", format_names[f],
               (ssize_t)steps[s]);
        stream_close(&stream);
    }
    buffer_fini(&in);
    buffer_fini(&first);
}

static void
test_verdicts(size_t f)
{
    prae_params params = params_of(formats[f], WINDOW);
    size_t misplaced = 0, found = 0, odd = 0, named = 0, flagged = 0;
    struct stream stream;
    prae_buffer in = {0};
    prae_stats stats;
    size_t len;

    put_input(&in, formats[f]);
    open_seen(&stream, &params);
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 1) == PRAE_OK);
    prae_filter_stats(stream.filter, &stats);
    for (size_t i = 0; i < RECORDS; i++) {
        int out = seen.verdict[i].kind == PRAE_KIND_OUTLIER;
        misplaced += seen.verdict[i].window != i / WINDOW;
        odd += ODD(i);
        found += ODD(i) && out;
        named += ODD(i) && out && strcmp(seen.field[i], "in.y") == 0;
        flagged += (size_t)out;
    }
    ok(misplaced == 0 && stream.windows == RECORDS / WINDOW + 1,
       "%s: windows are of exactly %d, the last is what is left",
       format_names[f], WINDOW);
    ok(found == odd, "%s: %zu of %zu odd records are flagged", format_names[f],
       found, odd);
    ok(named == odd, "%s: the odd field is the first reason of %zu",
       format_names[f], named);
    ok(flagged < RECORDS / 5, "%s: %zu are flagged in all", format_names[f],
       flagged);
    ok(seen.bad_shares == 0, "%s: shares fall and sum to 1 at most",
       format_names[f]);
    ok(seen.bad_values == 0, "%s: values and inputs are the record's",
       format_names[f]);
    ok(seen.bad_p == 0, "%s: p is none in the first window, else in (0, 1]",
       format_names[f]);
    ok(stats.received == RECORDS && stats.outliers == flagged &&
           stats.windows == stream.windows && stats.features == 3 &&
           stats.state == PRAE_STATE_LIVE,
       "%s: the counts say so, too", format_names[f]);
    const char *header = prae_filter_header(stream.filter, &len);
    const char *wanted = formats[f] == PRAE_FORMAT_CSV ? "x,in.y,in.z\r\n" : "";
    ok(len == strlen(wanted) && memcmp(header, wanted, len) == 0,
       "%s: the header is as it came", format_names[f]);
    stream_close(&stream);
    buffer_fini(&in);
}

static void
test_windows(void)
{
    static const struct {
        const char *name;
        size_t window, records, windows;
    } cases[] = {
        {"all at once", 0, 300, 1},    {"larger than the stream", 1000, 40, 1},
        {"one record", 64, 1, 1},      {"two records", 64, 2, 1},
        {"windows of one", 1, 12, 13}, {"windows of two", 2, 12, 7},
        {"nothing at all", 64, 0, 1},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        prae_params params = params_of(PRAE_FORMAT_MSGPACK, cases[i].window);
        struct stream stream;
        prae_buffer in = {0};
        int finite = 1;
        put(&in, "", 0);
        put_records(&in, params.format, 0, cases[i].records);
        open_seen(&stream, &params);
        prae_status status = stream_push(&stream, in.data, in.len, 11, 1);
        for (size_t k = 0; k < seen.count; k++)
            finite &= isfinite(seen.verdict[k].score) &&
                      isfinite(seen.verdict[k].error);
        ok(status == PRAE_OK && stream.taken == cases[i].records && finite &&
               stream.windows == cases[i].windows && stream.unbalanced == 0,
           "%s: every record leaves, with a finite score", cases[i].name);
        stream_close(&stream);
        buffer_fini(&in);
    }
}

static void
test_cold(void)
{
    static const struct {
        const char *name;
        prae_cold cold;
        size_t least, most; /* flagged in the first window */
    } cases[] = {{"hold: judged with their window", PRAE_COLD_HOLD, 1, 12},
                 {"pass: all leave as inliers", PRAE_COLD_PASS, 0, 0},
                 {"flag: all leave as outliers", PRAE_COLD_FLAG, 64, 64}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        prae_params params = params_of(PRAE_FORMAT_MSGPACK, WINDOW);
        size_t cold = 0, later = 0;
        struct stream stream;
        prae_buffer in = {0};
        params.cold = cases[i].cold;
        put_input(&in, params.format);
        open_seen(&stream, &params);
        NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 1) == PRAE_OK);
        for (size_t k = 0; k < seen.count; k++) {
            size_t out = seen.verdict[k].kind == PRAE_KIND_OUTLIER;
            cold += k < WINDOW ? out : 0;
            later += k >= WINDOW && ODD(k) ? out : 0;
        }
        ok(cold >= cases[i].least && cold <= cases[i].most && later == 5,
           "cold=%s (%zu), later ones are judged", cases[i].name, cold);
        stream_close(&stream);
        buffer_fini(&in);
    }
}

/* ---- reasons of texts ---- */

#define LINES 256
#define FOREIGN 200

/* The observed texts of the foreign line, by the parts of its field. */
struct named {
    char text[PRI_TEXT_FEATURES][128];
    size_t reasons;
};

static void
look_named(const prae_verdict *verdict, void *data)
{
    static const char *const fields[PRI_TEXT_FEATURES] = {
        "line, rarest words", "line, rarest word pairs", "line, all words",
        "line, all word pairs", "line, length"};
    struct named *named = data;

    if (verdict->seq != FOREIGN || verdict->kind != PRAE_KIND_OUTLIER)
        return;
    for (size_t i = 0; i < verdict->why_count; i++)
        for (size_t p = 0; p < COUNT(fields); p++)
            if (strcmp(verdict->why[i].field, fields[p]) == 0 &&
                verdict->why[i].observed_text != NULL) {
                snprintf(named->text[p], sizeof named->text[p], "%s",
                         verdict->why[i].observed_text);
                named->reasons++;
            }
}

static void
put_log_line(prae_buffer *out, prae_format format, const char *line)
{
    if (format == PRAE_FORMAT_JSONL) {
        put_line(out, "{\"line\":\"%s\"}\n", line);
    } else if (format == PRAE_FORMAT_CSV) {
        put_line(out, "\"%s\"\r\n", line);
    } else {
        put_map(out, 1);
        put_text(out, "line");
        put_text(out, line);
    }
}

static void
test_words(size_t f)
{
    static const char *const wanted[PRI_TEXT_FEATURES] = {
        "kernel, panic, halted", "user kernel, kernel panic, panic 7",
        "kernel, panic, halted", "user kernel, kernel panic, panic 7",
        "session of user kernel panic 7 halted"};
    prae_params params = params_of(formats[f], 128);
    struct named named = {.reasons = 0};
    struct stream stream;
    prae_buffer in = {0};

    params.why = PRI_TEXT_FEATURES;
    if (formats[f] == PRAE_FORMAT_CSV)
        put_line(&in, "line\r\n");
    for (unsigned i = 0; i < LINES; i++) {
        char line[128];
        snprintf(line, sizeof line, "session of user %u %s after %u ms", i,
                 i % 3 ? "opened" : "closed", i * 2654435761u >> 20);
        put_log_line(&in, formats[f], i == FOREIGN ? wanted[4] : line);
    }
    stream_open(&stream, &params);
    stream.look = look_named;
    stream.data = &named;
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 1) == PRAE_OK);
    ok(named.reasons > 1, "%s: a foreign line is flagged, with %zu reasons",
       format_names[f], named.reasons);
    for (size_t p = 0; p < PRI_TEXT_FEATURES; p++)
        if (named.text[p][0] != '\0' &&
            !ok(strcmp(named.text[p], wanted[p]) == 0,
                "%s: they name what is odd: %s", format_names[f], wanted[p]))
            printf("# %s\n", named.text[p]);
    stream_close(&stream);
    buffer_fini(&in);
}

/* Statistics name a window as its verdicts do, and tell how long it has not
 * fitted. */
static void
test_numbers(void)
{
    prae_params params = params_of(PRAE_FORMAT_JSONL, 64);
    struct stream stream;
    prae_buffer in = {0};
    prae_stats stats;

    stream_open(&stream, &params);
    put_line(&in, "none\nof these\nis a record\n");
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    NEED(stream_judge(&stream) == PRAE_OK);
    in.len = 0;
    for (size_t i = 0; i < 80 * 64; i++)
        put_line(&in, "{\"x\":%zu,\"y\":%zu}\n",
                 i * 7919 % 101 + (i < 78 * 64 ? 0 : 9000), i * 104729 % 89);
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    NEED(stream_judge(&stream) == PRAE_OK);
    prae_filter_stats(stream.filter, &stats);
    const char *last = stream.log.data + stream.log.len - 1;
    while (strncmp(last, "\"window\":", 9) != 0)
        last--;
    ok(stats.window == strtoull(last + 9, NULL, 10) && stats.window == 80 &&
           stats.judged == 80,
       "the last window is %llu, as its verdicts say",
       (unsigned long long)stats.window);
    ok(stats.state == PRAE_STATE_BURST && stats.misfits == 2 * 64,
       "... and so many records do not fit (%llu)",
       (unsigned long long)stats.misfits);
    stream_close(&stream);
    buffer_fini(&in);
}

int
main(void)
{
    for (size_t f = 0; f < COUNT(formats); f++) {
        test_pieces(f);
        test_verdicts(f);
        test_words(f);
    }
    test_windows();
    test_cold();
    test_numbers();
    return tap_done();
}
