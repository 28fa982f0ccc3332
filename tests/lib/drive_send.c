/** @file drive_send.c  The sending threads of a driven web. */
#include "tests/lib/drive.h"

#include <stdlib.h>

#define REFUSED_MAX 64 /* a sender whose messages are refused gives up */

/* A failure is as it should be if this part of the web was cancelled with it. */
static int expected(struct drive *drive, uint32_t i, weir_status status)
{
    return atomic_load(&drive->cancelled) == web_input_piece(&drive->web, i) &&
           status == drive->status;
}

static uint32_t draw_size(struct drive_worker *worker, uint32_t i)
{
    const struct web *web = &worker->drive->web;
    size_t least = web->inputs[i].least, typical = web->inputs[i].typical, bytes;
    size_t most = 40 * least < DRIVE_BYTES ? 40 * least : DRIVE_BYTES;
    uint64_t draw = next_random(&worker->random);
    switch (draw % 8) {
    case 0:
    case 1:
        bytes = draw % 8;
        break;
    case 2:
    case 3:
    case 4:
        bytes = least + draw % 8 - 3;
        break;
    case 5:
        bytes = typical + 1;
        break;
    case 6:
        bytes = (draw >> 8) % (6 * least);
        break;
    default:
        bytes = (draw >> 8) % (4 * typical);
    }
    bytes = bytes < most ? bytes : most;
    return (uint32_t)(web->worded ? (bytes < 8 ? 8 : bytes & ~(size_t)7) : bytes);
}

/* Room for one more message, filled in. */
static struct drive_message *new_message(struct drive_worker *worker, uint32_t i)
{
    struct drive_input *input = &worker->drive->inputs[i];
    uint64_t draw = next_random(&worker->random);
    if (input->count == input->room) {
        uint32_t room = input->room ? 2 * input->room : 256;
        struct drive_message *more = realloc(input->messages, room * sizeof *more);
        if (!more)
            return NULL;
        input->messages = more;
        input->room = room;
    }
    struct drive_message *message = &input->messages[input->count];
    message->bytes = draw_size(worker, i);
    message->meta = worker->drive->web.worded ? draw % 4 : drive_meta(i, input->count, draw);
    return message;
}

/* Write the message where it is sent from: at once, or by a queue that lags behind the send. */
static weir_status put(struct drive_worker *worker, uint32_t i, uint32_t bytes, weir_event **ready)
{
    struct drive *drive = worker->drive;
    struct drive_input *input = &drive->inputs[i];
    weir_device *home = weir_context_home(drive->web.context);
    weir_device *device = web_device(&drive->web, drive->web.inputs[i].end);
    uint32_t slot = input->count % DRIVE_AHEAD;
    char *data = input->memory + (size_t)slot * DRIVE_BYTES;
    char *words = input->words + (size_t)slot * DRIVE_BYTES;
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_status status;
    *ready = NULL;
    weir_device_info_get(device, &info);
    if (info.kind == WEIR_DEVICE_HOST && next_random(&worker->random) % 8) {
        drive_fill(data, bytes, i, input->count);
        return WEIR_OK;
    }
    drive_fill(words, bytes, i, input->count);
    if ((status = weir_queue_copy(input->mover, device, data, home, words, bytes)))
        return status;
    *ready = input->ready[slot];
    return weir_queue_record(input->mover, *ready);
}

static weir_status send_one(struct drive_worker *worker, uint32_t i)
{
    struct drive *drive = worker->drive;
    struct drive_input *input = &drive->inputs[i];
    struct drive_message *message = new_message(worker, i);
    uint32_t slot = input->count % DRIVE_AHEAD;
    weir_event *ready;
    weir_status status = message ? put(worker, i, message->bytes, &ready) : WEIR_ERR_NOMEM;
    if (status) {
        drive_wrong(drive, "input %u: a message cannot be written: %s", i, weir_error_detail());
        return status;
    }
    weir_segment segment = {.device = web_device(&drive->web, drive->web.inputs[i].end),
                            .data = input->memory + (size_t)slot * DRIVE_BYTES,
                            .bytes = message->bytes,
                            .meta = message->meta};
    input->under_way[slot] = input->count++;
    message->status =
        weir_link_send(drive->web.inputs[i].link, &segment, ready, &input->done[slot]);
    if (message->status && ready)
        (void)weir_event_wait(ready, LONG_MS); /* it may be recorded again */
    atomic_fetch_add(&drive->sends, 1);
    return message->status;
}

/* Wait until a slot is free again. */
static weir_status settle(struct drive *drive, uint32_t i, uint32_t slot)
{
    struct drive_input *input = &drive->inputs[i];
    if (!input->done[slot])
        return WEIR_OK;
    weir_status status = weir_future_wait(input->done[slot], LONG_MS);
    input->messages[input->under_way[slot]].status = status;
    weir_future_release(input->done[slot]);
    input->done[slot] = NULL;
    if (status && !expected(drive, i, status) && !atomic_load(&drive->stop))
        drive_wrong(drive, "input %u, message %u: done with %s", i, input->under_way[slot],
                    weir_status_text(status));
    return status;
}

static void finish_input(struct drive *drive, uint32_t i)
{
    struct drive_input *input = &drive->inputs[i];
    /* Behind what is still under way: nothing was waited for. */
    atomic_store(&input->shut, 1);
    weir_status status = weir_link_shutdown(drive->web.inputs[i].link);
    if (status && !expected(drive, i, status) && !atomic_load(&drive->stop))
        drive_wrong(drive, "input %u: shutdown: %s", i, weir_error_detail());
    for (uint32_t slot = 0; slot < DRIVE_AHEAD; slot++)
        (void)settle(drive, i, slot);
    input->over = 1;
}

/* One message, or the end of an input. */
static void step(struct drive_worker *worker, uint32_t i, uint32_t *refused)
{
    struct drive *drive = worker->drive;
    struct drive_input *input = &drive->inputs[i];
    weir_status status = settle(drive, i, input->count % DRIVE_AHEAD);
    if (!status && atomic_load(&drive->received) < input->stop_at && *refused < REFUSED_MAX) {
        status = send_one(worker, i);
        int cancelled = status && expected(drive, i, status);
        *refused += status && !cancelled;
        if (!cancelled)
            return; /* whether it had to be refused is for the test to find out */
    }
    finish_input(drive, i);
}

void *drive_sender(void *data)
{
    struct drive_worker *worker = data;
    struct drive *drive = worker->drive;
    uint32_t refused[WEB_LINKS] = {0}, left = 1;
    while (left && !atomic_load(&drive->stop)) {
        left = 0;
        for (uint32_t i = worker->number; i < drive->web.input_count; i += drive->senders) {
            if (drive->inputs[i].over)
                continue;
            left = 1;
            for (uint64_t burst = next_random(&worker->random) % 6; burst > 0; burst--)
                if (!drive->inputs[i].over)
                    step(worker, i, &refused[i]);
        }
    }
    for (uint32_t i = worker->number; i < drive->web.input_count; i += drive->senders)
        if (!drive->inputs[i].over)
            finish_input(drive, i);
    atomic_fetch_sub(&drive->sending, 1);
    return NULL;
}
