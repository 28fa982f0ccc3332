/** @file rows.h  A graph placed by rows: the object. Not installed; algorithms/rows.h has the part. */
#ifndef WEIR_ALGORITHMS_COMMON_ROWS_H
#define WEIR_ALGORITHMS_COMMON_ROWS_H

#include "algorithms/algorithms.h"
#include "algorithms/rows.h"
#include "worklist/steps.h"

/** How the vertices of a part are numbered. */
enum weir__rows_order {
    WEIR__ROWS_AUTO = 0, /* BY_DEGREE where degrees are skewed, else BY_ID */
    WEIR__ROWS_BY_ID,    /* as in the input: keeps the locality that a mesh or a road network has */
    WEIR__ROWS_BY_DEGREE /* largest out- plus in-degree first: what is looked at most lies together, and each
                            row begins with the hubs */
};

struct weir__rows_config {
    int symmetric;  /* of the graph, as weir__rows_symmetric() says; set by weir__rows_look() */
    int in;         /* in-arcs are wanted */
    int weights;    /* weights are wanted; the graph's are WEIR_WEIGHT_U32 */
    int by_weight;  /* arcs of a row ascend by weight, then by number */
    int out_degree; /* the replicated array is wanted */
    int out_byte;   /* the out-degrees of own rows in bytes are wanted */
    enum weir__rows_order order;
};

typedef struct weir__rows weir__rows;

/** Find out what placing depends on, which takes no memory: first of all, when the rest of @p config is set. */
void weir__rows_look(const weir_graph *graph, struct weir__rows_config *config);
/** Place @p graph on the first partition->parts devices of the context; NULL: WEIR_PARTITION_EDGE over all.
 *  @retval WEIR_ERR_INVALID, WEIR_ERR_NOMEM  as weir_placement_create(). Whether there is memory for it, as
 *          weir__rows_need() says, is for the caller to see first, with what else it takes.
 *  Keeps the context; graph and partition may be destroyed. @par Blocks  yes; works on all cores. */
weir_status weir__rows_create(weir_context *context, const weir_graph *graph,
                              const weir_partition *partition,
                              const struct weir__rows_config *config, weir__rows **rows_out);
weir_context *weir__rows_context(const weir__rows *rows);
/** Who owns which numbers, for programs in step. */
void weir__rows_domain(const weir__rows *rows, weir_steps_domain *domain_out);
const weir_rows_part *weir__rows_part(const weir__rows *rows, uint32_t part);
/** The graph has the reverse of every arc, of equal weight if weights were asked for: then the in-arcs of a
 *  part are its out-arcs. Known only if in-arcs were asked for; else 0. */
int weir__rows_symmetric(const weir__rows *rows);
/** How rows are numbered: never AUTO. */
enum weir__rows_order weir__rows_order(const weir__rows *rows);
/** @param[out] part_out, number_out  may be NULL.  @retval WEIR_ERR_INVALID  no such vertex. */
weir_status weir__rows_locate(const weir__rows *rows, uint64_t vertex, uint32_t *part_out,
                              uint32_t *number_out);
/** The vertex that has a number; UINT32_MAX for a gap. Host memory, `numbers` values. */
const uint32_t *weir__rows_vertices(const weir__rows *rows);
/** Number of each vertex. Host memory, by vertex. */
const uint32_t *weir__rows_numbers(const weir__rows *rows);
/** Out-degrees by number, 0 for gaps. Host memory. */
const uint32_t *weir__rows_degrees(const weir__rows *rows);
/** Bring values to the host and into the order of vertices.
 *  @param[in] values  for each part an array in its device's memory of one value a row.
 *  @par Blocks  yes. */
weir_status weir__rows_gather(const weir__rows *rows, const void *const *values, size_t value_bytes,
                              void *values_out);
/** What weir_bfs_values() and its like say of values of one a row that lie at @p data on the device of a part; their
 *  scale is 1.
 *  @retval WEIR_ERR_INVALID  no such part.
 *  @retval WEIR_ERR_NOMEM    no memory for the vertices of rows, made at the first call. */
weir_status weir__rows_values(const weir__rows *rows, uint32_t part, const void *data,
                              weir_value_kind kind, weir_values *values_out);
/** NULL is fine. */
void weir__rows_destroy(weir__rows *rows);

#endif
