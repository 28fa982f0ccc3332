/** @file schedule_tmpl.h  The schedules of schedule.h for one kind of tile set; a program includes it for a kind of its own.
 *
 *     #define WEIR_TILES mesh                  the prefix of all names: mesh_tile_set, mesh_group_start(), ...
 *     #define WEIR_TILES_BITS 64               numbers of tiles and atoms; 32 if left out
 *     #include <weir/worklist/schedule_tmpl.h>
 *
 * Before it stands the type PREFIX_tile_set, a plain value with a member `tiles`, and what tells tiles from atoms, in the
 * dialect. One of three, of which the template makes the rest:
 *
 * - where tiles lie: PREFIX_tile_set_first(set, tile) and PREFIX_tile_set_end(set, tile), tile < set.tiles, are the number of
 *   the tile's first atom and that of the atom behind its last, where the next tile begins;
 * - whose an atom is, with WEIR_TILES_BY_TILE defined: PREFIX_tile_set_tile(set, atom), atom < set.atoms, which is a member
 *   then. It never falls as atoms go up. Tiles are searched for among atoms;
 * - how long tiles are, with WEIR_TILES_BY_COUNT defined: PREFIX_tile_set_count(set, tile). Atoms have no numbers through
 *   the set then, so there are the schedules thread and team alone; PREFIX_scratch_fill() makes of some tiles a set for all.
 *
 * What is defined for this file is undefined at its end. The arithmetic is that of the numbers' width. */

#if WEIR_TILES_BITS + 0 == 64
#define WEIR__N    uint64_t
#define WEIR__S    weir_wide_tile_set
#define WEIR__SUMS weir_wide_scratch_sums
#else
#define WEIR__N    uint32_t
#define WEIR__S    weir_tile_set
#define WEIR__SUMS weir_scratch_sums
#endif
#define WEIR__P(name) WEIR_SCHEDULE_NAME(WEIR_TILES, name)

/* ---- shares, runs ------------------------------------------------------------------------------- */

/** Where share @p index of @p of equal, consecutive shares of @p count things begins; @p of > 0,
 *  @p index <= @p of. Shares differ by at most one, the longer ones come first. */
WEIR_DEV WEIR__N WEIR__P(share_begin)(WEIR__N count, WEIR__N index, WEIR__N of)
{
    WEIR__N each = count / of, longer = count - each * of;
    return index * each + (index < longer ? index : longer);
}

/** Atoms of one tile that one lane does: at, at + step, ... below end. */
typedef struct WEIR__P(tile_run) {
    WEIR__N tile;
    WEIR__N at, end,
        step; /**< the lane's loop moves `at` on to `end`, or behind it, where it may lie at once */
    WEIR__N first;  /**< of the tile; at - first is the atom counted within it */
    uint32_t whole; /**< these are all atoms of the tile, and no other lane is told of it so */
} WEIR__P(tile_run);

#ifdef WEIR_TILES_BY_ENDS
/** Consecutive equal share of the tiles, share @p index of @p of; for groups of lanes that each walk a
 *  part. Its tile 0 is tile weir_share_begin(set.tiles, index, of) of @p set. */
WEIR_DEV WEIR__P(tile_set) WEIR__P(tile_set_part)(WEIR__P(tile_set) set, WEIR__N index, WEIR__N of)
{
    WEIR__N begin = WEIR__P(share_begin)(set.tiles, index, of);
    WEIR__N end = WEIR__P(share_begin)(set.tiles, index + 1, of);
    WEIR__P(tile_set) part = {set.ends, end - begin, set.first};
    if (begin) { /* not for an empty set, whose `ends` may be NULL */
        part.ends = set.ends + begin;
        part.first = set.ends[begin - 1];
    }
    return part;
}
#endif

/* ---- where tiles and atoms lie ------------------------------------------------------------------ */

/* A tile with the atoms it begins and ends with, absolute. */
typedef struct WEIR__P(_span) {
    WEIR__N tile, begin, end;
} WEIR__P(_span);

/* Whether where tiles end is mostly at hand, in memory that the lanes of a block share: then it costs little to look at one after the other. */
WEIR_DEV int WEIR__P(_at_hand)(void)
{
#ifdef WEIR_TILES_BY_ENDS
    return 1;
#else
    return 0;
#endif
}

