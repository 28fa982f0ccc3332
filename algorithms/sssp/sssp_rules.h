/** @file sssp_rules.h  The sentences of what distances and trees of shortest paths break. Not installed. */
#ifndef WEIR_ALGORITHMS_SSSP_SSSP_RULES_H
#define WEIR_ALGORITHMS_SSSP_SSSP_RULES_H

#include "algorithms/algorithms.h"
#include "algorithms/common/certify.h"
#include "algorithms/sssp/sssp_certify_op.h"

/** Say that a vertex breaks a rule, alone or with an arc. The graph's arcs are on the host. @param[in] parents  NULL: there is no tree.
 *  @retval WEIR_ERR_VERIFY  always. */
weir_status weir__sssp_breaks(const weir_graph *graph, const double *distances,
                              const int64_t *parents, const struct weir__certify_broken *broken);

/** @retval WEIR_ERR_INVALID  the graph has no weights, or one that is not 0 or more. */
weir_status weir__sssp_check_weights(const weir_graph *graph);

#endif
