/* canvas.c - cells, and texts put into them with their widths counted. */
#define _XOPEN_SOURCE 700 /* wcwidth */
#include "canvas.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "plain.h"

static const char *const codes[] = {
    [INK_PLAIN] = "",        [INK_FAINT] = "\033[2m",  [INK_TITLE] = "\033[1m",
    [INK_GOOD] = "\033[32m", [INK_BAD] = "\033[31m",   [INK_WARN] = "\033[33m",
    [INK_COOL] = "\033[34m", [INK_FIELD] = "\033[36m", [INK_ALARM] = "\033[7m",
};

int
canvas_init(struct canvas *canvas, int rows, int cols, int ascii)
{
    size_t count = (size_t)rows * (size_t)cols;

    *canvas = (struct canvas){.rows = rows, .cols = cols, .ascii = ascii};
    canvas->cell = calloc(count > 0 ? count : 1, sizeof *canvas->cell);
    if (canvas->cell == NULL)
        return 0;
    for (size_t i = 0; i < count; i++) {
        canvas->cell[i].bytes[0] = ' ';
        canvas->cell[i].len = 1;
    }
    return 1;
}

static struct cell *
cell_at(const struct canvas *canvas, int row, int col)
{
    if (row < 0 || row >= canvas->rows || col < 0 || col >= canvas->cols)
        return NULL;
    return &canvas->cell[(size_t)row * (size_t)canvas->cols + (size_t)col];
}

static void
fill(struct cell *cell, const char *bytes, size_t len, enum ink ink)
{
    memcpy(cell->bytes, bytes, len);
    cell->len = (unsigned char)len;
    cell->ink = (unsigned char)ink;
}

/* ---- texts ---- */

/* A mark that stands on the character before it, if there is room. */
static void
combine(struct cell *cell, const struct plain_piece *piece)
{
    if (cell == NULL || cell->len == 0 || cell->len + piece->len > CANVAS_CELL)
        return;
    memcpy(cell->bytes + cell->len, piece->bytes, piece->len);
    cell->len = (unsigned char)(cell->len + piece->len);
}

/* How many cells PIECE takes; an escape takes one a byte. What the locale
 * knows no width of may have any, so it is escaped. */
static int
width_of(struct plain_piece *piece)
{
    int width = piece->code < 0 ? -1 : wcwidth((wchar_t)piece->code);

    if (piece->code >= 0 && width < 0) {
        unsigned code = (unsigned)piece->code;
        piece->code = -1;
        piece->len = (size_t)snprintf(piece->bytes, sizeof piece->bytes,
                                      "\\u%04x", code);
    }
    return width >= 0 ? width : (int)piece->len;
}

static void
put(struct canvas *canvas, int row, int col, enum ink ink,
    const struct plain_piece *piece, int width)
{
    struct cell *cell = cell_at(canvas, row, col);

    if (piece->code < 0) {
        for (size_t i = 0; i < piece->len; i++)
            if ((cell = cell_at(canvas, row, col + (int)i)) != NULL)
                fill(cell, piece->bytes + i, 1, ink);
        return;
    }
    if (cell == NULL)
        return;
    fill(cell, piece->bytes, piece->len, ink);
    if (width == 2 && (cell = cell_at(canvas, row, col + 1)) != NULL)
        fill(cell, "", 0, ink);
}

/* The columns that TEXT takes, or any number above MOST. */
static int
measure(const struct canvas *canvas, struct word text, int most)
{
    struct plain_piece piece;
    int width = 0;

    while (text.len > 0 && width <= most) {
        size_t bytes = plain_piece(text, canvas->ascii, &piece);
        width += width_of(&piece);
        text.text += bytes;
        text.len -= bytes;
    }
    return width;
}

int
canvas_text(struct canvas *canvas, int row, int col, int end, enum ink ink,
            struct word text)
{
    struct plain_piece piece;
    int last = -1; /* where a combining mark goes */

    if (end > canvas->cols)
        end = canvas->cols;
    int cut = measure(canvas, text, end - col) > end - col;
    while (text.len > 0 && col < end) {
        size_t bytes = plain_piece(text, canvas->ascii, &piece);
        int width = width_of(&piece);
        if (width == 0) {
            combine(cell_at(canvas, row, last), &piece);
        } else if (col + width > end - cut) {
            canvas_mark(canvas, row, col, INK_FAINT, "…", '~');
            return end;
        } else {
            put(canvas, row, col, ink, &piece, width);
            last = col;
            col += width;
        }
        text.text += bytes;
        text.len -= bytes;
    }
    return col;
}

int
canvas_print(struct canvas *canvas, int row, int col, int end, enum ink ink,
             const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return canvas_text(canvas, row, col, end, ink,
                       (struct word){text, strlen(text)});
}

void
canvas_mark(struct canvas *canvas, int row, int col, enum ink ink,
            const char *utf8, char ascii)
{
    struct cell *cell = cell_at(canvas, row, col);

    if (cell == NULL)
        return;
    if (canvas->ascii)
        fill(cell, &ascii, 1, ink);
    else
        fill(cell, utf8, strlen(utf8), ink);
}

/* ---- printing ---- */

void
canvas_print_row(const struct canvas *canvas, int row, int colours, int trim,
                 FILE *out)
{
    const struct cell *cell = cell_at(canvas, row, 0);
    int cols = canvas->cols, ink = INK_PLAIN;

    if (cell == NULL)
        return;
    while (trim && cols > 0 && cell[cols - 1].len == 1 &&
           cell[cols - 1].bytes[0] == ' ')
        cols--;
    for (int i = 0; i < cols; i++) {
        if (colours && cell[i].ink != ink) {
            ink = cell[i].ink;
            fputs("\033[0m", out);
            fputs(codes[ink], out);
        }
        fwrite(cell[i].bytes, 1, cell[i].len, out);
    }
    if (ink != INK_PLAIN)
        fputs("\033[0m", out);
}

void
canvas_fini(struct canvas *canvas)
{
    free(canvas->cell);
    canvas->cell = NULL;
}
