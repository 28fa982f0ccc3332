/** @file color_certify_op.h  Colours judged by the arcs; written once for host devices and GPUs. Not installed. */
#ifndef WEIR_ALGORITHMS_COLOR_COLOR_CERTIFY_OP_H
#define WEIR_ALGORITHMS_COLOR_COLOR_CERTIFY_OP_H

#include "algorithms/common/certify_op.h"

/** What is broken; color_certify.c has the sentences. COLOR_MANY is about no arc. */
enum color_rule { COLOR_HOLDS, COLOR_MANY, COLOR_ALIKE };

typedef struct color_certify_args {
    arcs_piece here;
    certify_share share;
    const uint32_t *colors; /* by vertex */
    uint32_t most;          /* a colour that no vertex may have more than */
} color_certify_args;

extern const weir_kernel weir__color_certify_vertices_kernel, weir__color_certify_arcs_kernel;

WEIR_DEV void color_certify_vertex(const color_certify_args *a, uint64_t v)
{
    if (a->colors[v] > a->most)
        certify_breaks(&a->share, CERTIFY_VERTEX, v, COLOR_MANY);
}

WEIR_DEV void color_certify_arc(const color_certify_args *a, uint64_t tail, uint64_t i)
{
    if (a->colors[tail] == a->colors[a->here.heads[i]])
        certify_breaks(&a->share, CERTIFY_ARC, a->here.begin + i, COLOR_ALIKE);
}

CERTIFY_VERTICES_KERNEL(color_certify_vertices, color_certify_args, color_certify_vertex)
ARCS_KERNEL(color_certify_arcs, color_certify_args, color_certify_arc)

#endif
