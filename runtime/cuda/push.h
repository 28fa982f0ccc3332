/** @file push.h  What queue.c calls of push.cu. Plain types: both compilers read it. */
#ifndef WEIR_RUNTIME_CUDA_PUSH_H
#define WEIR_RUNTIME_CUDA_PUSH_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Load the kernels into the current device, before one that never ends could hold that up. */
cudaError_t weir__cuda_push_load(void);
/** Start a copy of more than 0 bytes on @p stream; @p units are the device's multiprocessors. */
cudaError_t weir__cuda_push_start(cudaStream_t stream, unsigned units, void *destination,
                                  const void *source, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
