/* links.h - where a path leads, also if nothing is there yet. Only its last
 * part is looked at. */
#ifndef LINKS_H
#define LINKS_H

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "newfile.h"

#define LINKS_MAX 40 /* one after the other; the kernel follows as many */

/* One link on from PATH; 0 where it is none, or leads too far. */
static inline int
links_step(char path[PATH_MAX])
{
    char directory[PATH_MAX], link[PATH_MAX];
    ssize_t len = readlink(path, link, sizeof link - 1);

    if (len < 0)
        return 0;
    link[len] = '\0';
    newfile_directory(path, directory, sizeof directory);
    int size = link[0] == '/'
                   ? snprintf(path, PATH_MAX, "%s", link)
                   : snprintf(path, PATH_MAX, "%s/%s", directory, link);
    return size >= 0 && size < PATH_MAX;
}

/* All the way from PATH, to END. */
static inline void
links_follow(const char *path, char end[PATH_MAX])
{
    snprintf(end, PATH_MAX, "%s", path);
    for (int i = 0; i < LINKS_MAX && links_step(end); i++)
        continue;
}

#endif