#include "worklist/tiles_tmpl.h"

/* ---- thread: a tile a lane --------------------------------------------------------------------- */

/** A lane of the thread-mapped schedule. */
typedef struct WEIR__P(thread_walk) {
    WEIR__N tile, coming; /* present tile, the one after it */
    WEIR__N atom, count;  /* next atom of the present tile, atoms it has */
    WEIR__N behind;       /* where the present tile ends */
    WEIR__N lanes;
} WEIR__P(thread_walk);

/** Begin: this lane has tiles lane, lane + lanes, .... */
WEIR_DEV void WEIR__P(thread_start)(WEIR__P(thread_walk) * walk, WEIR__P(tile_set) set,
                                    WEIR__N lane, WEIR__N lanes)
{
    (void)set;
    walk->tile = walk->atom = walk->count = walk->behind = 0;
    walk->coming = lane;
    walk->lanes = lanes;
}

/** The next atom of this lane. @return 0: there are none. */
WEIR_DEV int WEIR__P(thread_next)(WEIR__P(thread_walk) * walk, WEIR__P(tile_set) set, WEIR__N *tile,
                                  WEIR__N *atom)
{
    while (walk->atom == walk->count) {
        WEIR__P(_span) span;
        if (walk->coming >= set.tiles)
            return 0;
        walk->tile = walk->coming;
        WEIR__P(_enter)(set, walk->tile, walk->behind, &span);
        walk->count = span.end - span.begin;
        walk->behind = span.end;
        walk->atom = 0;
        /* Never past what a number holds, however many lanes there are. */
        walk->coming = set.tiles - walk->tile > walk->lanes ? walk->tile + walk->lanes : set.tiles;
    }
    *tile = walk->tile;
    *atom = walk->atom++;
    return 1;
}

/** The next tile of this lane, empty ones too. @return 0: there are none. */
WEIR_DEV int WEIR__P(thread_run)(WEIR__P(thread_walk) * walk, WEIR__P(tile_set) set,
                                 WEIR__P(tile_run) * run)
{
    WEIR__P(_span) span;
    if (walk->coming >= set.tiles)
        return 0;
    run->tile = walk->coming;
    WEIR__P(_enter)(set, run->tile, walk->behind, &span);
    run->at = run->first = span.begin;
    run->end = walk->behind = span.end;
    run->step = run->whole = 1;
    walk->coming = set.tiles - run->tile > walk->lanes ? run->tile + walk->lanes : set.tiles;
    return 1;
}

/* ---- team: a tile a team of lanes -------------------------------------------------------------- */

/** A lane of the team-mapped schedule. */
typedef struct WEIR__P(team_walk) {
    WEIR__N ahead,
        teams; /* how far on the next tile is, at first from tile 0; how far apart a team's tiles are */
    WEIR__N tile, behind; /* the present one, and where it ends */
    WEIR__N atom, count;  /* this lane's next atom of it, atoms it has */
    WEIR__N lane, lanes;  /* in the team */
} WEIR__P(team_walk);

/** Begin: lanes stand in teams of @p size that follow one another. Team t of n has tiles t, t + n, ..., and its lane l the
 *  atoms l, l + size, ... of each. Lanes that fill no team have nothing; a size above @p lanes is @p lanes. @p size > 0 */
WEIR_DEV void WEIR__P(team_start)(WEIR__P(team_walk) * walk, WEIR__P(tile_set) set, WEIR__N lane,
                                  WEIR__N lanes, WEIR__N size)
{
    walk->lanes = size < lanes ? size : lanes;
    walk->teams = lanes / walk->lanes;
    walk->ahead = lane / walk->lanes;
    walk->lane = lane % walk->lanes;
    walk->tile = walk->behind = walk->atom = walk->count = 0;
    if (walk->ahead >= walk->teams)
        walk->ahead = set.tiles;
}

/** The next tile of this lane's team: all lanes of a team come to the same tiles, whether they have atoms of them or not, so
 *  that they can add up what they have. Teams of a warp have different numbers of tiles, so their lanes ask until none has one:
 *
 *     for (int go = PREFIX_team_run(&walk, set, &run); weir_ballot(go); go = PREFIX_team_run(&walk, set, &run))
 *
 *  @return 0: there are none, however often a lane asks. */
