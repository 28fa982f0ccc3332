/** @file wrong_distances.c  The command with one wrong distance: what --verify must find.
 *
 * Linked as wrong_levels.c is, with --wrap=weir_sssp_distances. WEIR_TEST_WRONG names the vertex whose
 * distance is larger by the least that a number of this kind can be: the comparison is exact. One out of
 * reach gets into it. */
#include "algorithms/algorithms.h"

#include <math.h>
#include <stdlib.h>

weir_status __real_weir_sssp_distances(weir_sssp *sssp, double *distances_out);
weir_status __wrap_weir_sssp_distances(weir_sssp *sssp, double *distances_out);

weir_status __wrap_weir_sssp_distances(weir_sssp *sssp, double *distances_out)
{
    const char *wrong = getenv("WEIR_TEST_WRONG");
    weir_status status = __real_weir_sssp_distances(sssp, distances_out);
    if (!status && wrong) {
        double *distance = &distances_out[strtoul(wrong, NULL, 10)];
        *distance = isfinite(*distance) ? nextafter(*distance, INFINITY) : 0;
    }
    return status;
}
