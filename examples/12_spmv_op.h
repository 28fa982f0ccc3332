/** @file 12_spmv_op.h  y = A x, in the common dialect: what a lane does, for any schedule.
 *
 * Rows are tiles and nonzeros are atoms. The matrix is one of integers, so that every order of adding
 * gives the same result (modulo 2^32). */
#ifndef WEIR_EXAMPLES_12_SPMV_OP_H
#define WEIR_EXAMPLES_12_SPMV_OP_H

#include <weir/worklist/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The schedules shown: a name, and how many workers of a device share a set of rows; 0: all of them. */
#define SPMV_SCHEDULES(X) \
    X(weir_thread, 0)     \
    X(weir_warp, 1)       \
    X(weir_block, 4)      \
    X(weir_group, 1)      \
    X(weir_merge, 0)
#define SPMV_NUMBER(schedule, sharing) SPMV_##schedule,
enum { SPMV_SCHEDULES(SPMV_NUMBER) SPMV_COUNT };
#undef SPMV_NUMBER

struct spmv_args {
    weir_tile_set rows;
    const uint32_t *columns, *values; /* of the nonzeros */
    const uint32_t *x;
    uint32_t *y; /* zero at first */
    uint32_t schedule;
    uint32_t sharing; /* workers that share a set of rows */
};

/* The CUDA form of the kernel (12_spmv.cu); returns a cudaError_t. */
int spmv_cuda(void *stream, uint32_t workers, const void *args);

#ifdef __cplusplus
}
#endif

/* The end of a row, for this lane: it stores the sum if it had the whole row, and adds to it if others have parts. */
WEIR_DEV void spmv_end(const struct spmv_args *a, weir_tile_set rows, uint32_t from,
                       const weir_tile_visit *visit, uint32_t sum)
{
    if (visit->atoms == 0)
        return;
    if (weir_tile_visit_whole(visit, rows))
        a->y[from + visit->tile] = sum;
    else
        weir_atomic_add_relaxed_dev_u32(&a->y[from + visit->tile], sum);
}

/* A lane adds up what it gets of a row, and ends that when it comes to another row. `from` is the first row of
 * this part of the matrix. */
#define SPMV_LANE(schedule, sharing)                                                            \
    WEIR_DEV void spmv_##schedule(const struct spmv_args *a, weir_tile_set rows, uint32_t from, \
                                  uint32_t lane, uint32_t lanes)                                \
    {                                                                                           \
        WEIR_SCHEDULE_NAME(schedule, walk) walk;                                                \
        weir_tile_visit visit = WEIR_TILE_VISIT_INIT;                                           \
        uint32_t row, atom, sum = 0;                                                            \
        WEIR_SCHEDULE_NAME(schedule, start)(&walk, rows, lane, lanes);                          \
        while (WEIR_SCHEDULE_NAME(schedule, next)(&walk, rows, &row, &atom)) {                  \
            uint32_t nonzero = weir_tile_set_first(rows, row) + atom;                           \
            if (weir_tile_visit_enters(&visit, row)) {                                          \
                spmv_end(a, rows, from, &visit, sum);                                           \
                weir_tile_visit_begin(&visit, row);                                             \
                sum = 0;                                                                        \
            }                                                                                   \
            sum += a->values[nonzero] * a->x[a->columns[nonzero]];                              \
            visit.atoms++;                                                                      \
        }                                                                                       \
        spmv_end(a, rows, from, &visit, sum);                                                   \
    }
SPMV_SCHEDULES(SPMV_LANE)
#undef SPMV_LANE

/* Workers stand in groups of a->sharing; each group has an equal share of the rows, and its lanes are
 * numbered through. */
WEIR_DEV void spmv_op(const struct spmv_args *a, uint32_t worker, uint32_t workers)
{
    uint32_t sharing = a->sharing && a->sharing < workers ? a->sharing : workers;
    uint32_t groups = workers / sharing, group = worker / sharing;
    if (group >= groups) /* a last group that is not full has nothing */
        return;
    weir_tile_set rows = weir_tile_set_part(a->rows, group, groups);
    uint32_t from = weir_share_begin(a->rows.tiles, group, groups);
    uint32_t lane = worker % sharing * WEIR_LANES + weir_lane(), lanes = sharing * WEIR_LANES;
    switch (a->schedule) {
#define SPMV_CASE(schedule, sharing)                 \
    case SPMV_##schedule:                            \
        spmv_##schedule(a, rows, from, lane, lanes); \
        break;
        SPMV_SCHEDULES(SPMV_CASE)
#undef SPMV_CASE
    }
}

#endif
