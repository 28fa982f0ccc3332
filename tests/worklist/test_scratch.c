/** @file test_scratch.c  Tiles in scratchpad memory, by groups of lanes of any size: on the host lanes are threads that meet at a
 *  barrier; on devices, with the walks by runs of all kinds of sets, a kernel. */
#include <pthread.h>

static void meet(void);
#define WEIR__SCRATCH_SYNC(scope) ((void)(scope), meet())
#include "worklist/tiles.h"

#include "tests/lib/schedule_kinds.h"
#include "tests/lib/support.h"

#include <stdlib.h>
#include <string.h>

/* A set of a program's own that knows how long tiles are. */
typedef struct lengths_tile_set {
    uint32_t tiles;
    const uint32_t *length;
} lengths_tile_set;
WEIR_DEV uint32_t lengths_tile_set_count(lengths_tile_set set, uint32_t tile)
{
    return set.length[tile];
}
#define WEIR_TILES lengths
#define WEIR_TILES_BY_COUNT
#include "worklist/schedule_tmpl.h"

/* ---- lanes that are threads ---------------------------------------------------------------------- */

enum { THREADS = 7, TILES = 40, ROOM = 16, ATOMS = TILES * 6 };

static pthread_barrier_t barrier;
static void meet(void)
{
    pthread_barrier_wait(&barrier);
}

/* Groups of `size` of the threads take `room` tiles at a time; threads that are no group's bring none. */
struct job {
    uint32_t size, room, tiles;
    uint32_t length[TILES], offsets[TILES + 1];
    uint64_t wide[TILES + 1];
    uint32_t words[THREADS][ROOM];
    uint64_t wide_words[THREADS][ROOM];
    uint32_t times[3][ATOMS];
    uint32_t wrong;
};

struct lane {
    struct job *job;
    uint32_t number;
};

/* Atom `atom` of tile `tile`, by kind: once, and of that tile. */
static void note(struct job *job, int kind, uint64_t tile, uint64_t atom)
{
    if (tile >= job->tiles || atom >= job->length[tile])
        (void)weir_atomic_add_relaxed_dev_u32(&job->wrong, 1);
    else
        (void)weir_atomic_add_relaxed_dev_u32(&job->times[kind][job->offsets[tile] + atom], 1);
}

#define TAKE(kind, prefix, wide, number, words_of, ...)                                            \
    for (uint32_t turn = 0; turn < job->tiles; turn += groups * job->room) {                       \
        const uint32_t from = turn + group * job->room;                                            \
        uint32_t count = group < groups && from < job->tiles ? job->room : 0;                      \
        count = count > job->tiles - from ? job->tiles - from : count;                             \
        const prefix##_tile_set set = __VA_ARGS__;                                                 \
        const wide##_tile_set here = prefix##_scratch_fill(set, from, count, job->words_of[group], \
                                                           lane, job->size, WEIR_SCRATCH_BLOCK);   \
        wide##_group_walk walk;                                                                    \
        number tile = 0, atom = 0;                                                                 \
        wide##_group_start(&walk, here, lane, job->size);                                          \
        while (wide##_group_next(&walk, here, &tile, &atom))                                       \
            note(job, kind, from + tile, atom);                                                    \
    }

static void *run_lane(void *data)
{
    struct job *job = ((struct lane *)data)->job;
    const uint32_t me = ((struct lane *)data)->number, groups = THREADS / job->size;
    const uint32_t group = me / job->size, lane = me % job->size;
    TAKE(0, weir_csr, weir, uint32_t, words, {job->offsets, job->tiles})
    TAKE(1, weir_wide_csr, weir_wide, uint64_t, wide_words, {job->wide, job->tiles})
    TAKE(2, lengths, weir, uint32_t, words, {job->tiles, job->length})
    return NULL;
}

