/** @file wrong_elements.c  The command with a wrong filtered array: what --verify must find.
 *
 * Linked as wrong_levels.c is, with --wrap=weir_pbf_run. WEIR_TEST_WRONG says what is wrong: "other",
 * the third element is not one that stays; "twice", it is the second one again; "lost", the last one is
 * missing. */
#include "algorithms/algorithms.h"

#include <stdlib.h>
#include <string.h>

weir_status __real_weir_pbf_run(weir_pbf *pbf, const uint32_t *input, uint64_t elements,
                                uint32_t *output, uint64_t room, weir_pbf_stats *stats_out);
weir_status __wrap_weir_pbf_run(weir_pbf *pbf, const uint32_t *input, uint64_t elements,
                                uint32_t *output, uint64_t room, weir_pbf_stats *stats_out);

weir_status __wrap_weir_pbf_run(weir_pbf *pbf, const uint32_t *input, uint64_t elements,
                                uint32_t *output, uint64_t room, weir_pbf_stats *stats_out)
{
    const char *wrong = getenv("WEIR_TEST_WRONG");
    weir_status status = __real_weir_pbf_run(pbf, input, elements, output, room, stats_out);
    if (status || !wrong || stats_out->kept < 3)
        return status;
    if (strcmp(wrong, "other") == 0)
        output[2] = UINT32_MAX; /* the predicate keeps small ones */
    else if (strcmp(wrong, "twice") == 0)
        output[2] = output[1];
    else if (strcmp(wrong, "lost") == 0)
        stats_out->kept--;
    return status;
}
