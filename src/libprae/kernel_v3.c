/* kernel_v3.c - the inner loops for processors with AVX2 and FMA (x86-64-v3).
 */
#include "kernel.h"
#define PRI_KERNEL pri_kernel_v3
#define PRI_KERNEL_NAME "v3"
#include "kernel_all.h"
