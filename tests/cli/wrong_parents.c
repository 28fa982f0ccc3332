/** @file wrong_parents.c  The command with one wrong parent in its tree: what --verify must find.
 *
 * Linked as wrong_levels.c is, with --wrap=weir_bfs_parents. WEIR_TEST_PARENT is "V:P": the parent of vertex V is
 * said to be P. */
#include "algorithms/algorithms.h"

#include <stdlib.h>
#include <string.h>

weir_status __real_weir_bfs_parents(weir_bfs *bfs, int64_t *parents_out);
weir_status __wrap_weir_bfs_parents(weir_bfs *bfs, int64_t *parents_out);

weir_status __wrap_weir_bfs_parents(weir_bfs *bfs, int64_t *parents_out)
{
    const char *wrong = getenv("WEIR_TEST_PARENT");
    const char *colon = wrong ? strchr(wrong, ':') : NULL;
    weir_status status = __real_weir_bfs_parents(bfs, parents_out);
    if (!status && colon)
        parents_out[strtoul(wrong, NULL, 10)] = strtoll(colon + 1, NULL, 10);
    return status;
}
