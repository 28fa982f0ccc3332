/** @file graph500.h  weir graph500: what its runs found (verb_graph500.c), and how that is told (report_graph500.c). */
#ifndef WEIR_ALGORITHMS_CLI_GRAPH500_H
#define WEIR_ALGORITHMS_CLI_GRAPH500_H

#include "algorithms/cli/cli.h"

/** The specification's kernels that search. */
enum { GRAPH500_BFS, GRAPH500_SSSP, GRAPH500_KERNELS };

/** What a kernel took from one root, in seconds. */
typedef struct weir__cli_search {
    double host;     /**< until the result lay in host memory in the order of vertices */
    double device;   /**< of that, until it was complete in the devices' memory */
    double validate; /**< not in these */
} weir__cli_search;

/** What was found from one root. */
typedef struct weir__cli_rooted {
    uint64_t root;
    uint64_t
        edges; /**< of the input that lie in the root's component; loops and duplicates count */
    weir__cli_search search[GRAPH500_KERNELS];
} weir__cli_rooted;

typedef struct weir__cli_graph500_report {
    const weir__cli_request *request;
    weir_context *context;
    const char *graph;        /**< the generator's text */
    uint64_t vertices, edges; /**< edges of the input */
    double generation;        /**< seconds: the list of edges */
    double construction;      /**< seconds: from the list until all kernels could run */
    weir__cli_rooted *runs;   /**< @c count of them, one a root */
    size_t count;
    uint32_t kernels;     /**< 1, or 2 with shortest paths */
    char difference[512]; /**< what the validation said that failed, with its root; "": none did */
} weir__cli_graph500_report;

/** The lines of the specification's output, on standard output. */
int weir__cli_graph500_text(const weir__cli_graph500_report *report);
/** The document. */
int weir__cli_graph500_json(const weir__cli_graph500_report *report, weir__cli_output *output);

#endif
