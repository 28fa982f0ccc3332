/** @file draw.c  Arcs of R-MAT are mostly multiplications of random numbers, of which a processor with wide registers does eight at once:
 * each way is the same template for registers of another width. What a way is not written for is drawn one by one. */
#include "algorithms/graph/draw.h"

#include <string.h>

/* Vectors as words of halves need the lower half first; vectors of other elements came with GCC 9 and clang. */
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && \
    (__GNUC__ >= 9 || defined(__clang__))
#define WIDE       1
#define DRAW_LANES 2
#define DRAW_EACH  0, 1
#define DRAW_TARGET
#define DRAW_NAME(x) x##_two
#include "algorithms/graph/draw_tmpl.h"
#ifdef __x86_64__
#define DRAW_LANES   4
#define DRAW_EACH    0, 1, 2, 3
#define DRAW_TARGET  __attribute__((target("avx2")))
#define DRAW_NAME(x) x##_four
#include "algorithms/graph/draw_tmpl.h"
#define DRAW_LANES   8
#define DRAW_EACH    0, 1, 2, 3, 4, 5, 6, 7
#define DRAW_TARGET  __attribute__((target("avx512f,avx512dq,avx512vl")))
#define DRAW_NAME(x) x##_eight
#include "algorithms/graph/draw_tmpl.h"
#endif
#endif

#define LANES_MOST UINT64_C(8) /* all ways have a divisor of it */

static void draw_each(const weir__edges *edges, uint64_t first, uint64_t count, uint32_t *sources,
                      uint32_t *targets)
{
    for (uint64_t i = 0; i < count; i++)
        weir__edge(edges, first + i, sources + i, targets + i);
}

typedef void draw_way(const weir__edges *edges, uint64_t first, uint64_t count, uint32_t *sources,
                      uint32_t *targets);

static draw_way *const ways[] = {
    draw_each,
#ifdef WIDE
    draw_two,
#ifdef __x86_64__
    draw_four,
    draw_eight,
#endif
#endif
};

uint32_t weir__draw_ways(void)
{
#if defined(WIDE) && defined(__x86_64__)
    const int four = __builtin_cpu_supports("avx2"),
              eight = four && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return eight ? 4 : four ? 3 : 2;
#else
    return sizeof ways / sizeof *ways;
#endif
}

void weir__draw_by(uint32_t way, const weir__edges *edges, uint64_t first, uint64_t count,
                   uint32_t *sources, uint32_t *targets)
{
    /* Of a single vertex the numbers go round (weir__relabel()), and uniform arcs are a dozen operations. */
    const uint64_t wide =
        edges->kind == WEIR__EDGES_RMAT && edges->scale > 0 ? count / LANES_MOST * LANES_MOST : 0;
    ways[way](edges, first, wide, sources, targets);
    draw_each(edges, first + wide, count - wide, sources + wide, targets + wide);
}

void weir__draw(const weir__edges *edges, uint64_t first, uint64_t count, uint32_t *sources,
                uint32_t *targets)
{
    weir__draw_by(weir__draw_ways() - 1, edges, first, count, sources, targets);
}
