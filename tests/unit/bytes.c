/* Numbers go to bytes and back; what is wrong is noticed once and stays. */
#include <string.h>

#include "bytes.h"
#include "tap.h"

static prae_buffer buffer;

static struct reader
reader_of(size_t len)
{
    return (struct reader){.at = (const unsigned char *)buffer.data,
                           .end = (const unsigned char *)buffer.data + len};
}

static void
test_layout(void)
{
    struct writer out = {&buffer, PRAE_OK};

    buffer.len = 0;
    pri_put_u32(&out, 0x04030201);
    pri_put_u64(&out, UINT64_C(0x0807060504030201));
    pri_put_f64(&out, 1.0);
    pri_put_text(&out, "ab", 2);
    pri_put_text(&out, "", 0);
    ok(out.status == PRAE_OK && buffer.len == 4 + 8 + 8 + 6 + 4 &&
           memcmp(buffer.data,
                  "\1\2\3\4\1\2\3\4\5\6\7\10\0\0\0\0\0\0\xf0\x3f\2\0\0\0ab"
                  "\0\0\0\0",
                  buffer.len) == 0,
       "the least byte comes first");
    struct reader in = reader_of(buffer.len);
    size_t len, none = 9;
    ok(pri_get_u32(&in) == 0x04030201 &&
           pri_get_u64(&in) == UINT64_C(0x0807060504030201) &&
           pri_get_f64(&in) == 1.0 &&
           memcmp(pri_get_text(&in, &len), "ab", 2) == 0 && len == 2 &&
           pri_get_text(&in, &none) != NULL && none == 0 && in.fault == NULL &&
           in.at == in.end,
       "what was put is got");
}

static void
test_arrays(void)
{
    static const float floats[] = {0.0f, -1.5f, 1e-45f, 3.4e38f};
    static const double doubles[] = {-0.0, 5e-324, 1.7e308, (double)NAN};
    struct writer out = {&buffer, PRAE_OK};
    float f[4];
    double d[4];

    buffer.len = 0;
    pri_put_floats(&out, floats, 4);
    pri_put_doubles(&out, doubles, 4);
    struct reader in = reader_of(buffer.len);
    pri_get_floats(&in, f, 4);
    pri_get_doubles(&in, d, 4, 1);
    ok(in.fault == NULL && memcmp(f, floats, sizeof f) == 0 &&
           memcmp(d, doubles, sizeof d) == 0,
       "numbers keep every bit, gaps included");
    in = reader_of(buffer.len);
    pri_get_floats(&in, f, 4);
    pri_get_doubles(&in, d, 4, 0);
    ok(in.fault != NULL, "a gap is a fault where none may be");
}

static void
test_not_finite(void)
{
    static const double bad[] = {(double)NAN, (double)INFINITY,
                                 -(double)INFINITY};

    for (size_t i = 0; i < 3; i++) {
        struct writer out = {&buffer, PRAE_OK};
        float narrow = (float)bad[i];
        double d;
        float f;
        buffer.len = 0;
        pri_put_f64(&out, bad[i]);
        pri_put_floats(&out, &narrow, 1);
        struct reader in = reader_of(8);
        pri_get_doubles(&in, &d, 1, 0);
        struct reader gaps = reader_of(8);
        pri_get_doubles(&gaps, &d, 1, 1);
        struct reader floats = reader_of(12);
        floats.at += 8;
        pri_get_floats(&floats, &f, 1);
        ok(in.fault != NULL && floats.fault != NULL &&
               (gaps.fault == NULL) == (i == 0),
           "%g is refused, NaN only where no gap may be", bad[i]);
    }
}

/* Every read at every length: within the bytes, or a fault. */
static void
test_bounds(void)
{
    int right = 1;

    for (size_t have = 0; have < 16; have++) {
        unsigned char *bytes = malloc(have + 1);
        size_t len;
        NEED(bytes != NULL);
        memset(bytes, 0, have + 1);
        unsigned char *exact = bytes + 1; /* ends where the block does */
        struct reader four = {.at = exact, .end = exact + have};
        struct reader eight = four, some = four, text = four, count = four;
        (void)pri_get_u32(&four);
        right &= (four.fault == NULL) == (have >= 4);
        (void)pri_get_u64(&eight);
        right &= (eight.fault == NULL) == (have >= 8);
        right &= (pri_get_bytes(&some, 7) != NULL) == (have >= 7);
        (void)pri_get_text(&text, &len);
        right &= (text.fault == NULL) == (have >= 4) && len == 0;
        right &= pri_get_count(&count, 100, 1) == 0 &&
                 (count.fault == NULL) == (have >= 8);
        free(bytes);
    }
    ok(right, "nothing is read beyond the end");
    struct reader none = {0};
    ok(pri_get_bytes(&none, 0) == NULL && none.fault == NULL,
       "no bytes of nothing");
}

static void
test_latching(void)
{
    struct writer out = {&buffer, PRAE_OK};
    size_t len = 7;

    buffer.len = 0;
    pri_put_u64(&out, UINT64_MAX);
    pri_put_u64(&out, UINT64_MAX);
    struct reader in = reader_of(buffer.len);
    pri_get_fail(&in, "first");
    pri_get_fail(&in, "second");
    ok(strcmp(in.fault, "first") == 0, "the first fault is kept");
    ok(pri_get_u32(&in) == 0 && pri_get_u64(&in) == 0 &&
           pri_get_f64(&in) == 0.0 && pri_get_bytes(&in, 1) == NULL &&
           *pri_get_text(&in, &len) == '\0' && len == 0 &&
           pri_get_count(&in, 5, 1) == 0 && strcmp(in.fault, "first") == 0,
       "... and then there are only zeros");
    in = reader_of(buffer.len);
    (void)pri_get_text(&in, &len);
    ok(in.fault != NULL && len == 0, "a text that claims too much is a fault");
}

