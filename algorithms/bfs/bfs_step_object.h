/** @file bfs_step_object.h  What a weir_bfs in step is on the host. Included in bfs_step_*.c only. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_STEP_OBJECT_H
#define WEIR_ALGORITHMS_BFS_BFS_STEP_OBJECT_H

#include "algorithms/bfs/bfs_step.h"
#include "algorithms/bfs/bfs_step_run.h"
#include "algorithms/common/rows.h"

/** One thread at a time; a cancel from any. */
struct bfs_run {
    weir_context *context;
    weir__rows *rows;
    weir_steps *steps;
    weir_direction direction;
    int parents;
    uint32_t parts;
    uint64_t vertices, unfound;
    uint32_t previous; /* the source of the run before, a number; BFS_NONE */
};

/** The bitmap before a run, in host memory, freed with free(); sets run->unfound. Set bits stand for what a level
 *  bottom-up need not look at, and nobody finds: numbers without arcs. One that has out-arcs alone cannot be
 *  found either, but must not seem to be: others look along those arcs. @retval WEIR_ERR_NOMEM */
weir_status weir__bfs_run_base(struct bfs_run *run, const weir_graph *graph, uint32_t **base_out);

#endif
