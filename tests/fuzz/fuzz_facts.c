/*
 * fuzz_facts.c - any bytes as the facts that praectl top asks a filter for.
 *
 * The first byte chooses the screen's size, its lowest bit that it knows
 * ASCII only. What is understood is drawn; nothing may get to the terminal
 * but printable characters.
 *
 * About: src/praectl/top_facts.c src/praectl/top_[!lfs]*.c
 * src/praectl/top_lines.c src/praectl/top_lists.c src/praectl/top_sums.c
 * src/praectl/bars.c src/praectl/canvas.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "top_draw.h"

#define MUST(expression)                                                     \
    do {                                                                     \
        if (!(expression)) {                                                 \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, \
                    #expression);                                            \
            abort();                                                         \
        }                                                                    \
    } while (0)

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static const struct {
    int rows, cols;
} sizes[] = {{24, 80}, {1, 1}, {5, 20}, {60, 132}, {100, 61}, {200, 300}};

static void
check_row(const unsigned char *row, size_t len, int ascii)
{
    for (size_t i = 0; i < len; i++) {
        MUST(row[i] >= ' ' && row[i] != 0x7f);
        MUST(!ascii || row[i] < 0x7f);
        /* U+0080 to U+009F control, too. */
        MUST(row[i] != 0xc2 || (i + 1 < len && row[i + 1] >= 0xa0));
    }
}

static void
draw(const struct facts *facts, int rows, int cols, int ascii)
{
    static struct trend trend;
    struct view view = {.source = "http://x/",
                        .facts = facts,
                        .trend = &trend,
                        .interval = 1.0};
    struct canvas canvas;

    trend = (struct trend){.count = 0};
    trend_add(&trend, facts);
    trend_add(&trend, facts);
    MUST(top_draw_rows(&view, cols) >= 0);
    MUST(canvas_init(&canvas, rows, cols, ascii));
    top_draw(&canvas, &view);
    for (int row = 0; row < rows; row++) {
        char *text = NULL;
        size_t len = 0;
        FILE *out = open_memstream(&text, &len);
        MUST(out != NULL);
        canvas_print_row(&canvas, row, 0, 0, out);
        MUST(fclose(out) == 0);
        check_row((const unsigned char *)text, len, ascii);
        free(text);
    }
    canvas_fini(&canvas);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct facts *facts = NULL;
    char why[FACTS_WHY] = "";

    if (size == 0)
        return 0;
    enum exit_status status =
        facts_read(&facts, (const char *)data + 1, size - 1, why);
    if (status == EXIT_DONE) {
        size_t one = (data[0] >> 1) % (sizeof sizes / sizeof *sizes);
        draw(facts, sizes[one].rows, sizes[one].cols, data[0] & 1);
        facts_free(facts);
    } else {
        MUST(status == EXIT_DATA && why[0] != '\0' && strlen(why) < FACTS_WHY);
        check_row((const unsigned char *)why, strlen(why), 1);
    }
    return 0;
}
