/** @file spmv_cuda.cu  Products on GPUs. A worker is a warp; of bins, whose stretches and sums lie in the memory of a block, it is a block. */
#include "algorithms/spmv/spmv_op.h"

#include <cuda_runtime_api.h>

#define LANES \
    128u /* of a block: with 256, and the registers that ends of rows take, fewer of its warps are there at a time */
#define WARPS (LANES / WEIR_LANES)
static_assert(SPMV_GPU_LANES == WEIR_LANES, "records are written for warps");

static uint32_t blocks_for(uint64_t items, uint32_t each)
{
    const uint64_t blocks = (items + each - 1) / each;
    return blocks < 0x7FFFFFFF ? (uint32_t)blocks : 0x7FFFFFFF;
}

/* ---- rows --------------------------------------------------------------------------------------------- */

/* `resident` blocks share a multiprocessor: with more, registers do not suffice for the loads that are under way, and with fewer too few warps are there to
 * hide the time these take. */
#define ROWS_KERNELS(real, suffix, resident)                                                     \
    static __global__ void __launch_bounds__(LANES, resident)                                    \
        rows_##suffix(const struct spmv_args a)                                                  \
    {                                                                                            \
        __shared__ real room[WARPS][SPMV_ROOM];                                                  \
        const uint32_t warp = threadIdx.x / WEIR_LANES;                                          \
        const uint32_t at = blockIdx.x * WARPS + warp;                                           \
        if (at < a.chunk_count)                                                                  \
            spmv_rows_##suffix(&a, at, room[warp]);                                              \
    }                                                                                            \
    static __global__ void __launch_bounds__(LANES) dense_##suffix(const struct spmv_args a)     \
    {                                                                                            \
        const uint32_t at = blockIdx.x * WARPS + threadIdx.x / WEIR_LANES;                       \
        if (at < a.chunk_count)                                                                  \
            spmv_dense_##suffix(&a, at);                                                         \
    }                                                                                            \
    static __global__ void __launch_bounds__(SPMV_SHARING_BLOCK *WEIR_LANES)                     \
        tiles_##suffix(const struct spmv_args a, uint32_t workers)                               \
    {                                                                                            \
        spmv_tiles_##suffix(&a, blockIdx.x *SPMV_SHARING_BLOCK + threadIdx.x / WEIR_LANES,       \
                            workers);                                                            \
    }                                                                                            \
    static __global__ void __launch_bounds__(LANES) scale_##suffix(const struct spmv_args a)     \
    {                                                                                            \
        const uint64_t at = (uint64_t)blockIdx.x * LANES + threadIdx.x;                          \
        if (at < (uint64_t)a.rows * a.k)                                                         \
            spmv_scale_##suffix((real *)a.y, a.beta, at);                                        \
    }                                                                                            \
    static __global__ void __launch_bounds__(LANES) join_##suffix(const struct spmv_join_args a) \
    {                                                                                            \
        const uint64_t at = (uint64_t)blockIdx.x * LANES + threadIdx.x;                          \
        if (at < a.elements)                                                                     \
            spmv_join_##suffix(&a, at);                                                          \
    }                                                                                            \
    static __global__ void __launch_bounds__(LANES) pack_##suffix(const struct spmv_pack_args a) \
    {                                                                                            \
        const uint64_t at = (uint64_t)blockIdx.x * LANES + threadIdx.x;                          \
        if (at < a.elements)                                                                     \
            spmv_pack_one_##suffix(&a, at);                                                      \
    }                                                                                            \
    extern "C" int weir__spmv_pack_##suffix##_cuda(void *stream, uint32_t workers,               \
                                                   const void *args)                             \
    {                                                                                            \
        const struct spmv_pack_args *a = (const struct spmv_pack_args *)args;                    \
        (void)workers;                                                                           \
        pack_##suffix<<<blocks_for(a->elements, LANES), LANES, 0, (cudaStream_t)stream>>>(*a);   \
        return (int)cudaGetLastError();                                                          \
    }                                                                                            \
    extern "C" int weir__spmv_join_##suffix##_cuda(void *stream, uint32_t workers,               \
                                                   const void *args)                             \
    {                                                                                            \
        const struct spmv_join_args *a = (const struct spmv_join_args *)args;                    \
        (void)workers;                                                                           \
        join_##suffix<<<blocks_for(a->elements, LANES), LANES, 0, (cudaStream_t)stream>>>(*a);   \
        return (int)cudaGetLastError();                                                          \
    }                                                                                            \
    extern "C" int weir__spmv_rows_##suffix##_cuda(void *stream, uint32_t workers,               \
                                                   const void *args)                             \
    {                                                                                            \
        const struct spmv_args *a = (const struct spmv_args *)args;                              \
        const uint32_t blocks = blocks_for(a->chunk_count, WARPS);                               \
        (void)workers;                                                                           \
        if (a->k > 1)                                                                            \
            dense_##suffix<<<blocks, LANES, 0, (cudaStream_t)stream>>>(*a);                      \
        else                                                                                     \
            rows_##suffix<<<blocks, LANES, 0, (cudaStream_t)stream>>>(*a);                       \
        return (int)cudaGetLastError();                                                          \
    }                                                                                            \
    extern "C" int weir__spmv_tiles_##suffix##_cuda(void *stream, uint32_t workers,              \
                                                    const void *args)                            \
    {                                                                                            \
        const uint32_t blocks = blocks_for(workers, SPMV_SHARING_BLOCK);                         \
        tiles_##suffix<<<blocks, SPMV_SHARING_BLOCK * WEIR_LANES, 0, (cudaStream_t)stream>>>(    \
            *(const struct spmv_args *)args, blocks * SPMV_SHARING_BLOCK);                       \
        return (int)cudaGetLastError();                                                          \
    }                                                                                            \
    extern "C" int weir__spmv_scale_##suffix##_cuda(void *stream, uint32_t workers,              \
                                                    const void *args)                            \
    {                                                                                            \
        const struct spmv_args *a = (const struct spmv_args *)args;                              \
        (void)workers;                                                                           \
        scale_##suffix<<<blocks_for((uint64_t)a->rows * a->k, LANES), LANES, 0,                  \
                         (cudaStream_t)stream>>>(*a);                                            \
        return (int)cudaGetLastError();                                                          \
    }
