/* choice.c - the options that say which records are meant. */
#include "choice.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"
#include "usage.h"

#define RECORD_MOST ((uint64_t)4 << 30) /* what --max-record may be */

void
choice_init(struct choice *choice, const char *command)
{
    *choice = (struct choice){.command = command,
                              .limit = UINT64_MAX,
                              .record_max = QUARANTINE_RECORD_MAX};
}

void
choice_fini(struct choice *choice)
{
    where_fini(&choice->where);
}

void
choice_print_help(void)
{
    puts("  -f, --format=FORMAT     msgpack, jsonl or csv; by FILE's suffix or "
         "its first\n"
         "                          bytes if not given\n"
         "  -n, --limit=N           no more than N records\n"
         "  -w, --where=CONDITIONS  only records that meet them, such as\n"
         "                          'score>5,field=temp,state!=burst'. "
         "Numbers: score, p,\n"
         "                          gate, error, seq, window, model with = != "
         "< <= > >=;\n"
         "                          texts: kind, state, field, code, reason "
         "with = != ~\n"
         "                          (contains). Commas mean and\n"
         "      --max-record=BYTES  the longest that is read (64 MiB)\n"
         "  -h, --help              print this and stop");
}

/* The whole number from 1 to MOST that TEXT is; 0 after saying so. */
static uint64_t
number_of(const struct choice *choice, const char *name, const char *text,
          uint64_t most)
{
    uint64_t number = 0;

    if (word_whole((struct word){text, strlen(text)}, &number) && number > 0 &&
        number <= most)
        return number;
    log_error("%s: --%s is a whole number from 1, not '%s'", choice->command,
              name, text);
    return 0;
}

enum exit_status
choice_option(struct choice *choice, const struct option *longs, int code,
              char **argv)
{
    char why[300];

    switch (code) {
    case 'f': choice->format = optarg; return EXIT_DONE;
    case 'n':
        choice->limit = number_of(choice, "limit", optarg, UINT64_MAX);
        return choice->limit > 0 ? EXIT_DONE : EXIT_USAGE;
    case 'R':
        choice->record_max =
            (size_t)number_of(choice, "max-record", optarg, RECORD_MOST);
        return choice->record_max > 0 ? EXIT_DONE : EXIT_USAGE;
    case 'w':
        if (where_add(&choice->where, optarg, why, sizeof why))
            return EXIT_DONE;
        log_error("%s: --where: %s; see praectl %s --help", choice->command,
                  why, choice->command);
        return EXIT_USAGE;
    default: return usage_refuse(choice->command, longs, code, argv);
    }
}

enum exit_status
choice_file(struct choice *choice, int argc, char **argv)
{
    choice->path = argc == optind ? "-" : argv[optind];
    if (argc - optind > 1 || choice->path[0] == '\0') {
        log_error("%s takes the name of one FILE; see praectl %s --help",
                  choice->command, choice->command);
        return EXIT_USAGE;
    }
    if (argc == optind && isatty(STDIN_FILENO)) {
        log_error("%s: no input: give a FILE of flagged records, or - to type "
                  "them",
                  choice->command);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

/* Whether what is printed goes to the file that is read. */
static int
goes_round(const struct quarantine *quarantine)
{
    struct stat from, to;

    return fstat(quarantine->fd, &from) == 0 &&
           fstat(STDOUT_FILENO, &to) == 0 && S_ISREG(from.st_mode) &&
           from.st_dev == to.st_dev && from.st_ino == to.st_ino;
}

enum exit_status
choice_open(const struct choice *choice, struct quarantine *quarantine)
{
    enum exit_status status = quarantine_open(
        quarantine, choice->path, choice->format, choice->record_max);

    if (status != EXIT_DONE || !goes_round(quarantine))
        return status;
    /* What a shell has emptied is gone already, but not without a word. */
    log_error("%s: %s is also the output, which would spoil it; write to "
              "another file",
              choice->command, quarantine->name);
    return EXIT_USAGE;
}

enum exit_status
choice_next(struct choice *choice, struct quarantine *quarantine,
            const struct flagged **record)
{
    enum exit_status status = EXIT_DONE;

    *record = NULL;
    if (choice->taken == choice->limit)
        return EXIT_DONE;
    do
        status = quarantine_next(quarantine, record);
    while (status == EXIT_DONE && *record != NULL &&
           !where_holds(&choice->where, *record));
    choice->taken += status == EXIT_DONE && *record != NULL;
    return status;
}
