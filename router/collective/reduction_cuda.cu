/** @file reduction_cuda.cu  The reductions on GPUs.
 *
 * Where all three arrays are aligned to 16 bytes, a thread handles 16 bytes of each at a time and keeps
 * FLIGHT of them in flight: all are read into registers before the first is combined. What is left, and
 * what is not aligned, goes element by element. Up to four blocks for each multiprocessor: enough to keep
 * memory busy, and not so many that a program's own kernels find no room. */
#include "router/collective/combine.cuh"

#define BLOCK  512u
#define FLIGHT 4

/* device.info.workers is half the warps that the device holds: 32 for a multiprocessor. */
#define BLOCKS_MAX(workers) (((workers) + 7u) / 8u)

template <class R>
static __global__ void __launch_bounds__(BLOCK)
    reduce(struct weir__reduction_args r, uint64_t packs)
{
    typedef typename R::element element;
    const uint4 *a = (const uint4 *)r.a, *b = (const uint4 *)r.b;
    uint4 *out = (uint4 *)r.out;
    uint64_t thread = (uint64_t)blockIdx.x * BLOCK + threadIdx.x,
             threads = (uint64_t)gridDim.x * BLOCK;
    for (uint64_t at = thread; at < packs; at += FLIGHT * threads) {
        uint4 x[FLIGHT], y[FLIGHT];
#pragma unroll
        for (int j = 0; j < FLIGHT; j++)
            if (at + j * threads < packs) {
                x[j] = a[at + j * threads];
                y[j] = b[at + j * threads];
            }
#pragma unroll
        for (int j = 0; j < FLIGHT; j++)
            if (at + j * threads < packs)
                out[at + j * threads] = combine<R>(x[j], y[j]);
    }
    for (uint64_t i = packs * (16 / sizeof(element)) + thread; i < r.count; i += threads)
        ((element *)r.out)[i] = R::combine(((const element *)r.a)[i], ((const element *)r.b)[i]);
}

template <class R>
static void launch(cudaStream_t stream, uint32_t workers, const struct weir__reduction_args *r)
{
    uint64_t aligned = ((uintptr_t)r->out | (uintptr_t)r->a | (uintptr_t)r->b) % 16 == 0;
    uint64_t packs = aligned ? r->count / (16 / r->element) : 0;
    uint64_t steps = packs ? (packs + FLIGHT - 1) / FLIGHT : r->count;
    uint64_t blocks = (steps + BLOCK - 1) / BLOCK;
    if (blocks > BLOCKS_MAX(workers))
        blocks = BLOCKS_MAX(workers);
    reduce<R><<<blocks ? (uint32_t)blocks : 1, BLOCK, 0, stream>>>(*r, packs);
}

static cudaError_t load_all()
{
#define KERNEL(number, type_name, op_name, type, combination) \
    (const void *)reduce<type_name##_##op_name>,
    static const void *const kernels[WEIR__REDUCTION_COUNT] = {WEIR__REDUCTIONS(KERNEL)};
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < WEIR__REDUCTION_COUNT && error == cudaSuccess; i++) {
        cudaFuncAttributes unused;
        error = cudaFuncGetAttributes(&unused, kernels[i]);
    }
    return error;
}

extern "C" int weir__reduction_cuda(void *stream, uint32_t workers, const void *args)
{
    typedef void (*launcher)(cudaStream_t stream, uint32_t workers,
                             const struct weir__reduction_args *r);
#define ENTRY(number, type_name, op_name, type, combination) launch<type_name##_##op_name>,
    static const launcher launchers[WEIR__REDUCTION_COUNT] = {WEIR__REDUCTIONS(ENTRY)};
    const struct weir__reduction_args *r = (const struct weir__reduction_args *)args;
    if (r->number == WEIR__REDUCTION_LOAD)
        return (int)load_all();
    launchers[r->number]((cudaStream_t)stream, workers, r);
    return (int)cudaGetLastError();
}
