/*
 * record.h - a record as every format gives it: a flat list of fields.
 *
 * Containers are fields too, and every field names the one it lies in, so
 * a path such as a.b.2 is read upwards. Names and texts point into the
 * bytes the record was decoded from, or into the codec's scratch where an
 * escape had to be undone; both hold until the next record is decoded.
 */
#ifndef PRI_RECORD_H
#define PRI_RECORD_H

#include <stddef.h>
#include <stdint.h>

enum field_type {
    FIELD_NIL,
    FIELD_BOOL,    /* number is 0 or 1 */
    FIELD_INTEGER, /* number, exact up to 2^53 */
    FIELD_REAL,    /* number, may be NaN or infinite */
    FIELD_TIME,    /* number is seconds since 1970 */
    FIELD_TEXT,    /* text */
    FIELD_BYTES,   /* bin, ext: no feature is made of it */
    FIELD_MAP,
    FIELD_ARRAY
};

struct field {
    const char *key;  /* the name in a map, NULL in an array */
    const char *text; /* FIELD_TEXT only */
    double number;
    uint32_t key_len;
    uint32_t text_len;
    uint32_t parent; /* the container's place in the list; the root's is 0 */
    uint32_t index;  /* the place among the container's own fields */
    uint8_t type;    /* enum field_type */
};

/* Why a record is refused. The texts in record.c are part of the format of
 * rejects. */
enum fault {
    FAULT_NONE,
    FAULT_MALFORMED, /* not a value of the format */
    FAULT_TYPE,      /* a value, but of a kind that has no place there */
    FAULT_DEPTH,     /* nested too deep */
    FAULT_LENGTH,    /* claims or has more bytes than a record may have */
    FAULT_ELEMENTS,  /* more fields than a record may have */
    FAULT_NONFINITE, /* NaN or an infinity */
    FAULT_MISSING,   /* more than half of the features are not there */
    FAULT_DIMENSION, /* an array of another length */
    FAULT_FEATURES,  /* no field of its window makes one, or too many */
    FAULT_PARTS,     /* a message of more frames than it may have */
    FAULT_COUNT
};

struct record {
    struct field *field; /* field[0] is the root, a map or an array */
    size_t count;
    size_t cap;
    size_t root;        /* the container whose fields are the record's: 0, or
                           the map within an event of Fluentd's forms */
    size_t len_bytes;   /* the record's extent in the bytes given, with
                           what stands before it and its line's end */
    size_t start;       /* of the record itself, after what is skipped */
    enum fault fault;   /* why the fields are not to be used */
    size_t fault_at;    /* byte from the record's start where it broke */
    uint32_t wide_ints; /* integers beyond 2^53, rounded */
};

/* The code that stands in a reject: "malformed", "type", ... */
const char *pri_fault_code(enum fault fault);

/* One clause on what it means. */
const char *pri_fault_text(enum fault fault);

#endif
