/** @file test_worklist_seeds.c  Seeds that the operator makes of numbers, beside seeds that are sent. */
#include "tests/lib/live.h"
#include "tests/lib/support.h"
#include "worklist/operator.h"

#include <string.h>

/* Counts what it gets, on whichever device: a seed of an even number is one item, which makes another for the next device
 * in turn; of an odd one none. */
typedef struct tally_item {
    uint64_t number;
} tally_item;
typedef tally_item tally_wire;
typedef struct tally_state {
    uint64_t *
        sums; /* memory of the device: seeds asked for, their sum, items, their sum, times that a worker found nothing */
    uint32_t device, devices;
} tally_state;

#define TALLY_NEXT (UINT64_C(1) << 40)

#define tally_seeds 1
WEIR_DEV int tally_seed(const tally_state *s, uint32_t number, tally_item *item)
{
    (void)weir_atomic_add_relaxed_dev_u64(&s->sums[0], 1);
    (void)weir_atomic_add_relaxed_dev_u64(&s->sums[1], number);
    item->number = number;
    return number % 2 == 0;
}

#define tally_idles 1
WEIR_DEV void tally_idle(const tally_state *s, uint32_t looks)
{
    (void)looks;
    (void)weir_atomic_add_relaxed_dev_u64(&s->sums[4], 1);
}

WEIR_DEV int tally_tile(const tally_state *s, const tally_item *item, uint64_t *first,
                        uint64_t *last)
{
    (void)s, (void)item;
    *first = 0;
    *last = 1;
    return 1;
}

WEIR_DEV int tally_atom(const tally_state *s, const tally_item *item, uint64_t atom,
                        tally_item *next)
{
    (void)atom;
    (void)weir_atomic_add_relaxed_dev_u64(&s->sums[2], 1);
    (void)weir_atomic_add_relaxed_dev_u64(&s->sums[3], item->number);
    next->number = item->number + TALLY_NEXT;
    return item->number < TALLY_NEXT;
}

WEIR_DEV uint32_t tally_owner(const tally_state *s, const tally_wire *wire)
{
    (void)wire;
    return (s->device + 1) % s->devices;
}

WEIR_DEV enum weir_fate tally_on_send(const tally_state *s, const tally_item *item)
{
    (void)item;
    return s->devices == 1 ? WEIR_FATE_KEEP : WEIR_FATE_PASS;
}

WEIR_DEV uint32_t tally_pack(const tally_state *s, const tally_item *item, tally_wire *wire)
{
    *wire = *item;
    return tally_owner(s, wire);
}

WEIR_DEV enum weir_fate tally_on_receive(const tally_state *s, const tally_wire *wire)
{
    (void)s, (void)wire;
    return WEIR_FATE_KEEP;
}

WEIR_DEV void tally_unpack(const tally_state *s, const tally_wire *wire, tally_item *item)
{
    (void)s;
    *item = *wire;
}

WEIR_DEV uint32_t tally_priority(const tally_state *s, const tally_item *item)
{
    (void)s;
    return (uint32_t)(item->number >> 8);
}

#undef WEIR_CUDA
#define WEIR_CUDA     0
#define WEIR_OPERATOR tally
#include "worklist/engine_host_tmpl.h"

extern const weir_operator weir__tree_operator;

struct world {
    weir_context *context;
    weir_endpoint *source, *worker[WEIR_DEVICES_MAX];
    uint64_t *sums[WEIR_DEVICES_MAX];
    uint32_t devices;
    weir_worklist *list;
};

static void open_world(struct world *world, const char *spec, const weir_operator *op,
                       const weir_worklist_config *config)
{
    memset(world, 0, sizeof *world);
    world->context = open_with_or_skip(spec, NULL);
    world->devices = weir_context_device_count(world->context);
    OK(weir_endpoint_create(weir_context_home(world->context), "source", &world->source));
    for (uint32_t d = 0; d < world->devices; d++) {
        OK(weir_endpoint_create(weir_context_device(world->context, d), NULL, &world->worker[d]));
        world->sums[d] = new_memory(weir_context_device(world->context, d), 5 * sizeof(uint64_t));
    }
    OK(weir_worklist_create(world->source, world->worker, world->devices, op, config,
                            &world->list));
}

static void close_world(struct world *world)
{
    weir_worklist_destroy(world->list);
    for (uint32_t d = 0; d < world->devices; d++) {
        weir_endpoint_destroy(world->worker[d]);
        weir_device_free(weir_context_device(world->context, d), world->sums[d]);
    }
    weir_endpoint_destroy(world->source);
    weir_context_destroy(world->context);
}

static uint64_t sum(const struct world *world, int which)
{
    uint64_t all = 0;
    for (uint32_t d = 0; d < world->devices; d++)
        all += world->sums[d][which];
    return all;
}

