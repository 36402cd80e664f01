/*
 * fuzz_options.c - any words as a command line.
 *
 * A NUL or a line's end ends a word. What is accepted must be the same
 * options when it is printed for a shell and that is parsed; what is not,
 * must be refused with one line. No configuration is read: fuzz_config.c
 * does.
 *
 * About: src/prae-filter/options.c src/prae-filter/options_show.c
 * src/prae-filter/options_table.c src/prae-filter/spec.c
 * src/libprae/params.c
 */
#include "parsed.h"

#include <fcntl.h>
#include <unistd.h>

#include "config_file.h"

#define WORDS_MAX 64

struct words {
    char *argv[WORDS_MAX + 2]; /* the program first, NULL last */
    int argc;
};

/* In place of config_file.c: whatever file is named is empty. */
enum exit_status
config_read(const char *path, config_take *take, void *context)
{
    (void)path;
    (void)take;
    (void)context;
    return EXIT_DONE;
}

static void
words_init(struct words *words)
{
    static char program[] = "prae-filter";

    *words = (struct words){.argv = {program}, .argc = 1};
}

/* TEXT (LEN, and a NUL behind it) is cut in place. */
static void
words_cut(struct words *words, char *text, size_t len)
{
    words_init(words);
    for (size_t at = 0; at < len && words->argc <= WORDS_MAX; at++) {
        words->argv[words->argc++] = text + at;
        while (at < len && text[at] != '\0' && text[at] != '\n')
            at++;
        text[at] = '\0';
    }
}

/* TEXT, as options_print_command writes it, is cut in place as a shell would
 * do. The first word is the program. */
static void
words_unquote(struct words *words, char *text)
{
    char *from = text + strcspn(text, " "), *to = from;
    int quoted = 0;

    words_init(words);
    for (; *from != '\0'; from++) {
        if (*from == ' ' && !quoted) {
            MUST(words->argc <= WORDS_MAX);
            *to++ = '\0';
            words->argv[words->argc++] = to;
        } else if (*from == '\\' && !quoted) {
            *to++ = *++from;
        } else if (*from == '\'') {
            quoted = !quoted;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    MUST(!quoted);
}

/* --help and the like are not to be seen among the results. */
static enum exit_status
parse(struct options *options, const struct words *words)
{
    static int nowhere = -1, kept = -1;
    char *argv[WORDS_MAX + 2];

    if (nowhere < 0) {
        nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        kept = fcntl(1, F_DUPFD_CLOEXEC, 3);
        MUST(nowhere >= 0 && kept >= 0);
    }
    memcpy(argv, words->argv, sizeof argv);
    heard_lines = 0;
    MUST(fflush(stdout) == 0 && dup2(nowhere, 1) == 1);
    enum exit_status status = options_parse(options, words->argc, argv);
    MUST(fflush(stdout) == 0 && dup2(kept, 1) == 1);
    return status;
}

static void
check_again(const struct options *options)
{
    static struct options again;
    struct words words;
    char *text = parsed_text(options_print_command, options);
    char *copy = as_text((const unsigned char *)text, strlen(text));

    words_unquote(&words, copy);
    if (parse(&again, &words) != EXIT_DONE) {
        fprintf(stderr, "%s\nrefused: %s\n", text, heard);
        abort();
    }
    char *printed = parsed_text(options_print_command, &again);
    if (strcmp(text, printed) != 0) {
        fprintf(stderr, "%s\nbecame\n%s\n", text, printed);
        abort();
    }
    parsed_compare(options, &again);
    options_free(&again);
    free(printed);
    free(copy);
    free(text);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static struct options options;
    struct words words;

    if (size > 4000) /* values are printed up to 4095 bytes */
        return 0;
    char *text = as_text(data, size);
    words_cut(&words, text, size);
    enum exit_status status = parse(&options, &words);
    if (status == EXIT_DONE) {
        MUST(heard_lines == 0);
        if (options.stop == 0)
            check_again(&options);
    } else {
        MUST(status == EXIT_USAGE);
        MUST(heard_lines == 1);
    }
    options_free(&options);
    free(text);
    return 0;
}
