/** @file test_worklist_sizes.c  Long items: they arrive whole, or are refused before a kernel is started with them. */
#include "tests/lib/support.h"
#include "tests/lib/wide.h"

#include <stdio.h>
#include <string.h>

/* Of 16 KiB, for host devices alone: GPUs have no room for them. */
#undef WEIR_CUDA
#define WEIR_CUDA     0
#define WEIR_OPERATOR vast
#define WIDE_WORDS    2046u
#include "tests/lib/wide_tmpl.h"

#include "worklist/engine_host_tmpl.h"

extern const weir_operator weir__wide_operator; /* wide_host.c */

struct world {
    weir_context *context;
    weir_endpoint *source, *worker[WEIR_DEVICES_MAX];
    uint64_t *counts[WEIR_DEVICES_MAX];
    uint32_t devices;
};

static void open_world(struct world *world, void **state)
{
    static const char *const settings[] = {"pool_bytes=1GiB", "packet_bytes=64KiB", NULL};
    memset(world, 0, sizeof *world);
    world->context = open_with_or_skip(*state, settings);
    world->devices = weir_context_device_count(world->context);
    OK(weir_endpoint_create(weir_context_home(world->context), "source", &world->source));
    for (uint32_t d = 0; d < world->devices; d++) {
        weir_device *device = weir_context_device(world->context, d);
        OK(weir_endpoint_create(device, NULL, &world->worker[d]));
        world->counts[d] = new_memory(device, 2 * sizeof(uint64_t));
    }
}

static void close_world(struct world *world)
{
    for (uint32_t d = 0; d < world->devices; d++) {
        weir_endpoint_destroy(world->worker[d]);
        weir_device_free(weir_context_device(world->context, d), world->counts[d]);
    }
    weir_endpoint_destroy(world->source);
    weir_context_destroy(world->context);
}

/* A tree of three children each, four deep: 1 + 3 + 9 + 27 + 81 items. */
static void run_vast(struct world *world, const weir_worklist_config *config)
{
    static vast_wire seed;
    weir_worklist *list;
    weir_worklist_stats stats = WEIR_WORKLIST_STATS_INIT;
    uint64_t items = 0, wrong = 0;
    OK(weir_worklist_create(world->source, world->worker, world->devices, &weir__vast_operator,
                            config, &list));
    for (uint32_t d = 0; d < world->devices; d++) {
        const struct wide_state state = {world->counts[d], 4, 3, d, world->devices};
        memset(world->counts[d], 0, 2 * sizeof(uint64_t));
        OK(weir_worklist_bind(list, d, &state));
    }
    vast_make_whole(&seed, 0, 0);
    OK(weir_worklist_seed(list, 0, &seed, 1));
    OK(weir_worklist_run(list, &stats));
    for (uint32_t d = 0; d < world->devices; d++) {
        items += world->counts[d][0];
        wrong += world->counts[d][1];
    }
    assert_int_equal(items, 121);
    assert_int_equal(wrong, 0);
    assert_int_equal(stats.processed, 121);
    if (world->devices > 1)
        assert_true(stats.sent > 0);
    weir_worklist_destroy(list);
}

static void long_items_arrive_whole_on_host_devices(void **state)
{
    static const weir_worker_kind workers[] = {WEIR_WORKER_THREAD, WEIR_WORKER_WARP,
                                               WEIR_WORKER_BLOCK};
    struct world world;
    weir_worklist_config config = WEIR_WORKLIST_CONFIG_INIT;
    open_world(&world, state);
    config.queue_items = 64; /* and the rest goes through host memory */
    for (int kernel = WEIR_KERNEL_FUSED; kernel <= WEIR_KERNEL_LIVE; kernel++)
        for (size_t w = 0; w < sizeof workers / sizeof *workers; w++) {
            config.kernel = (weir_kernel_kind)kernel;
            config.worker = workers[w];
            run_vast(&world, &config);
        }
    config.kernel = WEIR_KERNEL_AUTO;
    config.order = WEIR_ORDER_SOFT;
    config.delta = 1;
    run_vast(&world, &config);
    close_world(&world);
}

