/** @file 26_walk_cost_op.h  y = A x by every schedule, twice: as one would write the loop by hand, and by the walk.
 *
 * Both forms of a schedule have the same lanes do the same atoms in the same order, and end a row in the same way. A form is
 * named FORM_SCHEDULE. */
#ifndef WEIR_EXAMPLES_26_WALK_COST_OP_H
#define WEIR_EXAMPLES_26_WALK_COST_OP_H

#include <weir/worklist/tiles.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The schedules, and what they are of. */
#define COST_SCHEDULES(X)                                     \
    X(thread, "rows to lanes in turn")                        \
    X(team, "rows to teams of eight lanes in turn")           \
    X(warp, "a worker its part, a row at a time")             \
    X(block, "four workers their part, a row at a time")      \
    X(group, "a worker its part, nonzeros in turn")           \
    X(scratch, "a worker 32 rows at a time, ends in scratch") \
    X(merge, "rows and nonzeros in equal shares")
#define COST_NUMBER(schedule, text) COST_##schedule,
enum { COST_SCHEDULES(COST_NUMBER) COST_COUNT };
#undef COST_NUMBER

struct cost_args {
    const uint32_t *offsets; /* rows + 1 */
    const uint32_t *columns;
    const float *values, *x;
    float *y; /* zero at first */
    uint32_t rows;
    uint32_t schedule, by_hand;
};

/* The CUDA form of the kernel (26_walk_cost.cu); returns a cudaError_t. */
int cost_cuda(void *stream, uint32_t workers, const void *args);

#ifdef __cplusplus
}
#endif

/* Where a lane stands. */
struct cost_place {
    uint32_t worker, workers;
    uint32_t lane, lanes; /* of all workers */
    uint32_t *scratch;    /* COST_TILES words that the lanes of a worker share */
};

#define COST_TEAM  8u
#define COST_TILES 32u

WEIR_DEV float cost_term(const struct cost_args *a, uint32_t i)
{
    return a->values[i] * a->x[a->columns[i]];
}

WEIR_DEV void cost_add(const struct cost_args *a, uint32_t row, float sum)
{
    weir_add_relaxed_dev_f32(&a->y[row], sum);
}

WEIR_DEV weir_csr_tile_set cost_tiles(const struct cost_args *a)
{
    weir_csr_tile_set set = {a->offsets, a->rows};
    return set;
}

/* ---- thread ------------------------------------------------------------------------------------ */

WEIR_DEV void hand_thread(const struct cost_args *a, const struct cost_place *p)
{
    for (uint32_t row = p->lane; row < a->rows; row += p->lanes) {
        float sum = 0;
        const uint32_t end = a->offsets[row + 1];
        for (uint32_t i = a->offsets[row]; i < end; i++)
            sum += cost_term(a, i);
        a->y[row] = sum;
    }
}

WEIR_DEV void walk_thread(const struct cost_args *a, const struct cost_place *p)
{
    const weir_csr_tile_set set = cost_tiles(a);
    weir_csr_thread_walk walk;
    weir_csr_tile_run run = WEIR_TILE_RUN_INIT;
    weir_csr_thread_start(&walk, set, p->lane, p->lanes);
    while (weir_csr_thread_run(&walk, set, &run)) {
        float sum = 0;
        for (; run.at < run.end; run.at++)
            sum += cost_term(a, run.at);
        a->y[run.tile] = sum;
    }
}

/* ---- team: its lanes add up what they have, then the first stores it ---------------------------- */

WEIR_DEV void hand_team(const struct cost_args *a, const struct cost_place *p)
{
    const uint32_t size = COST_TEAM < WEIR_LANES ? COST_TEAM : WEIR_LANES;
    const uint32_t teams = p->lanes / size, mine = p->lane % size;
    for (uint32_t row = p->lane / size; weir_ballot(row < a->rows); row += teams) {
        float sum = 0;
        if (row < a->rows) {
            const uint32_t end = a->offsets[row + 1];
            for (uint32_t i = a->offsets[row] + mine; i < end; i += size)
                sum += cost_term(a, i);
        }
        sum = weir_group_sum_f32(sum, size);
        if (row < a->rows && mine == 0)
            a->y[row] = sum;
    }
}

WEIR_DEV void walk_team(const struct cost_args *a, const struct cost_place *p)
{
    const uint32_t size = COST_TEAM < WEIR_LANES ? COST_TEAM : WEIR_LANES;
    const weir_csr_tile_set set = cost_tiles(a);
    weir_csr_team_walk walk;
    weir_csr_tile_run run = WEIR_TILE_RUN_INIT;
    weir_csr_team_start(&walk, set, p->lane, p->lanes, size);
    for (int go = weir_csr_team_run(&walk, set, &run); weir_ballot(go);
         go = weir_csr_team_run(&walk, set, &run)) {
        float sum = 0;
        if (go)
            for (; run.at < run.end; run.at += size)
                sum += cost_term(a, run.at);
        sum = weir_group_sum_f32(sum, size);
        if (go && p->lane % size == 0)
            a->y[run.tile] = sum;
    }
}

