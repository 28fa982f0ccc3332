/** @file clock.cu  A kernel that tells its time when it is asked, so that the start of a kernel is not in the reading. */
#include "runtime/cuda/clock.h"
#include "runtime/sync.h"

static __global__ void clock_kernel(struct weir__clock_words *words, uint64_t patience_ns)
{
    const uint64_t until = weir_clock_ns() + patience_ns;
    weir_store_release_sys_u32(&words->answered, 1);
    while (!weir_load_acquire_sys_u32(&words->asked))
        if (weir_clock_ns() > until)
            return;
    words->ns = weir_clock_ns();
    weir_store_release_sys_u32(&words->answered, 2);
}

extern "C" cudaError_t weir__cuda_clock_start(cudaStream_t stream, struct weir__clock_words *words,
                                              uint64_t patience_ns)
{
    clock_kernel<<<1, 1, 0, stream>>>(words, patience_ns);
    return cudaGetLastError();
}
