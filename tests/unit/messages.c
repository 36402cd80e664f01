/* Records that come in messages: the same verdicts as in a stream, whatever
 * the messages; what is broken in one stays in it; a stream that they
 * interrupt goes on where it was. */
#include "records.h"

#define MOST 600 /* records of a batch */
#define BOM "\xef\xbb\xbf"

static const char *const format_names[] = {"msgpack", "jsonl", "csv"};

/* ---- records with their ends, so that they can be put into messages ---- */

struct batch {
    prae_buffer bytes;
    size_t end[MOST + 1]; /* of each record; end[0] is the first's start */
    size_t count;
};

/* A category, for csv now and then with a newline within. */
static const char *
state_of(size_t i)
{
    return i % 9 == 4 ? "o\nn" : i % 3 == 0 ? "off" : "on";
}

static void
put_good(prae_buffer *out, prae_format format, size_t i, double x, double y)
{
    const char *state = state_of(i);

    if (format == PRAE_FORMAT_MSGPACK) {
        put_map(out, 3);
        put_named(out, "x", x);
        put_named(out, "y", y);
        put_text(out, "state");
        put_text(out, state);
    } else if (format == PRAE_FORMAT_JSONL) {
        put_line(out, "{\"x\":%.9g,\"y\":%.9g,\"state\":\"\\t%s\"}\n", x, y,
                 state[1] == '\n' ? "on" : state);
    } else {
        put_line(out, "%.9g,%.9g,\"%s\"\n", x, y, state);
    }
}

/* One that is refused, and where the next one begins is known. */
static void
put_reject(prae_buffer *out, prae_format format)
{
    if (format == PRAE_FORMAT_MSGPACK)
        put_real(out, 17.0);
    else
        put_line(out, format == PRAE_FORMAT_JSONL ? "nonsense\n" : "1,2\n");
}

/* COUNT records, every 20th a reject; a csv has its header before them. */
static void
batch_make(struct batch *batch, prae_format format, size_t count)
{
    struct rng rng;

    NEED(count <= MOST);
    *batch = (struct batch){.count = count};
    if (format == PRAE_FORMAT_CSV)
        put_line(&batch->bytes, "x,y,state\n");
    batch->end[0] = batch->bytes.len;
    pri_rng_init(&rng, 3, 5);
    for (size_t i = 0; i < count; i++) {
        double x = (double)pri_rng_normal(&rng);
        if (i % 20 == 13)
            put_reject(&batch->bytes, format);
        else
            put_good(&batch->bytes, format, i, x, ODD(i) ? 25.0 : 2.0 * x);
        batch->end[i + 1] = batch->bytes.len;
    }
}

/* Pushes a message, judging each full window. */
static prae_status
send_message(struct stream *stream, const char *bytes, size_t len)
{
    size_t at = 0, used = 0;
    prae_status status;

    for (;;) {
        status = prae_filter_push_message(stream->filter, bytes + at, len - at,
                                          &used);
        stream_count(stream);
        if (status != PRAE_OK && status != PRAE_FULL)
            return status;
        at += used;
        if (status == PRAE_OK)
            break;
        NEED(stream_judge(stream) == PRAE_OK);
    }
    return at == len ? PRAE_OK : PRAE_MORE;
}

/* Who each undecided record is, without a model: what was taken so far. */
static void
list_taken(prae_filter *filter, prae_buffer *list)
{
    prae_verdict verdict;

    NEED(prae_filter_release(filter) == PRAE_OK);
    while (prae_filter_next(filter, &verdict) == PRAE_OK) {
        put_line(list, "%llu %s ", (unsigned long long)verdict.seq,
                 verdict.kind == PRAE_KIND_REJECT ? verdict.reject_code : "");
        put(list, verdict.record, verdict.record_len);
    }
}

/* ---- the same verdicts ---- */

