/* release.c - flagged records back to what they were, in order. */
#include "release.h"

#include <stdio.h>

#include "choice.h"
#include "original.h"

static void
print_help(void)
{
    puts("Usage: praectl release [OPTION]... [FILE] >RECORDS\n"
         "Write the original records, byte for byte and in order, that "
         "prae-filter\n--outliers or --rejects set aside in "
         "FILE.\n");
    choice_print_help();
}

static enum exit_status
parse(struct choice *choice, int argc, char **argv, int *help)
{
    static const struct option longs[] = {CHOICE_LONGS, {NULL, 0, NULL, 0}};
    enum exit_status status = EXIT_DONE;
    int code;

    opterr = 0;
    while (status == EXIT_DONE &&
           (code = getopt_long(argc, argv, CHOICE_LETTERS, longs, NULL)) >= 0) {
        *help |= code == 'h';
        if (*help)
            return EXIT_DONE;
        status = choice_option(choice, longs, code, argv);
    }
    return status == EXIT_DONE ? choice_file(choice, argc, argv) : status;
}

static enum exit_status
run(struct choice *choice, struct quarantine *quarantine)
{
    struct original original = {0};
    const struct flagged *record;
    enum exit_status status;

    for (;;) {
        status = choice_next(choice, quarantine, &record);
        if (status != EXIT_DONE || record == NULL)
            break;
        if (!original.begun)
            status = original_check("release", quarantine);
        if (status == EXIT_DONE)
            status = original_put(&original, quarantine, record);
        if (status != EXIT_DONE)
            break;
    }
    /* What is before a bad record is good, and given back. */
    return status == EXIT_DONE ? original_end(&original, quarantine) : status;
}

enum exit_status
release(int argc, char **argv)
{
    struct choice choice;
    struct quarantine quarantine = {.fd = -1};
    int help = 0;

    choice_init(&choice, "release");
    enum exit_status status = parse(&choice, argc, argv, &help);
    if (status == EXIT_DONE && help) {
        print_help();
    } else if (status == EXIT_DONE) {
        status = choice_open(&choice, &quarantine);
        if (status == EXIT_DONE)
            status = run(&choice, &quarantine);
    }
    quarantine_close(&quarantine);
    choice_fini(&choice);
    return status;
}
