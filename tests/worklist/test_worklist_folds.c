/** @file test_worklist_folds.c  Operators that add up the atoms of a tile: how many atoms that may be.
 *
 * What sums of rows are worth to a graph tests/algorithms/test_folds.c has. */
#include "tests/lib/live.h"
#include "tests/lib/support.h"
#include "worklist/operator.h"

#include <string.h>

/* A tile of so many atoms, numbered from far behind what 32 bits count. The atoms of a stale one count nowhere. */
#define HEAP_FIRST (UINT64_C(3) << 40)
#define HEAP_STALE UINT64_C(77)
typedef struct heap_item {
    uint64_t atoms;
} heap_item;
typedef heap_item heap_wire;
typedef struct heap_sum {
    uint64_t atoms, places; /* how many, and the sum of their numbers within the tile */
} heap_sum;
typedef struct heap_state {
    uint64_t *found; /* memory of the device: epilogues, their atoms, their places, wrong ones */
} heap_state;

WEIR_DEV int heap_tile(const heap_state *s, const heap_item *item, uint64_t *first, uint64_t *last)
{
    (void)s;
    *first = HEAP_FIRST;
    *last = HEAP_FIRST + item->atoms;
    return item->atoms != HEAP_STALE;
}

#define heap_folds 1
WEIR_DEV void heap_begin_sum(const heap_state *s, const heap_item *item, heap_sum *sum)
{
    (void)s, (void)item;
    sum->atoms = sum->places = 0;
}

WEIR_DEV void heap_add_atom(const heap_state *s, const heap_item *item, uint64_t atom,
                            heap_sum *sum)
{
    (void)s, (void)item;
    sum->atoms++;
    sum->places += atom - HEAP_FIRST;
}

WEIR_DEV void heap_join_sums(heap_sum *sum, const heap_sum *other)
{
    sum->atoms += other->atoms;
    sum->places += other->places;
}

WEIR_DEV int heap_end_sum(const heap_state *s, const heap_item *item, const heap_sum *sum,
                          heap_item *next)
{
    (void)next;
    (void)weir_atomic_add_relaxed_dev_u64(&s->found[0], 1);
    (void)weir_atomic_add_relaxed_dev_u64(&s->found[1], sum->atoms);
    (void)weir_atomic_add_relaxed_dev_u64(&s->found[2], sum->places);
    (void)weir_atomic_add_relaxed_dev_u64(&s->found[3], sum->atoms != item->atoms);
    return 0;
}

WEIR_DEV uint32_t heap_owner(const heap_state *s, const heap_wire *wire)
{
    (void)s, (void)wire;
    return 0;
}

WEIR_DEV enum weir_fate heap_on_send(const heap_state *s, const heap_item *item)
{
    (void)s, (void)item;
    return WEIR_FATE_KEEP;
}

WEIR_DEV uint32_t heap_pack(const heap_state *s, const heap_item *item, heap_wire *wire)
{
    *wire = *item;
    return heap_owner(s, wire);
}

WEIR_DEV enum weir_fate heap_on_receive(const heap_state *s, const heap_wire *wire)
{
    return heap_on_send(s, wire);
}

WEIR_DEV void heap_unpack(const heap_state *s, const heap_wire *wire, heap_item *item)
{
    (void)s;
    *item = *wire;
}

WEIR_DEV uint32_t heap_priority(const heap_state *s, const heap_item *item)
{
    (void)s;
    return (uint32_t)item->atoms % 100;
}

#undef WEIR_CUDA
#define WEIR_CUDA     0
#define WEIR_OPERATOR heap
#include "worklist/engine_host_tmpl.h"

struct world {
    weir_context *context;
    weir_endpoint *source, *worker;
    uint64_t *found;
    weir_worklist *list;
};

static void open_world(struct world *world, const char *spec, const weir_worklist_config *config)
{
    world->context = open_with_or_skip(spec, NULL);
    weir_device *device = weir_context_device(world->context, 0);
    OK(weir_endpoint_create(weir_context_home(world->context), "source", &world->source));
    OK(weir_endpoint_create(device, NULL, &world->worker));
    world->found = new_memory(device, 4 * sizeof *world->found);
    memset(world->found, 0, 4 * sizeof *world->found);
    OK(weir_worklist_create(world->source, &world->worker, 1, &weir__heap_operator, config,
                            &world->list));
    const heap_state state = {world->found};
    OK(weir_worklist_bind(world->list, 0, &state));
}

