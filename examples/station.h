/*
 * station.h - a small water pumping station and the channels that see it.
 *
 * A pump follows the day's demand and keeps a tank filled. Most channels are
 * tied to others: flow to current, pressure to flow, humidity to
 * temperature. From the start of a run to its end the pump wears and it gets
 * warmer outside.
 */
#ifndef STATION_H
#define STATION_H

#include <stdint.h>

#define STATION_STEP 60.0 /* seconds between two readings */

enum channel {
    CURRENT,
    FLOW,
    PRESSURE_IN,
    PRESSURE_OUT,
    LEVEL,
    VALVE,
    VIBRATION,
    BEARING,
    WATER,
    AMBIENT,
    HUMIDITY,
    BATTERY,
    CHANNELS
};

struct sensor {
    const char *name;
    double noise;     /* standard deviation */
    int decimals;     /* the transmitter sends */
    double low, high; /* where its value usually is */
};

extern const struct sensor sensors[CHANNELS];

struct station {
    uint64_t chance;       /* state of the generator */
    double busy, weather;  /* slow noise of standard deviation 1 */
    double speed;          /* of the pump, 0 to 1 */
    double level, valve;   /* in cm and percent */
    double bearing, water; /* temperatures, which follow late */
    double charge;         /* of the battery, 0 to 1 */
};

/* splitmix64: the next 64 bits, a real or a whole number from LOW to HIGH,
 * and a normal deviate. */
uint64_t draw(uint64_t *state);
double draw_real(uint64_t *state, double low, double high);
int draw_whole(uint64_t *state, int low, int high);
double draw_normal(uint64_t *state);

/* The station at night, the tank half full. */
void station_start(struct station *station, uint64_t seed);

/*
 * One step on, to TIME (seconds, 0 is a midnight), with WEAR from 0 to 1;
 * what the sensors read goes to VALUE (CHANNELS).
 */
void station_step(struct station *station, double time, double wear,
                  double *value);

#endif