/* `count` numbers a worker, and `sent` seeds to each beside them. */
static void run(struct world *world, uint32_t count, uint32_t sent)
{
    const uint64_t n = count, made = (n + 1) / 2, devices = world->devices;
    weir_worklist_stats stats = WEIR_WORKLIST_STATS_INIT;
    for (uint32_t d = 0; d < world->devices; d++) {
        const tally_state state = {world->sums[d], d, world->devices};
        memset(world->sums[d], 0, 5 * sizeof(uint64_t));
        OK(weir_worklist_bind(world->list, d, &state));
        for (uint32_t i = 0; i < sent; i++)
            OK(weir_worklist_seed(world->list, d, &(tally_wire){TALLY_NEXT}, 1));
        OK(weir_worklist_seed_numbers(world->list, d, count));
    }
    OK(weir_worklist_run(world->list, &stats));
    assert_int_equal(sum(world, 0), n * devices);
    assert_int_equal(sum(world, 1), n ? n * (n - 1) / 2 * devices : 0);
    assert_int_equal(sum(world, 2), (2 * made + sent) * devices);
    const uint64_t evens = made ? made * (made - 1) : 0;
    assert_int_equal(sum(world, 3), (2 * evens + (made + sent) * TALLY_NEXT) * devices);
    assert_int_equal(stats.produced, (n + made + sent) * devices);
    assert_int_equal(stats.consumed, stats.produced);
    assert_int_equal(stats.processed, (2 * made + sent) * devices);
}

static void each_number_is_asked_for_once(void **state)
{
    static const uint32_t counts[] = {1000, 0, 1, 33, 20001, 2};
    for (int kernel = WEIR_KERNEL_FUSED; kernel <= last_kernel_on(*state); kernel++)
        for (int order = WEIR_ORDER_FIFO; order <= WEIR_ORDER_BULK; order++) {
            weir_worklist_config config = WEIR_WORKLIST_CONFIG_INIT;
            struct world world;
            if (kernel == WEIR_KERNEL_LIVE && order != WEIR_ORDER_FIFO)
                continue;
            config.kernel = (weir_kernel_kind)kernel;
            config.order = (weir_order_kind)order;
            config.delta = order == WEIR_ORDER_SOFT ? 7 : 0;
            config.queue_items = 256; /* what waits for a later round spills */
            open_world(&world, *state, &weir__tally_operator, &config);
            for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
                run(&world, counts[i], (uint32_t)(i % 3) * 50);
            close_world(&world);
        }
}

/* Workers of live kernels that find nothing are told so, at the end at least; those of others never are. */
static void who_finds_nothing_is_told_so(void **state)
{
    for (int kernel = WEIR_KERNEL_FUSED; kernel <= last_kernel_on(*state); kernel++) {
        weir_worklist_config config = WEIR_WORKLIST_CONFIG_INIT;
        struct world world;
        config.kernel = (weir_kernel_kind)kernel;
        open_world(&world, *state, &weir__tally_operator, &config);
        for (uint32_t count = 0; count < 500; count += 100) {
            run(&world, count, 3);
            assert_true((sum(&world, 4) > 0) == (kernel == WEIR_KERNEL_LIVE));
        }
        close_world(&world);
    }
}

/* A later call takes the place of an earlier one, and a run forgets all of them. */
static void the_last_call_counts_for_one_run(void **state)
{
    for (int kernel = WEIR_KERNEL_FUSED; kernel <= last_kernel_on(*state); kernel++) {
        weir_worklist_config config = WEIR_WORKLIST_CONFIG_INIT;
        weir_worklist_stats stats = WEIR_WORKLIST_STATS_INIT;
        struct world world;
        config.kernel = (weir_kernel_kind)kernel;
        open_world(&world, *state, &weir__tally_operator, &config);
        OK(weir_worklist_seed_numbers(world.list, 0, 12345));
        run(&world, 10, 3);
        OK(weir_worklist_run(world.list, &stats));
        assert_int_equal(stats.produced, 0);
        assert_int_equal(sum(&world, 0), 10 * world.devices);
        run(&world, 0, 3);
        close_world(&world);
    }
}

static void what_cannot_be_seeded_is_refused(void **state)
{
    struct world world;
    open_world(&world, *state, &weir__tally_operator, NULL);
    STATUS(weir_worklist_seed_numbers(world.list, world.devices, 1), WEIR_ERR_INVALID);
    STATUS(weir_worklist_seed_numbers(world.list, 0, (UINT32_C(1) << 31) + 1), WEIR_ERR_INVALID);
    assert_detail("more than 2^31 seeds for worker 0");
    close_world(&world);
    open_world(&world, *state, &weir__tree_operator, NULL);
    STATUS(weir_worklist_seed_numbers(world.list, 0, 1), WEIR_ERR_UNSUPPORTED);
    assert_detail("operator tree makes no seeds of numbers (tree_seed)");
    close_world(&world);
}

#define ON_HOST(f) ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:3"), ON_BACKEND(f, "host:4x2")

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_HOST(each_number_is_asked_for_once),
        ON_HOST(who_finds_nothing_is_told_so),
        ON_HOST(the_last_call_counts_for_one_run),
        ON_BACKEND(what_cannot_be_seeded_is_refused, "host:2"),
    };
    return cmocka_run_group_tests_name("worklist seeds", tests, NULL, NULL);
}
