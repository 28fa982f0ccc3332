/** @file share.c  Max-min fair shares by progressive filling.
 *
 * All flows grow together from nothing. A flow stops where its own limit is, or where a resource on its
 * way is used up; the others share what is left and go on. Each round stops at least one flow. The
 * result depends on the order of the flows only in the last bit, and not on anything else. */
#include "runtime/internal.h"

#include <math.h>

#define GROWING  (-1.0)
#define STOPPING (-2.0) /* in this round; its resources still count it */

struct shares {
    const uint32_t *begin;
    const uint16_t *use;
    const double *limit;
    uint32_t flows;
    double *rate;
    double *left;  /* of each resource, what flows that stopped do not have */
    double *users; /* of each resource, flows that still grow */
};

/* Up to where this flow can grow if all others grow with it. */
static double level_of(const struct shares *s, uint32_t flow)
{
    double level = s->limit[flow] > 0 ? s->limit[flow] : INFINITY;
    for (uint32_t i = s->begin[flow]; i < s->begin[flow + 1]; i++) {
        double even = s->left[s->use[i]] / s->users[s->use[i]];
        level = even < level ? even : level;
    }
    return level;
}

/* Never below the level before, which rounding might come to: then a rate could even be 0. */
static double next_level(const struct shares *s, double before)
{
    double lowest = INFINITY;
    for (uint32_t f = 0; f < s->flows; f++) {
        double level = s->rate[f] == GROWING ? level_of(s, f) : INFINITY;
        lowest = level < lowest ? level : lowest;
    }
    return lowest > before ? lowest : before;
}

static void stop(struct shares *s, uint32_t flow, double level)
{
    s->rate[flow] = level;
    for (uint32_t i = s->begin[flow]; i < s->begin[flow + 1]; i++) {
        double left = s->left[s->use[i]] - level;
        s->left[s->use[i]] = left > 0 ? left : 0; /* rounding may take a little too much */
        s->users[s->use[i]] -= 1;
    }
}

/* Who stops is found before anyone is counted out, or flows at the same level would differ. */
static uint32_t stop_all_at(struct shares *s, double level)
{
    uint32_t stopped = 0;
    for (uint32_t f = 0; f < s->flows; f++)
        if (s->rate[f] == GROWING && level_of(s, f) <= level)
            s->rate[f] = STOPPING;
    for (uint32_t f = 0; f < s->flows; f++)
        if (s->rate[f] == STOPPING) {
            stop(s, f, level);
            stopped++;
        }
    return stopped;
}

static void start(struct shares *s, const double *capacity)
{
    for (uint32_t i = 0; i < s->begin[s->flows]; i++)
        s->users[s->use[i]] = 0;
    for (uint32_t i = 0; i < s->begin[s->flows]; i++) {
        s->left[s->use[i]] = capacity[s->use[i]];
        s->users[s->use[i]] += 1;
    }
    for (uint32_t f = 0; f < s->flows; f++)
        s->rate[f] = GROWING;
}

void weir__share(const double *capacity, uint32_t resources, const uint32_t *begin,
                 const uint16_t *use, const double *limit, uint32_t flows, double *rate_out,
                 double *scratch)
{
    struct shares s = {.begin = begin,
                       .use = use,
                       .limit = limit,
                       .flows = flows,
                       .rate = rate_out,
                       .left = scratch,
                       .users = scratch + resources};
    if (flows == 0)
        return;
    start(&s, capacity);
    double level = 0;
    for (uint32_t stopped = 0; stopped < flows; stopped += stop_all_at(&s, level))
        level = next_level(&s, level);
}
