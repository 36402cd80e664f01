/*
 * loop.h - the one thread that moves records: it reads, pushes, delivers,
 * minds the time and the signals, and never waits for anything but all of
 * these at once.
 *
 *   loop_open.c     everything is opened and checked before a byte is read
 *   loop_feed.c     inputs to the filter
 *   loop_pace.c     what can be delivered in time
 *   loop_sweep.c    the end of the inputs
 *   loop_wait.c     waiting
 *   loop_renew.c    other keys
 *   loop_account.c  where each record is
 *   loop_end.c      what there is to say when it is over
 *   loop.c          the walk, round and round
 */
#ifndef LOOP_H
#define LOOP_H

#include "control.h"
#include "deliver.h"
#include "live.h"
#include "mailbox.h"
#include "report.h"
#include "rounds.h"
#include "source.h"
#include "tell.h"
#include "watch.h"

enum phase {
    PHASE_READING,  /* inputs may bring more */
    PHASE_JUDGING,  /* nothing comes any more: what is held is judged */
    PHASE_EMPTYING, /* and delivered */
    PHASE_SAVING,   /* and what was learned saved */
    PHASE_OVER
};

/* How the inputs are brought to their end, where half of --drain was not
 * enough for that. */
enum sweep_step {
    SWEEP_LATER,
    SWEEP_OPEN, /* what is on its way is taken */
    SWEEP_CUT,  /* who is connected is cut off, and what is in the queues is */
    SWEEP_OVER
};

struct sweep {
    enum sweep_step step;
    double until;                /* when that ends */
    int enough;                  /* there was as much as can be delivered */
    int some;                    /* the last round took some */
    int clear;                   /* what had been sent at first is in, ... */
    struct settled in;           /* ... as the looks have it, ... */
    uint64_t looked;             /* ... of which this was the last */
    uint64_t messages[LIST_MAX]; /* of each input, when the step began, ... */
    size_t len_bytes[LIST_MAX];  /* ... and bytes that waited */
};

/* How fast records leave, since somebody asked to stop. */
struct pace {
    double rate;        /* records in a second; 0: nothing is known ... */
    double since;       /* ... since this time, without that of idling, ... */
    uint64_t from;      /* ... when so many had left */
    int flows;          /* all the time, not by windows */
    double noted_at;    /* last, ... */
    uint64_t delivered; /* ... when so many had left, ... */
    uint64_t windows;   /* ... and so many windows had been judged */
};

struct loop {
    const struct options *options;
    struct wire wire;
    struct stage stage;
    struct outputs outputs;
    struct source *sources; /* (source_count) files, read one by one */
    size_t source_count;
    size_t source_at; /* the one being read */
    struct mailbox *boxes;
    size_t box_count;
    size_t turn; /* whose it is: a box's, or after them the files' */
    struct teller teller;
    struct watch watch;
    prae_stats before; /* when it started */
    struct control control;
    struct live live;

    enum phase phase;
    uint64_t routed_seq;   /* records whose route is known */
    int peers_awaited;     /* nothing is read before they are there */
    int stopping;          /* a signal asked */
    double stop_by;        /* when it must be over then */
    struct pace pace;      /* ... and how fast it goes */
    struct sweep sweep;    /* the end of the inputs, once half of it is */
    size_t unread_bytes;   /* that had been sent, when it was cut off, ... */
    size_t behind;         /* ... and connections that had or may have some */
    uint64_t uncounted;    /* messages whose records there was no time for */
    int counting;          /* what it may come to, while there is time */
    int late;              /* and was not, by then */
    int failed;            /* it ended before all was delivered */
    enum exit_status lost; /* a file cannot be read on: why */
    int renew_inputs;      /* these are to be bound anew once what was sent to
                              them is in the queues, ... */
    struct settled in;     /* ... also to libzmq; ... */
    size_t cut_bytes;      /* of those that were not, this much was lost, ... */
    size_t cut;            /* ... of so many who sent, ... */
    unsigned renew;        /* ... then outputs, once they are read, as
                              bits; ... */
    double renew_by;       /* ... until then nothing is taken meanwhile, ... */
    double renew_at;       /* ... and before then none is tried again */
    double lost_at;        /* when endpoints that could not be bound anew, or
                              are deaf, are tried again; 0: there are none */
    int save_asked;
    int report_due;
    int ready;          /* the service manager knows */
    int look;           /* peers may have come or gone */
    struct quiet empty; /* the outputs, ... */
    struct settled out; /* ... also to libzmq */

    int holding;            /* records wait to be judged ... */
    double held_since;      /* ... since then */
    double saved_at;        /* the last snapshot: was due, then done */
    uint64_t saved_windows; /* windows judged when it was due */
    double watchdog_at;     /* when the service manager was last told */
    double blocked;         /* seconds that outputs kept us waiting, ... */
    double idle;            /* ... and in which there was nothing to do */
    uint64_t settled;       /* messages that make room for more senders */
    uint64_t unqueued;      /* of those that came, none waits in a queue */
    uint64_t unpacked;      /* records of messages */
};

