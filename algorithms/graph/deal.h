/** @file deal.h  Arcs dealt out to stretches of vertices by where they begin. Not installed.
 *
 * A stretch is so small that its rows can be made in a core's cache, and stretches hold about as many arcs each. Memory of
 * the list is given back while it is dealt out, and that of a stretch once its rows are made, so that there is never more
 * than the list, or the arcs that were dealt out, with what was made of them. */
#ifndef WEIR_ALGORITHMS_GRAPH_DEAL_H
#define WEIR_ALGORITHMS_GRAPH_DEAL_H

#include "algorithms/graph/build.h"
#include "algorithms/graph/ebb.h"

#define WEIR__STRETCHES_MAX 1024

/** An arc as it lies in a stretch, by the kind of weights. */
struct weir__arc_plain {
    uint32_t source, target;
};
struct weir__arc_u32 {
    uint32_t source, target, weight;
};
struct weir__arc_f64 {
    uint32_t source, target;
    double weight;
};

/** Bytes of one. */
size_t weir__dealt_bytes(weir_weight_kind kind);

/** Arcs by stretch. No loops are among them. */
typedef struct weir__dealt {
    weir_weight_kind kind;
    uint32_t stretches;
    uint64_t first[WEIR__STRETCHES_MAX +
                   1]; /**< vertex of each; behind the last one the number of vertices */
    uint64_t begin[WEIR__STRETCHES_MAX + 1]; /**< arcs before each, and all */
    char *arcs; /**< weir__arc_* of the kind, in any order within a stretch */
    struct weir__ebb ebb;
} weir__dealt;

/** Deal out a list, both directions of each arc if it is mirrored. Its arrays are freed unless they are borrowed, also on
 *  failure. @param[in] kind  how weights are kept; all of them have to be such. @retval WEIR_ERR_NOMEM */
weir_status weir__deal(weir__arcs *arcs, weir_weight_kind kind, uint32_t threads,
                       weir__dealt *dealt_out);
/** Give the memory of a stretch back. Any thread, each stretch once. */
void weir__dealt_drop(weir__dealt *dealt, uint32_t stretch);
void weir__dealt_free(weir__dealt *dealt);

#endif
