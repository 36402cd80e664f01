/*
 * replay.c - runs a fuzz target over the files and directories named, as
 * TAP. A target that finds something aborts, and the plan is then missing.
 *
 * Without names replay_codec takes the corpus of codec in the tree.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static int count, failed;

static void
result(int passed, const char *path)
{
    printf("%sok %d - %s\n", passed ? "" : "not ", ++count, path);
    fflush(stdout);
    failed += !passed;
}

static void
replay_file(const char *path, size_t size)
{
    unsigned char *data = malloc(size + 1);
    FILE *file = fopen(path, "rb");
    size_t got = 0;

    if (data != NULL && file != NULL) {
        got = fread(data, 1, size, file);
        /* Just as long as the file, for what checks bounds. */
        unsigned char *exact = malloc(got);
        if (exact != NULL || got == 0) {
            if (got > 0)
                memcpy(exact, data, got);
            LLVMFuzzerTestOneInput(exact, got);
        }
        free(exact);
    }
    result(data != NULL && file != NULL && got == size, path);
    if (file != NULL)
        fclose(file);
    free(data);
}

static void replay(const char *path);

/* All files in a directory, in the order of their names. */
static void
replay_directory(const char *path)
{
    struct dirent **entries;
    int entry_count = scandir(path, &entries, NULL, alphasort);

    if (entry_count < 0) {
        result(0, path);
        return;
    }
    for (int i = 0; i < entry_count; i++) {
        const char *name = entries[i]->d_name;
        size_t len = strlen(path) + strlen(name) + 2;
        char *inside = malloc(len);
        if (inside != NULL && name[0] != '.') {
            snprintf(inside, len, "%s/%s", path, name);
            replay(inside);
        }
        free(inside);
        free(entries[i]);
    }
    free(entries);
}

static void
replay(const char *path)
{
    struct stat info;

    if (stat(path, &info) != 0)
        result(0, path);
    else if (S_ISDIR(info.st_mode))
        replay_directory(path);
    else
        replay_file(path, (size_t)info.st_size);
}

static void
replay_own(const char *program)
{
    const char *top = getenv("top_srcdir"), *slash = strrchr(program, '/');
    const char *name = strstr(slash == NULL ? program : slash, "replay_");
    char path[4096];

    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/%s",
             top == NULL ? "." : top,
             name == NULL ? "" : name + strlen("replay_"));
    replay(path);
}

int
main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    if (argc == 1)
        replay_own(argv[0]);
    printf("1..%d\n", count);
    return failed == 0 && count > 0 ? 0 : 1;
}
