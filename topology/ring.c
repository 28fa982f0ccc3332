/** @file ring.c  The best ring over all devices (Groute 4.3): first of all the fewest pairs that
 * do not reach each other, then the largest smallest share, then the largest sum of shares, then
 * the lowest numbers. Of few devices it is the best of all, of many a good one; where the
 * devices in order are as good as any ring could be, that is seen at once. */
#include "topology/ring.h"

#include <math.h>

/* No ring gives a device more than its widest way out, or its widest way in. */
static struct weir__ring_worth bound(const struct weir__ring_judge *judge)
{
    struct weir__ring_worth bound = {0, INFINITY, 0};
    for (uint32_t d = 0; d < judge->n; d++) {
        double out = 0, in = 0;
        for (uint32_t to = 0; to < judge->n; to++) {
            out = fmax(out, weir__ring_step(judge, d, to)->gbs);
            in = fmax(in, weir__ring_step(judge, to, d)->gbs);
        }
        bound.least_gbs = fmin(bound.least_gbs, fmin(out, in));
        bound.sum_gbs += out;
    }
    return bound;
}

weir_status weir__ring_find(const weir_machine *machine, uint8_t *order_out)
{
    struct weir__ring_judge *judge;
    struct weir__ring_worth in_order, most;
    weir_status status = weir__ring_judge_create(machine, &judge);
    if (status)
        return status;
    for (uint32_t i = 0; i < machine->devices; i++)
        order_out[i] = (uint8_t)i;
    in_order = weir__ring_judge_worth(judge, order_out);
    most = bound(judge);
    if (machine->devices > 2 && weir__ring_compare(&in_order, &most) < 0) {
        weir__ring_improve(judge, order_out);
        if (machine->devices <= WEIR__RING_EXACT_MAX)
            weir__ring_exact(judge, order_out);
    }
    weir__ring_judge_destroy(judge);
    return WEIR_OK;
}
