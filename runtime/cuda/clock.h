/** @file clock.h  Reading the clock of a GPU's kernels beside the host's (clock.cu). Included in runtime/cuda only. */
#ifndef WEIR_RUNTIME_CUDA_CLOCK_H
#define WEIR_RUNTIME_CUDA_CLOCK_H

#include <cuda_runtime_api.h>
#include <stdint.h>

/** In page-locked memory. */
struct weir__clock_words {
    uint32_t asked;    /* by the host; release, system scope: the kernel answers when it is 1 */
    uint32_t answered; /* by the kernel; release, system scope: publishes the time */
    uint64_t ns;
};

#ifdef __cplusplus
extern "C" {
#endif

/** Start a kernel of one thread that says it is there (answered: 1), waits until it is asked, and tells its time (answered:
 *  2). It gives up after @p patience_ns. */
cudaError_t weir__cuda_clock_start(cudaStream_t stream, struct weir__clock_words *words,
                                   uint64_t patience_ns);

#ifdef __cplusplus
}
#endif
#endif
