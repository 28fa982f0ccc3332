/** @file test_context.c  Several contexts at once, in one thread and in several. */
#include "tests/lib/support.h"

#include "runtime/internal.h"

#include <pthread.h>
#include <string.h>

static void contexts_do_not_disturb_each_other(void **state)
{
    weir_context *context[3];
    weir_queue *queue[3];
    weir_future *gate[3];
    void *data[3];
    for (int i = 0; i < 3; i++) {
        context[i] = open_or_skip(state);
        weir_device *device = weir_context_device(context[i], 0);
        queue[i] = new_queue(device);
        gate[i] = new_future(context[i]);
        data[i] = new_memory(device, 500);
    }
    for (int i = 0; i < 3; i++) {
        OK(weir_queue_wait_future(queue[i], gate[i]));
        OK(weir_queue_fill(queue[i], data[i], i + 1, 500));
    }
    for (int i = 2; i >= 0; i--) { /* one goes on while the others are held */
        OK(weir_future_set(gate[i], NULL));
        OK(weir_queue_sync(queue[i]));
    }
    for (int i = 2; i >= 0; i--) { /* one ends while the others live */
        weir_device *device = weir_context_device(context[i], 0);
        assert_filled(device, data[i], 500, (unsigned char)(i + 1));
        weir_queue_destroy(queue[i]);
        weir_future_release(gate[i]);
        weir_device_free(device, data[i]);
        weir_context_destroy(context[i]);
    }
    weir_context_destroy(NULL);
}

static void contexts_come_and_go(void **state)
{
    for (int i = 0; i < 20; i++) {
        weir_context *context = open_or_skip(state);
        weir_context_destroy(context);
    }
}

struct user {
    const char *spec;
    weir_status status;
    int wrong;
};

static weir_status use_one(weir_context *context, int *wrong)
{
    unsigned char got[1000];
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = NULL;
    void *data = NULL;
    weir_status status = weir_queue_create(device, 0, &queue);
    if (!status)
        status = weir_device_alloc(device, sizeof got, &data);
    for (int round = 0; round < 20 && !status; round++) {
        status = weir_queue_fill(queue, data, round, sizeof got);
        if (!status)
            status = weir_queue_sync(queue);
        if (!status)
            status = weir__download(device, got, data, sizeof got);
        for (size_t i = 0; i < sizeof got && !status; i++)
            *wrong += got[i] != round;
    }
    weir_queue_destroy(queue);
    weir_device_free(device, data);
    return status;
}

static void *use_a_context(void *data)
{
    struct user *user = data;
    weir_context *context;
    user->status = weir_context_create(user->spec, NULL, &context);
    if (user->status)
        return NULL;
    user->status = use_one(context, &user->wrong);
    weir_context_destroy(context);
    return NULL;
}

static void threads_may_each_have_a_context(void **state)
{
    weir_context_destroy(open_or_skip(state)); /* skips before any thread is started */
    struct user users[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        users[i] = (struct user){*state, WEIR_OK, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, use_a_context, &users[i]), 0);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++) {
        OK(users[i].status);
        assert_int_equal(users[i].wrong, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(contexts_do_not_disturb_each_other),
        ON_EACH_BACKEND(contexts_come_and_go),
        ON_EACH_KIND(threads_may_each_have_a_context),
    };
    return cmocka_run_group_tests_name("context", tests, NULL, NULL);
}
