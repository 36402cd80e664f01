/*
 * prae.h - outlier gates for dirty data.
 *
 * This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/.
 *
 * libprae fits an autoencoder to a table of numbers and, beside it, one
 * stochastic gate a row. Gates close on rows that do not fit the structure
 * the other rows share, so the net learns from dirty data without learning
 * the dirt. The whole of it in six lines:
 *
 *     prae_params params;
 *     prae_model *model;
 *     prae_params_init(&params);
 *     prae_model_new(&params, &model);
 *     prae_model_fit(model, x, rows, cols);
 *     for (i = 0; i < rows; i++)
 *         if (prae_model_gates(model)[i] < params.threshold)
 *             printf("row %zu does not fit\n", i);
 *     prae_model_free(model);
 *
 * with every returned status checked, as examples/01_gates.c does.
 *
 * The library does no input or output, starts no thread, has no global
 * state and never exits. Different models may be used from different
 * threads at the same time; one model belongs to one thread at a time.
 */
#ifndef PRAE_H
#define PRAE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PRAE_API __attribute__((visibility("default")))
#define PRAE_MUST_CHECK __attribute__((warn_unused_result))
#else
#define PRAE_API
#define PRAE_MUST_CHECK
#endif

/* ---- 1. Status ------------------------------------------------------ */

/*
 * What a call came to. 0 is success, positive is "not yet", negative is a
 * failure, told apart by who has to act. A failed call leaves its out
 * parameters as they were.
 */
typedef enum prae_status {
    PRAE_OK = 0,
    PRAE_MORE = 1,       /* more input is needed before there is a result */
    PRAE_END = 2,        /* there are no more results */
    PRAE_FULL = 3,       /* results must be taken before more goes in */
    PRAE_EINVAL = -1,    /* the caller: a NULL, an impossible size or order */
    PRAE_EDATA = -2,     /* the sender: data that cannot be used */
    PRAE_ECONFIG = -3,   /* the operator: a parameter that does not work */
    PRAE_ESNAPSHOT = -4, /* the operator: a snapshot of another kind */
    PRAE_ENOMEM = -5     /* out of memory */
} prae_status;

/* A few English words for STATUS; never NULL, also for unknown values. */
PRAE_API const char *prae_status_text(prae_status status);

/* ---- 2. Parameters -------------------------------------------------- */

/* What a gate's penalty counts. */
typedef enum prae_gates {
    PRAE_GATES_L1,   /* lambda times the gate's mean (default) */
    PRAE_GATES_L0,   /* lambda times the chance that the gate is open */
    PRAE_GATES_HARD, /* l1 without noise: the gate is its mean, clamped */
    PRAE_GATES_NONE  /* no gates: a plain autoencoder */
} prae_gates;

/* How the gates' expectation enters the gradient. */
typedef enum prae_estimator {
    PRAE_ESTIMATOR_EXACT,  /* closed form (default) */
    PRAE_ESTIMATOR_SAMPLED /* one draw a visit, as in the paper */
} prae_estimator;

/* Where lambda, the error at which gates turn, comes from. */
typedef enum prae_lambda {
    PRAE_LAMBDA_AUTO,     /* from the errors' median and spread (default) */
    PRAE_LAMBDA_ME,       /* lambda times the mean energy, mean ||x||^2 */
    PRAE_LAMBDA_VALIDATE, /* the candidate that reconstructs held-out rows
                             best */
    PRAE_LAMBDA_FIXED     /* the number given */
} prae_lambda;

/* The hidden layers' activation. */
typedef enum prae_activation {
    PRAE_ACTIVATION_TANH,  /* default */
    PRAE_ACTIVATION_LEAKY, /* x, or 0.01 x where x < 0 */
    PRAE_ACTIVATION_LINEAR
} prae_activation;

/* The error of a row x reconstructed as y. */
typedef enum prae_loss {
    PRAE_LOSS_SQUARED, /* ||x - y||^2 (default) */
    PRAE_LOSS_RELATIVE /* the same over ||x||, from the columns' own zero */
} prae_loss;

/* Whether a record's neighbours in time are looked at, too. */
typedef enum prae_context {
    PRAE_CONTEXT_AUTO, /* where the first window's neighbours are alike */
    PRAE_CONTEXT_ON,
    PRAE_CONTEXT_OFF
} prae_context;

