/** @file stream.c  Streams: a thread each, which runs what was put in as far as the device's connections allow.
 *
 * A stream needs one of its device's hardware connections to run anything. It gives the connection up between two
 * operations where others wait for one, and while it waits for an event that will come. It keeps it while it waits for
 * a word of memory, which the driver knows nothing of, and while it waits for an event that such a stream is to
 * record. So as many held streams as there are connections bring the device to a stand, as on a GPU. */
#include "tests/standin/internal.h"

#include <cuda.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define POLL_NS     100000
#define STACK_BYTES ((size_t)512 << 10)

static struct standin__machine *const machine = &standin__machine;

static standin__device *device_of(const standin__stream *stream)
{
    return &machine->device[stream->device];
}

/* What the stream did is seen by who sees it empty, or drains its device. Without the lock. */
static void publish(standin__stream *stream)
{
    standin__release(stream);
    standin__release(device_of(stream));
}

static void sleep_ns(long ns)
{
    const struct timespec pause = {0, ns};
    nanosleep(&pause, NULL);
}

/* ---- connections; the lock is held ----------------------------------------------------------------- */

/* Get in line for a connection, or take one that nobody waits for. */
static void ask(standin__stream *stream)
{
    standin__device *device = device_of(stream);
    standin__stream **at = &device->waiting;
    if (stream->connected || stream->queued)
        return;
    if (device->free && !device->waiting) {
        device->free--;
        stream->connected = 1;
        return;
    }
    while (*at)
        at = &(*at)->next_waiting;
    stream->next_waiting = NULL;
    stream->queued = 1;
    *at = stream;
}

static void leave_line(standin__stream *stream)
{
    standin__stream **at = &device_of(stream)->waiting;
    if (!stream->queued)
        return;
    while (*at != stream)
        at = &(*at)->next_waiting;
    *at = stream->next_waiting;
    stream->queued = 0;
}

void standin__grant(standin__device *device)
{
    while (device->free && device->waiting) {
        standin__stream *next = device->waiting;
        leave_line(next);
        device->free--;
        next->connected = 1;
        pthread_cond_signal(&next->wake);
    }
}

static void disconnect(standin__stream *stream)
{
    standin__device *device = device_of(stream);
    if (!stream->connected)
        return;
    stream->connected = 0;
    device->free++;
    standin__grant(device);
}

static void connect_stream(standin__stream *stream)
{
    for (ask(stream); !stream->connected; ask(stream))
        pthread_cond_wait(&stream->wake, &machine->lock);
}

/* ---- waiting; the lock is held ------------------------------------------------------------------------ */

/* Whether the stream waits for a word, or for an event behind such a wait. It ends: a record is put in before
 * whatever waits for it, so what is followed here gets older. */
static int is_blocked(const standin__stream *stream)
{
    while (!stream->held && stream->awaits && !stream->awaits->done)
        stream = stream->awaits->stream;
    return stream->held;
}

void standin__reconsider(void)
{
    for (standin__stream *stream = machine->streams; stream; stream = stream->next)
        if (stream->awaits)
            pthread_cond_signal(&stream->wake);
}

static void await_record(standin__stream *stream, standin__record *record)
{
    stream->awaits = record;
    standin__reconsider(); /* others may wait for this stream */
    while (!record->done && !device_of(stream)->broken) {
        if (is_blocked(record->stream)) {
            ask(stream);
        } else {
            leave_line(stream);
            disconnect(stream);
        }
        pthread_cond_wait(&stream->wake, &machine->lock);
    }
    stream->awaits = NULL;
    connect_stream(stream);
}

static int has_come(const standin__op *op)
{
    uint32_t word = __atomic_load_n((const uint32_t *)op->from, __ATOMIC_ACQUIRE);
    return (int32_t)(word - op->value) >= 0;
}

/* The word is read without the lock: the program's order is what counts for it. */
static void await_word(standin__stream *stream, const standin__op *op)
{
    standin__leave();
    int come = has_come(op);
    publish(stream);
    standin__enter();
    if (come)
        return;
    stream->held = 1;
    standin__reconsider();
    while (!come && !device_of(stream)->broken) {
        standin__leave();
        sleep_ns(POLL_NS);
        come = has_come(op);
        publish(stream);
        standin__enter();
    }
    stream->held = 0;
    standin__reconsider();
}

/* ---- running ------------------------------------------------------------------------------------------- */

/* What has no order comes in any: now and then a stream waits a little. */
static void dawdle(standin__stream *stream)
{
    uint64_t x = stream->random += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    if (x >> 61 == 0)
        sleep_ns((long)(x & 0xFFFF)); /* up to 65 us */
}

