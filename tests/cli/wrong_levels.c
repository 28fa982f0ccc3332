/** @file wrong_levels.c  The command with one wrong level: what --verify must find.
 *
 * Linked with the command's own objects and --wrap=weir_bfs_levels, so everything else is the real
 * thing. WEIR_TEST_WRONG names the vertex whose level is one too large. */
#include "algorithms/algorithms.h"

#include <stdlib.h>

weir_status __real_weir_bfs_levels(weir_bfs *bfs, int32_t *levels_out);
weir_status __wrap_weir_bfs_levels(weir_bfs *bfs, int32_t *levels_out);

weir_status __wrap_weir_bfs_levels(weir_bfs *bfs, int32_t *levels_out)
{
    const char *vertex = getenv("WEIR_TEST_WRONG");
    weir_status status = __real_weir_bfs_levels(bfs, levels_out);
    if (!status && vertex)
        levels_out[strtoul(vertex, NULL, 10)]++;
    return status;
}
