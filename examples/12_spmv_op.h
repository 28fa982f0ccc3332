/** @file 12_spmv_op.h  y = A x, in the common dialect: what a lane does, for any schedule.
 *
 * Rows are tiles and nonzeros are atoms. The matrix is one of integers, so that every order of adding
 * gives the same result (modulo 2^32). */
#ifndef WEIR_EXAMPLES_12_SPMV_OP_H
#define WEIR_EXAMPLES_12_SPMV_OP_H

#include <weir/worklist/tiles.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The schedules shown: a name, and how many workers of a device share a set of rows; 0: all of them. */
#define SPMV_SCHEDULES(X)  \
    X(weir_csr_thread, 0)  \
    X(team_of_4, 0)        \
    X(team_of_8, 0)        \
    X(team_of_32, 0)       \
    X(weir_csr_strided, 4) \
    X(weir_csr_group, 1)   \
    X(weir_csr_merge, 0)
#define SPMV_NUMBER(schedule, sharing) SPMV_##schedule,
enum { SPMV_SCHEDULES(SPMV_NUMBER) SPMV_COUNT };
#undef SPMV_NUMBER

struct spmv_args {
    weir_csr_tile_set rows;
    const uint32_t *columns, *values; /* of the nonzeros; no values: all are 1 */
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

/* What a lane has of a row. Whether there are values is a constant, so that it is not asked at each nonzero. */
WEIR_DEV uint32_t spmv_sum(const struct spmv_args *a, weir_csr_tile_run *run, int weighted)
{
    uint32_t sum = 0;
    for (; run->at < run->end; run->at += run->step)
        sum += (weighted ? a->values[run->at] : 1) * a->x[a->columns[run->at]];
    return sum;
}

/* A lane adds up what it gets of a row. It stores the sum if it had the whole row, and adds to it if others have parts. `from` is
 * the first row of this part of the matrix. */
#define SPMV_LANE(schedule)                                                                   \
    WEIR_DEV void spmv_##schedule(const struct spmv_args *a, weir_csr_tile_set rows,          \
                                  uint32_t from, uint32_t lane, uint32_t lanes, int weighted) \
    {                                                                                         \
        WEIR_SCHEDULE_NAME(schedule, walk) walk;                                              \
        weir_csr_tile_run run = WEIR_TILE_RUN_INIT;                                           \
        WEIR_SCHEDULE_NAME(schedule, start)(&walk, rows, lane, lanes);                        \
        while (WEIR_SCHEDULE_NAME(schedule, run)(&walk, rows, &run)) {                        \
            const uint32_t sum = spmv_sum(a, &run, weighted);                                 \
            if (run.whole)                                                                    \
                a->y[from + run.tile] = sum;                                                  \
            else if (sum)                                                                     \
                weir_add_relaxed_dev_u32(&a->y[from + run.tile], sum);                        \
        }                                                                                     \
    }
SPMV_LANE(weir_csr_thread)
SPMV_LANE(weir_csr_strided)
SPMV_LANE(weir_csr_group)
SPMV_LANE(weir_csr_merge)
#undef SPMV_LANE

/* A team of lanes has a row: they add up what they have, and the first stores it. The lanes of a warp stay together, since a sum
 * is over all of them at once; a host's worker is a lane, and a team of its own. */
WEIR_DEV void spmv_team(const struct spmv_args *a, weir_csr_tile_set rows, uint32_t from,
                        uint32_t lane, uint32_t lanes, uint32_t size, int weighted)
{
    weir_csr_team_walk walk;
    weir_csr_tile_run run = WEIR_TILE_RUN_INIT;
    size = size < WEIR_LANES ? size : WEIR_LANES;
    weir_csr_team_start(&walk, rows, lane, lanes, size);
    for (int go = weir_csr_team_run(&walk, rows, &run); weir_ballot(go);
         go = weir_csr_team_run(&walk, rows, &run)) {
        const uint32_t sum = weir_group_sum_u32(go ? spmv_sum(a, &run, weighted) : 0, size);
        if (go && lane % size == 0)
            a->y[from + run.tile] = sum;
    }
}

#define SPMV_TEAM(size)                                                                           \
    WEIR_DEV void spmv_team_of_##size(const struct spmv_args *a, weir_csr_tile_set rows,          \
                                      uint32_t from, uint32_t lane, uint32_t lanes, int weighted) \
    {                                                                                             \
        spmv_team(a, rows, from, lane, lanes, size, weighted);                                    \
    }
SPMV_TEAM(4)
SPMV_TEAM(8)
SPMV_TEAM(32)
#undef SPMV_TEAM

/* Workers stand in groups of a->sharing; each group has an equal share of the rows, and its lanes are
 * numbered through. */
WEIR_DEV void spmv_op(const struct spmv_args *a, uint32_t worker, uint32_t workers)
{
    uint32_t sharing = a->sharing && a->sharing < workers ? a->sharing : workers;
    uint32_t groups = workers / sharing, group = worker / sharing;
    if (group >= groups) /* a last group that is not full has nothing */
        return;
    weir_csr_tile_set rows = weir_csr_tile_set_part(a->rows, group, groups);
    uint32_t from = weir_share_begin(a->rows.tiles, group, groups);
    uint32_t lane = worker % sharing * WEIR_LANES + weir_lane(), lanes = sharing * WEIR_LANES;
    switch (a->schedule) {
#define SPMV_CASE(schedule, sharing)                        \
    case SPMV_##schedule:                                   \
        if (a->values)                                      \
            spmv_##schedule(a, rows, from, lane, lanes, 1); \
        else                                                \
            spmv_##schedule(a, rows, from, lane, lanes, 0); \
        break;
        SPMV_SCHEDULES(SPMV_CASE)
#undef SPMV_CASE
    }
}

#endif
