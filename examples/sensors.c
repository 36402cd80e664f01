/*
 * sensors.c - a dirty stream to try prae-filter on: two weeks of a pumping
 * station, read once a minute, with faults planted and written down.
 *
 *     sensors --truth truth.csv > sensors.msgpack
 *
 * The same seed gives the same stream. What goes wrong is in faults.h.
 */
#include <getopt.h>
#include <math.h>
#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faults.h"

#define FIRST_ID 100001       /* of the first record */
#define FIRST_TIME 1714521600 /* 2024-05-01 00:00 UTC */

/* ---- writing ---- */

static int
put(void *file, const char *bytes, size_t len)
{
    return fwrite(bytes, 1, len, file) == len ? 0 : -1;
}

static void
pack_text(msgpack_packer *pk, const char *text)
{
    msgpack_pack_str_with_body(pk, text, strlen(text));
}

static void
write_msgpack(const struct record *record)
{
    size_t count = 2;
    msgpack_packer pk;

    for (int c = 0; c < CHANNELS; c++)
        count += record->cell[c] != ABSENT;
    msgpack_packer_init(&pk, stdout, put);
    msgpack_pack_map(&pk, count);
    pack_text(&pk, "id");
    msgpack_pack_long_long(&pk, record->id);
    pack_text(&pk, "ts");
    msgpack_pack_long_long(&pk, record->ts);
    for (int c = 0; c < CHANNELS; c++) {
        if (record->cell[c] == ABSENT)
            continue;
        pack_text(&pk, sensors[c].name);
        switch (record->cell[c]) {
        case NUMBER: msgpack_pack_double(&pk, record->value[c]); break;
        case WORD: pack_text(&pk, "ERR"); break;
        default: msgpack_pack_nil(&pk); break;
        }
    }
}

/* NaN as some loggers write it, although JSON has no such thing. */
static void
write_jsonl(const struct record *record)
{
    printf("{\"id\":%lld,\"ts\":%lld", record->id, record->ts);
    for (int c = 0; c < CHANNELS; c++) {
        if (record->cell[c] == ABSENT)
            continue;
        printf(",\"%s\":", sensors[c].name);
        if (record->cell[c] == NUMBER && isnan(record->value[c]))
            printf("NaN");
        else if (record->cell[c] == NUMBER)
            printf("%.10g", record->value[c]);
        else
            printf(record->cell[c] == WORD ? "\"ERR\"" : "null");
    }
    printf("}\n");
}

static void
write_csv(const struct record *record)
{
    if (record->id == FIRST_ID) {
        printf("id,ts");
        for (int c = 0; c < CHANNELS; c++)
            printf(",%s", sensors[c].name);
        printf("\n");
    }
    printf("%lld,%lld", record->id, record->ts);
    for (int c = 0; c < CHANNELS; c++) {
        if (record->cell[c] == NUMBER)
            printf(",%.10g", record->value[c]);
        else
            printf(record->cell[c] == WORD ? ",ERR" : ",");
    }
    printf("\n");
}

/* ---- the run ---- */

struct options {
    long long records;
    uint64_t seed;
    void (*write)(const struct record *record);
    const char *truth;
};

static int
usage(void)
{
    fprintf(stderr, "usage: sensors [--records N] [--seed N] "
                    "[--format msgpack|jsonl|csv] [--truth FILE]\n");
    return 2;
}

static int
parse(struct options *options, int argc, char **argv)
{
    static const struct option names[] = {
        {"records", 1, NULL, 'n'}, {"seed", 1, NULL, 's'},
        {"format", 1, NULL, 'f'},  {"truth", 1, NULL, 't'},
        {NULL, 0, NULL, 0},
    };
    int option;

    *options = (struct options){20000, 1, write_msgpack, NULL};
    while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
        char none[] = "", *end = none;
        if (option == 'n')
            options->records = strtoll(optarg, &end, 10);
        else if (option == 's')
            options->seed = strtoull(optarg, &end, 10);
        else if (option == 't')
            options->truth = optarg;
        else if (option == 'f' && strcmp(optarg, "jsonl") == 0)
            options->write = write_jsonl;
        else if (option == 'f' && strcmp(optarg, "csv") == 0)
            options->write = write_csv;
        else if (option != 'f' || strcmp(optarg, "msgpack") != 0)
            return 0;
        if (*end != '\0')
            return 0;
    }
    return optind == argc && options->records > 0;
}

int
main(int argc, char **argv)
{
    struct options options;
    struct station station;
    FILE *truth = NULL;

    if (!parse(&options, argc, argv))
        return usage();
    if (options.truth != NULL) {
        truth = fopen(options.truth, "w");
        if (truth == NULL) {
            perror(options.truth);
            return 1;
        }
        fprintf(truth, "id,kind\n");
    }

    station_start(&station, options.seed);
    struct trouble trouble = {.chance = ~options.seed};
    for (long long i = 0; i < options.records; i++) {
        double time = (double)i * STATION_STEP;
        struct record record = {.id = FIRST_ID + i,
                                .ts = FIRST_TIME + (long long)time};
        station_step(&station, time, (double)i / (double)options.records,
                     record.value);
        enum fault fault = trouble_step(&trouble, &record);
        if (truth != NULL && fault != CLEAN)
            fprintf(truth, "%lld,%s\n", record.id, fault_names[fault]);
        options.write(&record);
    }
    int bad = fflush(stdout) != 0 || ferror(stdout);
    if (truth != NULL)
        bad |= fclose(truth) != 0;
    if (bad)
        fprintf(stderr, "sensors: cannot write\n");
    return bad;
}
