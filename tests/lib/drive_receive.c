/** @file drive_receive.c  The receiving threads of a driven web. They sleep until they are told. */
#include "tests/lib/drive.h"

#include "runtime/internal.h"

#include <stdlib.h>
#include <string.h>

void drive_arrived(void *data)
{
    struct drive_worker *worker = data;
    pthread_mutex_lock(&worker->lock);
    worker->told++;
    if (worker->asleep)
        pthread_cond_signal(&worker->more);
    pthread_mutex_unlock(&worker->lock);
}

static void keep(struct drive_worker *worker, const struct drive_record *record)
{
    if (worker->count == worker->room) {
        size_t room = worker->room ? 2 * worker->room : 4096;
        struct drive_record *more = realloc(worker->records, room * sizeof *more);
        if (!more) {
            drive_wrong(worker->drive, "no memory for records");
            return;
        }
        worker->records = more;
        worker->room = room;
    }
    worker->records[worker->count++] = *record;
    atomic_fetch_add(&worker->drive->received, 1);
}

/* The buffer is given back before it was read: a queue that copies it holds its place. */
static weir_status fetch(struct drive_worker *worker, weir_pending *pending,
                         const weir_segment *segment)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_status status;
    weir_device_info_get(segment->device, &info);
    weir_queue *queue = worker->queues[info.index];
    weir_device *home = weir_context_home(worker->drive->web.context);
    if ((status = weir_pending_gate(pending, queue)) ||
        (status = weir_queue_copy(queue, home, worker->scratch, segment->device, segment->data,
                                  segment->bytes)) ||
        (status = weir_pending_release(pending, queue)))
        return status;
    return weir_queue_sync(queue);
}

static void take_packet(struct drive_worker *worker, uint32_t o, weir_pending *pending,
                        weir_segment *segment)
{
    struct drive *drive = worker->drive;
    struct drive_record record;
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_status status = WEIR_ERR_VERIFY;
    int right = 0;
    weir_device_info_get(segment->device, &info);
    if (segment->device != web_device(&drive->web, drive->web.outputs[o].end) ||
        segment->bytes > drive->web.outputs[o].packet) {
        drive_wrong(drive, "output %u: a packet of %zu bytes", o, segment->bytes);
        (void)weir_pending_release(pending, NULL);
    } else if (info.kind == WEIR_DEVICE_CUDA || next_random(&worker->random) % 8 == 0) {
        if (!(status = fetch(worker, pending, segment)))
            right = drive_check(&drive->web, segment, worker->scratch, &record);
    } else if (!(status = weir_pending_wait(pending, LONG_MS, segment))) {
        right = drive_check(&drive->web, segment, segment->data, &record);
        status = weir_pending_release(pending, NULL);
    }
    if (status)
        drive_wrong(drive, "output %u: a packet is lost on its way: %s", o,
                    weir_status_text(status));
    else if (!right)
        drive_wrong(drive, "output %u: bytes at %zu of message %llx are not what was sent", o,
                    segment->offset, (unsigned long long)segment->meta);
    record.output = (uint16_t)o;
    if (right)
        keep(worker, &record);
}

/* Take receives until as many are held as wanted. */
static void take_receives(struct drive *drive, uint32_t o)
{
    struct drive_output *output = &drive->outputs[o];
    const struct web_output *out = &drive->web.outputs[o];
    weir_status status = WEIR_OK;
    while (output->held < output->want && !status && output->ended == WEIR_PENDING) {
        weir_pending **pending = &output->pending[output->held];
        if (output->memory)
            status = weir_link_receive_into(
                out->link, output->memory + output->posted++ % DRIVE_HELD * out->packet,
                out->packet, NULL, pending);
        else
            status = weir_link_receive(out->link, pending);
        output->held += !status;
    }
    if (status)
        drive_wrong(drive, "output %u: no receive: %s", o, weir_status_text(status));
}