/* ---- loop_feed.c ---- */

/* Pushes one message, or one buffer of a file, if there is one: *MOVED.
 * Inputs take turns; a message that did not fit into the window keeps its
 * turn. EXIT_DONE, or what is wrong, after saying so. */
enum exit_status loop_feed(struct loop *loop, int *moved);

/* Whether more may wait in BOX: as much, in all boxes, as was in the window
 * judged last. */
int loop_has_room(const struct loop *loop, const struct mailbox *box);

/* While the filter is away the boxes are filled. */
enum exit_status loop_stock(struct loop *loop);

/* ---- loop_pace.c ---- */

#define LOOP_SPARE 0.2 /* of --drain, that is left behind the inputs' end */
#define LOOP_LOOKS 0.01 /* of it, from one look to the next, at least */

/* Asked to stop: from now on it matters. And looks, again and again. */
void loop_pace_begin(struct loop *loop);
void loop_pace_note(struct loop *loop);

/* Whether what has come takes as long as there is, at the pace so far. */
int loop_has_enough(const struct loop *loop);

/* ---- loop_sweep.c ---- */

/* Whether it is time for that: half of --drain has passed, or there is
 * enough. */
int loop_sweep_is_due(const struct loop *loop);

/*
 * Takes what inputs have received and ends them, though somebody may go on
 * sending: some in each round, so that all else is looked after meanwhile.
 * What the kernel has comes into the queue as that is taken, for some of
 * --drain; then who is connected is cut off, and what is in the queues is
 * taken. Of those that connect, whom nobody can cut off without losing it, up
 * to a queue more.
 */
void loop_sweep(struct loop *loop);

/* The time is over: what is still in the queues was received, too, and is
 * taken to be counted. Of the rest it is noted how much there is. */
void loop_give_up(struct loop *loop);

/* ---- loop_wait.c ---- */

struct heard {
    int signal;
    int worker;  /* it is done */
    int peer;    /* one has come or gone */
    int asker;   /* a command has come */
    int watcher; /* somebody asks how it goes */
};

/* Waits for whatever lets something move, at most SECONDS, or below 0 for as
 * long as it takes. What was looked into has to have been so to its end. */
struct heard loop_wait(struct loop *loop, double seconds);

/* ---- loop_renew.c ---- */

/* Our own pair is another: who connects from now on is to meet it. To bind
 * anew cuts off who is connected, so what was sent has to be read first, by us
 * and then by who receives; not for long. */
void loop_renew(struct loop *loop);
void loop_mind_keys(struct loop *loop); /* when it is */

/* Has that see to ends that libzmq has given up for good. Whatever looks at
 * who is there may have come upon one, so this is asked before each wait. */
void loop_heed_deaf(struct loop *loop);

/* Under load outputs never would be: for a while nothing is taken. */
int loop_waits_to_renew(const struct loop *loop);

/* Whether the outputs are empty, and have been for a moment: bytes that
 * libzmq has gathered and not written yet nobody can see. */
int loop_is_empty(struct loop *loop);

/* ---- loop_end.c ---- */

/* What was left, or went wrong, of a run that came to its end: told. */
enum exit_status loop_conclude(const struct loop *loop);

/* ---- loop_open.c, loop.c ---- */

/* Whether what is learned is to be saved. */
static inline int
loop_saves(const struct loop *loop)
{
    return loop->options->model != NULL && !loop->options->params.freeze;
}

/* Opens everything. EXIT_DONE, or what is wrong, after saying so. */
enum exit_status loop_open(struct loop *loop, const struct options *options);

/* Runs to the end of the input, or until a signal asks to stop. */
enum exit_status loop_run(struct loop *loop);

/* Asks it to stop, as a signal does. */
void loop_stop(struct loop *loop);

/* The account: what was received, and what became of it. */
void loop_account(const struct loop *loop, prae_stats *stats,
                  struct traffic *traffic);

/* Counts some of the records that wait in the boxes, for SECONDS, which the
 * account would otherwise do all at once, when there is no time left. Whether
 * there may be more that can be. */
int loop_count(struct loop *loop, double seconds);

/* The time is over: what is not counted soon is not any more. A sender could
 * have us count for minutes. */
void loop_count_last(struct loop *loop);

/* Why it is not ready for records to be judged by what was learned, or
 * NULL. */
const char *loop_not_ready(const struct loop *loop);

/* Closes and frees; STATUS, or what closing found wrong. */
enum exit_status loop_close(struct loop *loop, enum exit_status status);

#endif
