/** @file test_schedule.c  Schedules: every atom to one lane, once, and to the lane that is meant. */
#include "tests/lib/schedule_kernels.h"
#include "tests/lib/schedule_plan.h"
#include "tests/lib/support.h"

#include <stdlib.h>
#include <string.h>

#define NOBODY 0xFFFFFFFFu

/* ---- what comes out ---------------------------------------------------------------------------- */

/* Note that this lane met this atom, which nobody else may have; the lane goes upwards. */
static void note(weir_tile_set set, uint32_t *lane_of, uint32_t lane, uint32_t tile, uint32_t atom,
                 uint32_t *least)
{
    assert_in_range(tile, 0, set.tiles - 1);
    assert_true(atom < set.ends[tile] - (tile ? set.ends[tile - 1] : set.first));
    uint32_t i = weir_tile_set_first(set, tile) - set.first + atom;
    assert_int_equal(lane_of[i], NOBODY);
    assert_true(i >= *least);
    *least = i + 1;
    lane_of[i] = lane;
}

/* The end of a lane's visit: whether it had the tile for itself, by who did which atom. */
static void end_visit(weir_tile_set set, const uint32_t *lane_of, const weir_tile_visit *visit,
                      uint32_t lane)
{
    if (visit->atoms == 0)
        return;
    const uint32_t begin = weir_tile_set_first(set, visit->tile) - set.first;
    const uint32_t end = set.ends[visit->tile] - set.first;
    uint32_t mine = 0;
    for (uint32_t i = begin; i < end; i++)
        mine += lane_of[i] == lane;
    assert_int_equal(visit->atoms, mine); /* and there is no second visit */
    assert_int_equal(weir_tile_visit_whole(visit, set), mine == end - begin);
}

typedef void walk_fn(weir_tile_set set, uint32_t lanes, uint32_t *lane_of);

#define WALK(schedule)                                                                             \
    static void walk_##schedule(weir_tile_set set, uint32_t lanes, uint32_t *lane_of)              \
    {                                                                                              \
        for (uint32_t lane = 0; lane < lanes; lane++) {                                            \
            uint32_t tile = NOBODY, atom = NOBODY, least = 0;                                      \
            WEIR_SCHEDULE_NAME(schedule, walk) walk;                                               \
            WEIR_SCHEDULE_NAME(schedule, start)(&walk, set, lane, lanes);                          \
            while (WEIR_SCHEDULE_NAME(schedule, next)(&walk, set, &tile, &atom))                   \
                note(set, lane_of, lane, tile, atom, &least);                                      \
            for (int again = 0; again < 3; again++)                                                \
                assert_int_equal(WEIR_SCHEDULE_NAME(schedule, next)(&walk, set, &tile, &atom), 0); \
        }                                                                                          \
    }
EACH_SCHEDULE(WALK)
#undef WALK

/* Once more, from tile to tile, with the lanes of all atoms known. */
#define VISIT(schedule)                                                                \
    static void visit_##schedule(weir_tile_set set, uint32_t lanes, uint32_t *lane_of) \
    {                                                                                  \
        for (uint32_t lane = 0; lane < lanes; lane++) {                                \
            uint32_t tile, atom;                                                       \
            weir_tile_visit visit = WEIR_TILE_VISIT_INIT;                              \
            WEIR_SCHEDULE_NAME(schedule, walk) walk;                                   \
            WEIR_SCHEDULE_NAME(schedule, start)(&walk, set, lane, lanes);              \
            while (WEIR_SCHEDULE_NAME(schedule, next)(&walk, set, &tile, &atom)) {     \
                if (weir_tile_visit_enters(&visit, tile)) {                            \
                    end_visit(set, lane_of, &visit, lane);                             \
                    weir_tile_visit_begin(&visit, tile);                               \
                }                                                                      \
                visit.atoms++;                                                         \
            }                                                                          \
            end_visit(set, lane_of, &visit, lane);                                     \
        }                                                                              \
    }
EACH_SCHEDULE(VISIT)
#undef VISIT