ROWS_KERNELS(float, f32, 10)
ROWS_KERNELS(double, f64, 8)

/* ---- bins ------------------------------------------------------------------------------------------------ */

#define BIN_LANES 512u /* of a block; two share a multiprocessor */
#define QUAD      4u   /* nonzeros of a lane at a time: half an octet */
#define AHEAD     4u   /* quads that are under way together */

template <class real> struct alignas(16) quad {
    real v[QUAD];
};
struct alignas(8) quad_places {
    uint16_t v[QUAD];
};

template <class real>
static __device__ __forceinline__ quad<real> load_quad(const void *from, uint64_t at)
{
    quad<real> value;
    const uint4 *place = (const uint4 *)from + at * (sizeof value / 16);
    uint4 *to = (uint4 *)&value;
#pragma unroll
    for (uint32_t j = 0; j < sizeof value / 16; j++)
        to[j] = __ldcs(place + j);
    return value;
}

static __device__ __forceinline__ quad_places load_places(const uint16_t *from, uint64_t at)
{
    quad_places value;
    const uint2 loaded = __ldcs((const uint2 *)from + at);
    memcpy(&value, &loaded, sizeof value);
    return value;
}

template <class real>
static __global__ void __launch_bounds__(BIN_LANES, 2) spread(const struct spmv_bins_args a)
{
    extern __shared__ __align__(16) unsigned char room[];
    real *mine = (real *)room;
    const struct spmv_unit unit = a.units[blockIdx.x];
    const uint64_t first = (uint64_t)unit.block * a.width, end = unit.end * 2;
    const real *x = (const real *)a.x + first;
    const uint32_t count = a.x_rows - first < a.width ? (uint32_t)(a.x_rows - first) : a.width;
#pragma unroll 8
    for (uint32_t i = threadIdx.x; i < count; i += BIN_LANES)
        mine[i] = x[i];
    __syncthreads();
    for (uint64_t base = unit.begin * 2 + threadIdx.x; base < end; base += AHEAD * BIN_LANES) {
        quad_places column[AHEAD];
        quad<real> value[AHEAD];
        uint32_t to[AHEAD];
#pragma unroll
        for (uint32_t j = 0; j < AHEAD; j++) {
            const uint64_t at = base + j * BIN_LANES;
            if (at < end) {
                column[j] = load_places(a.columns, at);
                value[j] = load_quad<real>(a.values, at);
                to[j] = __ldcs(a.to + at / 2);
            }
        }
#pragma unroll
        for (uint32_t j = 0; j < AHEAD; j++) {
            const uint64_t at = base + j * BIN_LANES;
            if (at >= end)
                break;
#pragma unroll
            for (uint32_t i = 0; i < QUAD; i++)
                value[j].v[i] *= mine[column[j].v[i]];
            ((quad<real> *)a.products)[(uint64_t)to[j] * 2 + at % 2] = value[j];
        }
    }
}

/* The products of a lane: those of a row are neighbours, in the lane and in the next ones, and are added up before they go to the block's
 * memory, since rows with many nonzeros would have all lanes wait for one word. All lanes of a warp. */
