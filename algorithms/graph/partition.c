/** @file partition.c  Who owns each vertex: the simple kinds, and how good the result is (measured in
 *  partition_measure.c). */
#include "algorithms/graph/partition.h"
#include "algorithms/graph/sketch.h"
#include "algorithms/graph/random.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    [WEIR_PARTITION_BLOCK] = "block",   [WEIR_PARTITION_EDGE] = "edge",
    [WEIR_PARTITION_RANDOM] = "random", [WEIR_PARTITION_METIS] = "metis",
    [WEIR_PARTITION_FILE] = "file",     [WEIR_PARTITION_2D] = "2d"};
#define KINDS (sizeof names / sizeof names[0])

/* A number of 1 to WEIR_DEVICES_MAX without sign or leading zeros. @return what stands behind it; NULL: there is none. */
static const char *side(const char *text, uint32_t *out)
{
    uint32_t value = 0;
    if (*text < '1' || *text > '9')
        return NULL;
    for (; *text >= '0' && *text <= '9'; text++)
        if ((value = value * 10 + (uint32_t)(*text - '0')) > WEIR_DEVICES_MAX)
            return NULL;
    *out = value;
    return text;
}

weir_status weir_partition_2d_parse(const char *text, uint32_t *rows_out, uint32_t *columns_out)
{
    const char *at = text && strncmp(text, "2d:", 3) == 0 ? side(text + 3, rows_out) : NULL;
    at = at && *at == 'x' ? side(at + 1, columns_out) : NULL;
    if (at && !*at && *rows_out * *columns_out <= WEIR_DEVICES_MAX)
        return WEIR_OK;
    *rows_out = *columns_out = 0;
    return weir__fail(WEIR_ERR_INVALID,
                      "partition %s: 2d:RxC has R rows and C columns of devices, 1 to %d in all",
                      text ? text : "(null)", WEIR_DEVICES_MAX);
}

