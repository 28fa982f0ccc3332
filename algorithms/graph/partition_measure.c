/** @file partition_measure.c  How good a partition is: what its parts hold, what is cut, who is far.
 *
 * Of arcs that lie on devices alone these count what needs arcs (partition_cut.c). Where they have no room for it the arcs come here. */
#include "algorithms/graph/partition.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <assert.h>
#include <stdlib.h>

#define ROW_CHUNK (UINT64_C(1) << 12)

static_assert(WEIR_DEVICES_MAX <= 64, "a vertex has a bit for each part that has an arc to it");

struct measure {
    const weir_graph *graph;
    const uint8_t *owner;
    uint32_t parts;
    uint64_t *
        seen; /* by vertex, a bit for each other part with an arc to it: relaxed atomics; NULL: not asked for */
    int counted; /* devices have seen to the arcs: only rows are looked at */
    int ranges; /* each part has consecutive vertices, so that far ends need no look at their owners */
    uint64_t first[WEIR_DEVICES_MAX + 1];       /* vertex of each part, then their number */
    weir_partition_part part[WEIR_DEVICES_MAX]; /* relaxed atomics: sums, read after the join */
};

static void find_ranges(struct measure *m, weir_partition_kind kind)
{
    m->ranges = kind == WEIR_PARTITION_BLOCK || kind == WEIR_PARTITION_EDGE;
    for (uint32_t p = 0; m->ranges && p <= m->parts; p++) {
        uint64_t low = 0, high = m->graph->vertices;
        while (low < high) {
            const uint64_t middle = low + (high - low) / 2;
            if (m->owner[middle] < p)
                low = middle + 1;
            else
                high = middle;
        }
        m->first[p] = low;
    }
}

static void see(uint64_t *seen, uint64_t bit)
{
    /* Cores look before they store, since a store takes the cache line from the other cores. */
    if (!(__atomic_load_n(seen, __ATOMIC_RELAXED) & bit))
        __atomic_fetch_or(seen, bit, __ATOMIC_RELAXED);
}

/* Most chunks have vertices of few parts, and a store takes the cache line even if it adds nothing. */
static void add_some(uint64_t *sum, uint64_t some)
{
    if (some)
        __atomic_fetch_add(sum, some, __ATOMIC_RELAXED);
}

static void add(struct measure *m, const weir_partition_part *sums)
{
    for (uint32_t p = 0; p < m->parts; p++) {
        add_some(&m->part[p].vertices, sums[p].vertices);
        add_some(&m->part[p].arcs, sums[p].arcs);
        add_some(&m->part[p].cut_arcs, sums[p].cut_arcs);
        add_some(&m->part[p].halo, sums[p].halo);
    }
}

/* Arcs from a vertex to other parts. Without a jump, which a processor would guess wrong for one arc in a few. */
static uint64_t cut_of(const struct measure *m, uint64_t v)
{
    const uint32_t owner = m->owner[v], *targets = m->graph->targets;
    const uint64_t begin = m->graph->offsets[v], end = m->graph->offsets[v + 1];
    uint64_t cut = 0;
    if (m->ranges) {
        const uint32_t first = (uint32_t)m->first[owner],
                       span = (uint32_t)(m->first[owner + 1] - m->first[owner]);
        for (uint64_t i = begin; i < end; i++)
            cut += targets[i] - first >= span;
    } else {
        for (uint64_t i = begin; i < end; i++)
            cut += m->owner[targets[i]] != owner;
    }
    return cut;
}

static void measure_rows(void *user, uint64_t begin, uint64_t end)
{
    struct measure *m = user;
    weir_partition_part sums[WEIR_DEVICES_MAX] = {{0, 0, 0, 0}};
    for (uint64_t v = begin; v < end; v++) {
        const uint64_t *offsets = m->graph->offsets;
        weir_partition_part *part = &sums[m->owner[v]];
        part->vertices++;
        part->arcs += offsets[v + 1] - offsets[v];
        if (m->counted)
            continue;
        part->cut_arcs += cut_of(m, v);
        for (uint64_t i = offsets[v]; m->seen && i < offsets[v + 1]; i++)
            if (m->owner[m->graph->targets[i]] != m->owner[v])
                see(&m->seen[m->graph->targets[i]], UINT64_C(1) << m->owner[v]);
    }
    add(m, sums);
}

