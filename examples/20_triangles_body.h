/** @file 20_triangles_body.h  How many triangles a graph has: three vertices, each joined to both others.
 *
 * Every edge is kept in one direction, from the end of smaller degree to that of larger, so that no vertex has many arcs left and each
 * triangle is found once, by its smallest vertex (Schank, Wagner 2005). Of an arc (u, v) each far end w of v is looked for among those
 * of u. Rows of v differ widely in length, so a worker takes up to 32 of them together as tiles, and a schedule of
 * worklist/schedule.h deals their atoms out to its lanes. Rows of other devices are read where they lie. Most of what is looked for is not
 * there, and a small set of bits, which the worker fills in from the row of u, says so without a search. */
#ifndef WEIR_EXAMPLES_20_TRIANGLES_BODY_H
#define WEIR_EXAMPLES_20_TRIANGLES_BODY_H

#include <weir/algorithms/rows.h>
#include <weir/worklist/schedule.h>
#include <weir/worklist/steps.h>

#define TRI_SCHEDULE weir_group
enum {
    TRI_TILES = 32,
    TRI_WORKERS = 32, /* of a block, at most */
    TRI_FETCH = 8,    /* rows that a worker takes at a time */
    TRI_WORDS = 1024  /* of its set of bits, a power of two */
};
enum { TRI_FOUND = 0 }; /* result */

struct tri_args {
    struct weir_steps_member member;
    weir_rows_part rows;
    const uint64_t *offsets[WEIR_DEVICES_MAX]; /* of every device: its rows, */
    const uint32_t *targets[WEIR_DEVICES_MAX]; /* and their arcs */
    uint32_t *next;                            /* the first row that no worker has taken yet */
};

struct tri_tiles {
    const uint32_t *row[TRI_TILES];
    uint32_t ends[TRI_TILES];
    uint32_t bits[TRI_WORDS]; /* bit n % (32 * TRI_WORDS): number n may be in the row */
};

struct tri_shared {
    struct tri_tiles tiles[TRI_WORKERS];
};

/* Whether a value is among others, which ascend. Lanes take as many steps as each other, whatever they look for. */
WEIR_DEV int tri_has(const uint32_t *values, uint32_t count, uint32_t value)
{
    while (count > 1) {
        const uint32_t half = count / 2;
        values += values[half - 1] < value ? half : 0;
        count -= half;
    }
    return *values == value;
}

WEIR_DEV uint32_t *tri_word(struct tri_tiles *tiles, uint32_t number)
{
    return &tiles->bits[number / 32 % TRI_WORDS];
}

/* Up to TRI_TILES arcs of a row: the rows they lead to are tiles. All lanes of a worker. @return this lane's triangles. */
WEIR_DEV uint64_t tri_batch(const struct tri_args *a, struct tri_tiles *tiles, const uint32_t *row,
                            uint32_t degree, uint32_t from)
{
    const uint32_t count = degree - from < TRI_TILES ? degree - from : TRI_TILES;
    const weir_tile_set set = {tiles->ends, count, 0};
    WEIR_SCHEDULE_NAME(TRI_SCHEDULE, walk) walk;
    uint32_t tile, atom;
    uint64_t found = 0;
    for (uint32_t i = weir_lane(); i < count; i += WEIR_LANES) {
        const uint32_t number = row[from + i], owner = weir_steps_owner(a->rows.first, number);
        const uint64_t *bounds = a->offsets[owner] + (number - a->rows.first[owner]);
        tiles->row[i] = a->targets[owner] + bounds[0];
        tiles->ends[i] = (uint32_t)(bounds[1] - bounds[0]);
    }
    (void)weir_scan_u32(tiles->ends, count);
    WEIR_SCHEDULE_NAME(TRI_SCHEDULE, start)(&walk, set, weir_lane(), WEIR_LANES);
    while (WEIR_SCHEDULE_NAME(TRI_SCHEDULE, next)(&walk, set, &tile, &atom)) {
        const uint32_t number = tiles->row[tile][atom];
        if (*tri_word(tiles, number) >> number % 32 & 1u)
            found += (uint64_t)tri_has(row, degree, number);
    }
    weir_lanes_sync(); /* the next batch writes where others may still read */
    return found;
}

/* A row. All lanes of a worker, whose bits are all 0 before and after it. @return this lane's triangles. */
WEIR_DEV uint64_t tri_row(const struct tri_args *a, struct tri_tiles *tiles, const uint32_t *row,
                          uint32_t degree)
{
    uint64_t found = 0;
    if (degree < 2)
        return 0;
    for (uint32_t i = weir_lane(); i < degree; i += WEIR_LANES)
        (void)weir_atomic_or_relaxed_dev_u32(tri_word(tiles, row[i]), 1u << row[i] % 32);
    weir_lanes_sync();
    for (uint32_t from = 0; from < degree; from += TRI_TILES)
        found += tri_batch(a, tiles, row, degree, from);
    for (uint32_t i = weir_lane(); i < degree; i += WEIR_LANES)
        *tri_word(tiles, row[i]) = 0;
    weir_lanes_sync();
    return found;
}

WEIR_DEV void tri_body(const struct tri_args *a, struct tri_shared *shared,
                       struct weir_steps_block *b)
{
    const struct weir_steps_member *m = &a->member;
    struct tri_tiles *tiles = &shared->tiles[b->thread / WEIR_LANES];
    uint64_t found = 0;
    uint32_t row = 0, end = 0;
    for (uint32_t i = weir_lane(); i < TRI_WORDS; i += WEIR_LANES)
        tiles->bits[i] = 0;
    weir_lanes_sync();
    for (;; row++) {
        if (row == end) {
            row = weir_lane() ? 0 : weir_atomic_add_relaxed_dev_u32(a->next, TRI_FETCH);
            row = weir_broadcast_u32(row, 0);
            end = row + TRI_FETCH;
        }
        if (row >= a->rows.busy)
            break;
        const uint64_t first = a->rows.out.offsets[row];
        const uint32_t degree = (uint32_t)(a->rows.out.offsets[row + 1] - first);
        found += tri_row(a, tiles, a->rows.out.targets + first, degree);
    }
    if (weir_steps_sum(m, b, found, &found))
        return;
    if (b->block == 0 && b->thread == 0)
        weir_steps_mine(m)->result[TRI_FOUND] = found; /* of all devices */
}

#endif
