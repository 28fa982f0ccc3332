/** @file test_native.c  What belongs to a program itself: streams, events and memory beside weir's. */
#include "tests/lib/native.h"
#include "tests/lib/support.h"

#include "runtime/internal.h"

#include <stdlib.h>
#include <string.h>

static int is_gpu(const weir_device *device)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(device, &info);
    return info.kind == WEIR_DEVICE_CUDA;
}

static void host_queues_have_nothing_native(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *home = weir_context_home(context);
    weir_queue *queue = new_queue(home);
    weir_event *event = new_event(home);
    assert_null(weir_queue_native(queue));
    assert_null(weir_event_native(event));
    STATUS(weir_queue_wait_native(queue, event), WEIR_ERR_UNSUPPORTED);
    assert_detail_has("cannot wait for events that are not weir's");
    weir_event_release(event);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

/* An event of one queue, given as the program's own to the queue of another GPU (or the same). */
static void follow(weir_context *context, weir_device *first, weir_device *second)
{
    weir_queue *writer = new_queue(first), *reader = new_queue(second);
    weir_event *written = new_event(first), *done = new_event(second);
    weir_future *gate = new_future(context);
    weir_device *home = weir_context_home(context);
    void *between = new_memory(home, 64), *seen = new_memory(second, 64);
    void *source = new_memory(first, 64);
    put_pattern(home, between, 64, 1);
    void *native = weir_event_native(written);
    assert_non_null(native);
    OK(weir__queue_hold(writer, gate)); /* by the device: what is put in is in the stream */
    OK(weir_queue_fill(writer, source, 9, 64));
    OK(weir_queue_copy(writer, home, between, first, source, 64));
    OK(weir_queue_record(writer, written));
    assert_ptr_equal(weir_event_native(written), native);
    OK(weir_queue_wait_native(reader, native));
    OK(weir_queue_copy(reader, second, seen, home, between, 64));
    OK(weir_queue_record(reader, done));
    STATUS(weir_event_wait(done, 10), WEIR_ERR_TIMEOUT);
    OK(weir_future_set(gate, NULL));
    OK(weir_event_wait(done, LONG_MS));
    assert_non_null(weir_queue_native(writer));
    assert_filled(second, seen, 64, 9);
    weir_queue_destroy(writer);
    weir_queue_destroy(reader);
    weir_event_release(written);
    weir_event_release(done);
    weir_future_release(gate);
    weir_device_free(home, between);
    weir_device_free(first, source);
    weir_device_free(second, seen);
}

static void a_queue_waits_for_a_native_event(void **state)
{
    weir_context *context = open_or_skip(state);
    uint32_t devices = weir_context_device_count(context);
    for (uint32_t i = 0; i < devices * devices; i++) {
        weir_device *first = weir_context_device(context, i / devices);
        weir_device *second = weir_context_device(context, i % devices);
        if (is_gpu(first) && is_gpu(second))
            follow(context, first, second);
    }
    weir_context_destroy(context);
}

static void registered_memory_is_checked(void **state)
{
    weir_context *context = open_or_skip(state);
    char *data = aligned_alloc(65536, 5 * 65536);
    assert_non_null(data);
    memset(data, 1, 5 * 65536);
    STATUS(weir_memory_register(context, data, 0), WEIR_ERR_INVALID);
    STATUS(weir_memory_register(context, NULL, 10), WEIR_ERR_INVALID);
    STATUS(weir_memory_register(context, data, SIZE_MAX), WEIR_ERR_INVALID);
    OK(weir_memory_register(context, data + 65536, 2 * 65536));
    STATUS(weir_memory_register(context, data + 65536, 2 * 65536), WEIR_ERR_INVALID);
    assert_detail_has("are registered already");
    STATUS(weir_memory_register(context, data, 5 * 65536), WEIR_ERR_INVALID);
    STATUS(weir_memory_register(context, data, 65537), WEIR_ERR_INVALID);
    STATUS(weir_memory_register(context, data + 3 * 65536 - 1, 65536), WEIR_ERR_INVALID);
    OK(weir_memory_register(context, data, 65536)); /* beside it */
    OK(weir_memory_register(context, data + 3 * 65536, 65536));
    STATUS(weir_memory_unregister(context, data + 1), WEIR_ERR_INVALID);
    assert_detail_has("was not registered");
    OK(weir_memory_unregister(context, data + 65536));
    STATUS(weir_memory_unregister(context, data + 65536), WEIR_ERR_INVALID);
    OK(weir_memory_register(context, data + 65536, 65536));
    OK(weir_memory_unregister(context, NULL));
    weir_context_destroy(context); /* what is left is undone with it */
    context = open_or_skip(state);
    OK(weir_memory_register(context, data, 5 * 65536));
    OK(weir_memory_unregister(context, data));
    weir_context_destroy(context);
    free(data);
}

/* By copies, and by kernels, which fault on memory that is not page-locked. */
static void registered_memory_is_good_for_copies_and_kernels(void **state)
{
    enum { BYTES = 300000 };
    weir_context *context = open_or_skip(state);
    weir_device *home = weir_context_home(context);
    unsigned char *data = malloc(BYTES), *back = malloc(BYTES);
    assert_true(data && back);
    OK(weir_memory_register(context, data, BYTES));
    for (uint32_t d = 0; d < all_devices(context); d++) {
        weir_device *device = any_device(context, d);
        weir_queue *queue = new_queue(device);
        void *there = new_memory(device, BYTES);
        for (int push = 0; push < 2; push++) {
            for (size_t i = 0; i < BYTES; i++)
                data[i] = pattern_byte(2 * d + push, i);
            memcpy(back, data, BYTES);
            if (push)
                OK(weir_queue_push(queue, device, there, home, data, BYTES));
            else
                OK(weir_queue_copy(queue, device, there, home, data, BYTES));
            OK(weir_queue_sync(queue));
            assert_pattern(device, there, BYTES, 2 * d + push);
            memset(data, 0, BYTES);
            if (push)
                OK(weir_queue_push(queue, home, data, device, there, BYTES));
            else
                OK(weir_queue_copy(queue, home, data, device, there, BYTES));
            OK(weir_queue_sync(queue));
            assert_memory_equal(data, back, BYTES);
        }
        weir_queue_destroy(queue);
        weir_device_free(device, there);
    }
    OK(weir_memory_unregister(context, data));
    weir_context_destroy(context);
    free(data);
    free(back);
}

static void host_devices_adopt_no_streams(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_queue *queue = (weir_queue *)context;
    STATUS(weir_queue_adopt(weir_context_home(context), context, &queue), WEIR_ERR_UNSUPPORTED);
    assert_null(queue);
    assert_detail_has("has no streams that a program could have made");
    weir_context_destroy(context);
}

/* What the program puts into its stream and what weir puts into the queue over it run in order. */
static void a_stream_of_the_programs_is_a_queue(void **state)
{
    enum { BYTES = 5000, ROUNDS = 20 };
    weir_context *context = open_or_skip(state);
    for (uint32_t d = 0; d < weir_context_device_count(context); d++) {
        weir_device *device = weir_context_device(context, d);
        void *stream = native_stream_create(device), *copies = new_memory(device, ROUNDS * BYTES);
        unsigned char *data = new_memory(device, BYTES);
        weir_queue *queue;
        weir_queue *other = new_queue(device);
        weir_event *event = new_event(device), *before = new_event(device);
        assert_non_null(stream);
        OK(weir_queue_adopt(device, stream, &queue));
        assert_ptr_equal(weir_queue_native(queue), stream);
        assert_ptr_equal(weir_queue_device(queue), device);
        for (int i = 0; i < ROUNDS; i++) {
            assert_int_equal(native_fill(stream, data, i + 1, BYTES), 0);
            OK(weir_queue_copy(queue, device, (char *)copies + (size_t)i * BYTES, device, data,
                               BYTES));
        }
        OK(weir_queue_sync(queue));
        for (int i = 0; i < ROUNDS; i++)
            assert_filled(device, (char *)copies + (size_t)i * BYTES, BYTES,
                          (unsigned char)(i + 1));
        OK(weir_queue_fill(other, data, 88, BYTES));
        OK(weir_queue_record(other, before));
        OK(weir_queue_wait_event(queue, before));
        OK(weir_queue_copy(queue, device, copies, device, data, BYTES));
        OK(weir_queue_record(queue, event));
        OK(weir_event_wait(event, LONG_MS));
        assert_filled(device, copies, BYTES, 88);
        weir_queue_destroy(queue);
        weir_queue_destroy(other);
        assert_int_equal(native_fill(stream, data, 7, BYTES), 0); /* the stream is still there */
        assert_int_equal(native_stream_sync(stream), 0); /* the end of a stream waits for nothing */
        assert_int_equal(native_stream_destroy(stream), 0);
        assert_filled(device, data, BYTES, 7);
        weir_event_release(event);
        weir_event_release(before);
        weir_device_free(device, copies);
        weir_device_free(device, data);
    }
    weir_context_destroy(context);
}

static void streams_that_are_no_queue_are_refused(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_device *last = weir_context_device(context, weir_context_device_count(context) - 1);
    weir_queue *queue = (weir_queue *)context;
    for (uintptr_t stream = 0; stream < 3; stream++) {
        STATUS(weir_queue_adopt(device, (void *)stream, &queue), WEIR_ERR_INVALID);
        assert_null(queue);
        assert_detail_has("a default stream cannot be its queue");
    }
    void *stream = native_stream_create(last);
    assert_non_null(stream);
    if (last != device) {
        STATUS(weir_queue_adopt(device, stream, &queue), WEIR_ERR_INVALID);
        assert_detail_has("a stream of another GPU cannot be its queue");
    }
    assert_int_equal(native_capture_begin(stream), 0);
    STATUS(weir_queue_adopt(last, stream, &queue), WEIR_ERR_INVALID);
    assert_detail_has("a stream that is being captured cannot be its queue");
    assert_int_equal(native_capture_end(stream), 0);
    OK(weir_queue_adopt(last, stream, &queue));
    weir_queue_destroy(queue);
    assert_int_equal(native_stream_destroy(stream), 0);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(host_queues_have_nothing_native),
        ON_BACKEND(a_queue_waits_for_a_native_event, "cuda:0"),
        ON_BACKEND(a_queue_waits_for_a_native_event, "cuda:0-1"),
        ON_BACKEND(host_devices_adopt_no_streams, "host:2"),
        ON_BACKEND(a_stream_of_the_programs_is_a_queue, "cuda:0"),
        ON_BACKEND(a_stream_of_the_programs_is_a_queue, "cuda:0-1"),
        ON_BACKEND(streams_that_are_no_queue_are_refused, "cuda:0"),
        ON_BACKEND(streams_that_are_no_queue_are_refused, "cuda:0-1"),
        ON_EACH_BACKEND(registered_memory_is_checked),
        ON_EACH_BACKEND(registered_memory_is_good_for_copies_and_kernels),
    };
    return cmocka_run_group_tests_name("native", tests, NULL, NULL);
}
