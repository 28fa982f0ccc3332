/** @file resident.h  What the host does for kernels that stay on their devices until a run is over. Included in
 * worklist/ only.
 *
 * Resident kernels wait for those of the other devices. So the start of one must not depend on the end of another: all
 * kernels are loaded before the first one starts, and behind a kernel its queue has an event and nothing that another device
 * waits for. The host waits for all kernels. Every now and then it looks at the devices and the clock, and whether the
 * run was cancelled; after the first failure it writes the stop word of every kernel. */
#ifndef WEIR_WORKLIST_HOST_RESIDENT_H
#define WEIR_WORKLIST_HOST_RESIDENT_H

#include "runtime/runtime.h"

enum resident_state {
    RESIDENT_IDLE = 0, /* not started, or ended and collected */
    RESIDENT_RUNS,
    RESIDENT_LOST /* given up: its queue may never become empty */
};

/** A kernel on one device, and what the host needs of it. */
struct resident {
    weir_device *device;
    weir_queue *queue; /* for the kernel */
    weir_queue *
        stop_queue; /* of a GPU: for the stop word while the kernel runs; NULL: the word is stored */
    weir_event *done;
    const void *args;
    uint32_t *stop;  /* the stop word, in the device's memory */
    uint32_t *image; /* with a stop queue: page-locked; the stop word is copied from here */

    enum resident_state state;
    int told; /* its stop word is written, or on its way */
};

/** A run of resident kernels. Belongs to the thread that runs it. */
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
    /** Put work that follows a kernel into its queue, behind the event of its end; NULL: there is none. That work must
     *  not wait for other devices. */
    weir_status (*put_behind)(void *user, uint32_t index);
    /** Copy back what a kernel that has ended left, and return its status. Its queue and its image may be used again;
     *  kernels of other devices may still write to its memory. */
    weir_status (*collect)(void *user, uint32_t index);
    /** Give running kernels what they wait for from the host, every few milliseconds; NULL: they wait for nothing. */
    void (*tend)(void *user);
    void *user;
    struct resident one[WEIR_DEVICES_MAX];

    uint64_t start_ns,
        end_ns;          /* of the context's clock: before the first start, after the last end */
    uint64_t stopped_ns; /* of the first stop; 0: none */
};

/** Wait until no other run has one of the devices (admission.h), start all kernels, wait for all, and collect them. `fail`
 *  is called for each failure. Before the call all words in the devices' memory have their first values, and nothing that
 *  writes them is in a queue: a stop may come at once.
 *  @par Blocks  until all kernels have ended, or were given up some seconds after a stop. */
void weir__resident_run(struct residents *all);

/** Tests only: give up a kernel so many seconds after a stop; 0: as many as usual. Process-wide. */
void weir__resident_patience(uint32_t seconds);

/** Whether what was compiled with the engine's templates goes with this library.
 *  @param[in] what, name  for the sentence: "operator", "bfs".
 *  @retval WEIR_ERR_UNSUPPORTED  it was compiled with another version of them (WEIR_ENGINE_VERSION). */
weir_status weir__engine_check(const char *what, const char *name, uint32_t engine);

#endif
