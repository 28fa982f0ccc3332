/** @file resident.h  The host's side of kernels that stay on their devices until a run is over. Included in
 * worklist/ only.
 *
 * Resident kernels wait for those of the other devices, so none may wait for something that comes after it:
 * who builds them loads all before the first one starts, and behind a kernel in its queue comes an event and
 * nothing that another device waits for. The host waits for all of them; every now and then it looks at the devices, at the clock and whether
 * somebody cancelled, and after the first failure it writes every kernel's stop word. */
#ifndef WEIR_WORKLIST_HOST_RESIDENT_H
#define WEIR_WORKLIST_HOST_RESIDENT_H

#include "runtime/runtime.h"

enum resident_state {
    RESIDENT_IDLE = 0, /* not started, or through and collected */
    RESIDENT_RUNS,
    RESIDENT_LOST /* given up: its queue is never through */
};

/** A kernel on one device, and what the host needs of it. */
struct resident {
    weir_device *device;
    weir_queue *queue; /* for the kernel */
    weir_queue
        *side; /* of a GPU: for the stop word while the kernel runs; NULL: the word is stored */
    weir_event *done;
    const void *args;
    uint32_t *stop;  /* the stop word, in the device's memory */
    uint32_t *image; /* with a side queue: page-locked, the stop word is copied from here */

    enum resident_state state;
    int told; /* its stop word is written, or on its way */
};

/** A run of them. Belongs to the thread that runs it. */
struct residents {
    weir_context *context;
    const char *name; /* of what runs, for sentences */
    const weir_kernel *kernel;
    size_t args_bytes;
    uint32_t count;
    uint32_t time_limit_ms; /* 0: none */
    uint32_t stop_value;    /* what a stop word says then */
    /** The run fails; the first failure counts, with the calling thread's sentence. */
    void (*fail)(void *user, weir_status status);
    /** Whether it has failed, or was cancelled by any thread. */
    int (*failed)(void *user);
    /** Put what comes after a kernel into its queue, behind the event that tells its end; NULL: nothing. It must not
     *  wait for other devices. */
    weir_status (*put_behind)(void *user, uint32_t index);
    /** Copy back what a kernel that is through left, and judge it. Its queue and its image are free again;
     *  kernels of other devices may still write to it. */
    weir_status (*collect)(void *user, uint32_t index);
    /** See to what running kernels wait for, every few milliseconds; NULL: they wait for nothing. */
    void (*tend)(void *user);
    void *user;
    struct resident one[WEIR_DEVICES_MAX];

    uint64_t start_ns,
        end_ns;          /* of the context's clock: before the first start, after the last end */
    uint64_t stopped_ns; /* of the first stop; 0: none */
};

/** Wait until no other run has one of the devices (turn.h), start all kernels, wait for all, and collect them. What
 *  goes wrong is told to `fail`. All words have their
 *  first values in the devices' memory.
 *  @par Blocks  until all are through, or were given up some seconds after a stop. */
void weir__resident_run(struct residents *all);

/** Tests only: give up a kernel so many seconds after a stop; 0: as many as usual. Process-wide. */
void weir__resident_patience(uint32_t seconds);

#endif
