/*
 * praectl - the companion of prae-filter: what people do around a filter.
 *
 * Every command is a row of the table below with a file of its own; its
 * function gets the command line from the command's name on and reads its
 * own options. Commands exit as prae-filter does.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "fds.h"
#include "keygen.h"
#include "log.h"
#include "nearest.h"
#include "order.h"
#include "prae.h"
#include "release.h"
#include "rescore.h"
#include "show.h"
#include "top.h"

struct command {
    const char *name;
    enum exit_status (*run)(int argc, char **argv);
    const char *arguments;
    const char *meaning;
};

static const struct command commands[] = {
    {"keygen", keygen, "[--force] FILE", "make a pair of CURVE keys"},
    {"pause", order, "ENDPOINT", "have a filter learn nothing"},
    {"release", release, "[OPTION]... [FILE]", "give flagged records back"},
    {"rescore", rescore, "--model=MODEL [FILE]", "judge flagged records again"},
    {"resume", order, "ENDPOINT", "have a filter learn again"},
    {"revert", order, "ENDPOINT [N]", "have it go back to a snapshot"},
    {"set", order, "ENDPOINT NAME VALUE", "change its fpr or threshold"},
    {"show", show, "[OPTION]... [FILE]", "look at flagged records, and why"},
    {"snapshot", order, "ENDPOINT", "have it save what it learned"},
    {"stats", order, "ENDPOINT", "print all that is known of it"},
    {"stop", order, "ENDPOINT", "have it deliver and end"},
    {"top", top, "[OPTION]... ENDPOINT|URL", "watch a running filter"},
};

#define COMMAND_COUNT (sizeof commands / sizeof *commands)

static enum exit_status
print_help(void)
{
    puts("Usage: praectl COMMAND [ARGUMENT]...\n"
         "       praectl --help | --version\n\n"
         "Commands; each knows --help:");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        char line[80];
        snprintf(line, sizeof line, "%s %s", commands[i].name,
                 commands[i].arguments);
        printf("  %-29s %s\n", line, commands[i].meaning);
    }
    return EXIT_DONE;
}

static enum exit_status
print_version(void)
{
    printf("praectl %d.%d.%d\n", PRAE_VERSION_MAJOR, PRAE_VERSION_MINOR,
           PRAE_VERSION_PATCH);
    return EXIT_DONE;
}

static void
refuse(const char *word)
{
    struct nearest nearest;

    nearest_init(&nearest, word);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        nearest_try(&nearest, commands[i].name);
    if (nearest.best != NULL)
        log_error("no command %s; did you mean %s?", word, nearest.best);
    else
        log_error("no command %s; see praectl --help", word);
}

static enum exit_status
run(int argc, char **argv)
{
    const char *word = argc < 2 ? "" : argv[1];

    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return print_help();
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        return print_version();
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(word, commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    if (word[0] == '\0')
        log_error("a command is missing; see praectl --help");
    else if (word[0] == '-')
        log_error("no option %s; see praectl --help", word);
    else
        refuse(word);
    return EXIT_USAGE;
}

int
main(int argc, char **argv)
{
    fds_hold();
    signal(SIGXFSZ, SIG_IGN); /* write tells it, too */
    log_set_program("praectl");
    enum exit_status status = run(argc, argv);
    if (status == EXIT_DONE)
        status = fds_check_stdout();
    return (int)status;
}
