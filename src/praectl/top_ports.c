/* top_ports.c - inputs and outputs, and what waits there. */
#include <math.h>

#include "top_panel.h"

struct want
want_ports(const struct view *view, int cols)
{
    const struct facts *facts = view->facts;

    (void)cols;
    if (facts == NULL || facts->input_count + facts->output_count == 0)
        return (struct want){0};
    int count = (int)(facts->input_count + facts->output_count);
    return (struct want){.least = 1, .most = count, .is_lump = 1};
}

/* Columns on the right: what waits, and who is there. */
#define WAITING 14
#define PEERS 11
#define WIDEST 110 /* columns; what belongs together is to be seen as such */

static void
draw_peers(struct canvas *canvas, int row, int col, int end,
           const struct facts_port *port)
{
    char text[TOP_TEXT];

    if (port->is_clogged)
        canvas_print(canvas, row, col, end, INK_BAD, "clogged");
    else if (!isnan(port->peers))
        canvas_print(canvas, row, col, end,
                     port->peers > 0.0 ? INK_PLAIN : INK_WARN, "%s peer%s",
                     top_count(text, port->peers, 0),
                     port->peers == 1.0 ? "" : "s");
}

static void
draw_port(struct canvas *canvas, int row, struct box box, const char *kind,
          const struct facts_port *port)
{
    int end = box.col + box.cols, col = box.col;
    int peers = box.cols >= TOP_NARROW ? end - PEERS : end;
    int waiting = peers - WAITING;
    char text[TOP_TEXT];

    canvas_print(canvas, row, col, end, INK_FAINT, "%s", kind);
    col = canvas_text(canvas, row, col + 4, waiting, INK_PLAIN, port->name);
    if (port->to.len > 0 && col + 4 < waiting)
        canvas_text(canvas, row, col + 1, waiting, INK_FAINT, port->to);
    canvas_print(canvas, row, waiting, peers,
                 port->is_clogged      ? INK_BAD
                 : port->waiting > 0.0 ? INK_WARN
                                       : INK_PLAIN,
                 "%6s waiting", top_count(text, port->waiting, 0));
    draw_peers(canvas, row, peers + 1, end, port);
}

/* All in one line, where there is no room for a line each. */
static void
draw_ports_sum(struct canvas *canvas, struct box box, const struct facts *facts)
{
    double in = 0.0, out = 0.0;
    int clogged = 0, end = box.col + box.cols;
    char one[TOP_TEXT], other[TOP_TEXT];

    for (size_t i = 0; i < facts->input_count; i++)
        in += facts->inputs[i].waiting > 0.0 ? facts->inputs[i].waiting : 0.0;
    for (size_t i = 0; i < facts->output_count; i++) {
        const struct facts_port *port = &facts->outputs[i];
        out += port->waiting > 0.0 ? port->waiting : 0.0;
        clogged += port->is_clogged;
    }
    int col = canvas_print(canvas, box.row, box.col, end, INK_PLAIN,
                           "waiting: in %s, out %s", top_count(one, in, 0),
                           top_count(other, out, 0));
    if (clogged > 0)
        canvas_print(canvas, box.row, col, end, INK_BAD, ", %d clogged",
                     clogged);
}

void
draw_ports(struct canvas *canvas, struct box box, const struct view *view)
{
    const struct facts *facts = view->facts;
    int row = box.row;

    if (box.cols > WIDEST)
        box.cols = WIDEST;
    if (box.rows < (int)(facts->input_count + facts->output_count)) {
        draw_ports_sum(canvas, box, facts);
        return;
    }
    for (size_t i = 0; i < facts->input_count; i++)
        draw_port(canvas, row++, box, "in", &facts->inputs[i]);
    for (size_t i = 0; i < facts->output_count; i++)
        draw_port(canvas, row++, box, "out", &facts->outputs[i]);
}