WEIR_DEV int WEIR__P(team_run)(WEIR__P(team_walk) * walk, WEIR__P(tile_set) set,
                               WEIR__P(tile_run) * run)
{
    /* One answer, and no question whether this is the first tile: where tiles are shorter than a team, either shows. What follows
     * from the tile is not kept beside it, which costs the lane's loop a register. */
    const WEIR__N ahead = walk->ahead;
    const int go = set.tiles - run->tile > ahead;
    run->tile = go ? run->tile + ahead : set.tiles;
    walk->ahead = walk->teams;
    if (go) {
        WEIR__P(_span) span;
        WEIR__P(_enter)(set, run->tile, walk->behind, &span);
        const WEIR__N count = span.end - span.begin;
        run->first = span.begin;
        run->at = span.begin + walk->lane;
        run->end = walk->behind = span.end;
        run->step = walk->lanes;
        run->whole = walk->lane == 0 && (walk->lanes == 1 || count <= 1);
    }
    return go;
}

/** The next atom of this lane. @return 0: there are none. */
WEIR_DEV int WEIR__P(team_next)(WEIR__P(team_walk) * walk, WEIR__P(tile_set) set, WEIR__N *tile,
                                WEIR__N *atom)
{
    while (walk->atom >= walk->count) {
        WEIR__P(tile_run) run;
        run.tile = walk->tile;
        const int go = WEIR__P(team_run)(walk, set, &run);
        walk->tile = run.tile;
        if (!go)
            return 0;
        walk->atom = walk->lane;
        walk->count = run.end - run.first;
    }
    *tile = walk->tile;
    *atom = walk->atom;
    walk->atom = walk->count - walk->atom > walk->lanes ? walk->atom + walk->lanes : walk->count;
    return 1;
}

#ifndef WEIR_TILES_BY_COUNT

/* ---- strided: a tile at a time over all lanes -------------------------------------------------- */

/** A lane of the strided schedule. */
typedef struct WEIR__P(strided_walk) {
    WEIR__N coming;      /* the tile after the present one */
    WEIR__N end;         /* where the present tile ends, and that one begins */
    WEIR__N atom, count; /* this lane's next atom of the present tile, atoms it has */
    WEIR__N lane, lanes;
} WEIR__P(strided_walk);

/** Begin: this lane has atoms lane, lane + lanes, ... of every tile. */
WEIR_DEV void WEIR__P(strided_start)(WEIR__P(strided_walk) * walk, WEIR__P(tile_set) set,
                                     WEIR__N lane, WEIR__N lanes)
{
    walk->coming = walk->atom = walk->count = 0;
    walk->end = WEIR__P(_base)(set);
    walk->lane = lane;
    walk->lanes = lanes;
}

/** The next atom of this lane. @return 0: there are none. */
WEIR_DEV int WEIR__P(strided_next)(WEIR__P(strided_walk) * walk, WEIR__P(tile_set) set,
                                   WEIR__N *tile, WEIR__N *atom)
{
    while (walk->atom >= walk->count) {
        if (walk->coming >= set.tiles)
            return 0;
        WEIR__N end = WEIR__P(_behind)(set, walk->coming++, walk->end);
        walk->count = end - walk->end;
        walk->end = end;
        walk->atom = walk->lane;
    }
    *tile = walk->coming - 1;
    *atom = walk->atom;
    walk->atom = walk->count - walk->atom > walk->lanes ? walk->atom + walk->lanes : walk->count;
    return 1;
}

/** The next tile, whether this lane has atoms of it or not: all lanes come to all tiles. @return 0: there are none. */
WEIR_DEV int WEIR__P(strided_run)(WEIR__P(strided_walk) * walk, WEIR__P(tile_set) set,
                                  WEIR__P(tile_run) * run)
{
    if (walk->coming >= set.tiles)
        return 0;
    const WEIR__N first = walk->end, end = WEIR__P(_behind)(set, walk->coming, first);
    run->tile = walk->coming++;
    run->first = first;
    run->at = first + walk->lane;
    run->end = walk->end = end;
    run->step = walk->lanes;
    run->whole = walk->lane == 0 && (walk->lanes == 1 || end - first <= 1);
    return 1;
}

