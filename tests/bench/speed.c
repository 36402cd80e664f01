/*
 * speed.c - how fast it is: the bench behind make bench.
 *
 *     speed full|quick FILTER DIR OUT     the table, and OUT/speed.json
 *     speed growth FILTER DIR OUT         OUT/growth_*.tsv
 *     speed figures FILTER DIR NAME...    figures whose names begin so
 *     speed records FORM COLUMNS COUNT    records to standard output
 *     speed machine                       where and with what
 *
 * FILTER is the built program, DIR a directory for inputs and models, some
 * gigabytes in a full run. There is no assertion on any time: figures are
 * for comparing, and the aims are printed beside them.
 */
#include "speed.h"

#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: speed full|quick|growth FILTER DIR OUT\n"
                            "       speed figures FILTER DIR NAME...\n"
                            "       speed records FORM COLUMNS COUNT\n"
                            "       speed machine\n";

static const struct speed full = {.rounds = 5,
                                  .score_records = 1000000,
                                  .learn_records = 100000,
                                  .long_records = 10000000};
static const struct speed quick = {.quick = 1,
                                   .rounds = 3,
                                   .score_records = 300000,
                                   .learn_records = 20000,
                                   .long_records = 500000};

static int
print_all(const struct speed *speed)
{
    int failed = measure_all(speed, "");

    machine_print();
    printf("Arrays of 16 float64; CPU time, the least of %zu rounds.\n",
           speed->rounds);
    printf("A long stream has %zu records, a short one 100000.\n",
           speed->long_records);
    table_print();
    aims_print();
    return json_write(speed) | failed;
}

static int
print_figures(const struct speed *speed, char **names, int count)
{
    int failed = 0;

    for (int i = 0; i < count; i++) {
        failed |= measure_all(speed, names[i]);
        figures_print();
    }
    return failed;
}

static int
print_records(const char *form, const char *columns, const char *count)
{
    static const char *const forms[] = {"array", "map", "jsonl", "csv"};
    struct shape shape = {.numbers = strtoul(columns, NULL, 10)};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        shape.form = (enum form)i;
        if (strcmp(form, forms[i]) == 0)
            return data_write(stdout, shape, strtoul(count, NULL, 10)) != 0;
    }
    fputs(usage, stderr);
    return 2;
}

int
main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int is_full = strcmp(mode, "full") == 0 || strcmp(mode, "figures") == 0;
    struct speed speed = is_full ? full : quick;

    if (argc == 5 && strcmp(mode, "records") == 0)
        return print_records(argv[2], argv[3], argv[4]);
    if (argc == 2 && strcmp(mode, "machine") == 0) {
        machine_print();
        return 0;
    }
    if (argc < 5) {
        fputs(usage, stderr);
        return 2;
    }
    speed.filter = argv[2];
    speed.dir = argv[3];
    speed.out = argv[4];
    if (strcmp(mode, "figures") == 0) {
        speed.rounds = 1; /* whoever asks has rounds of its own */
        return print_figures(&speed, argv + 4, argc - 4);
    }
    if (strcmp(mode, "growth") == 0)
        return growth(&speed);
    return print_all(&speed);
}
