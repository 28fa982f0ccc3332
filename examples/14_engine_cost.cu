/** @file 14_engine_cost.cu  Simple kernels for the work of 14_engine_cost.c: what it costs without an engine. */
#include "examples/12_spmv_op.h"
#include "examples/14_engine_cost.h"

#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>

namespace cg = cooperative_groups;

#define LANES 4u
#define NONE  0xFFFFFFFFu

#define RUNS_MOST   64u
#define TIMES_TRIED 3u
#define DELTA_MOST \
    (UINT32_C(1) << 27) /* with a distance below 2^32 - 2^28 thresholds do not wrap */

/* The first error; the rest of a function that has one does nothing. */
static int first_error;
static bool fine(cudaError_t error)
{
    if (!first_error)
        first_error = (int)error;
    return !first_error;
}

template <typename T> static T *on_gpu(size_t count, const T *from)
{
    T *data = NULL;
    if (fine(cudaMalloc(&data, (count ? count : 1) * sizeof(T))) && from)
        fine(cudaMemcpy(data, from, count * sizeof(T), cudaMemcpyHostToDevice));
    return data;
}

/* A graph and what a traversal works on, in the GPU's memory. */
struct work {
    uint32_t vertices, arcs;
    uint32_t *offsets, *targets, *weights, *values;
    uint32_t *queue[2], *far[2];
    uint32_t *counts; /* near: three in turn; far: two; least; overflow */
    uint32_t room;
};
enum {
    NEAR = 0,
    FAR = 3,
    LEAST = 5,
    OVERFLOW = 6,
    COUNTS = 8
}; /* OVERFLOW: a queue was too small, the answer is none */

static struct work work_on(const struct simple_graph *graph)
{
    struct work w;
    memset(&w, 0, sizeof w);
    w.vertices = graph->vertices;
    w.arcs = graph->arcs;
    w.room = graph->arcs + graph->vertices;
    w.offsets = on_gpu(graph->vertices + 1, graph->offsets);
    w.targets = on_gpu(graph->arcs, graph->targets);
    w.weights = on_gpu(graph->arcs, graph->weights);
    w.values = on_gpu<uint32_t>(graph->vertices, NULL);
    w.counts = on_gpu<uint32_t>(COUNTS, NULL);
    for (int i = 0; i < 2; i++) {
        w.queue[i] = on_gpu<uint32_t>(w.room, NULL);
        w.far[i] = on_gpu<uint32_t>(w.room, NULL);
    }
    return w;
}

