/*
 * fuzz_flagged.c - any bytes as a file of flagged records.
 *
 * The lowest two bits of the first byte choose the format. All records of
 * the rest are read and shown; this file aborts where words lie outside of
 * the bytes, where reading would not come to an end, or where a record that
 * was whole is another when the file ends behind it.
 *
 * About: src/praectl/envelope_read.c src/praectl/flagged*.c
 * src/praectl/msgpack_head.c src/praectl/plain*.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plain.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static const prae_format formats[4] = {PRAE_FORMAT_MSGPACK, PRAE_FORMAT_JSONL,
                                       PRAE_FORMAT_CSV, PRAE_FORMAT_CSV};

static FILE *nowhere;

static void
need(int held)
{
    if (!held)
        abort();
}

/* WORD lies in the input or in the scratch, or is a literal of no length. */
static void
check_word(const struct flagged_input *input, struct word word)
{
    const char *end = word.text + word.len;

    need(word.len == 0 ||
         (word.text >= input->bytes && end <= input->bytes + input->len) ||
         (word.text >= input->scratch && end <= input->scratch + input->len));
    plain_text(nowhere, word);
}

static void
check_value(const struct flagged_input *input, const struct value *value)
{
    if (value->kind == VALUE_TEXT)
        check_word(input, value->text);
    plain_value(nowhere, value);
}

static void
check_record(const struct flagged_input *input, const struct flagged *record)
{
    need(record->size > 0 && record->start <= input->len &&
         record->size <= input->len - record->start);
    need(record->why_count <= FLAGGED_REASONS);
    check_word(input, record->original);
    check_word(input, record->end);
    check_word(input, record->state);
    check_word(input, record->code);
    check_word(input, record->clause);
    plain_msgpack(nowhere, record->original);
    for (size_t i = 0; i < record->why_count; i++) {
        check_word(input, record->why[i].field);
        check_value(input, &record->why[i].observed);
        check_value(input, &record->why[i].expected);
    }
}

/* The record, by itself and at a file's end, is the same. */
static void
check_again(prae_format format, const struct flagged_input *input,
            const struct flagged *record)
{
    static struct flagged again;
    struct flagged_fault fault;
    char *scratch = malloc(record->size);
    struct flagged_input alone = {input->bytes + record->start, record->size, 1,
                                  scratch};

    need(scratch != NULL);
    need(flagged_parse(format, &alone, &again, &fault) == PARSE_OK);
    need(again.size == record->size && again.seq == record->seq &&
         again.why_count == record->why_count &&
         again.original.len == record->original.len &&
         (again.original.len == 0 ||
          memcmp(again.original.text, record->original.text,
                 again.original.len) == 0));
    free(scratch);
}

static void
read_all(prae_format format, struct flagged_input input)
{
    static struct flagged record;
    struct flagged_fault fault = {"", 0};
    enum parse status;

    while ((status = flagged_parse(format, &input, &record, &fault)) ==
           PARSE_OK) {
        check_record(&input, &record);
        check_again(format, &input, &record);
        input.bytes += record.start + record.size;
        input.len -= record.start + record.size;
    }
    need(status != PARSE_BAD || fault.at <= input.len);
    need(status != PARSE_END || input.at_end);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    if (size == 0)
        return 0;
    if (nowhere == NULL)
        nowhere = fopen("/dev/null", "w");
    char *scratch = malloc(size);
    need(nowhere != NULL && scratch != NULL);
    struct flagged_input input = {(const char *)data + 1, size - 1, 0, scratch};
    read_all(formats[data[0] & 3], input);
    input.at_end = 1;
    read_all(formats[data[0] & 3], input);
    free(scratch);
    return 0;
}