/* What else than the net has a say in a record's score. */
typedef enum prae_second {
    PRAE_SECOND_KNN, /* the distance to trusted records (default) */
    PRAE_SECOND_NONE
} prae_second;

/* What becomes of records before the first window has been learned. */
typedef enum prae_cold {
    PRAE_COLD_HOLD, /* they wait and are judged with it (default) */
    PRAE_COLD_PASS, /* they leave as inliers */
    PRAE_COLD_FLAG  /* they leave as outliers */
} prae_cold;

/* What becomes of a NaN or an infinity in a stream. */
typedef enum prae_nonfinite {
    PRAE_NONFINITE_REJECT, /* the record is refused (default) */
    PRAE_NONFINITE_IMPUTE  /* it is taken as missing */
} prae_nonfinite;

/* How records are written. */
typedef enum prae_format {
    PRAE_FORMAT_MSGPACK, /* one value after another (default) */
    PRAE_FORMAT_JSONL,   /* one JSON object or array a line */
    PRAE_FORMAT_CSV      /* RFC 4180, with a header */
} prae_format;

/* What happens to columns before they reach the net. */
typedef enum prae_scaling {
    PRAE_SCALING_AUTO, /* centre, divide by a capped range, clip (default) */
    PRAE_SCALING_NONE  /* values as they are; they must fit a float */
} prae_scaling;

#define PRAE_HIDDEN_MAX 16            /* hidden layers on each side */
#define PRAE_HIDDEN_AUTO ((size_t)-1) /* net chosen by the columns' number */
#define PRAE_COLS_MAX ((size_t)65536)
#define PRAE_WIDTH_MAX ((size_t)65536)

/*
 * Everything that can be set. Always start from prae_params_init: it fills
 * in the defaults and SIZE, by which later versions of the library know
 * which fields the caller was compiled with. Fields are only ever added,
 * at the end.
 */
typedef struct prae_params {
    size_t size; /* bytes of this struct; set by prae_params_init */

    /* The gates. */
    prae_gates gates;
    prae_estimator estimator;
    double sigma;     /* the gates' noise, 0.01 to 10, with l0 from 0.1
                         (0.5) */
    double threshold; /* a gate mean below this is an outlier, -1 to 2 (0.1) */
    prae_lambda lambda_rule;
    double lambda; /* FIXED: the value, >= 0; ME: the factor (1) */

    /* The net: cols, hidden..., latent, ...hidden, cols. */
    size_t hidden_count;            /* PRAE_HIDDEN_AUTO: 10,10,10,10,10 up to 64
                                       columns, none above */
    size_t hidden[PRAE_HIDDEN_MAX]; /* encoder's widths, input side first */
    size_t latent;                  /* 0: 1 with hidden layers, else by the
                                       columns' correlation, at most 24 */
    prae_activation activation;

    /* Learning. */
    prae_loss loss;
    prae_scaling scaling;
    size_t epochs; /* 0: three, or as many as make 100 steps, and on
                      as long as each round of these pays off */
    size_t batch;  /* rows a step, to 65536; 0: 64, fewer below 512 rows */
    double rate;   /* Adam's step, up to 1 (1e-3) */
    uint64_t seed; /* same seed, data and parameters: same bits (1) */

    /* Streams only, from here on. */
    prae_format format;
    int no_header;      /* csv: the first line is a record */
    const char *fields; /* "a.b,c": make features of these; NULL: choose */
    const char *ignore; /* "a,b": make none of these; NULL: nothing */
    int coerce;         /* strings that spell a number are numbers */
    prae_nonfinite nonfinite;
    size_t window; /* records judged together; 0: all (512) */
    prae_cold cold;
    prae_context context;
    size_t cold_epochs;  /* on the first window; 0: as many as make 100
                            steps, at least three */
    size_t memory;       /* records the past reaches back (5120) */
    double burst_share;  /* of a window flagged: held out of learning (0.5) */
    size_t drift_after;  /* such windows in a row are the new normal (4) */
    double fpr;          /* flag p-values below; 0: the gate decides (0) */
    size_t why;          /* reasons a flagged record carries (3) */
    int freeze;          /* score only, learn nothing */
    size_t record_max;   /* bytes (1 MiB) */
    size_t depth_max;    /* containers within each other (32) */
    size_t elements_max; /* fields of a record (65536) */
    size_t features_max; /* (4096) */
    size_t smooth;       /* records a score is smoothed over, 1: none;
                            0: where scores themselves ask for it (0) */
    prae_second second;
    int unscored; /* with freeze: what inliers score is not asked for, and
                     where that saves time it is NaN */
} prae_params;