weir_status weir_partition_kind_parse(const char *text, weir_partition_kind *kind_out)
{
    *kind_out = WEIR_PARTITION_BLOCK;
    if (text && strncmp(text, "file:", 5) == 0 && text[5]) {
        *kind_out = WEIR_PARTITION_FILE;
        return WEIR_OK;
    }
    for (size_t i = 0; text && i < WEIR_PARTITION_FILE; i++) {
        if (strcmp(text, names[i]) == 0) {
            *kind_out = (weir_partition_kind)i;
            return WEIR_OK;
        }
    }
    if (text && strncmp(text, "2d:", 3) == 0) {
        uint32_t rows, columns;
        *kind_out = WEIR_PARTITION_2D;
        return weir_partition_2d_parse(text, &rows, &columns);
    }
    return weir__fail(WEIR_ERR_INVALID,
                      "partition %s: choose block, edge, random, metis, file:PATH or 2d:RxC",
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
    status = weir__shuffle(order, vertices, seed);
    for (uint32_t p = 0; p < parts && !status; p++)
        for (uint64_t i = block_begin(vertices, p, parts); i < block_begin(vertices, p + 1, parts);
             i++)
            owner[order[i]] = (uint8_t)p;
    free(order);
    return status;
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

/* How a partition is made. */
struct how {
    weir_partition_kind kind;
    uint32_t parts;       /* of a file: there may be so many at most */
    const double *shares; /* of edge: as of assign_edge() */
    uint64_t seed;
    const weir_config *config; /* of metis */
    const char *path;          /* of file */
    uint32_t columns;          /* of 2d; it has parts / columns rows */
    int exactly;               /* of a file: there are so many, whatever its largest number is */
};

static weir_status check(const weir_graph *graph, const struct how *how)
{
    struct weir__need need = {0, 0};
    weir_status status;
    if (!graph || (size_t)how->kind >= KINDS)
        return weir__fail(WEIR_ERR_INVALID, "weir_partition_create: no graph, or no such kind");
    if (how->parts == 0 || how->parts > WEIR_DEVICES_MAX)
        return weir__fail(WEIR_ERR_INVALID, "%u parts are not within 1 .. %d", how->parts,
                          WEIR_DEVICES_MAX);
    if (how->kind == WEIR_PARTITION_METIS && how->parts > 1 &&
        (status = weir__partition_metis_check(graph)))
        return status;
    weir__partition_need(graph, how->kind, how->parts, &need);
    return weir__need_fits(&need, "partition %s of %s", names[how->kind], graph->name);
}

/* @param[out] parts_out  how many there are; set before. */
static weir_status assign(const weir_graph *graph, const struct how *how, uint8_t *owner,
                          uint32_t *parts_out)
{
    switch (how->kind) {
    case WEIR_PARTITION_BLOCK:
    case WEIR_PARTITION_2D:
        assign_block(graph->vertices, how->parts, owner);
        return WEIR_OK;
    case WEIR_PARTITION_EDGE:
        assign_edge(graph, how->shares, how->parts, owner);
        return WEIR_OK;
    case WEIR_PARTITION_RANDOM:
        return assign_random(graph->vertices, how->parts, how->seed, owner);
    case WEIR_PARTITION_FILE:
        return weir__partition_file(graph, how->path, how->parts, owner, parts_out);
    default:
        return how->parts > 1
                   ? weir__partition_metis(graph, how->parts, how->seed, how->config, owner)
                   : WEIR_OK;
    }
}

/* Equal parts, whatever the kind. */
static weir_status create_sketch(const weir_graph *graph, const struct how *how,
                                 weir_partition **partition_out)
{
    weir_partition *partition;
    weir_status status = weir__calloc(1, sizeof *partition, "partition", &partition);
    if (status)
        return status;
    *partition = how->columns
                     ? weir__partition_sketch_2d(graph, how->parts / how->columns, how->columns)
                     : weir__partition_sketch(graph, how->parts);
    *partition_out = partition;
    return WEIR_OK;
}

static weir_status make(const weir_graph *graph, const struct how *how,
                        weir_partition **partition_out)
{
    const uint64_t begin_ns = weir__now_ns();
    uint32_t parts = how->parts;
    weir_partition *partition = NULL;
    uint8_t *owner = NULL;
    weir_status status;
    *partition_out = NULL;
    if ((status = check(graph, how)))
        return status;
    if (weir__graph_is_sketch(graph))
        return create_sketch(graph, how, partition_out);
    if ((status = weir__calloc(1, sizeof *partition, "partition", &partition)) ||
        (status = weir__calloc(graph->vertices, 1, "partition", &owner)) ||
        (status = assign(graph, how, owner, &parts)))
        goto err_free;
    if (how->exactly)
        parts = how->parts;
    *partition = (weir_partition){.kind = how->kind,
                                  .parts = parts,
                                  .vertices = graph->vertices,
                                  .owner = owner,
                                  .rows = how->columns ? parts / how->columns : 0,
                                  .columns = how->columns};
    if ((status = weir__partition_measure(graph, partition)))
        goto err_free;
    partition->prepare_ms = weir__elapsed_ms(begin_ns);
    *partition_out = partition;
    return WEIR_OK;
err_free:
    free(owner);
    free(partition);
    return status;
}

static weir_status create(const weir_graph *graph, const struct how *how,
                          weir_partition **partition_out)
{
    struct weir__activity outer;
    weir__activity_begin(&outer,
                         how->kind == WEIR_PARTITION_FILE ? "reading a partition" : "partitioning",
                         how->kind == WEIR_PARTITION_FILE ? "bytes" : NULL, 0);
    return weir__activity_end(&outer, make(graph, how, partition_out));
}

weir_status weir_partition_create(const weir_graph *graph, weir_partition_kind kind, uint32_t parts,
                                  uint64_t seed, const weir_config *config,
                                  weir_partition **partition_out)
{
    const struct how how = {.kind = kind, .parts = parts, .seed = seed, .config = config};
    *partition_out = NULL;
    if (kind == WEIR_PARTITION_2D)
        return weir__fail(WEIR_ERR_INVALID, "a partition of kind 2d has rows and columns, which "
                                            "weir_partition_create_2d() is given");
    return kind == WEIR_PARTITION_FILE
               ? weir__fail(WEIR_ERR_INVALID, "a partition of kind file has a file, which "
                                              "weir_partition_read() reads")
               : create(graph, &how, partition_out);
}

weir_status weir_partition_create_2d(const weir_graph *graph, uint32_t rows, uint32_t columns,
                                     weir_partition **partition_out)
{
    const struct how how = {.kind = WEIR_PARTITION_2D, .parts = rows * columns, .columns = columns};
    *partition_out = NULL;
    return rows && columns && (uint64_t)rows * columns <= WEIR_DEVICES_MAX
               ? create(graph, &how, partition_out)
               : weir__fail(WEIR_ERR_INVALID,
                            "a grid of %u rows and %u columns: 1 to %d parts in all", rows, columns,
                            WEIR_DEVICES_MAX);
}

weir_status weir_partition_read(const weir_graph *graph, const char *path, uint32_t most,
                                weir_partition **partition_out)
{
    const struct how how = {.kind = WEIR_PARTITION_FILE, .parts = most, .path = path};
    *partition_out = NULL;
    return path ? create(graph, &how, partition_out)
                : weir__fail(WEIR_ERR_INVALID, "weir_partition_read: no path");
}

weir_status weir__partition_read_into(const weir_graph *graph, const char *path, uint32_t parts,
                                      weir_partition **partition_out)
{
    const struct how how = {
        .kind = WEIR_PARTITION_FILE, .parts = parts, .path = path, .exactly = 1};
    return create(graph, &how, partition_out);
}

weir_status weir__partition_by_shares(const weir_graph *graph, const double *shares, uint32_t parts,
                                      weir_partition **partition_out)
{
    const struct how how = {.kind = WEIR_PARTITION_EDGE, .parts = parts, .shares = shares};
    return create(graph, &how, partition_out);
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

weir_status weir__partition_1d(const weir_partition *partition, const char *what)
{
    if (!partition || partition->kind != WEIR_PARTITION_2D)
        return WEIR_OK;
    return weir__fail(
        WEIR_ERR_UNSUPPORTED,
        "partition 2d:%ux%u is for breadth-first search, PageRank and components, not for %s",
        partition->rows, partition->columns, what);
}
