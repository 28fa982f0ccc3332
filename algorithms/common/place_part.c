/** @file place_part.c  One part of a graph: built in host memory, brought to its device.
 *
 * First every far end of the part's arcs is marked. Then each vertex gets its local number in the part; numbers of the halo
 * are in the order of ids. Then the rows are written with these numbers. Neither of the two sweeps over the arcs asks who
 * owns a target, since one table has the answer. Parts are built one after the other, each on all cores, so that the host
 * holds one part at a time. */
#include "algorithms/common/bring.h"
#include "algorithms/common/need.h"
#include "algorithms/common/placement.h"
#include "algorithms/graph/sketch.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

/* The part's arcs in one direction. */
struct way {
    const weir_graph *graph; /* it has them as out-arcs; NULL: there are none in this direction */
    const uint64_t *arc_base;
    uint64_t arcs;
    uint64_t *offsets;
    uint32_t *targets;
    void *weights;
};

struct rows {
    const struct weir__place *place;
    uint32_t p;
    weir_part_weights kind;
    struct way way[2]; /* out, and in */
    uint32_t *halo;
    uint8_t *mark;       /* by vertex: an arc of the part leads to it */
    uint32_t *local;     /* by vertex: its number in the part, for those it owns and for the halo */
    uint32_t *halo_base; /* by block: vertices of the halo in the blocks before */
};

static uint64_t block_begin(const struct rows *rows, uint64_t block)
{
    uint64_t begin = block * WEIR__PLACE_BLOCK, n = rows->place->placement->vertices;
    return begin < n ? begin : n;
}

static void mark_row(const struct rows *rows, const weir_graph *graph, uint64_t v)
{
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
        uint8_t *mark = &rows->mark[graph->targets[e]];
        /* Cores look before they store, since a store takes the cache line from the other cores. */
        if (!__atomic_load_n(mark, __ATOMIC_RELAXED))
            __atomic_store_n(mark, 1, __ATOMIC_RELAXED);
    }
}

static void mark_targets(void *user, uint64_t begin, uint64_t end)
{
    const struct rows *rows = user;
    for (uint64_t v = block_begin(rows, begin); v < block_begin(rows, end); v++)
        for (int w = 0; w < 2 && rows->place->owner[v] == rows->p; w++)
            if (rows->way[w].graph)
                mark_row(rows, rows->way[w].graph, v);
}

static void count_halo(void *user, uint64_t begin, uint64_t end)
{
    const struct rows *rows = user;
    for (uint64_t block = begin; block < end; block++) {
        uint32_t count = 0;
        for (uint64_t v = block_begin(rows, block); v < block_begin(rows, block + 1); v++)
            count += rows->mark[v] & (rows->place->owner[v] != rows->p);
        rows->halo_base[block] = count;
    }
}

static void number_locals(void *user, uint64_t begin, uint64_t end)
{
    const struct rows *rows = user;
    const weir_placement *placement = rows->place->placement;
    uint32_t owned = placement->part[rows->p].owned, first = placement->first[rows->p];
    for (uint64_t block = begin; block < end; block++) {
        uint32_t next = rows->halo_base[block];
        for (uint64_t v = block_begin(rows, block); v < block_begin(rows, block + 1); v++) {
            if (rows->place->owner[v] == rows->p) {
                rows->local[v] = placement->global[v] - first;
            } else if (rows->mark[v]) {
                rows->local[v] = owned + next;
                rows->halo[next++] = placement->global[v];
            }
        }
    }
}

static void copy_weights(const struct way *way, weir_part_weights kind, uint64_t to, uint64_t from,
                         uint64_t count)
{
    const weir_graph *graph = way->graph;
    if (kind == WEIR_PART_WEIGHTS_U32) {
        memcpy((uint32_t *)way->weights + to, graph->weights_u32 + from, count * 4);
    } else if (graph->weight_kind == WEIR_WEIGHT_F64) {
        memcpy((double *)way->weights + to, graph->weights_f64 + from, count * 8);
    } else {
        for (uint64_t i = 0; i < count; i++)
            ((double *)way->weights)[to + i] = graph->weights_u32[from + i];
    }
}

static void write_block(const struct rows *rows, const struct way *way, uint64_t block)
{
    const struct weir__place *place = rows->place;
    const weir_graph *graph = way->graph;
    uint64_t cell = block * place->placement->parts + rows->p;
    uint64_t row = place->vertex_base[cell], at = way->arc_base[cell];
    for (uint64_t v = block_begin(rows, block); v < block_begin(rows, block + 1); v++) {
        if (place->owner[v] != rows->p)
            continue;
        uint64_t from = graph->offsets[v], count = graph->offsets[v + 1] - from;
        for (uint64_t i = 0; i < count; i++)
            way->targets[at + i] = rows->local[graph->targets[from + i]];
        if (way->weights && count)
            copy_weights(way, rows->kind, at, from, count);
        way->offsets[row++] = at;
        at += count;
    }
}

