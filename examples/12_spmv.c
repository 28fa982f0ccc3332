/** @file 12_spmv.c  Sparse matrix times vector, with every schedule of worklist/schedule.h, row by row.
 *
 *     rows are tiles, nonzeros are atoms          lane 0   row 0 ##
 *     a schedule deals them out to lanes   -->    lane 1   row 1 ###########
 *     each lane adds up what it got               lane 2   row 2 #
 *
 *     build/examples/12_spmv [DEVICES]      say "cuda:0"; "host:1x4" if left out. One device is used.
 *
 * Each product twice: with weights, and with none, when all are 1. Two matrices: an R-MAT, whose rows differ widely in length, and a grid, whose rows do not. What a lane
 * does is in 12_spmv_op.h, once for host devices and GPUs; 12_spmv.cu is its CUDA form. */
#include <weir/algorithms/algorithms.h>
#include "examples/12_spmv_op.h"
#include "examples/example.h"

#include <string.h>

enum { RUNS = 5 };

static void spmv_host(const void *args, uint32_t worker, uint32_t workers)
{
    spmv_op(args, worker, workers);
}

#if WEIR_CUDA
static const weir_kernel kernel = {.name = "spmv", .host = spmv_host, .cuda = spmv_cuda};
#else
static const weir_kernel kernel = {.name = "spmv", .host = spmv_host};
#endif

#define ROW(schedule, sharing) {#schedule, sharing},
static const struct {
    const char *name;
    uint32_t sharing;
} schedules[SPMV_COUNT] = {SPMV_SCHEDULES(ROW)};

/* One problem, in memory of the home device. */
struct problem {
    uint32_t rows, nonzeros;
    uint32_t *offsets, *columns, *values, *x;
    uint32_t *expected[2]; /* without values, with them */
};

static struct problem problem_of(weir_device *home, const weir_graph *graph)
{
    struct problem p = {
        (uint32_t)graph->vertices, (uint32_t)graph->arcs, NULL, NULL, NULL, NULL, {NULL, NULL}};
    p.offsets = alloc_on(home, (p.rows + (size_t)1) * sizeof *p.offsets);
    p.columns = alloc_on(home, p.nonzeros * sizeof *p.columns);
    p.values = alloc_on(home, p.nonzeros * sizeof *p.values);
    p.x = alloc_on(home, p.rows * sizeof *p.x);
    for (int weighted = 0; weighted < 2; weighted++)
        p.expected[weighted] = alloc_on(home, p.rows * sizeof **p.expected);
    for (uint32_t row = 0; row <= p.rows; row++)
        p.offsets[row] = (uint32_t)graph->offsets[row];
    for (uint32_t row = 0; row < p.rows; row++)
        p.x[row] = 1 + row % 5;
    for (uint32_t i = 0; i < p.nonzeros; i++) {
        p.columns[i] = graph->targets[i];
        p.values[i] = 1 + i % 7;
    }
    for (uint32_t row = 0, i = 0; row < p.rows; row++)
        for (p.expected[0][row] = p.expected[1][row] = 0; i < p.offsets[row + 1]; i++) {
            p.expected[0][row] += p.x[p.columns[i]];
            p.expected[1][row] += p.values[i] * p.x[p.columns[i]];
        }
    return p;
}

static void problem_free(weir_device *home, struct problem *p)
{
    weir_device_free(home, p->offsets);
    weir_device_free(home, p->columns);
    weir_device_free(home, p->values);
    weir_device_free(home, p->x);
    weir_device_free(home, p->expected[0]);
    weir_device_free(home, p->expected[1]);
}

static uint32_t *copy_to(weir_queue *queue, weir_device *home, const uint32_t *from, uint32_t count)
{
    uint32_t *data = alloc_on(weir_queue_device(queue), count * sizeof *data);
    TRY(weir_queue_copy(queue, weir_queue_device(queue), data, home, from, count * sizeof *data));
    return data;
}