/* Lines are counted anew in each message: their numbers are taken out. */
static void
forget_lines(prae_buffer *log)
{
    static const char word[] = "line ";
    size_t kept = 0;

    for (size_t i = 0; i < log->len;) {
        if (log->len - i > strlen(word) &&
            memcmp(log->data + i, word, strlen(word)) == 0) {
            i += strlen(word);
            while (i < log->len && log->data[i] >= '0' && log->data[i] <= '9')
                i++;
        } else {
            log->data[kept++] = log->data[i++];
        }
    }
    log->len = kept;
}

static void
test_sizes(prae_format format)
{
    static const size_t sizes[] = {1, 7, 1000};
    prae_params params = params_of(format, WINDOW);
    struct stream whole, stream;
    static struct batch batch;

    batch_make(&batch, format, 300);
    stream_open(&whole, &params);
    NEED(stream_push(&whole, batch.bytes.data, batch.bytes.len, SIZE_MAX, 1) ==
         PRAE_OK);
    forget_lines(&whole.log);
    for (size_t s = 0; s < COUNT(sizes); s++) {
        size_t bad = 0;
        stream_open(&stream, &params);
        for (size_t i = 0, next; i < batch.count; i = next) {
            size_t from = i == 0 ? 0 : batch.end[i];
            next = i + sizes[s] < batch.count ? i + sizes[s] : batch.count;
            bad += send_message(&stream, batch.bytes.data + from,
                                batch.end[next] - from) != PRAE_OK;
        }
        NEED(stream_judge(&stream) == PRAE_OK);
        ok(bad == 0 && stream.taken == 300 && stream.unbalanced == 0 &&
               stream.disordered == 0,
           "%s in messages of %zu: each once, in order, counts add up",
           format_names[format], sizes[s]);
        forget_lines(&stream.log);
        ok(stream.windows == whole.windows &&
               buffer_same(&stream.log, &whole.log),
           "%s in messages of %zu: verdicts as of a stream",
           format_names[format], sizes[s]);
        stream_close(&stream);
    }
    stream_close(&whole);
    buffer_fini(&batch.bytes);
}

/* A message of three windows, whose last record fills the third. */
static void
test_windows(prae_format format)
{
    prae_params params = params_of(format, WINDOW);
    static struct batch batch;
    struct stream stream;
    size_t at = 0, used = 0, full = 0, kept_out = 0;
    prae_status status;

    batch_make(&batch, format, 202); /* of which ten are refused */
    stream_open(&stream, &params);
    for (;;) {
        status = prae_filter_push_message(stream.filter, batch.bytes.data + at,
                                          batch.bytes.len - at, &used);
        at += used;
        if (status != PRAE_FULL)
            break;
        full++;
        kept_out += prae_filter_push_message(
                        stream.filter, batch.bytes.data + at,
                        batch.bytes.len - at, &used) == PRAE_FULL &&
                    used == 0;
        kept_out +=
            prae_filter_push(stream.filter, "", 0, 0, &used) == PRAE_EINVAL;
        kept_out +=
            prae_filter_refuse(stream.filter, PRAE_REFUSE_PARTS) == PRAE_EINVAL;
        kept_out +=
            strstr(prae_filter_errmsg(stream.filter), "message") != NULL;
        if (full == 3)
            ok(at == batch.bytes.len && status == PRAE_FULL,
               "%s: a window is full at a message's very last record",
               format_names[format]);
        NEED(stream_judge(&stream) == PRAE_OK);
    }
    ok(status == PRAE_OK && full == 3 && used == 0 && stream.taken == 202,
       "%s: three windows take it, and its empty rest is no record",
       format_names[format]);
    ok(kept_out == 12 && stream.unbalanced == 0,
       "%s: nothing else comes between, and no harm is done by trying",
       format_names[format]);
    ok(prae_filter_push(stream.filter, "", 0, 0, &used) == PRAE_OK &&
           prae_filter_refuse(stream.filter, PRAE_REFUSE_PARTS) == PRAE_OK,
       "%s: after its end it does", format_names[format]);
    stream_close(&stream);
    buffer_fini(&batch.bytes);
}

/* ---- what is broken ---- */

