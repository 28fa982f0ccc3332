/** @file drive.c  Opening, running and closing a driven web. */
#include "tests/lib/drive.h"

#include "runtime/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void drive_wrong(struct drive *drive, const char *format, ...)
{
    va_list arguments;
    pthread_mutex_lock(&drive->lock);
    if (!drive->wrong[0]) {
        va_start(arguments, format);
        vsnprintf(drive->wrong, sizeof drive->wrong, format, arguments);
        va_end(arguments);
    }
    pthread_mutex_unlock(&drive->lock);
    atomic_store(&drive->stop, 1);
    for (uint32_t i = 0; i < drive->web.input_count; i++) /* let the others end */
        web_cancel(&drive->web, i, WEIR_ERR_CANCELLED);
    for (uint32_t i = 0; i < drive->receivers; i++)
        drive_arrived(&drive->receive[i]);
}

static void open_input(struct drive *drive, uint32_t i)
{
    struct web *web = &drive->web;
    struct drive_input *input = &drive->inputs[i];
    weir_device *device = web_device(web, web->inputs[i].end);
    input->stop_at = web_below(web, 2) ? drive->budget : web_below(web, drive->budget + 1);
    input->memory = new_memory(device, DRIVE_AHEAD * DRIVE_BYTES);
    input->words = new_memory(weir_context_home(web->context), DRIVE_AHEAD * DRIVE_BYTES);
    input->mover = new_queue(device);
    for (int k = 0; k < DRIVE_AHEAD; k++)
        input->ready[k] = new_event(device);
}

static void open_output(struct drive *drive, uint32_t o)
{
    struct web *web = &drive->web;
    const struct web_output *out = &web->outputs[o];
    uint32_t most = out->buffers < DRIVE_HELD ? out->buffers : DRIVE_HELD;
    drive->outputs[o].want = 1 + web_below(web, most);
    drive->outputs[o].ended = WEIR_PENDING;
    if (out->buffers == WEIR_BUFFERS_NONE)
        drive->outputs[o].memory = new_memory(web_device(web, out->end), DRIVE_HELD * out->packet);
}

static void open_worker(struct drive *drive, struct drive_worker *worker, uint32_t number)
{
    worker->drive = drive;
    worker->number = number;
    worker->random = next_random(&drive->web.random);
    pthread_mutex_init(&worker->lock, NULL);
    weir__cond_init(&worker->more);
    worker->scratch = new_memory(weir_context_home(drive->web.context), DRIVE_BYTES);
    for (uint32_t d = 0; d < all_devices(drive->web.context); d++)
        worker->queues[d] = new_queue(any_device(drive->web.context, d));
}

void drive_open(struct drive *drive, weir_context *context, uint64_t seed, uint64_t budget)
{
    struct web *web = &drive->web;
    memset(drive, 0, sizeof *drive);
    drive->budget = budget;
    atomic_store(&drive->cancelled, -1);
    pthread_mutex_init(&drive->lock, NULL);
    web_plan(web, context, seed);
    drive->senders = 1 + web_below(web, DRIVE_THREADS);
    drive->receivers = 1 + web_below(web, DRIVE_THREADS);
    for (uint32_t i = 0; i < drive->senders; i++)
        open_worker(drive, &drive->send[i], i);
    for (uint32_t i = 0; i < drive->receivers; i++)
        open_worker(drive, &drive->receive[i], i);
    for (uint32_t o = 0; o < web->output_count; o++) {
        web->outputs[o].arrived = drive_arrived;
        web->outputs[o].arrived_user = &drive->receive[o % drive->receivers];
    }
    web_open(web);
    for (uint32_t i = 0; i < web->input_count; i++)
        open_input(drive, i);
    for (uint32_t o = 0; o < web->output_count; o++)
        open_output(drive, o);
}

/* In the time between: a part of the web ends in the middle of everything. */
static void cancel_some(struct drive *drive, uint64_t cancel_at)
{
    static const weir_status with[] = {WEIR_ERR_CANCELLED, WEIR_ERR_VERIFY, WEIR_ERR_IO};
    const struct timespec pause = {0, 50000};
    uint32_t input = web_below(&drive->web, drive->web.input_count);
    while (atomic_load(&drive->received) < cancel_at && atomic_load(&drive->sending))
        nanosleep(&pause, NULL);
    drive->status = with[web_below(&drive->web, 3)];
    atomic_store(&drive->cancelled, web_input_piece(&drive->web, input));
    web_cancel(&drive->web, input, drive->status);
}

void drive_run(struct drive *drive, uint64_t cancel_at)
{
    atomic_store(&drive->sending, drive->senders);
    for (uint32_t i = 0; i < drive->receivers; i++)
        assert_int_equal(
            pthread_create(&drive->receive[i].thread, NULL, drive_receiver, &drive->receive[i]), 0);
    for (uint32_t i = 0; i < drive->senders; i++)
        assert_int_equal(
            pthread_create(&drive->send[i].thread, NULL, drive_sender, &drive->send[i]), 0);
    if (cancel_at != UINT64_MAX)
        cancel_some(drive, cancel_at);
    for (uint32_t i = 0; i < drive->senders; i++)
        pthread_join(drive->send[i].thread, NULL);
    for (uint32_t i = 0; i < drive->receivers; i++)
        pthread_join(drive->receive[i].thread, NULL);
}

static void close_worker(struct drive_worker *worker)
{
    weir_context *context = worker->drive->web.context;
    for (uint32_t d = 0; d < all_devices(context); d++)
        weir_queue_destroy(worker->queues[d]);
    weir_device_free(weir_context_home(context), worker->scratch);
    pthread_cond_destroy(&worker->more);
    pthread_mutex_destroy(&worker->lock);
    free(worker->records);
}

void drive_close(struct drive *drive)
{
    struct web *web = &drive->web;
    web_close(web);
    for (uint32_t i = 0; i < web->input_count; i++) {
        struct drive_input *input = &drive->inputs[i];
        weir_queue_destroy(input->mover);
        for (int k = 0; k < DRIVE_AHEAD; k++)
            weir_event_release(input->ready[k]);
        weir_device_free(web_device(web, web->inputs[i].end), input->memory);
        weir_device_free(weir_context_home(web->context), input->words);
        free(input->messages);
    }
    for (uint32_t o = 0; o < web->output_count; o++)
        weir_device_free(web_device(web, web->outputs[o].end), drive->outputs[o].memory);
    for (uint32_t i = 0; i < drive->senders; i++)
        close_worker(&drive->send[i]);
    for (uint32_t i = 0; i < drive->receivers; i++)
        close_worker(&drive->receive[i]);
    pthread_mutex_destroy(&drive->lock);
}
