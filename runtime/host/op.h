/** @file op.h  A queue of a host device and its operations. Included by host/queue.c and host/put.c. */
#ifndef WEIR_RUNTIME_HOST_OP_H
#define WEIR_RUNTIME_HOST_OP_H

#include "runtime/host/host.h"

enum kind { COPY, FILL, LAUNCH, CALL, RECORD, STAMP, WAIT_HOST, WAIT_FOREIGN, WAIT_FUTURE };

struct op {
    struct op *next;
    enum kind kind;
    void *destination; /* copy and fill */
    const void *source;
    size_t bytes;
    int value;
    const weir_kernel *kernel;
    void (*function)(void *user); /* of a call */
    void *user;
    weir_event *event;
    struct host_stamp *stamp;
    uint64_t number; /* of a host event's record or a stamp's mark */
    weir_future *future;
    struct weir__trace_mark mark;
    size_t room; /* bytes behind the struct, for arguments */
    _Alignas(16) unsigned char args[];
};

struct host_queue {
    weir_queue base;
    pthread_t thread;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t more, idle;
    struct op *first, *last;
    struct op *spare;
    int stop, busy;
};

#endif