#define WALK(schedule) walk_##schedule,
static walk_fn *const walk_of[SCHEDULES] = {EACH_SCHEDULE(WALK)};
#undef WALK
#define VISIT(schedule) visit_##schedule,
static walk_fn *const visits_of[SCHEDULES] = {EACH_SCHEDULE(VISIT)};
#undef VISIT
#define NAME(schedule) #schedule,
static const char *const name_of[SCHEDULES] = {EACH_SCHEDULE(NAME)};
#undef NAME

/* Every schedule deals this set out as planned. The two arrays hold a lane for each atom. */
static void check_set(weir_tile_set set, uint32_t lanes, uint32_t *planned, uint32_t *met)
{
    size_t bytes = (set.tiles ? set.ends[set.tiles - 1] - set.first : 0) * sizeof *met;
    for (int s = 0; s < SCHEDULES; s++) {
        memset(planned, 0xFF, bytes);
        memset(met, 0xFF, bytes);
        schedule_plan[s](set, lanes, planned);
        walk_of[s](set, lanes, met);
        if (bytes && memcmp(met, planned, bytes))
            fail_msg("%s: %u tiles, %u lanes: not as planned", name_of[s], set.tiles, lanes);
        visits_of[s](set, lanes, met);
    }
}

/* ---- tests ------------------------------------------------------------------------------------- */

/* All sets of up to 5 tiles of up to 3 atoms each, on up to 9 lanes. */
static void small_sets(void **state)
{
    uint32_t ends[5], planned[15], met[15];
    (void)state;
    for (uint32_t tiles = 0; tiles <= 5; tiles++)
        for (uint32_t sizes = 0; sizes < 1u << 2 * tiles; sizes++)
            for (uint32_t first = 0; first < 8; first += 7) {
                uint32_t end = first;
                for (uint32_t tile = 0; tile < tiles; tile++)
                    ends[tile] = end += sizes >> 2 * tile & 3;
                weir_tile_set set = {tiles ? ends : NULL, tiles, first};
                for (uint32_t lanes = 1; lanes <= 9; lanes++)
                    check_set(set, lanes, planned, met);
            }
}

enum { TILES_MOST = 3000, ATOMS_MOST = TILES_MOST * 2 + 3 * 5000 };

struct large {
    uint64_t random;
    uint32_t ends[TILES_MOST], planned[ATOMS_MOST], met[ATOMS_MOST];
    uint32_t atoms_of_lane[1100];
};

/* Many short tiles, some empty stretches, now and then a very long tile. */
static weir_tile_set draw_set(struct large *large)
{
    uint32_t tiles = (uint32_t)(next_random(&large->random) % TILES_MOST);
    uint32_t first = (uint32_t)(next_random(&large->random) % 1000), end = first, longs = 3;
    for (uint32_t tile = 0; tile < tiles; tile++) {
        uint64_t random = next_random(&large->random);
        if (tile / 64 % 3 != 1)
            end += (uint32_t)(random % 3);
        if (longs && (random >> 40) % 1000 == 0) {
            end += (uint32_t)(random >> 50) % 5000;
            longs--;
        }
        large->ends[tile] = end;
    }
    return (weir_tile_set){large->ends, tiles, first};
}

static uint32_t draw_lanes(struct large *large)
{
    static const uint32_t usual[] = {1, 32, 64, 128, 1024};
    uint64_t random = next_random(&large->random);
    return random & 1 ? usual[(random >> 1) % 5] : 1 + (uint32_t)((random >> 1) % 1099);
}

static struct large *large_new(uint64_t seed)
{
    struct large *large = malloc(sizeof *large);
    assert_non_null(large);
    memset(large, 0, sizeof *large);
    large->random = seed;
    return large;
}

#ifdef __SANITIZE_THREAD__
enum { SETS = 10 };
#else
enum { SETS = 60 };
#endif

static void large_sets(void **state)
{
    struct large *large = large_new(12);
    (void)state;
    for (int i = 0; i < SETS; i++) {
        weir_tile_set set = draw_set(large);
        check_set(set, draw_lanes(large), large->planned, large->met);
    }
    free(large);
}

/* Fewest and most of what `lane_of` gives to a lane. */
static void extremes(struct large *large, uint32_t atoms, uint32_t lanes, uint32_t *least,
                     uint32_t *most)
{
    memset(large->atoms_of_lane, 0, sizeof large->atoms_of_lane);
    for (uint32_t i = 0; i < atoms; i++)
        large->atoms_of_lane[large->met[i]]++;
    *least = NOBODY;
    *most = 0;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        *least = large->atoms_of_lane[lane] < *least ? large->atoms_of_lane[lane] : *least;
        *most = large->atoms_of_lane[lane] > *most ? large->atoms_of_lane[lane] : *most;
    }
}

