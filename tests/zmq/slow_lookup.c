/*
 * slow_lookup.c - no host has an address, by LD_PRELOAD; and once there is a
 * file PRAE_LOOKED, that takes PRAE_LOOKUP seconds to be known. Who asks then
 * makes one beside it that ends in .now.
 */
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int
getaddrinfo(const char *node, const char *service,
            const struct addrinfo *hints, struct addrinfo **found)
{
    const char *seconds = getenv("PRAE_LOOKUP"), *path = getenv("PRAE_LOOKED");
    struct timespec left = {seconds == NULL ? 0 : atoi(seconds), 0};
    char now[4096];

    (void)node;
    (void)service;
    (void)hints;
    (void)found;
    if (path == NULL || access(path, F_OK) != 0)
        return EAI_AGAIN;
    snprintf(now, sizeof now, "%s.now", path);
    FILE *file = fopen(now, "w");
    if (file != NULL)
        (void)fclose(file);
    (void)nanosleep(&left, NULL);
    return EAI_AGAIN;
}