static void
test_counts(void)
{
    static const struct {
        uint64_t value;
        size_t most, item, left;
        int taken;
    } cases[] = {
        {4, 4, 2, 8, 1},
        {5, 4, 1, 8, 0},
        {4, 4, 2, 7, 0},
        {0, 0, 8, 0, 1},
        {UINT64_MAX, SIZE_MAX, 8, 64, 0},
        {UINT64_C(1) << 61, SIZE_MAX, 8, 64, 0},
        {UINT64_C(1) << 31, SIZE_MAX, 1, 64, 0},
    };
    int right = 1;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct writer out = {&buffer, PRAE_OK};
        buffer.len = 0;
        pri_put_u64(&out, cases[i].value);
        for (size_t k = 0; k < 64; k++)
            pri_put_bytes(&out, "", 1);
        struct reader in = reader_of(8 + cases[i].left);
        size_t got = pri_get_count(&in, cases[i].most, cases[i].item);
        right &= cases[i].taken ? in.fault == NULL && got == cases[i].value
                                : in.fault != NULL && got == 0;
    }
    ok(right, "a count is believed where the bytes could hold it");
}

/* Counts that go on, and numbers with an end. */
static void
test_ranges(void)
{
    const uint64_t most = PRI_TALLY_MOST, half = most / 2;
    const struct {
        uint64_t value, got;
    } tallies[] = {{0, 0},           {7, 7},       {half - 1, half - 1},
                   {half + 5, half}, {most, half}, {most + 1, 0}};
    static const struct {
        double value;
        int faded, within, gaps; /* whether it is taken */
    } numbers[] = {{0.0, 1, 1, 1},
                   {0.5, 1, 1, 1},
                   {-10.0, 0, 1, 1},
                   {10.5, 1, 0, 0},
                   {1e19, 0, 0, 0},
                   {(double)NAN, 0, 0, 1},
                   {-(double)INFINITY, 0, 0, 0}};
    int right = 1;

    for (size_t i = 0; i < sizeof tallies / sizeof *tallies; i++) {
        struct writer out = {&buffer, PRAE_OK};
        buffer.len = 0;
        pri_put_u64(&out, tallies[i].value);
        struct reader in = reader_of(8);
        uint64_t got = pri_get_tally(&in);
        right &= (in.fault == NULL) == (tallies[i].value <= most);
        right &= in.fault != NULL || got == tallies[i].got;
    }
    ok(right, "a count leaves room for as much again");
    right = 1;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct writer out = {&buffer, PRAE_OK};
        buffer.len = 0;
        pri_put_f64(&out, numbers[i].value);
        struct reader faded = reader_of(8), within = faded, gaps = faded;
        right &= pri_get_faded(&faded) == numbers[i].value ||
                 faded.fault != NULL;
        right &= (faded.fault == NULL) == numbers[i].faded;
        (void)pri_get_within(&within, 10.0, 0);
        right &= (within.fault == NULL) == numbers[i].within;
        (void)pri_get_within(&gaps, 10.0, 1);
        right &= (gaps.fault == NULL) == numbers[i].gaps;
    }
    ok(right, "a number is refused beyond its range");
}

static void
test_sections(void)
{
    struct writer out = {&buffer, PRAE_OK};
    struct reader section;
    char tag[5] = "";

    buffer.len = 0;
    size_t one = pri_begin_section(&out, "ONE ");
    pri_put_u32(&out, 1);
    pri_end_section(&out, one);
    size_t two = pri_begin_section(&out, "TWO ");
    pri_end_section(&out, two);
    struct reader in = reader_of(buffer.len);
    ok(pri_get_section(&in, tag, &section) && strcmp(tag, "ONE ") == 0 &&
           section.end - section.at == 4 && pri_get_u32(&section) == 1 &&
           pri_get_u32(&section) == 0 && section.fault != NULL &&
           in.fault == NULL,
       "a section is a reader of its own");
    ok(pri_get_section(&in, tag, &section) && strcmp(tag, "TWO ") == 0 &&
           section.at == section.end,
       "... and may be empty");
    ok(!pri_get_section(&in, tag, &section) && in.fault == NULL,
       "... and there is a last one");
    int right = 1;
    for (size_t len = 1; len < buffer.len; len++) {
        if (len == 16)
            continue; /* the first, whole */
        in = reader_of(len);
        while (pri_get_section(&in, tag, &section))
            continue;
        right &= in.fault != NULL;
    }
    ok(right, "a section cut short is a fault");
}

/* Twice of it is no size any more. */
static void
test_vast(void)
{
    char byte = 'a';
    prae_buffer vast = {&byte, SIZE_MAX / 2 + 1, SIZE_MAX / 2 + 1};
    struct writer full = {&vast, PRAE_OK};

    pri_put_bytes(&full, "more", 4);
    ok(full.status == PRAE_ENOMEM && vast.data == &byte &&
           vast.cap == SIZE_MAX / 2 + 1,
       "a buffer does not grow beyond what a size can say");
}

int
main(void)
{
    test_layout();
    test_arrays();
    test_not_finite();
    test_bounds();
    test_latching();
    test_counts();
    test_ranges();
    test_sections();
    test_vast();
    free(buffer.data);
    return tap_done();
}
