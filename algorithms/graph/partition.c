/** @file partition.c  Who owns each vertex: the simple kinds, and how good the result is. */
#include "algorithms/graph/partition.h"
#include "algorithms/graph/sketch.h"
#include "algorithms/graph/random.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

#define ROW_CHUNK (UINT64_C(1) << 12)

static const char *const names[] = {[WEIR_PARTITION_BLOCK] = "block",
                                    [WEIR_PARTITION_EDGE] = "edge",
                                    [WEIR_PARTITION_RANDOM] = "random",
                                    [WEIR_PARTITION_METIS] = "metis"};
#define KINDS (sizeof names / sizeof names[0])

weir_status weir_partition_kind_parse(const char *text, weir_partition_kind *kind_out)
{
    *kind_out = WEIR_PARTITION_BLOCK;
    for (size_t i = 0; text && i < KINDS; i++) {
        if (strcmp(text, names[i]) == 0) {
            *kind_out = (weir_partition_kind)i;
            return WEIR_OK;
        }
    }
    if (text && (strncmp(text, "file:", 5) == 0 || strncmp(text, "2d:", 3) == 0))
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "partition %s: not built yet; block, edge, random and metis are", text);
    return weir__fail(WEIR_ERR_INVALID, "partition %s: choose block, edge, random or metis",
                      text ? text : "(null)");
}

const char *weir_partition_kind_text(weir_partition_kind kind)
{
    return (size_t)kind < KINDS ? names[kind] : "unknown";
}

/* The first vertex of a part when consecutive ones are shared out equally. */
static uint64_t block_begin(uint64_t vertices, uint32_t part, uint32_t parts)
{
    return vertices * part / parts;
}

static void assign_block(uint64_t vertices, uint32_t parts, uint8_t *owner)
{
    for (uint32_t p = 0; p < parts; p++) {
        uint64_t begin = block_begin(vertices, p, parts), end = block_begin(vertices, p + 1, parts);
        if (end > begin)
            memset(owner + begin, (int)p, end - begin);
    }
}

