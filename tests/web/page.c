/* page.c - prints a page as the program has it: `page report <facts.json'
 * or `page live'. */
#include <stdio.h>
#include <string.h>

#include "web.h"

static void
copy_input(void)
{
    char bytes[4096];
    size_t length;

    while ((length = fread(bytes, 1, sizeof bytes, stdin)) > 0)
        fwrite(bytes, 1, length, stdout);
}

int
main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "live") == 0) {
        fputs(web_live, stdout);
    } else if (argc == 2 && strcmp(argv[1], "report") == 0) {
        fputs(web_report_begin, stdout);
        copy_input();
        fputs(web_report_end, stdout);
    } else {
        fputs("usage: page report|live\n", stderr);
        return 2;
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
