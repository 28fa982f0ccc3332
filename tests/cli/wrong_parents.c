/** @file wrong_parents.c  The command with one wrong parent in its tree: what --verify must find.
 *
 * Linked as wrong_levels.c is, with --wrap=weir_bfs_parents and --wrap=weir_sssp_parents. WEIR_TEST_PARENT is "V:P": the
 * parent of vertex V is said to be P; WEIR_TEST_PATH says the same of shortest paths. */
#include "algorithms/algorithms.h"

#include <stdlib.h>
#include <string.h>

weir_status __real_weir_bfs_parents(weir_bfs *bfs, int64_t *parents_out);
weir_status __wrap_weir_bfs_parents(weir_bfs *bfs, int64_t *parents_out);

weir_status __real_weir_sssp_parents(weir_sssp *sssp, int64_t *parents_out);
weir_status __wrap_weir_sssp_parents(weir_sssp *sssp, int64_t *parents_out);

static weir_status spoil(weir_status status, const char *wrong, int64_t *parents_out)
{
    const char *colon = wrong ? strchr(wrong, ':') : NULL;
    if (!status && colon)
        parents_out[strtoul(wrong, NULL, 10)] = strtoll(colon + 1, NULL, 10);
    return status;
}

weir_status __wrap_weir_bfs_parents(weir_bfs *bfs, int64_t *parents_out)
{
    return spoil(__real_weir_bfs_parents(bfs, parents_out), getenv("WEIR_TEST_PARENT"),
                 parents_out);
}

weir_status __wrap_weir_sssp_parents(weir_sssp *sssp, int64_t *parents_out)
{
    return spoil(__real_weir_sssp_parents(sssp, parents_out), getenv("WEIR_TEST_PATH"),
                 parents_out);
}
