/** @file schedule.h  Load-balancing schedules: which lane does which atoms (Loops, sections 3 to 5).
 *
 * An *atom* is a unit of work, a *tile* a run of atoms, a *tile set* tiles that do not depend on each
 * other. A *schedule* deals the atoms of a set out to lanes. Schedule S has three names:
 *
 *     weir_S_walk walk;                                 a lane's place in the set
 *     weir_S_start(&walk, set, lane, lanes);            once; lane < lanes
 *     while (weir_S_next(&walk, set, &tile, &atom))     its tiles and atoms, until 0
 *         ...
 *
 * - `thread`   tiles lane, lane + lanes, ...; their atoms one by one.
 * - `strided`  each tile in turn, atoms lane, lane + lanes, ... of it; `warp` and `block` are this one.
 * - `group`    atoms lane, lane + lanes, ... of the whole set; the tile is searched for.
 * - `merge`    tiles and atoms together cut into equal, consecutive shares, one a lane (merge path).
 *
 * Every atom comes to one lane, once, for any number of lanes and tiles, empty tiles anywhere. `next`
 * counts atoms from 0 within their tile, and goes on returning 0 once it has. All are pure functions
 * for host code and kernels: they read `ends`, keep what they know in the walk, and wait for nobody,
 * so lanes may leave the loop at different times. The set must stay as it is while it is walked.
 *
 * What a lane adds up over the atoms of a tile it ends when it comes to another tile; weir_tile_visit says when, and
 * whether it had the tile for itself.
 *
 * A schedule of one's own is a header that defines NAME_walk, NAME_start and NAME_next likewise. A
 * program calls them; the worklist engine takes it as mapping "own" from an operator compiled with
 * the header included and WEIR_SCHEDULE defined to NAME before the engine's template
 * (docs/schedules.md). */
#ifndef WEIR_WORKLIST_SCHEDULE_H
#define WEIR_WORKLIST_SCHEDULE_H

#include "runtime/dialect.h"

/** Tiles and atoms, each numbered through: tile t has the atoms from (t ? ends[t - 1] : first) to
 *  ends[t] - 1. Of a matrix in CSR, `ends` is the array of row starts from its second entry on. A set
 *  has fewer than 2^32 tiles and atoms together; users with more cut it. A plain value: `ends` belongs to
 *  the caller, and may be NULL if there are no tiles. */
typedef struct weir_tile_set {
    const uint32_t *ends;
    uint32_t tiles;
    uint32_t first;
} weir_tile_set;

/** Name @p verb (walk, start, next) of a schedule; expands macros that stand for the schedule. */
#define WEIR_SCHEDULE_NAME(schedule, verb) WEIR_SCHEDULE_PASTE(schedule, verb)
/** For WEIR_SCHEDULE_NAME(). */
#define WEIR_SCHEDULE_PASTE(schedule, verb) schedule##_##verb

/** Number of the first atom of a tile; that of atom i of the tile is i more. @p tile may be set.tiles. */
WEIR_DEV uint32_t weir_tile_set_first(weir_tile_set set, uint32_t tile)
{
    return tile ? set.ends[tile - 1] : set.first;
}

/** Atoms of the set. */
WEIR_DEV uint32_t weir_tile_set_atoms(weir_tile_set set)
{
    return weir_tile_set_first(set, set.tiles) - set.first;
}

/** Where share @p index of @p of equal, consecutive shares of @p count things begins; @p of > 0,
 *  @p index <= @p of. Shares differ by at most one, the longer ones come first. */
WEIR_DEV uint32_t weir_share_begin(uint32_t count, uint32_t index, uint32_t of)
{
    uint32_t each = count / of, longer = count - each * of;
    return index * each + (index < longer ? index : longer);
}

/** Consecutive equal share of the tiles, share @p index of @p of; for groups of lanes that each walk a
 *  part. Its tile 0 is tile weir_share_begin(set.tiles, index, of) of @p set. */
