/*
 * 02_filter.c - prae-filter in 60 lines: MessagePack records from standard
 * input, those that fit to standard output.
 *
 *     cc 02_filter.c $(pkg-config --cflags --libs libprae) -o 02_filter
 *     ./02_filter < in.msgpack > clean.msgpack
 */
#include <prae.h>
#include <stdio.h>
#include <string.h>

static char bytes[1 << 21]; /* more than a record may have */

/* Judges the records pushed so far and passes the good ones on. */
static prae_status
judge(prae_filter *filter, unsigned long *set_aside)
{
    prae_status status = prae_filter_judge(filter);
    prae_verdict verdict;

    while (status == PRAE_OK && prae_filter_next(filter, &verdict) == PRAE_OK) {
        if (verdict.kind == PRAE_KIND_INLIER)
            fwrite(verdict.record, 1, verdict.record_len, stdout);
        else
            ++*set_aside;
    }
    return status;
}

int
main(void)
{
    prae_params params;
    prae_filter *filter = NULL;
    unsigned long set_aside = 0;
    size_t len = 0, used = 0, got = 1;

    prae_params_init(&params);
    prae_status status = prae_filter_new(&params, &filter);
    while (status == PRAE_OK && got > 0) {
        got = fread(bytes + len, 1, sizeof bytes - len, stdin);
        len += got;
        do {
            status = prae_filter_push(filter, bytes, len, got == 0, &used);
            /* What was not used is a record's beginning: kept in front. */
            len -= used;
            memmove(bytes, bytes + used, len);
            if (status == PRAE_FULL && judge(filter, &set_aside) != PRAE_OK)
                status = PRAE_EINVAL;
        } while (status == PRAE_FULL);
    }
    if (judge(filter, &set_aside) != PRAE_OK || status != PRAE_OK)
        fprintf(stderr, "02_filter: %s\n", prae_filter_errmsg(filter));
    fprintf(stderr, "%lu records set aside\n", set_aside);
    prae_filter_free(filter);
    return status != PRAE_OK;
}
