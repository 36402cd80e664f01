/*
 * codec.h - step 2: bytes to records.
 *
 * A codec is asked for the next record in a span of bytes and says how far
 * it reaches. It keeps no bytes: whoever calls keeps what is not used up
 * and calls again with more. Nothing is allocated once the longest record
 * has been seen, and no count from outside is believed before it has been
 * held against the bytes that are there.
 */
#ifndef PRI_CODEC_H
#define PRI_CODEC_H

#include "prae.h"
#include "record.h"

#define PRI_DEPTH_MAX 256 /* what limits.depth is cut to */

struct codec_limits {
    size_t record_bytes; /* longest record (1 MiB) */
    size_t depth;        /* containers within each other (32) */
    size_t elements;     /* fields of a record, containers too (65536) */
};

/* msgpack: where we are in a Forward message of many events. */
struct forward {
    uint64_t events; /* still to come in an array */
    uint64_t bytes;  /* still to come in packed bytes */
    uint32_t behind; /* values behind the events */
};

/* Where reading stopped, between two calls. */
struct reading {
    struct forward forward;
    int begun;         /* past the place for a byte order mark */
    int headed;        /* csv: past the place for a header, which may come
                          again where another file or a message begins */
    int skipping;      /* in the rest of a line that was too long */
    uint64_t line;     /* jsonl, csv: lines used up of the file or message, so
                          the last record's last line, from 1; a line that is
                          too long counts when it is refused */
    size_t scanned;    /* bytes of an unfinished record without its end */
    uint64_t due;      /* msgpack: values still to come behind them */
    int is_plain;      /* msgpack: the unfinished value is no batch */
    int scan_state;    /* csv: the state its scan stopped in */
    size_t first_line; /* csv: its bytes to its first newline, where that is
                          within quotes; else 0 */
    size_t unclosed;   /* csv: bytes in which a quote that is open at a newline
                          does not close; at their end it still is open */
};

struct codec {
    prae_format format;
    struct codec_limits limits;
    int no_header; /* csv: the first line is a record already */
    int counts;    /* jsonl, csv: where records end is all that matters */

    struct record record; /* what was decoded last */
    char *scratch;        /* texts with their escapes undone */
    size_t scratch_len;
    size_t scratch_cap;

    struct reading reading;

    /* csv: the header's names, one after another in `names`. */
    char *names;
    uint32_t *name_end; /* (name_count) where each name ends */
    size_t name_count;
    int header_done;
    char *header;      /* csv: the header's bytes as they came, with the
                          line's end where it had one; no byte order mark */
    size_t header_len; /* 0 where there is none or it was refused */
    size_t width;      /* csv: cells of a row, 0 before it is known */
};

/* A codec with LIMITS. PRAE_OK or PRAE_ENOMEM. */
prae_status pri_codec_init(struct codec *codec, prae_format format,
                           const struct codec_limits *limits);
void pri_codec_fini(struct codec *codec);

/*
 * Decodes the next record in BYTES (LEN); AT_END says that no more follow.
 *
 * PRAE_OK     codec->record holds it: len_bytes of BYTES are used up.
 *             Where record.fault is set the extent is right, the fields
 *             are not.
 * PRAE_MORE   the record is not complete; call again with the same bytes
 *             and more behind them. Never at the end. Where len_bytes is
 *             not 0, that many are used up (blank lines, a header, the
 *             rest of a line that was too long) and must not come again.
 * PRAE_END    nothing but blanks (len_bytes of them) is left, at the end.
 * PRAE_EDATA  the bytes behind the first len_bytes, which are used up, are
 *             no record and the next cannot be found: record.fault says why,
 *             and fault_at where, from there. MessagePack only.
 * PRAE_ENOMEM
 */
prae_status pri_codec_next(struct codec *codec, const char *bytes, size_t len,
                           int at_end);

/*
 * Decodes once more a record that was decoded without a fault: BYTES (LEN)
 * from its start to its end. Where reading stopped in the stream is left
 * as it is, so this may come between any two calls of pri_codec_next.
 * Returned as there; len_bytes is of no use.
 */
prae_status pri_codec_again(struct codec *codec, const char *bytes, size_t len);

/* A message begins between two parts of a byte stream, and ends: where the
 * stream was left comes back in *KEPT, and is given back. */
void pri_codec_leave(struct codec *codec, struct reading *kept);
void pri_codec_return(struct codec *codec, const struct reading *kept);

/* ---- for the formats' own files ---- */

prae_status pri_msgpack_next(struct codec *codec, const char *bytes, size_t len,
                             int at_end);
/* One value as a record, whatever it is part of. */
prae_status pri_msgpack_value(struct codec *codec, const char *bytes,
                              size_t len, int at_end);

/* Of BYTES (LEN) those that the next record must lie in, by the limits and a
 * message around it; 0 where it is not known to begin at the first, or to end
 * among them. And that it was there, and used up USED bytes. */
size_t pri_msgpack_room(struct codec *codec, const char *bytes, size_t len);
void pri_msgpack_passed(struct codec *codec, size_t used);

/* A value's type and its items or bytes, from its first *HEAD_LEN bytes.
 * PRAE_OK, PRAE_MORE, PRAE_EDATA. */
prae_status pri_msgpack_head(const char *bytes, size_t len,
                             enum field_type *type, uint32_t *count,
                             size_t *head_len);

/* The length of a value with all that is in it. PRAE_OK, PRAE_MORE,
 * PRAE_EDATA. */
prae_status pri_msgpack_skip(struct codec *codec, const char *bytes, size_t len,
                             size_t *value_len);

/*
 * As pri_msgpack_skip, of the value FROM bytes behind BYTES, where its end is
 * left in *END. A value that is not complete is gone on with when it is asked
 * for again, so however small the pieces are that it comes in, none is looked
 * at twice; reading.scanned is to be 0 before another one.
 */
prae_status pri_msgpack_pass(struct codec *codec, const char *bytes, size_t len,
                             size_t from, size_t *end);

prae_status pri_jsonl_next(struct codec *codec, const char *bytes, size_t len,
                           int at_end);
prae_status pri_csv_next(struct codec *codec, const char *bytes, size_t len,
                         int at_end);
/* The header alone, which is awaited. As pri_codec_next; where record.fault is
 * set it was refused, and is a record. */
prae_status pri_csv_header(struct codec *codec, const char *bytes, size_t len,
                           int at_end);
/* HEADER (HEADER_LEN) is known already, and passed over where the first row
 * of BYTES (LEN) is the same again, as senders of CSV repeat it: len_bytes are
 * used up, with the blank lines before it. As pri_codec_next, but that PRAE_OK
 * leaves no record. */
prae_status pri_csv_header_again(struct codec *codec, const char *header,
                                 size_t header_len, const char *bytes,
                                 size_t len, int at_end);
/* FIELD is what the cell TEXT (LEN) looks like; *WIDE is added to where it is
 * an integer beyond 2^53. Quotes around it are left out, and do not make it a
 * text: many programs put them around everything. */
void pri_csv_classify(const char *text, size_t len, struct field *field,
                      uint32_t *wide);

/*
 * Adds a field with PARENT, or finds the record full. NULL out of memory or
 * at limits.elements, told apart by record.fault.
 */
struct field *pri_record_add(struct codec *codec, uint32_t parent);

/* Room for LEN more bytes of scratch, or NULL. Earlier texts stay where
 * they are: the first call of a record must ask for all it may need. */
char *pri_codec_scratch(struct codec *codec, size_t len);

#endif
