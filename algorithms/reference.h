/** @file reference.h  What references and checks need of host memory while they run. Not installed. */
#ifndef WEIR_ALGORITHMS_REFERENCE_H
#define WEIR_ALGORITHMS_REFERENCE_H

#include "algorithms/algorithms.h"
#include "runtime/room.h"

/** Of weir_bfs_reference() and the others; what they write their values to is the caller's. */
void weir__bfs_reference_need(const weir_graph *graph, struct weir__need *need);
void weir__sssp_reference_need(const weir_graph *graph, struct weir__need *need);
void weir__pr_reference_need(const weir_graph *graph, struct weir__need *need);
void weir__cc_reference_need(const weir_graph *graph, struct weir__need *need);
void weir__color_reference_need(const weir_graph *graph, struct weir__need *need);
/** Of weir_pr_check(). */
void weir__pr_check_need(const weir_graph *graph, struct weir__need *need);
/** Of weir_bfs_certify() and the others. @param[in] parents  whether there is a tree. */
void weir__bfs_certify_need(const weir_context *context, const weir_graph *graph, int parents,
                            struct weir__need *need);
void weir__sssp_certify_need(const weir_context *context, const weir_graph *graph, int parents,
                             struct weir__need *need);
void weir__pr_certify_need(const weir_context *context, const weir_graph *graph, int parents,
                           struct weir__need *need);
void weir__cc_certify_need(const weir_context *context, const weir_graph *graph, int parents,
                           struct weir__need *need);
void weir__color_certify_need(const weir_context *context, const weir_graph *graph, int parents,
                              struct weir__need *need);

#endif