static weir_status create(struct world *world, const weir_operator *op)
{
    weir_worklist_config config = WEIR_WORKLIST_CONFIG_INIT;
    weir_worklist *list;
    config.queue_items = 16; /* of which a pool holds as many as are long */
    weir_status status =
        weir_worklist_create(world->source, world->worker, world->devices, op, &config, &list);
    assert_int_equal(status == WEIR_OK, list != NULL);
    weir_worklist_destroy(list);
    return status;
}

/* The operator with items of another length. A block has those of a set, and one for each bag that it keeps items for. */
static weir_operator with_items(uint64_t bytes)
{
    const uint64_t items = 32 + 1 + WEIR_BUCKETS + 1;
    weir_operator op = weir__vast_operator;
    assert_true(op.block_bytes >= items * sizeof(vast_item));
    op.item_bytes = (uint32_t)bytes;
    op.block_bytes += items * bytes - items * sizeof(vast_item);
    return op;
}

/* What a stack does not hold is refused, and the length that is said to fit is the longest that is taken. */
static void items_that_no_stack_holds_are_refused(void **state)
{
    struct world world;
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    unsigned long long most;
    open_world(&world, state);
    weir_device_info_get(weir_context_device(world.context, 0), &info);
    assert_true(info.block_bytes >= 65536); /* a thread's stack */
    weir_operator huge = with_items(info.block_bytes);
    STATUS(create(&world, &huge), WEIR_ERR_INVALID);
    assert_detail_has("operator vast: items of ");
    assert_detail_has(" of a thread's stack on host:0, where at most ");
    const char *says = strstr(weir_error_detail(), "items of at most ");
    assert_non_null(says);
    assert_int_equal(sscanf(says, "items of at most %llu", &most), 1);
    assert_true(most >= sizeof(vast_item));
    huge = with_items(most + 8);
    STATUS(create(&world, &huge), WEIR_ERR_INVALID);
    huge = with_items(most);
    OK(create(&world, &huge));
    close_world(&world);
}

/* Shorter items would be no help beside packed ones that are too long. */
static void packed_items_that_no_stack_holds_are_refused(void **state)
{
    struct world world;
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_operator huge = weir__vast_operator;
    open_world(&world, state);
    weir_device_info_get(weir_context_device(world.context, 0), &info);
    huge.wire_bytes = (uint32_t)info.block_bytes;
    STATUS(create(&world, &huge), WEIR_ERR_INVALID);
    assert_detail_has(" may be taken: packed items must be shorter");
    huge = weir__vast_operator;
    huge.block_bytes = info.block_bytes / 2; /* and the frames come on top */
    STATUS(create(&world, &huge), WEIR_ERR_INVALID);
    close_world(&world);
}

/* Of a GPU's block 512 items of 512 bytes would take 256 KiB of shared memory. */
static void items_that_no_block_holds_are_refused(void **state)
{
    struct world world;
    unsigned long long need, limit, most;
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    open_world(&world, state);
    weir_device_info_get(weir_context_device(world.context, 0), &info);
    STATUS(create(&world, &weir__wide_operator), WEIR_ERR_INVALID);
    const char *says = strstr(weir_error_detail(), "512 packed, take ");
    assert_non_null(says);
    assert_int_equal(sscanf(says,
                            "512 packed, take %llu bytes of a block's shared memory on cuda:0, "
                            "where at most %llu may "
                            "be taken: items of at most %llu bytes fit",
                            &need, &limit, &most),
                     3);
    assert_int_equal(limit, info.block_bytes);
    assert_true(need > 512u * 512u && need > limit);
    assert_true(most < 512 && most >= 64);
    close_world(&world);
}

#define ON_HOST(f) ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:3"), ON_BACKEND(f, "host:4x2")

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_HOST(long_items_arrive_whole_on_host_devices),
        ON_BACKEND(items_that_no_stack_holds_are_refused, "host:1"),
        ON_BACKEND(packed_items_that_no_stack_holds_are_refused, "host:1"),
        ON_BACKEND(items_that_no_block_holds_are_refused, "cuda:0"),
        ON_BACKEND(items_that_no_block_holds_are_refused, "cuda:0-1"),
    };
    return cmocka_run_group_tests_name("worklist sizes", tests, NULL, NULL);
}