static void count_halos(void *user, uint64_t begin, uint64_t end)
{
    struct measure *m = user;
    weir_partition_part sums[WEIR_DEVICES_MAX] = {{0, 0, 0, 0}};
    for (uint64_t v = begin; v < end; v++)
        for (uint64_t bits = m->seen[v]; bits; bits &= bits - 1)
            sums[__builtin_ctzll(bits)].halo++;
    add(m, sums);
}

/* What parts hold and what is cut, and who is seen if that is asked for. */
static weir_status measure(struct measure *m)
{
    uint64_t cut[WEIR_DEVICES_MAX];
    const struct weir__partition_cut what = {.owner = m->owner,
                                             .first = m->ranges ? m->first : NULL,
                                             .parts = m->parts,
                                             .cut = cut,
                                             .seen = m->seen};
    weir_status status = WEIR_ERR_NOMEM;
    if (weir__partition_cut_possible(m->graph))
        status = weir__partition_cut(m->graph, &what);
    m->counted = !status;
    if (status == WEIR_ERR_NOMEM)
        status = weir_graph_fetch(m->graph);
    if (!status)
        status = weir__activity_for("measuring parts", "vertices", m->graph->vertices, ROW_CHUNK, 0,
                                    measure_rows, m);
    for (uint32_t p = 0; m->counted && p < m->parts; p++)
        m->part[p].cut_arcs = cut[p];
    return status;
}

static double balance(uint64_t largest, uint32_t parts, uint64_t total)
{
    return total ? (double)largest * parts / (double)total : 1;
}

weir_status weir__partition_measure(const weir_graph *graph, weir_partition *partition)
{
    struct measure m = {.graph = graph, .owner = partition->owner, .parts = partition->parts};
    uint64_t vertices = 0, arcs = 0;
    weir_status status = WEIR_OK;
    find_ranges(&m, partition->kind);
    if (partition->parts == 1) /* nothing is cut, and nobody has to go over the arcs to see it */
        m.part[0] = (weir_partition_part){.vertices = graph->vertices, .arcs = graph->arcs};
    else
        status = measure(&m);
    if (status)
        return status;
    partition->cut_arcs = 0;
    for (uint32_t p = 0; p < partition->parts; p++) {
        vertices = m.part[p].vertices > vertices ? m.part[p].vertices : vertices;
        arcs = m.part[p].arcs > arcs ? m.part[p].arcs : arcs;
        partition->cut_arcs += m.part[p].cut_arcs;
    }
    partition->vertex_balance = balance(vertices, partition->parts, graph->vertices);
    partition->arc_balance = balance(arcs, partition->parts, graph->arcs);
    return WEIR_OK;
}

weir_status weir_partition_parts(const weir_graph *graph, const weir_partition *partition,
                                 weir_partition_part *parts_out)
{
    struct measure m = {.graph = graph, .owner = partition->owner, .parts = partition->parts};
    struct weir__need need = {0, 0};
    weir_status status;
    if (partition->vertices != graph->vertices)
        return weir__fail(
            WEIR_ERR_INVALID, "a partition of %llu vertices for a graph of %llu vertices",
            (unsigned long long)partition->vertices, (unsigned long long)graph->vertices);
    weir__need_pass(&need, graph->vertices, sizeof *m.seen);
    if ((status = weir__need_fits(&need, "the halos of a partition of %s", graph->name)) ||
        (status = weir__calloc(graph->vertices, sizeof *m.seen, "halos of a partition", &m.seen)))
        return status;
    struct weir__activity outer;
    weir__activity_begin(&outer, "measuring parts", NULL, 0);
    if (!(status = measure(&m)))
        status = weir__activity_for("counting halos", "vertices", graph->vertices, ROW_CHUNK, 0,
                                    count_halos, &m);
    for (uint32_t p = 0; p < partition->parts && !status; p++)
        parts_out[p] = m.part[p];
    free(m.seen);
    return weir__activity_end(&outer, status);
}
