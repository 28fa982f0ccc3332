/** @file current.c  Which GPU is a thread's current one, and functions of the driver.
 *
 * A thread that never chose a GPU has none. cudaSetDevice() and calls on a stream give it one, and with it the context of
 * the first GPU, perhaps, which the program does not use; and no call of the CUDA runtime takes that back. So what
 * only looks in passing, in threads of the program that wait, changes the thread's context by the driver, and puts
 * back what was there, be it nothing. */
#include "runtime/cuda/cuda.h"

#include <cuda.h>
#include <string.h>

typedef CUresult (*get_fn)(CUcontext *);
typedef CUresult (*set_fn)(CUcontext);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static get_fn get_current; /* both are written once; pthread_once orders that before readers */
static set_fn set_current;

void *weir__cuda_driver(const char *name)
{
    void *symbol = NULL;
    enum cudaDriverEntryPointQueryResult result;
    if (cudaGetDriverEntryPointByVersion(name, &symbol, 12000, cudaEnableDefault, &result) !=
            cudaSuccess ||
        result != cudaDriverEntryPointSuccess)
        return NULL;
    return symbol;
}

static void find_both(void)
{
    void *get = weir__cuda_driver("cuCtxGetCurrent"), *set = weir__cuda_driver("cuCtxSetCurrent");
    memcpy(&get_current, &get, sizeof get); /* ISO C has no cast for this */
    memcpy(&set_current, &set, sizeof set);
}

void *weir__cuda_current(void)
{
    CUcontext context = NULL;
    (void)pthread_once(&once, find_both);
    return get_current && set_current && get_current(&context) == CUDA_SUCCESS ? context : NULL;
}

weir_status weir__cuda_enter(const weir_device *base, struct cuda_before *before)
{
    const struct cuda_device *device = (const struct cuda_device *)base;
    before->context = weir__cuda_current();
    before->by_driver = device->context && set_current((CUcontext)device->context) == CUDA_SUCCESS;
    if (before->by_driver)
        return WEIR_OK;
    if (cudaGetDevice(&before->ordinal) != cudaSuccess)
        before->ordinal = device->ordinal;
    return weir__cuda_use(base);
}

void weir__cuda_leave(const struct cuda_before *before)
{
    if (before->by_driver)
        (void)set_current((CUcontext)before->context);
    else
        (void)cudaSetDevice(before->ordinal);
}
