/** @file bfs.c  Breadth-first search: the operator of bfs_op.h over a placed graph. */
#include "algorithms/bfs/bfs_op.h"
#include "algorithms/algorithms.h"
#include "runtime/internal.h"

#include <stdlib.h>

extern const weir_operator weir__bfs_operator;

struct weir_bfs {
    weir_placement *placement;
    weir_traversal *traversal;
};

weir_status weir_bfs_create(weir_context *context, const weir_graph *graph,
                            const weir_partition *partition, const weir_run_options *options,
                            weir_bfs **bfs_out)
{
    weir_bfs *bfs;
    weir_status status;
    *bfs_out = NULL;
    if ((status = weir__calloc(1, sizeof *bfs, "bfs", &bfs)))
        return status;
    if ((status = weir_placement_create(context, graph, partition, WEIR_PART_WEIGHTS_NONE,
                                        &bfs->placement)) ||
        (status = weir_traversal_create(bfs->placement, &weir__bfs_operator, options, NULL,
                                        &bfs->traversal)))
        goto err;
    for (uint32_t p = 0; p < partition->parts; p++) {
        bfs_state state = {*weir_placement_part(bfs->placement, p),
                           weir_traversal_values(bfs->traversal, p)};
        if ((status = weir_traversal_bind(bfs->traversal, p, &state)))
            goto err;
    }
    *bfs_out = bfs;
    return WEIR_OK;
err:
    weir_bfs_destroy(bfs);
    return status;
}

weir_status weir_bfs_run(weir_bfs *bfs, uint64_t source, weir_run_stats *stats_out)
{
    bfs_wire seed = {0, 0};
    uint32_t part;
    weir_status status;
    if ((status = weir_placement_locate(bfs->placement, source, &part, &seed.vertex, NULL)) ||
        (status = weir_traversal_seed(bfs->traversal, part, &seed, 1)))
        return status;
    return weir_traversal_run(bfs->traversal, stats_out);
}

weir_status weir_bfs_levels(weir_bfs *bfs, int32_t *levels_out)
{
    uint64_t vertices = weir_placement_vertices(bfs->placement);
    weir_status status = weir_traversal_gather(bfs->traversal, levels_out);
    /* BFS_UNREACHED is -1 in the same bits. */
    for (uint64_t v = 0; v < vertices && !status; v++)
        if (levels_out[v] < -1)
            status = weir__fail(WEIR_ERR_UNSUPPORTED, "levels above %d do not fit", INT32_MAX);
    return status;
}

weir_status weir_bfs_link_items(const weir_bfs *bfs, uint32_t from, uint32_t to,
                                uint64_t *items_out)
{
    return weir_traversal_link_items(bfs->traversal, from, to, items_out);
}

void weir_bfs_cancel(weir_bfs *bfs)
{
    weir_traversal_cancel(bfs->traversal);
}

void weir_bfs_destroy(weir_bfs *bfs)
{
    if (!bfs)
        return;
    weir_traversal_destroy(bfs->traversal);
    weir_placement_destroy(bfs->placement);
    free(bfs);
}