#define FF4 "\xff\xff\xff\xff"

static const struct broken {
    const char *name;
    prae_format format;
    size_t before, after; /* good records around it in its message */
    const char *bytes;    /* of which REPEAT, if any, are written */
    size_t len, repeat;
    size_t rest; /* good records that are lost with it */
    const char *code;
} broken[] = {
    {"an empty message", PRAE_FORMAT_MSGPACK, 0, 0, "", 0, 1, 0, "malformed"},
    {"an empty message", PRAE_FORMAT_JSONL, 0, 0, "", 0, 1, 0, "malformed"},
    {"an empty message", PRAE_FORMAT_CSV, 0, 0, "", 0, 1, 0, "malformed"},
    {"0xc1", PRAE_FORMAT_MSGPACK, 0, 0, "\xc1", 1, 1, 0, "malformed"},
    {"0xc1 between records", PRAE_FORMAT_MSGPACK, 2, 3, "\xc1", 1, 1, 3,
     "malformed"},
    {"a record cut off", PRAE_FORMAT_MSGPACK, 4, 0, "\x82\xa1x\xcb@", 5, 1, 0,
     "malformed"},
    {"array32 of 2^32-1", PRAE_FORMAT_MSGPACK, 1, 2, "\xdd" FF4, 5, 1, 2,
     "length"},
    {"map32 of 2^32-1", PRAE_FORMAT_MSGPACK, 1, 2, "\xdf" FF4, 5, 1, 2,
     "length"},
    {"str32 of 2^32-1", PRAE_FORMAT_MSGPACK, 1, 2, "\xdb" FF4, 5, 1, 2,
     "length"},
    {"bin32 of 2^32-1", PRAE_FORMAT_MSGPACK, 1, 2, "\xc6" FF4, 5, 1, 2,
     "length"},
    {"ext32 of 2^32-1", PRAE_FORMAT_MSGPACK, 1, 2, "\xc9" FF4 "\x05", 6, 1, 2,
     "length"},
    {"33 arrays within each other", PRAE_FORMAT_MSGPACK, 1, 2, "\x91", 1, 33, 0,
     "depth"},
    {"a million arrays", PRAE_FORMAT_MSGPACK, 1, 0, "\x91", 1, 1000000, 0,
     "depth"},
    {"a line that is none", PRAE_FORMAT_JSONL, 2, 3, "{\"x\":\n", 6, 1, 0,
     "malformed"},
    {"a last line without end", PRAE_FORMAT_JSONL, 2, 0, "{\"x\":1,", 7, 1, 0,
     "malformed"},
    {"a quote that stays open", PRAE_FORMAT_CSV, 2, 0, "1,2,\"on", 7, 1, 0,
     "malformed"},
    {"a row too short", PRAE_FORMAT_CSV, 2, 3, "1,2\n", 4, 1, 0, "dimension"},
};

static void
test_broken(const struct broken *bad)
{
    prae_params params = params_of(bad->format, 0);
    static struct batch batch;
    struct stream stream;
    prae_buffer message = {0};
    prae_verdict verdict;
    size_t seen_before = 0, good = 0, rejects = 0, right = 0;

    batch_make(&batch, bad->format, 12); /* all of them good */
    const char *records = batch.bytes.data;
    put(&message, records + batch.end[0],
        batch.end[bad->before] - batch.end[0]);
    size_t start = message.len;
    for (size_t i = 0; i < bad->repeat; i++)
        put(&message, bad->bytes, bad->len);
    if (bad->code[0] == 'd' && bad->format == PRAE_FORMAT_MSGPACK)
        put(&message, "\xc0", 1); /* what the innermost holds */
    size_t end = message.len;
    put(&message, records + batch.end[0], batch.end[bad->after] - batch.end[0]);
    if (bad->rest > 0)
        end = message.len;
    stream_open(&stream, &params);
    NEED(send_message(&stream, records, batch.bytes.len) == PRAE_OK);
    prae_status status = send_message(&stream, message.data, message.len);
    NEED(send_message(&stream, records, batch.bytes.len) == PRAE_OK);
    NEED(prae_filter_release(stream.filter) == PRAE_OK);
    while (prae_filter_next(stream.filter, &verdict) == PRAE_OK) {
        if (verdict.kind != PRAE_KIND_REJECT) {
            good++;
            continue;
        }
        rejects++;
        seen_before = good;
        right += strcmp(verdict.reject_code, bad->code) == 0 &&
                 verdict.parsed == 0 && verdict.record_len == end - start &&
                 (end == start || memcmp(verdict.record, message.data + start,
                                         end - start) == 0);
        if (right == 0)
            printf("# %s of %zu bytes\n", verdict.reject_code,
                   verdict.record_len);
    }
    ok(status == PRAE_OK && rejects == 1 && right == 1 &&
           seen_before == 12 + bad->before,
       "%s: %s is one reject with its bytes, in its place",
       format_names[bad->format], bad->name);
    ok(good == 24 + bad->before + bad->after - bad->rest,
       "... and what is before, behind and next is fine");
    stream_close(&stream);
    buffer_fini(&message);
    buffer_fini(&batch.bytes);
}

