/** @file tiles_tmpl.h  A part of schedule_tmpl.h: where tiles and atoms of a set lie, for the walks, whatever tells it.
 *
 *     _base, _last           the set's first atom, and the atom behind its last
 *     _enter                 a tile's first atom and its end; `behind` is where a tile of less number ends
 *     _behind                where a tile ends that is known to begin at `begin`
 *     _find, _seek           the tile of an atom: of the n-th of the set; of one that lies behind a known tile
 *     _step                  the same as _seek, where the tile is mostly the next one
 *     _ended, _split         of the merge path: how many tiles have ended after so many steps; where a share begins */

#ifdef WEIR_TILES_BY_COUNT
/* ---- by how long tiles are: each has its atoms from 0 on ----------------------------------------- */

WEIR_DEV void WEIR__P(_enter)(WEIR__P(tile_set) set, WEIR__N tile, WEIR__N behind,
                              WEIR__P(_span) * span)
{
    (void)behind;
    span->begin = 0;
    span->end = WEIR__P(tile_set_count)(set, tile);
}

#else
#ifdef WEIR_TILES_BY_TILE
/* ---- by whose an atom is ------------------------------------------------------------------------- */

WEIR_DEV WEIR__N WEIR__P(_base)(WEIR__P(tile_set) set)
{
    (void)set;
    return 0;
}

WEIR_DEV WEIR__N WEIR__P(_last)(WEIR__P(tile_set) set)
{
    return set.atoms;
}