template <class real>
static __device__ __forceinline__ void collect_quad(real *sums, const quad_places &place,
                                                    const quad<real> &product)
{
    const uint32_t lane = threadIdx.x % WEIR_LANES;
    uint32_t row = place.v[0];
    real sum = product.v[0];
#pragma unroll
    for (uint32_t i = 1; i < QUAD; i++) {
        if (place.v[i] == row) {
            sum += product.v[i];
            continue;
        }
        atomicAdd(&sums[row], sum); /* fillers come last, so this is none */
        row = place.v[i];
        sum = product.v[i];
    }
    const uint32_t before = __shfl_up_sync(0xFFFFFFFFu, row, 1);
    const int joins = lane && place.v[0] == row && before == row && row != SPMV_FILLER;
    const uint32_t chain = __ballot_sync(0xFFFFFFFFu, joins);
    if (chain) {
        /* Lanes of which all from the one behind lane - step on join have that lane's sum to add. */
#pragma unroll
        for (uint32_t step = 1; step < WEIR_LANES; step *= 2) {
            const real other = __shfl_up_sync(0xFFFFFFFFu, sum, step);
            const uint32_t links = ((1u << step) - 1) << ((lane + 1 - step) & 31u);
            if (lane >= step && (chain & links) == links)
                sum += other;
        }
        if (lane + 1 < WEIR_LANES && (chain >> (lane + 1) & 1)) /* the next lane has it */
            return;
    }
    if (row != SPMV_FILLER)
        atomicAdd(&sums[row], sum);
}

template <class real>
static __global__ void __launch_bounds__(BIN_LANES, 2) collect(const struct spmv_bins_args a)
{
    extern __shared__ __align__(16) unsigned char room[];
    real *sums = (real *)room, *y = (real *)a.y;
    const struct spmv_unit unit = a.units[blockIdx.x];
    const uint64_t first = (uint64_t)unit.block * a.height, end = unit.end * 2;
    const uint32_t rows = a.rows - first < a.height ? (uint32_t)(a.rows - first) : a.height;
    for (uint32_t row = threadIdx.x; row < rows; row += BIN_LANES)
        sums[row] = 0;
    __syncthreads();
    /* All lanes of a warp go round as often. */
    for (uint64_t begin = unit.begin * 2; begin < end; begin += AHEAD * BIN_LANES) {
        quad_places place[AHEAD];
        quad<real> product[AHEAD];
#pragma unroll
        for (uint32_t j = 0; j < AHEAD; j++) {
            const uint64_t at = begin + j * BIN_LANES + threadIdx.x;
            if (at < end) {
                place[j] = load_places(a.places, at);
                product[j] = load_quad<real>(a.products, at);
            } else {
#pragma unroll
                for (uint32_t i = 0; i < QUAD; i++) {
                    place[j].v[i] = SPMV_FILLER;
                    product[j].v[i] = 0;
                }
            }
        }
#pragma unroll
        for (uint32_t j = 0; j < AHEAD; j++)
            collect_quad<real>(sums, place[j], product[j]);
    }
    __syncthreads();
    for (uint32_t row = threadIdx.x; row < rows; row += BIN_LANES) {
        const real sum = (real)a.alpha * sums[row];
        real *to = &y[first + row];
        if (!unit.own)
            atomicAdd(to, sum);
        else
            *to = a.add ? *to + sum : a.beta != 0 ? sum + (real)a.beta * *to : sum;
    }
}

/* More memory of a block than a kernel has without being asked. */
template <class kernel>
static int launch_bins(kernel of, void *stream, const struct spmv_bins_args *a, uint64_t bytes)
{
    const cudaError_t error = cudaFuncSetAttribute(
        (const void *)of, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (error != cudaSuccess)
        return (int)error;
    of<<<a->unit_count, BIN_LANES, bytes, (cudaStream_t)stream>>>(*a);
    return (int)cudaGetLastError();
}

#define BINS_KERNELS(real, suffix)                                                        \
    extern "C" int weir__spmv_spread_##suffix##_cuda(void *stream, uint32_t workers,      \
                                                     const void *args)                    \
    {                                                                                     \
        const struct spmv_bins_args *a = (const struct spmv_bins_args *)args;             \
        (void)workers;                                                                    \
        return launch_bins(spread<real>, stream, a, (uint64_t)a->width * sizeof(real));   \
    }                                                                                     \
    extern "C" int weir__spmv_collect_##suffix##_cuda(void *stream, uint32_t workers,     \
                                                      const void *args)                   \
    {                                                                                     \
        const struct spmv_bins_args *a = (const struct spmv_bins_args *)args;             \
        (void)workers;                                                                    \
        return launch_bins(collect<real>, stream, a, (uint64_t)a->height * sizeof(real)); \
    }
BINS_KERNELS(float, f32)
BINS_KERNELS(double, f64)