static void run_job(struct job *job)
{
    pthread_t thread[THREADS];
    struct lane lane[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        lane[i] = (struct lane){job, i};
        assert_int_equal(pthread_create(&thread[i], NULL, run_lane, &lane[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_int_equal(job->wrong, 0);
    for (int kind = 0; kind < 3; kind++)
        for (uint32_t i = 0; i < job->offsets[job->tiles]; i++)
            assert_int_equal(job->times[kind][i], 1);
}

/* Groups of every size that seven lanes can form, with fewer, as many and more tiles than lanes at a time. */
static void groups_of_any_size(void **state)
{
    struct job *job = calloc(1, sizeof *job);
    uint64_t random = 90;
    (void)state;
    assert_non_null(job);
    assert_int_equal(pthread_barrier_init(&barrier, NULL, THREADS), 0);
    for (uint32_t size = 1; size <= THREADS; size++)
        for (uint32_t room = 1; room <= ROOM; room += 3) {
            memset(job, 0, sizeof *job);
            job->size = size;
            job->room = room;
            job->tiles = (uint32_t)(next_random(&random) % (TILES + 1));
            for (uint32_t tile = 0; tile < job->tiles; tile++) {
                job->length[tile] = (uint32_t)(next_random(&random) % 6);
                job->offsets[tile + 1] = job->offsets[tile] + job->length[tile];
                job->wide[tile + 1] = job->offsets[tile + 1];
            }
            run_job(job);
        }
    assert_int_equal(pthread_barrier_destroy(&barrier), 0);
    free(job);
}

/* Wide words carry on where 32 bits end: one lane, alone at the barrier. */
static void wide_sums(void **state)
{
    uint64_t words[] = {UINT64_C(0xFFFFFFFF), 0, UINT64_C(0x300000000), 5};
    (void)state;
    assert_int_equal(pthread_barrier_init(&barrier, NULL, 1), 0);
    const weir_wide_tile_set set = weir_wide_scratch_sums(words, 4, 0, 1, WEIR_SCRATCH_WARP);
    assert_int_equal(pthread_barrier_destroy(&barrier), 0);
    assert_true(set.first == 0 && set.tiles == 4);
    assert_true(words[1] == UINT64_C(0xFFFFFFFF) && words[2] == UINT64_C(0x3FFFFFFFF));
    assert_true(weir_wide_tile_set_atoms(set) == UINT64_C(0x400000004));
    assert_true(weir_wide_tile_set_tile(set, UINT64_C(0x3FFFFFFFF)) == 3);
}

/* ---- on devices ---------------------------------------------------------------------------------- */

enum { DEVICE_TILES = 3000, DEVICE_ATOMS = DEVICE_TILES * 3 };

/* What the kernel reads and writes, in memory of the home device or of another. */
struct arrays {
    uint32_t ends32[DEVICE_TILES + 1], tile_of[DEVICE_ATOMS];
    uint64_t ends64[DEVICE_TILES + 1];
    uint32_t times[DEVICE_ATOMS], tile[DEVICE_ATOMS], whole[DEVICE_TILES];
};

static void draw(struct arrays *arrays)
{
    uint64_t random = 91;
    memset(arrays, 0, sizeof *arrays);
    for (uint32_t tile = 0, i = 0; tile < DEVICE_TILES; tile++) {
        uint32_t atoms = tile / 100 % 3 == 1 ? 0 : (uint32_t)(next_random(&random) % 4);
        if (tile % 1000 == 777)
            atoms = 900;
        for (; atoms && i < DEVICE_ATOMS; atoms--)
            arrays->tile_of[i++] = tile;
        arrays->ends64[tile + 1] = arrays->ends32[tile + 1] = i;
    }
}

/* An atom was met once, in its tile; empty tiles came as whole ones, once, where all tiles come to lanes. */
static void check_notes(const struct arrays *want, const struct arrays *met, uint32_t way)
{
    for (uint32_t i = 0; i < want->ends32[DEVICE_TILES]; i++) {
        assert_int_equal(met->times[i], 1);
        assert_int_equal(met->tile[i], want->tile_of[i]);
    }
    for (uint32_t tile = 0; tile < DEVICE_TILES; tile++) {
        const int empty = want->ends32[tile] == want->ends32[tile + 1];
        if (way == WAY_thread || (empty && way < WAY_group) || (empty && way == WAY_merge))
            assert_int_equal(met->whole[tile], 1);
        assert_in_range(met->whole[tile], 0, 1);
    }
}

static void check_ways(weir_queue *queue, weir_device *home, uint32_t lanes, uint32_t size)
{
    weir_device *device = weir_queue_device(queue);
    struct arrays *want = new_memory(home, sizeof *want), *met = new_memory(home, sizeof *met);
    struct arrays *there = new_memory(device, sizeof *there);
    draw(want);
    for (uint32_t kind = 0; kind < KINDS; kind++)
        for (uint32_t way = 0; way < WAYS; way++) {
            struct test_kinds_args args = {there->ends32,
                                           there->ends64,
                                           there->tile_of,
                                           there->times,
                                           there->tile,
                                           there->whole,
                                           DEVICE_TILES,
                                           lanes,
                                           size,
                                           kind,
                                           way};
            OK(weir_queue_copy(queue, device, there, home, want, sizeof *there));
            OK(weir_queue_launch(queue, &test_kinds_kernel, &args, sizeof args));
            OK(weir_queue_copy(queue, home, met, device, there, sizeof *there));
            OK(weir_queue_sync(queue));
            check_notes(want, met, way);
        }
    weir_device_free(device, there);
    weir_device_free(home, met);
    weir_device_free(home, want);
}

static void kernels(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_queue *queue = new_queue(weir_context_device(context, 0));
    weir_device *home = weir_context_home(context);
    check_ways(queue, home, 1, 1);
    check_ways(queue, home, 96, 8);
    check_ways(queue, home, 1000, 3); /* on GPUs two lanes of each warp are of no group */
    check_ways(queue, home, 128, 50);
    check_ways(queue, home, 77, 128);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_of_any_size), cmocka_unit_test(wide_sums),
        ON_BACKEND(kernels, "host:1"),        ON_BACKEND(kernels, "host:1x4"),
        ON_BACKEND(kernels, "cuda:0"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