/* Fills PARAMS with the defaults, given above in parentheses. */
PRAE_API void prae_params_init(prae_params *params);

/*
 * Sets one parameter from text, by the name prae-filter's long option has:
 * gates=l1|l0|hard|none, estimator=exact|sampled, sigma, threshold,
 * lambda=auto|me|validate|NUMBER (or NUMBERme, a multiple of the mean
 * energy), hidden=auto|none|W,W,..., latent=auto|N,
 * activation=tanh|leaky|linear, loss=squared|relative, scaling=auto|none,
 * epochs=auto|N, batch=auto|N, rate, seed; and for streams
 * format=msgpack|jsonl|csv, no-header=yes|no, fields, ignore (VALUE is then
 * borrowed, not copied), coerce=yes|no, nonfinite=reject|impute,
 * window=N|all, cold=hold|pass|flag, context=auto|on|off,
 * smooth=auto|N|off, second=knn|none, cold-epochs=auto|N, memory, burst-share,
 * drift-after, fpr, why, freeze=yes|no, max-record, max-depth, max-elements,
 * max-features.
 *
 * PRAE_OK, PRAE_EINVAL for an unknown NAME, PRAE_ECONFIG for a value that
 * cannot be used. On failure one sentence goes to WHY (cut to WHY_SIZE
 * bytes; WHY may be NULL) and PARAMS stays as it was.
 */
PRAE_API PRAE_MUST_CHECK prae_status prae_params_set(prae_params *params,
                                                     const char *name,
                                                     const char *value,
                                                     char *why,
                                                     size_t why_size);

/*
 * The value of the parameter NAME as prae_params_set would take it, to TEXT
 * (cut to SIZE bytes). PRAE_OK, or PRAE_EINVAL for an unknown NAME.
 */
PRAE_API PRAE_MUST_CHECK prae_status prae_params_get(const prae_params *params,
                                                     const char *name,
                                                     char *text, size_t size);

/* The name of the I-th parameter, NULL past the last. */
PRAE_API const char *prae_params_name(size_t i);

/*
 * Checks that every field is in its range and that they work together.
 * PRAE_OK, or PRAE_EINVAL for a NULL or a struct that prae_params_init has
 * not seen, or PRAE_ECONFIG; on failure one sentence goes to WHY as above.
 */
PRAE_API PRAE_MUST_CHECK prae_status
prae_params_check(const prae_params *params, char *why, size_t why_size);

/* ---- 3. A model of a table ------------------------------------------ */

/* Net, gates and scale fitted to one table; opaque. */
typedef struct prae_model prae_model;

/*
 * Makes an empty model with PARAMS, which are copied. The model in *OUT is
 * the caller's, to be given to prae_model_free.
 *
 * PRAE_OK, PRAE_ENOMEM, or what prae_params_check says of PARAMS.
 */
PRAE_API PRAE_MUST_CHECK prae_status prae_model_new(const prae_params *params,
                                                    prae_model **out);

/*
 * Fits the model to X, ROWS rows of COLS numbers, row after row; X is
 * borrowed for the call. Fitting again starts over. Takes some ten
 * microseconds a row for narrow tables, and memory for a float copy of X.
 *
 * PRAE_OK, PRAE_EINVAL for NULL, no rows, no columns or more than
 * PRAE_COLS_MAX, PRAE_EDATA for a value that is not finite, PRAE_ECONFIG
 * where the parameters make training diverge, PRAE_ENOMEM. After a failure
 * the model is empty; prae_model_errmsg says why.
 */
PRAE_API PRAE_MUST_CHECK prae_status prae_model_fit(prae_model *model,
                                                    const double *x,
                                                    size_t rows, size_t cols);