/* The vertex whose row begins nearest to arc number `wanted`. */
static uint64_t nearest_row(const weir_graph *graph, uint64_t wanted)
{
    uint64_t low = 0, high = graph->vertices;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (graph->offsets[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0 && wanted - graph->offsets[low - 1] < graph->offsets[low] - wanted)
        low--;
    return low;
}

/* @param[in] shares  of all arcs, by part, in any unit; NULL: equal ones. */
static void assign_edge(const weir_graph *graph, const double *shares, uint32_t parts,
                        uint8_t *owner)
{
    double all = 0, before = 0;
    uint64_t begin = 0;
    for (uint32_t p = 0; shares && p < parts; p++)
        all += shares[p];
    if (graph->arcs == 0) { /* nothing to balance but vertices */
        assign_block(graph->vertices, parts, owner);
        return;
    }
    for (uint32_t p = 0; p < parts; p++) {
        uint64_t whole = graph->arcs / parts * (p + 1),
                 rest = graph->arcs % parts * (p + 1) / parts;
        if (shares) {
            before += shares[p];
            whole = (uint64_t)((double)graph->arcs * (before / all));
            rest = 0;
        }
        uint64_t end = p + 1 == parts ? graph->vertices : nearest_row(graph, whole + rest);
        if (end > begin) {
            memset(owner + begin, (int)p, end - begin);
            begin = end;
        }
    }
}

static weir_status assign_random(uint64_t vertices, uint32_t parts, uint64_t seed, uint8_t *owner)
{
    uint32_t *order;
    weir_status status = weir__alloc(vertices, sizeof *order, "random partition", &order);
    if (status)
        return status;
    weir__shuffle(order, vertices, seed);
    for (uint32_t p = 0; p < parts; p++)
        for (uint64_t i = block_begin(vertices, p, parts); i < block_begin(vertices, p + 1, parts);
             i++)
            owner[order[i]] = (uint8_t)p;
    free(order);
    return WEIR_OK;
}

struct measure {
    const weir_graph *graph;
    const uint8_t *owner;
    uint64_t cut; /* relaxed atomics: sums, read after the join */
    uint64_t vertices[WEIR_DEVICES_MAX], arcs[WEIR_DEVICES_MAX];
};

static void measure_rows(void *user, uint64_t begin, uint64_t end)
{
    struct measure *m = user;
    uint64_t cut = 0, vertices[WEIR_DEVICES_MAX] = {0}, arcs[WEIR_DEVICES_MAX] = {0};
    for (uint64_t v = begin; v < end; v++) {
        const uint64_t *offsets = m->graph->offsets;
        vertices[m->owner[v]]++;
        arcs[m->owner[v]] += offsets[v + 1] - offsets[v];
        for (uint64_t i = offsets[v]; i < offsets[v + 1]; i++)
            cut += m->owner[m->graph->targets[i]] != m->owner[v];
    }
    __atomic_fetch_add(&m->cut, cut, __ATOMIC_RELAXED);
    for (uint32_t p = 0; p < WEIR_DEVICES_MAX; p++) {
        __atomic_fetch_add(&m->vertices[p], vertices[p], __ATOMIC_RELAXED);
        __atomic_fetch_add(&m->arcs[p], arcs[p], __ATOMIC_RELAXED);
    }
}

static double balance(const uint64_t *sizes, uint32_t parts, uint64_t total)
{
    uint64_t largest = 0;
    for (uint32_t p = 0; p < parts; p++)
        largest = sizes[p] > largest ? sizes[p] : largest;
    return total ? (double)largest * parts / (double)total : 1;
}

static void measure(const weir_graph *graph, weir_partition *partition)
{
    struct measure m = {.graph = graph, .owner = partition->owner};
    weir__parallel_for(graph->vertices, ROW_CHUNK, 0, measure_rows, &m);
    partition->cut_arcs = m.cut;
    partition->vertex_balance = balance(m.vertices, partition->parts, graph->vertices);
    partition->arc_balance = balance(m.arcs, partition->parts, graph->arcs);
}

void weir__partition_need(const weir_graph *graph, weir_partition_kind kind, uint32_t parts,
                          struct weir__need *need)
{
    weir__need_take(need, graph->vertices, 1);
    if (kind == WEIR_PARTITION_RANDOM)
        weir__need_pass(need, graph->vertices, sizeof(uint32_t));
    if (kind == WEIR_PARTITION_METIS && parts > 1)
        weir__partition_metis_need(graph, need);
}

/* Equal parts, whatever the kind. */
static weir_status create_sketch(const weir_graph *graph, uint32_t parts,
                                 weir_partition **partition_out)
{
    weir_status status = weir__calloc(1, sizeof **partition_out, "partition", partition_out);
    if (!status)
        **partition_out = weir__partition_sketch(graph, parts);
    return status;
}

static weir_status create(const weir_graph *graph, weir_partition_kind kind, const double *shares,
                          uint32_t parts, uint64_t seed, const weir_config *config,
                          weir_partition **partition_out)
{
    const uint64_t begin_ns = weir__now_ns();
    weir_partition *partition = NULL;
    uint8_t *owner = NULL;
    struct weir__need need = {0, 0};
    weir_status status;
    *partition_out = NULL;
    if (!graph || (size_t)kind >= KINDS)
        return weir__fail(WEIR_ERR_INVALID, "weir_partition_create: no graph, or no such kind");
    if (parts == 0 || parts > WEIR_DEVICES_MAX)
        return weir__fail(WEIR_ERR_INVALID, "%u parts are not within 1 .. %d", parts,
                          WEIR_DEVICES_MAX);
    if (weir__graph_is_sketch(graph))
        return create_sketch(graph, parts, partition_out);
    if (kind == WEIR_PARTITION_METIS && parts > 1 && (status = weir__partition_metis_check(graph)))
        return status;
    weir__partition_need(graph, kind, parts, &need);
    if ((status = weir__need_fits(&need, "partition %s of %s", names[kind], graph->name)) ||
        (status = weir__calloc(1, sizeof *partition, "partition", &partition)) ||
        (status = weir__calloc(graph->vertices, 1, "partition", &owner)))
        goto err_free;
    if (kind == WEIR_PARTITION_BLOCK)
        assign_block(graph->vertices, parts, owner);
    else if (kind == WEIR_PARTITION_EDGE)
        assign_edge(graph, shares, parts, owner);
    else if (kind == WEIR_PARTITION_RANDOM)
        status = assign_random(graph->vertices, parts, seed, owner);
    else if (parts > 1)
        status = weir__partition_metis(graph, parts, seed, config, owner);
    if (status)
        goto err_free;
    *partition =
        (weir_partition){.kind = kind, .parts = parts, .vertices = graph->vertices, .owner = owner};
    measure(graph, partition);
    partition->prepare_ms = weir__elapsed_ms(begin_ns);
    *partition_out = partition;
    return WEIR_OK;
err_free:
    free(owner);
    free(partition);
    return status;
}

weir_status weir_partition_create(const weir_graph *graph, weir_partition_kind kind, uint32_t parts,
                                  uint64_t seed, const weir_config *config,
                                  weir_partition **partition_out)
{
    return create(graph, kind, NULL, parts, seed, config, partition_out);
}

weir_status weir__partition_by_shares(const weir_graph *graph, const double *shares, uint32_t parts,
                                      weir_partition **partition_out)
{
    return create(graph, WEIR_PARTITION_EDGE, shares, parts, 0, NULL, partition_out);
}

void weir_partition_destroy(weir_partition *partition)
{
    if (!partition)
        return;
    free((void *)partition->owner);
    free(partition);
}

weir_status weir__partition_fits(const weir_context *context, const weir_graph *graph,
                                 const weir_partition *partition)
{
    uint32_t devices = weir_context_device_count(context);
    if (partition->vertices == graph->vertices && partition->parts > 0 &&
        partition->parts <= devices)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_INVALID,
                      "a partition of %llu vertices into %u parts for a graph of %llu vertices and "
                      "%u devices",
                      (unsigned long long)partition->vertices, partition->parts,
                      (unsigned long long)graph->vertices, devices);
}
