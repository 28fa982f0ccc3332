/** @file test_tiles.c  Tile sets of all kinds, by every schedule, atom by atom and run by run: ends, coordinates, and sets that a
 *  program describes by its own functions, with numbers of 32 and of 64 bits. */
#include "tests/lib/schedule_plan.h"
#include "tests/lib/support.h"
#include "worklist/tiles.h"

#include <stdlib.h>
#include <string.h>

/* ---- sets of a program's own --------------------------------------------------------------------- */

/* Where rows lie: two arrays, so that rows need not follow one another without gaps in memory; here they do. */
typedef struct rows_tile_set {
    uint32_t tiles;
    const uint32_t *begin, *end;
} rows_tile_set;
WEIR_DEV uint32_t rows_tile_set_first(rows_tile_set set, uint32_t tile)
{
    return set.begin[tile];
}
WEIR_DEV uint32_t rows_tile_set_end(rows_tile_set set, uint32_t tile)
{
    return set.end[tile];
}
#define WEIR_TILES rows
#include "worklist/schedule_tmpl.h"

/* The same with wide numbers, and atoms that begin far behind 2^32. */
#define FAR_FIRST (UINT64_C(0x500000000) - 3)
typedef struct far_tile_set {
    uint64_t tiles;
    const uint32_t *begin, *end;
} far_tile_set;
WEIR_DEV uint64_t far_tile_set_first(far_tile_set set, uint64_t tile)
{
    return FAR_FIRST + set.begin[tile];
}
WEIR_DEV uint64_t far_tile_set_end(far_tile_set set, uint64_t tile)
{
    return FAR_FIRST + set.end[tile];
}
#define WEIR_TILES      far
#define WEIR_TILES_BITS 64
#include "worklist/schedule_tmpl.h"

/* How long tiles are. */
typedef struct lengths_tile_set {
    uint32_t tiles;
    const uint32_t *begin, *end;
} lengths_tile_set;
WEIR_DEV uint32_t lengths_tile_set_count(lengths_tile_set set, uint32_t tile)
{
    return set.end[tile] - set.begin[tile];
}
#define WEIR_TILES lengths
#define WEIR_TILES_BY_COUNT
#include "worklist/schedule_tmpl.h"

typedef struct wide_lengths_tile_set {
    uint64_t tiles;
    const uint32_t *begin, *end;
} wide_lengths_tile_set;
WEIR_DEV uint64_t wide_lengths_tile_set_count(wide_lengths_tile_set set, uint64_t tile)
{
    return set.end[tile] - set.begin[tile];
}
#define WEIR_TILES      wide_lengths
#define WEIR_TILES_BITS 64
#define WEIR_TILES_BY_COUNT
#include "worklist/schedule_tmpl.h"

/* Whose an atom is, by a function: tiles of three atoms, without any memory, as many as one likes. */
typedef struct threes_tile_set {
    uint64_t tiles, atoms;
} threes_tile_set;
WEIR_DEV uint64_t threes_tile_set_tile(threes_tile_set set, uint64_t atom)
{
    (void)set;
    return atom / 3;
}
#define WEIR_TILES      threes
#define WEIR_TILES_BITS 64
#define WEIR_TILES_BY_TILE
#include "worklist/schedule_tmpl.h"

/* And where tiles lie, by a function: five atoms each. */
typedef struct fives_tile_set {
    uint64_t tiles;
} fives_tile_set;
WEIR_DEV uint64_t fives_tile_set_first(fives_tile_set set, uint64_t tile)
{
    (void)set;
    return tile * 5;
}
WEIR_DEV uint64_t fives_tile_set_end(fives_tile_set set, uint64_t tile)
{
    (void)set;
    return tile * 5 + 5;
}
#define WEIR_TILES      fives
#define WEIR_TILES_BITS 64
#include "worklist/schedule_tmpl.h"

/* ---- a case: a set, and which lane met each of its atoms ----------------------------------------- */

#define TILE_NOBODY 0xFFFFFFFFu
enum { TILES_MOST = 600, ATOMS_MOST = 4000 };