/*
 * What the fit found of each row, one float a row, or NULL for an empty
 * model. The arrays are the model's, valid until it is fitted again or
 * freed.
 *
 * gates   the verdict, from -1 (does not fit) to 2 (fits): an outlier is
 *         below params.threshold. Gates are settled against the errors as
 *         training leaves them; with PRAE_GATES_NONE they are what l1
 *         gates would be, given the plain autoencoder's errors.
 * errors  how far the net's reconstruction is from the row, from 0.
 * scores  for ranking: the higher, the worse. The error against lambda,
 *         averaged over all of training and given in the errors' unit, so
 *         that a row which the net learned late is still remembered as one
 *         that did not fit. In long training the error ranks better.
 */
PRAE_API const float *prae_model_gates(const prae_model *model);
PRAE_API const float *prae_model_errors(const prae_model *model);
PRAE_API const float *prae_model_scores(const prae_model *model);

/* Rows the model was fitted to, 0 for an empty model. */
PRAE_API size_t prae_model_rows(const prae_model *model);

/* Columns of a row, 0 for an empty model. */
PRAE_API size_t prae_model_cols(const prae_model *model);

/* The width of the net's middle layer, 0 for an empty model. */
PRAE_API size_t prae_model_latent(const prae_model *model);

/* The lambda the weights were trained with at the end, 0 when empty. */
PRAE_API double prae_model_lambda(const prae_model *model);

/*
 * The error above which a gate falls below the threshold: rows that were
 * never fitted are outliers where prae_model_score gives more. 0 when
 * empty.
 */
PRAE_API double prae_model_limit(const prae_model *model);

/*
 * Errors of ROWS rows the model has not seen: ERRORS (rows floats) is the
 * caller's. Nothing is learned.
 *
 * PRAE_OK, PRAE_EINVAL for NULL, an empty model or other COLS than it was
 * fitted to, PRAE_EDATA for a value that is not finite, PRAE_ENOMEM.
 */
PRAE_API PRAE_MUST_CHECK prae_status prae_model_score(prae_model *model,
                                                      const double *x,
                                                      size_t rows, size_t cols,
                                                      float *errors);

/*
 * What the model expects in place of X, in X's own units: EXPECTED (rows x
 * cols) is the caller's and may be X itself. Statuses as prae_model_score.
 */
PRAE_API PRAE_MUST_CHECK prae_status prae_model_expect(prae_model *model,
                                                       const double *x,
                                                       size_t rows, size_t cols,
                                                       double *expected);

/* One sentence on the last failure, "" where there was none; never NULL. */
PRAE_API const char *prae_model_errmsg(const prae_model *model);

/* Frees MODEL and all it gave out; NULL is fine. */
PRAE_API void prae_model_free(prae_model *model);

/* ---- 4. A filter of a stream ---------------------------------------- */

/*
 * Records come in as bytes, are gathered into windows, and leave as
 * verdicts. The caller moves the bytes:
 *
 *     while ((len = read more bytes behind those left over) ...) {
 *         status = prae_filter_push(filter, bytes, len, at_end, &used);
 *         ... keep bytes from `used` on for the next call ...
 *         if (status == PRAE_FULL) {
 *             prae_filter_judge(filter);
 *             while (prae_filter_next(filter, &verdict) == PRAE_OK)
 *                 ... do with verdict.record as verdict.kind says ...
 *         }
 *     }
 *
 * See examples/02_filter.c.
 */
typedef struct prae_filter prae_filter;

/* What the filter makes of the stream now. */
typedef enum prae_state {
    PRAE_STATE_WARMING, /* no window has been learned yet */
    PRAE_STATE_LIVE,
    PRAE_STATE_BURST, /* most of a window does not fit: not learned from */
    PRAE_STATE_DRIFT, /* that went on: it is being learned */
    PRAE_STATE_FROZEN /* nothing is learned */
} prae_state;

/* "warming", "live", "burst", "drift" or "frozen". */
PRAE_API const char *prae_state_text(prae_state state);

typedef enum prae_kind {
    PRAE_KIND_INLIER,
    PRAE_KIND_OUTLIER,
    PRAE_KIND_REJECT /* could not be judged */
} prae_kind;

/* One reason for a verdict: a field whose value was not what the others of
 * the record, and the past, led to expect. */
typedef struct prae_reason {
    const char *field;         /* its path, as a.b */
    double share;              /* of the record's error, 0 to 1 */
    double observed, expected; /* in the field's own units; NaN: missing */
    const char *observed_text; /* instead of observed, for strings; or NULL */
    const char *expected_text; /* the most usual string; or NULL */
    size_t input;              /* its number for prae_filter_feature */
} prae_reason;

