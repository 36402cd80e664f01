/* A reject's text has the line that it is on, in its own file or message,
 * whatever was skipped before it and in whatever pieces it came. */
#include "records.h"

#define BOM "\xef\xbb\xbf"

/* The lines of all rejects, as "3 5 -": without one it is a dash. */
static void
note_line(const prae_verdict *verdict, void *data)
{
    prae_buffer *lines = data;
    int len = 0;

    if (verdict->kind != PRAE_KIND_REJECT)
        return;
    if (sscanf(verdict->reject_text, "line %*u: %n", &len) == 0 && len > 0)
        put_line(lines, "%d ", atoi(verdict->reject_text + 5));
    else
        put_line(lines, "- ");
}

static int
is_text(prae_buffer *lines, const char *text)
{
    size_t len = strlen(text);
    int same = lines->len == len &&
               (len == 0 || memcmp(lines->data, text, len) == 0);

    if (!same)
        printf("# lines %.*s, not %s\n", (int)lines->len,
               lines->data == NULL ? "" : lines->data, text);
    buffer_fini(lines);
    return same;
}

/* A stream with something learned, so that records are read by a plan, too. */
static void
open_noting(struct stream *stream, prae_format format, prae_buffer *lines)
{
    prae_params params = params_of(format, WINDOW);
    prae_buffer in = {0};

    if (format == PRAE_FORMAT_CSV)
        put_line(&in, "x,y,z\r\n");
    put_records(&in, format, 0, WINDOW);
    stream_open(stream, &params);
    stream->look = note_line;
    stream->data = lines;
    NEED(stream_push(stream, in.data, in.len, SIZE_MAX, 1) == PRAE_OK);
    buffer_fini(&in);
}

static const struct {
    const char *name;
    prae_format format;
    const char *bytes, *lines;
} cases[] = {
    {"a header again", PRAE_FORMAT_CSV, "x,y,z\n1,2,3\n1,2\n", "3 "},
    {"behind blank lines", PRAE_FORMAT_CSV,
     BOM "\r\n\nx,y,z\r\n1,2,3\r\n1,2\r\n\r\n1,2,3,4", "5 7 "},
    {"no header", PRAE_FORMAT_CSV, "1,2,3\n1,2\n", "2 "},
    {"no header behind blank lines", PRAE_FORMAT_CSV, "\n\n1,2\n1,2,3\n1\n",
     "3 5 "},
    {"cells of two lines", PRAE_FORMAT_CSV,
     "x,y,z\n\"1\n\",2,3\n1,2\n\"1\n2\",3\n", "3 4 6 "},
    {"a first row of two lines", PRAE_FORMAT_CSV, "\n\"1\n2\",3\n4\n",
     "3 4 "},
    {"a quote that does not close", PRAE_FORMAT_CSV, "\n\"1,2,3\n4\n", "2 3 "},
    {"jsonl", PRAE_FORMAT_JSONL, "\n{\"x\":}\n\n17\n", "2 4 "},
    {"jsonl with a mark", PRAE_FORMAT_JSONL,
     BOM "{\"x\":1,\"in\":{\"y\":2,\"z\":1}}\r\n[\r\n]", "2 3 "},
};

static void
test_files(void)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t wrong = 0;
        for (size_t step = 1; step < 9; step++) {
            struct stream stream;
            prae_buffer lines = {0};
            open_noting(&stream, cases[i].format, &lines);
            for (int k = 0; k < 2; k++) {
                NEED(stream_push(&stream, cases[i].bytes,
                                 strlen(cases[i].bytes), step,
                                 1) == PRAE_OK);
                wrong += !is_text(&lines, cases[i].lines);
            }
            stream_close(&stream);
        }
        ok(wrong == 0, "lines of a second file and a third: %s",
           cases[i].name);
    }
}

static void
test_messages(void)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t len = strlen(cases[i].bytes), used, wrong = 0;
        struct stream stream;
        prae_buffer lines = {0};
        open_noting(&stream, cases[i].format, &lines);
        for (int k = 0; k < 2; k++) {
            NEED(prae_filter_push_message(stream.filter, cases[i].bytes, len,
                                          &used) == PRAE_OK &&
                 used == len && stream_judge(&stream) == PRAE_OK);
            wrong += !is_text(&lines, cases[i].lines);
        }
        ok(wrong == 0, "and of a message: %s", cases[i].name);
        stream_close(&stream);
    }
}

/* Messages amid a file. */
static void
test_both(void)
{
    struct stream stream;
    prae_buffer lines = {0};
    size_t used;

    open_noting(&stream, PRAE_FORMAT_JSONL, &lines);
    NEED(prae_filter_push(stream.filter, "\n1\n\n2\n", 6, 0, &used) ==
             PRAE_OK &&
         prae_filter_push_message(stream.filter, "\n\n\n3", 4, &used) ==
             PRAE_OK &&
         prae_filter_push_message(stream.filter, "", 0, &used) == PRAE_OK &&
         prae_filter_refuse(stream.filter, PRAE_REFUSE_PARTS) == PRAE_OK &&
         prae_filter_push(stream.filter, "4\n", 2, 1, &used) == PRAE_OK &&
         stream_judge(&stream) == PRAE_OK);
    ok(is_text(&lines, "2 4 4 - - 5 "),
       "a file's lines go on behind messages, and what is none has no line");
    stream_close(&stream);
}

int
main(void)
{
    test_files();
    test_messages();
    test_both();
    return tap_done();
}
