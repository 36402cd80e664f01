/* JSON that any reader takes, and that may stand in a page, whatever the
 * texts. */
#include "json.h"

#include <string.h>

#include "tap.h"

static prae_buffer buffer;

static struct json
fresh(void)
{
    buffer.len = 0;
    return (struct json){.out = &buffer};
}

static int
is_now(const char *text)
{
    int same = buffer.len == strlen(text) &&
               memcmp(buffer.data, text, buffer.len) == 0;

    if (!same)
        printf("# got %.*s\n", (int)buffer.len, buffer.data);
    return same;
}

static void
test_shape(void)
{
    struct json json = fresh();

    json_open(&json, NULL, '{');
    json_count(&json, "a", 18446744073709551615u);
    json_open(&json, "b", '[');
    json_number(&json, NULL, 0.1);
    json_number(&json, NULL, -1e300);
    json_close(&json, ']');
    json_open(&json, "c", '[');
    json_close(&json, ']');
    json_flag(&json, "d", 1);
    json_null(&json, "e");
    json_close(&json, '}');
    ok(is_now("{\"a\":18446744073709551615,\"b\":[0.1,-1e+300],\"c\":[],"
              "\"d\":true,\"e\":null}"),
       "objects, lists, numbers");
}

static void
test_numbers(void)
{
    struct json json = fresh();

    json_open(&json, NULL, '[');
    json_number(&json, NULL, (double)NAN);
    json_number(&json, NULL, (double)INFINITY);
    json_number(&json, NULL, -(double)INFINITY);
    json_number(&json, NULL, 1.0 / 3.0);
    json_number(&json, NULL, 1794855060.29957);
    json_close(&json, ']');
    ok(is_now("[null,null,null,0.333333333333333,1794855060.29957]"),
       "what is not finite is null");
}

static void
test_texts(void)
{
    static const struct {
        const char *text, *wanted, *what;
    } cases[] = {
        {"</script><b a='&\">",
         "\"\\u003c/script\\u003e\\u003cb a=\\u0027"
         "\\u0026\\u0022\\u003e\"",
         "markup is none"},
        {"a\\b\n\x01\x7f", "\"a\\u005cb\\u000a\\u0001\\u007f\"",
         "backslashes and controls"},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
         "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", "UTF-8 stays"},
        {"\xe2\x80\xa8\xe2\x80\xa9", "\"\\u2028\\u2029\"",
         "ends of lines that scripts know"},
        {"\xff\xc0\xaf\xed\xa0\x80\xf5\xe2\x82",
         "\"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd"
         "\\ufffd\"",
         "what is not UTF-8 is replaced"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct json json = fresh();
        json_text(&json, NULL, cases[i].text);
        ok(is_now(cases[i].wanted), "%s", cases[i].what);
    }
    struct json json = fresh();
    json_bytes(&json, NULL, "a\0b", 3);
    ok(is_now("\"a\\u0000b\""), "a zero is a character");
}

int
main(void)
{
    test_shape();
    test_numbers();
    test_texts();
    free(buffer.data);
    return tap_done();
}