static void free_work(struct work *w)
{
    uint32_t *all[] = {w->offsets,  w->targets,  w->weights, w->values, w->counts,
                       w->queue[0], w->queue[1], w->far[0],  w->far[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        cudaFree(all[i]);
}

/* ---- kernels ---------------------------------------------------------------------------------- */

/* Append the vertices of the lanes that `add`, with one atomic for a warp. */
static __device__ void append(uint32_t *queue, uint32_t *count, uint32_t room, bool add,
                              uint32_t vertex)
{
    uint32_t lanes = __ballot_sync(NONE, add), slot = 0;
    if (!lanes)
        return;
    if (threadIdx.x % 32 == 0)
        slot = atomicAdd(count, __popc(lanes));
    slot = __shfl_sync(NONE, slot, 0) + __popc(lanes & ((1u << threadIdx.x % 32) - 1));
    if (add && slot < room)
        __stcg(&queue[slot], vertex);
}

static __global__ void bfs(struct work w)
{
    cg::grid_group grid = cg::this_grid();
    const uint32_t threads = gridDim.x * blockDim.x, me = blockIdx.x * blockDim.x + threadIdx.x;
    for (uint32_t level = 1, turn = 0;; level++, turn = (turn + 1) % 3) {
        const uint32_t count = min(__ldcg(&w.counts[NEAR + turn]), w.room);
        uint32_t *next = &w.counts[NEAR + (turn + 1) % 3];
        if (count == 0)
            return;
        if (me == 0)
            w.counts[NEAR + (turn + 2) % 3] = 0;
        for (uint32_t base = 0; base < count; base += threads / LANES) {
            const uint32_t at = base + me / LANES;
            uint32_t arc = 0, end = 0;
            if (at < count) {
                uint32_t vertex = __ldcg(&w.queue[(level & 1) ^ 1][at]);
                arc = w.offsets[vertex] + me % LANES;
                end = w.offsets[vertex + 1];
            }
            for (; __any_sync(NONE, arc < end); arc += LANES) {
                uint32_t target = arc < end ? w.targets[arc] : 0;
                bool add = arc < end && __ldcg(&w.values[target]) == NONE &&
                           atomicCAS(&w.values[target], NONE, level) == NONE;
                append(w.queue[level & 1], next, w.room, add, target);
            }
        }
        grid.sync();
    }
}

/* What is behind the threshold goes to the far queue, which is split when nothing is near. */
static __global__ void near_far(struct work w, uint32_t delta)
{
    cg::grid_group grid = cg::this_grid();
    const uint32_t threads = gridDim.x * blockDim.x, me = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t threshold = delta, side = 0;
    for (uint32_t step = 0, turn = 0;; step++, turn = (turn + 1) % 3) {
        const uint32_t count = __ldcg(&w.counts[NEAR + turn]);
        uint32_t *next = &w.counts[NEAR + (turn + 1) % 3], *out = w.queue[(step & 1) ^ 1];
        if (count > w.room) {
            if (me == 0)
                w.counts[OVERFLOW] = 1;
            return;
        }
        if (me == 0)
            w.counts[NEAR + (turn + 2) % 3] = 0;
        for (uint32_t base = 0; base < count; base += threads / LANES) {
            const uint32_t at = base + me / LANES;
            uint32_t arc = 0, end = 0, distance = 0;
            if (at < count) {
                uint32_t vertex = __ldcg(&w.queue[step & 1][at]);
                arc = w.offsets[vertex] + me % LANES;
                end = w.offsets[vertex + 1];
                distance = __ldcg(&w.values[vertex]);
            }
            for (; __any_sync(NONE, arc < end); arc += LANES) {
                uint32_t target = 0, sum = NONE;
                if (arc < end) {
                    target = w.targets[arc];
                    sum = distance + w.weights[arc];
                }
                bool add = arc < end && __ldcg(&w.values[target]) > sum &&
                           atomicMin(&w.values[target], sum) > sum;
                append(out, next, w.room, add && sum < threshold, target);
                append(w.far[side], &w.counts[FAR + side], w.room, add && sum >= threshold, target);
            }
        }
        grid.sync();
        if (count)
            continue;
        const uint32_t kept = __ldcg(&w.counts[FAR + side]);
        if (kept > w.room && me == 0)
            w.counts[OVERFLOW] = 1;
        if (kept == 0 || kept > w.room)
            return;
        uint32_t least = NONE;
        for (uint32_t at = me; at < kept; at += threads) {
            uint32_t distance = __ldcg(&w.values[__ldcg(&w.far[side][at])]);
            least = distance >= threshold && distance < least ? distance : least;
        }
        least = __reduce_min_sync(NONE, least);
        if (threadIdx.x % 32 == 0 && least != NONE)
            atomicMin(&w.counts[LEAST], least);
        grid.sync();
        least = __ldcg(&w.counts[LEAST]);
        if (least == NONE)
            return;
        const uint32_t before = threshold;
        threshold = least - least % delta + delta;
        for (uint32_t base = 0; base < kept; base += threads) {
            uint32_t vertex = 0, distance = 0;
            if (base + me < kept) {
                vertex = __ldcg(&w.far[side][base + me]);
                distance = __ldcg(&w.values[vertex]);
            }
            bool live = base + me < kept && distance >= before;
            append(out, next, w.room, live && distance < threshold, vertex);
            append(w.far[side ^ 1], &w.counts[FAR + (side ^ 1)], w.room,
                   live && distance >= threshold, vertex);
        }
        grid.sync();
        if (me == 0) {
            w.counts[FAR + side] = 0;
            w.counts[LEAST] = NONE;
        }
        side ^= 1;
    }
}

/* Without weights: of every arc 1. */
template <uint32_t G, bool WEIGHTS> static __global__ void pull(struct work w, const uint32_t *x)
{
    const uint32_t me = blockIdx.x * blockDim.x + threadIdx.x, rows = gridDim.x * blockDim.x / G;
    for (uint32_t base = 0; base < w.vertices; base += rows) {
        const uint32_t row = base + me / G;
        uint32_t sum = 0;
        if (row < w.vertices)
            for (uint32_t i = w.offsets[row] + me % G; i < w.offsets[row + 1]; i += G)
                sum += WEIGHTS ? w.weights[i] * x[w.targets[i]] : x[w.targets[i]];
        for (uint32_t step = G / 2; step; step /= 2)
            sum += __shfl_xor_sync(NONE, sum, step);
        if (row < w.vertices && me % G == 0)
            w.values[row] = sum;
    }
}

/* One schedule in a kernel, and that with weights, so that it does not pay for the registers of others. */
template <uint32_t SCHEDULE>
static __global__ void by_schedule(struct spmv_args args, uint32_t workers)
{
    args.schedule = SCHEDULE;
    if (args.values)
        spmv_op(&args, (blockIdx.x * blockDim.x + threadIdx.x) / WEIR_LANES, workers);
}

/* ---- timing ----------------------------------------------------------------------------------- */

/* What one setting starts; before() is not timed. */
struct plan {
    struct work *work;
    uint32_t source, setting, units;
    const uint32_t *x;
    void (*before)(const struct plan *);
    void (*start)(const struct plan *);
};

static void fill(const struct plan *plan)
{
    uint32_t counts[COUNTS] = {1, 0, 0, 0, 0, NONE, 0, 0}, zero = 0;
    struct work *w = plan->work;
    fine(cudaMemset(w->values, 0xFF, (size_t)w->vertices * 4));
    fine(cudaMemcpy(w->counts, counts, sizeof counts, cudaMemcpyHostToDevice));
    fine(cudaMemcpy(w->queue[0], &plan->source, 4, cudaMemcpyHostToDevice));
    fine(cudaMemcpy(w->values + plan->source, &zero, 4, cudaMemcpyHostToDevice));
}

static void clear(const struct plan *plan)
{
    fine(cudaMemset(plan->work->values, 0, (size_t)plan->work->vertices * 4));
}

static void start_bfs(const struct plan *plan)
{
    void *args[] = {plan->work};
    fine(cudaLaunchCooperativeKernel((void *)bfs, dim3(plan->setting), dim3(512), args, 0, 0));
}

static void start_near_far(const struct plan *plan)
{
    uint32_t delta = plan->setting;
    void *args[] = {plan->work, &delta};
    fine(cudaLaunchCooperativeKernel((void *)near_far, dim3(plan->units), dim3(512), args, 0, 0));
}

template <bool WEIGHTS> static void start_pull(const struct plan *plan)
{
    const uint32_t blocks = plan->units * 16;
    switch (plan->setting) {
    case 1:
        pull<1, WEIGHTS><<<blocks, 256>>>(*plan->work, plan->x);
        break;
    case 4:
        pull<4, WEIGHTS><<<blocks, 256>>>(*plan->work, plan->x);
        break;
    case 8:
        pull<8, WEIGHTS><<<blocks, 256>>>(*plan->work, plan->x);
        break;
    default:
        pull<32, WEIGHTS><<<blocks, 256>>>(*plan->work, plan->x);
    }
    fine(cudaGetLastError());
}

static void start_schedule(const struct plan *plan)
{
    static const uint32_t sharing[SPMV_COUNT] = {
#define SHARING(schedule, workers) workers,
        SPMV_SCHEDULES(SHARING)
#undef SHARING
    };
    const struct work *w = plan->work;
    const uint32_t blocks = plan->units * 16, workers = blocks * 256 / WEIR_LANES;
    struct spmv_args args = {
        {w->offsets, w->vertices}, w->targets, w->weights, plan->x, w->values, plan->setting,
        sharing[plan->setting]};
    switch (plan->setting) {
#define CASE(schedule, workers_of_a_set)                              \
    case SPMV_##schedule:                                             \
        by_schedule<SPMV_##schedule><<<blocks, 256>>>(args, workers); \
        break;
        SPMV_SCHEDULES(CASE)
#undef CASE
    }
    fine(cudaGetLastError());
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The median of `runs` after one that does not count. */
static float median(const struct plan *plan, uint32_t runs)
{
    float ms[RUNS_MOST] = {0};
    cudaEvent_t begin = NULL, end = NULL;
    runs = runs < RUNS_MOST ? runs : RUNS_MOST;
    fine(cudaEventCreate(&begin));
    fine(cudaEventCreate(&end));
    for (uint32_t run = 0; run <= runs && !first_error; run++) {
        plan->before(plan);
        fine(cudaDeviceSynchronize());
        fine(cudaEventRecord(begin));
        plan->start(plan);
        fine(cudaEventRecord(end));
        fine(cudaEventSynchronize(end));
        if (run)
            fine(cudaEventElapsedTime(&ms[run - 1], begin, end));
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    qsort(ms, runs, sizeof *ms, by_size);
    return ms[runs / 2];
}

/* Whether the last run was given up. */
static bool overflowed(const struct plan *plan)
{
    uint32_t overflow = 0;
    fine(cudaMemcpy(&overflow, &plan->work->counts[OVERFLOW], sizeof overflow,
                    cudaMemcpyDeviceToHost));
    return overflow != 0;
}

/* Try settings, and keep the best in the answer; one that was given up is none. */
static void try_all(struct plan *plan, const uint32_t *settings, uint32_t count,
                    struct simple_answer *answer)
{
    for (uint32_t i = 0; i < count && !first_error; i++) {
        plan->setting = settings[i];
        float ms = median(plan, TIMES_TRIED);
        if (!overflowed(plan) && (!answer->setting_known || ms < answer->ms)) {
            answer->ms = ms;
            answer->setting = settings[i];
            answer->setting_known = 1;
        }
    }
}

/* Run with the best setting, and fetch the answer. */
static int answer_with_best(struct plan *plan, uint32_t runs, struct simple_answer *answer)
{
    plan->setting = answer->setting;
    fine(answer->setting_known ? cudaSuccess : cudaErrorMemoryAllocation);
    answer->ms = median(plan, runs);
    fine(cudaMemcpy(answer->values, plan->work->values, (size_t)plan->work->vertices * 4,
                    cudaMemcpyDeviceToHost));
    free_work(plan->work);
    return first_error;
}

static int best_of(struct plan *plan, const uint32_t *settings, uint32_t count, uint32_t runs,
                   struct simple_answer *answer)
{
    answer->setting_known = 0;
    try_all(plan, settings, count, answer);
    return answer_with_best(plan, runs, answer);
}

static uint32_t units_of(void)
{
    int units = 1;
    fine(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0));
    return (uint32_t)units;
}

static struct plan plan_of(struct work *work, uint32_t source, void (*before)(const struct plan *),
                           void (*start)(const struct plan *))
{
    struct plan plan;
    plan.work = work;
    plan.source = source;
    plan.setting = 0;
    plan.units = units_of();
    plan.x = NULL;
    plan.before = before;
    plan.start = start;
    return plan;
}

#define BEST_OF(plan, settings, runs, answer) \
    best_of(plan, settings, sizeof(settings) / sizeof *(settings), runs, answer)

extern "C" int simple_bfs(const struct simple_graph *graph, uint32_t source, uint32_t runs,
                          struct simple_answer *answer)
{
    const uint32_t units = units_of(), blocks[] = {8, 20, units / 2, units};
    struct work w = work_on(graph);
    struct plan plan = plan_of(&w, source, fill, start_bfs);
    return BEST_OF(&plan, blocks, runs, answer);
}

/* Steps grow from 8 by factors of four until three in a row were slower than the best one, so that the best is never
 * the last one tried; then half and twice the best. */
extern "C" int simple_sssp(const struct simple_graph *graph, uint32_t source, uint32_t runs,
                           struct simple_answer *answer)
{
    struct work w = work_on(graph);
    struct plan plan = plan_of(&w, source, fill, start_near_far);
    answer->setting_known = 0;
    for (uint32_t delta = 8; delta <= DELTA_MOST; delta *= 4) {
        try_all(&plan, &delta, 1, answer);
        if (answer->setting_known && delta / 64 >= answer->setting)
            break; /* three in a row were slower */
    }
    const uint32_t beside[] = {answer->setting / 2, answer->setting * 2};
    if (answer->setting_known)
        try_all(&plan, beside, 2, answer);
    return answer_with_best(&plan, runs, answer);
}

static int product(const struct simple_graph *graph, const uint32_t *settings, uint32_t count,
                   uint32_t runs, void (*start)(const struct plan *), struct simple_answer *answer)
{
    struct work w = work_on(graph);
    uint32_t *x = (uint32_t *)malloc((size_t)graph->vertices * sizeof *x);
    for (uint32_t row = 0; x && row < graph->vertices; row++)
        x[row] = 1 + row % 5;
    fine(x ? cudaSuccess : cudaErrorMemoryAllocation);
    uint32_t *there = on_gpu(graph->vertices, x);
    struct plan plan = plan_of(&w, 0, clear, start);
    plan.x = there;
    int error = best_of(&plan, settings, count, runs, answer);
    cudaFree(there);
    free(x);
    return error;
}

extern "C" int simple_product(const struct simple_graph *graph, uint32_t runs,
                              struct simple_answer *answer)
{
    static const uint32_t lanes[] = {1, 4, 8, 32};
    return product(graph, lanes, 4, runs, start_pull<true>, answer);
}

extern "C" int simple_sums(const struct simple_graph *graph, uint32_t runs,
                           struct simple_answer *answer)
{
    static const uint32_t lanes[] = {1, 4, 8, 32};
    return product(graph, lanes, 4, runs, start_pull<false>, answer);
}

extern "C" int schedule_product(const struct simple_graph *graph, uint32_t runs,
                                struct simple_answer *answer)
{
    uint32_t schedules[SPMV_COUNT];
    for (uint32_t i = 0; i < SPMV_COUNT; i++)
        schedules[i] = i;
    return product(graph, schedules, SPMV_COUNT, runs, start_schedule, answer);
}