/** Over the lanes of a warp (32 on a GPU, 1 on the host): the strided walk. */
typedef WEIR__P(strided_walk) WEIR__P(warp_walk);

/** Begin: see weir_strided_start(). */
WEIR_DEV void WEIR__P(warp_start)(WEIR__P(warp_walk) * walk, WEIR__P(tile_set) set, WEIR__N lane,
                                  WEIR__N lanes)
{
    WEIR__P(strided_start)(walk, set, lane, lanes);
}

/** The next atom of this lane. @return 0: there are none. */
WEIR_DEV int WEIR__P(warp_next)(WEIR__P(warp_walk) * walk, WEIR__P(tile_set) set, WEIR__N *tile,
                                WEIR__N *atom)
{
    return WEIR__P(strided_next)(walk, set, tile, atom);
}

/** The next tile. @return 0: there are none. */
WEIR_DEV int WEIR__P(warp_run)(WEIR__P(warp_walk) * walk, WEIR__P(tile_set) set,
                               WEIR__P(tile_run) * run)
{
    return WEIR__P(strided_run)(walk, set, run);
}

/** Over the lanes of a block: the strided walk. */
typedef WEIR__P(strided_walk) WEIR__P(block_walk);

/** Begin: see weir_strided_start(). */
WEIR_DEV void WEIR__P(block_start)(WEIR__P(block_walk) * walk, WEIR__P(tile_set) set, WEIR__N lane,
                                   WEIR__N lanes)
{
    WEIR__P(strided_start)(walk, set, lane, lanes);
}

/** The next atom of this lane. @return 0: there are none. */
WEIR_DEV int WEIR__P(block_next)(WEIR__P(block_walk) * walk, WEIR__P(tile_set) set, WEIR__N *tile,
                                 WEIR__N *atom)
{
    return WEIR__P(strided_next)(walk, set, tile, atom);
}

/** The next tile. @return 0: there are none. */
WEIR_DEV int WEIR__P(block_run)(WEIR__P(block_walk) * walk, WEIR__P(tile_set) set,
                                WEIR__P(tile_run) * run)
{
    return WEIR__P(strided_run)(walk, set, run);
}

/* ---- group: the atoms of all tiles, evenly ----------------------------------------------------- */

/** A lane of the group-mapped schedule. */
typedef struct WEIR__P(group_walk) {
    WEIR__P(_span) span; /* present tile */
    WEIR__N at, last;    /* this lane's next atom, end of the set's atoms; absolute */
    WEIR__N lanes;
} WEIR__P(group_walk);

/* @return whether the lane has atoms. */
WEIR_DEV int WEIR__P(_group)(WEIR__P(group_walk) * walk, WEIR__P(tile_set) set, WEIR__N lane,
                             WEIR__N lanes)
{
    WEIR__N base = WEIR__P(_base)(set), last = WEIR__P(_last)(set), atoms = last - base;
    walk->lanes = lanes;
    walk->last = last;
    walk->at = lane < atoms ? base + lane : last;
    walk->span.begin = base;
    walk->span.end = last;
    walk->span.tile = 0;
    return lane < atoms;
}

/** Begin: this lane has atoms lane, lane + lanes, ... of the set. */
WEIR_DEV void WEIR__P(group_start)(WEIR__P(group_walk) * walk, WEIR__P(tile_set) set, WEIR__N lane,
                                   WEIR__N lanes)
{
    if (WEIR__P(_group)(walk, set, lane, lanes))
        WEIR__P(_find)(set, lane, &walk->span);
}

#ifdef WEIR_TILES_BY_ENDS
/** The same where tiles are few and their ends at hand, as in scratchpad memory: the lane goes along them to its first atom, and does
 *  not search, which costs a loop by tiles registers. */
WEIR_DEV void WEIR__P(group_along)(WEIR__P(group_walk) * walk, WEIR__P(tile_set) set, WEIR__N lane,
                                   WEIR__N lanes)
{
    if (WEIR__P(_group)(walk, set, lane, lanes))
        walk->span.end = WEIR__P(tile_set_end)(set, 0);
}
#endif