/* Fields beyond the limit: refused, and its end is known. */
static void
test_elements(void)
{
    prae_params params = params_of(PRAE_FORMAT_MSGPACK, 0);
    struct stream stream;
    prae_buffer message = {0}, list = {0};

    params.elements_max = 100;
    put_array(&message, 200);
    for (int i = 0; i < 200; i++)
        put(&message, "\xc0", 1);
    size_t len = message.len;
    put_good(&message, params.format, 1, 1.0, 2.0);
    stream_open(&stream, &params);
    ok(send_message(&stream, message.data, message.len) == PRAE_OK &&
           prae_filter_received(stream.filter) == 2,
       "too many elements do not take the next record with them");
    list_taken(stream.filter, &list);
    ok(memcmp(list.data, "0 elements ", 11) == 0 &&
           memcmp(list.data + 11, message.data, len) == 0,
       "... and are refused for that");
    stream_close(&stream);
    buffer_fini(&message);
    buffer_fini(&list);
}

static void
test_refuse(void)
{
    static const char wanted[] = "0  {}\n1 parts 2 length 3  [2]\n4 parts ";
    prae_params params = params_of(PRAE_FORMAT_JSONL, 0);
    struct stream stream;
    prae_buffer list = {0};
    prae_stats stats;

    stream_open(&stream, &params);
    NEED(send_message(&stream, "{}\n", 3) == PRAE_OK);
    NEED(prae_filter_refuse(stream.filter, PRAE_REFUSE_PARTS) == PRAE_OK &&
         prae_filter_refuse(stream.filter, PRAE_REFUSE_LENGTH) == PRAE_OK);
    NEED(send_message(&stream, "[2]\n", 4) == PRAE_OK);
    NEED(prae_filter_refuse(stream.filter, PRAE_REFUSE_PARTS) == PRAE_OK);
    list_taken(stream.filter, &list);
    prae_filter_stats(stream.filter, &stats);
    ok(list.len == strlen(wanted) && memcmp(list.data, wanted, list.len) == 0,
       "messages refused by the caller are rejects, in their turn");
    ok(prae_filter_refuse(NULL, PRAE_REFUSE_PARTS) == PRAE_EINVAL,
       "refusing needs a filter");
    ok(stats.inliers == 2 && stats.rejected == 3 && stats.held == 0,
       "... and are counted as such");
    stream_close(&stream);
    buffer_fini(&list);
}

