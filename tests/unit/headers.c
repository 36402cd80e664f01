/* A CSV's header in messages: who reads them and who counts them beforehand
 * take the same rows for it. */
#include "records.h"

#define BOM "\xef\xbb\xbf"

/* What the filter has of a header, as prae_message_count wants it. */
static const char *
header_so_far(const prae_filter *filter, size_t *len)
{
    *len = 0;
    return prae_filter_awaits_header(filter) ? NULL
                                             : prae_filter_header(filter, len);
}

/* How many records TEXT, a message, turns out to be; *WRONG is added to where
 * it was not counted as so many, by what the filter knows and by what COUNTED
 * (*COUNTED_LEN), which never asked it, does. */
static uint64_t
send_counted(prae_filter *filter, const prae_params *params, const char *text,
             const char **counted, size_t *counted_len, size_t *wrong)
{
    size_t len = strlen(text), known_len, by_filter = 77, by_itself = 77, used;
    const char *known = header_so_far(filter, &known_len);
    uint64_t before = prae_filter_received(filter);

    NEED(prae_message_count(params, &known, &known_len, text, len,
                            &by_filter) == PRAE_OK &&
         prae_message_count(params, counted, counted_len, text, len,
                            &by_itself) == PRAE_OK &&
         prae_filter_push_message(filter, text, len, &used) == PRAE_OK);
    uint64_t more = prae_filter_received(filter) - before;
    *wrong += by_filter != more || by_itself != more;
    known = header_so_far(filter, &known_len);
    *wrong += (known == NULL) != (*counted == NULL) ||
              known_len != *counted_len ||
              (known != NULL && memcmp(known, *counted, known_len) != 0);
    return more;
}

static void
test_repeated(void)
{
    static const struct {
        const char *message;
        size_t count;
    } cases[] = {
        {"x,y,z\n1,2,3\n", 1},  {"x,y,z\r\n1,2,3\r\n4,5,6", 2},
        {"x,y,z\n", 0},         {"x,y,z", 0},
        {"x,y,z\r", 0},         {"7,8,9", 1},
        {"x,y,zz\n1,2,3\n", 2}, {"x,y\n", 1},
        {"x,z,y\n1,2,3\n", 2},  {"1,2,3\nx,y,z\n", 2},
        {"x,y,z\nx,y,z\n", 1},  {BOM "x,y,z\n1,2,3\n", 1},
        {BOM "1,2,3\n", 1},     {"\n", 0},
        {"\nx,y,z\n", 0},       {"", 1},
        {"\n\nx,y,z\n1,2,3", 1}, {BOM "\r\nx,y,z", 0},
        {"\n1,2,3\nx,y,z\n", 2}, {"\n \r\n", 0},
    };
    prae_params params = params_of(PRAE_FORMAT_CSV, 0);
    const char *header, *counted = NULL;
    size_t len, counted_len = 0, wrong = 0;
    struct stream stream;

    stream_open(&stream, &params);
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t more =
            send_counted(stream.filter, &params, cases[i].message, &counted,
                         &counted_len, &wrong);
        ok(more == cases[i].count, "message %zu has %zu records (%llu)", i,
           cases[i].count, (unsigned long long)more);
    }
    ok(wrong == 0, "and they are counted so beforehand");
    header = prae_filter_header(stream.filter, &len);
    ok(len == 6 && memcmp(header, "x,y,z\n", 6) == 0,
       "the header stays what it was");
    stream_close(&stream);
}

/* Each message begins with the same text, of which only the first is sure to
 * be a header. */
static void
test_first(void)
{
    static const struct {
        const char *name, *header;
        size_t count[3]; /* with a row behind it; alone; with a row, again */
    } cases[] = {
        {"plain", "x,y\r\n", {1, 0, 1}},
        {"with a carriage return more", "x,y\r\r\n", {1, 0, 1}},
        {"with a newline within quotes", "\"x\na\",y\n", {1, 0, 1}},
        {"with a mark", BOM "x,y\n", {1, 0, 1}},
        {"behind a blank line", "\n \r\nx,y\n", {1, 0, 1}},
        {"behind nothing", "", {0, 1, 0}},
        {"with text behind a quote", "\"x\"a,y\n", {2, 1, 2}},
        {"with a byte that is no UTF-8", "\xff,y\n", {2, 1, 2}},
        {"longer than a record may be", "xxxxxxxxxxxxxxxx,y\n", {2, 1, 2}},
        {"of too many columns", "a,b,c,d,e,f\n", {2, 1, 2}},
        {"whose quote does not close", "\"x,y\n", {2, 1, 2}},
    };
    prae_params params = params_of(PRAE_FORMAT_CSV, 0);

    params.record_max = 16;
    params.elements_max = 6;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[3][64];
        const char *counted = NULL;
        size_t counted_len = 0, wrong = 0;
        prae_filter *filter;

        NEED(prae_filter_new(&params, &filter) == PRAE_OK);
        for (size_t k = 0; k < 3; k++) {
            snprintf(text[k], sizeof text[k], "%s%s", cases[i].header,
                     k == 1 ? "" : "1,2\n");
            wrong += send_counted(filter, &params, text[k], &counted,
                                  &counted_len, &wrong) != cases[i].count[k];
        }
        ok(wrong == 0, "a header %s is counted as it is taken", cases[i].name);
        prae_filter_free(filter);
    }
}

static void
test_none(void)
{
    prae_params params = params_of(PRAE_FORMAT_CSV, 0);
    const char *header = NULL;
    size_t len = 0, count = 0, wrong = 0;
    prae_filter *filter;

    NEED(prae_message_count(&params, NULL, NULL, "x,y\n1,2\n", 8, &count) ==
         PRAE_OK);
    ok(count == 2, "who counts without a header has every row");
    params.no_header = 1;
    NEED(prae_filter_new(&params, &filter) == PRAE_OK);
    ok(!prae_filter_awaits_header(filter) && !prae_filter_awaits_header(NULL),
       "without one none is awaited");
    header = header_so_far(filter, &len);
    for (size_t i = 0; i < 2; i++)
        wrong += send_counted(filter, &params, "1,2\n", &header, &len,
                              &wrong) != 1;
    ok(wrong == 0, "and every line is a record");
    prae_filter_free(filter);
    header = NULL;
    len = 3;
    ok(prae_message_count(&params, &header, NULL, "", 0, &count) ==
               PRAE_EINVAL &&
           prae_message_count(&params, &header, &len, "x\n", 2, &count) ==
               PRAE_OK &&
           header == NULL && len == 3 && count == 1,
       "a header that cannot come is left as it is");
}

int
main(void)
{
    test_repeated();
    test_first();
    test_none();
    return tap_done();
}
