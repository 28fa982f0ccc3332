/** @file 14_engine_cost.h  The simple kernels that 14_engine_cost.c holds the engine against (14_engine_cost.cu).
 *
 * Each does one thing on one GPU, is told all it needs, and checks nothing. All return 0, or a cudaError_t. */
#ifndef WEIR_EXAMPLES_14_ENGINE_COST_H
#define WEIR_EXAMPLES_14_ENGINE_COST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A graph in host memory; offsets of 32 bits are what a simple kernel would take. */
struct simple_graph {
    uint32_t vertices, arcs;
    const uint32_t *offsets, *targets, *weights;
};

/* What the simple kernels did: the median of `runs` runs after a warm-up, at the best of the settings tried. */
struct simple_answer {
    double ms;
    uint32_t setting; /* blocks; the width of a step of near-far; lanes of a row */
    int setting_known;
    uint32_t *values; /* levels, distances, sums; vertices of them, the caller's */
};

/* Level after level in one cooperative kernel, four lanes a vertex. Unreached: UINT32_MAX. */
int simple_bfs(const struct simple_graph *graph, uint32_t source, uint32_t runs,
               struct simple_answer *answer);
/* Near-far in one cooperative kernel, four lanes a vertex. Unreached: UINT32_MAX. */
int simple_sssp(const struct simple_graph *graph, uint32_t source, uint32_t runs,
                struct simple_answer *answer);
/* y = A x, each row pulled by 1, 4, 8 or 32 lanes; x is 1 + row % 5, A the weights; modulo 2^32. */
int simple_product(const struct simple_graph *graph, uint32_t runs, struct simple_answer *answer);
/* y = A x with all weights 1, which an iteration of PageRank is: no weights are read. */
int simple_sums(const struct simple_graph *graph, uint32_t runs, struct simple_answer *answer);
/* The product by the schedules of worklist/schedule.h; `setting` is the schedule's number. */
int schedule_product(const struct simple_graph *graph, uint32_t runs, struct simple_answer *answer);

#ifdef __cplusplus
}
#endif

#endif
