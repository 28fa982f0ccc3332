/** @file wrong_levels.c  The command with one wrong level: what --verify must find.
 *
 * Linked with the command's own objects, --wrap=weir_bfs_levels and --wrap=weir_bfs_batch_levels and _found, so everything
 * else is the real thing. WEIR_TEST_WRONG names the vertex whose level is one too large; of a batch that of its second
 * source alone, and if it is "count" its sum of levels is. */
#include "algorithms/algorithms.h"

#include <stdlib.h>
#include <string.h>

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

weir_status __real_weir_bfs_batch_levels(const weir_bfs_batch *batch, uint32_t index,
                                         int32_t *levels_out);
weir_status __wrap_weir_bfs_batch_levels(const weir_bfs_batch *batch, uint32_t index,
                                         int32_t *levels_out);

weir_status __wrap_weir_bfs_batch_levels(const weir_bfs_batch *batch, uint32_t index,
                                         int32_t *levels_out)
{
    const char *vertex = getenv("WEIR_TEST_WRONG");
    weir_status status = __real_weir_bfs_batch_levels(batch, index, levels_out);
    if (!status && vertex && index == 1 && strcmp(vertex, "count") != 0)
        levels_out[strtoul(vertex, NULL, 10)]++;
    return status;
}

weir_status __real_weir_bfs_batch_found(const weir_bfs_batch *batch, uint32_t index,
                                        weir_bfs_found *found_out);
weir_status __wrap_weir_bfs_batch_found(const weir_bfs_batch *batch, uint32_t index,
                                        weir_bfs_found *found_out);

weir_status __wrap_weir_bfs_batch_found(const weir_bfs_batch *batch, uint32_t index,
                                        weir_bfs_found *found_out)
{
    const char *wrong = getenv("WEIR_TEST_WRONG");
    weir_status status = __real_weir_bfs_batch_found(batch, index, found_out);
    if (!status && wrong && index == 1 && strcmp(wrong, "count") == 0)
        found_out->sum_levels++;
    return status;
}
