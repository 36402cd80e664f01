/* A filter says what it knows, and takes wrong calls and failures without
 * harm. */
#include "records.h"

static void
test_fields(void)
{
    static const struct {
        const char *name, *reason;
    } wanted[] = {{"x", NULL},
                  {"in.y", NULL},
                  {"in.z", NULL},
                  {"id", "identifier"},
                  {"t", "timestamp"},
                  {"n", "only grows"},
                  {"note", "not asked for"}};
    prae_params params = params_of(PRAE_FORMAT_JSONL, 32);
    struct stream stream;
    prae_buffer in = {0};
    prae_feature feature = {0};
    const char *reason = "", *name;
    size_t right = 0;

    params.ignore = "note";
    for (int i = 0; i < 32; i++)
        put_line(&in,
                 "{\"x\":%d,\"in\":{\"y\":%d,\"z\":%d},\"id\":\"a%04x\","
                 "\"t\":%d,\"n\":%d,\"note\":%d}\n",
                 i * 7 % 5, i * 3 % 7, i * 5 % 11,
                 (unsigned)i * 40503u & 0xffff, 1700000000 + i, i, i * 5 % 3);
    stream_open(&stream, &params);
    ok(prae_filter_field(stream.filter, 0, &reason) == NULL &&
           prae_filter_feature(stream.filter, 0, &feature) == PRAE_END,
       "no fields before the first window");
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    for (size_t i = 0; (name = prae_filter_field(stream.filter, i, &reason));
         i++) {
        int same = i < COUNT(wanted) && strcmp(name, wanted[i].name) == 0 &&
                   (reason == NULL) == (wanted[i].reason == NULL) &&
                   (reason == NULL || strcmp(reason, wanted[i].reason) == 0);
        if (!same)
            printf("# field %zu is %s: %s\n", i, name,
                   reason ? reason : "taken");
        right += same ? 1 : 100;
    }
    ok(right == COUNT(wanted), "fields are listed, those left out with why");
    ok(prae_filter_feature(stream.filter, 2, &feature) == PRAE_OK &&
           strcmp(feature.name, "in.z") == 0 && feature.unit > 0.0 &&
           feature.centre > 4.0 && feature.centre < 6.0,
       "a feature has its name, centre and unit");
    ok(prae_filter_feature(stream.filter, 3, &feature) == PRAE_END,
       "... and there are no more than that");
    ok(prae_filter_quantile(stream.filter, 0.0) <=
               prae_filter_quantile(stream.filter, 0.5) &&
           prae_filter_quantile(stream.filter, 0.5) <=
               prae_filter_quantile(stream.filter, 1.0),
       "quantiles of past scores rise");
    stream_close(&stream);
    buffer_fini(&in);
}