/* What became of one record. Everything pointed at is the filter's, valid
 * until its next call, and the record itself until more are pushed. */
typedef struct prae_verdict {
    prae_kind kind;
    uint64_t seq; /* number of the record, from 0 */
    double score; /* higher is worse; comparable across windows; NaN for
                     inliers where params.unscored */
    double p;     /* share of past scores at least as bad; NaN: none yet, or
                     the score is */
    double gate;  /* NaN where the snapshot decided */
    double error; /* of the reconstruction; NaN where the score is */
    uint64_t window;
    uint64_t model; /* windows learned when it was judged */
    prae_state state;
    const prae_reason *why; /* outliers: the largest first */
    size_t why_count;
    const char *reject_code; /* rejects: "malformed", "type", ... */
    const char *reject_text; /* a clause on it; of lines with the number of the
                                record's last, from 1, in the file that at_end
                                ends, or in its message */
    int parsed;              /* 0: the bytes are no value of the format */
    size_t columns;          /* csv: cells of a row, 0 before it is known */
    const char *record;      /* the original bytes */
    size_t record_len;
    const double *values; /* what its features were, in their own units, NaN
                             where missing, in the order of
                             prae_filter_feature; NULL where none were made */
    size_t value_count;
} prae_verdict;

/* Counts since the start. received = inliers + outliers + rejected + held
 * at every moment. */
typedef struct prae_stats {
    size_t size; /* bytes of this struct; set by prae_filter_stats */
    uint64_t received, inliers, outliers, rejected, held;
    uint64_t windows, bursts, drifts, rollbacks;
    uint64_t imputed;       /* values that were missing */
    uint64_t ignored;       /* fields that the first window did not have, or
                               that come again in their map */
    uint64_t wide_integers; /* beyond 2^53, rounded */
    size_t features;        /* a record gives; 0 before the first window */
    size_t inputs;          /* of the net: more where context is on */
    int context;            /* whether it is */
    double likeness;        /* of neighbours in the first window, up to 1 */
    prae_state state;
    uint64_t judged; /* windows, with those before a snapshot was loaded */
    uint64_t model;  /* of them, windows learned */
    size_t trusted;  /* records remembered as good */
    size_t latent;   /* width of the net's middle layer */
    size_t weights;  /* of the net */
    double limit;    /* the score beyond which a record is flagged */
    int smooth;      /* whether scores are smoothed over time */
    double score_likeness; /* of neighbouring scores, up to 1 */
    uint64_t window;       /* number of the last one judged, as its verdicts
                              carry it */
    uint64_t misfits;      /* records of the windows in a row, up to that one,
                              most of which do not fit the past; 0 otherwise */
} prae_stats;

/*
 * Makes a filter with PARAMS, whose strings are copied. PRAE_OK,
 * PRAE_ENOMEM, or what prae_params_check says.
 */
PRAE_API PRAE_MUST_CHECK prae_status prae_filter_new(const prae_params *params,
                                                     prae_filter **out);

/*
 * Takes records from BYTES (LEN), borrowed for the call. AT_END says that
 * nothing follows; where something does all the same, another file, it
 * begins afresh, and its header, if it is the same, is skipped. *USED bytes
 * have been taken; the rest is a record's beginning, to be given again with
 * more behind it.
 *
 * PRAE_OK     all records in BYTES were taken
 * PRAE_FULL   the window is complete: judge it, then push the rest, at the end
 *             even where that is empty, or the end is not known of
 * PRAE_EDATA  the bytes from *USED on are no record, and the next one
 *             cannot be found (MessagePack); those taken are to be judged
 * PRAE_EINVAL (also while verdicts are left over), PRAE_ENOMEM. After the
 * latter the filter can only be freed.
 */
PRAE_API PRAE_MUST_CHECK prae_status prae_filter_push(prae_filter *filter,
                                                      const char *bytes,
                                                      size_t len, int at_end,
                                                      size_t *used);

/*
 * Takes the records of a message that came whole, BYTES (LEN), borrowed for
 * the call. No record reaches beyond it: where the next one cannot be found,
 * the rest of the message is one reject, and so is an empty message. *USED
 * bytes have been taken.
 *
 * PRAE_OK     all of it was taken
 * PRAE_FULL   the window is complete: judge it, then push the rest, even
 *             where that is empty
 * PRAE_EINVAL, PRAE_ENOMEM. After the latter the filter can only be freed.
 */
