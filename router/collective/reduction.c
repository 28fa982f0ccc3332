/** @file reduction.c  The reductions' host forms, and their kernel. */
#include "router/collective/reduction.h"

#if WEIR_CUDA
#define CUDA_FORM(f) f
#else
#define CUDA_FORM(f) NULL
#endif

/* Elements from `at` to `end`. */
#define LOOP(number, type_name, op_name, type, combination)                              \
    static void type_name##_##op_name(const struct weir__reduction_args *r, uint64_t at, \
                                      uint64_t end)                                      \
    {                                                                                    \
        const type *a = r->a, *b = r->b;                                                 \
        type *out = r->out;                                                              \
        for (; at < end; at++) {                                                         \
            const type x = a[at], y = b[at];                                             \
            out[at] = combination;                                                       \
        }                                                                                \
    }
WEIR__REDUCTIONS(LOOP)

#define ENTRY(number, type_name, op_name, type, combination) [number] = type_name##_##op_name,
static void (*const loops[WEIR__REDUCTION_COUNT])(const struct weir__reduction_args *r, uint64_t at,
                                                  uint64_t end) = {WEIR__REDUCTIONS(ENTRY)};

void weir__reduce(uint32_t number, uint32_t element, void *out, const void *a, const void *b,
                  uint64_t count)
{
    const struct weir__reduction_args r = {out, a, b, count, element, number};
    loops[number](&r, 0, count);
}

/* Consecutive parts, so that each worker's reads are consecutive. Parts begin 64 bytes apart or a
 * multiple of that: where the data is aligned no two workers write one cache line. */
static void reduce_host(const void *args, uint32_t worker, uint32_t workers)
{
    const struct weir__reduction_args *r = args;
    if (r->number == WEIR__REDUCTION_LOAD)
        return;
    uint64_t line = 64 / r->element;
    uint64_t part = (r->count / workers / line + 1) * line;
    uint64_t at = part * worker, end = at + part;
    if (end > r->count)
        end = r->count;
    if (at < end)
        loops[r->number](r, at, end);
}

const weir_kernel weir__reduction_kernel = {
    .name = "reduction", .host = reduce_host, .cuda = CUDA_FORM(weir__reduction_cuda)};