/* Nothing more will come here: was that to be? Younger receives have ended as the oldest did. */
static void end_output(struct drive *drive, uint32_t o, weir_status status)
{
    struct drive_output *output = &drive->outputs[o];
    weir_segment segment;
    output->ended = status;
    for (uint32_t i = 0; i < drive->web.input_count && status == WEIR_CLOSED; i++)
        if (drive->web.ways[i][o] && !atomic_load(&drive->inputs[i].shut))
            drive_wrong(drive, "output %u: closed while input %u is open", o, i);
    if (status != WEIR_CLOSED && !atomic_load(&drive->stop) &&
        (atomic_load(&drive->cancelled) != web_output_piece(&drive->web, o) ||
         status != drive->status))
        drive_wrong(drive, "output %u: ended with %s", o, weir_status_text(status));
    for (uint32_t k = 0; k < output->held; k++) {
        weir_status other = weir_pending_wait(output->pending[k], LONG_MS, &segment);
        weir_status freed = weir_pending_release(output->pending[k], NULL);
        if ((other != status || freed) && !atomic_load(&drive->stop))
            drive_wrong(drive, "output %u: a receive ended with %s behind one with %s", o,
                        weir_status_text(other), weir_status_text(status));
    }
    output->held = 0;
}

/* @return whether something came. */
static int look(struct drive_worker *worker, uint32_t o)
{
    struct drive_output *output = &worker->drive->outputs[o];
    weir_segment segment;
    if (output->ended != WEIR_PENDING)
        return 0;
    take_receives(worker->drive, o);
    if (output->held == 0)
        return 0;
    weir_status status = weir_pending_assigned(output->pending[0], &segment);
    if (status == WEIR_PENDING)
        return 0;
    if (status) {
        end_output(worker->drive, o, status);
        return 1;
    }
    weir_pending *oldest = output->pending[0];
    memmove(&output->pending[0], &output->pending[1], --output->held * sizeof output->pending[0]);
    take_packet(worker, o, oldest, &segment);
    return 1;
}

static void sleep_until_told(struct drive_worker *worker, uint64_t seen)
{
    struct timespec deadline = weir__deadline(LONG_MS);
    int error = 0;
    pthread_mutex_lock(&worker->lock);
    worker->asleep = 1;
    while (worker->told == seen && !error)
        error = pthread_cond_timedwait(&worker->more, &worker->lock, &deadline);
    worker->asleep = 0;
    pthread_mutex_unlock(&worker->lock);
    if (error)
        drive_wrong(worker->drive, "receiver %u was told nothing for a minute", worker->number);
}

/* After a failure: what is still held goes back. */
static void give_up(struct drive_worker *worker)
{
    struct drive *drive = worker->drive;
    for (uint32_t o = worker->number; o < drive->web.output_count; o += drive->receivers)
        for (uint32_t k = 0; k < drive->outputs[o].held; k++) {
            weir_segment segment;
            (void)weir_pending_wait(drive->outputs[o].pending[k], LONG_MS, &segment);
            (void)weir_pending_release(drive->outputs[o].pending[k], NULL);
        }
}

void *drive_receiver(void *data)
{
    struct drive_worker *worker = data;
    struct drive *drive = worker->drive;
    for (uint32_t open = 1; open && !atomic_load(&drive->stop);) {
        int came = 0;
        pthread_mutex_lock(&worker->lock);
        uint64_t seen = worker->told;
        pthread_mutex_unlock(&worker->lock);
        open = 0;
        for (uint32_t o = worker->number; o < drive->web.output_count; o += drive->receivers) {
            for (uint64_t burst = 1 + next_random(&worker->random) % 4; burst > 0; burst--)
                came |= look(worker, o);
            open += drive->outputs[o].ended == WEIR_PENDING;
        }
        if (open && !came)
            sleep_until_told(worker, seen);
    }
    if (atomic_load(&drive->stop))
        give_up(worker);
    return NULL;
}