static void write_rows(void *user, uint64_t begin, uint64_t end)
{
    const struct rows *rows = user;
    for (uint64_t block = begin; block < end; block++)
        for (int w = 0; w < 2; w++)
            if (rows->way[w].graph)
                write_block(rows, &rows->way[w], block);
}

static uint32_t halo_total(struct rows *rows)
{
    uint32_t total = 0;
    for (uint64_t block = 0; block < rows->place->blocks; block++) {
        uint32_t here = rows->halo_base[block];
        rows->halo_base[block] = total;
        total += here;
    }
    return total;
}

static size_t weight_bytes(weir_part_weights kind)
{
    return kind == WEIR_PART_WEIGHTS_U32 ? 4 : kind == WEIR_PART_WEIGHTS_F64 ? 8 : 0;
}

static weir_status take_way(const struct rows *rows, struct way *way)
{
    const uint32_t owned = rows->place->placement->part[rows->p].owned;
    weir_status status;
    if ((status = weir__alloc((size_t)owned + 1, 8, "part offsets", &way->offsets)) ||
        (status = weir__alloc(way->arcs, 4, "part targets", &way->targets)))
        return status;
    way->offsets[owned] = way->arcs;
    return rows->kind == WEIR_PART_WEIGHTS_NONE
               ? WEIR_OK
               : weir__alloc(way->arcs, weight_bytes(rows->kind), "part weights", &way->weights);
}

/* How large the halo is. */
static weir_status find_halo(struct rows *rows)
{
    const struct weir__place *place = rows->place;
    weir_part *part = &place->placement->part[rows->p];
    weir_status status;
    if ((status = weir__calloc(place->placement->vertices, 1, "marks of a part", &rows->mark)) ||
        (status = weir__alloc(place->blocks, 4, "halo of blocks", &rows->halo_base)))
        return status;
    if ((status = weir__activity_for("marking halos", "blocks", place->blocks, 1, 0, mark_targets,
                                     rows)) ||
        (status =
             weir__activity_for("counting halos", "blocks", place->blocks, 1, 0, count_halo, rows)))
        return status;
    part->halo_count = halo_total(rows); /* with what it owns at most n, so local numbers fit too */
    return WEIR_OK;
}

static weir_status build(struct rows *rows)
{
    const struct weir__place *place = rows->place;
    weir_part *part = &place->placement->part[rows->p];
    uint64_t n = place->placement->vertices;
    weir_status status;
    if (weir__graph_is_sketch(place->graph)) {
        part->halo_count = (uint32_t)weir__halo_usual(place->sizes, rows->p);
        return WEIR_OK;
    }
    if ((status = find_halo(rows)) || place->sizes)
        return status;
    if ((status = weir__alloc(n, 4, "local numbers", &rows->local)) ||
        (status = take_way(rows, &rows->way[0])) ||
        (rows->way[1].graph && (status = take_way(rows, &rows->way[1]))))
        return status;
    if ((status = weir__alloc(part->halo_count, 4, "part halo", &rows->halo)))
        return status;
    status = weir__activity_for("numbering vertices", "blocks", place->blocks, 1, 0, number_locals,
                                rows);
    return status ? status
                  : weir__activity_for("writing rows", "blocks", place->blocks, 1, 0, write_rows,
                                       rows);
}

uint64_t weir__halo_most(const struct weir__sizes *sizes, uint32_t part)
{
    const uint64_t others = sizes->vertices - sizes->owned[part];
    const uint64_t arcs = sizes->arcs_of[part] + sizes->in_arcs_of[part];
    return arcs < others ? arcs : others;
}

/* Count what a part's rows take: in host memory while the part is built, and on its device. */
static void need_part(const struct weir__sizes *sizes, weir_part_weights weights,
                      weir_memory memory, uint32_t p, struct weir__need *need)
{
    const weir_device *device = weir_context_device(sizes->context, p);
    const uint64_t offsets = (sizes->owned[p] + 1) * (sizes->transposed ? 2 : 1);
    const uint64_t arcs = sizes->arcs_of[p] + sizes->in_arcs_of[p];
    const uint64_t halo = weir__halo_most(sizes, p), n = sizes->vertices;
    weir__need_take(need, n, 1 + 4); /* marks, local numbers */
    weir__need_take(need, offsets, 8);
    weir__need_take(need, arcs, 4 + weight_bytes(weights));
    weir__need_take(need, halo, 4);
    weir__need_take_on(need, device, offsets, 8);
    weir__need_take_arcs(need, device, memory, arcs, 4 + weight_bytes(weights));
    weir__need_take_on(need, device, halo, 4);
    weir__need_give(need, n, 1 + 4);
    weir__need_give(need, offsets, 8);
    weir__need_give(need, arcs, 4 + weight_bytes(weights));
    weir__need_give(need, halo, 4);
}