struct tile_case {
    weir_tile_set set; /* as the plans take it */
    uint32_t lanes, size;
    int tails; /* runs may be all of a tile without being said to be */
    uint32_t ends[TILES_MOST], starts[TILES_MOST + 1], relative[TILES_MOST];
    uint64_t wide[TILES_MOST + 1];
    uint32_t tile_of[ATOMS_MOST];
    uint32_t planned[ATOMS_MOST], met[ATOMS_MOST];
    uint8_t whole[TILES_MOST];
};

/* Tiles by turns to teams of c->size lanes, atoms by turns to a team's lanes. */
static void plan_team(struct tile_case *c)
{
    const uint32_t size = c->size < c->lanes ? c->size : c->lanes, teams = c->lanes / size;
    for (uint32_t tile = 0, i = 0; tile < c->set.tiles; tile++)
        for (uint32_t atom = 0; i < c->set.ends[tile] - c->set.first; atom++)
            c->planned[i++] = tile % teams * size + atom % size;
}

static void tile_case_begin(struct tile_case *c, schedule_plan_fn *plan)
{
    memset(c->met, 0xFF, sizeof c->met);
    memset(c->whole, 0, sizeof c->whole);
    if (plan)
        plan(c->set, c->lanes, c->planned);
    else
        plan_team(c);
}

static void tile_case_end(const struct tile_case *c, const char *what)
{
    const uint32_t atoms = weir_tile_set_atoms(c->set);
    if (memcmp(c->met, c->planned, atoms * sizeof *c->met))
        fail_msg("%s: %u tiles, %u lanes: not as planned", what, c->set.tiles, c->lanes);
}

/* Each empty tile came to one lane as a whole one, or to none. */
static void tile_case_empties(const struct tile_case *c, uint32_t times)
{
    for (uint32_t tile = 0; tile < c->set.tiles; tile++)
        if (c->set.ends[tile] == weir_tile_set_first(c->set, tile))
            assert_int_equal(c->whole[tile], times);
}

#define KIND        weir
#define KIND_NUMBER uint32_t
#define KIND_ENDS   1
#include "tests/lib/tile_kind_tmpl.h"
#define KIND        weir_wide
#define KIND_NUMBER uint64_t
#define KIND_ENDS   1
#include "tests/lib/tile_kind_tmpl.h"
#define KIND        weir_coo
#define KIND_NUMBER uint32_t
#include "tests/lib/tile_kind_tmpl.h"
#define KIND        weir_wide_coo
#define KIND_NUMBER uint64_t
#include "tests/lib/tile_kind_tmpl.h"
#define KIND        weir_csr
#define KIND_NUMBER uint32_t
#include "tests/lib/tile_kind_tmpl.h"
#define KIND        weir_wide_csr
#define KIND_NUMBER uint64_t
#include "tests/lib/tile_kind_tmpl.h"
#define KIND        rows
#define KIND_NUMBER uint32_t
#include "tests/lib/tile_kind_tmpl.h"
#define KIND        far
#define KIND_NUMBER uint64_t
#include "tests/lib/tile_kind_tmpl.h"
#define KIND        lengths
#define KIND_NUMBER uint32_t
#define KIND_COUNTS 1
#include "tests/lib/tile_kind_tmpl.h"
#define KIND        wide_lengths
#define KIND_NUMBER uint64_t
#define KIND_COUNTS 1
#include "tests/lib/tile_kind_tmpl.h"

