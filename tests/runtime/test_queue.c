/** @file test_queue.c  Conformance of every backend: queues, fills, copies, kernels. */
#include "tests/lib/support.h"

#include "runtime/internal.h"
#include "tests/lib/test_kernels.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const size_t sizes[] = {0, 1, 3, 255, 4097, 100003};
#define SIZES (sizeof sizes / sizeof *sizes)

static void fills_stop_where_they_should(void **state)
{
    weir_context *context = open_or_skip(state);
    for (uint32_t d = 0; d < all_devices(context); d++) {
        weir_device *device = any_device(context, d);
        weir_queue *queue = new_queue(device);
        unsigned char *data = new_memory(device, 200000);
        assert_ptr_equal(weir_queue_device(queue), device);
        for (size_t i = 0; i < SIZES; i++) {
            OK(weir_queue_fill(queue, data, 0, 200000));
            OK(weir_queue_fill(queue, data + 7, 0xA5, sizes[i]));
            OK(weir_queue_sync(queue));
            assert_filled(device, data, 7, 0);
            assert_filled(device, data + 7, sizes[i], 0xA5);
            assert_filled(device, data + 7 + sizes[i], 100, 0);
        }
        weir_queue_destroy(queue);
        weir_device_free(device, data);
    }
    weir_context_destroy(context);
}

static void copy_pair(weir_device *s, weir_device *d, weir_queue *queue)
{
    unsigned char *from = new_memory(s, 100100), *to = new_memory(d, 100100);
    for (size_t i = 0; i < SIZES; i++) {
        put_pattern(s, from, 100100, i + 1);
        put_pattern(d, to, 100100, 77);
        OK(weir_queue_copy(queue, d, to, s, from, sizes[i]));
        OK(weir_queue_sync(queue));
        assert_pattern(d, to, sizes[i], i + 1);
        for (size_t at = sizes[i]; at < sizes[i] + 4; at++) {
            unsigned char byte;
            OK(weir__download(d, &byte, to + at, 1));
            assert_int_equal(byte, pattern_byte(77, at));
        }
    }
    weir_device_free(s, from);
    weir_device_free(d, to);
}

static int is_host(const weir_device *device)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(device, &info);
    return info.kind == WEIR_DEVICE_HOST;
}

/* Each ordered pair, by the source's queue and by the destination's, where that is allowed. */
static void copies_between_all_that_reach(void **state)
{
    weir_context *context = open_or_skip(state);
    for (uint32_t i = 0; i < all_devices(context); i++)
        for (uint32_t j = 0; j < all_devices(context); j++) {
            weir_device *s = any_device(context, i), *d = any_device(context, j);
            for (int end = 0; end < 2; end++) {
                weir_queue *queue = new_queue(end ? d : s);
                int hosts = is_host(s) && is_host(d);
                if (!weir_device_reaches(s, d) || (is_host(end ? d : s) && !hosts))
                    STATUS(weir_queue_copy(queue, d, NULL, s, NULL, 1), WEIR_ERR_INVALID);
                else
                    copy_pair(s, d, queue);
                weir_queue_destroy(queue);
            }
        }
    weir_context_destroy(context);
}

static void unaligned_copies_inside_a_device(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    unsigned char *data = new_memory(device, 9000);
    put_pattern(device, data + 1, 4001, 5);
    OK(weir_queue_copy(queue, device, data + 4999, device, data + 1, 4001));
    OK(weir_queue_sync(queue));
    assert_pattern(device, data + 4999, 4001, 5);
    weir_queue_destroy(queue);
    weir_device_free(device, data);
    weir_context_destroy(context);
}

static void copies_that_cannot_be_are_refused(void **state)
{
    weir_context *context = open_or_skip(state), *other = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_device *far = weir_context_device(other, 0);
    weir_queue *queue = new_queue(device);
    void *here = new_memory(device, 16), *there = new_memory(far, 16);
    STATUS(weir_queue_copy(queue, far, there, device, here, 16), WEIR_ERR_INVALID);
    assert_detail_has("of another context");
    weir_queue_destroy(queue);
    weir_device_free(device, here);
    weir_device_free(far, there);
    weir_context_destroy(other);
    weir_context_destroy(context);
}

