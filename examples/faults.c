/* faults.c - which fault comes, how long it stays, and what it does. */
#include "faults.h"

#include <math.h>

#define QUIET 70     /* records between two tries, on average */
#define APPARENT 0.2 /* of the usual range: away from the truth at least */

const char *const fault_names[FAULTS] = {
    "clean",     "dropout", "spike",    "stuck", "units",
    "decoupled", "swapped", "inverted", "nan",   "text"};

static const struct plan {
    int weight;            /* how often, against the others */
    int shortest, longest; /* records of a run */
} plans[FAULTS] = {
    [DROPOUT] = {8, 1, 4},  [SPIKE] = {16, 1, 1},       [STUCK] = {2, 10, 30},
    [UNITS] = {6, 1, 6},    [DECOUPLED] = {12, 1, 6},   [SWAPPED] = {30, 1, 4},
    [INVERTED] = {8, 2, 8}, [NOT_A_NUMBER] = {5, 1, 1}, [TEXT] = {5, 1, 1},
};

static enum fault
draw_fault(uint64_t *chance)
{
    int all = 0;

    for (int f = 0; f < FAULTS; f++)
        all += plans[f].weight;
    int ticket = draw_whole(chance, 1, all);
    for (int f = 0; f < FAULTS; f++) {
        ticket -= plans[f].weight;
        if (ticket <= 0)
            return (enum fault)f;
    }
    return CLEAN;
}

static void
trouble_start(struct trouble *trouble)
{
    static const enum channel in_units[] = {WATER, AMBIENT, BEARING,
                                            PRESSURE_IN, PRESSURE_OUT};
    static const enum channel pairs[][2] = {{WATER, AMBIENT},
                                            {VALVE, HUMIDITY}};
    uint64_t *chance = &trouble->chance;
    const struct plan *plan;

    trouble->fault = draw_fault(chance);
    plan = &plans[trouble->fault];
    trouble->left = draw_whole(chance, plan->shortest, plan->longest);
    trouble->begun = 0;
    trouble->where = (enum channel)draw_whole(chance, 0, CHANNELS - 1);
    trouble->cell = draw_whole(chance, 0, 1) ? NIL : ABSENT;
    trouble->amount = draw_real(chance, 0.5, 1.5);
    if (draw_whole(chance, 0, 1))
        trouble->amount = -trouble->amount;
    if (trouble->fault == UNITS)
        trouble->where = in_units[draw_whole(chance, 0, 4)];
    if (trouble->fault == DECOUPLED)
        trouble->amount = draw_real(chance, 0.05, 0.4);
    if (trouble->fault == SWAPPED) {
        int pair = draw_whole(chance, 0, 1);
        trouble->where = pairs[pair][0];
        trouble->other = pairs[pair][1];
    }
}

static int
is_usual(enum channel channel, double value)
{
    return value >= sensors[channel].low && value <= sensors[channel].high;
}

/* Puts VALUE in CHANNEL's place, if it is usual there and yet clearly not
 * the truth. */
static int
plant_usual(struct record *record, enum channel channel, double value)
{
    double range = sensors[channel].high - sensors[channel].low;

    if (!is_usual(channel, value) ||
        fabs(value - record->value[channel]) < APPARENT * range)
        return 0;
    double scale = pow(10.0, sensors[channel].decimals);
    record->value[channel] = round(value * scale) / scale;
    return 1;
}

static int
plant_swapped(struct record *record, enum channel one, enum channel two)
{
    double first = record->value[one], second = record->value[two];

    if (!is_usual(one, second) || !plant_usual(record, two, first))
        return 0;
    record->value[one] = second;
    return 1;
}

static void
plant_units(struct record *record, enum channel where)
{
    double *value = &record->value[where];

    if (where == PRESSURE_IN || where == PRESSURE_OUT)
        *value *= 14.5038;
    else
        *value = *value * 1.8 + 32.0;
    *value = round(*value * 100.0) / 100.0;
}

/* Dirties RECORD; 0 where the fault would not show now. */
static int
plant(struct trouble *trouble, struct record *record)
{
    enum channel where = trouble->where;
    double range = sensors[where].high - sensors[where].low;

    switch (trouble->fault) {
    case DROPOUT:
        for (int k = 0; k < 3; k++)
            record->cell[where / 3 * 3 + k] = trouble->cell;
        return 1;
    case SPIKE: record->value[where] += trouble->amount * range; return 1;
    case STUCK:
        /* The first of the run is still true. */
        if (!trouble->begun)
            trouble->amount = record->value[where];
        record->value[where] = trouble->amount;
        return trouble->begun;
    case UNITS: plant_units(record, where); return 1;
    case DECOUPLED:
        return plant_usual(record, FLOW,
                           sensors[FLOW].low +
                               trouble->amount *
                                   (record->value[FLOW] - sensors[FLOW].low));
    case SWAPPED: return plant_swapped(record, where, trouble->other);
    case INVERTED:
        return plant_usual(record, HUMIDITY,
                           sensors[HUMIDITY].low + sensors[HUMIDITY].high -
                               record->value[HUMIDITY]);
    case NOT_A_NUMBER: record->value[where] = (double)NAN; return 1;
    case TEXT: record->cell[where] = WORD; return 1;
    default: return 0;
    }
}

enum fault
trouble_step(struct trouble *trouble, struct record *record)
{
    if (trouble->fault == CLEAN && draw_whole(&trouble->chance, 1, QUIET) == 1)
        trouble_start(trouble);
    enum fault fault = trouble->fault;
    int planted = plant(trouble, record);
    /* A fault that would not show, or no longer, is over. */
    trouble->left = planted || fault == STUCK ? trouble->left - 1 : 0;
    trouble->begun = 1;
    if (trouble->left <= 0)
        trouble->fault = CLEAN;
    return planted ? fault : CLEAN;
}
