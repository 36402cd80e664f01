/* record.c - words for why a record is refused. */
#include "record.h"

static const struct {
    const char *code;
    const char *text;
} faults[FAULT_COUNT] = {
    [FAULT_NONE] = {"", ""},
    [FAULT_MALFORMED] = {"malformed", "not a value of the input's format"},
    [FAULT_TYPE] = {"type", "a value of a kind that has no place there"},
    [FAULT_DEPTH] = {"depth", "nested deeper than the limit"},
    [FAULT_LENGTH] = {"length", "longer than the limit"},
    [FAULT_ELEMENTS] = {"elements", "more fields than a record may have"},
    [FAULT_NONFINITE] = {"nonfinite", "a feature is NaN or infinite"},
    [FAULT_MISSING] = {"missing", "more than half of the features are missing"},
    [FAULT_DIMENSION] = {"dimension", "an array or a row of another length"},
    [FAULT_FEATURES] = {"features", "no field of its window makes a feature, or too many do"},
    [FAULT_PARTS] = {"parts", "a message of more frames than the limit"},
};

const char *
pri_fault_code(enum fault fault)
{
    return faults[fault].code;
}

const char *
pri_fault_text(enum fault fault)
{
    return faults[fault].text;
}
