/* keygen.c - makes a pair, and says which file goes where. */
#include "keygen.h"

#include <stdio.h>
#include <string.h>

#include "log.h"
#include "usage.h"
#include "zcert.h"

static void
print_help(void)
{
    puts("Usage: praectl keygen [--force] FILE\n"
         "Make a pair of CURVE keys: FILE gets the public key, for the peers, "
         "and\nFILE" ZCERT_SECRET_SUFFIX
         " both keys, for their owner alone.\n\n"
         "  -f, --force  replace files that exist\n"
         "  -h, --help   print this and stop");
}

static void
print_what_to_do(const char *path)
{
    printf("%s" ZCERT_SECRET_SUFFIX ": both keys, readable by you only.\n"
           "    Keep it here: prae-filter --curve-secret=%s" ZCERT_SECRET_SUFFIX
           "\n"
           "%s: the public key. It is no secret.\n"
           "    To a peer that binds: copy it to its --curve-allow directory.\n"
           "    To a peer that connects to you: --curve-server=%s\n",
           path, path, path, path);
}

/* What the command line says: EXIT_DONE with *PATH set, or NULL for help. */
static enum exit_status
parse(int argc, char **argv, const char **path, int *force)
{
    static const struct option longs[] = {{"force", no_argument, NULL, 'f'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int code;

    opterr = 0;
    while ((code = getopt_long(argc, argv, ":fh", longs, NULL)) >= 0) {
        if (code == 'h')
            return EXIT_DONE;
        if (code != 'f')
            return usage_refuse("keygen", longs, code, argv);
        *force = 1;
    }
    if (argc - optind != 1 || argv[optind][0] == '\0') {
        log_error("keygen takes the name of one FILE; see praectl keygen "
                  "--help");
        return EXIT_USAGE;
    }
    *path = argv[optind];
    return EXIT_DONE;
}

/* Whether others who read keys would overlook a file of this name. */
static int
is_secret_name(const char *path)
{
    size_t len = strlen(path), end = strlen(ZCERT_SECRET_SUFFIX);

    return len >= end && strcmp(path + len - end, ZCERT_SECRET_SUFFIX) == 0;
}

enum exit_status
keygen(int argc, char **argv)
{
    const char *path = NULL;
    int force = 0;
    struct zcert cert;
    enum exit_status status = parse(argc, argv, &path, &force);

    if (status != EXIT_DONE)
        return status;
    if (path == NULL) {
        print_help();
        return EXIT_DONE;
    }
    if (is_secret_name(path)) {
        log_error("keygen: %s would hold the public key; give the name "
                  "without " ZCERT_SECRET_SUFFIX,
                  path);
        return EXIT_USAGE;
    }
    status = zcert_make(&cert);
    if (status == EXIT_DONE) {
        status = zcert_write(path, &cert, force);
        zcert_wipe(&cert);
    }
    if (status == EXIT_DONE)
        print_what_to_do(path);
    return status;
}
