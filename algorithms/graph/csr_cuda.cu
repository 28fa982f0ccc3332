/** @file csr_cuda.cu  Sorted rows out of arcs on GPUs. */
#include "algorithms/graph/csr_op.h"

#define WEIR_KERNEL      csr_count
#define WEIR_KERNEL_ARGS csr_deal_args
#include "algorithms/kernel_cuda_tmpl.cuh"

#define WEIR_KERNEL      csr_deal
#define WEIR_KERNEL_ARGS csr_deal_args
#include "algorithms/kernel_cuda_tmpl.cuh"

#define WEIR_KERNEL      csr_pack
#define WEIR_KERNEL_ARGS csr_keys_args
#include "algorithms/kernel_cuda_tmpl.cuh"

#define WEIR_KERNEL      csr_turn
#define WEIR_KERNEL_ARGS csr_keys_args
#include "algorithms/kernel_cuda_tmpl.cuh"

#define WEIR_KERNEL      csr_unpack
#define WEIR_KERNEL_ARGS csr_keys_args
#include "algorithms/kernel_cuda_tmpl.cuh"

#define WEIR_KERNEL      csr_mark
#define WEIR_KERNEL_ARGS csr_keys_args
#include "algorithms/kernel_cuda_tmpl.cuh"

#define WEIR_KERNEL      csr_keep
#define WEIR_KERNEL_ARGS csr_keys_args
#include "algorithms/kernel_cuda_tmpl.cuh"

#define WEIR_KERNEL      csr_lengths
#define WEIR_KERNEL_ARGS csr_lengths_args
#include "algorithms/kernel_cuda_tmpl.cuh"

#define WEIR_KERNEL      csr_shift
#define WEIR_KERNEL_ARGS csr_shift_args
#include "algorithms/kernel_cuda_tmpl.cuh"
