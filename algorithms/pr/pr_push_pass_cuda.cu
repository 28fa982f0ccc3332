/** @file pr_push_pass_cuda.cu  Passes between epochs on GPUs. */
#include "algorithms/pr/pr_push_pass.h"

/* Atomics of all workers on one sum are served one after the other. */
#define WORKERS     UINT64_C(2112)
#define TILES(args) (((uint64_t)(args)->owned + (args)->halo) / PR_PUSH_TILE + 1u)

#define WEIR_KERNEL            pr_push_pass
#define WEIR_KERNEL_ARGS       pr_push_pass_args
#define WEIR_KERNEL_MOST(args) (TILES(args) < WORKERS ? TILES(args) : WORKERS)
#include "algorithms/kernel_cuda_tmpl.cuh"
