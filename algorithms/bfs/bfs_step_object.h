/** @file bfs_step_object.h  What a weir_bfs in step is on the host. Included in bfs_step_*.c only. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_STEP_OBJECT_H
#define WEIR_ALGORITHMS_BFS_BFS_STEP_OBJECT_H

#include "algorithms/bfs/bfs_step.h"
#include "algorithms/bfs/bfs_step_run.h"
#include "algorithms/common/rows.h"

/** What lies on a device, beside its rows. */
struct bfs_side {
    uint32_t *base; /* the bitmap before a run: numbers without arcs count as found */
    uint32_t *found[2];
    uint32_t *level, *parent, *tail, *absorbed;
    struct bfs_piece *queue;
    uint32_t *inbox[WEIR_DEVICES_MAX];
};

/** One thread at a time; a cancel from any. */
struct bfs_run {
    weir_context *context;
    weir__rows *rows;
    weir_steps *bsp;
    weir_direction direction;
    int parents;
    uint32_t parts;
    uint64_t vertices, unfound;
    struct bfs_side side[WEIR_DEVICES_MAX];
    int32_t *levels; /* of the last run, by vertex */
};

static inline weir_device *weir__bfs_run_device(const struct bfs_run *run, uint32_t p)
{
    return weir_context_device(run->context, p);
}

/** The bitmap before a run, in host memory, freed with free(); sets run->unfound. Set bits stand for what a level
 *  bottom-up need not look at, and nobody finds: numbers without arcs. One that has out-arcs alone cannot be
 *  found either, but must not seem to be: others look along those arcs. @retval WEIR_ERR_NOMEM */
weir_status weir__bfs_run_base(struct bfs_run *run, const weir_graph *graph, uint32_t **base_out);
/** Put a fill of the parents of device @p p into its queue, if there are some: nobody has one. */
weir_status weir__bfs_run_no_parents(struct bfs_run *run, uint32_t p);

#endif
