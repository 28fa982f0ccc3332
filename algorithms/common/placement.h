/** @file placement.h  What a placement keeps on the host. Not installed.
 *
 * Vertices are numbered in two sweeps over blocks of them: the first counts, for each block, the vertices
 * and arcs of each part; the sums of those before then tell every block where its own begin, so that the
 * second sweep, and the building of a part's rows after it, run on all cores and give the same numbers
 * whatever their count. */
#ifndef WEIR_ALGORITHMS_COMMON_PLACEMENT_H
#define WEIR_ALGORITHMS_COMMON_PLACEMENT_H

#include "algorithms/algorithms.h"
#include "algorithms/common/gather.h"
#include "algorithms/common/need.h"

struct weir_placement {
    _Atomic uint32_t users; /* whoever made it, and traversals; acq_rel: the last frees */
    weir_context *context;
    uint64_t vertices;
    uint32_t parts;
    weir_memory memory; /* of arcs; never AUTO */
    weir_part_weights weights;
    uint32_t first[WEIR_DEVICES_MAX + 1]; /* global numbers */
    uint64_t arcs[WEIR_DEVICES_MAX];
    uint64_t in_arcs[WEIR_DEVICES_MAX]; /* where in-arcs are not out-arcs */
    weir_part part[WEIR_DEVICES_MAX];
    uint32_t *global; /* by vertex */
    uint32_t *degree; /* by global number */
    struct weir__numbering *numbering;
    weir_prepare_stats prepared;
};

/** Of a partition the numbers alone: who owns which vertices, and results in order of them. Its parts have no arrays.
 *  @param[in] partition  not NULL, in one dimension.  @retval WEIR_ERR_INVALID  it does not fit.  @retval WEIR_ERR_NOMEM */
weir_status weir__placement_create_numbers(weir_context *context, const weir_graph *graph,
                                           const weir_partition *partition,
                                           weir_placement **placement_out);
/** One more user, who ends with weir_placement_destroy(). */
void weir__placement_retain(weir_placement *placement);

/** Vertices of a block. */
#define WEIR__PLACE_BLOCK (UINT64_C(1) << 14)

/** What the building of parts works with, freed when they are placed. */
struct weir__place {
    weir_placement *placement;
    const weir_graph *graph;
    const uint8_t *owner; /* by vertex */
    uint64_t blocks;
    /* block * parts + part: vertices and arcs of the part in the blocks before */
    uint32_t *vertex_base;
    uint64_t *arc_base;
    int in; /* parts have in-arcs */
    weir_graph
        transposed; /* whose out-arcs are the graph's in-arcs; no offsets: they are its own out-arcs */
    uint64_t *in_base;               /* as arc_base */
    const struct weir__sizes *sizes; /* of a context that only counts; else NULL */
    int bad;                         /* some vertex's owner is no part */
};

/** Fill first, arcs, owned, global and degree of the placement, and the bases. */
weir_status weir__place_number(struct weir__place *place);
void weir__place_free(struct weir__place *place);

/** Whether in-arcs are out-arcs, with equal weights if they count. Takes no memory. */
int weir__place_symmetric(const weir_graph *graph, weir_part_weights weights);
/** Fill place->transposed. */
weir_status weir__place_transpose(struct weir__place *place, weir_part_weights weights);
void weir__place_transpose_free(struct weir__place *place);

/** Build part @p p in host memory and bring it to its device. */
weir_status weir__place_part(const struct weir__place *place, uint32_t p,
                             weir_part_weights weights);

#endif
