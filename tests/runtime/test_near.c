/** @file test_near.c  Threads and page-locked memory near the GPU that they serve.
 *
 * Most machines that run this have one NUMA node and no GPU, so host devices are said to be on a node: what is
 * seen is that threads and pages are asked for there, and that they are not where nobody wants it. */
#include "tests/lib/support.h"

#include "runtime/near.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLAB_BYTES ((uintptr_t)16 << 20)

static int32_t node_of(const weir_device *device)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(device, &info);
    return info.numa_node;
}

/* ---- threads ------------------------------------------------------------------------------------- */

struct seen {
    int32_t node;
    cpu_set_t cores;
};

static void look(void *user)
{
    struct seen *seen = user;
    seen->node = weir__near_here();
    (void)sched_getaffinity(0, sizeof seen->cores, &seen->cores);
}

static struct seen look_from(weir_device *device)
{
    struct seen seen = {.node = 77};
    weir_queue *queue = new_queue(device);
    OK(weir_queue_call(queue, look, &seen));
    OK(weir_queue_sync(queue));
    weir_queue_destroy(queue);
    return seen;
}

static int is_within(const cpu_set_t *some, const cpu_set_t *all)
{
    cpu_set_t both;
    CPU_AND(&both, some, all);
    return CPU_COUNT(some) > 0 && CPU_EQUAL(&both, some);
}

/* Some sandboxes forbid it; then there is nothing to see. */
static void skip_unless_threads_can_be_bound(const cpu_set_t *mine)
{
    if (!sched_setaffinity(0, sizeof *mine, mine))
        return;
    print_message("skipped: this system lets no thread be bound\n");
    skip();
}

static void threads_stay_on_the_node_of_their_device(void **state)
{
    static const char *const off[] = {"numa=off", NULL};
    cpu_set_t mine;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof mine, &mine), 0);
    skip_unless_threads_can_be_bound(&mine);
    weir__near_pretend(1);
    weir_context *near = open_with_or_skip("host:2", NULL);
    weir_context *anywhere = open_with_or_skip("host:2", off);
    weir__near_pretend(0);
    weir_context *unknown = open_with_or_skip("host:2", NULL);
    for (uint32_t d = 0; d < all_devices(near); d++) {
        assert_int_equal(node_of(any_device(near, d)), 0);
        struct seen seen = look_from(any_device(near, d));
        assert_int_equal(seen.node, 0);
        assert_true(is_within(&seen.cores, &mine));
        assert_int_equal(node_of(any_device(anywhere, d)), 0); /* known all the same */
        assert_int_equal(look_from(any_device(anywhere, d)).node, -1);
        assert_int_equal(node_of(any_device(unknown, d)), -1);
        assert_int_equal(look_from(any_device(unknown, d)).node, -1);
    }
    assert_int_equal(weir__near_here(), -1); /* the program's own thread is left alone */
    weir_context_destroy(near);
    weir_context_destroy(anywhere);
    weir_context_destroy(unknown);
}

static void a_program_that_is_bound_stays_bound(void **state)
{
    cpu_set_t mine, one;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof mine, &mine), 0);
    skip_unless_threads_can_be_bound(&mine);
    CPU_ZERO(&one);
    for (int core = 0; core < CPU_SETSIZE && !CPU_COUNT(&one); core++)
        if (CPU_ISSET(core, &mine))
            CPU_SET(core, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    weir__near_pretend(1);
    weir_context *context = open_with_or_skip("host:1", NULL);
    weir__near_pretend(0);
    struct seen seen = look_from(weir_context_home(context));
    assert_int_equal(sched_setaffinity(0, sizeof mine, &mine), 0);
    assert_true(CPU_EQUAL(&seen.cores, &one));
    weir_context_destroy(context);
}

/* ---- memory -------------------------------------------------------------------------------------- */

static int policy_now(void)
{
    int mode = -1;
    return syscall(SYS_get_mempolicy, &mode, NULL, 0UL, NULL, 0UL) ? -1 : mode;
}