/* A window of nothing but refusals is full at some time: memory is bounded. */
static void
test_crowded(void)
{
    prae_params params = params_of(PRAE_FORMAT_MSGPACK, 2);
    struct stream stream;
    size_t count = 0, used;

    stream_open(&stream, &params);
    while (count < 5000 &&
           prae_filter_refuse(stream.filter, PRAE_REFUSE_PARTS) == PRAE_OK)
        count++;
    ok(count > 8 && count < 5000 &&
           prae_filter_refuse(stream.filter, PRAE_REFUSE_PARTS) == PRAE_FULL,
       "%zu refusals fill a window", count);
    ok(prae_filter_received(stream.filter) == count,
       "... and the one that is too many is not taken");
    ok(prae_filter_push_message(stream.filter, "", 0, &used) == PRAE_FULL &&
           prae_filter_received(stream.filter) == count,
       "... nor an empty message");
    ok(stream_judge(&stream) == PRAE_OK && stream.taken == count &&
           send_message(&stream, "", 0) == PRAE_OK &&
           prae_filter_received(stream.filter) == count + 1,
       "... until they are given out");
    stream_close(&stream);
}

/* ---- between two parts of a stream ---- */

/* Forward messages of many events, as Fluent Bit sends them. */
static void
put_forward(prae_buffer *out, size_t events)
{
    put_head(out, 0x93, 0, 0);
    put_text(out, "tag");
    put_array(out, events);
    for (size_t i = 0; i < events; i++) {
        put_head(out, 0x92, 0, 0);
        put_real(out, 1.7e9 + (double)i);
        put_good(out, PRAE_FORMAT_MSGPACK, i, (double)i, 2.0);
    }
    put_map(out, 0);
}

/* What the filter takes of STREAM with MESSAGE pushed after CUT bytes. */
static void
take_interrupted(const prae_params *params, const prae_buffer *bytes,
                 size_t cut, const prae_buffer *message, prae_buffer *list)
{
    struct stream stream;
    size_t used = 0;

    stream_open(&stream, params);
    NEED(prae_filter_push(stream.filter, bytes->data, cut, 0, &used) ==
         PRAE_OK);
    NEED(send_message(&stream, message->data, message->len) == PRAE_OK);
    /* What was left over comes again, with more behind it. */
    NEED(stream_push(&stream, bytes->data + used, bytes->len - used,
                     cut - used + 3, 0) == PRAE_OK);
    NEED(prae_filter_push(stream.filter, "", 0, 1, &used) == PRAE_OK);
    list_taken(stream.filter, list);
    stream_close(&stream);
}

/* How many records end within the first LEN of BYTES. */
static size_t
count_taken(const prae_params *params, const prae_buffer *bytes, size_t len)
{
    struct stream stream;
    size_t used = 0;

    stream_open(&stream, params);
    NEED(prae_filter_push(stream.filter, bytes->data, len, 0, &used) ==
         PRAE_OK);
    size_t count = prae_filter_received(stream.filter);
    stream_close(&stream);
    return count;
}

/* What should have been taken: the list without a message, with the
 * message's own records behind the first BEFORE. */
static void
list_wanted(const prae_params *params, const prae_buffer *bytes, size_t before,
            const prae_buffer *message, prae_buffer *list)
{
    prae_params alone = *params;
    struct stream stream, other;
    prae_verdict verdict;
    size_t seq = 0, used;

    stream_open(&stream, params);
    NEED(prae_filter_push(stream.filter, bytes->data, bytes->len, 1, &used) ==
         PRAE_OK);
    NEED(prae_filter_release(stream.filter) == PRAE_OK);
    alone.no_header = 1;
    stream_open(&other, &alone);
    NEED(send_message(&other, message->data, message->len) == PRAE_OK);
    NEED(prae_filter_release(other.filter) == PRAE_OK);
    for (;;) {
        prae_filter *from = stream.filter;
        if (seq >= before && seq < before + prae_filter_received(other.filter))
            from = other.filter;
        if (prae_filter_next(from, &verdict) != PRAE_OK)
            break;
        put_line(list, "%zu %s ", seq++,
                 verdict.kind == PRAE_KIND_REJECT ? verdict.reject_code : "");
        put(list, verdict.record, verdict.record_len);
    }
    stream_close(&stream);
    stream_close(&other);
}

