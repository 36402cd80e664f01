/*
 * faults.h - what goes wrong between a station's sensors and its log.
 *
 * Faults come in runs of a few records. Three kinds (decoupled, swapped,
 * inverted) are planted only where every value stays in its channel's usual
 * range: nothing but the relation between channels gives them away.
 */
#ifndef FAULTS_H
#define FAULTS_H

#include "station.h"

enum fault {
    CLEAN,
    DROPOUT,   /* a module of three channels: nil, or not there at all */
    SPIKE,     /* one value far off, once */
    STUCK,     /* one channel repeats itself */
    UNITS,     /* Fahrenheit, or psi */
    DECOUPLED, /* the flow of a slow pump at the current of a fast one */
    SWAPPED,   /* two channels in each other's place */
    INVERTED,  /* humidity rises with temperature */
    NOT_A_NUMBER,
    TEXT, /* a word where a number was */
    FAULTS
};

extern const char *const fault_names[FAULTS];

/* What a record has in a channel's place. */
enum cell { NUMBER, NIL, ABSENT, WORD };

struct record {
    long long id, ts;
    double value[CHANNELS];
    enum cell cell[CHANNELS];
};

/* The fault that is going on. */
struct trouble {
    uint64_t chance; /* state of the generator */
    enum fault fault;
    int left;           /* records of the run to come */
    int begun;          /* whether the run has its first record */
    enum channel where; /* the channel, or the first of them */
    enum channel other; /* swapped: the second */
    enum cell cell;     /* dropout: what is left */
    double amount;      /* of a range or value, or the stuck value itself */
};

/* Dirties RECORD where it is time to; what was done to it. */
enum fault trouble_step(struct trouble *trouble, struct record *record);

#endif