/* Every kind of the set that c->ends says. */
static void check_kinds(struct tile_case *c, uint32_t tiles, uint32_t first)
{
    c->set = (weir_tile_set){tiles ? c->ends : NULL, tiles, first};
    for (uint32_t tile = 0, i = 0; tile < tiles; tile++) {
        c->starts[tile] = i;
        for (; i < c->ends[tile] - first; i++)
            c->tile_of[i] = tile;
        c->relative[tile] = i;
        c->wide[tile] = FAR_FIRST + i;
    }
    kind_weir(c, c->set);
    kind_weir_wide(c, (weir_wide_tile_set){tiles ? c->wide : NULL, tiles, FAR_FIRST});
    const uint32_t atoms = weir_tile_set_atoms(c->set);
    kind_weir_coo(c, (weir_coo_tile_set){atoms ? c->tile_of : NULL, tiles, atoms});
    kind_weir_wide_coo(c, (weir_wide_coo_tile_set){atoms ? c->tile_of : NULL, tiles, atoms});
    c->starts[tiles] = atoms;
    kind_weir_csr(c, (weir_csr_tile_set){c->starts, tiles});
    memmove(c->wide + 1, c->wide, tiles * sizeof *c->wide);
    c->wide[0] = FAR_FIRST;
    kind_weir_wide_csr(c, (weir_wide_csr_tile_set){c->wide, tiles});
    kind_rows(c, (rows_tile_set){tiles, c->starts, c->relative});
    kind_far(c, (far_tile_set){tiles, c->starts, c->relative});
    kind_lengths(c, (lengths_tile_set){tiles, c->starts, c->relative});
    kind_wide_lengths(c, (wide_lengths_tile_set){tiles, c->starts, c->relative});
}

static struct tile_case *new_case(void)
{
    struct tile_case *c = calloc(1, sizeof *c);
    assert_non_null(c);
    return c;
}

/* ---- tests --------------------------------------------------------------------------------------- */

/* All sets of up to 4 tiles of up to 3 atoms each, on up to 7 lanes. */
static void small_sets(void **state)
{
    struct tile_case *c = new_case();
    (void)state;
    for (uint32_t tiles = 0; tiles <= 4; tiles++)
        for (uint32_t sizes = 0; sizes < 1u << 2 * tiles; sizes++)
            for (c->lanes = 1; c->lanes <= 7; c->lanes++) {
                const uint32_t first = sizes & 1 ? 9 : 0;
                uint32_t end = first;
                for (uint32_t tile = 0; tile < tiles; tile++)
                    c->ends[tile] = end += sizes >> 2 * tile & 3;
                check_kinds(c, tiles, first);
            }
    free(c);
}

/* Some long tiles, long stretches of empty ones, more and fewer lanes than tiles. */
static void large_sets(void **state)
{
    struct tile_case *c = new_case();
    uint64_t random = 78;
    (void)state;
    for (int i = 0; i < 12; i++) {
        const uint32_t tiles = (uint32_t)(next_random(&random) % TILES_MOST);
        uint32_t end = 0;
        for (uint32_t tile = 0; tile < tiles; tile++) {
            const uint64_t drawn = next_random(&random);
            uint32_t atoms = tile / 32 % 3 == 1 ? 0 : (uint32_t)(drawn % 5);
            if ((drawn >> 20) % 200 == 0)
                atoms += (uint32_t)(drawn >> 40) % 1000;
            end = end + atoms < ATOMS_MOST ? end + atoms : end;
            c->ends[tile] = end;
        }
        c->lanes = 1 + (uint32_t)(next_random(&random) % (i % 2 ? 8 : 900));
        check_kinds(c, tiles, 0);
    }
    free(c);
}

/* The tile of an atom, of sets that know where tiles lie: empty ones have none. */
static void tile_of_an_atom(void **state)
{
    const uint32_t ends[] = {5, 5, 7, 7, 7, 12};
    const uint64_t wide[] = {FAR_FIRST + 3, FAR_FIRST + 3, FAR_FIRST + 9};
    const weir_tile_set set = {ends, 6, 4};
    const weir_wide_tile_set far = {wide, 3, FAR_FIRST};
    const uint32_t want[] = {0, 2, 2, 5, 5, 5, 5, 5};
    (void)state;
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(weir_tile_set_tile(set, 4 + i), want[i]);
    for (uint32_t i = 0; i < 9; i++)
        assert_int_equal(weir_wide_tile_set_tile(far, FAR_FIRST + i), i < 3 ? 0 : 2);
}