static void
test_interrupted(const char *name, prae_format format, const prae_buffer *bytes,
                 size_t least, const prae_buffer *message)
{
    prae_params params = params_of(format, 0);
    prae_buffer got = {0}, wanted = {0};
    size_t wrong = 0;

    params.record_max = 100;
    for (size_t cut = least; cut <= bytes->len; cut++) {
        got.len = wanted.len = 0;
        take_interrupted(&params, bytes, cut, message, &got);
        list_wanted(&params, bytes, count_taken(&params, bytes, cut), message,
                    &wanted);
        if (!buffer_same(&got, &wanted) && wrong++ == 0)
            printf("# cut at byte %zu of %zu\n", cut, bytes->len);
    }
    ok(wrong == 0 && wanted.len > 0,
       "%s: a stream goes on after a message, wherever that came", name);
    buffer_fini(&got);
    buffer_fini(&wanted);
}

static void
test_interruptions(void)
{
    static struct batch batch;
    prae_buffer bytes = {0}, message = {0};

    for (int f = 0; f < 3; f++) {
        batch_make(&batch, (prae_format)f, 16);
        message.len = 0;
        put(&message, batch.bytes.data + batch.end[3],
            batch.end[7] - batch.end[3]);
        test_interrupted(format_names[f], (prae_format)f, &batch.bytes,
                         batch.end[0], &message);
        buffer_fini(&batch.bytes);
    }

    message.len = 0;
    put_line(&message, "{\"x\":1}\n\n[2]");
    put_line(&bytes, BOM "[1,2]\n{\"x\":\"%0150d\"}\n[3]\n", 7);
    test_interrupted("jsonl with a line too long", PRAE_FORMAT_JSONL, &bytes, 0,
                     &message);

    bytes.len = message.len = 0;
    put_forward(&bytes, 4);
    put_good(&bytes, PRAE_FORMAT_MSGPACK, 9, 1.0, 2.0);
    put_good(&message, PRAE_FORMAT_MSGPACK, 8, 3.0, 4.0);
    test_interrupted("a Forward array", PRAE_FORMAT_MSGPACK, &bytes, 0,
                     &message);
    message.len = 0;
    put_forward(&message, 2);
    test_interrupted("a Forward array, by another", PRAE_FORMAT_MSGPACK, &bytes,
                     0, &message);
    message.len--; /* what stands behind the events is cut off */
    test_interrupted("a Forward array, by half of one", PRAE_FORMAT_MSGPACK,
                     &bytes, 0, &message);
    buffer_fini(&bytes);
    buffer_fini(&message);
}

/* ---- counting beforehand ---- */

static void
test_count(prae_format format)
{
    prae_params params = params_of(format, 0);
    static struct batch batch;
    struct stream stream;
    prae_buffer message = {0};
    struct rng rng;
    size_t wrong = 0, records = 0, used;

    params.no_header = 1;
    params.depth_max = 4;
    params.elements_max = 12;
    batch_make(&batch, format, 100);
    stream_open(&stream, &params);
    pri_rng_init(&rng, 11, 12);
    for (int i = 0; i < 4000; i++) {
        size_t count = SIZE_MAX, from = pri_rng_below(&rng, 90);
        size_t to = from + pri_rng_below(&rng, 10);
        message.len = 0;
        if (format == PRAE_FORMAT_MSGPACK && i % 5 == 0)
            put_forward(&message, pri_rng_below(&rng, 4));
        put(&message, batch.bytes.data + batch.end[from],
            batch.end[to] - batch.end[from]);
        for (int k = i % 4; k > 0 && message.len > 0; k--)
            message.data[pri_rng_below(&rng, (uint32_t)message.len)] =
                (char)pri_rng_below(&rng, 256);
        if (i % 3 == 0)
            message.len -= pri_rng_below(&rng, (uint32_t)message.len + 1);
        uint64_t before = prae_filter_received(stream.filter);
        NEED(prae_filter_push_message(stream.filter, message.data, message.len,
                                      &used) == PRAE_OK &&
             used == message.len);
        uint64_t more = prae_filter_received(stream.filter) - before;
        wrong += prae_message_count(&params, NULL, NULL, message.data,
                                    message.len, &count) != PRAE_OK ||
                 count != more;
        records += more;
    }
    ok(wrong == 0 && records > 8000,
       "%s: 4000 messages, whole and broken, count as they are taken (%zu)",
       format_names[format], records);
    stream_close(&stream);
    buffer_fini(&message);
    buffer_fini(&batch.bytes);
}

