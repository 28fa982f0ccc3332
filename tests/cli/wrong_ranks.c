/** @file wrong_ranks.c  The command with wrong ranks: what --verify must find.
 *
 * Linked as wrong_levels.c is, with --wrap=weir_pr_ranks. WEIR_TEST_WRONG is "V:F": the rank of vertex V is larger
 * by the part F of it, or no number where F is "nan"; or "all:F": every rank is, which a sum tells. The
 * number of vertices is not known here, so that "all" is the first WEIR_TEST_VERTICES. */
#include "algorithms/algorithms.h"

#include <stdlib.h>
#include <string.h>

weir_status __real_weir_pr_ranks(weir_pr *pr, double *ranks_out);
weir_status __wrap_weir_pr_ranks(weir_pr *pr, double *ranks_out);

weir_status __wrap_weir_pr_ranks(weir_pr *pr, double *ranks_out)
{
    const char *wrong = getenv("WEIR_TEST_WRONG"), *vertices = getenv("WEIR_TEST_VERTICES");
    const char *colon = wrong ? strchr(wrong, ':') : NULL;
    weir_status status = __real_weir_pr_ranks(pr, ranks_out);
    if (status || !colon)
        return status;
    int all = strncmp(wrong, "all:", 4) == 0;
    unsigned long first = all ? 0 : strtoul(wrong, NULL, 10);
    unsigned long end = all && vertices ? strtoul(vertices, NULL, 10) : first + 1;
    for (unsigned long v = first; v < end; v++)
        ranks_out[v] += ranks_out[v] * strtod(colon + 1, NULL);
    return status;
}