static void close_world(struct world *world)
{
    weir_worklist_destroy(world->list);
    weir_device_free(weir_context_device(world->context, 0), world->found);
    weir_endpoint_destroy(world->worker);
    weir_endpoint_destroy(world->source);
    weir_context_destroy(world->context);
}

/* Each has one epilogue; those that are stale or have no atoms have none. */
static void tiles_of_any_length_are_added_up(void **state)
{
    static const uint64_t lengths[] = {0, 1, 2, 31, 32, 33, HEAP_STALE, 1024, 1025, 0, 300000, 1};
    enum { MANY = 600, KINDS = sizeof lengths / sizeof *lengths };
    for (int kernel = WEIR_KERNEL_FUSED; kernel <= last_kernel_on(*state); kernel++)
        for (int order = WEIR_ORDER_FIFO; order <= WEIR_ORDER_BULK; order++) {
            weir_worklist_config config = WEIR_WORKLIST_CONFIG_INIT;
            weir_worklist_stats stats = WEIR_WORKLIST_STATS_INIT;
            struct world world;
            uint64_t want[3] = {0, 0, 0}, stale = 0;
            if (kernel == WEIR_KERNEL_LIVE && order != WEIR_ORDER_FIFO)
                continue;
            config.kernel = (weir_kernel_kind)kernel;
            config.order = (weir_order_kind)order;
            config.delta = order == WEIR_ORDER_SOFT ? 7 : 0;
            config.queue_items = 64;
            open_world(&world, *state, &config);
            for (int i = 0; i < MANY; i++) {
                const heap_wire seed = {lengths[i % KINDS]};
                const int counts = seed.atoms && seed.atoms != HEAP_STALE;
                OK(weir_worklist_seed(world.list, 0, &seed, 1));
                stale += seed.atoms == HEAP_STALE;
                want[0] += counts ? 1 : 0;
                want[1] += counts ? seed.atoms : 0;
                want[2] += counts ? seed.atoms * (seed.atoms - 1) / 2 : 0;
            }
            OK(weir_worklist_run(world.list, &stats));
            for (int i = 0; i < 3; i++)
                assert_int_equal(world.found[i], want[i]);
            assert_int_equal(world.found[3], 0);
            assert_int_equal(stats.atoms, want[1]);
            assert_int_equal(stats.consumed, MANY);
            /* In soft order a deferred tile that is stale is merged, not processed. */
            assert_true(stats.stale <= stale && (order == WEIR_ORDER_SOFT || stats.stale == stale));
            assert_int_equal(stats.cut, 0);
            close_world(&world);
        }
}

/* One atom more than can be counted, and more than 32 bits hold: refused, and no sum comes. */
static void tiles_that_cannot_be_counted_are_refused(void **state)
{
    static const uint64_t lengths[] = {UINT32_MAX, UINT64_C(1) << 32, (UINT64_C(5) << 32) + 3};
    for (int kernel = WEIR_KERNEL_FUSED; kernel <= last_kernel_on(*state); kernel++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            weir_worklist_config config = WEIR_WORKLIST_CONFIG_INIT;
            const heap_wire seed = {lengths[i]};
            struct world world;
            config.kernel = (weir_kernel_kind)kernel;
            open_world(&world, *state, &config);
            OK(weir_worklist_seed(world.list, 0, &seed, 1));
            STATUS(weir_worklist_run(world.list, NULL), WEIR_ERR_INVALID);
            assert_detail_has("a tile of more than 4294967294 atoms");
            assert_int_equal(world.found[0], 0);
            close_world(&world);
        }
}

#define ON_HOST(f) ON_BACKEND(f, "host:1x1"), ON_BACKEND(f, "host:1x3")

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_HOST(tiles_of_any_length_are_added_up),
        ON_HOST(tiles_that_cannot_be_counted_are_refused),
    };
    return cmocka_run_group_tests_name("worklist folds", tests, NULL, NULL);
}