/* ---- warp, block: some workers have a part of the rows, and do a row together ------------------- */

WEIR_DEV void hand_strided(const struct cost_args *a, const struct cost_place *p, uint32_t sharing)
{
    const uint32_t groups = p->workers / sharing, group = p->worker / sharing;
    const uint32_t lanes = sharing * WEIR_LANES, lane = p->lane % lanes;
    if (group >= groups)
        return;
    const uint32_t to = weir_share_begin(a->rows, group + 1, groups);
    for (uint32_t row = weir_share_begin(a->rows, group, groups); row < to; row++) {
        float sum = 0;
        const uint32_t end = a->offsets[row + 1];
        for (uint32_t i = a->offsets[row] + lane; i < end; i += lanes)
            sum += cost_term(a, i);
        sum = weir_group_sum_f32(sum, WEIR_LANES);
        if (sharing == 1 && weir_lane() == 0)
            a->y[row] = sum;
        else if (sharing > 1 && weir_lane() == 0 && sum != 0)
            cost_add(a, row, sum);
    }
}

WEIR_DEV void walk_strided(const struct cost_args *a, const struct cost_place *p, uint32_t sharing)
{
    const uint32_t groups = p->workers / sharing, group = p->worker / sharing;
    const uint32_t lanes = sharing * WEIR_LANES;
    if (group >= groups)
        return;
    const weir_csr_tile_set set = weir_csr_tile_set_part(cost_tiles(a), group, groups);
    const uint32_t from = weir_share_begin(a->rows, group, groups);
    weir_csr_strided_walk walk;
    weir_csr_tile_run run = WEIR_TILE_RUN_INIT;
    weir_csr_strided_start(&walk, set, p->lane % lanes, lanes);
    while (weir_csr_strided_run(&walk, set, &run)) {
        float sum = 0;
        for (; run.at < run.end; run.at += lanes)
            sum += cost_term(a, run.at);
        sum = weir_group_sum_f32(sum, WEIR_LANES);
        if (sharing == 1 && weir_lane() == 0)
            a->y[from + run.tile] = sum;
        else if (sharing > 1 && weir_lane() == 0 && sum != 0)
            cost_add(a, from + run.tile, sum);
    }
}

WEIR_DEV void hand_warp(const struct cost_args *a, const struct cost_place *p)
{
    hand_strided(a, p, 1);
}

WEIR_DEV void walk_warp(const struct cost_args *a, const struct cost_place *p)
{
    walk_strided(a, p, 1);
}

WEIR_DEV void hand_block(const struct cost_args *a, const struct cost_place *p)
{
    hand_strided(a, p, p->workers < 4 ? p->workers : 4);
}

WEIR_DEV void walk_block(const struct cost_args *a, const struct cost_place *p)
{
    walk_strided(a, p, p->workers < 4 ? p->workers : 4);
}

/* ---- group: a worker has a part of the rows, whose nonzeros go to its lanes in turn ------------- */

/* The row of nonzero i, which is in [row, to). */
WEIR_DEV uint32_t cost_row_of(const uint32_t *offsets, uint32_t row, uint32_t to, uint32_t i)
{
    while (to - row > 1) {
        const uint32_t middle = row + (to - row) / 2;
        if (offsets[middle] <= i)
            row = middle;
        else
            to = middle;
    }
    return row;
}

WEIR_DEV void hand_group(const struct cost_args *a, const struct cost_place *p)
{
    uint32_t row = weir_share_begin(a->rows, p->worker, p->workers);
    const uint32_t to = weir_share_begin(a->rows, p->worker + 1, p->workers);
    const uint32_t last = a->offsets[to];
    uint32_t i = a->offsets[row] + weir_lane();
    if (i >= last)
        return;
    row = cost_row_of(a->offsets, row, to, i);
    while (i < last) {
        float sum = 0;
        uint32_t end = a->offsets[row + 1];
        while (end <= i) /* rows are short where it matters, so the next is near */
            end = a->offsets[++row + 1];
        for (; i < end; i += WEIR_LANES)
            sum += cost_term(a, i);
        if (WEIR_LANES == 1)
            a->y[row] = sum;
        else
            cost_add(a, row, sum);
    }
}

WEIR_DEV void walk_group(const struct cost_args *a, const struct cost_place *p)
{
    const weir_csr_tile_set set = weir_csr_tile_set_part(cost_tiles(a), p->worker, p->workers);
    const uint32_t from = weir_share_begin(a->rows, p->worker, p->workers);
    weir_csr_group_walk walk;
    weir_csr_tile_run run = WEIR_TILE_RUN_INIT;
    weir_csr_group_start(&walk, set, weir_lane(), WEIR_LANES);
    while (weir_csr_group_run(&walk, set, &run)) {
        float sum = 0;
        for (; run.at < run.end; run.at += WEIR_LANES)
            sum += cost_term(a, run.at);
        if (WEIR_LANES == 1)
            a->y[from + run.tile] = sum;
        else
            cost_add(a, from + run.tile, sum);
    }
}

