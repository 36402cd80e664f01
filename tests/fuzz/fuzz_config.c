/*
 * fuzz_config.c - any bytes as a configuration file.
 *
 * They are given through a file in memory. What is accepted must be the
 * same options when --print-config prints it and that is read; what is not,
 * must be refused with one line.
 *
 * About: src/prae-filter/config_file.c src/prae-filter/options.c
 * src/prae-filter/options_show.c src/prae-filter/options_table.c
 * src/libprae/params.c
 */
#include "parsed.h"

static enum exit_status
parse(struct options *options, const void *bytes, size_t len)
{
    static char program[] = "prae-filter", argument[96];
    char *argv[] = {program, argument, NULL};

    snprintf(argument, sizeof argument, "--config=%s", as_file(bytes, len));
    heard_lines = 0;
    return options_parse(options, 2, argv);
}

static void
check_again(const struct options *options)
{
    static struct options again;
    char *text = parsed_text(options_print_config, options);

    if (parse(&again, text, strlen(text)) != EXIT_DONE) {
        fprintf(stderr, "%s\nrefused: %s\n", text, heard);
        abort();
    }
    char *printed = parsed_text(options_print_config, &again);
    if (strcmp(text, printed) != 0) {
        fprintf(stderr, "%s\nbecame\n%s\n", text, printed);
        abort();
    }
    parsed_compare(options, &again);
    options_free(&again);
    free(printed);
    free(text);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static struct options options;

    if (size > 4000) /* values are printed up to 4095 bytes */
        return 0;
    enum exit_status status = parse(&options, data, size);
    if (status == EXIT_DONE) {
        MUST(heard_lines == 0);
        check_again(&options);
    } else {
        MUST(status == EXIT_CONFIG || status == EXIT_USAGE);
        MUST(heard_lines == 1);
    }
    options_free(&options);
    return 0;
}