/** The next atom of this lane. @return 0: there are none. */
WEIR_DEV int WEIR__P(group_next)(WEIR__P(group_walk) * walk, WEIR__P(tile_set) set, WEIR__N *tile,
                                 WEIR__N *atom)
{
    if (walk->at == walk->last)
        return 0;
    if (walk->at >= walk->span.end)
        WEIR__P(_seek)(set, walk->at, walk->last, &walk->span);
    *tile = walk->span.tile;
    *atom = walk->at - walk->span.begin;
    walk->at = walk->last - walk->at > walk->lanes ? walk->at + walk->lanes : walk->last;
    return 1;
}

/** The next tile of which this lane has atoms, with these. The lane's loop must have moved run->at on. @return 0: there are none. */
WEIR_DEV int WEIR__P(group_run)(WEIR__P(group_walk) * walk, WEIR__P(tile_set) set,
                                WEIR__P(tile_run) * run)
{
    if (WEIR__P(_at_hand)()) {
        if (run->step == 0) {
            run->step = walk->lanes;
            run->at = walk->at;
        }
        if (run->at >= walk->last)
            return 0;
        if (run->at >= walk->span.end)
            WEIR__P(_step)(set, run->at, walk->last, run->step, &walk->span);
    } else if (run->step == 0) { /* the first, whose tile is known */
        run->step = walk->lanes;
        run->at = walk->at;
        if (run->at == walk->last)
            return 0;
    } else {
        if (run->at >= walk->last)
            return 0;
        WEIR__P(_step)(set, run->at, walk->last, run->step, &walk->span);
    }
    run->tile = walk->span.tile;
    run->first = walk->span.begin;
    run->end = walk->span.end;
    run->whole = run->at == run->first && (run->step == 1 || run->end - run->first == 1);
    return 1;
}

/* ---- merge: tiles and atoms, in consecutive shares --------------------------------------------- */

/** A lane of the merge-path schedule. */
typedef struct WEIR__P(merge_walk) {
    WEIR__P(_span) span; /* present tile */
    WEIR__N at;          /* this lane's next atom, absolute */
    WEIR__N left; /* steps of its share that are left: atoms, and ends of tiles; for `next` */
    WEIR__N stop,
        until; /* the tile that its share ends in, and the atom it ends before; for `run` */
} WEIR__P(merge_walk);

/** Begin: this lane has one of @p lanes equal, consecutive shares of atoms and tiles together. The path goes
 *  through all atoms and all ends of tiles, an end after the atoms of its tile. This lane's share of it
 *  begins after `done` steps; the search finds how many of these were ends of tiles. */
WEIR_DEV void WEIR__P(merge_start)(WEIR__P(merge_walk) * walk, WEIR__P(tile_set) set, WEIR__N lane,
                                   WEIR__N lanes)
{
    WEIR__N atoms = WEIR__P(tile_set_atoms)(set), steps = set.tiles + atoms;
    WEIR__N done = WEIR__P(share_begin)(steps, lane, lanes);
    walk->left = WEIR__P(share_begin)(steps, lane + 1, lanes) - done;
    walk->span.tile = walk->span.begin = walk->span.end = walk->at = walk->stop = walk->until = 0;
    if (walk->left)
        walk->at = WEIR__P(_split)(set, done, atoms, &walk->span);
}

/** The next atom of this lane. @return 0: there are none. */
WEIR_DEV int WEIR__P(merge_next)(WEIR__P(merge_walk) * walk, WEIR__P(tile_set) set, WEIR__N *tile,
                                 WEIR__N *atom)
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
            walk->span.end = WEIR__P(_behind)(set, walk->span.tile, walk->span.end);
    }
    return 0;
}

/* Where a share ends, for those who go by tiles: found when they begin. */
WEIR_DEV void WEIR__P(_until)(WEIR__P(merge_walk) * walk, WEIR__P(tile_set) set)
{
    const WEIR__N base = WEIR__P(_base)(set);
    const WEIR__N steps = walk->at - base + walk->span.tile + walk->left;
    if (walk->left == 0)
        return;
    walk->stop = WEIR__P(_ended)(set, steps, WEIR__P(tile_set_atoms)(set));
    walk->until = base + steps - walk->stop;
}

/** The next tile of this lane's share. Tiles are complete (run->whole) but for the first and the last; an empty tile comes to one
 *  lane, complete. @return 0: there are none. */