static void
test_order(void)
{
    prae_params params = params_of(PRAE_FORMAT_MSGPACK, 20);
    prae_buffer in = {0}, out = {0};
    prae_verdict verdict;
    prae_filter *filter = NULL;
    size_t used = 0;

    put_records(&in, params.format, 0, 20);
    NEED(prae_filter_new(&params, &filter) == PRAE_OK);
    ok(prae_filter_next(filter, &verdict) == PRAE_END,
       "no verdict to begin with");
    ok(prae_filter_save(filter, &out) == PRAE_EINVAL && out.len == 0,
       "no snapshot before the first window");
    ok(isnan(prae_filter_quantile(filter, 0.5)), "no quantile either");
    NEED(prae_filter_push(filter, in.data, in.len, 0, &used) == PRAE_FULL);
    ok(used == in.len, "a full window has used its bytes");
    ok(prae_filter_push(filter, in.data, in.len, 0, &used) == PRAE_FULL &&
           used == 0,
       "a full window takes no more");
    ok(prae_filter_load(filter, "x", 1) == PRAE_EINVAL &&
           prae_filter_errmsg(filter)[0] != '\0',
       "a snapshot cannot follow records");
    NEED(prae_filter_judge(filter) == PRAE_OK);
    ok(prae_filter_judge(filter) == PRAE_EINVAL &&
           strstr(prae_filter_errmsg(filter), "verdicts") != NULL,
       "no judging while verdicts are left");
    ok(prae_filter_push(filter, in.data, in.len, 0, &used) == PRAE_EINVAL,
       "no pushing while verdicts are left");
    while (prae_filter_next(filter, &verdict) == PRAE_OK)
        continue;
    ok(prae_filter_next(filter, &verdict) == PRAE_END, "the end stays the end");
    ok(prae_filter_push(filter, in.data, in.len, 0, &used) == PRAE_FULL,
       "pushing goes on after the last verdict");
    prae_filter_free(filter);

    NEED(prae_filter_new(&params, &filter) == PRAE_OK);
    ok(prae_filter_push(NULL, "", 0, 0, &used) == PRAE_EINVAL &&
           prae_filter_push(filter, NULL, 1, 0, &used) == PRAE_EINVAL &&
           prae_filter_push(filter, "", 0, 0, NULL) == PRAE_EINVAL &&
           prae_filter_judge(NULL) == PRAE_EINVAL &&
           prae_filter_next(NULL, &verdict) == PRAE_EINVAL &&
           prae_filter_next(filter, NULL) == PRAE_EINVAL &&
           prae_filter_save(NULL, &out) == PRAE_EINVAL &&
           prae_filter_save(filter, NULL) == PRAE_EINVAL &&
           prae_filter_load(NULL, "", 0) == PRAE_EINVAL &&
           prae_filter_load(filter, NULL, 0) == PRAE_EINVAL &&
           prae_filter_new(&params, NULL) == PRAE_EINVAL &&
           prae_filter_new(NULL, &filter) == PRAE_EINVAL &&
           prae_verdict_write(NULL, PRAE_FORMAT_CSV, &out) == PRAE_EINVAL &&
           prae_verdict_write_score(&verdict, PRAE_FORMAT_CSV, NULL) ==
               PRAE_EINVAL &&
           prae_filter_errmsg(NULL)[0] != '\0',
       "a NULL is refused");
    ok(prae_filter_push(filter, NULL, 0, 1, &used) == PRAE_OK && used == 0,
       "no bytes may be NULL");
    prae_filter_free(filter);
    prae_filter_free(NULL);

    /* A stream cut off: what came before is judged. */
    NEED(prae_filter_new(&params, &filter) == PRAE_OK);
    in.len = 0;
    put_records(&in, params.format, 0, 10);
    ok(prae_filter_push(filter, in.data, in.len - 3, 1, &used) == PRAE_EDATA &&
           used == in.len / 10 * 9 &&
           strstr(prae_filter_errmsg(filter), "record 9") != NULL,
       "a last record cut short is told, with its number");
    ok(prae_filter_judge(filter) == PRAE_OK, "... those before it are judged");
    for (used = 0; prae_filter_next(filter, &verdict) == PRAE_OK; used++)
        continue;
    ok(used == 9, "... and leave");
    prae_filter_free(filter);
    buffer_fini(&in);
}

/* What one file was cut in is not to blame on those behind it. */
static void
test_cut_batch(void)
{
    static const char batch[] = "\x92\xa1t\x93\x92\x01\x81\xa1" "a\x05";
    prae_params params = params_of(PRAE_FORMAT_MSGPACK, 20);
    prae_filter *filter;
    size_t used;

    NEED(prae_filter_new(&params, &filter) == PRAE_OK);
    ok(prae_filter_push(filter, batch, sizeof batch - 1, 1, &used) ==
           PRAE_EDATA,
       "a file that ends within a batch is told");
    ok(prae_filter_push(filter, "", 0, 1, &used) == PRAE_OK && used == 0,
       "... an empty one behind it is not");
    ok(prae_filter_push(filter, "\x81\xa1" "a\x07", 4, 1, &used) == PRAE_OK &&
           used == 4,
       "... and records are read on");
    prae_filter_free(filter);
}

