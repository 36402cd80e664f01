/*
 * prom.h - Prometheus' text format, version 0.0.4, written into a buffer.
 *
 * What is wrong is latched: a writer that ran out of memory writes no more
 * and says so at the end. One byte out of place and a scraper throws all of
 * it away, so whatever is put into a label leaves as printable ASCII.
 */
#ifndef PROM_H
#define PROM_H

#include "prae.h"

struct prom {
    prae_buffer *out;
    int failed; /* out of memory */
};

struct prom_label {
    const char *name, *text;
};

/* What comes next: samples of NAME. KIND is "counter", "gauge" or
 * "histogram". */
void prom_family(struct prom *prom, const char *name, const char *kind,
                 const char *help);

/* One sample, with LABELS (COUNT). */
void prom_sample(struct prom *prom, const char *name,
                 const struct prom_label *labels, size_t count, double number);

/* The same with one label, or with none. */
void prom_labelled(struct prom *prom, const char *name, const char *label,
                   const char *text, double number);
void prom_number(struct prom *prom, const char *name, double number);

/* A family of one sample. */
void prom_single(struct prom *prom, const char *name, const char *kind,
                 const char *help, double number);

/* The samples of a histogram: BIN (COUNT + 1) is how many are up to EDGE
 * (COUNT) and above the edge before; the last, how many lie beyond. */
void prom_histogram(struct prom *prom, const char *name, const double *edge,
                    const uint64_t *bin, size_t count, double sum);

#endif