/* group: lanes differ by an atom at most. merge: nobody has more than a share of atoms and tiles. */
static void balance(void **state)
{
    struct large *large = large_new(34);
    (void)state;
    for (int i = 0; i < SETS; i++) {
        weir_tile_set set = draw_set(large);
        uint32_t lanes = draw_lanes(large), atoms = weir_tile_set_atoms(set), least, most;
        memset(large->met, 0xFF, sizeof large->met);
        walk_weir_group(set, lanes, large->met);
        extremes(large, atoms, lanes, &least, &most);
        assert_in_range(most - least, 0, 1);
        memset(large->met, 0xFF, sizeof large->met);
        walk_weir_merge(set, lanes, large->met);
        extremes(large, atoms, lanes, &least, &most);
        assert_in_range(most, 0, (atoms + set.tiles + lanes - 1) / lanes);
    }
    free(large);
}

/* The parts of a set are its tiles, in order, and as many in each, give or take one. */
static void parts(void **state)
{
    const uint32_t ends[] = {3, 3, 3, 10, 11, 11, 40};
    (void)state;
    for (uint32_t tiles = 0; tiles <= 7; tiles++)
        for (uint32_t of = 1; of <= 10; of++) {
            weir_tile_set set = {tiles ? ends : NULL, tiles, 2};
            uint32_t tile = 0, first = set.first;
            for (uint32_t index = 0; index < of; index++) {
                weir_tile_set part = weir_tile_set_part(set, index, of);
                assert_int_equal(weir_share_begin(tiles, index, of), tile);
                assert_int_equal(part.first, first);
                assert_in_range(part.tiles, tiles / of, (tiles + of - 1) / of);
                for (uint32_t i = 0; i < part.tiles; i++)
                    assert_int_equal(part.ends[i], ends[tile++]);
                first = tile ? ends[tile - 1] : set.first;
                assert_int_equal(weir_tile_set_atoms(part), first - part.first);
            }
            assert_int_equal(tile, tiles);
        }
}

/* Nothing wraps round at 2^32: neither the next tile, nor the next atom, nor where a share begins. */
static void largest_numbers(void **state)
{
    const uint32_t most = 0xFFFFFFFF;
    uint32_t tile, atom;
    (void)state;

    const uint32_t late[] = {most - 3, most - 1, most};
    weir_tile_set set = {late, 3, most - 6}; /* 3, 2 and 1 atoms */
    const uint32_t lanes_of_interest[] = {1, 2, 3, 4, 7, most};
    for (size_t i = 0; i < sizeof lanes_of_interest / sizeof *lanes_of_interest; i++) {
        uint32_t planned[6], met[6], lanes = lanes_of_interest[i];
        if (lanes < most) {
            check_set(set, lanes, planned, met);
            continue;
        }
        /* Of so many lanes some: each has a tile, an atom, a step, or nothing. */
#define LAST_LANE(schedule, lane, atoms)                                       \
    do {                                                                       \
        weir_##schedule##_walk walk;                                           \
        uint32_t count = 0;                                                    \
        weir_##schedule##_start(&walk, set, (lane), lanes);                    \
        while (weir_##schedule##_next(&walk, set, &tile, &atom) && count <= 6) \
            count++;                                                           \
        assert_int_equal(count, (atoms));                                      \
    } while (0)
        LAST_LANE(thread, 1, 2);
        LAST_LANE(thread, most - 1, 0);
        LAST_LANE(strided, 1, 2);
        LAST_LANE(strided, most - 1, 0);
        LAST_LANE(group, 5, 1);
        LAST_LANE(group, most - 1, 0);
        LAST_LANE(merge, 7, 1); /* steps 3, 6 and 8 are the ends of the tiles */
        LAST_LANE(merge, 8, 0);
        LAST_LANE(merge, 6, 0);
        LAST_LANE(merge, 5, 1);
        LAST_LANE(merge, most - 1, 0);
#undef LAST_LANE
    }
}

/* One tile of nearly 2^32 atoms: each lane begins where it should, and leaves off after its share. */
static void longest_tile(void **state)
{
    const uint32_t end = 0xFFFFFFFE, half = 0x80000000;
    weir_tile_set set = {&end, 1, 0};
    uint32_t tile, atom;
    weir_strided_walk strided;
    weir_group_walk group;
    weir_merge_walk merge;
    (void)state;
    for (uint32_t lane = 0; lane < 2; lane++) {
        weir_merge_start(&merge, set, lane, 2);
        assert_true(weir_merge_next(&merge, set, &tile, &atom));
        assert_int_equal(atom, lane * half);
    }
    weir_strided_start(&strided, set, 5, half);
    weir_group_start(&group, set, 5, half);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(weir_strided_next(&strided, set, &tile, &atom));
        assert_int_equal(atom, 5 + i * half);
        assert_true(weir_group_next(&group, set, &tile, &atom));
        assert_int_equal(atom, 5 + i * half);
    }
    assert_false(weir_strided_next(&strided, set, &tile, &atom));
    assert_false(weir_group_next(&group, set, &tile, &atom));
}

