/** @file info.h  What weir info finds out about a graph beside what the library summarizes. */
#ifndef WEIR_ALGORITHMS_CLI_INFO_H
#define WEIR_ALGORITHMS_CLI_INFO_H

#include "algorithms/cli/traversal.h"

/* ---- how it would run (info_runs.c) ------------------------------------------------------------- */

enum { WHYS = 9, SENTENCE_ROOM = 256 };

/** How an algorithm would run, and why. */
typedef struct weir__cli_how {
    const weir__cli_algorithm *algorithm;
    char weights[WEIGHTS_ROOM]; /**< "": it has none */
    char form[64];
    weir_run_stats picked;
    char why
        [WHYS]
        [SENTENCE_ROOM]; /**< in the order of the table of info_runs.c; "": there is nothing to say */
    char failed[SENTENCE_ROOM]; /**< why it cannot run; "": it can */
} weir__cli_how;

/** Make the object of every algorithm, one after the other, and ask it. Gives the graph weights.
 *  @param[out] hows_out  one for each algorithm, to be freed. */
int weir__cli_hows_find(const weir__cli_request *request, weir_context *context, weir_graph *graph,
                        weir__cli_how **hows_out, size_t *count_out);
void weir__cli_hows_print(const weir__cli_request *request, const weir_context *context,
                          const weir__cli_how *hows, size_t count);
/** As an array; NULL: out of memory. */
struct json_t *weir__cli_hows_json(const weir__cli_request *request, const weir__cli_how *hows,
                                   size_t count);

#endif