/* ---- a part of a message ---- */

static void
test_whole(void)
{
    static const char rows[] = "1,\"a\nb\nc\"\n2,\"d\ne\"\n\n3,f";
    static const size_t ends[] = {10, 18, 22};
    prae_params params = params_of(PRAE_FORMAT_CSV, 0);
    size_t len = sizeof rows - 1, count = 0, wrong = 0;

    NEED(prae_message_count(&params, NULL, NULL, rows, len, &count) ==
             PRAE_OK &&
         count == 3);
    for (size_t cut = 0; cut <= len; cut++) {
        size_t wanted = 0;
        for (size_t i = 0; i < 3; i++)
            wanted += cut >= ends[i];
        NEED(prae_message_whole(&params, rows, len, cut, &count) == PRAE_OK);
        wrong += count != wanted;
    }
    ok(wrong == 0, "records of a part are those that end in it");
}

/* ---- misuse ---- */

static void
test_misuse(void)
{
    prae_params params = params_of(PRAE_FORMAT_JSONL, 0), odd;
    struct stream stream;
    size_t used = 77, count = 77;

    odd = params;
    odd.rate = -1.0;
    stream_open(&stream, &params);
    NEED(send_message(&stream, "[1]\n", 4) == PRAE_OK);
    ok(prae_filter_push_message(NULL, "", 0, &used) == PRAE_EINVAL &&
           prae_filter_push_message(stream.filter, NULL, 1, &used) ==
               PRAE_EINVAL &&
           prae_filter_push_message(stream.filter, "", 0, NULL) ==
               PRAE_EINVAL &&
           prae_message_count(NULL, NULL, NULL, "", 0, &count) == PRAE_EINVAL &&
           prae_message_count(&params, NULL, NULL, NULL, 1, &count) ==
               PRAE_EINVAL &&
           prae_message_count(&params, NULL, NULL, "", 0, NULL) ==
               PRAE_EINVAL &&
           prae_message_count(&odd, NULL, NULL, "", 0, &count) ==
               PRAE_ECONFIG &&
           prae_message_whole(&params, NULL, 1, 0, &count) == PRAE_EINVAL,
       "NULLs and parameters that do not work are refused");
    ok(used == 77 && count == 77 && prae_filter_received(stream.filter) == 1,
       "... and nothing is changed by it");
    ok(prae_filter_push_message(stream.filter, NULL, 0, &used) == PRAE_OK &&
           used == 0 && prae_filter_received(stream.filter) == 2 &&
           prae_message_count(&params, NULL, NULL, NULL, 0, &count) ==
               PRAE_OK &&
           count == 1,
       "an empty message may be NULL");
    NEED(prae_filter_judge(stream.filter) == PRAE_OK);
    ok(prae_filter_push_message(stream.filter, "[2]\n", 4, &used) ==
               PRAE_EINVAL &&
           prae_filter_refuse(stream.filter, PRAE_REFUSE_PARTS) ==
               PRAE_EINVAL &&
           strstr(prae_filter_errmsg(stream.filter), "verdicts") != NULL &&
           prae_filter_received(stream.filter) == 2,
       "no message comes while verdicts are left");
    stream_close(&stream);
}

int
main(void)
{
    for (int f = 0; f < 3; f++) {
        test_sizes((prae_format)f);
        test_windows((prae_format)f);
        test_count((prae_format)f);
    }
    for (size_t i = 0; i < COUNT(broken); i++)
        test_broken(&broken[i]);
    test_elements();
    test_refuse();
    test_crowded();
    test_interruptions();
    test_whole();
    test_misuse();
    return tap_done();
}