WEIR_DEV weir_tile_set weir_tile_set_part(weir_tile_set set, uint32_t index, uint32_t of)
{
    uint32_t begin = weir_share_begin(set.tiles, index, of);
    uint32_t end = weir_share_begin(set.tiles, index + 1, of);
    weir_tile_set part = {set.ends, end - begin, set.first};
    if (begin) { /* not for an empty set, whose `ends` may be NULL */
        part.ends = set.ends + begin;
        part.first = set.ends[begin - 1];
    }
    return part;
}

/* ---- thread: a tile a lane --------------------------------------------------------------------- */

/** A lane of the thread-mapped schedule. */
typedef struct weir_thread_walk {
    uint32_t tile, coming; /* present tile, the one after it */
    uint32_t atom, count;  /* next atom of the present tile, atoms it has */
    uint32_t lanes;
} weir_thread_walk;

/** Begin: this lane has tiles lane, lane + lanes, .... */
WEIR_DEV void weir_thread_start(weir_thread_walk *walk, weir_tile_set set, uint32_t lane,
                                uint32_t lanes)
{
    (void)set;
    walk->tile = walk->atom = walk->count = 0;
    walk->coming = lane;
    walk->lanes = lanes;
}

/** The next atom of this lane. @return 0: there are none. */
WEIR_DEV int weir_thread_next(weir_thread_walk *walk, weir_tile_set set, uint32_t *tile,
                              uint32_t *atom)
{
    while (walk->atom == walk->count) {
        if (walk->coming >= set.tiles)
            return 0;
        walk->tile = walk->coming;
        walk->count = set.ends[walk->tile] - weir_tile_set_first(set, walk->tile);
        walk->atom = 0;
        /* Never past 2^32, however many lanes there are. */
        walk->coming = set.tiles - walk->tile > walk->lanes ? walk->tile + walk->lanes : set.tiles;
    }
    *tile = walk->tile;
    *atom = walk->atom++;
    return 1;
}

/* ---- strided: a tile at a time over all lanes -------------------------------------------------- */

/** A lane of the strided schedule. */
typedef struct weir_strided_walk {
    uint32_t coming;      /* the tile after the present one */
    uint32_t end;         /* where the present tile ends, and that one begins */
    uint32_t atom, count; /* this lane's next atom of the present tile, atoms it has */
    uint32_t lane, lanes;
} weir_strided_walk;

/** Begin: this lane has atoms lane, lane + lanes, ... of every tile. */
WEIR_DEV void weir_strided_start(weir_strided_walk *walk, weir_tile_set set, uint32_t lane,
                                 uint32_t lanes)
{
    walk->coming = walk->atom = walk->count = 0;
    walk->end = set.first;
    walk->lane = lane;
    walk->lanes = lanes;
}

/** The next atom of this lane. @return 0: there are none. */
WEIR_DEV int weir_strided_next(weir_strided_walk *walk, weir_tile_set set, uint32_t *tile,
                               uint32_t *atom)
{
    while (walk->atom >= walk->count) {
        if (walk->coming >= set.tiles)
            return 0;
        uint32_t end = set.ends[walk->coming++];
        walk->count = end - walk->end;
        walk->end = end;
        walk->atom = walk->lane;
    }
    *tile = walk->coming - 1;
    *atom = walk->atom;
    walk->atom = walk->count - walk->atom > walk->lanes ? walk->atom + walk->lanes : walk->count;
    return 1;
}

/** Over the lanes of a warp (32 on a GPU, 1 on the host): the strided walk. */
typedef weir_strided_walk weir_warp_walk;

/** Begin: see weir_strided_start(). */
WEIR_DEV void weir_warp_start(weir_warp_walk *walk, weir_tile_set set, uint32_t lane,
                              uint32_t lanes)
{
    weir_strided_start(walk, set, lane, lanes);
}

/** The next atom of this lane. @return 0: there are none. */
WEIR_DEV int weir_warp_next(weir_warp_walk *walk, weir_tile_set set, uint32_t *tile, uint32_t *atom)
{
    return weir_strided_next(walk, set, tile, atom);
}

/** Over the lanes of a block: the strided walk. */
typedef weir_strided_walk weir_block_walk;

