/* flagged.c - what the readers of the three formats share. */
#include "flagged.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum parse
flagged_parse(prae_format format, const struct flagged_input *input,
              struct flagged *out, struct flagged_fault *fault)
{
    /* Without the reasons, of which none is looked at beyond their count. */
    out->is_header = out->is_reject = 0;
    out->seq = out->window = 0;
    out->score = out->p = out->gate = out->error = (double)NAN;
    out->model = (double)NAN;
    out->state = out->code = out->clause = (struct word){"", 0};
    out->original = out->end = (struct word){"", 0};
    out->why_count = 0;
    out->is_whole = 1;
    out->start = out->size = 0;
    switch (format) {
    case PRAE_FORMAT_JSONL: return flagged_jsonl(input, out, fault);
    case PRAE_FORMAT_CSV: return flagged_csv(input, out, fault);
    case PRAE_FORMAT_MSGPACK: break;
    }
    return flagged_msgpack(input, out, fault);
}

int
word_is(struct word word, const char *text)
{
    return word.len == strlen(text) && memcmp(word.text, text, word.len) == 0;
}

/* WORD with a zero behind it, in TEXT. 0 where it is too long for a number
 * or has something before it that strtod would skip. */
static int
copy_number(struct word word, char text[FLAGGED_DIGITS + 1])
{
    if (word.len == 0 || word.len > FLAGGED_DIGITS || word.text[0] <= ' ')
        return 0;
    memcpy(text, word.text, word.len);
    text[word.len] = '\0';
    return strlen(text) == word.len;
}

int
word_number(struct word word, double *number)
{
    char text[FLAGGED_DIGITS + 1], *end;

    if (!copy_number(word, text))
        return 0;
    *number = strtod(text, &end);
    return *end == '\0';
}

int
word_whole(struct word word, uint64_t *whole)
{
    uint64_t sum = 0;

    if (word.len == 0 || word.len > 20)
        return 0;
    for (size_t i = 0; i < word.len; i++) {
        unsigned digit = (unsigned)(word.text[i] - '0');
        if (digit > 9 || sum > (UINT64_MAX - digit) / 10)
            return 0;
        sum = 10 * sum + digit;
    }
    *whole = sum;
    return 1;
}

int
flagged_is_blank(const char *text, size_t len)
{
    size_t i = 0;

    while (i < len && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r'))
        i++;
    return i == len;
}

int
flagged_line(const struct flagged_input *input, size_t from, size_t newline,
             size_t *len, struct word *end)
{
    const char *bytes = input->bytes;

    if (newline == input->len && !input->at_end)
        return 0;
    *end = (struct word){bytes + newline, newline < input->len};
    *len = newline - from;
    if (end->len > 0 && *len > 0 && bytes[newline - 1] == '\r') {
        *end = (struct word){bytes + newline - 1, 2};
        --*len;
    }
    return 1;
}
