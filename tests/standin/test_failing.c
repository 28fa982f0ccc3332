/** @file test_failing.c  CUDA fails at every place in turn: nothing hangs, nothing is left behind, and it is said. */
#include "tests/standin/standin_fixture.h"

#include "tests/lib/flow.h"

#include <string.h>

#define BYTES   4096u
#define PACKETS 12u

/* ---- calls that make things --------------------------------------------------------------------------- */

/* Peer access first: it is enabled once for the process. */
static const enum standin_call making[] = {
    STANDIN_cudaDeviceEnablePeerAccess,
    STANDIN_cudaSetDevice,
    STANDIN_cudaGetDeviceProperties,
    STANDIN_cudaMalloc,
    STANDIN_cudaMemGetInfo,
    STANDIN_cudaHostAlloc,
    STANDIN_cudaHostRegister,
    STANDIN_cudaStreamCreateWithPriority,
    STANDIN_cudaMemcpyAsync,
    STANDIN_cudaEventCreateWithFlags,
    STANDIN_cudaMemsetAsync,
    STANDIN_cudaEventRecord,
    STANDIN_cudaLaunchKernel,
    STANDIN_cudaStreamWaitEvent,
    STANDIN_cudaMemcpy,
    STANDIN_cudaGetDeviceCount,
    STANDIN_cudaDeviceGetStreamPriorityRange,
};

/* All of the backend in a few calls. Failures are noted, and what could be made is given back. */
static weir_status use(weir_context *context)
{
    weir_device *first = weir_context_device(context, 0), *second = weir_context_device(context, 1);
    static char own[3 * BYTES];
    char *page = own + BYTES - (uintptr_t)own % BYTES;
    weir_queue *queue = NULL, *other = NULL;
    weir_event *event = NULL;
    void *a = NULL, *b = NULL, *c = NULL;
    weir_status status, noted = WEIR_OK;
    if ((status = weir_device_alloc(first, BYTES, &a)) ||
        (status = weir_device_alloc(second, BYTES, &b)) ||
        (status = weir_device_alloc(weir_context_home(context), BYTES, &c)) ||
        (status = weir_queue_create(first, 0, &queue)) ||
        (status = weir_queue_create(second, 0, &other)) ||
        (status = weir_event_acquire(first, &event)) ||
        (status = weir_memory_register(context, page, BYTES))) {
        noted = status;
    } else {
        if ((status = weir_queue_fill(queue, a, 1, BYTES)) ||
            (status = weir_device_reaches(first, second)
                          ? weir_queue_copy(queue, second, b, first, a, BYTES)
                          : WEIR_OK) ||
            (status = weir_queue_push(queue, first, a, weir_context_home(context), page, BYTES)) ||
            (status = weir_queue_record(queue, event)) ||
            (status = weir_queue_wait_event(other, event)))
            noted = status;
        status = weir_queue_sync(queue);
        noted = noted ? noted : status;
        status = weir_queue_sync(other);
        noted = noted ? noted : status;
        status = weir_memory_unregister(context, page);
        noted = noted ? noted : status;
    }
    weir_event_release(event);
    weir_queue_destroy(queue);
    weir_queue_destroy(other);
    weir_device_free(first, a);
    weir_device_free(second, b);
    weir_device_free(weir_context_home(context), c);
    return noted;
}

static int run_with(enum standin_call call, uint64_t nth)
{
    weir_config *config;
    weir_context *context = NULL;
    OK(weir_config_create(&config));
    OK(weir_config_set(config, "events", "16"));
    standin_fail(call, nth, cudaErrorMemoryAllocation);
    weir_status status = weir_context_create("cuda:0-1", config, &context);
    if (!status)
        status = use(context);
    int struck = standin_struck();
    standin_fail(call, 0, cudaSuccess);
    weir_context_destroy(context);
    weir_config_destroy(config);
    if (status && !struck)
        fail_msg("%s without a failure", weir_error_detail());
    if (status)
        assert_true(strlen(weir_error_detail()) > 0);
    return struck;
}

/* A call that CUDA refuses for want of memory. What frees with a current device that cannot be set keeps its memory, as
 * with CUDA: of cudaSetDevice only the first ones, of making, are tried. */
