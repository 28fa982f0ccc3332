/** @file verify_ranks.h  How ranks are judged: what the row of PageRank takes from verify_ranks.c. */
#ifndef WEIR_ALGORITHMS_CLI_VERIFY_RANKS_H
#define WEIR_ALGORITHMS_CLI_VERIFY_RANKS_H

#include "algorithms/cli/algorithm.h"

/** What weir__cli_trial.own holds: how far ranks are from the reference's, in all and at most; what an exact
 *  iteration changes them by in all, and how far at most they are from the true ones. */
enum { RANKS_L1, RANKS_RELATIVE, RANKS_CHANGE, RANKS_WITHIN };

/** The configuration that --tolerance and the other options of PageRank ask for (algorithm_pr.c). */
weir_pr_config weir__cli_pr_config(const weir__cli_request *request);
/** Check that ranks are within what the tolerance allows: compared with the reference's or, without one, by an
 *  exact iteration. */
int weir__cli_compare_ranks(const weir__cli_algorithm *algorithm, const weir__cli_request *request,
                            const weir_graph *graph, const void *values, const void *expected,
                            weir__cli_trial *trial, char **sentence_out);
/** Check the same by an exact iteration on the devices, at any tolerance. */
int weir__cli_certify_ranks(const weir__cli_algorithm *algorithm, const weir__cli_request *request,
                            weir_context *context, const weir_graph *graph, const void *values,
                            weir__cli_trial *trial, char **sentence_out);
/** Whether that of weir__cli_compare_ranks() needs the reference, which is so where only the reference is exact enough for the tolerance. */
int weir__cli_ranks_need_reference(const weir__cli_request *request);
/** Print how far from the true ones ranks are that were found right. */
void weir__cli_print_ranks_verdict(const weir__cli_trial *last);

#endif