/* Run a schedule a few times. @return the least time, ms; y holds the result of the last run. */
static double run(weir_queue *queue, const struct spmv_args *args)
{
    weir_stamp *start, *stop;
    double best = 0;
    TRY(weir_stamp_create(weir_queue_device(queue), &start));
    TRY(weir_stamp_create(weir_queue_device(queue), &stop));
    for (int i = 0; i < RUNS; i++) {
        double ms;
        TRY(weir_queue_fill(queue, args->y, 0, args->rows.tiles * sizeof *args->y));
        TRY(weir_queue_stamp(queue, start));
        TRY(weir_queue_launch(queue, &kernel, args, sizeof *args));
        TRY(weir_queue_stamp(queue, stop));
        TRY(weir_queue_sync(queue));
        TRY(weir_stamp_elapsed(start, stop, &ms));
        best = i == 0 || ms < best ? ms : best;
    }
    weir_stamp_destroy(start);
    weir_stamp_destroy(stop);
    return best;
}

/* @return how many results were wrong. */
static int try_schedules(weir_queue *queue, weir_device *home, const struct problem *p)
{
    weir_device *device = weir_queue_device(queue);
    uint32_t *offsets = copy_to(queue, home, p->offsets, p->rows + 1);
    uint32_t *columns = copy_to(queue, home, p->columns, p->nonzeros);
    uint32_t *values = copy_to(queue, home, p->values, p->nonzeros);
    uint32_t *x = copy_to(queue, home, p->x, p->rows);
    uint32_t *y = alloc_on(device, p->rows * sizeof *y),
             *back = alloc_on(home, p->rows * sizeof *y);
    int wrong = 0;
    printf("  %-16s %18s   %s\n", "", "with weights", "with none");
    for (uint32_t s = 0; s < SPMV_COUNT; s++) {
        printf("  %-16s", schedules[s].name);
        for (int weighted = 1; weighted >= 0; weighted--) {
            weir_csr_tile_set rows = {offsets, p->rows};
            struct spmv_args args = {rows, columns, weighted ? values : NULL, x,
                                     y,    s,       schedules[s].sharing};
            double ms = run(queue, &args);
            TRY(weir_queue_copy(queue, home, back, device, y, p->rows * sizeof *y));
            TRY(weir_queue_sync(queue));
            int right = !memcmp(back, p->expected[weighted], p->rows * sizeof *back);
            printf(" %9.3f ms  %s", ms, right ? "right" : "WRONG");
            wrong += !right;
        }
        printf("\n");
    }
    weir_device_free(device, offsets);
    weir_device_free(device, columns);
    weir_device_free(device, values);
    weir_device_free(device, x);
    weir_device_free(device, y);
    weir_device_free(home, back);
    return wrong;
}

int main(int argc, char **argv)
{
    /* A GPU wants more work than a few host threads. */
    static const char *const matrices[][2] = {{"rmat:12", "rmat:18"},
                                              {"grid:200x200", "grid:2000x1000"}};
    weir_context *context = open_devices(argc, argv, "host:1x4");
    weir_device *home = weir_context_home(context), *device = weir_context_device(context, 0);
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_queue *queue;
    int wrong = 0;

    weir_device_info_get(device, &info);
    TRY(weir_queue_create(device, 0, &queue));
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
        weir_graph *graph;
        TRY(weir_graph_open(matrices[i][info.kind == WEIR_DEVICE_CUDA], NULL, &graph));
        struct problem problem = problem_of(home, graph);
        printf("%s on %s: %u rows, %u nonzeros\n", graph->name, info.label, problem.rows,
               problem.nonzeros);
        wrong += try_schedules(queue, home, &problem);
        problem_free(home, &problem);
        weir_graph_destroy(graph);
    }
    weir_queue_destroy(queue);
    weir_context_destroy(context);
    return wrong ? WRONG : RIGHT;
}
