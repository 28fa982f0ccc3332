/** @file spmv_host.c  Products on host devices, and the kernels that name both forms. */
#include "algorithms/spmv/spmv_op.h"
#include "algorithms/spmv/spmv.h"

#if WEIR_CUDA
#define KERNEL(of)                                                                          \
    const weir_kernel weir__spmv_##of[2] = {                                                \
        {.name = "spmv_" #of "_f32", .host = of##_f32, .cuda = weir__spmv_##of##_f32_cuda}, \
        {.name = "spmv_" #of "_f64", .host = of##_f64, .cuda = weir__spmv_##of##_f64_cuda}};
#else
#define KERNEL(of)                                                                          \
    const weir_kernel weir__spmv_##of[2] = {{.name = "spmv_" #of "_f32", .host = of##_f32}, \
                                            {.name = "spmv_" #of "_f64", .host = of##_f64}};
#endif

/* A worker has consecutive chunks, rows or elements. */
static void share(uint64_t count, uint32_t worker, uint32_t workers, uint64_t *begin, uint64_t *end)
{
    const uint64_t each = count / workers, longer = count % workers;
    *begin = worker * each + (worker < longer ? worker : longer);
    *end = *begin + each + (worker < longer);
}

#define FORMS(real, suffix)                                                               \
    static void rows_##suffix(const void *args, uint32_t worker, uint32_t workers)        \
    {                                                                                     \
        const struct spmv_args *a = args;                                                 \
        uint64_t at, end;                                                                 \
        share(a->chunk_count, worker, workers, &at, &end);                                \
        for (; at < end; at++)                                                            \
            if (a->k > 1)                                                                 \
                spmv_dense_##suffix(a, at);                                               \
            else                                                                          \
                spmv_rows_##suffix(a, at);                                                \
    }                                                                                     \
    static void tiles_##suffix(const void *args, uint32_t worker, uint32_t workers)       \
    {                                                                                     \
        spmv_tiles_##suffix(args, worker, workers);                                       \
    }                                                                                     \
    static void scale_##suffix(const void *args, uint32_t worker, uint32_t workers)       \
    {                                                                                     \
        const struct spmv_args *a = args;                                                 \
        uint64_t at, end;                                                                 \
        for (share((uint64_t)a->rows * a->k, worker, workers, &at, &end); at < end; at++) \
            spmv_scale_##suffix(a->y, a->beta, at);                                       \
    }                                                                                     \
    static void join_##suffix(const void *args, uint32_t worker, uint32_t workers)        \
    {                                                                                     \
        const struct spmv_join_args *a = args;                                            \
        uint64_t at, end;                                                                 \
        for (share(a->elements, worker, workers, &at, &end); at < end; at++)              \
            spmv_join_##suffix(a, at);                                                    \
    }                                                                                     \
    static void pack_##suffix(const void *args, uint32_t worker, uint32_t workers)        \
    {                                                                                     \
        const struct spmv_pack_args *a = args;                                            \
        uint64_t at, end;                                                                 \
        for (share(a->elements, worker, workers, &at, &end); at < end; at++)              \
            spmv_pack_one_##suffix(a, at);                                                \
    }                                                                                     \
    static void spread_##suffix(const void *args, uint32_t worker, uint32_t workers)      \
    {                                                                                     \
        const struct spmv_bins_args *a = args;                                            \
        const real *values = a->values;                                                   \
        real *products = a->products;                                                     \
        for (uint64_t u = worker; u < a->unit_count; u += workers) {                      \
            const struct spmv_unit *unit = &a->units[u];                                  \
            const real *x = (const real *)a->x + (uint64_t)unit->block * a->width;        \
            for (uint64_t i = unit->begin * SPMV_OCTET; i < unit->end * SPMV_OCTET; i++)  \
                products[(uint64_t)a->to[i / SPMV_OCTET] * SPMV_OCTET + i % SPMV_OCTET] = \
                    values[i] * x[a->columns[i]];                                         \
        }                                                                                 \
    }                                                                                     \
    /* Threads of a host device share bins as well. */                                    \
    static void collect_unit_##suffix(const struct spmv_bins_args *a,                     \
                                      const struct spmv_unit *unit)                       \
    {                                                                                     \
        const uint64_t first = (uint64_t)unit->block * a->height;                         \
        const uint32_t rows =                                                             \
            a->rows - first < a->height ? (uint32_t)(a->rows - first) : a->height;        \
        const real *products = a->products;                                               \
        real *y = (real *)a->y + first, sums[SPMV_HOST_BIN] = {0};                        \
        for (uint64_t i = unit->begin * SPMV_OCTET; i < unit->end * SPMV_OCTET; i++)      \
            if (a->places[i] != SPMV_FILLER)                                              \
                sums[a->places[i]] += products[i];                                        \
        for (uint32_t row = 0; row < rows; row++) {                                       \
            const real sum = (real)a->alpha * sums[row];                                  \
            if (!unit->own)                                                               \
                weir_atomic_add_relaxed_dev_##suffix(&y[row], sum);                       \
            else                                                                          \
                y[row] = a->add         ? y[row] + sum                                    \
                         : a->beta != 0 ? sum + (real)a->beta * y[row]                    \
                                        : sum;                                            \
        }                                                                                 \
    }                                                                                     \
    static void collect_##suffix(const void *args, uint32_t worker, uint32_t workers)     \
    {                                                                                     \
        const struct spmv_bins_args *a = args;                                            \
        for (uint64_t u = worker; u < a->unit_count; u += workers)                        \
            collect_unit_##suffix(a, &a->units[u]);                                       \
    }
FORMS(float, f32)
FORMS(double, f64)

KERNEL(rows)
KERNEL(tiles)
KERNEL(scale)
KERNEL(spread)
KERNEL(collect)
KERNEL(join)
KERNEL(pack)