PRAE_API PRAE_MUST_CHECK prae_status prae_filter_push_message(
    prae_filter *filter, const char *bytes, size_t len, size_t *used);

/* What the caller refuses by itself. */
typedef enum prae_refusal {
    PRAE_REFUSE_PARTS, /* a message of too many frames */
    PRAE_REFUSE_LENGTH /* or too many bytes */
} prae_refusal;

/* Counts a message that was refused: it becomes a reject in its turn, of no
 * bytes. PRAE_OK, PRAE_FULL, PRAE_EINVAL, PRAE_ENOMEM as above. */
PRAE_API PRAE_MUST_CHECK prae_status prae_filter_refuse(prae_filter *filter,
                                                        prae_refusal why);

/*
 * How many records a message, BYTES (LEN), would be counted as. *HEADER
 * (*HEADER_LEN) is a CSV's, which may come again: as prae_filter_header has
 * it, with length 0 where there is none, or NULL while the filter awaits one.
 * Then the message's first row is it, and *HEADER is left pointing there, or
 * to "" where that row would be refused. With HEADER NULL every row is a
 * record, as in the middle of a stream.
 *
 * PRAE_OK, PRAE_EINVAL, PRAE_ENOMEM, or what prae_params_check says of PARAMS.
 */
PRAE_API PRAE_MUST_CHECK prae_status prae_message_count(
    const prae_params *params, const char **header, size_t *header_len,
    const char *bytes, size_t len, size_t *count);

/* How many records of it, each row being one, end within its first CUT bytes,
 * for who could pass on no more of it. Statuses as above. */
PRAE_API PRAE_MUST_CHECK prae_status
prae_message_whole(const prae_params *params, const char *bytes, size_t len,
                   size_t cut, size_t *count);

/*
 * Judges and learns the records taken so far, full window or not. It may
 * run on any thread, as long as no other call does at the same time.
 *
 * PRAE_OK, PRAE_EINVAL while verdicts are left over, PRAE_ECONFIG where the
 * first window cannot be learned with these parameters, PRAE_ENOMEM. After
 * the last two the filter can only be freed, or its window dismissed.
 */
PRAE_API PRAE_MUST_CHECK prae_status prae_filter_judge(prae_filter *filter);

/*
 * For who would rather go on than end where the records of the first window
 * do not have the fields that were asked for, or have more than there may be
 * features: after prae_filter_judge said PRAE_ECONFIG of that, they leave as
 * rejects, and the next window is looked at afresh. The sentence on why
 * stays. PRAE_OK, PRAE_EINVAL where it said anything else, or that training
 * diverged, PRAE_ENOMEM.
 */
PRAE_API PRAE_MUST_CHECK prae_status prae_filter_dismiss(prae_filter *filter);

/*
 * Lets the records taken so far go before the first window is judged, for
 * who cannot wait for it: prae_filter_next gives them out undecided, as
 * inliers (with PRAE_COLD_FLAG as outliers), without score or reasons. They
 * are still learned from when the window is judged. PRAE_OK, or PRAE_EINVAL
 * after the first window, or while verdicts are left over.
 */
PRAE_API PRAE_MUST_CHECK prae_status prae_filter_release(prae_filter *filter);

/*
 * What comes next does not follow in time what was before: there was a gap,
 * or records are judged each by itself. Changes and spreads begin anew, and
 * so does smoothing; the first record then has no change. PRAE_OK, or
 * PRAE_EINVAL while records or verdicts are left over.
 */
PRAE_API PRAE_MUST_CHECK prae_status prae_filter_cut(prae_filter *filter);

/* The next verdict, in arrival order. PRAE_OK, or PRAE_END after the last,
 * which need not be asked for. */
PRAE_API PRAE_MUST_CHECK prae_status prae_filter_next(prae_filter *filter,
                                                      prae_verdict *verdict);

/* Inliers that came one after the other. */
typedef struct prae_run {
    uint64_t seq; /* of the first */
    size_t count;
    const char *records; /* their original bytes, side by side; the filter's,
                            valid until records are pushed again */
    size_t len;          /* of them all */
} prae_run;

