/** @file place_number.c  Which part owns which vertex, under which number (placement.h says how). */
#include "algorithms/common/bring.h"
#include "algorithms/common/placement.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

static uint64_t block_end(const struct weir__place *place, uint64_t block)
{
    uint64_t end = (block + 1) * WEIR__PLACE_BLOCK, n = place->placement->vertices;
    return end < n ? end : n;
}

/* Count the vertices and arcs of each part in each block. */
static void count_blocks(void *user, uint64_t begin, uint64_t end)
{
    struct weir__place *place = user;
    uint32_t parts = place->placement->parts;
    const uint64_t *offsets = place->graph->offsets, *in = place->transposed.offsets;
    for (uint64_t block = begin; block < end; block++) {
        /* An owner is a byte and has a place here even if it is no part, which is found out below. */
        uint32_t vertices[256] = {0};
        uint64_t arcs[256] = {0}, in_arcs[256] = {0};
        for (uint64_t v = block * WEIR__PLACE_BLOCK; v < block_end(place, block); v++) {
            uint8_t p = place->owner[v];
            vertices[p]++;
            arcs[p] += offsets[v + 1] - offsets[v];
            in_arcs[p] += in ? in[v + 1] - in[v] : 0;
            if (p >= parts)
                __atomic_store_n(&place->bad, 1, __ATOMIC_RELAXED);
        }
        for (uint32_t p = 0; p < parts; p++) {
            place->vertex_base[block * parts + p] = vertices[p];
            place->arc_base[block * parts + p] = arcs[p];
            if (in)
                place->in_base[block * parts + p] = in_arcs[p];
        }
    }
}

/* Replace each count of arcs by the sum of the counts before it. @return the sum of all counts. */
static uint64_t add_up_arcs(const struct weir__place *place, uint64_t *base, uint32_t p)
{
    const uint32_t parts = place->placement->parts;
    uint64_t arcs = 0;
    for (uint64_t at = p; at < place->blocks * parts; at += parts) {
        uint64_t here = base[at];
        base[at] = arcs;
        arcs += here;
    }
    return arcs;
}

static void add_up(struct weir__place *place)
{
    weir_placement *placement = place->placement;
    for (uint32_t p = 0; p < placement->parts; p++) {
        uint32_t vertices = 0;
        for (uint64_t at = p; at < place->blocks * placement->parts; at += placement->parts) {
            uint32_t here = place->vertex_base[at];
            place->vertex_base[at] = vertices;
            vertices += here;
        }
        placement->part[p].owned = vertices;
        placement->arcs[p] = add_up_arcs(place, place->arc_base, p);
        placement->in_arcs[p] = place->in_base ? add_up_arcs(place, place->in_base, p) : 0;
        placement->first[p + 1] = placement->first[p] + vertices;
    }
}

static void number_blocks(void *user, uint64_t begin, uint64_t end)
{
    const struct weir__place *place = user;
    weir_placement *placement = place->placement;
    const uint64_t *offsets = place->graph->offsets;
    for (uint64_t block = begin; block < end; block++) {
        uint32_t next[WEIR_DEVICES_MAX];
        for (uint32_t p = 0; p < placement->parts; p++)
            next[p] = placement->first[p] + place->vertex_base[block * placement->parts + p];
        for (uint64_t v = block * WEIR__PLACE_BLOCK; v < block_end(place, block); v++) {
            uint32_t global = next[place->owner[v]]++;
            placement->global[v] = global;
            placement->degree[global] = (uint32_t)(offsets[v + 1] - offsets[v]);
        }
    }
}

weir_status weir__place_number(struct weir__place *place)
{
    weir_placement *placement = place->placement;
    uint64_t n = placement->vertices;
    weir_status status;
    place->blocks = (n + WEIR__PLACE_BLOCK - 1) / WEIR__PLACE_BLOCK;
    uint64_t cells = place->blocks * placement->parts;
    if ((status = weir__alloc(n, 4, "global numbers", &placement->global)) ||
        (status = weir__alloc(n, 4, "degrees", &placement->degree)) ||
        (status = weir__alloc(cells, 4, "vertices of blocks", &place->vertex_base)) ||
        (status = weir__alloc(cells, 8, "arcs of blocks", &place->arc_base)) ||
        (place->transposed.offsets &&
         (status = weir__alloc(cells, 8, "in-arcs of blocks", &place->in_base))))
        return status;
    if ((status = weir__activity_for("counting vertices", "blocks", place->blocks, 1, 0,
                                     count_blocks, place)))
        return status;
    if (place->bad)
        return weir__refuse_owner(place->owner, placement->parts);
    add_up(place);
    return weir__activity_for("numbering vertices", "blocks", place->blocks, 1, 0, number_blocks,
                              place);
}

void weir__place_free(struct weir__place *place)
{
    free(place->vertex_base);
    free(place->arc_base);
    free(place->in_base);
    weir__place_transpose_free(place);
}
