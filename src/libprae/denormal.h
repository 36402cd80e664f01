/*
 * denormal.h - numbers too small to matter become 0 while we compute: they
 * slow products down twenty times. The caller's setting is put back.
 */
#ifndef PRI_DENORMAL_H
#define PRI_DENORMAL_H

#include <stdint.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#define PRI_FLUSH_BITS 0x8040u /* flush to zero, denormals are zero */

static inline uint64_t
pri_denormals_off(void)
{
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | PRI_FLUSH_BITS);
    return before;
}

static inline void
pri_denormals_restore(uint64_t before)
{
    _mm_setcsr((unsigned)before);
}

#elif defined(__aarch64__)
#define PRI_FLUSH_BITS (UINT64_C(1) << 24) /* FPCR.FZ */

static inline uint64_t
pri_denormals_off(void)
{
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"(before | PRI_FLUSH_BITS));
    return before;
}

static inline void
pri_denormals_restore(uint64_t before)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(before));
}

#else

static inline uint64_t
pri_denormals_off(void)
{
    return 0;
}

static inline void
pri_denormals_restore(uint64_t before)
{
    (void)before;
}

#endif
#endif