static void
test_wrong_field(void)
{
    prae_params params = params_of(PRAE_FORMAT_MSGPACK, 20);
    prae_buffer in = {0};
    prae_filter *filter;
    prae_verdict verdict;
    prae_stats stats;
    size_t used;

    params.fields = "in,nosuch";
    put_records(&in, params.format, 0, 20);
    NEED(prae_filter_new(&params, &filter) == PRAE_OK);
    NEED(prae_filter_push(filter, in.data, in.len, 0, &used) == PRAE_FULL);
    ok(prae_filter_judge(filter) == PRAE_ECONFIG &&
           strstr(prae_filter_errmsg(filter), "nosuch") != NULL,
       "a field that is not there is named");
    prae_filter_stats(filter, &stats);
    ok(stats.held == 20 && prae_filter_next(filter, &verdict) == PRAE_END,
       "... its records are held");
    ok(prae_filter_judge(filter) == PRAE_EINVAL &&
           strstr(prae_filter_errmsg(filter), "nosuch") != NULL,
       "... and are not judged again, for the same reason");
    while (prae_filter_next(filter, &verdict) == PRAE_OK)
        continue;
    prae_filter_free(filter);
    buffer_fini(&in);
}

/* A service that is sent records of other fields goes on. */
static void
test_dismissed(void)
{
    prae_params params = params_of(PRAE_FORMAT_JSONL, 20);
    const char other[] = "{\"other\":1,\"more\":2}\n";
    prae_buffer in = {0};
    prae_filter *filter;
    prae_verdict verdict;
    prae_stats stats;
    size_t used, count = 0, whole = 0;

    params.fields = "in";
    NEED(prae_filter_new(&params, &filter) == PRAE_OK);
    ok(prae_filter_dismiss(filter) == PRAE_EINVAL &&
           prae_filter_dismiss(NULL) == PRAE_EINVAL,
       "there is nothing to dismiss before a window was judged");
    for (size_t i = 0; i < 20; i++)
        NEED(prae_filter_push(filter, other, sizeof other - 1, 0, &used) ==
             (i < 19 ? PRAE_OK : PRAE_FULL));
    NEED(prae_filter_judge(filter) == PRAE_ECONFIG);
    ok(prae_filter_dismiss(filter) == PRAE_OK &&
           strstr(prae_filter_errmsg(filter), "'in'") != NULL,
       "a window without the fields is dismissed, and it is told why");
    while (prae_filter_next(filter, &verdict) == PRAE_OK) {
        count += verdict.kind == PRAE_KIND_REJECT &&
                 strcmp(verdict.reject_code, "features") == 0;
        whole += verdict.record_len == sizeof other - 1 &&
                 memcmp(verdict.record, other, sizeof other - 1) == 0;
    }
    ok(count == 20 && whole == 20, "... its records leave as rejects, as they "
                                   "came");
    ok(prae_filter_dismiss(filter) == PRAE_EINVAL, "... once");
    put_records(&in, params.format, 0, 20);
    ok(prae_filter_push(filter, in.data, in.len, 0, &used) == PRAE_FULL &&
           prae_filter_judge(filter) == PRAE_OK,
       "... the next window is learned");
    ok(prae_filter_dismiss(filter) == PRAE_EINVAL,
       "... and what was learned cannot be dismissed");
    while (prae_filter_next(filter, &verdict) == PRAE_OK)
        continue;
    prae_filter_stats(filter, &stats);
    ok(stats.received == 40 && stats.rejected == 20 &&
           stats.inliers + stats.outliers == 20 && stats.held == 0,
       "... and all are accounted for");
    prae_filter_free(filter);
    buffer_fini(&in);
}

static void
test_diverging(void)
{
    prae_params params = params_of(PRAE_FORMAT_MSGPACK, 20);
    prae_buffer in = {0}, out = {0};
    prae_filter *filter;
    size_t used;

    params.rate = 1.0;
    params.cold_epochs = 500;
    params.activation = PRAE_ACTIVATION_LINEAR;
    params.hidden_count = PRAE_HIDDEN_MAX;
    for (size_t i = 0; i < PRAE_HIDDEN_MAX; i++)
        params.hidden[i] = 60;
    put_records(&in, params.format, 0, 20);
    NEED(prae_filter_new(&params, &filter) == PRAE_OK);
    NEED(prae_filter_push(filter, in.data, in.len, 0, &used) == PRAE_FULL);
    ok(prae_filter_judge(filter) == PRAE_ECONFIG &&
           strstr(prae_filter_errmsg(filter), "rate") != NULL,
       "a first window that diverges blames the rate");
    ok(prae_filter_save(filter, &out) == PRAE_EINVAL, "... cannot be saved");
    ok(prae_filter_judge(filter) == PRAE_EINVAL, "... nor judged again");
    ok(prae_filter_dismiss(filter) == PRAE_EINVAL, "... nor dismissed");
    prae_filter_free(filter);
    buffer_fini(&in);
    buffer_fini(&out);
}

