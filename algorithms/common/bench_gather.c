/** @file bench_gather.c  The benchmark of the algorithms' layer: results brought to the host in the order of vertices.
 *
 * A row is what weir_bfs_levels() and its like do (gather.h), with values that lie in a random order of the vertices,
 * since no order is worse for locality. Beside it stands a bare copy of as many bytes. The clock of the host measures the
 * call alone, as a caller waits for it; the maps were made at the first call. */
#include "algorithms/bench.h"
#include "algorithms/common/gather.h"
#include "algorithms/common/need.h"
#include "algorithms/common/timing.h"
#include "algorithms/graph/random.h"
#include "topology/measure/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static weir_status bench_gather(struct bench *bench);

/* X(name, title, sized, function) */
#define BENCHES(X) \
    X("gather", "results of devices brought to the host in the order of vertices", 1, bench_gather)

static const weir_bench_info infos[] = {BENCHES(WEIR__BENCH_INFO)};
static const bench_fn runs[] = {BENCHES(WEIR__BENCH_RUN)};
static const struct bench_list list = {infos, runs, sizeof infos / sizeof *infos};

size_t weir_algorithms_bench_list(const weir_bench_info **infos_out)
{
    if (infos_out)
        *infos_out = infos;
    return list.count;
}

weir_status weir_algorithms_bench_run(weir_context *context, const char *name,
                                      const weir_bench_config *config, weir_bench_table **table_out)
{
    return weir__bench_run(&list, context, name, config, table_out);
}

/* What is measured: the gathering of values of @c width bytes that lie on the first @c parts devices. */
struct job {
    struct bench *bench;
    uint32_t parts;
    size_t width;
    uint64_t vertices, seed;
    uint32_t *number, *vertex; /* by vertex, and by number: each is the inverse of the other */
    struct weir__numbering *numbering;
    void *values[WEIR_DEVICES_MAX]; /* device memory */
    char *out;                      /* what a caller would pass */
    int registered;
    int bare; /* the trial is a copy of as many bytes */
};

static weir_device *device(const struct job *job, uint32_t p)
{
    return weir_context_device(job->bench->context, p);
}

static uint64_t bytes_of(const struct job *job)
{
    return job->vertices * job->width;
}

/* ---- values that can be checked ---------------------------------------------------------------- */

struct filling {
    const struct job *job;
    const uint32_t *vertex; /* of each element; NULL: elements are in the order of vertices */
    char *data;
    uint64_t wrong; /* relaxed additions; the join publishes them */
};

static void fill(void *user, uint64_t begin, uint64_t end)
{
    const struct filling *f = user;
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t value = weir__random(f->job->seed, f->vertex[i]);
        memcpy(f->data + i * f->job->width, &value, f->job->width);
    }
}

static void compare(void *user, uint64_t begin, uint64_t end)
{
    struct filling *f = user;
    uint64_t wrong = 0;
    for (uint64_t v = begin; v < end; v++) {
        const uint64_t value = weir__random(f->job->seed, v);
        wrong += memcmp(f->data + v * f->job->width, &value, f->job->width) != 0;
    }
    __atomic_fetch_add(&f->wrong, wrong, __ATOMIC_RELAXED);
}

static weir_status put_values(struct job *job)
{
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < job->parts && !status; p++) {
        struct filling f = {.job = job, .vertex = job->vertex + job->numbering->begin[p]};
        const uint64_t rows = job->numbering->owned[p];
        if ((status = weir__alloc(rows, job->width, "values of a part", &f.data)))
            return status;
        weir__parallel_for(rows, UINT64_C(1) << 16, 0, fill, &f);
        if (!(status = weir_device_alloc(device(job, p), rows * job->width, &job->values[p])))
            status = weir__upload(device(job, p), job->values[p], f.data, rows * job->width);
        free(f.data);
    }
    return status;
}

static weir_status check_out(struct job *job, const char *what)
{
    struct filling f = {.job = job, .data = job->out};
    weir__parallel_for(job->vertices, UINT64_C(1) << 16, 0, compare, &f);
    return f.wrong ? weir__fail(WEIR_ERR_VERIFY, "%s: %llu of %llu values are wrong", what,
                                (unsigned long long)f.wrong, (unsigned long long)job->vertices)
                   : WEIR_OK;
}

/* ---- rows -------------------------------------------------------------------------------------- */

static weir_status gather(struct job *job)
{
    const void *values[WEIR_DEVICES_MAX];
    memcpy(values, job->values, sizeof values);
    return weir__gather(job->numbering, values, job->width, job->out);
}

/* A bare copy of the values of part 0. It is a row only where there is no other part. */
static weir_status copy(struct job *job)
{
    return weir__download(device(job, 0), job->out, job->values[0], bytes_of(job));
}

static weir_status trial(void *user, uint64_t number, double *gbs_out)
{
    struct job *job = user;
    const uint64_t begin_ns = weir__now_ns();
    weir_status status = job->bare ? copy(job) : gather(job);
    const double ms = weir__elapsed_ms(begin_ns);
    (void)number;
    weir__bench_took(job->bench, ms);
    *gbs_out = weir__gbs((double)bytes_of(job), ms);
    return status;
}