/** Begin: see weir_strided_start(). */
WEIR_DEV void weir_block_start(weir_block_walk *walk, weir_tile_set set, uint32_t lane,
                               uint32_t lanes)
{
    weir_strided_start(walk, set, lane, lanes);
}

/** The next atom of this lane. @return 0: there are none. */
WEIR_DEV int weir_block_next(weir_block_walk *walk, weir_tile_set set, uint32_t *tile,
                             uint32_t *atom)
{
    return weir_strided_next(walk, set, tile, atom);
}

/** @cond internal */
/* ---- what group and merge search with ---------------------------------------------------------- */

/* A tile with the atoms it begins and ends with, absolute. */
typedef struct weir__tile_span {
    uint32_t tile, begin, end;
} weir__tile_span;

/* The first tile from `low` to `high` that ends beyond `limit` atoms, counted from the set's first, where
 * each tile before it weighs as many as `weight` atoms (a constant, 0 or 1); `high` if there is none.
 * In: span->begin is where `low` begins, span->end where `high` ends. Three probes at a time that do
 * not wait for each other: half as many steps, and no load after the last, for a tile's bounds were
 * among the probes. */
WEIR_DEV void weir__tile_search(weir_tile_set set, uint32_t low, uint32_t high, uint32_t limit,
                                uint32_t weight, weir__tile_span *span)
{
    while (low < high) {
        uint32_t width = high - low;
        uint32_t a = low + (width >> 2), b = low + (width >> 1), c = high - 1 - (width >> 2);
        uint32_t end_a = set.ends[a], end_b = set.ends[b], end_c = set.ends[c];
        if (end_c - set.first + weight * c <= limit) {
            low = c + 1;
            span->begin = end_c;
        } else if (end_b - set.first + weight * b <= limit) {
            low = b + 1, high = c;
            span->begin = end_b, span->end = end_c;
        } else if (end_a - set.first + weight * a <= limit) {
            low = a + 1, high = b;
            span->begin = end_a, span->end = end_b;
        } else {
            high = a;
            span->end = end_a;
        }
    }
    span->tile = low;
}
/** @endcond */

/* ---- group: the atoms of all tiles, evenly ----------------------------------------------------- */

/** A lane of the group-mapped schedule. */
typedef struct weir_group_walk {
    weir__tile_span span; /* present tile */
    uint32_t at, last;    /* this lane's next atom, end of the set's atoms; absolute */
    uint32_t lanes;
} weir_group_walk;

/** Begin: this lane has atoms lane, lane + lanes, ... of the set. */
WEIR_DEV void weir_group_start(weir_group_walk *walk, weir_tile_set set, uint32_t lane,
                               uint32_t lanes)
{
    uint32_t last = weir_tile_set_first(set, set.tiles), atoms = last - set.first;
    walk->lanes = lanes;
    walk->last = last;
    walk->at = lane < atoms ? set.first + lane : last;
    walk->span.begin = set.first;
    walk->span.end = last;
    walk->span.tile = 0;
    if (lane < atoms)
        weir__tile_search(set, 0, set.tiles - 1, lane, 0, &walk->span);
}

/** @cond internal */
/* Go on to the tile of atom `at`, which lies behind the present one: in steps that grow fourfold, since
 * it is mostly near, then back into the last step. */
WEIR_DEV void weir__group_seek(weir_group_walk *walk, weir_tile_set set)
{
    uint32_t low = walk->span.tile + 1, high = set.tiles - 1;
    walk->span.begin = walk->span.end;
    walk->span.end = walk->last;
    for (uint32_t reach = 3; high - low > reach; reach = reach * 4 + 3) {
        uint32_t end = set.ends[low + reach];
        if (end > walk->at) {
            high = low + reach;
            walk->span.end = end;
            break;
        }
        low += reach + 1;
        walk->span.begin = end;
    }
    weir__tile_search(set, low, high, walk->at - set.first, 0, &walk->span);
}
/** @endcond */