/* window=all, judged early because someone waits: the next may be longer. */
static void
test_all_twice(void)
{
    prae_params params = params_of(PRAE_FORMAT_MSGPACK, 0);
    struct stream stream;
    prae_buffer in = {0};

    put_records(&in, params.format, 0, 200);
    stream_open(&stream, &params);
    NEED(stream_push(&stream, in.data, in.len / 10, 1, 0) == PRAE_OK);
    NEED(stream_judge(&stream) == PRAE_OK);
    ok(stream.taken == 20, "window=all: what came is judged when asked");
    ok(stream_push(&stream, in.data, in.len, SIZE_MAX, 1) == PRAE_OK &&
           stream.taken == 220,
       "... and so is more than came the first time");
    stream_close(&stream);
    buffer_fini(&in);
}

/* A frozen model learns nothing, of strings neither. */
static void
test_frozen_strings(void)
{
    prae_params params = params_of(PRAE_FORMAT_JSONL, WINDOW);
    prae_buffer in = {0}, snapshot = {0};
    struct stream stream;
    double first, last;

    for (int i = 0; i < 2 * WINDOW; i++)
        put_line(&in, "{\"x\":%d,\"c\":\"%s\"}\n", i * 7 % 11,
                 i % 3 ? "on" : "off");
    stream_open(&stream, &params);
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    NEED(prae_filter_save(stream.filter, &snapshot) == PRAE_OK);
    stream_close(&stream);
    params.freeze = 1;
    open_seen(&stream, &params);
    NEED(prae_filter_load(stream.filter, snapshot.data, snapshot.len) ==
         PRAE_OK);
    in.len = 0;
    for (int i = 0; i < 4 * WINDOW; i++)
        put_line(&in, "{\"x\":5,\"c\":\"new\"}\n");
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    first = seen.verdict[0].score;
    last = seen.verdict[4 * WINDOW - 1].score;
    ok(seen.verdict[0].state == PRAE_STATE_FROZEN && first == last,
       "frozen: a string is as rare the 256th time (%g) as the first (%g)",
       last, first);
    stream_close(&stream);
    buffer_fini(&in);
    buffer_fini(&snapshot);
}

