/** @file sssp_back.c  From a graph placed by rows back to the graph. */
#include "algorithms/common/bring.h"
#include "algorithms/graph/build.h"
#include "algorithms/sssp/sssp_in_step.h"
#include "runtime/support.h"

#include <stdlib.h>

struct back {
    const weir_rows *rows;
    uint32_t *source, *target; /* of all arcs, part after part */
    double *weight;
    uint8_t *owner; /* by vertex */
};

/* The arcs of a part, whose offsets are on the host, into the arrays from `at` on. */
static weir_status bring(const struct back *back, uint32_t p, const uint64_t *offsets, uint64_t at)
{
    const weir_rows_part *part = weir_rows_part_of(back->rows, p);
    const uint32_t *vertex = weir_rows_vertices(back->rows);
    weir_device *device = weir_context_device(weir_rows_context(back->rows), p);
    const uint64_t *placed = weir_rows_pairs_of(back->rows, p)->out;
    uint64_t *pairs;
    weir_status status = weir__alloc(part->arcs_out, sizeof *pairs, "arcs of a part", &pairs);
    if (status)
        return status;
    status = weir__bring_back(device, weir_rows_memory(back->rows), pairs, placed,
                              part->arcs_out * sizeof *pairs);
    for (uint32_t r = 0; r < part->owned && !status; r++)
        for (uint64_t arc = offsets[r]; arc < offsets[r + 1]; arc++) {
            back->source[at + arc] = vertex[part->begin + r];
            back->target[at + arc] = vertex[weir_rows_pair_target(pairs[arc])];
            back->weight[at + arc] = weir_rows_pair_weight(pairs[arc]);
        }
    free(pairs);
    return status;
}

static weir_status bring_part(const struct back *back, uint32_t p, uint64_t at)
{
    const weir_rows_part *part = weir_rows_part_of(back->rows, p);
    const uint32_t *vertex = weir_rows_vertices(back->rows);
    uint64_t *offsets;
    weir_status status = weir__alloc(part->owned + (size_t)1, sizeof *offsets, "offsets", &offsets);
    if (status)
        return status;
    for (uint32_t r = 0; r < part->owned; r++)
        if (vertex[part->begin + r] != UINT32_MAX)
            back->owner[vertex[part->begin + r]] = (uint8_t)p;
    status = weir__download(weir_context_device(weir_rows_context(back->rows), p), offsets,
                            part->out.offsets, (part->owned + (size_t)1) * 8);
    if (!status)
        status = bring(back, p, offsets, at);
    free(offsets);
    return status;
}

weir_status weir__sssp_back(const weir_rows *rows, weir_graph **graph_out,
                            weir_partition *partition_out)
{
    const weir_rows_part *first = weir_rows_part_of(rows, 0);
    const uint64_t arcs = first->arcs_all, n = first->vertices;
    const weir__arcs list = {.vertices = n, .count = arcs, .weighted = 1, .borrowed = 1};
    struct weir__need need = {0, 0};
    struct back back = {.rows = rows};
    uint64_t at = 0;
    weir_status status;
    *graph_out = NULL;
    weir__need_take(&need, arcs, weir__arc_bytes(&list));
    weir__need_take(&need, n, 1);
    weir__need_pass(&need, arcs, 8); /* of the largest part, on their way */
    weir__need_pass(&need, n, 8);
    weir__build_need(&list, arcs, WEIR_WEIGHT_U32, &need);
    if ((status = weir__need_fits(&need, "distances of more than 32 bits")) ||
        (status = weir__alloc(arcs, 4, "arcs", &back.source)) ||
        (status = weir__alloc(arcs, 4, "arcs", &back.target)) ||
        (status = weir__alloc(arcs, 8, "arcs", &back.weight)) ||
        (status = weir__alloc(n, 1, "owners", &back.owner)))
        goto out;
    for (uint32_t p = 0; p < first->parts && !status; p++) {
        status = bring_part(&back, p, at);
        at += weir_rows_part_of(rows, p)->arcs_out;
    }
    if (!status)
        status =
            weir_graph_from_arcs(n, arcs, back.source, back.target, back.weight, NULL, graph_out);
out:
    free(back.source);
    free(back.target);
    free(back.weight);
    if (status)
        free(back.owner);
    else
        *partition_out =
            (weir_partition){.parts = first->parts, .vertices = n, .owner = back.owner};
    return status;
}
