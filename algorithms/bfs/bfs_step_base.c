/** @file bfs_step_base.c  Breadth-first search in step: the bitmap before a run. */
#include "algorithms/bfs/bfs_in_step.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

struct marks {
    const weir_graph *graph;
    const uint32_t *numbers;
    uint32_t *led;    /* a bit a number: an arc leads there */
    uint64_t count;   /* numbers that an arc leads to: relaxed additions; the join publishes them */
    uint64_t sources; /* bits that were set for vertices with arcs: the same */
    uint64_t longest; /* relaxed maxima, the same */
};

/* @return whether the bit was not set. */
static uint64_t set_bit(uint32_t *bitmap, uint32_t number)
{
    const uint32_t bit = UINT32_C(1) << (number % 32);
    uint32_t *word = &bitmap[number / 32];
    if (__atomic_load_n(word, __ATOMIC_RELAXED) & bit) /* a store would move the line about */
        return 0;
    return !(__atomic_fetch_or(word, bit, __ATOMIC_RELAXED) & bit);
}

static void mark_targets(void *user, uint64_t begin, uint64_t end)
{
    struct marks *marks = user;
    uint64_t count = 0;
    for (uint64_t arc = marks->graph->offsets[begin]; arc < marks->graph->offsets[end]; arc++)
        count += set_bit(marks->led, marks->numbers[marks->graph->targets[arc]]);
    __atomic_fetch_add(&marks->count, count, __ATOMIC_RELAXED);
}

static void mark_sources(void *user, uint64_t begin, uint64_t end)
{
    struct marks *marks = user;
    uint64_t longest = 0, count = 0, seen = __atomic_load_n(&marks->longest, __ATOMIC_RELAXED);
    for (uint64_t v = begin; v < end; v++) {
        const uint64_t arcs = marks->graph->offsets[v + 1] - marks->graph->offsets[v];
        if (arcs)
            count += set_bit(marks->led, marks->numbers[v]);
        longest = arcs > longest ? arcs : longest;
    }
    __atomic_fetch_add(&marks->sources, count, __ATOMIC_RELAXED);
    while (longest > seen && !__atomic_compare_exchange_n(&marks->longest, &seen, longest, 1,
                                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

weir_status weir__bfs_in_step_base(struct bfs_in_step *in_step, const weir_graph *graph,
                                   uint32_t **base_out)
{
    const uint32_t words = weir__row_steps_part(&in_step->on, 0)->numbers / 32;
    struct marks marks = {.graph = graph, .numbers = weir_rows_numbers(in_step->on.rows)};
    weir_status status = weir__calloc(words, 4, "bitmap of the graph", &marks.led);
    if (status)
        return status;
    /* Where every arc has its reverse, arcs lead to what has arcs: nobody needs to go over them. */
    const int symmetric = weir_rows_symmetric(in_step->on.rows);
    if (!symmetric && ((status = weir_graph_fetch(graph)) ||
                       (status = weir__activity_for("marking vertices", "vertices", graph->vertices,
                                                    UINT64_C(1) << 14, 0, mark_targets, &marks))))
        goto err_free;
    if ((status = weir__activity_for("marking vertices", "vertices", graph->vertices,
                                     UINT64_C(1) << 14, 0, mark_sources, &marks)))
        goto err_free;
    in_step->unfound = symmetric ? marks.sources : marks.count;
    in_step->longest = marks.longest;
    for (uint32_t i = 0; i < words; i++)
        marks.led[i] = ~marks.led[i];
    *base_out = marks.led;
    return WEIR_OK;
err_free:
    free(marks.led);
    return status;
}
