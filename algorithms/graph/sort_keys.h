/** @file sort_keys.h  Sorting and adding up on a device: on GPUs by CUB, which is part of CUDA's toolkit. Not installed.
 *
 * As CUB has it, a launch without `temp` only says what it needs. Both write through pointers to host memory when they are launched,
 * so the words have to be there until the queue was waited for. */
#ifndef WEIR_ALGORITHMS_GRAPH_SORT_KEYS_H
#define WEIR_ALGORITHMS_GRAPH_SORT_KEYS_H

#include "runtime/runtime.h"

/** Sort keys, ascending; equal ones keep their order. */
typedef struct sort_keys_args {
    uint64_t *keys[2];   /* count each; they lie in the first, */
    uint32_t *values[2]; /* as one value beside each key does; NULL: there are none */
    uint64_t count;      /* below 2^31 */
    uint32_t bits;       /* of a key, 1 to 64: those above are 0 */
    uint32_t *which_out; /* host: in which of the two they lie then */
    void *temp;          /* NULL: temp_bytes_out is written, and nothing else happens */
    uint64_t temp_bytes;
    uint64_t *temp_bytes_out; /* host */
} sort_keys_args;

/** Turn values into the sums of those before each. */
typedef struct sum_before_args {
    uint64_t *values;
    uint64_t count;
    void *temp; /* as above */
    uint64_t temp_bytes;
    uint64_t *temp_bytes_out;
} sum_before_args;

extern const weir_kernel weir__sort_keys_kernel, weir__sum_before_kernel;

#endif
