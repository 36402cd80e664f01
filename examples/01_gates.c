/*
 * 01_gates.c - finds the rows of a table that do not fit.
 *
 * 1000 rows of four sensors that all follow one hidden temperature, with
 * some noise. In every 50th row one sensor reads what another moment would
 * have been: well in its usual range, just not where the other three are.
 *
 *     cc 01_gates.c $(pkg-config --cflags --libs libprae) -lm -o 01_gates
 */
#include <math.h>
#include <prae.h>
#include <stdio.h>

#define ROWS 1000
#define COLS 4

/* A number in -1 .. 1 that looks random enough. */
static double
noise(int i)
{
    double x = sin(i * 12.9898) * 43758.5453;

    return 2.0 * (x - floor(x)) - 1.0;
}

int
main(void)
{
    static double x[ROWS][COLS];
    prae_params params;
    prae_model *model = NULL;
    int found = 0, false_alarms = 0;

    for (int i = 0; i < ROWS; i++) {
        double hidden = sin(i * 0.7), wrong = hidden > 0.0 ? -0.9 : 0.9;
        x[i][0] = 20.0 + 5.0 * hidden + 0.4 * noise(4 * i);
        x[i][1] = 3.0 - hidden + 0.1 * noise(4 * i + 1);
        x[i][2] = 100.0 * hidden + 8.0 * noise(4 * i + 2);
        x[i][3] = hidden + 0.1 * noise(4 * i + 3);
        if (i % 50 == 25)
            x[i][3] = wrong;
    }

    prae_params_init(&params);
    prae_status status = prae_model_new(&params, &model);
    if (status == PRAE_OK)
        status = prae_model_fit(model, &x[0][0], ROWS, COLS);
    if (status != PRAE_OK) {
        fprintf(stderr, "01_gates: %s: %s\n", prae_status_text(status),
                prae_model_errmsg(model));
        prae_model_free(model);
        return 1;
    }

    for (int i = 0; i < ROWS; i++) {
        if ((double)prae_model_gates(model)[i] >= params.threshold)
            continue;
        found += i % 50 == 25;
        false_alarms += i % 50 != 25;
    }
    printf("found %d of 20 wrong rows, flagged %d of 980 good ones\n", found,
           false_alarms);
    prae_model_free(model);
    return 0;
}
