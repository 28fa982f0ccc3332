/** @file pbf.h  What the files of predicate-based filtering share. Not installed.
 *
 * A weir_pbf holds the configuration; a run builds the graph of Figure 5 anew, because a shutdown,
 * by which everybody learns that a run is over, closes links for good. Threads of a run: the
 * caller's sends and gathers, and each device has one that takes packets and sends results.
 *
 * Locks: weir_pbf.lock before weir__pbf_run.lock, and nothing is called under the second. */
#ifndef WEIR_ALGORITHMS_PBF_PBF_H
#define WEIR_ALGORITHMS_PBF_PBF_H

#include "algorithms/algorithms.h"
#include "runtime/support.h"

#include <stdatomic.h>

enum { WEIR__PBF_BUFFERS_MAX = 16 };

typedef struct weir__pbf_run weir__pbf_run;

struct weir_pbf {
    weir_context *context;
    weir_pbf_config config;
    pthread_mutex_t lock;
    weir__pbf_run *run; /* under way, or NULL; guarded by lock */
    int cancelled;      /* a run takes it back; guarded by lock */
    weir_pbf_piece *pieces;
    uint64_t piece_count, piece_room;
};

/* A packet in a device's hands, from its kernel's launch until its result has left. */
typedef struct weir__pbf_slot {
    uint32_t *output; /* the device's: what it keeps of the packet */
    uint32_t *kept;   /* the home device's: how much that is, once `done` */
    weir_event *done; /* the kernel has run */
    weir_stamp *start, *stop;
    weir_future *arrived; /* the packet; NULL: the slot is free */
    weir_future *sent;    /* the last result from this slot; NULL: none */
    uint64_t first;       /* the packet's first element in the input */
    uint32_t elements;    /* of the packet */
} weir__pbf_slot;

typedef struct weir__pbf_device {
    weir__pbf_run *run;
    weir_device *device;
    uint32_t index;
    weir_endpoint *endpoint;
    weir_link *in, *out;
    weir_queue *queue;
    uint64_t *word; /* the device's, see pbf_op.h */
    uint32_t *kept; /* the home device's: one for each slot */
    uint32_t buffers;
    weir__pbf_slot slot[WEIR__PBF_BUFFERS_MAX]; /* `buffers` of them */
    weir_pending *next;                         /* taken from `in`, not launched yet; NULL: none */
    pthread_t thread;
    int started;
    weir_pbf_share share; /* the thread's until it was joined */
} weir__pbf_device;

struct weir__pbf_run {
    weir_pbf *pbf;
    const uint32_t *input;
    uint64_t elements;
    uint32_t *output;
    uint64_t room;
    uint64_t start_ns, deadline_ns; /* the second by the monotonic clock; 0: none */
    weir_endpoint *host;
    weir_router *to_devices, *to_host;
    weir_link *feed, *result; /* the host's */
    size_t packet_bytes;
    double prepare_ms; /* building the graph */
    uint32_t devices;
    weir__pbf_device device[WEIR_DEVICES_MAX];
    _Atomic uint64_t kept; /* elements that devices have sent or are about to; relaxed, a sum */
    pthread_mutex_t lock;
    weir_status status; /* the first failure; guarded by lock */
    char *detail;       /* its sentence, or NULL; guarded by lock */
};

extern const weir_kernel weir__pbf_kernel;

/* ---- graph.c ---- */

/* Build the graph; on failure weir__pbf_close() frees what there is. */
weir_status weir__pbf_open(weir__pbf_run *run);
/* The devices' threads have ended. */
void weir__pbf_close(weir__pbf_run *run);

/* ---- worker.c: a device's thread ---- */

void *weir__pbf_work(void *device);

/* ---- gather.c ---- */

/* Take all results; returns when every device has shut down, or with the first failure seen. */
weir_status weir__pbf_gather(weir__pbf_run *run);

/* ---- run.c ---- */

/* Keep the first failure with this thread's sentence, and end everything that is under way. */
void weir__pbf_fail(weir__pbf_run *run, weir_status status);
/* Milliseconds until the time limit, 0 when it has passed, -1 without one. */
int64_t weir__pbf_left_ms(const weir__pbf_run *run);
/* Choose WEIR_ERR_TIMEOUT. */
weir_status weir__pbf_late(const weir__pbf_run *run);

#endif
