/** @file pbf.h  What the files of predicate-based filtering share. Not installed.
 *
 * A weir_pbf holds the configuration. A run is one over two routers (algorithms/common/dataflow.h): the caller's
 * thread sends the input and receives what stays, and each device has a thread that takes packets and sends
 * results. */
#ifndef WEIR_ALGORITHMS_PBF_PBF_H
#define WEIR_ALGORITHMS_PBF_PBF_H

#include "algorithms/algorithms.h"
#include "algorithms/common/dataflow.h"

#include <stdatomic.h>

enum { WEIR__PBF_BUFFERS_MAX = 16 };

struct weir_pbf {
    weir_context *context;
    weir_pbf_config config;
    struct weir__dataflow_owner owner;
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
    uint64_t *word;                             /* the device's, see pbf_op.h */
    uint32_t *kept;                             /* the home device's: one for each slot */
    weir__pbf_slot slot[WEIR__PBF_BUFFERS_MAX]; /* as many as the device's link has buffers */
    weir_pending *next;   /* taken from the link, not launched yet; NULL: none */
    weir_pbf_share share; /* the thread's until it was joined */
} weir__pbf_device;

typedef struct weir__pbf_run {
    struct weir__dataflow flow; /* first */
    weir_pbf *pbf;
    const uint32_t *input;
    uint64_t elements, room;
    weir__pbf_device device[WEIR_DEVICES_MAX];
    _Atomic uint64_t kept; /* elements that devices have sent or are about to; relaxed, a sum */
} weir__pbf_run;

/* worker.c: weir__dataflow_form.open, close and work. */
weir_status weir__pbf_open(struct weir__dataflow_device *on);
void weir__pbf_close(struct weir__dataflow_device *on);
weir_status weir__pbf_work(struct weir__dataflow_device *on);

#endif
