/** @file generate_rmat.c  R-MAT graphs with the parameters of Graph500.
 *
 * Arc i is a function of (seed, i) alone, so threads may make arcs in any order. Each level of the
 * recursion takes 32 random bits; labels are shuffled, so that ids say nothing about degrees. */
#include "algorithms/graph/build.h"
#include "algorithms/graph/generate.h"
#include "algorithms/graph/random.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

#define ARC_CHUNK (UINT64_C(1) << 14)

/* A, A+B and A+B+C as fractions of 2^32; what is left is D. */
#define UP_LEFT  ((uint64_t)(.57 * 4294967296.0))
#define UP       ((uint64_t)(.76 * 4294967296.0))
#define NOT_LAST ((uint64_t)(.95 * 4294967296.0))

struct rmat {
    uint32_t scale;
    uint64_t seed;
    const uint32_t *label;
    weir__arcs arcs;
};

static void make_arcs(void *user, uint64_t begin, uint64_t end)
{
    struct rmat *r = user;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t stream = weir__random(r->seed, i), bits = 0;
        uint32_t row = 0, column = 0;
        for (uint32_t level = 0; level < r->scale; level++) {
            bits = level % 2 ? bits >> 32 : weir__mix(stream += WEIR__GOLDEN);
            uint64_t toss = bits & UINT32_MAX;
            row = row << 1 | (toss >= UP);
            column = column << 1 | ((toss >= UP_LEFT && toss < UP) || toss >= NOT_LAST);
        }
        r->arcs.sources[i] = r->label[row];
        r->arcs.targets[i] = r->label[column];
    }
}

weir_status weir__generate_rmat(uint32_t scale, uint64_t edge_factor, uint64_t seed,
                                const weir_graph_options *options, weir_graph **graph_out)
{
    uint64_t n = UINT64_C(1) << scale, m = edge_factor << scale;
    uint32_t *label = NULL;
    struct rmat rmat = {.scale = scale, .seed = seed};
    struct weir__need need = {0, 0};
    weir_status status;
    rmat.arcs.vertices = n;
    rmat.arcs.mirror = options->undirected;
    weir__need_take(&need, m, weir__arc_bytes(&rmat.arcs));
    weir__need_pass(&need, n, sizeof *label);
    weir__build_need(&rmat.arcs, m, WEIR_WEIGHT_NONE, &need);
    if ((status = weir__need_fits(&need, "an R-MAT graph of scale %u", scale)) ||
        (status = weir__alloc(n, sizeof *label, "R-MAT labels", &label)) ||
        (status = weir__arcs_reserve(&rmat.arcs, m)) || (status = weir__shuffle(label, n, ~seed)))
        goto out;
    rmat.label = label;
    if ((status = weir__activity_for("drawing arcs", "arcs", m, ARC_CHUNK, options->threads,
                                     make_arcs, &rmat)))
        goto out;
    rmat.arcs.count = m;
    free(label);
    label = NULL;
    status = weir__build(&rmat.arcs, options->threads, graph_out);
out:
    free(label);
    weir__arcs_free(&rmat.arcs);
    return status;
}