void weir__placement_need(const struct weir__sizes *sizes, weir_part_weights weights,
                          weir_memory memory, struct weir__need *need)
{
    const uint64_t n = sizes->vertices, blocks = n / WEIR__PLACE_BLOCK + 1;
    const uint64_t transposed =
        sizes->transposed ? sizes->arcs : 0; /* with the weights as the graph has them */
    const size_t block_bytes = 4 + 8 + (sizes->transposed ? 8 : 0);
    const size_t arc_bytes = 4 + weight_bytes(weights);
    weir__need_take(need, sizes->transposed ? n + 1 : 0, 8);
    weir__need_take(need, transposed, arc_bytes);
    weir__need_pass(need, sizes->transposed ? n : 0, 8);       /* where rows end */
    weir__need_take(need, n, 4 + 4);                           /* numbers and degrees */
    weir__need_take(need, blocks * sizes->parts, block_bytes); /* of blocks */
    for (uint32_t p = 0; p < sizes->parts; p++)
        need_part(sizes, weights, memory, p, need);
    weir__need_give(need, blocks * sizes->parts, block_bytes);
    weir__need_give(need, transposed, arc_bytes);
    weir__need_give(need, sizes->transposed ? n + 1 : 0, 8);
    weir__numbering_need(sizes, 0, need);
}

static weir_status bring_way(const struct rows *rows, const struct way *way,
                             const uint64_t **offsets_out, const uint32_t **targets_out,
                             const void **weights_out)
{
    const weir_placement *placement = rows->place->placement;
    weir_device *device = weir_context_device(placement->context, rows->p);
    static const char *const of_way[2][3] = {
        {"offsets of out-arcs", "out-arcs", "weights of out-arcs"},
        {"offsets of in-arcs", "in-arcs", "weights of in-arcs"}};
    const char *const *names = of_way[way == &rows->way[1]];
    const void *offsets = NULL, *targets = NULL;
    weir_status status;
    if (!(status = weir__bring(device, names[0], way->offsets,
                               (uint64_t)placement->part[rows->p].owned + 1, 8, &offsets)) &&
        !(status = weir__bring_arcs(device, placement->memory, names[1], way->targets, way->arcs, 4,
                                    &targets)) &&
        rows->kind != WEIR_PART_WEIGHTS_NONE)
        status = weir__bring_arcs(device, placement->memory, names[2], way->weights, way->arcs,
                                  weight_bytes(rows->kind), weights_out);
    *offsets_out = offsets;
    *targets_out = targets;
    return status;
}

static weir_status bring_all(const struct rows *rows)
{
    weir_placement *placement = rows->place->placement;
    weir_part *part = &placement->part[rows->p];
    weir_device *device = weir_context_device(placement->context, rows->p);
    const void *halo = NULL, *first = NULL;
    weir_status status =
        bring_way(rows, &rows->way[0], &part->offsets, &part->targets, &part->weights);
    if (!status && rows->way[1].graph)
        status =
            bring_way(rows, &rows->way[1], &part->in_offsets, &part->in_sources, &part->in_weights);
    if (!status && !(status = weir__bring(device, "halo", rows->halo, part->halo_count, 4, &halo)))
        status =
            weir__bring(device, "first numbers", placement->first, placement->parts + 1, 4, &first);
    part->halo = halo;
    part->first = first;
    if (rows->place->in && !rows->way[1].graph) { /* the graph is symmetric */
        part->in_offsets = part->offsets;
        part->in_sources = part->targets;
        part->in_weights = part->weights;
    }
    return status;
}

weir_status weir__place_part(const struct weir__place *place, uint32_t p, weir_part_weights weights)
{
    const weir_placement *placement = place->placement;
    /* A sketch has no arcs to turn around, but takes as much. */
    const int turned = place->transposed.offsets || (place->sizes && place->sizes->transposed);
    const weir_graph *transposed = turned ? &place->transposed : NULL;
    struct rows rows = {
        .place = place,
        .p = p,
        .kind = weights,
        .way = {{.graph = place->graph, .arc_base = place->arc_base, .arcs = placement->arcs[p]},
                {.graph = transposed, .arc_base = place->in_base, .arcs = placement->in_arcs[p]}}};
    weir_status status = weir_graph_fetch(place->graph);
    if (!status && !(status = build(&rows)))
        status = bring_all(&rows);
    for (int w = 0; w < 2; w++) {
        free(rows.way[w].offsets);
        free(rows.way[w].targets);
        free(rows.way[w].weights);
    }
    free(rows.halo);
    free(rows.mark);
    free(rows.local);
    free(rows.halo_base);
    return status;
}
