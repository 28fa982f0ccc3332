/** @file ring_exact.c  The best ring of a few devices: all of them are tried, in order of their
 * numbers, but for those whose beginning cannot become better than the best so far. */
#include "topology/ring.h"

#include <math.h>
#include <string.h>

struct search {
    struct weir__ring_judge *judge;
    struct weir__ring_worth best;
    double most[WEIR_DEVICES_MAX]; /* that a device can send */
    uint8_t order[WEIR_DEVICES_MAX], found[WEIR_DEVICES_MAX], used[WEIR_DEVICES_MAX];
};

/* A beginning of a ring, and the most that the steps to come can add to its sum. */
struct part {
    uint32_t length, staged;
    double least, sum, rest;
};

static int is_hopeless(const struct search *search, const struct part *part)
{
    struct weir__ring_worth bound = {part->staged, part->least, part->sum + part->rest};
    return weir__ring_compare(&bound, &search->best) <= 0;
}

/* A whole ring, but for the step that closes it. */
static void look_at(struct search *search, const struct part *part)
{
    struct weir__ring_judge *judge = search->judge;
    uint32_t last = search->order[judge->n - 1];
    struct weir__ring_worth worth = {part->staged + weir__ring_step(judge, last, 0)->staged,
                                     weir__ring_add(judge, last, 0, part->least), INFINITY};
    weir__ring_remove(judge, last, 0);
    if (weir__ring_compare(&worth, &search->best) <= 0)
        return;
    worth.sum_gbs = weir__ring_judge_sum(judge, search->order);
    if (weir__ring_compare(&worth, &search->best) <= 0)
        return;
    search->best = worth;
    memcpy(search->found, search->order, judge->n);
}

static void extend(struct search *search, const struct part *part)
{
    struct weir__ring_judge *judge = search->judge;
    uint32_t from = search->order[part->length - 1];
    if (part->length == judge->n) {
        look_at(search, part);
        return;
    }
    for (uint32_t to = 1; to < judge->n; to++) {
        const struct weir__ring_step *step = weir__ring_step(judge, from, to);
        struct part longer = {.length = part->length + 1,
                              .staged = part->staged + step->staged,
                              .sum = part->sum + step->gbs,
                              .rest = part->rest - search->most[from]};
        if (search->used[to])
            continue;
        longer.least = weir__ring_add(judge, from, to, part->least);
        search->order[part->length] = (uint8_t)to;
        search->used[to] = 1;
        if (!is_hopeless(search, &longer))
            extend(search, &longer);
        search->used[to] = 0;
        weir__ring_remove(judge, from, to);
    }
}

void weir__ring_exact(struct weir__ring_judge *judge, uint8_t *order)
{
    struct search search = {.judge = judge, .best = weir__ring_judge_worth(judge, order)};
    struct part first = {.length = 1, .least = INFINITY};
    search.best.sum_gbs *= 1 - 1e-8; /* so that rings as good as the first one count as better */
    memcpy(search.found, order, judge->n);
    for (uint32_t from = 0; from < judge->n; from++) {
        for (uint32_t to = 0; to < judge->n; to++)
            search.most[from] = fmax(search.most[from], weir__ring_step(judge, from, to)->gbs);
        first.rest += search.most[from];
    }
    search.used[0] = 1;
    extend(&search, &first);
    memcpy(order, search.found, judge->n);
}
