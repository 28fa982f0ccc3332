/** @file certify_op.h  What certificates find out on devices, written once for host devices and GPUs. Not installed. */
#ifndef WEIR_ALGORITHMS_COMMON_CERTIFY_OP_H
#define WEIR_ALGORITHMS_COMMON_CERTIFY_OP_H

#include "algorithms/common/pieces_op.h"

/** Bits of a word of `found` that hold a rule. */
#define CERTIFY_RULE_BITS 4u

/** Words of `found`. */
enum { CERTIFY_VERTEX, CERTIFY_ARC, CERTIFY_FOUND };

/** The vertices that one device looks at, and the smallest that break rules. */
typedef struct certify_share {
    uint64_t begin, end;
    /** By kind: the smallest vertex, or arc by its place in the graph, above the rule that it breaks; all bits set: none.
     *  Relaxed atomics. */
    uint64_t *found;
} certify_share;

/** A vertex or an arc breaks a rule. */
WEIR_DEV void certify_breaks(const certify_share *share, uint32_t kind, uint64_t at, uint32_t rule)
{
    const uint64_t word = at << CERTIFY_RULE_BITS | rule;
    if (word < weir_load_relaxed_dev_u64(&share->found[kind]))
        weir_min_relaxed_dev_u64(&share->found[kind], word);
}

/** Marks: a bit for each vertex; relaxed atomics while a kernel sets them. */
WEIR_DEV void certify_mark(uint32_t *marks, uint64_t v)
{
    const uint32_t bit = 1u << (v & 31u);
    if (!(weir_load_relaxed_dev_u32(&marks[v >> 5]) & bit))
        weir_or_relaxed_dev_u32(&marks[v >> 5], bit);
}

/** Of marks that nobody sets meanwhile. */
WEIR_DEV int certify_marked(const uint32_t *marks, uint64_t v)
{
    return (int)(marks[v >> 5] >> (v & 31u) & 1u);
}

/** A kernel NAME that calls look(args, v) for each vertex of the share. @param[in] type  of the arguments, with `certify_share share`. */
#define CERTIFY_VERTICES_KERNEL(name, type, look)                                       \
    WEIR_DEV void name(const type *a, uint32_t worker, uint32_t workers)                \
    {                                                                                   \
        for (uint64_t v = a->share.begin + (uint64_t)worker * WEIR_LANES + weir_lane(); \
             v < a->share.end; v += (uint64_t)workers * WEIR_LANES)                     \
            look(a, v);                                                                 \
    }

#endif