/*
 * For who wants nothing of inliers but their bytes: as prae_filter_next, but
 * of up to MOST verdicts at once, as long as they are inliers. Of lines only
 * the last of a run may lack its end. PRAE_OK, or PRAE_END where the next
 * verdict is not of an inlier, or there is none: prae_filter_next tells.
 */
PRAE_API PRAE_MUST_CHECK prae_status prae_filter_next_run(prae_filter *filter,
                                                          size_t most,
                                                          prae_run *run);

/*
 * Appends to BUFFER how a flagged record leaves: an envelope around it in
 * MessagePack and JSON, further columns in CSV (see prae-stream(7)).
 * PRAE_OK or PRAE_ENOMEM.
 */
typedef struct prae_buffer {
    char *data; /* from malloc; free it when done */
    size_t len;
    size_t cap;
} prae_buffer;

PRAE_API PRAE_MUST_CHECK prae_status prae_verdict_write(
    const prae_verdict *verdict, prae_format format, prae_buffer *buffer);

/* Appends VERDICT as one row of scores. Statuses as above. */
PRAE_API PRAE_MUST_CHECK prae_status prae_verdict_write_score(
    const prae_verdict *verdict, prae_format format, prae_buffer *buffer);

/*
 * Appends all that was learned to BUFFER: a snapshot, prae-snapshot(5).
 * Records of a window that was not judged yet are not part of it. PRAE_OK,
 * PRAE_EINVAL before the first window was judged, PRAE_ENOMEM.
 */
PRAE_API PRAE_MUST_CHECK prae_status prae_filter_save(const prae_filter *filter,
                                                      prae_buffer *buffer);

/*
 * Goes on from the snapshot BYTES (LEN), before the first record. Parameters
 * that shape a model (gates, estimator, sigma, lambda, hidden, latent,
 * activation, loss, context, memory, smooth, second, seed, fields, ignore,
 * coerce, nonfinite) are the snapshot's; one that was set to something else is
 * refused. All others stay FILTER's, whatever is in the snapshot: to go on as
 * if there had been no break takes those of the run that it is of.
 *
 * PRAE_OK, PRAE_ESNAPSHOT for bytes that are no snapshot, of another version,
 * damaged or of another model, PRAE_EINVAL, PRAE_ECONFIG, PRAE_ENOMEM. After
 * a failure the filter is as it was.
 */
PRAE_API PRAE_MUST_CHECK prae_status prae_filter_load(prae_filter *filter,
                                                      const char *bytes,
                                                      size_t len);

/*
 * Makes a filter that judges by what FILTER has learned so far, at once and
 * record by record if need be, and learns nothing: FILTER goes on learning,
 * on another thread or not. Its verdicts carry FILTER's state, and no gate.
 * PRAE_OK, PRAE_EINVAL before the first window was judged or where there is
 * but one, PRAE_ENOMEM.
 */
PRAE_API PRAE_MUST_CHECK prae_status prae_filter_fork(const prae_filter *filter,
                                                      prae_filter **front);

/*
 * The library starts no thread, but can make use of the caller's. A task is
 * one part of some work; the caller runs TASK(WORK, part, who) once for each
 * part from 0 to PARTS - 1, in any order and at the same time, and returns
 * when all are done. WHO is a number below that of threads, of which no two
 * tasks have the same at the same time. Tasks take from microseconds to
 * milliseconds and wait for nothing.
 */
typedef void (*prae_task)(void *work, size_t part, size_t who);
typedef void (*prae_runner)(void *arg, prae_task task, void *work,
                            size_t parts);

/*
 * Has FILTER share out what takes long when it judges, nets that are wide and
 * windows that are big, to THREADS threads by RUN(ARG, ...), which is only
 * ever called from within prae_filter_judge and prae_filter_fork. What is not
 * worth sharing comes as one part, so with one thread RUN is a place to look
 * after other things in between. RUN NULL: back to one part after the other.
 * What FILTER makes of records does not hang on it, to the last bit. Forks of
 * FILTER begin without.
 *
 * PRAE_OK, PRAE_EINVAL for no thread, or PRAE_ENOMEM: all is as before.
 */
PRAE_API PRAE_MUST_CHECK prae_status prae_filter_set_runner(prae_filter *filter,
                                                            size_t threads,
                                                            prae_runner run,
                                                            void *arg);