/** The next atom of this lane. @return 0: there are none. */
WEIR_DEV int weir_group_next(weir_group_walk *walk, weir_tile_set set, uint32_t *tile,
                             uint32_t *atom)
{
    if (walk->at == walk->last)
        return 0;
    if (walk->at >= walk->span.end)
        weir__group_seek(walk, set);
    *tile = walk->span.tile;
    *atom = walk->at - walk->span.begin;
    walk->at = walk->last - walk->at > walk->lanes ? walk->at + walk->lanes : walk->last;
    return 1;
}

/* ---- merge: tiles and atoms, in consecutive shares --------------------------------------------- */

/** A lane of the merge-path schedule. */
typedef struct weir_merge_walk {
    weir__tile_span span; /* present tile */
    uint32_t at;          /* this lane's next atom, absolute */
    uint32_t left;        /* steps of its share that are left: atoms, and ends of tiles */
} weir_merge_walk;

/** Begin: this lane has one of @p lanes equal, consecutive shares of atoms and tiles together. The path goes
 *  through all atoms and all ends of tiles, an end after the atoms of its tile. This lane's share of it
 *  begins after `done` steps; the search finds how many of these were ends of tiles. */
WEIR_DEV void weir_merge_start(weir_merge_walk *walk, weir_tile_set set, uint32_t lane,
                               uint32_t lanes)
{
    uint32_t atoms = weir_tile_set_atoms(set), steps = set.tiles + atoms;
    uint32_t done = weir_share_begin(steps, lane, lanes);
    walk->left = weir_share_begin(steps, lane + 1, lanes) - done;
    walk->span.tile = walk->span.begin = walk->span.end = walk->at = 0;
    if (!walk->left)
        return;
    /* With `done` 0 nothing is searched, so its limit of -1 is never looked at. */
    weir__tile_search(set, done > atoms ? done - atoms : 0, done < set.tiles ? done : set.tiles,
                      done - 1, 1, &walk->span);
    walk->span.begin = weir_tile_set_first(set, walk->span.tile);
    walk->span.end = set.ends[walk->span.tile]; /* there is such a tile: its end is yet to come */
    walk->at = set.first + done - walk->span.tile;
}

/** The next atom of this lane. @return 0: there are none. */
WEIR_DEV int weir_merge_next(weir_merge_walk *walk, weir_tile_set set, uint32_t *tile,
                             uint32_t *atom)
{
    for (; walk->left; walk->left--) {
        if (walk->at < walk->span.end) {
            walk->left--;
            *tile = walk->span.tile;
            *atom = walk->at++ - walk->span.begin;
            return 1;
        }
        walk->span.begin = walk->span.end;
        if (++walk->span.tile < set.tiles)
            walk->span.end = set.ends[walk->span.tile];
    }
    return 0;
}

/* ---- prologue and epilogue of a tile ------------------------------------------------------------ */

/** What a lane has done of the tile that it is at. It goes upwards through the tiles, so it comes to each once at most. */
typedef struct weir_tile_visit {
    uint32_t tile;
    uint32_t atoms; /**< that the lane did, counted by whoever does them; 0: no visit is on */
} weir_tile_visit;
/** Before the first atom. */
#define WEIR_TILE_VISIT_INIT \
    {                        \
        0, 0                 \
    }

/** Before an atom of @p tile: whether the lane comes to the tile with it. Then the epilogue of the tile before is due, if
 *  visit->atoms is not 0, and the prologue of this one with weir_tile_visit_begin(). */
WEIR_DEV int weir_tile_visit_enters(const weir_tile_visit *visit, uint32_t tile)
{
    return visit->atoms == 0 || visit->tile != tile;
}

/** The prologue. */
WEIR_DEV void weir_tile_visit_begin(weir_tile_visit *visit, uint32_t tile)
{
    visit->tile = tile;
    visit->atoms = 0;
}

/** In the epilogue: whether the lane did all atoms of the tile, so that its result is the tile's and may be stored; other
 *  lanes did the rest, otherwise, and it is to be added with an atomic. */
WEIR_DEV int weir_tile_visit_whole(const weir_tile_visit *visit, weir_tile_set set)
{
    return visit->atoms == set.ends[visit->tile] - weir_tile_set_first(set, visit->tile);
}

#endif
