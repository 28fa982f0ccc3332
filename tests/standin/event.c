/** @file event.c  Events. A wait takes the record that there is when it is put in, as CUDA's does. */
#include "tests/standin/internal.h"

#include <stdlib.h>
#include <time.h>

#define POLL_NS 100000

static cudaError_t create(cudaEvent_t *event_out, unsigned flags)
{
    struct CUevent_st *event = calloc(1, sizeof *event);
    if (!event)
        return cudaErrorMemoryAllocation;
    event->flags = flags;
    standin__enter();
    event->device = standin__here();
    cudaError_t error = standin__state(event->device);
    standin__machine.left.events += !error;
    standin__leave();
    if (error)
        free(event);
    else
        *event_out = event;
    return error;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    cudaError_t error = standin__begin(STANDIN_cudaEventCreateWithFlags);
    return error ? error : standin__end(create(event, flags));
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    cudaError_t error = standin__begin(STANDIN_cudaEventDestroy);
    if (error)
        return error;
    standin__enter();
    error = standin__state(event->device);
    standin__machine.left.events--;
    if (event->record)
        standin__record_drop(event->record);
    free(event);
    standin__leave();
    return standin__end(error);
}

/* A record with one reference, the operation's. */
static standin__op *new_record(standin__stream *stream)
{
    standin__op *op = standin__op_new(STANDIN__RECORD, 0);
    standin__record *record = calloc(1, sizeof *record);
    if (!op || !record) {
        free(op);
        free(record);
        return NULL;
    }
    record->references = 1;
    record->stream = stream;
    op->record = record;
    return op;
}

/* The lock is held. */
static cudaError_t record_locked(cudaEvent_t event, cudaStream_t stream, standin__op *op)
{
    if (event->device != stream->device)
        return cudaErrorInvalidResourceHandle;
    cudaError_t error = standin__put_locked(stream, op);
    if (error)
        return error;
    if (event->record)
        standin__record_drop(event->record);
    event->record = op->record;
    event->record->references++;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    cudaError_t error = standin__begin(STANDIN_cudaEventRecord);
    if (error)
        return error;
    standin__op *op = new_record(stream);
    if (!op)
        return standin__end(cudaErrorMemoryAllocation);
    standin__release(op);
    standin__enter();
    if ((error = record_locked(event, stream, op)))
        standin__op_drop(op);
    standin__leave();
    return standin__end(error);
}

/* The lock is held. An event without a record is waited for by nobody. */
static cudaError_t wait_locked(cudaStream_t stream, cudaEvent_t event, standin__op *op)
{
    if (event->record) {
        op->record = event->record;
        op->record->references++;
        return standin__put_locked(stream, op);
    }
    standin__op_drop(op);
    return standin__state(stream->device);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    cudaError_t error = standin__begin(STANDIN_cudaStreamWaitEvent);
    (void)flags;
    if (error)
        return error;
    standin__op *op = standin__op_new(STANDIN__WAIT_RECORD, 0);
    if (!op)
        return standin__end(cudaErrorMemoryAllocation);
    standin__release(op);
    standin__enter();
    int recorded = event->record != NULL;
    if ((error = wait_locked(stream, event, op)) && recorded)
        standin__op_drop(op);
    standin__leave();
    return standin__end(error);
}

/* The record, with a reference more, if it is complete or there is none. */
static cudaError_t look(cudaEvent_t event, standin__record **record_out)
{
    standin__enter();
    standin__record *record = event->record;
    cudaError_t error = standin__state(event->device);
    if (!error && record && !record->done)
        error = cudaErrorNotReady;
    *record_out = error ? NULL : record;
    if (*record_out)
        record->references++;
    standin__leave();
    /* A device that broke has ended what it was running: who is told may free what that used. */
    if (error && error != cudaErrorNotReady)
        standin__acquire(&standin__machine.device[event->device]);
    return error;
}

static cudaError_t query(cudaEvent_t event)
{
    standin__record *record;
    cudaError_t error = look(event, &record);
    if (!record)
        return error;
    standin__acquire(record);
    standin__enter();
    standin__record_drop(record);
    standin__leave();
    return error;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    cudaError_t error = standin__begin(STANDIN_cudaEventQuery);
    return error ? error : standin__end(query(event));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    const struct timespec pause = {0, POLL_NS};
    cudaError_t error = standin__begin(STANDIN_cudaEventSynchronize);
    while (!error && (error = query(event)) == cudaErrorNotReady) {
        nanosleep(&pause, NULL);
        error = cudaSuccess;
    }
    return standin__end(error);
}

/* The lock is held. */
static cudaError_t elapsed(float *ms, cudaEvent_t start, cudaEvent_t stop)
{
    cudaError_t error = standin__state(start->device);
    if (error || (error = standin__state(stop->device)))
        return error;
    if (((start->flags | stop->flags) & cudaEventDisableTiming) || !start->record ||
        !stop->record || start->device != stop->device)
        return cudaErrorInvalidResourceHandle;
    if (!start->record->done || !stop->record->done)
        return cudaErrorNotReady;
    *ms = (float)((double)((int64_t)(stop->record->time_ns - start->record->time_ns)) / 1e6);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop)
{
    cudaError_t error = standin__begin(STANDIN_cudaEventElapsedTime);
    if (error)
        return error;
    standin__enter();
    error = elapsed(ms, start, stop);
    standin__leave();
    return standin__end(error);
}
