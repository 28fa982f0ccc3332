/** @file test_model.c  The stand-in itself: it stalls, waits, fails and orders as was measured on GPUs. */
#include "tests/standin/standin_fixture.h"

#include <cuda.h>
#include <stdlib.h>
#include <string.h>

#define SHORT_MS 100   /* for what must not come */
#define WAIT_MS  20000 /* for what must */
#define STREAMS  40

struct scene {
    cudaStream_t held[STREAMS], other;
    uint32_t *words, *data; /* page-locked; of device 0 */
    uint32_t count;
};

#define GOOD(call) assert_int_equal((call), cudaSuccess)

static cudaStream_t new_stream(void)
{
    cudaStream_t stream;
    GOOD(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, 0));
    return stream;
}

static cudaEvent_t new_cuda_event(void)
{
    cudaEvent_t event;
    GOOD(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    return event;
}

/* Streams of device 0, each of which waits for its word to be 1. */
static void hold(struct scene *scene, uint32_t count)
{
    void *words, *data;
    GOOD(cudaSetDevice(0));
    GOOD(cudaHostAlloc(&words, STREAMS * sizeof *scene->words, cudaHostAllocPortable));
    GOOD(cudaMalloc(&data, 1024));
    memset(words, 0, STREAMS * sizeof *scene->words);
    *scene = (struct scene){.words = words, .data = data, .count = count};
    scene->other = new_stream();
    for (uint32_t i = 0; i < count; i++) {
        scene->held[i] = new_stream();
        assert_int_equal(cuStreamWaitValue32(scene->held[i],
                                             (CUdeviceptr)(uintptr_t)&scene->words[i], 1,
                                             CU_STREAM_WAIT_VALUE_GEQ),
                         CUDA_SUCCESS);
    }
    for (int ms = 0; ms < WAIT_MS && standin_held(0) < count; ms++)
        pause_ms(1);
}

static void let_go(struct scene *scene)
{
    for (uint32_t i = 0; i < scene->count; i++)
        __atomic_store_n(&scene->words[i], 1, __ATOMIC_RELEASE);
}

static void end(struct scene *scene)
{
    let_go(scene);
    for (uint32_t i = 0; i < scene->count; i++) {
        GOOD(cudaStreamSynchronize(scene->held[i]));
        GOOD(cudaStreamDestroy(scene->held[i]));
    }
    GOOD(cudaStreamSynchronize(scene->other));
    GOOD(cudaStreamDestroy(scene->other));
    GOOD(cudaFree(scene->data));
    GOOD(cudaFreeHost(scene->words));
    standin_reset();
    assert_nothing_left();
}

/* Whether the stream becomes empty. */
static int empties(cudaStream_t stream, long ms)
{
    for (; ms > 0 && cudaStreamQuery(stream) == cudaErrorNotReady; ms--)
        pause_ms(1);
    return cudaStreamQuery(stream) == cudaSuccess;
}

static void works_beside(uint32_t connections, uint32_t held, int expected)
{
    struct scene scene;
    standin_connections(connections);
    hold(&scene, held);
    assert_int_equal(standin_held(0), held);
    GOOD(cudaMemsetAsync(scene.data, 1, 1024, scene.other));
    assert_int_equal(empties(scene.other, expected ? WAIT_MS : SHORT_MS), expected);
    let_go(&scene);
    assert_true(empties(scene.other, WAIT_MS));
    end(&scene);
    standin_connections(8);
}

static void as_many_held_streams_as_connections_stop_a_device(void **state)
{
    (void)state;
    works_beside(8, 7, 1);
    works_beside(8, 8, 0);
    works_beside(32, 31, 1);
    works_beside(32, 32, 0);
}

static void of_more_held_streams_only_so_many_are_begun(void **state)
{
    struct scene scene;
    (void)state;
    standin_connections(8);
    hold(&scene, 0);
    end(&scene);
    hold(&scene, 8);
    scene.count = 16;
    for (uint32_t i = 8; i < 16; i++) {
        scene.held[i] = new_stream();
        assert_int_equal(cuStreamWaitValue32(scene.held[i], (CUdeviceptr)(uintptr_t)&scene.words[i],
                                             1, CU_STREAM_WAIT_VALUE_GEQ),
                         CUDA_SUCCESS);
    }
    pause_ms(SHORT_MS);
    assert_int_equal(standin_held(0), 8);
    assert_int_equal(standin_free_connections(0), 0);
    /* Another device has connections of its own. */
    GOOD(cudaSetDevice(1));
    cudaStream_t there = new_stream();
    void *data;
    GOOD(cudaMalloc(&data, 64));
    GOOD(cudaMemsetAsync(data, 1, 64, there));
    assert_true(empties(there, WAIT_MS));
    GOOD(cudaStreamDestroy(there));
    GOOD(cudaFree(data));
    GOOD(cudaSetDevice(0));
    end(&scene);
}

/* Waiting for an event takes a connection where a held stream is to record it, and none otherwise. */
static void waits_for_events_of_held_streams_take_connections(void **state)
{
    struct scene scene;
    cudaStream_t waiting[7];
    (void)state;
    hold(&scene, 1);
    cudaEvent_t event = new_cuda_event();
    GOOD(cudaEventRecord(event, scene.held[0]));
    for (int i = 0; i < 7; i++) {
        waiting[i] = new_stream();
        GOOD(cudaStreamWaitEvent(waiting[i], event, 0));
    }
    for (int ms = 0; ms < WAIT_MS && standin_free_connections(0) > 0; ms++)
        pause_ms(1);
    GOOD(cudaMemsetAsync(scene.data, 1, 1024, scene.other));
    assert_false(empties(scene.other, SHORT_MS));
    assert_int_equal(cudaEventQuery(event), cudaErrorNotReady);
    let_go(&scene);
    for (int i = 0; i < 7; i++) {
        assert_true(empties(waiting[i], WAIT_MS));
        GOOD(cudaStreamDestroy(waiting[i]));
    }
    GOOD(cudaEventQuery(event));
    GOOD(cudaEventDestroy(event));
    end(&scene);
}

static void wait_a_while(void *user)
{
    pause_ms(*(const int *)user);
}

static void waits_for_events_of_busy_streams_take_none(void **state)
{
    struct scene scene;
    cudaStream_t waiting[16];
    int ms = 300;
    (void)state;
    hold(&scene, 0);
    cudaStream_t busy = new_stream();
    cudaEvent_t event = new_cuda_event();
    GOOD(cudaLaunchHostFunc(busy, wait_a_while, &ms));
    GOOD(cudaEventRecord(event, busy));
    for (int i = 0; i < 16; i++) {
        waiting[i] = new_stream();
        GOOD(cudaStreamWaitEvent(waiting[i], event, 0));
    }
    GOOD(cudaMemsetAsync(scene.data, 1, 1024, scene.other));
    GOOD(cudaStreamSynchronize(scene.other));
    assert_int_equal(cudaEventQuery(event), cudaErrorNotReady);
    GOOD(cudaStreamSynchronize(busy));
    GOOD(cudaStreamDestroy(busy));
    for (int i = 0; i < 16; i++) {
        GOOD(cudaStreamSynchronize(waiting[i]));
        GOOD(cudaStreamDestroy(waiting[i]));
    }
    GOOD(cudaEventDestroy(event));
    end(&scene);
}

/* ---- what waits for streams ----------------------------------------------------------------------- */

static void free_it(void *data)
{
    (void)cudaSetDevice(0);
    (void)cudaFree(data);
}

static void free_it_on_the_host(void *data)
{
    (void)cudaSetDevice(0);
    (void)cudaFreeHost(data);
}

static void unregister(void *data)
{
    (void)cudaSetDevice(0);
    (void)cudaHostUnregister(data);
}

static void frees_wait_for_held_streams_and_allocations_do_not(void **state)
{
    struct scene scene;
    struct task task[3];
    void *data, *words, *own = aligned_alloc(4096, 8192);
    (void)state;
    assert_non_null(own);
    hold(&scene, 1);
    GOOD(cudaMalloc(&data, 64));
    GOOD(cudaHostAlloc(&words, 64, cudaHostAllocPortable));
    GOOD(cudaHostRegister(own, 8192, cudaHostRegisterPortable));
    start_task(&task[0], free_it, data);
    start_task(&task[1], free_it_on_the_host, words);
    start_task(&task[2], unregister, own);
    for (int i = 0; i < 3; i++)
        assert_false(task_ends(&task[i], SHORT_MS));
    let_go(&scene);
    for (int i = 0; i < 3; i++) {
        assert_true(task_ends(&task[i], WAIT_MS));
        end_task(&task[i]);
    }
    free(own);
    end(&scene);
}

/* ---- threads, contexts ------------------------------------------------------------------------------- */

static void query_stream(void *stream)
{
    (void)cudaStreamQuery(stream);
}

/* By the driver a thread has a context for a while, and then none again. */
static void query_stream_and_go_back(void *stream)
{
    CUcontext before, there;
    (void)cuCtxGetCurrent(&before);
    (void)cudaSetDevice(1);
    (void)cuCtxGetCurrent(&there);
    (void)cuCtxSetCurrent(before);
    (void)cuCtxSetCurrent(there);
    (void)cudaStreamQuery(stream);
    (void)cuCtxSetCurrent(before);
}

static void query_event(void *event)
{
    (void)cudaEventQuery(event);
}

static void a_stream_asked_by_a_fresh_thread_makes_a_context(void **state)
{
    struct task task;
    (void)state;
    standin_reset();
    GOOD(cudaSetDevice(1));
    cudaStream_t stream = new_stream();
    cudaEvent_t event = new_cuda_event();
    start_task(&task, query_event, event);
    end_task(&task);
    assert_int_equal(standin_stray_contexts(), 0);
    assert_false(standin_has_context(0));
    start_task(&task, query_stream_and_go_back, stream);
    end_task(&task);
    assert_int_equal(standin_stray_contexts(), 0);
    assert_false(standin_has_context(0));
    start_task(&task, query_stream, stream);
    end_task(&task);
    assert_int_equal(standin_stray_contexts(), 1);
    assert_true(standin_has_context(0));
    GOOD(cudaStreamDestroy(stream));
    GOOD(cudaEventDestroy(event));
    standin_reset();
    assert_nothing_left();
}

/* ---- failures ------------------------------------------------------------------------------------------- */

static void a_device_that_broke_says_so_and_others_go_on(void **state)
{
    struct scene scene;
    void *data;
    (void)state;
    hold(&scene, 1);
    GOOD(cudaSetDevice(1));
    cudaStream_t there = new_stream();
    cudaEvent_t event, after = new_cuda_event();
    GOOD(cudaMalloc(&data, 64));
    GOOD(cudaSetDevice(0));
    event = new_cuda_event();
    GOOD(cudaEventRecord(event, scene.held[0]));
    GOOD(cudaStreamWaitEvent(there, event, 0));
    GOOD(cudaMemsetAsync(data, 3, 64, there));
    GOOD(cudaEventRecord(after, there));
    standin_break(0, cudaErrorLaunchFailure);
    assert_int_equal(cudaStreamSynchronize(scene.held[0]), cudaErrorLaunchFailure);
    assert_int_equal(cudaEventQuery(event), cudaErrorLaunchFailure);
    assert_int_equal(cudaMemsetAsync(scene.data, 0, 4, scene.other), cudaErrorLaunchFailure);
    assert_int_equal(cudaGetLastError(), cudaErrorLaunchFailure);
    assert_int_equal(cudaFree(scene.data), cudaErrorLaunchFailure);
    GOOD(cudaStreamSynchronize(there)); /* nothing waits for what will never be */
    GOOD(cudaEventQuery(after));
    (void)cudaEventDestroy(event);
    (void)cudaStreamDestroy(scene.held[0]);
    (void)cudaStreamDestroy(scene.other);
    GOOD(cudaStreamDestroy(there));
    GOOD(cudaEventDestroy(after));
    standin_reset();
    assert_int_equal(standin_left().allocations, 0);
    assert_int_equal(standin_left().streams + standin_left().events, 0);
    GOOD(cudaGetLastError());
}

static void the_nth_call_fails_and_calls_are_counted(void **state)
{
    void *data;
    (void)state;
    GOOD(cudaSetDevice(0));
    uint64_t before = standin_calls(STANDIN_cudaMalloc);
    standin_fail(STANDIN_cudaMalloc, 2, cudaErrorMemoryAllocation);
    GOOD(cudaMalloc(&data, 64));
    assert_false(standin_struck());
    GOOD(cudaFree(data));
    assert_int_equal(cudaMalloc(&data, 64), cudaErrorMemoryAllocation);
    assert_true(standin_struck());
    assert_int_equal(cudaGetLastError(), cudaErrorMemoryAllocation);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    GOOD(cudaMalloc(&data, 64));
    GOOD(cudaFree(data));
    assert_int_equal(standin_calls(STANDIN_cudaMalloc) - before, 3);
    assert_int_equal(cudaMalloc(&data, (size_t)1 << 40), cudaErrorMemoryAllocation);
    standin_reset();
    assert_nothing_left();
}

/* What no event orders runs in either order: of pairs of writes from two streams both orders are seen. */
static void streams_have_no_order_of_their_own(void **state)
{
    struct scene scene;
    uint32_t first = 0, rounds = 0;
    (void)state;
    hold(&scene, 0);
    cudaStream_t second = new_stream();
    const CUdeviceptr word = (CUdeviceptr)(uintptr_t)scene.words;
    for (; rounds < 20000 && (first == 0 || first == rounds); rounds++) {
        assert_int_equal(cuStreamWriteValue32(scene.other, word, 1, 0), CUDA_SUCCESS);
        assert_int_equal(cuStreamWriteValue32(second, word, 2, 0), CUDA_SUCCESS);
        GOOD(cudaStreamSynchronize(scene.other));
        GOOD(cudaStreamSynchronize(second));
        first += __atomic_load_n(scene.words, __ATOMIC_ACQUIRE) == 2;
    }
    assert_true(first > 0 && first < rounds);
    GOOD(cudaStreamDestroy(second));
    end(&scene);
}

/* Nothing else would tell a test that weir asks what a capture does not survive. */
static void a_captured_stream_takes_nothing_and_tells_nothing(void **state)
{
    struct scene scene;
    enum cudaStreamCaptureStatus status;
    cudaGraph_t graph;
    int device = -1;
    (void)state;
    hold(&scene, 0);
    GOOD(cudaStreamGetDevice(scene.other, &device));
    assert_int_equal(device, 0);
    GOOD(cudaStreamBeginCapture(scene.other, cudaStreamCaptureModeRelaxed));
    GOOD(cudaStreamIsCapturing(scene.other, &status));
    assert_int_equal(status, cudaStreamCaptureStatusActive);
    GOOD(cudaStreamEndCapture(scene.other, &graph));
    GOOD(cudaGraphDestroy(graph));
    for (int put = 0; put < 2; put++) {
        GOOD(cudaStreamBeginCapture(scene.other, cudaStreamCaptureModeRelaxed));
        assert_int_equal(put ? cudaMemsetAsync(scene.data, 1, 64, scene.other)
                             : cudaStreamQuery(scene.other),
                         cudaErrorStreamCaptureUnsupported);
        GOOD(cudaStreamIsCapturing(scene.other, &status));
        assert_int_equal(status, cudaStreamCaptureStatusInvalidated);
        assert_int_equal(cudaStreamEndCapture(scene.other, &graph),
                         cudaErrorStreamCaptureInvalidated);
        assert_null(graph);
    }
    (void)cudaGetLastError();
    end(&scene); /* it is a stream as before */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(as_many_held_streams_as_connections_stop_a_device, "cuda"),
        ON_BACKEND(of_more_held_streams_only_so_many_are_begun, "cuda"),
        ON_BACKEND(waits_for_events_of_held_streams_take_connections, "cuda"),
        ON_BACKEND(waits_for_events_of_busy_streams_take_none, "cuda"),
        ON_BACKEND(frees_wait_for_held_streams_and_allocations_do_not, "cuda"),
        ON_BACKEND(a_stream_asked_by_a_fresh_thread_makes_a_context, "cuda"),
        ON_BACKEND(a_device_that_broke_says_so_and_others_go_on, "cuda"),
        ON_BACKEND(the_nth_call_fails_and_calls_are_counted, "cuda"),
        ON_BACKEND(streams_have_no_order_of_their_own, "cuda"),
        ON_BACKEND(a_captured_stream_takes_nothing_and_tells_nothing, "cuda"),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