/* The first atom from `low` to `high` that is of `tile` or of one behind it; `high` if there is none. */
WEIR_DEV WEIR__N WEIR__P(_bound)(WEIR__P(tile_set) set, WEIR__N low, WEIR__N high, WEIR__N tile)
{
    while (low < high) {
        const WEIR__N middle = low + (high - low) / 2;
        if (WEIR__P(tile_set_tile)(set, middle) < tile)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The same from `low` to the set's end, where it is mostly near `low`: in steps that grow twofold. */
WEIR_DEV WEIR__N WEIR__P(_ahead)(WEIR__P(tile_set) set, WEIR__N low, WEIR__N tile)
{
    WEIR__N high = set.atoms;
    for (WEIR__N reach = 0; high - low > reach; reach = reach * 2 + 1) {
        if (WEIR__P(tile_set_tile)(set, low + reach) >= tile) {
            high = low + reach;
            break;
        }
        low += reach + 1;
    }
    return WEIR__P(_bound)(set, low, high, tile);
}

/** Number of the first atom of a tile, or of those behind it if it is empty. A search. */
WEIR_DEV WEIR__N WEIR__P(tile_set_first)(WEIR__P(tile_set) set, WEIR__N tile)
{
    return WEIR__P(_bound)(set, 0, set.atoms, tile);
}

WEIR_DEV WEIR__N WEIR__P(_behind)(WEIR__P(tile_set) set, WEIR__N tile, WEIR__N begin)
{
    return WEIR__P(_ahead)(set, begin, tile + 1);
}

/** Number of the atom behind the last of a tile. A search. */
WEIR_DEV WEIR__N WEIR__P(tile_set_end)(WEIR__P(tile_set) set, WEIR__N tile)
{
    return WEIR__P(_bound)(set, 0, set.atoms, tile + 1);
}

WEIR_DEV void WEIR__P(_enter)(WEIR__P(tile_set) set, WEIR__N tile, WEIR__N behind,
                              WEIR__P(_span) * span)
{
    span->begin = WEIR__P(_ahead)(set, behind, tile);
    span->end = WEIR__P(_behind)(set, tile, span->begin);
}

/* `low` is not behind the first atom of the tile of atom `at`. */
WEIR_DEV void WEIR__P(_around)(WEIR__P(tile_set) set, WEIR__N at, WEIR__N low,
                               WEIR__P(_span) * span)
{
    WEIR__N high = at;
    span->tile = WEIR__P(tile_set_tile)(set, at);
    for (WEIR__N reach = 1; high - low > reach; reach *= 2) {
        if (WEIR__P(tile_set_tile)(set, high - reach) < span->tile) {
            low = high - reach + 1;
            break;
        }
        high -= reach;
    }
    span->begin = WEIR__P(_bound)(set, low, high, span->tile);
    span->end = WEIR__P(_behind)(set, span->tile, at + 1);
}

WEIR_DEV void WEIR__P(_find)(WEIR__P(tile_set) set, WEIR__N nth, WEIR__P(_span) * span)
{
    WEIR__P(_around)(set, nth, 0, span);
}

WEIR_DEV void WEIR__P(_seek)(WEIR__P(tile_set) set, WEIR__N at, WEIR__N last, WEIR__P(_span) * span)
{
    (void)last;
    WEIR__P(_around)(set, at, span->end, span);
}

WEIR_DEV void WEIR__P(_step)(WEIR__P(tile_set) set, WEIR__N at, WEIR__N last, WEIR__N step,
                             WEIR__P(_span) * span)
{
    (void)step;
    WEIR__P(_seek)(set, at, last, span);
}

/* An atom is a step behind all atoms before it and all ends of tiles of less number. */
WEIR_DEV WEIR__N WEIR__P(_ended)(WEIR__P(tile_set) set, WEIR__N done, WEIR__N atoms)
{
    WEIR__N low = done > set.tiles ? done - set.tiles : 0, high = done < atoms ? done : atoms;
    while (low < high) {
        const WEIR__N middle = low + (high - low) / 2;
        if (middle + WEIR__P(tile_set_tile)(set, middle) < done)
            low = middle + 1;
        else
            high = middle;
    }
    return done - low;
}

WEIR_DEV WEIR__N WEIR__P(_split)(WEIR__P(tile_set) set, WEIR__N done, WEIR__N atoms,
                                 WEIR__P(_span) * span)
{
    span->tile = WEIR__P(_ended)(set, done, atoms);
    span->begin = WEIR__P(_bound)(set, 0, done - span->tile, span->tile);
    span->end = WEIR__P(_behind)(set, span->tile, done - span->tile);
    return done - span->tile;
}

#else
/* ---- by where tiles lie -------------------------------------------------------------------------- */

WEIR_DEV WEIR__N WEIR__P(_base)(WEIR__P(tile_set) set)
{
#ifdef WEIR_TILES_BY_ENDS
    return set.first;
#else
    return set.tiles ? WEIR__P(tile_set_first)(set, 0) : 0;
#endif
}

WEIR_DEV WEIR__N WEIR__P(_last)(WEIR__P(tile_set) set)
{
    return set.tiles ? WEIR__P(tile_set_end)(set, set.tiles - 1) : WEIR__P(_base)(set);
}

WEIR_DEV WEIR__N WEIR__P(_behind)(WEIR__P(tile_set) set, WEIR__N tile, WEIR__N begin)
{
    (void)begin;
    return WEIR__P(tile_set_end)(set, tile);
}

WEIR_DEV void WEIR__P(_enter)(WEIR__P(tile_set) set, WEIR__N tile, WEIR__N behind,
                              WEIR__P(_span) * span)
{
    (void)behind;
    span->end = WEIR__P(tile_set_end)(set, tile);
    span->begin = WEIR__P(tile_set_first)(set, tile);
}

/* The first tile from `low` to `high` that ends beyond `limit` atoms, counted from the set's first, where
 * each tile before it weighs as many as `weight` atoms (a constant, 0 or 1); `high` if there is none.
 * In: span->begin is where `low` begins, span->end where `high` ends. Three probes at a time that do
 * not wait for each other: half as many steps, and no load after the last, for a tile's bounds were
 * among the probes. */
WEIR_DEV void WEIR__P(_search)(WEIR__P(tile_set) set, WEIR__N low, WEIR__N high, WEIR__N limit,
                               WEIR__N weight, WEIR__P(_span) * span)
{
    const WEIR__N base = WEIR__P(_base)(set);
    while (low < high) {
        WEIR__N width = high - low;
        WEIR__N a = low + (width >> 2), b = low + (width >> 1), c = high - 1 - (width >> 2);
        WEIR__N end_a = WEIR__P(tile_set_end)(set, a), end_b = WEIR__P(tile_set_end)(set, b),
                end_c = WEIR__P(tile_set_end)(set, c);
        if (end_c - base + weight * c <= limit) {
            low = c + 1;
            span->begin = end_c;
        } else if (end_b - base + weight * b <= limit) {
            low = b + 1, high = c;
            span->begin = end_b, span->end = end_c;
        } else if (end_a - base + weight * a <= limit) {
            low = a + 1, high = b;
            span->begin = end_a, span->end = end_b;
        } else {
            high = a;
            span->end = end_a;
        }
    }
    span->tile = low;
}

/* In: the span is the whole set's. */
WEIR_DEV void WEIR__P(_find)(WEIR__P(tile_set) set, WEIR__N nth, WEIR__P(_span) * span)
{
    WEIR__P(_search)(set, 0, set.tiles - 1, nth, 0, span);
}

/* Go on to the tile of atom `at`, which lies behind the present one: in steps that grow fourfold, since
 * it is mostly near, then back into the last step. */
WEIR_DEV void WEIR__P(_seek)(WEIR__P(tile_set) set, WEIR__N at, WEIR__N last, WEIR__P(_span) * span)
{
    WEIR__N low = span->tile + 1, high = set.tiles - 1;
    span->begin = span->end;
    span->end = last;
    for (WEIR__N reach = 3; high - low > reach; reach = reach * 4 + 3) {
        WEIR__N end = WEIR__P(tile_set_end)(set, low + reach);
        if (end > at) {
            high = low + reach;
            span->end = end;
            break;
        }
        low += reach + 1;
        span->begin = end;
    }
    WEIR__P(_search)(set, low, high, at - WEIR__P(_base)(set), 0, span);
}

WEIR_DEV void WEIR__P(_step)(WEIR__P(tile_set) set, WEIR__N at, WEIR__N last, WEIR__N step,
                             WEIR__P(_span) * span)
{
    if (step == 1) { /* a lane with all atoms looks at each tile once in all */
        do {
            span->begin = span->end;
            span->end = WEIR__P(tile_set_end)(set, ++span->tile);
        } while (span->end <= at);
        return;
    }
    if (WEIR__P(_at_hand)()) {
        for (int looks = 0; looks < 8; looks++) {
            span->begin = span->end;
            span->end = WEIR__P(tile_set_end)(set, ++span->tile);
            if (span->end > at)
                return;
        }
        WEIR__P(_seek)(set, at, last, span);
        return;
    }
    /* The next three at once, since none of these loads waits for another, and only then further on. */
    const WEIR__N low = span->tile + 1, left = set.tiles - low;
    const WEIR__N a = WEIR__P(tile_set_end)(set, low);
    const WEIR__N b = WEIR__P(tile_set_end)(set, low + (left > 1));
    const WEIR__N c = WEIR__P(tile_set_end)(set, low + (left > 2 ? 2 : left - 1));
    span->tile = low + (a <= at) + (b <= at);
    span->begin = a > at ? span->end : b > at ? a : b;
    span->end = a > at ? a : b > at ? b : c;
    if (c <= at)
        WEIR__P(_seek)(set, at, last, span);
}

/* With `done` 0 nothing is searched, so the limit of -1 is never looked at. */
WEIR_DEV WEIR__N WEIR__P(_ended)(WEIR__P(tile_set) set, WEIR__N done, WEIR__N atoms)
{
    WEIR__P(_span) span;
    WEIR__P(_search)
    (set, done > atoms ? done - atoms : 0, done < set.tiles ? done : set.tiles, done - 1, 1, &span);
    return span.tile;
}

WEIR_DEV WEIR__N WEIR__P(_split)(WEIR__P(tile_set) set, WEIR__N done, WEIR__N atoms,
                                 WEIR__P(_span) * span)
{
    span->tile = WEIR__P(_ended)(set, done, atoms);
    span->begin = WEIR__P(tile_set_first)(set, span->tile);
    /* There is such a tile: its end is yet to come. */
    span->end = WEIR__P(tile_set_end)(set, span->tile);
    return WEIR__P(_base)(set) + done - span->tile;
}

/** The tile of an atom of the set, by its number: a search. */
WEIR_DEV WEIR__N WEIR__P(tile_set_tile)(WEIR__P(tile_set) set, WEIR__N atom)
{
    WEIR__P(_span) span = {0, 0, 0};
    WEIR__P(_find)(set, atom - WEIR__P(_base)(set), &span);
    return span.tile;
}
#endif

/** Atoms of the set. */
WEIR_DEV WEIR__N WEIR__P(tile_set_atoms)(WEIR__P(tile_set) set)
{
    return WEIR__P(_last)(set) - WEIR__P(_base)(set);
}

/** Atoms of a tile. */
WEIR_DEV WEIR__N WEIR__P(tile_set_count)(WEIR__P(tile_set) set, WEIR__N tile)
{
    WEIR__P(_span) span;
    WEIR__P(_enter)(set, tile, 0, &span);
    return span.end - span.begin;
}
#endif
