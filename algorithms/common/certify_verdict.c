/** @file certify_verdict.c  Certificates: what the host looks for itself, and which vertex is named. */
#include "algorithms/common/certify.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#define CHUNK (UINT64_C(1) << 16)

struct first {
    int (*breaks)(const void *user, uint64_t i);
    const void *user;
    uint64_t first; /* relaxed atomic; the join publishes it */
};

static void look_at_chunk(void *user, uint64_t begin, uint64_t end)
{
    struct first *f = user;
    uint64_t before = __atomic_load_n(&f->first, __ATOMIC_RELAXED), i = begin;
    while (i < end && !f->breaks(f->user, i))
        i++;
    while (
        i < end && i < before &&
        !__atomic_compare_exchange_n(&f->first, &before, i, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

weir_status weir__certify_first(const char *name, const char *unit, uint64_t count,
                                int (*breaks)(const void *user, uint64_t i), const void *user,
                                uint64_t *first_out)
{
    struct first f = {breaks, user, UINT64_MAX};
    const weir_status status = weir__activity_for(name, unit, count, CHUNK, 0, look_at_chunk, &f);
    *first_out = f.first;
    return status;
}

struct weir__certify_broken weir__certify_broken_of(const weir_graph *graph,
                                                    const uint64_t found[CERTIFY_FOUND],
                                                    uint64_t unmarked, uint32_t rule)
{
    const uint32_t rules = (1u << CERTIFY_RULE_BITS) - 1;
    struct weir__certify_broken broken = {UINT64_MAX, UINT64_MAX, 0};
    if (found[CERTIFY_VERTEX] != UINT64_MAX)
        broken = (struct weir__certify_broken){found[CERTIFY_VERTEX] >> CERTIFY_RULE_BITS,
                                               UINT64_MAX, (uint32_t)found[CERTIFY_VERTEX] & rules};
    if (unmarked < broken.vertex)
        broken = (struct weir__certify_broken){unmarked, UINT64_MAX, rule};
    if (found[CERTIFY_ARC] == UINT64_MAX)
        return broken;
    const uint64_t arc = found[CERTIFY_ARC] >> CERTIFY_RULE_BITS;
    const uint64_t tail = csr_find(graph->offsets + 1, 0, graph->vertices, arc);
    if (tail < broken.vertex)
        broken = (struct weir__certify_broken){tail, arc, (uint32_t)found[CERTIFY_ARC] & rules};
    return broken;
}

weir_status weir__certify_check(const char *who, const weir_context *context,
                                const weir_graph *graph, const void *values)
{
    if (!context || !graph || !values)
        return weir__fail(WEIR_ERR_INVALID, "%s: no context, graph or result", who);
    return WEIR_OK;
}

weir_status weir__certify_check_source(const weir_graph *graph, uint64_t source)
{
    if (source >= graph->vertices)
        return weir__fail(WEIR_ERR_INVALID, "source %llu: the graph has %llu vertices",
                          (unsigned long long)source, (unsigned long long)graph->vertices);
    return WEIR_OK;
}
