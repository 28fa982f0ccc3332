/** @file distributed.c  Cutting a graph into parts and placing them on devices. */
#include "algorithms/graph/distributed.h"
#include "runtime/internal.h"

#include <stdlib.h>

#define NOT_IN_HALO UINT32_MAX

/* One part while it is built in host memory. */
struct build {
    uint64_t *offsets;
    uint32_t *targets;
    uint32_t *halo;
    uint32_t *halo_of; /* by vertex: its number in the halo */
};

struct job {
    struct weir__distributed *d;
    const weir_graph *graph;
    pthread_mutex_t lock; /* guards the two below */
    weir_status status;   /* of the first part that failed */
    char detail[512];
};

static void build_free(struct build *build)
{
    free(build->offsets);
    free(build->targets);
    free(build->halo);
    free(build->halo_of);
}

static uint32_t global_of(const struct weir__distributed *d, uint32_t vertex)
{
    return d->part_first[d->owner[vertex]] + d->local[vertex];
}

/* Number the halo in the order in which arcs first lead to it. */
static uint32_t local_target(const struct weir__distributed *d, struct weir__part *part, uint32_t p,
                             struct build *build, uint32_t target)
{
    if (d->owner[target] == p)
        return d->local[target];
    if (build->halo_of[target] == NOT_IN_HALO) {
        build->halo_of[target] = part->halo_count;
        build->halo[part->halo_count++] = global_of(d, target);
    }
    return part->owned + build->halo_of[target];
}

static weir_status build_part(const struct weir__distributed *d, const weir_graph *graph,
                              uint32_t p, struct weir__part *part, struct build *build)
{
    uint64_t at = 0, n = graph->vertices;
    uint64_t halo_most = part->arcs < n ? part->arcs : n;
    uint32_t row = 0;
    weir_status status;
    if ((status = weir__alloc((size_t)part->owned + 1, 8, "part offsets", &build->offsets)) ||
        (status = weir__alloc(part->arcs, 4, "part targets", &build->targets)) ||
        (status = weir__alloc(halo_most, 4, "part halo", &build->halo)) ||
        (status = weir__alloc(n, 4, "part halo", &build->halo_of)))
        return status;
    for (uint64_t v = 0; v < n; v++)
        build->halo_of[v] = NOT_IN_HALO;
    for (uint64_t v = 0; v < n; v++) {
        if (d->owner[v] != p)
            continue;
        build->offsets[row++] = at;
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
            build->targets[at++] = local_target(d, part, p, build, graph->targets[e]);
    }
    build->offsets[row] = at; /* owned and halo together are vertices, so local numbers fit too */
    return WEIR_OK;
}

static weir_status place(weir_device *device, const void *data, uint64_t count, size_t bytes,
                         void *placed_out)
{
    void **placed = placed_out;
    weir_status status = weir_device_alloc(device, (size_t)count * bytes, placed);
    return status ? status : weir__upload(device, *placed, data, (size_t)count * bytes);
}

static weir_status make_part(const struct job *job, uint32_t p)
{
    struct weir__part *part = &job->d->part[p];
    struct build build = {NULL, NULL, NULL, NULL};
    void *offsets = NULL, *targets = NULL, *halo = NULL;
    weir_status status = build_part(job->d, job->graph, p, part, &build);
    if (!status)
        status = place(part->device, build.offsets, (uint64_t)part->owned + 1, 8, &offsets);
    if (!status)
        status = place(part->device, build.targets, part->arcs, 4, &targets);
    if (!status)
        status = place(part->device, build.halo, part->halo_count, 4, &halo);
    part->offsets = offsets;
    part->targets = targets;
    part->halo = halo;
    build_free(&build);
    return status;
}

static void make_parts(void *user, uint64_t begin, uint64_t end)
{
    struct job *job = user;
    for (uint64_t p = begin; p < end; p++) {
        weir_status status = make_part(job, (uint32_t)p);
        if (!status)
            continue;
        pthread_mutex_lock(&job->lock);
        if (!job->status) {
            const char *detail = weir_error_detail();
            size_t i = 0;
            for (; detail[i] && i + 1 < sizeof job->detail; i++)
                job->detail[i] = detail[i];
            job->detail[i] = '\0';
            job->status = status;
        }
        pthread_mutex_unlock(&job->lock);
    }
}

/* Who owns what, under which number. */
static weir_status number(struct weir__distributed *d, const weir_graph *graph,
                          const weir_partition *partition)
{
    weir_status status;
    if ((status = weir__alloc(d->vertices, 1, "owners", &d->owner)) ||
        (status = weir__alloc(d->vertices, 4, "local numbers", &d->local)) ||
        (status = weir__alloc(d->vertices, 4, "degrees", &d->degree)))
        return status;
    for (uint64_t v = 0; v < d->vertices; v++) {
        uint8_t p = partition->owner[v];
        uint64_t degree = graph->offsets[v + 1] - graph->offsets[v];
        if (p >= d->parts)
            return weir__fail(WEIR_ERR_INVALID, "vertex %llu is in part %u of %u",
                              (unsigned long long)v, p, d->parts);
        d->owner[v] = p;
        d->local[v] = d->part[p].owned++;
        d->degree[v] = (uint32_t)degree;
        d->part[p].arcs += degree;
    }
    for (uint32_t p = 0; p < d->parts; p++)
        d->part_first[p + 1] = d->part_first[p] + d->part[p].owned;
    return WEIR_OK;
}

weir_status weir__distribute(weir_context *context, const weir_graph *graph,
                             const weir_partition *partition,
                             struct weir__distributed **distributed_out)
{
    struct job job = {.graph = graph};
    struct weir__distributed *d;
    weir_status status;
    *distributed_out = NULL;
    if (partition->vertices != graph->vertices ||
        partition->parts != weir_context_device_count(context))
        return weir__fail(WEIR_ERR_INVALID,
                          "a partition of %llu vertices into %u parts for a graph of %llu vertices "
                          "and %u devices",
                          (unsigned long long)partition->vertices, partition->parts,
                          (unsigned long long)graph->vertices, weir_context_device_count(context));
    if ((status = weir__calloc(1, sizeof *d, "distributed graph", &d)))
        return status;
    d->context = context;
    d->vertices = graph->vertices;
    d->arcs = graph->arcs;
    d->parts = partition->parts;
    for (uint32_t p = 0; p < d->parts; p++)
        d->part[p].device = weir_context_device(context, p);
    if ((status = number(d, graph, partition)))
        goto err;
    job.d = d;
    pthread_mutex_init(&job.lock, NULL);
    weir__parallel_for(d->parts, 1, 0, make_parts, &job);
    pthread_mutex_destroy(&job.lock);
    if ((status = job.status)) {
        weir__fail_adopt(job.detail);
        goto err;
    }
    *distributed_out = d;
    return WEIR_OK;
err:
    weir__distributed_destroy(d);
    return status;
}

void weir__distributed_destroy(struct weir__distributed *d)
{
    if (!d)
        return;
    for (uint32_t p = 0; p < d->parts; p++) {
        weir_device_free(d->part[p].device, d->part[p].offsets);
        weir_device_free(d->part[p].device, d->part[p].targets);
        weir_device_free(d->part[p].device, d->part[p].halo);
    }
    free(d->owner);
    free(d->local);
    free(d->degree);
    free(d);
}