/* A second file repeats the header, in whatever pieces it comes. */
static void
test_header_again(void)
{
    static const struct {
        const char *name, *header, *bytes;
        size_t taken, rejected;
    } cases[] = {
        {"the same", "x,y\n", "x,y\n7,8\n", 1, 0},
        {"with a mark", "x,y\n", "\xef\xbb\xbfx,y\r\n7,8\n", 1, 0},
        {"without an end", "x,y\n", "x,y", 0, 0},
        {"one that goes on", "x,y\n", "x,yz\n7,8\n", 2, 1},
        {"another", "x,y\n", "x\n7,8\n", 2, 1},
        {"none", "x,y\n", "7,8\n", 1, 0},
        {"a mark alone", "x,y\n", "\xef\xbb\xbf", 0, 0},
        {"its last name ends in a carriage return", "x,y\r\r\n",
         "x,y\r\r\n7,8\n", 1, 0},
        {"and so it does without a newline", "x,y\r\r\n", "x,y\r\r", 0, 0},
        {"without it another name is there", "x,y\r\r\n", "x,y\r\n7,8\n", 2,
         1},
        {"also at the end", "x,y\r\r\n", "x,y\r", 1, 1},
        {"and the other way round", "x,y\r\n", "x,y\r\r\n7,8\n", 2, 1},
        {"behind a blank line", "x,y\n", "\nx,y\n7,8\n", 1, 0},
        {"behind several", "x,y\n", "\r\n \t\n\r\nx,y\r\n7,8\n", 1, 0},
        {"behind a mark and one", "x,y\n", "\xef\xbb\xbf\nx,y\n7,8\n", 1, 0},
        {"behind one and a mark", "x,y\n", "\n\xef\xbb\xbfx,y\n7,8\n", 2, 1},
        {"behind one at the end", "x,y\n", "\n\nx,y", 0, 0},
        {"blank lines alone", "x,y\n", "\n\r\n ", 0, 0},
        {"a row behind blank lines", "x,y\n", "\n\n7,8\n", 1, 0},
        {"twice", "x,y\n", "\nx,y\n\nx,y\n7,8\n", 2, 1},
        {"of several lines", "\"x\n\",y\n", "\n\"x\n\",y\n7,8\n", 1, 0},
        {"a row whose quote does not close", "x,y\n", "\n\"x,y\n7,8\n", 2, 1},
        {"a row that is too long", "x,y\n",
         "\nx,y,xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n7,8\n",
         2, 1},
    };
    prae_params params = params_of(PRAE_FORMAT_CSV, 20);

    params.record_max = 40;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t wrong = 0;
        for (size_t step = 1; step < 12; step++) {
            struct stream stream;
            prae_stats stats;
            stream_open(&stream, &params);
            prae_buffer in = {0};
            put_line(&in, "%s", cases[i].header);
            for (int k = 0; k < 40; k++)
                put_line(&in, "%d,%d\n", k * 7 % 11, k * 3 % 5);
            NEED(stream_push(&stream, in.data, in.len, 5, 1) == PRAE_OK);
            NEED(stream_push(&stream, cases[i].bytes, strlen(cases[i].bytes),
                             step, 1) == PRAE_OK);
            prae_filter_stats(stream.filter, &stats);
            wrong += stats.received != 40 + cases[i].taken ||
                     stats.rejected != cases[i].rejected;
            stream_close(&stream);
            buffer_fini(&in);
        }
        ok(wrong == 0, "a second file's header: %s", cases[i].name);
    }
}

/* Words, which a header is not told from by what it looks like: the short cut
 * must not take it for a row, nor a row for it. */
static void
test_header_of_words(void)
{
    static const char *const second[] = {"red,on\n", "\nred,on\r\n",
                                         "\xef\xbb\xbfred,on\n"};
    prae_params params = params_of(PRAE_FORMAT_CSV, 20);
    size_t wrong = 0;

    params.context = PRAE_CONTEXT_OFF;
    for (size_t i = 0; i < 3 * 8; i++) {
        struct stream stream;
        prae_buffer in = {0}, more = {0};
        put_line(&in, "red,on\n");
        for (int k = 0; k < 60; k++)
            put_line(&in, "%s,%s\n", k % 3 == 0 ? "red" : "blue",
                     k % 2 == 0 ? "on" : "off");
        put_line(&more, "%sred,on\nblue,off\n", second[i / 8]);
        stream_open(&stream, &params);
        NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 1) == PRAE_OK &&
             stream_push(&stream, more.data, more.len, 1 + i % 8, 1) ==
                 PRAE_OK);
        wrong += prae_filter_received(stream.filter) != 62;
        stream_close(&stream);
        buffer_fini(&in);
        buffer_fini(&more);
    }
    ok(wrong == 0, "a header of words is skipped, and a row like it is not");
}

