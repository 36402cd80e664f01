/* speed_machine.c - where and with what it was measured. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "matrix.h"
#include "prae.h"
#include "speed.h"

const char *
machine_cpu(void)
{
    static char name[128];
    static struct utsname system;
    FILE *info = fopen("/proc/cpuinfo", "r");
    char line[256];

    while (info != NULL && name[0] == '\0' &&
           fgets(line, sizeof line, info) != NULL)
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':') != NULL)
            sscanf(strchr(line, ':') + 1, " %127[^\n]", name);
    if (info != NULL)
        fclose(info);
    if (name[0] == '\0' && uname(&system) == 0)
        return system.machine;
    return name;
}

const char *
machine_kernel(void)
{
    return pri_matrix_name();
}

const char *
machine_compiler(void)
{
#ifdef __clang__
    return __VERSION__ ", " SPEED_CFLAGS;
#else
    return "gcc " __VERSION__ ", " SPEED_CFLAGS;
#endif
}

const char *
machine_version(void)
{
    return prae_version();
}

void
machine_print(void)
{
    printf("prae %s on %s, %ld processors\nkernels %s; compiler %s\n",
           machine_version(), machine_cpu(), sysconf(_SC_NPROCESSORS_ONLN),
           machine_kernel(), machine_compiler());
}