/*
 * FILTER, which has taken nothing yet, takes the place in the stream that
 * BEFORE had: counts go on, and so do time and a message that is not taken
 * whole yet. FILTER is a front, and BEFORE another or the filter it was
 * forked from; or FILTER has loaded a snapshot, and BEFORE is no front: this
 * is how to go back to what was learned once. No record of BEFORE's may be
 * left undecided; what it is given next begins afresh. A CSV header that
 * FILTER has read has to be BEFORE's. PRAE_OK, PRAE_EINVAL, PRAE_ENOMEM.
 */
PRAE_API PRAE_MUST_CHECK prae_status prae_filter_follow(prae_filter *filter,
                                                        prae_filter *before);

/*
 * Sets the parameter NAME, fpr, threshold or freeze, between two windows: no
 * record and no verdict may be left over. With freeze=yes nothing is learned
 * until it is no again, and what was learned stays as it is; that takes a
 * window that was judged, and no front. Fronts that FILTER brings forth from
 * now on go by it.
 *
 * PRAE_OK, PRAE_EINVAL, or PRAE_ECONFIG for a VALUE that cannot be used:
 * prae_filter_errmsg says why, and all is as before.
 */
PRAE_API PRAE_MUST_CHECK prae_status prae_filter_set(prae_filter *filter,
                                                     const char *name,
                                                     const char *value);

/* The CSV header's bytes with the line's end, "" without one: what inliers
 * begin with. */
PRAE_API const char *prae_filter_header(const prae_filter *filter, size_t *len);

/* Whether a CSV's header has yet to come: "" above does not mean that there is
 * none. */
PRAE_API int prae_filter_awaits_header(const prae_filter *filter);

/*
 * The I-th field of the first window's records: its path, and in *REASON
 * why no feature is made of it, or NULL where one is. NULL past the last,
 * and before the first window was judged.
 */
PRAE_API const char *prae_filter_field(prae_filter *filter, size_t i,
                                       const char **reason);

/* One input of the net: what it is made of, and how it is scaled. */
typedef struct prae_feature {
    const char *name; /* the field's path; valid until the next call */
    double centre;    /* in the field's own units */
    double unit;      /* what counts as 1 */
} prae_feature;

/* The D-th input. PRAE_OK, or PRAE_END past the last and before the first
 * window was judged. */
PRAE_API PRAE_MUST_CHECK prae_status prae_filter_feature(prae_filter *filter,
                                                         size_t d,
                                                         prae_feature *feature);

/* The score that SHARE of the past ones, 0 to 1, do not exceed; NaN where
 * there are none. */
PRAE_API double prae_filter_quantile(const prae_filter *filter, double share);

/* Records taken so far: of the counts below the one that is cheap. */
PRAE_API uint64_t prae_filter_received(const prae_filter *filter);

PRAE_API void prae_filter_stats(const prae_filter *filter, prae_stats *stats);

/* One sentence on the last failure, "" where there was none; never NULL. */
PRAE_API const char *prae_filter_errmsg(const prae_filter *filter);

/* Frees FILTER and all it gave out; NULL is fine. */
PRAE_API void prae_filter_free(prae_filter *filter);

/* ---- 5. Version ----------------------------------------------------- */

#define PRAE_VERSION_MAJOR 0
#define PRAE_VERSION_MINOR 1
#define PRAE_VERSION_PATCH 0

/* Version of the library that runs, as "0.1.0". */
PRAE_API const char *prae_version(void);

/* The arithmetic in use: our own loops' kind and what multiplies wide
 * matrices, as "v3, blis 0.9.0 (zen3)"; "(BLIS_ARCH_TYPE)" where that tells
 * BLIS which kernels to take. */
PRAE_API const char *prae_version_kernels(void);

/*
 * Our own loops come for several kinds of processors, and the best that this
 * one can run is used. NAME asks for another: "baseline", or on x86-64 "v3"
 * (AVX2) or "v4" (AVX-512). Results differ between kinds by rounding, and by
 * what learning makes of it. Call it before anything else. PRAE_OK,
 * PRAE_EINVAL: there is no such kind, or PRAE_ECONFIG: this processor cannot
 * run it.
 */
PRAE_API prae_status prae_kernel_use(const char *name);

#ifdef __cplusplus
}
#endif

#endif