/* A message may bring the header before the stream does, or amid it. */
static void
test_header_of_both(void)
{
    static const char *const streams[] = {"x,y\n7,8\n", "x,y\r\n7,8\r\n",
                                          "\xef\xbb\xbfx,y\n7,8"};
    static const struct {
        const char *name, *bytes;
        size_t taken;
    } cases[] = {
        {"the header and a row", "x,y\n1,2\n", 1},
        {"the header alone", "x,y", 0},
        {"nothing, and is refused", "", 1},
    };
    prae_params params = params_of(PRAE_FORMAT_CSV, 20);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t wrong = 0;
        for (size_t k = 0; k < 3 * 16; k++) {
            const char *bytes = streams[k / 16];
            size_t len = strlen(bytes), cut = k % 16, used, rest;
            prae_filter *filter;
            if (cut > len)
                continue;
            NEED(prae_filter_new(&params, &filter) == PRAE_OK &&
                 prae_filter_push(filter, bytes, cut, 0, &used) == PRAE_OK &&
                 prae_filter_push_message(filter, cases[i].bytes,
                                          strlen(cases[i].bytes),
                                          &rest) == PRAE_OK &&
                 prae_filter_push(filter, bytes + used, len - used, 1,
                                  &rest) == PRAE_OK);
            wrong += prae_filter_received(filter) != 1 + cases[i].taken;
            prae_filter_free(filter);
        }
        ok(wrong == 0, "a message before a stream's row brings %s",
           cases[i].name);
    }
}

/* Takes COUNT verdicts; returns the window's number of the last. */
static uint64_t
take_verdicts(prae_filter *filter, size_t count)
{
    prae_verdict verdict = {0};

    for (size_t i = 0; i < count; i++)
        NEED(prae_filter_next(filter, &verdict) == PRAE_OK);
    return verdict.window;
}

/* Who knows how many verdicts there are need not see PRAE_END. */
static void
test_unseen_end(void)
{
    prae_params params = params_of(PRAE_FORMAT_MSGPACK, 20);
    prae_buffer in = {0};
    prae_filter *filter = NULL;
    size_t used = 0;

    put_records(&in, params.format, 0, 20);
    NEED(prae_filter_new(&params, &filter) == PRAE_OK);
    ok(prae_filter_judge(filter) == PRAE_OK &&
           prae_filter_judge(filter) == PRAE_OK,
       "of no records nothing is left over");
    ok(prae_filter_push(filter, in.data, in.len, 0, &used) == PRAE_FULL &&
           used == in.len,
       "and some can be pushed");
    ok(prae_filter_release(filter) == PRAE_OK, "they are let go");
    take_verdicts(filter, 20);
    ok(prae_filter_release(filter) == PRAE_OK &&
           prae_filter_judge(filter) == PRAE_OK,
       "and judged once they are out, none again");
    for (uint64_t window = 1; window < 4; window++) {
        ok(prae_filter_push(filter, in.data, in.len, 0, &used) == PRAE_FULL &&
               used == in.len && prae_filter_judge(filter) == PRAE_OK,
           "pushing goes on behind the last verdict");
        take_verdicts(filter, 19);
        ok(prae_filter_push(filter, in.data, in.len, 0, &used) == PRAE_EINVAL &&
               prae_filter_judge(filter) == PRAE_EINVAL,
           "and not before it");
        ok(take_verdicts(filter, 1) == window, "its window is %d",
           (int)window);
        ok(window != 2 || prae_filter_cut(filter) == PRAE_OK,
           "a gap may be there");
    }
    prae_filter_free(filter);
    buffer_fini(&in);
}

/* In every format, also where records are read by a plan. */
static void
test_no_bytes(void)
{
    static const char *const names[] = {"MessagePack", "JSON Lines", "CSV"};

    for (int f = 0; f < 3; f++) {
        prae_params params = params_of((prae_format)f, 32);
        struct stream stream;
        prae_buffer in = {0};
        size_t used = 9;
        if (f == PRAE_FORMAT_CSV)
            put_line(&in, "x,y,z\n");
        put_records(&in, params.format, 0, 40);
        stream_open(&stream, &params);
        NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
        ok(prae_filter_push(stream.filter, NULL, 0, 1, &used) == PRAE_OK &&
               used == 0 && stream_judge(&stream) == PRAE_OK &&
               stream.taken == 40,
           "%s: no bytes may be NULL, and end the stream", names[f]);
        stream_close(&stream);
        buffer_fini(&in);
    }
}

int
main(void)
{
    test_fields();
    test_order();
    test_unseen_end();
    test_no_bytes();
    test_frozen_strings();
    test_cut_batch();
    test_wrong_field();
    test_dismissed();
    test_diverging();
    test_all_twice();
    test_header_again();
    test_header_of_words();
    test_header_of_both();
    return tap_done();
}
