/** @file cc.h  What the host's files of connected components share. Not installed. */
#ifndef WEIR_ALGORITHMS_CC_CC_H
#define WEIR_ALGORITHMS_CC_CC_H

#include "algorithms/common/row_steps.h"

/** The tree along which results are merged: leaves send to their parents, which merge and send on, up to the top. */
typedef struct weir__cc_merge_tree {
    uint32_t devices, top;
    uint8_t parent[WEIR_DEVICES_MAX]; /* the top's is itself */
    uint32_t children[WEIR_DEVICES_MAX];
    uint32_t rounds; /* of merges: in one a device sends, receives from one, or neither */
    uint8_t round[WEIR_DEVICES_MAX]; /* in which a device sends; not the top's */
} weir__cc_merge_tree;

/** Make the tree over the first @p devices devices of a context. AUTO and STAGED: the reduction tree of its machine
 *  (weir_reduction); DIRECT: all to one; RING, TREE: along the plan of that route. */
weir_status weir__cc_merge_tree_make(weir_context *context, uint32_t devices, weir_route_kind route,
                                     weir__cc_merge_tree *tree_out);

/* ---- rows that lie on the devices ---- */

/** The ends of arcs that lead from one device to another. */
typedef struct weir__cc_cut {
    int few;        /**< there are no more than asked for; else they are not listed */
    uint32_t *end;  /**< their numbers, ascending; NULL: none */
    uint64_t count; /**< of them */
} weir__cc_cut;
/** Find them. @param[in] most  ends that are few. @param[out] cut_out  set as a whole; to be freed if it is few.
 *  @retval WEIR_ERR_NOMEM. @par Blocks  yes; works on all cores. */
weir_status weir__cc_cut_make(const weir_graph *graph, const weir_rows *rows, uint64_t most,
                              weir__cc_cut *cut_out);
void weir__cc_cut_free(weir__cc_cut *cut);

/** Labels, cancelling and destroying are those of `on`. */
typedef struct weir__cc_resident {
    struct weir__row_steps on; /* first */
    int in_order;              /* ids ascend with numbers, by which vertices are compared */
    int by_part; /* they do within each part alone, and devices make separate trees of rows of few arcs */
} weir__cc_resident;
/** Bytes of a device's pool that are needed at the least. */
uint64_t weir__cc_resident_bytes(const weir_graph *graph, uint32_t devices);
/** @param[out] cc_out  zero before, and after a failure. */
weir_status weir__cc_resident_create(weir_context *context, const weir_graph *graph,
                                     const weir_partition *partition,
                                     const weir_run_options *options, weir__cc_resident *cc_out);
/** What statistics of runs say was picked, also in two dimensions. */
void weir__cc_picked(const struct weir__row_steps *on, weir_run_stats *stats);
weir_status weir__cc_resident_run(weir__cc_resident *cc, weir_run_stats *stats);
/** Whether ids ascend with numbers; of a sketch they do not. */
int weir__cc_in_order(const struct weir__row_steps *on);
/** Ids that ascend with numbers differ from them by the numbers before that stand for no vertex: how many those are, by device. */
void weir__cc_gaps(const struct weir__row_steps *on, uint32_t gap_out[]);

/** From here on objects that this thread makes take cc_near.h for rows of few arcs on host devices, too; for tests.
 *  @param[in] on  0: as ever. */
void weir__cc_near_pretend(int on);

/* ---- cells of a grid of devices ---- */

/** In two dimensions (cc_in_2d.c). Labels, cancelling and destroying are those of @p on.
 *  @param[in] partition  of kind WEIR_PARTITION_2D. @param[out] on  zero before, and after a failure. */
weir_status weir__cc_cells_create(weir_context *context, const weir_graph *graph,
                                  const weir_partition *partition, const weir_run_options *options,
                                  struct weir__row_steps *on);
weir_status weir__cc_cells_run(struct weir__row_steps *on, weir_run_stats *stats);

/* ---- arcs that come in segments ---- */

typedef struct weir__cc_streamed weir__cc_streamed;
/** On the first @p devices devices. @param[in] packet_bytes  of a segment; 0: by the devices. */
weir_status weir__cc_streamed_create(weir_context *context, const weir_graph *graph,
                                     uint32_t devices, const weir_run_options *options,
                                     size_t packet_bytes, weir__cc_streamed **out);
weir_status weir__cc_streamed_run(weir__cc_streamed *cc, weir_run_stats *stats);
weir_status weir__cc_streamed_labels(const weir__cc_streamed *cc, uint32_t *labels_out);
void weir__cc_streamed_cancel(weir__cc_streamed *cc);
void weir__cc_streamed_destroy(weir__cc_streamed *cc);

#endif
