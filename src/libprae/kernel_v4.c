/* kernel_v4.c - the inner loops for processors with AVX-512 (x86-64-v4). */
#include "kernel.h"
#define PRI_KERNEL pri_kernel_v4
#define PRI_KERNEL_NAME "v4"
#include "kernel_all.h"