static void run_kernel(const standin__op *op)
{
    for (uint32_t worker = 0; worker < op->value; worker++)
        op->form(op->args, worker, op->value);
}

static cudaError_t push(const standin__stream *stream, const standin__op *op)
{
    standin__enter();
    int good = standin__reaches(stream->device, op->to, op->bytes) &&
               standin__reaches(stream->device, op->from, op->bytes);
    standin__leave();
    if (!good)
        return cudaErrorIllegalAddress;
    memmove(op->to, op->from, op->bytes);
    return cudaSuccess;
}

/* Without the lock. */
static cudaError_t run(const standin__stream *stream, standin__op *op)
{
    switch (op->kind) {
    case STANDIN__COPY:
        memmove(op->to, op->from, op->bytes);
        break;
    case STANDIN__FILL:
        memset(op->to, (int)op->value, op->bytes);
        break;
    case STANDIN__PUSH:
        return push(stream, op);
    case STANDIN__KERNEL:
        run_kernel(op);
        break;
    case STANDIN__CALL:
        op->function(op->to);
        break;
    case STANDIN__WRITE_WORD:
        __atomic_store_n((uint32_t *)op->to, op->value, __ATOMIC_RELEASE);
        break;
    default: /* the others are no work */
        break;
    }
    return cudaSuccess;
}

/* Whether the device is to break at the operation that begins; the lock is held. */
static int breaks(standin__device *device)
{
    return device->break_at && --device->break_at == 0;
}

/* Run what takes time; the lock is held before and after. */
static void work(standin__stream *stream, standin__op *op)
{
    standin__device *device = device_of(stream);
    if (breaks(device))
        standin__break_locked(stream->device, device->break_with);
    if (device->broken)
        return;
    device->running++;
    standin__leave();
    dawdle(stream);
    cudaError_t error = run(stream, op);
    publish(stream);
    standin__enter();
    device->running--;
    if (error)
        standin__break_locked(stream->device, error);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void reach_record(standin__op *op)
{
    standin__leave();
    standin__release(op->record);
    standin__enter();
    op->record->time_ns = now_ns();
    op->record->done = 1;
    standin__reconsider();
}

/* The lock is held before and after. Of a broken device records come, and waits end at once. */
static void step(standin__stream *stream, standin__op *op)
{
    standin__leave();
    standin__acquire(op);
    standin__enter();
    switch (op->kind) {
    case STANDIN__WAIT_RECORD:
        await_record(stream, op->record);
        standin__leave();
        standin__acquire(op->record);
        publish(stream);
        standin__enter();
        return;
    case STANDIN__WAIT_WORD:
        connect_stream(stream);
        await_word(stream, op);
        return;
    case STANDIN__RECORD:
        connect_stream(stream);
        reach_record(op);
        return;
    default:
        connect_stream(stream);
        work(stream, op);
    }
}

static void finish(standin__stream *stream, standin__op *op)
{
    stream->first = op->next;
    if (!stream->first)
        stream->last = NULL;
    if (op->record)
        standin__record_drop(op->record);
    free(op);
    if (machine->draining)
        pthread_cond_broadcast(&machine->progress);
    if (!stream->first || device_of(stream)->waiting)
        disconnect(stream);
}

static void unlink_stream(standin__stream *stream)
{
    standin__stream **at = &machine->streams;
    while (*at != stream)
        at = &(*at)->next;
    *at = stream->next;
    pthread_cond_destroy(&stream->wake);
    free(stream);
}

static void *run_stream(void *data)
{
    standin__stream *stream = data;
    standin__enter();
    while (stream->first || !stream->ending) {
        standin__op *op = stream->first;
        if (!op) {
            pthread_cond_wait(&stream->wake, &machine->lock);
            continue;
        }
        step(stream, op);
        finish(stream, op);
    }
    unlink_stream(stream);
    standin__leave();
    return NULL;
}

/* ---- putting in ------------------------------------------------------------------------------------------ */

standin__op *standin__op_new(enum standin__kind kind, size_t args_bytes)
{
    standin__op *op = calloc(1, sizeof *op + args_bytes);
    if (op)
        op->kind = kind;
    return op;
}

void standin__op_drop(standin__op *op)
{
    if (op->record)
        standin__record_drop(op->record);
    free(op);
}

cudaError_t standin__put_locked(standin__stream *stream, standin__op *op)
{
    cudaError_t error = standin__state(stream->device);
    if (!error)
        error = standin__refuse_captured(stream);
    if (error)
        return error;
    op->ticket = ++machine->ticket;
    if (stream->last)
        stream->last->next = op;
    else
        stream->first = op;
    stream->last = op;
    pthread_cond_signal(&stream->wake);
    return cudaSuccess;
}

cudaError_t standin__put(standin__stream *stream, standin__op *op)
{
    standin__release(op);
    standin__enter();
    cudaError_t error = standin__put_locked(stream, op);
    if (error)
        standin__op_drop(op);
    standin__leave();
    return error;
}

void standin__record_drop(standin__record *record)
{
    if (--record->references == 0)
        free(record);
}

/* ---- the program's calls ------------------------------------------------------------------------------------ */

static cudaError_t start(standin__stream *stream)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int error = pthread_create(&thread, &attributes, run_stream, stream);
    pthread_attr_destroy(&attributes);
    return error ? cudaErrorMemoryAllocation : cudaSuccess;
}