static void pages_are_asked_for_there_and_no_longer(void **state)
{
    struct weir__near before, inner;
    int first = policy_now();
    (void)state;
    weir__near_enter(-1, &before);
    assert_int_equal(policy_now(), first);
    weir__near_leave(&before);
    weir__near_enter(4000, &before); /* no such node */
    assert_int_equal(policy_now(), first);
    weir__near_leave(&before);
    weir__near_enter(0, &before);
    if (!before.nodes) {
        print_message("skipped: this system lets no thread say where its pages shall be\n");
        skip();
    }
    int near = policy_now();
    weir__near_enter(0, &inner);
    weir__near_leave(&inner);
    int still = policy_now();
    weir__near_leave(&before);
    assert_int_not_equal(near, first);
    assert_int_equal(still, near);
    assert_int_equal(policy_now(), first);
}

static void *near_memory(weir_context *context, uint32_t device, size_t bytes)
{
    void *data;
    OK(weir__device_alloc_near(weir_context_home(context), weir_context_device(context, device),
                               bytes, &data));
    return data;
}

static int in_one_slab(const void *a, const void *b)
{
    uintptr_t first = (uintptr_t)a, second = (uintptr_t)b;
    return (first < second ? second - first : first - second) < SLAB_BYTES;
}

static void memory_of_two_nodes_is_in_two_slabs(void **state)
{
    static const char *const off[] = {"numa=off", NULL};
    (void)state;
    weir__near_pretend(2);
    weir_context *context = open_with_or_skip("host:3", NULL);
    weir_context *anywhere = open_with_or_skip("host:3", off);
    weir__near_pretend(0);
    weir_device *home = weir_context_home(context);
    assert_int_equal(node_of(home), -1); /* its devices are on two nodes */
    void *first = near_memory(context, 0, 1000), *second = near_memory(context, 1, 1000);
    void *third = near_memory(context, 2, 1000); /* on the node of the first */
    assert_true(in_one_slab(first, third));
    assert_false(in_one_slab(first, second));
    void *one = near_memory(anywhere, 0, 1000), *other = near_memory(anywhere, 1, 1000);
    assert_true(in_one_slab(one, other));
    weir_device_free(home, first);
    weir_device_free(home, second);
    weir_device_free(home, third);
    weir_device_free(weir_context_home(anywhere), one);
    weir_device_free(weir_context_home(anywhere), other);
    weir_context_destroy(context);
    weir_context_destroy(anywhere);
}

static void memory_that_is_far_is_better_than_none(void **state)
{
    static const char *const small[] = {"pool_bytes=1MiB", NULL};
    (void)state;
    weir__near_pretend(2);
    weir_context *context = open_with_or_skip("host:2", small);
    weir__near_pretend(0);
    weir_device *home = weir_context_home(context);
    void *first = near_memory(context, 0, 600000), *second = near_memory(context, 1, 300000), *none;
    assert_true(in_one_slab(first, second));
    STATUS(weir__device_alloc_near(home, weir_context_device(context, 1), 300000, &none),
           WEIR_ERR_NOMEM);
    assert_null(none);
    weir_device_free(home, first);
    weir_device_free(home, second);
    weir_context_destroy(context);
}

/* ---- what the system says of a GPU --------------------------------------------------------------- */

static void a_gpu_is_where_the_system_says(void **state)
{
    weir_context *context = open_or_skip(state);
    for (uint32_t d = 0; d < weir_context_device_count(context); d++) {
        weir_device *device = weir_context_device(context, d);
        weir__device_facts facts;
        char path[64];
        int node = -1;
        weir__device_facts_get(device, &facts);
        snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/numa_node", facts.bus);
        FILE *file = fopen(path, "r");
        int told = file && fscanf(file, "%d", &node) == 1 && node >= 0;
        if (file)
            fclose(file);
        if (told)
            assert_int_equal(node_of(device), node);
        else
            print_message("%s: the system tells no node; here it is %d\n", facts.bus,
                          (int)node_of(device));
    }
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_stay_on_the_node_of_their_device),
        cmocka_unit_test(a_program_that_is_bound_stays_bound),
        cmocka_unit_test(pages_are_asked_for_there_and_no_longer),
        cmocka_unit_test(memory_of_two_nodes_is_in_two_slabs),
        cmocka_unit_test(memory_that_is_far_is_better_than_none),
        ON_BACKEND(a_gpu_is_where_the_system_says, "cuda"),
    };
    return cmocka_run_group_tests_name("near", tests, NULL, NULL);
}
