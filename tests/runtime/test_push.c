/** @file test_push.c  Conformance of every backend: copies by kernels, any size and alignment. */
#include "tests/lib/support.h"

#include "runtime/internal.h"

#include <stdlib.h>
#include <string.h>

#define ALIGNMENTS  16
#define SLOT        (SMALL + 65) /* room for one small copy, its shift, and bytes around it */
#define SLOTS_BYTES ((size_t)SLOT * ALIGNMENTS * ALIGNMENTS)
#ifdef __SANITIZE_THREAD__ /* each byte takes its time there */
#define LARGE (((size_t)1 << 17) + 3)
#define SMALL 511
#else
#define LARGE (((size_t)1 << 20) + 3)
#define SMALL 4095
#endif
#define MARGIN ((size_t)32)
#define AROUND 0xA5

static const size_t small_sizes[] = {0, 1, 15, 16, 17, SMALL};
/* Each width of words, with and without bytes before the first. */
static const uint32_t large_shifts[][2] = {{0, 0}, {7, 7}, {0, 8}, {3, 15}, {1, 13},
                                           {0, 2}, {3, 5}, {0, 1}, {14, 3}};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static unsigned char pattern[LARGE + ALIGNMENTS]; /* what every source holds */

/* A source and a destination, what they hold, and how to get from one to the other. */
struct pair {
    weir_device *from_device, *to_device;
    weir_queue *queue;
    unsigned char *from, *to; /* in the devices' memory */
    unsigned char *want;      /* in ours: what should be at `to` */
};

static void push(struct pair *pair, size_t at, uint32_t shift, size_t bytes)
{
    OK(weir_queue_push(pair->queue, pair->to_device, pair->to + at, pair->from_device,
                       pair->from + shift, bytes));
    memcpy(pair->want + at, pattern + shift, bytes);
}

static void clear(struct pair *pair, size_t bytes)
{
    memset(pair->want, AROUND, bytes);
    OK(weir__upload(pair->to_device, pair->to, pair->want, bytes));
}

/* All `bytes` of the destination, those around the copies too. */
static void check(struct pair *pair, size_t bytes, const char *what, size_t size)
{
    unsigned char *got = malloc(bytes);
    assert_non_null(got);
    OK(weir_queue_sync(pair->queue));
    OK(weir__download(pair->to_device, got, pair->to, bytes));
    int same = memcmp(got, pair->want, bytes) == 0;
    size_t i = 0;
    while (!same && got[i] == pair->want[i])
        i++;
    if (!same)
        print_error("%s of %zu bytes: byte %zu is %u instead of %u\n", what, size, i, got[i],
                    pair->want[i]);
    free(got);
    assert_true(same);
}

static void push_small(struct pair *pair)
{
    for (size_t k = 0; k < COUNT(small_sizes); k++) {
        clear(pair, SLOTS_BYTES);
        for (uint32_t i = 0; i < ALIGNMENTS * ALIGNMENTS; i++)
            push(pair, (size_t)i * SLOT + MARGIN + i % ALIGNMENTS, i / ALIGNMENTS, small_sizes[k]);
        check(pair, SLOTS_BYTES, "a slot", small_sizes[k]);
    }
}

static void push_large(struct pair *pair)
{
    for (size_t k = 0; k < COUNT(large_shifts); k++) {
        size_t all = MARGIN + ALIGNMENTS + LARGE + MARGIN;
        clear(pair, all);
        push(pair, MARGIN + large_shifts[k][1], large_shifts[k][0], LARGE);
        check(pair, all, "a copy", LARGE);
    }
}

static void push_pair(weir_device *from, weir_device *to, weir_queue *queue)
{
    size_t room = SLOTS_BYTES + LARGE;
    struct pair pair = {from, to, queue, new_memory(from, room), new_memory(to, room), NULL};
    pair.want = malloc(room);
    assert_non_null(pair.want);
    OK(weir__upload(from, pair.from, pattern, sizeof pattern));
    push_small(&pair);
    push_large(&pair);
    free(pair.want);
    weir_device_free(from, pair.from);
    weir_device_free(to, pair.to);
}

static int is_host(const weir_device *device)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(device, &info);
    return info.kind == WEIR_DEVICE_HOST;
}

static void push_from_either_end(weir_device *from, weir_device *to)
{
    int hosts = is_host(from) && is_host(to);
    for (int end = 0; end < 2; end++) {
        weir_queue *queue = new_queue(end ? to : from);
        if (!weir_device_reaches(from, to) || (is_host(end ? to : from) && !hosts))
            STATUS(weir_queue_push(queue, to, NULL, from, NULL, 1), WEIR_ERR_INVALID);
        else
            push_pair(from, to, queue);
        weir_queue_destroy(queue);
    }
}

static void pushes_between_all_that_reach(void **state)
{
    weir_context *context = open_or_skip(state);
    for (uint32_t i = 0; i < all_devices(context); i++)
        for (uint32_t j = 0; j < all_devices(context); j++)
            push_from_either_end(any_device(context, i), any_device(context, j));
    weir_context_destroy(context);
}

static void a_push_keeps_its_place_in_the_queue(void **state)
{
    const size_t bytes = 300001;
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    weir_future *gate = new_future(context);
    unsigned char *from = new_memory(device, bytes), *first = new_memory(device, bytes),
                  *second = new_memory(device, bytes);
    OK(weir_queue_fill(queue, first, 9, bytes));
    OK(weir_queue_sync(queue));
    OK(weir_queue_wait_future(queue, gate));
    OK(weir_queue_fill(queue, from, 1, bytes));
    OK(weir_queue_push(queue, device, first, device, from, bytes));
    OK(weir_queue_fill(queue, from, 2, bytes));
    OK(weir_queue_push(queue, device, second, device, from, bytes));
    OK(weir_queue_copy(queue, device, from, device, first, bytes));
    OK(weir_future_set(gate, NULL));
    OK(weir_queue_sync(queue));
    assert_filled(device, first, bytes, 1);
    assert_filled(device, second, bytes, 2);
    assert_filled(device, from, bytes, 1);
    weir_device_free(device, from);
    weir_device_free(device, first);
    weir_device_free(device, second);
    weir_future_release(gate);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

static void pushes_that_cannot_be_are_refused(void **state)
{
    weir_context *context = open_or_skip(state), *other = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_device *far = weir_context_device(other, 0);
    weir_queue *queue = new_queue(device);
    void *here = new_memory(device, 16), *there = new_memory(far, 16);
    STATUS(weir_queue_push(queue, far, there, device, here, 16), WEIR_ERR_INVALID);
    assert_detail_has("of another context");
    weir_queue_destroy(queue);
    weir_device_free(device, here);
    weir_device_free(far, there);
    weir_context_destroy(other);
    weir_context_destroy(context);
}

int main(void)
{
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = pattern_byte(3, i);
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(pushes_between_all_that_reach),
        ON_EACH_BACKEND(a_push_keeps_its_place_in_the_queue),
        ON_EACH_BACKEND(pushes_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests_name("push", tests, NULL, NULL);
}