WEIR_DEV int WEIR__P(merge_run)(WEIR__P(merge_walk) * walk, WEIR__P(tile_set) set,
                                WEIR__P(tile_run) * run)
{
    if (run->step == 0) { /* the first */
        run->step = 1;
        WEIR__P(_until)(walk, set);
    }
    while (walk->span.tile < walk->stop) {
        run->tile = walk->span.tile++;
        run->first = walk->span.begin;
        run->at = walk->at;
        run->end = walk->at = walk->span.begin = WEIR__P(_behind)(set, run->tile, run->at);
        run->whole = run->at == run->first;
        if (run->whole ||
            run->at < run->end) /* not where other lanes did all of the first tile but its end */
            return 1;
    }
    if (walk->at >= walk->until)
        return 0;
    run->tile = walk->stop;
    run->first = walk->span.begin;
    run->at = walk->at;
    run->end = walk->at = walk->until;
    run->whole = run->at == run->first && run->end == WEIR__P(_behind)(set, run->tile, run->at);
    return 1;
}
/** The parts of a share apart, for loops that need not ask of each tile whether it is complete, in this order: head, once, gives the
 *  atoms of a tile that other lanes began; complete, until it returns 0, the tiles that are this lane's; tail those of a tile that
 *  others end. What is left of a tile by others has no
 *  atoms at times: then head or tail is all of it. @return 0: there are none. */
WEIR_DEV int WEIR__P(merge_head)(WEIR__P(merge_walk) * walk, WEIR__P(tile_set) set,
                                 WEIR__P(tile_run) * run)
{
    WEIR__P(_until)(walk, set);
    if (walk->at == walk->span.begin)
        return 0;
    run->tile = walk->span.tile;
    run->first = walk->span.begin;
    run->at = walk->at;
    run->step = 1;
    run->whole = 0;
    if (walk->span.tile < walk->stop) {
        walk->span.tile++;
        walk->span.begin = walk->at = walk->span.end;
    } else {
        walk->at = walk->until;
    }
    run->end = walk->at;
    return run->at < run->end;
}

/** See weir_merge_head(). */
WEIR_DEV int WEIR__P(merge_complete)(WEIR__P(merge_walk) * walk, WEIR__P(tile_set) set,
                                     WEIR__P(tile_run) * run)
{
    if (walk->span.tile >= walk->stop)
        return 0;
    run->tile = walk->span.tile++;
    run->first = run->at = walk->at;
    run->end = walk->at = WEIR__P(_behind)(set, run->tile, run->at);
    run->step = run->whole = 1;
    return 1;
}

/** See weir_merge_head(). */
WEIR_DEV int WEIR__P(merge_tail)(WEIR__P(merge_walk) * walk, WEIR__P(tile_set) set,
                                 WEIR__P(tile_run) * run)
{
    (void)set;
    if (walk->at >= walk->until)
        return 0;
    run->tile = walk->stop;
    run->first = run->at = walk->at;
    run->end = walk->at = walk->until;
    run->step = 1;
    run->whole = 0;
    return 1;
}
#endif

/* ---- prologue and epilogue of a tile, for loops by `next` ---------------------------------------- */

/** What a lane has done of the tile that it is at. It goes upwards through the tiles, so it comes to each once at most. */
typedef struct WEIR__P(tile_visit) {
    WEIR__N tile;
    WEIR__N atoms; /**< that the lane did, counted by whoever does them; 0: no visit is on */
} WEIR__P(tile_visit);

/** Before an atom of @p tile: whether the lane comes to the tile with it. Then the epilogue of the tile before is due, if
 *  visit->atoms is not 0, and the prologue of this one with weir_tile_visit_begin(). */
WEIR_DEV int WEIR__P(tile_visit_enters)(const WEIR__P(tile_visit) * visit, WEIR__N tile)
{
    return visit->atoms == 0 || visit->tile != tile;
}

/** The prologue. */
WEIR_DEV void WEIR__P(tile_visit_begin)(WEIR__P(tile_visit) * visit, WEIR__N tile)
{
    visit->tile = tile;
    visit->atoms = 0;
}

/** In the epilogue: whether the lane did all atoms of the tile, so that its result is the tile's and may be stored; other
 *  lanes did the rest, otherwise, and it is to be added with an atomic. */