static void each_call_that_makes_something_may_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof making / sizeof making[0]; i++) {
        const uint64_t most = making[i] == STANDIN_cudaSetDevice ? 2 : UINT64_MAX;
        int struck = 1;
        uint64_t nth = 1;
        for (; struck && nth <= most; nth++) {
            struck = run_with(making[i], nth);
            assert_nothing_left();
        }
        if (nth <= 2)
            fail_msg("the call of row %zu is not made at all", i);
    }
}

/* ---- devices that break under a link ---------------------------------------------------------------------- */

struct sent {
    weir_future *done[PACKETS];
    uint32_t count;
};

static void send_all(weir_link *link, weir_device *device, char *data, struct sent *sent)
{
    weir_status status = WEIR_OK;
    for (sent->count = 0; sent->count < PACKETS && !status;) {
        weir_segment segment = {.device = device,
                                .data = data + sent->count * BYTES,
                                .bytes = BYTES,
                                .meta = sent->count};
        status = weir_link_send(link, &segment, NULL, &sent->done[sent->count]);
        sent->count += !status;
    }
    if (!status)
        status = weir_link_shutdown(link);
    assert_true(status == WEIR_OK || status == WEIR_ERR_DEVICE);
}

/* @return how many packets came; each must be whole. */
static uint32_t take_all(weir_link *link)
{
    uint32_t taken = 0, came = 0;
    for (;;) {
        weir_pending *pending;
        weir_segment segment;
        weir_status status = weir_link_receive(link, &pending);
        if (!status) {
            status = weir_pending_wait(pending, LONG_MS, &segment);
            assert_int_not_equal(status, WEIR_ERR_TIMEOUT);
            /* A GPU's memory is the host's here, and can be read where the GPU is broken. */
            came += !status;
            if (!status)
                taken += segment.bytes == BYTES &&
                         pattern_length(segment.data, 0, BYTES, segment.meta) == BYTES;
            (void)weir_pending_release(pending, NULL);
        }
        if (status) {
            assert_true(status == WEIR_CLOSED || status == WEIR_ERR_DEVICE);
            assert_int_equal(taken, came);
            return taken;
        }
    }
}

/* Whether it broke: the end of a run that did not is right in every packet. */
static int run_link(int broken, uint64_t nth)
{
    struct sent sent;
    weir_context *context = open_with_or_skip("cuda:0-1", NULL);
    weir_device *first = weir_context_device(context, 0), *second = weir_context_device(context, 1);
    weir_endpoint *from = new_endpoint(first, "from"), *to = new_endpoint(second, "to");
    weir_link *link = new_link(from, to, BYTES, 2);
    char *data = new_memory(first, PACKETS * BYTES);
    for (uint32_t i = 0; i < PACKETS; i++)
        put_pattern(first, data + i * BYTES, BYTES, i);
    standin_break_at(broken, nth, cudaErrorIllegalAddress);
    send_all(link, first, data, &sent);
    uint32_t taken = take_all(link);
    weir_status status = weir_device_status(broken ? second : first);
    if (!status)
        assert_int_equal(taken, PACKETS);
    for (uint32_t i = 0; i < sent.count; i++) {
        weir_status one = weir_future_wait(sent.done[i], LONG_MS);
        assert_true(one == WEIR_OK || (status && one == WEIR_ERR_DEVICE));
        weir_future_release(sent.done[i]);
    }
    weir_device_free(first, data);
    weir_link_destroy(link);
    weir_endpoint_destroy(from);
    weir_endpoint_destroy(to);
    weir_context_destroy(context);
    standin_reset();
    assert_int_equal(standin_left().streams + standin_left().events, 0);
    return status == WEIR_ERR_DEVICE;
}

static void a_gpu_may_break_at_each_operation_of_a_link(void **state)
{
    (void)state;
    for (int broken = 0; broken < 2; broken++) {
        uint64_t nth = 1, beyond = 0;
        /* Packets are copied by one of the two: the other has nothing to break at. */
        for (; nth < 200 && beyond < 2; nth++)
            beyond += !run_link(broken, nth);
        assert_int_equal(beyond, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(each_call_that_makes_something_may_fail, "cuda:0-1"),
        ON_BACKEND(a_gpu_may_break_at_each_operation_of_a_link, "cuda:0-1"),
    };
    return cmocka_run_group_tests_name("failing", tests, NULL, NULL);
}