/* ---- scratch: a worker takes 32 rows at a time, and looks for the row of a nonzero in memory of its own ---- */

WEIR_DEV void hand_scratch(const struct cost_args *a, const struct cost_place *p)
{
    for (uint32_t row = p->worker * COST_TILES; row < a->rows; row += p->workers * COST_TILES) {
        const uint32_t count = a->rows - row < COST_TILES ? a->rows - row : COST_TILES;
        const uint32_t first = a->offsets[row];
        weir_lanes_sync();
        for (uint32_t t = weir_lane(); t < count; t += WEIR_LANES)
            p->scratch[t] = a->offsets[row + t + 1] - a->offsets[row + t];
        const uint32_t atoms = weir_scan_u32(p->scratch, count);
        uint32_t tile = 0;
        for (uint32_t i = weir_lane(); i < atoms;) {
            float sum = 0;
            while (p->scratch[tile] <= i)
                tile++;
            const uint32_t end = p->scratch[tile];
            for (; i < end; i += WEIR_LANES)
                sum += cost_term(a, first + i);
            if (WEIR_LANES == 1)
                a->y[row + tile] = sum;
            else
                cost_add(a, row + tile, sum);
        }
    }
}

WEIR_DEV void walk_scratch(const struct cost_args *a, const struct cost_place *p)
{
    for (uint32_t row = p->worker * COST_TILES; row < a->rows; row += p->workers * COST_TILES) {
        const uint32_t count = a->rows - row < COST_TILES ? a->rows - row : COST_TILES;
        const uint32_t first = a->offsets[row];
        const weir_tile_set set = weir_csr_scratch_fill(cost_tiles(a), row, count, p->scratch,
                                                        weir_lane(), WEIR_LANES, WEIR_SCRATCH_WARP);
        weir_group_walk walk;
        weir_tile_run run = WEIR_TILE_RUN_INIT;
        weir_group_along(&walk, set, weir_lane(), WEIR_LANES);
        while (weir_group_run(&walk, set, &run)) {
            float sum = 0;
            for (; run.at < run.end; run.at += WEIR_LANES)
                sum += cost_term(a, first + run.at);
            if (WEIR_LANES == 1)
                a->y[row + run.tile] = sum;
            else
                cost_add(a, row + run.tile, sum);
        }
    }
}

/* ---- merge: after Merrill and Garland ----------------------------------------------------------- */

/* How many rows have ended after `done` steps. */
WEIR_DEV uint32_t cost_rows_ended(const struct cost_args *a, uint32_t atoms, uint32_t done)
{
    uint32_t low = done > atoms ? done - atoms : 0, high = done < a->rows ? done : a->rows;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (a->offsets[middle + 1] + middle < done)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

WEIR_DEV void hand_merge(const struct cost_args *a, const struct cost_place *p)
{
    const uint32_t atoms = a->offsets[a->rows], steps = atoms + a->rows;
    const uint32_t done = weir_share_begin(steps, p->lane, p->lanes);
    const uint32_t until = weir_share_begin(steps, p->lane + 1, p->lanes);
    uint32_t row = cost_rows_ended(a, atoms, done), i = done - row;
    const uint32_t row_end = cost_rows_ended(a, atoms, until), end = until - row_end;
    if (row < row_end && i > a->offsets[row]) { /* others have the beginning of the first row */
        float sum = 0;
        for (; i < a->offsets[row + 1]; i++)
            sum += cost_term(a, i);
        cost_add(a, row++, sum);
    }
    for (; row < row_end; row++) {
        float sum = 0;
        const uint32_t last = a->offsets[row + 1];
        for (; i < last; i++)
            sum += cost_term(a, i);
        a->y[row] = sum;
    }
    if (i < end) {
        float sum = 0;
        for (; i < end; i++)
            sum += cost_term(a, i);
        cost_add(a, row, sum);
    }
}

WEIR_DEV float cost_sum(const struct cost_args *a, const weir_csr_tile_run *run)
{
    float sum = 0;
    for (uint32_t i = run->at; i < run->end; i++)
        sum += cost_term(a, i);
    return sum;
}

WEIR_DEV void walk_merge(const struct cost_args *a, const struct cost_place *p)
{
    const weir_csr_tile_set set = cost_tiles(a);
    weir_csr_merge_walk walk;
    weir_csr_tile_run run = WEIR_TILE_RUN_INIT;
    weir_csr_merge_start(&walk, set, p->lane, p->lanes);
    if (weir_csr_merge_head(&walk, set, &run))
        cost_add(a, run.tile, cost_sum(a, &run));
    while (weir_csr_merge_complete(&walk, set, &run))
        a->y[run.tile] = cost_sum(a, &run);
    if (weir_csr_merge_tail(&walk, set, &run))
        cost_add(a, run.tile, cost_sum(a, &run));
}

#endif
