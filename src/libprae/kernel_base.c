/* kernel_base.c - the inner loops for what every processor of this kind can do.
 */
#include "kernel.h"
#define PRI_KERNEL pri_kernel_base
#define PRI_KERNEL_NAME "baseline"
#include "kernel_all.h"