static void every_worker_is_called_once_a_launch(void **state)
{
    weir_context *context = open_or_skip(state);
    for (uint32_t d = 0; d < all_devices(context); d++) {
        weir_device *device = any_device(context, d);
        weir_queue *queue = new_queue(device);
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_device_info_get(device, &info);
        assert_true(info.workers >= 1);
        uint32_t room = info.workers + 8, wrong = 0;
        size_t bytes = room * sizeof(uint32_t);
        uint32_t *host = malloc(2 * bytes);
        struct test_calls_args args = {new_memory(device, bytes), new_memory(device, bytes), room};
        assert_non_null(host);
        OK(weir_queue_fill(queue, args.calls, 0, bytes));
        OK(weir_queue_fill(queue, args.totals, 0, bytes));
        for (int i = 0; i < 3; i++)
            OK(weir_queue_launch(queue, &test_calls_kernel, &args, sizeof args));
        OK(weir_queue_sync(queue));
        OK(weir__download(device, host, args.calls, bytes));
        OK(weir__download(device, host + room, args.totals, bytes));
        for (uint32_t w = 0; w < room; w++) {
            int works = w < info.workers;
            wrong += host[w] != (works ? 3u : 0u);
            wrong += host[room + w] != (works ? info.workers : 0u);
        }
        free(host);
        assert_int_equal(wrong, 0);
        weir_queue_destroy(queue);
        weir_device_free(device, args.calls);
        weir_device_free(device, args.totals);
    }
    weir_context_destroy(context);
}

static void arguments_arrive_whole_and_are_copied(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    weir_future *gate = new_future(context);
    struct test_payload_args args = {new_memory(device, TEST_PAYLOAD_BYTES), {0}};
    assert_int_equal(sizeof args, 4000);
    for (size_t i = 0; i < TEST_PAYLOAD_BYTES; i++)
        args.payload[i] = pattern_byte(11, i);
    /* Once before: CUDA may have to wait for all streams when it first loads a kernel. */
    OK(weir_queue_launch(queue, &test_payload_kernel, &args, sizeof args));
    OK(weir_queue_fill(queue, args.out, 0, TEST_PAYLOAD_BYTES));
    OK(weir_queue_sync(queue));
    OK(weir_queue_wait_future(queue, gate));
    OK(weir_queue_launch(queue, &test_payload_kernel, &args, sizeof args));
    memset(args.payload, 0, sizeof args.payload); /* before it runs: the queue has its own copy */
    OK(weir_future_set(gate, NULL));
    OK(weir_queue_sync(queue));
    assert_pattern(device, args.out, TEST_PAYLOAD_BYTES, 11);
    weir_queue_destroy(queue);
    weir_future_release(gate);
    weir_device_free(device, args.out);
    weir_context_destroy(context);
}