/* Make it one of the device's. */
static cudaError_t enlist(standin__stream *stream)
{
    standin__enter();
    stream->device = standin__here();
    cudaError_t error = standin__state(stream->device);
    if (!error) {
        stream->random = machine->seed += 0x632BE59BD9B4E019u;
        stream->next = machine->streams;
        machine->streams = stream;
        machine->left.streams++;
    }
    standin__leave();
    return error;
}

/* Put an end to what no thread runs. */
static void delist(standin__stream *stream)
{
    standin__enter();
    machine->left.streams--;
    unlink_stream(stream);
    standin__leave();
}

static cudaError_t create(cudaStream_t *stream_out)
{
    cudaError_t error;
    standin__stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return standin__end(cudaErrorMemoryAllocation);
    pthread_cond_init(&stream->wake, NULL);
    if ((error = enlist(stream))) {
        pthread_cond_destroy(&stream->wake);
        free(stream);
        return standin__end(error);
    }
    if ((error = start(stream)))
        delist(stream);
    else
        *stream_out = stream;
    return standin__end(error);
}

/* Priorities are hints, and are not taken here. */
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream_out, unsigned flags, int priority)
{
    cudaError_t error = standin__begin(STANDIN_cudaStreamCreateWithPriority);
    (void)flags;
    (void)priority;
    return error ? error : create(stream_out);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream_out, unsigned flags)
{
    cudaError_t error = standin__begin(STANDIN_cudaStreamCreateWithFlags);
    (void)flags;
    return error ? error : create(stream_out);
}

/* Returns at once, as CUDA does; what is in the stream is run. */
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    cudaError_t error = standin__begin(STANDIN_cudaStreamDestroy);
    if (error)
        return error;
    standin__enter();
    error = standin__state(stream->device);
    machine->left.streams--;
    machine->left.destroyed_busy += stream->first != NULL;
    stream->ending = 1;
    pthread_cond_signal(&stream->wake);
    standin__leave();
    return standin__end(error);
}

static cudaError_t query(cudaStream_t stream)
{
    standin__enter();
    cudaError_t error = standin__state(stream->device);
    if (!error)
        error = standin__refuse_captured(stream);
    if (!error && stream->first)
        error = cudaErrorNotReady;
    standin__leave();
    if (error != cudaErrorNotReady)
        standin__acquire(stream);
    return error;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    cudaError_t error = standin__begin(STANDIN_cudaStreamQuery);
    if (error)
        return error;
    standin__enter();
    (void)standin__here(); /* as CUDA does for a thread that chose no device */
    standin__leave();
    return standin__end(query(stream));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    cudaError_t error = standin__begin(STANDIN_cudaStreamSynchronize);
    while (!error && (error = query(stream)) == cudaErrorNotReady) {
        sleep_ns(POLL_NS);
        error = cudaSuccess;
    }
    return standin__end(error);
}

/* The lock is held. A broken device has nothing left that anybody waits for. */
static int has_older(int device, uint64_t ticket)
{
    for (const standin__stream *stream = machine->streams; stream; stream = stream->next)
        if ((device < 0 || stream->device == device) && !device_of(stream)->broken &&
            stream->first && stream->first->ticket <= ticket)
            return 1;
    return 0;
}

void standin__drain(int device)
{
    standin__enter();
    const uint64_t ticket = machine->ticket;
    machine->draining++;
    while (has_older(device, ticket))
        pthread_cond_wait(&machine->progress, &machine->lock);
    machine->draining--;
    standin__leave();
    for (int i = 0; i < STANDIN_DEVICES_MAX; i++)
        if (device < 0 || i == device)
            standin__acquire(&machine->device[i]);
}

cudaError_t cudaDeviceSynchronize(void)
{
    cudaError_t error = standin__begin(STANDIN_cudaDeviceSynchronize);
    if (error)
        return error;
    standin__enter();
    const int device = standin__here();
    standin__leave();
    standin__drain(device);
    standin__enter();
    error = standin__state(device);
    standin__leave();
    return standin__end(error);
}
