/** @file advise_levels.c  How many arcs a level of a graph has, by short searches on the host. */
#include "algorithms/common/advise.h"
#include "algorithms/graph/arcs.h"
#include "runtime/support.h"
#include "runtime/room.h"

#include <stdlib.h>

/* WEIR__ADVISE_ARCS arcs take milliseconds and cover hundreds of levels of a road network. In a denser
 * graph a search ends in its second or third level, which has more arcs than that. */
#define SEARCHES 8

struct search {
    const weir_graph *graph;
    uint64_t *seen;      /* a bit for each vertex */
    uint32_t *queue;     /* the vertices that were seen, in the order of their levels */
    uint64_t seen_count; /* vertices that all searches have seen: no search begins the queue anew */
    uint64_t arcs_left;  /* arcs that may still be looked at */
    uint64_t arcs, found; /* what the last search looked at, and the vertices that it found */
    uint64_t levels;
};

static int see(struct search *search, uint64_t v)
{
    uint64_t bit = UINT64_C(1) << (v & 63);
    if (search->seen[v >> 6] & bit)
        return 0;
    search->seen[v >> 6] |= bit;
    search->queue[search->seen_count++] = (uint32_t)v;
    return 1;
}

/* The search ends in the middle of a row if no arcs are left that it may look at, so that the queue cannot run over. */
static int look_along(struct search *search, uint64_t v)
{
    const uint64_t *offsets = search->graph->offsets;
    for (uint64_t i = offsets[v]; i < offsets[v + 1]; i++) {
        if (search->arcs_left == 0)
            return 0;
        search->arcs_left--;
        search->arcs++;
        search->found += (uint64_t)see(search, search->graph->targets[i]);
    }
    return 1;
}

static void search_from(struct search *search, uint64_t source)
{
    uint64_t at = search->seen_count;
    search->arcs = search->levels = 0;
    search->found = 1;
    (void)see(search, source);
    while (at < search->seen_count && search->arcs_left) {
        uint64_t end = search->seen_count;
        search->levels++;
        while (at < end && look_along(search, search->queue[at]))
            at++;
    }
}

/* The first vertex with arcs that no search has seen, from `begin` on and around the end. */
static int find_unseen(const struct search *search, uint64_t begin, uint64_t *vertex_out)
{
    const weir_graph *graph = search->graph;
    for (uint64_t i = 0; i < graph->vertices; i++) {
        uint64_t v = begin + i < graph->vertices ? begin + i : begin + i - graph->vertices;
        *vertex_out = v;
        if (graph->offsets[v] < graph->offsets[v + 1] && !(search->seen[v >> 6] >> (v & 63) & 1))
            return 1;
    }
    return 0;
}

static void search_all(struct search *search, struct weir__advise *facts)
{
    uint64_t most = 0, n = search->graph->vertices;
    uint64_t source = weir__graph_largest(search->graph);
    for (uint64_t s = 0; s < SEARCHES; s++) {
        if (s && !find_unseen(search, n / SEARCHES * s, &source))
            break;
        search_from(search, source);
        if (search->arcs > most) {
            most = search->arcs;
            facts->arcs_a_level = (double)search->arcs / (double)search->levels;
            facts->found_a_level = (double)search->found / (double)search->levels;
            facts->levels = (double)search->levels;
        }
        if (search->arcs_left == 0)
            break;
    }
}

weir_status weir__advise_levels(const weir_graph *graph, uint64_t arcs, struct weir__advise *facts)
{
    struct search search = {.graph = graph, .arcs_left = arcs};
    uint64_t most = graph->vertices < arcs + SEARCHES ? graph->vertices : arcs + SEARCHES;
    struct weir__need need = {0, 0};
    weir_status status;
    facts->arcs_a_level = facts->found_a_level = facts->levels = 0;
    if (graph->arcs == 0)
        return WEIR_OK;
    weir__need_pass(&need, graph->vertices / 8 + most * 4, 1);
    if (!(status = weir_graph_fetch(graph)) && !(status = weir__need_fits(&need, "a search")) &&
        !(status = weir__calloc(graph->vertices / 64 + 1, 8, "a search", &search.seen)) &&
        !(status = weir__alloc(most, 4, "a search", &search.queue)))
        search_all(&search, facts);
    free(search.seen);
    free(search.queue);
    return status;
}