/* Tiles and atoms beyond 2^32, described by functions, so that no memory is needed: each lane of many begins where it should. */
static void many_tiles(void **state)
{
    const uint64_t tiles = UINT64_C(3) << 32, lanes = 1 << 20;
    const threes_tile_set threes = {tiles, 3 * tiles};
    const fives_tile_set fives = {tiles};
    (void)state;
    assert_true(threes_tile_set_first(threes, tiles - 1) == 3 * (tiles - 1));
    assert_true(fives_tile_set_tile(fives, 5 * tiles - 1) == tiles - 1);
#define FIRST(P, S, set, lane, want_tile, want_atom)                            \
    do {                                                                        \
        WEIR_SCHEDULE_NAME(P, S##_walk) walk, again;                            \
        WEIR_SCHEDULE_NAME(P, tile_run) run = WEIR_TILE_RUN_INIT;               \
        uint64_t tile = 0, atom = 0;                                            \
        WEIR_SCHEDULE_NAME(P, S##_start)(&walk, set, lane, lanes);              \
        again = walk;                                                           \
        assert_true(WEIR_SCHEDULE_NAME(P, S##_next)(&walk, set, &tile, &atom)); \
        assert_true(tile == (want_tile) && atom == (want_atom));                \
        assert_true(WEIR_SCHEDULE_NAME(P, S##_run)(&again, set, &run));         \
        assert_true(run.tile == tile && run.at - run.first == atom);            \
    } while (0)
    for (uint64_t lane = 0; lane < lanes; lane += lanes / 4 - 1) {
        const uint64_t share3 = 4 * tiles / lanes, share5 = 6 * tiles / lanes;
        FIRST(threes, thread, threes, lane, lane, 0);
        FIRST(fives, thread, fives, lane, lane, 0);
        FIRST(threes, group, threes, lane, lane / 3, lane % 3);
        FIRST(fives, group, fives, lane, lane / 5, lane % 5);
        /* A step is an atom or an end, so a tile is 4 steps or 6. */
        FIRST(threes, merge, threes, lane, lane * share3 / 4, lane * share3 % 4);
        FIRST(fives, merge, fives, lane, lane * share5 / 6, lane * share5 % 6);
    }
#undef FIRST
    /* The last lane of the merge path goes to the very end. */
    fives_merge_walk walk;
    uint64_t tile = 0, atom = 0, steps = 0;
    fives_merge_start(&walk, fives, lanes - 1, lanes);
    while (fives_merge_next(&walk, fives, &tile, &atom))
        steps++;
    assert_true(tile == tiles - 1 && atom == 4 && steps == 5 * tiles / lanes);
    threes_merge_walk other;
    threes_tile_run run = WEIR_TILE_RUN_INIT;
    threes_merge_start(&other, threes, lanes - 1, lanes);
    for (steps = 0; threes_merge_run(&other, threes, &run); steps += run.end - run.at)
        assert_true(run.whole);
    assert_true(run.tile == tiles - 1 && run.end == 3 * tiles && steps == 3 * tiles / lanes);
}

/* Teams of as many lanes as there are numbers, and as many teams: no tile and no atom wraps round, by next. */
static void largest_teams(void **state)
{
    const uint32_t most = UINT32_MAX, ends[] = {most - 4, most - 2, most - 1};
    const weir_tile_set set = {ends, 3, most - 7}; /* 3, 2 and 1 atoms */
    const struct {
        uint32_t lane, lanes, size, atoms;
    } want[] = {{0, most, 1, 3},        {2, most, 1, 1},        {most - 1, most, 1, 0},
                {0, most, most, 3},     {1, most, most, 2},     {2, most, most, 1},
                {most - 1, most, 9, 0}, {0, most, most / 2, 2}, {1, 2, most, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        weir_team_walk walk;
        uint32_t tile = 0, atom = 0, count = 0;
        weir_team_start(&walk, set, want[i].lane, want[i].lanes, want[i].size);
        while (weir_team_next(&walk, set, &tile, &atom) && count < 9)
            count++;
        assert_int_equal(count, want[i].atoms);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_sets),      cmocka_unit_test(large_sets),
        cmocka_unit_test(tile_of_an_atom), cmocka_unit_test(many_tiles),
        cmocka_unit_test(largest_teams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
