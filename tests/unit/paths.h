/*
 * paths.h - the inner loops of each kind of processor in turn:
 *
 *     for (size_t at = 0; next_path(&at);)
 *         check();
 */
#ifndef PRAE_PATHS_H
#define PRAE_PATHS_H

#include <stddef.h>
#include <stdio.h>

#include "prae.h"

/* Uses the next kind that this processor can run and returns its name; NULL
 * behind the last. Those that it cannot are told of. */
static inline const char *
next_path(size_t *at)
{
    static const char *const names[] = {"baseline", "v3", "v4"};

    while (*at < sizeof names / sizeof *names) {
        const char *name = names[(*at)++];
        prae_status status = prae_kernel_use(name);
        printf("# %s%s\n", name,
               status == PRAE_OK        ? ""
               : status == PRAE_ECONFIG ? ": not on this processor"
                                        : ": not built");
        if (status == PRAE_OK)
            return name;
    }
    return NULL;
}

#endif
