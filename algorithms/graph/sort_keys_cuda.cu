/** @file sort_keys_cuda.cu  Sorting and adding up on GPUs: CUB's radix sort and scan, behind C launchers. */
#include "algorithms/graph/sort_keys.h"

/* CUB includes <iostream> for an operator that nobody calls here, and with it comes an initializer for which every C program that
 * links weir would have to link the library of C++. What the operator names is in <ostream>; this is the guard of GNU's <iostream>. */
#include <ostream>
#define _GLIBCXX_IOSTREAM 1
/* Nor ranges for tools around its calls, whose functions would be visible beside weir's in every program. */
#define CCCL_DISABLE_NVTX 1

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

static cudaError_t sort_any(const sort_keys_args *a, cudaStream_t stream, size_t *bytes)
{
    cub::DoubleBuffer<uint64_t> keys(a->keys[0], a->keys[1]);
    cub::DoubleBuffer<uint32_t> values(a->values[0], a->values[1]);
    const cudaError_t error =
        a->values[0] ? cub::DeviceRadixSort::SortPairs(a->temp, *bytes, keys, values,
                                                       (uint32_t)a->count, 0, (int)a->bits, stream)
                     : cub::DeviceRadixSort::SortKeys(a->temp, *bytes, keys, (uint32_t)a->count, 0,
                                                      (int)a->bits, stream);
    *a->which_out = (uint32_t)keys.selector;
    return error;
}

extern "C" int weir__sort_keys_cuda(void *stream, uint32_t workers, const void *data);
extern "C" int weir__sort_keys_cuda(void *stream, uint32_t workers, const void *data)
{
    const sort_keys_args *a = (const sort_keys_args *)data;
    size_t bytes = (size_t)a->temp_bytes;
    (void)workers;
    const cudaError_t error = sort_any(a, (cudaStream_t)stream, &bytes);
    *a->temp_bytes_out = bytes;
    return (int)error;
}

extern "C" int weir__sum_before_cuda(void *stream, uint32_t workers, const void *data);
extern "C" int weir__sum_before_cuda(void *stream, uint32_t workers, const void *data)
{
    const sum_before_args *a = (const sum_before_args *)data;
    size_t bytes = (size_t)a->temp_bytes;
    (void)workers;
    const cudaError_t error = cub::DeviceScan::ExclusiveSum(
        a->temp, bytes, a->values, a->values, (uint32_t)a->count, (cudaStream_t)stream);
    *a->temp_bytes_out = bytes;
    return (int)error;
}