/* ---- on devices -------------------------------------------------------------------------------- */

/* What a kernel notes of `atoms` atoms: three arrays, with room for one more in each, so that none is empty. */
struct notes {
    uint32_t *times, *tile, *lane;
};

static struct notes notes_in(uint32_t *data, uint32_t atoms)
{
    return (struct notes){data, data + atoms + 1, data + 2 * ((size_t)atoms + 1)};
}

/* Each atom was met once, in its tile, by the lane of the plan. */
static void assert_notes(weir_tile_set set, const struct notes *notes, const uint32_t *planned)
{
    for (uint32_t tile = 0, i = 0; tile < set.tiles; tile++)
        for (; i < set.ends[tile] - set.first; i++) {
            assert_int_equal(notes->times[i], 1);
            assert_int_equal(notes->tile[i], tile);
            assert_int_equal(notes->lane[i], planned[i]);
        }
}

/* One set, walked on a device by every schedule. */
static void check_on_device(weir_queue *queue, weir_device *home, struct large *large)
{
    weir_device *device = weir_queue_device(queue);
    weir_tile_set set = draw_set(large), there = set;
    uint32_t lanes = draw_lanes(large), atoms = weir_tile_set_atoms(set);
    size_t bytes = 3 * ((size_t)atoms + 1) * sizeof(uint32_t), ends_bytes = sizeof large->ends;
    uint32_t *back = new_memory(home, bytes), *met = new_memory(device, bytes);
    uint32_t *staged = new_memory(home, ends_bytes), *ends = new_memory(device, ends_bytes);
    memcpy(staged, large->ends, ends_bytes);
    OK(weir_queue_copy(queue, device, ends, home, staged, ends_bytes));
    there.ends = ends;

    struct notes notes = notes_in(met, atoms), notes_back = notes_in(back, atoms);
    for (uint32_t s = 0; s < SCHEDULES; s++) {
        struct test_schedule_args args = {there, notes.times, notes.tile, notes.lane, lanes, s};
        OK(weir_queue_fill(queue, met, 0, bytes));
        OK(weir_queue_launch(queue, &test_schedule_kernel, &args, sizeof args));
        OK(weir_queue_copy(queue, home, back, device, met, bytes));
        OK(weir_queue_sync(queue));
        schedule_plan[s](set, lanes, large->planned);
        assert_notes(set, &notes_back, large->planned);
    }
    weir_device_free(device, met);
    weir_device_free(device, ends);
    weir_device_free(home, staged);
    weir_device_free(home, back);
}

static void kernels(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_queue *queue = new_queue(weir_context_device(context, 0));
    struct large *large = large_new(56);
    for (int i = 0; i < 4; i++)
        check_on_device(queue, weir_context_home(context), large);
    free(large);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_sets),      cmocka_unit_test(large_sets),
        cmocka_unit_test(balance),         cmocka_unit_test(parts),
        cmocka_unit_test(largest_numbers), cmocka_unit_test(longest_tile),
        ON_BACKEND(kernels, "host:1"),     ON_BACKEND(kernels, "host:1x4"),
        ON_BACKEND(kernels, "cuda:0"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