static weir_status row_of(struct job *job, const char *series)
{
    weir_bench_row row = {.x = (double)job->width, .verified = !job->bare};
    char label[16];
    snprintf(row.series, sizeof row.series, "%s", series);
    snprintf(row.from, sizeof row.from, "%s",
             job->parts > 1 ? "all" : weir__bench_label(job->bench, 0, label));
    snprintf(row.to, sizeof row.to, "home");
    weir_status status = weir__bench_row(job->bench, &row, trial, job);
    if (status || job->bare)
        return status;
    memset(job->out, 0xA5, bytes_of(job));
    return (status = gather(job)) ? status : check_out(job, series);
}

static weir_status rows_of(struct job *job)
{
    weir_status status = row_of(job, "into ordinary memory");
    if (!status && !(status = weir_memory_register(job->bench->context, job->out, bytes_of(job))))
        job->registered = 1;
    if (!status)
        status = row_of(job, "into page-locked memory");
    job->bare = job->parts == 1;
    return status || !job->bare ? status : row_of(job, "a bare copy into page-locked memory");
}

/* ---- what they work on ------------------------------------------------------------------------- */

static weir_status fits(const struct job *job)
{
    struct weir__sizes sizes = {.context = job->bench->context, .parts = job->parts};
    struct weir__need need = {0, 0};
    for (uint32_t p = 0; p < job->parts; p++)
        sizes.owned[p] = job->vertices / job->parts + 1;
    weir__need_take(&need, job->vertices, 4 + 4 + job->width);
    for (uint32_t p = 0; p < job->parts; p++)
        weir__need_take_on(&need, device(job, p), sizes.owned[p], job->width);
    weir__numbering_need(&sizes, 1, &need);
    weir__need_pass(&need, job->vertices, job->width);
    return weir__need_fits(&need, "%llu values of %zu bytes", (unsigned long long)job->vertices,
                           job->width);
}

static weir_status number(struct job *job)
{
    struct weir__numbering fields = {.context = job->bench->context,
                                     .vertices = job->vertices,
                                     .parts = job->parts,
                                     .numbers = (uint32_t)job->vertices,
                                     .number = job->number,
                                     .vertex = job->vertex};
    for (uint32_t p = 0; p < job->parts; p++) {
        fields.begin[p] = (uint32_t)(job->vertices * p / job->parts);
        fields.owned[p] = (uint32_t)(job->vertices * (p + 1) / job->parts) - fields.begin[p];
    }
    weir_status status = weir__shuffle(job->vertex, job->vertices, job->seed);
    if (status)
        return status;
    for (uint64_t i = 0; i < job->vertices; i++)
        job->number[job->vertex[i]] = (uint32_t)i;
    return weir__numbering_create(&fields, &job->numbering);
}

static weir_status open_job(struct job *job)
{
    const uint32_t *map;
    weir_status status;
    if ((status = fits(job)) ||
        (status = weir__alloc(job->vertices, 4, "numbers of vertices", &job->number)) ||
        (status = weir__alloc(job->vertices, 4, "vertices by number", &job->vertex)) ||
        (status = weir__calloc(job->vertices, job->width, "results", &job->out)) ||
        (status = number(job)) || (status = put_values(job)))
        return status;
    for (uint32_t p = 0; p < job->parts && !status; p++)
        status = weir__numbering_map(job->numbering, p, &map);
    return status;
}

static void close_job(struct job *job)
{
    if (job->registered)
        (void)weir_memory_unregister(job->bench->context, job->out);
    for (uint32_t p = 0; p < job->parts; p++)
        weir_device_free(device(job, p), job->values[p]);
    weir__numbering_destroy(job->numbering);
    free(job->number);
    free(job->vertex);
    free(job->out);
}

static weir_status rows_on(struct bench *bench, uint32_t parts, size_t width)
{
    struct job job = {.bench = bench,
                      .parts = parts,
                      .width = width,
                      .vertices = bench->config.bytes / width,
                      .seed = width};
    if (job.vertices > UINT32_MAX - 1)
        job.vertices = UINT32_MAX - 1;
    weir_status status = open_job(&job);
    if (!status)
        status = rows_of(&job);
    close_job(&job);
    return status;
}

static weir_status bench_gather(struct bench *bench)
{
    weir_status status = WEIR_OK;
    weir__bench_describe(bench, "GB/s", 1, "value bytes",
                         "results in a random order, put into the order of vertices and brought to "
                         "the host; bytes of the result, a caller's time");
    if (bench->simulated)
        return weir__bench_skip(bench, "the host does a part of it, and a simulated machine has "
                                       "no time for what its host does");
    for (size_t width = 4; width <= 8 && !status; width += 4) {
        status = rows_on(bench, 1, width);
        if (!status && bench->devices > 1)
            status = rows_on(bench, bench->devices, width);
    }
    return status;
}
