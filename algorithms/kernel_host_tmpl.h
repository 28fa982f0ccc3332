/** @file kernel_host_tmpl.h  A function of workers as a kernel: its form for host devices, and the weir_kernel of both
 * forms. Not installed.
 *
 * A .c file includes the function, which is written in the dialect,
 *
 *     WEIR_DEV void NAME(const ARGS *args, uint32_t worker, uint32_t workers);
 *
 * defines WEIR_KERNEL to NAME, and includes this: that makes `const weir_kernel weir__NAME_kernel`. One .cu file does
 * the same with kernel_cuda_tmpl.cuh. Either may be included again for another function. */
#include "runtime/runtime.h"

#ifndef WEIR_KERNEL_NAME
#define WEIR_KERNEL_PASTE__(a, b, c)     a##b##c
#define WEIR_KERNEL_PASTE_(a, b, c)      WEIR_KERNEL_PASTE__(a, b, c)
#define WEIR_KERNEL_TEXT__(x)            #x
#define WEIR_KERNEL_TEXT_(x)             WEIR_KERNEL_TEXT__(x)
#define WEIR_KERNEL_NAME(prefix, suffix) WEIR_KERNEL_PASTE_(prefix, WEIR_KERNEL, suffix)
#endif

static void WEIR_KERNEL_NAME(, _host)(const void *args, uint32_t worker, uint32_t workers)
{
    WEIR_KERNEL_NAME(, )(args, worker, workers);
}

extern const weir_kernel WEIR_KERNEL_NAME(weir__, _kernel);
#if WEIR_CUDA
int WEIR_KERNEL_NAME(weir__, _cuda)(void *stream, uint32_t workers, const void *args);
const weir_kernel WEIR_KERNEL_NAME(weir__, _kernel) = {.name = WEIR_KERNEL_TEXT_(WEIR_KERNEL),
                                                       .host = WEIR_KERNEL_NAME(, _host),
                                                       .cuda = WEIR_KERNEL_NAME(weir__, _cuda)};
#else
const weir_kernel WEIR_KERNEL_NAME(weir__, _kernel) = {.name = WEIR_KERNEL_TEXT_(WEIR_KERNEL),
                                                       .host = WEIR_KERNEL_NAME(, _host)};
#endif
#undef WEIR_KERNEL