WEIR_DEV int WEIR__P(tile_visit_whole)(const WEIR__P(tile_visit) * visit, WEIR__P(tile_set) set)
{
    return visit->atoms == WEIR__P(tile_set_count)(set, visit->tile);
}

/* ---- scratchpad: running sums of some tiles in memory that lanes share ----------------------------- */

#ifdef WEIR_TILES_BY_ENDS
/** Turn how long tiles are into where they end, in place, by a group of lanes of any number. @p words is memory that the lanes
 *  share, with the atoms of @p tiles tiles in it, written by whichever lanes. All lanes that @p scope names come here together, with
 *  the same @p lanes, be they of one group or of several, each with words of its own; a lane of no group brings 0 tiles. On a host
 *  device a lane is alone: 0 of 1. @param[in] scope  WEIR_SCRATCH_WARP if no group goes beyond a warp, else
 *  WEIR_SCRATCH_BLOCK; a constant. @return the tiles as a set of their own, whose atoms count from 0. */
WEIR_DEV WEIR__S WEIR__P(scratch_sums)(WEIR__N *words, WEIR__N tiles, uint32_t lane, uint32_t lanes,
                                       int scope)
{
    const WEIR__S set = {words, tiles, 0};
#if WEIR_TILES_BITS + 0 != 64
    if (WEIR_LANES > 1 && scope == WEIR_SCRATCH_WARP &&
        lanes == WEIR_LANES) { /* without barriers */
        uint32_t sum = 0;
        for (uint32_t i = 0; i < tiles; i += WEIR_LANES) {
            if (i && lane == 0) /* the first scan has let all lanes see all words */
                words[i] += sum;
            sum = weir_scan_u32(words + i, tiles - i < WEIR_LANES ? tiles - i : WEIR_LANES);
        }
        return set;
    }
#endif
    const WEIR__N from = WEIR__P(share_begin)(tiles, lane, lanes);
    const WEIR__N to = WEIR__P(share_begin)(tiles, lane + 1, lanes);
    WEIR__N sum = 0, before = 0;
    WEIR__SCRATCH_SYNC(scope);
    for (WEIR__N i = from; i < to; i++)
        words[i] = sum += words[i];
    /* Over the last word of each lane; the longer shares come first, so the lanes that have any follow one another. */
    for (uint32_t step = 1; step < lanes; step *= 2) {
        const int adds = to > from && lane >= step;
        WEIR__SCRATCH_SYNC(scope);
        before = adds ? words[WEIR__P(share_begin)(tiles, lane - step + 1, lanes) - 1] : 0;
        WEIR__SCRATCH_SYNC(scope);
        if (adds)
            words[to - 1] += before;
    }
    WEIR__SCRATCH_SYNC(scope);
    before = to > from && lane ? words[from - 1] : 0;
    for (WEIR__N i = from; i + 1 < to; i++)
        words[i] += before;
    WEIR__SCRATCH_SYNC(scope);
    return set;
}
#endif

/** Tiles @p from to @p from + @p tiles - 1 of a set as a set of their own, whose ends lie in @p words, memory that the lanes of a
 *  group share: tile t of it is tile from + t, and its atoms count from 0. The rest is as with weir_scratch_sums(); the group may
 *  still be walking what was in @p words before. The lanes then walk it by any schedule, mostly `group`. */
WEIR_DEV WEIR__S WEIR__P(scratch_fill)(WEIR__P(tile_set) set, WEIR__N from, WEIR__N tiles,
                                       WEIR__N *words, uint32_t lane, uint32_t lanes, int scope)
{
    WEIR__SCRATCH_SYNC(scope);
    for (WEIR__N i = lane; i < tiles; i += lanes)
        words[i] = WEIR__P(tile_set_count)(set, from + i);
    return WEIR__SUMS(words, tiles, lane, lanes, scope);
}

#undef WEIR_TILES
#undef WEIR_TILES_BITS
#undef WEIR_TILES_BY_ENDS
#undef WEIR_TILES_BY_TILE
#undef WEIR_TILES_BY_COUNT
#undef WEIR__N
#undef WEIR__S
#undef WEIR__SUMS
#undef WEIR__P
