/** @file test_worklist_behind.c  What a program puts behind a worker's kernels (weir_worklist_config.behind). */
#include "tests/lib/live.h"
#include "runtime/support.h"
#include "tests/worklist/worklist_fixture.h"

/* Copies the record of a worker's device to the host, behind its kernels. */
struct behind {
    struct tree_world *world;
    tree_record *copy; /* one a worker, page-locked where there is a GPU */
    uint32_t calls[WEIR_DEVICES_MAX];
    weir_status answer;
};

static weir_status copy_record(void *user, uint32_t worker)
{
    struct behind *behind = user;
    struct tree_world *world = behind->world;
    weir_status status =
        weir_queue_copy(weir_worklist_queue(world->list, worker), weir_context_home(world->context),
                        &behind->copy[worker], weir_context_device(world->context, worker),
                        world->memory[worker], sizeof(tree_record));
    behind->calls[worker]++;
    return status ? status : behind->answer;
}

static const weir_kernel_kind kernels[] = {WEIR_KERNEL_DISCRETE, WEIR_KERNEL_FUSED,
                                           WEIR_KERNEL_LIVE};

/* Kernels stay where all devices are of one kind. */
static size_t kernels_on(const char *spec)
{
    return strchr(spec, ',') ? 1 : live_runs_on(spec) ? 3 : 2;
}

static void open_behind(struct behind *behind, struct tree_world *world, const char *spec,
                        weir_kernel_kind kernel)
{
    struct tree_setup setup = tree_plain(spec);
    void *copy;
    *behind = (struct behind){.world = world};
    setup.config.kernel = kernel;
    setup.config.behind = copy_record;
    setup.config.user = behind;
    tree_open(world, &setup);
    assert_int_equal(weir_device_alloc(weir_context_home(world->context),
                                       world->devices * sizeof(tree_record), &copy),
                     WEIR_OK);
    behind->copy = copy;
    memset(copy, 0, world->devices * sizeof(tree_record));
}

static void close_behind(struct behind *behind)
{
    weir_device_free(weir_context_home(behind->world->context), behind->copy);
    tree_world_close(behind->world);
}

/* It is called once a worker in every run, and has seen all that the kernels did when the run returns. */
static void work_behind_kernels_is_done_when_a_run_returns(void **state)
{
    for (size_t k = 0; k < kernels_on(*state); k++) {
        struct tree_world world;
        struct behind behind;
        open_behind(&behind, &world, *state, kernels[k]);
        for (uint32_t run = 1; run <= 3; run++) {
            weir_worklist_stats stats = WEIR_WORKLIST_STATS_INIT;
            uint64_t consumed = 0;
            assert_int_equal(tree_world_seed(&world, 100 * run, 3), WEIR_OK);
            assert_int_equal(weir_worklist_run(world.list, &stats), WEIR_OK);
            for (uint32_t d = 0; d < world.devices; d++) {
                assert_int_equal(behind.calls[d], run);
                consumed += behind.copy[d].consumed;
            }
            assert_true(consumed > 3);
            assert_int_equal(consumed, stats.consumed);
            assert_null(tree_world_check(&world, &stats));
        }
        close_behind(&behind);
    }
}

static void a_failure_behind_a_kernel_ends_the_run(void **state)
{
    for (size_t k = 0; k < kernels_on(*state); k++) {
        struct tree_world world;
        struct behind behind;
        open_behind(&behind, &world, *state, kernels[k]);
        behind.answer = weir__fail(WEIR_ERR_UNSUPPORTED, "no room behind the kernel");
        assert_int_equal(tree_world_seed(&world, 1, 1), WEIR_OK);
        assert_int_equal(weir_worklist_run(world.list, NULL), WEIR_ERR_UNSUPPORTED);
        assert_non_null(strstr(weir_error_detail(), "no room behind the kernel"));
        close_behind(&behind);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(work_behind_kernels_is_done_when_a_run_returns),
        ON_EACH_SPEC(a_failure_behind_a_kernel_ends_the_run),
    };
    return cmocka_run_group_tests_name("work behind kernels", tests, NULL, NULL);
}
