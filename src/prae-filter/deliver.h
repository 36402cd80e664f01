/* deliver.h - a verdict's way to the outputs. */
#ifndef DELIVER_H
#define DELIVER_H

#include "sink.h"

struct outputs {
    const struct options *options;
    struct routes routes;
    struct sink sink[SINK_COUNT]; /* inliers, outliers, rejects, scores */
    struct sink *rejects_to;      /* rejects, or the outliers' sink */
    prae_buffer envelope;         /* scratch: one flagged record */
    uint64_t next_seq;            /* of the record that is delivered next */
    int in_line;                  /* the last inlier's line has no end yet */
    int has_cr;                   /* but the first byte of one */
    int crlf;                     /* and the last end was of two bytes */
};

/* Opens all of them; a file is made if need be and as yet left as it is. */
enum exit_status outputs_open(struct outputs *outputs, struct wire *wire,
                              const struct options *options);

/* Empties files, once nothing can go wrong any more. */
enum exit_status outputs_empty(struct outputs *outputs);

/* Sends VERDICT where it belongs. HEADER (HEADER_LEN) is the CSV's. The
 * record stays where it is until outputs_seal. */
enum exit_status outputs_deliver(struct outputs *outputs,
                                 const prae_verdict *verdict,
                                 const char *header, size_t header_len);

/* How many of the next records, if they are inliers, may be delivered as one
 * run; 0 where more is wanted of them than their bytes. */
size_t outputs_run_most(struct outputs *outputs);

/* Sends RUN to the inliers, as outputs_deliver each of its records. */
enum exit_status outputs_deliver_run(struct outputs *outputs,
                                     const prae_run *run, const char *header,
                                     size_t header_len);

/* An output that has had no record yet begins with the header all the
 * same. */
void outputs_begin(struct outputs *outputs, const char *header,
                   size_t header_len);

/* Nothing joins what was delivered, and nothing of it is needed any more:
 * messages leave. */
void outputs_seal(struct outputs *outputs);

/* The same, and what was gathered for files leaves, too, as far as it goes
 * through. */
void outputs_flush(struct outputs *outputs);

/* What was gathered for files leaves for the last time, before it is told
 * what is left: nothing of that is written when they are closed. */
void outputs_end(struct outputs *outputs);

/* What is complete leaves; a message in the middle of which an output was
 * clogged is gathered on. */
void outputs_resend(struct outputs *outputs);

/* Whether one of them can take no more. */
int outputs_are_clogged(const struct outputs *outputs);

/* EXIT_DONE while all is well. */
enum exit_status outputs_failed(const struct outputs *outputs);

/* Records delivered that are still in our hands: of each of the first three
 * outputs to LEFT, and all. Scores are no records. */
uint64_t outputs_left(const struct outputs *outputs, uint64_t left[3]);

/* Rows of --scores that were not delivered yet: their records may have been. */
uint64_t outputs_rows_left(const struct outputs *outputs);

/* Whether libzmq has messages that were not written: then their sockets are
 * not closed, and it is not to be ended. */
int outputs_are_queued(const struct outputs *outputs);

/* Whether nothing at all is left in our hands, scores included. */
int outputs_are_empty(const struct outputs *outputs);

/* Whether one of them is a socket. */
int outputs_have_sockets(const struct outputs *outputs);

/* Closes all. EXIT_DONE, or the first that went wrong; *BROKEN says that
 * nobody reads one of them any more. */
enum exit_status outputs_close(struct outputs *outputs, int *broken);

#endif
