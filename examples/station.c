/* station.c - the pump, the tank, the weather, and how sensors see them. */
#include "station.h"

#include <math.h>

#define DAY 86400.0
#define TURN 6.283185307179586 /* a full circle */

const struct sensor sensors[CHANNELS] = {
    [CURRENT] = {"motor_current_A", 0.12, 2, 4.5, 12.5},
    [FLOW] = {"flow_lpm", 3.0, 1, 165.0, 420.0},
    [PRESSURE_IN] = {"pressure_in_bar", 0.010, 3, 0.90, 1.20},
    [PRESSURE_OUT] = {"pressure_out_bar", 0.020, 3, 2.43, 3.50},
    [LEVEL] = {"tank_level_cm", 0.4, 1, 231.0, 251.0},
    [VALVE] = {"valve_open_pct", 0.2, 1, 56.0, 79.5},
    [VIBRATION] = {"vibration_mm_s", 0.06, 2, 1.0, 2.4},
    [BEARING] = {"bearing_temp_C", 0.15, 1, 15.5, 40.5},
    [WATER] = {"water_temp_C", 0.08, 1, 9.8, 15.3},
    [AMBIENT] = {"ambient_temp_C", 0.15, 1, 4.3, 20.2},
    [HUMIDITY] = {"humidity_pct", 0.8, 1, 49.0, 96.0},
    [BATTERY] = {"battery_V", 0.015, 2, 12.42, 13.70},
};

/* ---- chance ---- */

uint64_t
draw(uint64_t *state)
{
    uint64_t mixed = *state += 0x9e3779b97f4a7c15;

    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
}

double
draw_real(uint64_t *state, double low, double high)
{
    return low + (high - low) * (double)(draw(state) >> 11) * 0x1p-53;
}

int
draw_whole(uint64_t *state, int low, int high)
{
    return low + (int)(draw(state) % (uint64_t)(high - low + 1));
}

/* By Box and Muller. */
double
draw_normal(uint64_t *state)
{
    double radius = sqrt(-2.0 * log(1.0 - draw_real(state, 0.0, 1.0)));

    return radius * cos(TURN * draw_real(state, 0.0, 1.0));
}

/* ---- what moves ---- */

/* Moves *VALUE towards GOAL, two thirds of the way in SECONDS. */
static void
follow(double *value, double goal, double seconds)
{
    *value += (goal - *value) * (1.0 - exp(-STATION_STEP / seconds));
}

/* Noise that remembers for SECONDS. */
static void
wander(uint64_t *chance, double *value, double seconds)
{
    double kept = exp(-STATION_STEP / seconds);

    *value = kept * *value + sqrt(1.0 - kept * kept) * draw_normal(chance);
}

/* A bump of height 1 around HOUR, of a width in hours. */
static double
bump(double time, double hour, double width)
{
    double away = fabs(fmod(time / 3600.0, 24.0) - hour);

    away = fmin(away, 24.0 - away) / width;
    return exp(-0.5 * away * away);
}

/* Litres a minute that leave the tank: little at night, most when people
 * get up and come home. */
static double
demand_at(double time, double busy)
{
    double usual = 190.0 + 150.0 * bump(time, 7.5, 1.6) +
                   60.0 * bump(time, 13.0, 2.5) + 180.0 * bump(time, 19.0, 2.0);

    return usual * (1.0 + 0.07 * busy);
}

void
station_start(struct station *station, uint64_t seed)
{
    *station = (struct station){.chance = seed,
                                .speed = 0.35,
                                .level = 235.0,
                                .valve = 60.0,
                                .bearing = 21.0,
                                .water = 12.5,
                                .charge = 0.2};
}

static void
see(struct station *station, double *value)
{
    for (int c = 0; c < CHANNELS; c++) {
        double scale = pow(10.0, sensors[c].decimals);
        double noise = sensors[c].noise * draw_normal(&station->chance);
        value[c] = round((value[c] + noise) * scale) / scale;
    }
}

void
station_step(struct station *station, double time, double wear, double *value)
{
    struct station *s = station;

    wander(&s->chance, &s->busy, 1800.0);
    wander(&s->chance, &s->weather, 20.0 * 3600.0);
    /* The sun is highest at noon, the air warmest at three. */
    double sun = fmax(0.0, -cos(TURN * time / DAY));
    double ambient = 12.0 + 2.0 * wear + 1.8 * s->weather -
                     4.5 * cos(TURN * (time / DAY - 0.125));
    double demand = demand_at(time, s->busy);

    follow(&s->speed, demand / 560.0 + 0.002 * (240.0 - s->level), 90.0);
    s->speed = fmin(1.0, fmax(0.25, s->speed));
    /* The valve's drive rests until it is four percent off. */
    double open = 40.0 + 55.0 * s->speed;
    if (fabs(open - s->valve) > 4.0)
        s->valve = open;
    double flow =
        600.0 * s->speed * (0.75 + 0.003 * s->valve) * (1.0 - 0.05 * wear);
    /* The tank has twelve square metres. */
    s->level += (flow - demand) * (STATION_STEP / 60.0) / 120.0;
    double load = s->speed * s->speed;
    follow(&s->bearing, ambient + 7.0 + (30.0 + 4.0 * wear) * load, 1500.0);
    follow(&s->water, 7.0 + 0.45 * ambient, 5.0 * 3600.0);
    follow(&s->charge, sun > 0.0 ? 0.3 + 0.7 * sun : 0.1, 7200.0);

    value[CURRENT] = 3.0 + 16.0 * load + 0.4 * wear;
    value[FLOW] = flow;
    value[PRESSURE_IN] = 1.25 - 2.0e-6 * flow * flow;
    value[PRESSURE_OUT] = 1.3 + 0.004 * s->level + 7.0e-6 * flow * flow;
    value[LEVEL] = s->level;
    value[VALVE] = s->valve;
    value[VIBRATION] = 0.8 + 2.2 * load + 0.4 * wear;
    value[BEARING] = s->bearing;
    value[WATER] = s->water;
    value[AMBIENT] = ambient;
    value[HUMIDITY] = fmin(97.0, 104.0 - 2.6 * ambient - 1.5 * s->weather);
    value[BATTERY] = 12.3 + 1.5 * s->charge;
    see(station, value);
}