static void launches_that_cannot_be_are_refused(void **state)
{
    static const weir_kernel formless = {.name = "formless", .host = NULL};
    static const unsigned char many[4001];
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    char sentence[96];
    weir_device_info_get(device, &info);
    STATUS(weir_queue_launch(queue, &formless, NULL, 0), WEIR_ERR_UNSUPPORTED);
    snprintf(sentence, sizeof sentence, "kernel formless has no form for %s", info.label);
    assert_detail(sentence);
    STATUS(weir_queue_launch(queue, &test_payload_kernel, many, sizeof many), WEIR_ERR_INVALID);
    assert_detail("kernel test_payload: 4001 bytes of arguments, at most 4000");
    OK(weir_queue_sync(queue));
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

#define STEPS 200

/* Fills, kernels and copies that do not commute. */
static void a_queue_runs_in_order(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    uint32_t count = 5000, wanted = 0x01010101u, wrong = 0, *host = malloc(count * 4);
    uint32_t *a = new_memory(device, count * 4), *b = new_memory(device, count * 4);
    assert_non_null(host);
    OK(weir_queue_fill(queue, a, 1, count * 4));
    for (uint32_t step = 1; step <= STEPS; step++) {
        struct test_affine_args args = {a, count, 2 * step + 1, step};
        OK(weir_queue_launch(queue, &test_affine_kernel, &args, sizeof args));
        OK(weir_queue_copy(queue, device, b, device, a, count * 4));
        OK(weir_queue_fill(queue, a, 0xEE, count * 4));
        OK(weir_queue_copy(queue, device, a, device, b, count * 4));
        wanted = wanted * (2 * step + 1) + step;
    }
    OK(weir_queue_sync(queue));
    OK(weir__download(device, host, a, count * 4));
    for (uint32_t i = 0; i < count; i++)
        wrong += host[i] != wanted;
    free(host);
    assert_int_equal(wrong, 0);
    weir_queue_destroy(queue);
    weir_device_free(device, a);
    weir_device_free(device, b);
    weir_context_destroy(context);
}

static void a_program_sees_the_stream_of_a_gpu_only(void **state)
{
    weir_context *context = open_or_skip(state);
    for (uint32_t d = 0; d < all_devices(context); d++) {
        weir_queue *queue = new_queue(any_device(context, d)), *high;
        OK(weir_queue_create(any_device(context, d), 1, &high));
        if (is_host(any_device(context, d))) {
            assert_null(weir_queue_native(queue));
        } else {
            assert_non_null(weir_queue_native(queue));
            assert_ptr_not_equal(weir_queue_native(queue), weir_queue_native(high));
        }
        weir_queue_destroy(high);
        weir_queue_destroy(queue);
    }
    weir_queue_destroy(NULL);
    weir_context_destroy(context);
}

static void *set_after_a_while(void *future)
{
    const struct timespec pause = {0, 20000000};
    nanosleep(&pause, NULL);
    (void)weir_future_set(future, NULL);
    return NULL;
}

static void destroying_a_busy_queue_waits(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    weir_future *gate = new_future(context);
    pthread_t thread;
    void *data = new_memory(device, 4096);
    put_pattern(device, data, 4096, 1);
    OK(weir_queue_wait_future(queue, gate));
    for (int i = 0; i < 50; i++)
        OK(weir_queue_fill(queue, data, i, 4096));
    assert_int_equal(pthread_create(&thread, NULL, set_after_a_while, gate), 0);
    weir_queue_destroy(queue);
    weir_status decided = weir_future_query(gate);
    pthread_join(thread, NULL);
    STATUS(decided, WEIR_OK);
    assert_filled(device, data, 4096, 49);
    weir_future_release(gate);
    weir_device_free(device, data);
    weir_context_destroy(context);
}

static void queues_of_a_device_do_not_wait_for_each_other(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *held = new_queue(device), *queue = new_queue(device);
    weir_future *gate = new_future(context);
    void *data = new_memory(device, 64), *seen = new_memory(device, 64);
    OK(weir_queue_wait_future(held, gate));
    OK(weir_queue_fill(held, data, 9, 64));
    OK(weir_queue_fill(queue, data, 4, 64));
    OK(weir_queue_copy(queue, device, seen, device, data, 64));
    OK(weir_queue_sync(queue));
    OK(weir_future_set(gate, NULL));
    OK(weir_queue_sync(held));
    assert_filled(device, seen, 64, 4);
    assert_filled(device, data, 64, 9);
    weir_device_free(device, seen);
    weir_queue_destroy(held);
    weir_queue_destroy(queue);
    weir_future_release(gate);
    weir_device_free(device, data);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(fills_stop_where_they_should),
        ON_EACH_BACKEND(copies_between_all_that_reach),
        ON_EACH_BACKEND(unaligned_copies_inside_a_device),
        ON_EACH_BACKEND(copies_that_cannot_be_are_refused),
        ON_EACH_BACKEND(every_worker_is_called_once_a_launch),
        ON_EACH_BACKEND(arguments_arrive_whole_and_are_copied),
        ON_EACH_BACKEND(launches_that_cannot_be_are_refused),
        ON_EACH_BACKEND(a_queue_runs_in_order),
        ON_EACH_KIND(a_program_sees_the_stream_of_a_gpu_only),
        ON_EACH_BACKEND(destroying_a_busy_queue_waits),
        ON_EACH_BACKEND(queues_of_a_device_do_not_wait_for_each_other),
    };
    return cmocka_run_group_tests_name("queue", tests, NULL, NULL);
}
