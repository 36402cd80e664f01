/* kernel.c - which inner loops this processor gets. */
#include "kernel.h"

#include <stdatomic.h>
#include <string.h>

static const struct kernel *const kernels[] = {
#ifdef PRI_KERNEL_X86
    &pri_kernel_v4, &pri_kernel_v3,
#endif
    &pri_kernel_base}; /* the best first */

#define KERNELS (sizeof kernels / sizeof *kernels)

static int
can_run(const struct kernel *kernel)
{
#ifdef PRI_KERNEL_X86
    __builtin_cpu_init();
    int v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("bmi2");
    if (kernel == &pri_kernel_v3)
        return v3;
    if (kernel == &pri_kernel_v4)
        return v3 && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512cd") &&
               __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
#endif
    return kernel == &pri_kernel_base;
}

/* Chosen when it is first asked for; two threads would choose the same. */
static _Atomic(const struct kernel *) chosen;

const struct kernel *
pri_kernel(void)
{
    const struct kernel *kernel =
        atomic_load_explicit(&chosen, memory_order_relaxed);

    if (kernel != NULL)
        return kernel; /* unwritten: threads share the line that it is in */
    size_t i = 0;
    while (i + 1 < KERNELS && !can_run(kernels[i]))
        i++; /* the last one runs everywhere */
    kernel = kernels[i];
    atomic_store_explicit(&chosen, kernel, memory_order_relaxed);
    return kernel;
}

prae_status
prae_kernel_use(const char *name)
{
    for (size_t i = 0; name != NULL && i < KERNELS; i++) {
        if (strcmp(kernels[i]->name, name) != 0)
            continue;
        if (!can_run(kernels[i]))
            return PRAE_ECONFIG;
        atomic_store_explicit(&chosen, kernels[i], memory_order_relaxed);
        return PRAE_OK;
    }
    return PRAE_EINVAL;
}
