/** @file internal.h  The machine behind the stand-in, which its sources share.
 *
 * One lock guards all of it. To ThreadSanitizer the lock does not exist: between standin__enter() and
 * standin__leave() it neither sees accesses nor takes the lock for an order. Else every call of CUDA would order
 * the threads that make it, and hide what weir itself forgot to order. What CUDA promises is told to it one by
 * one, by standin__release() and standin__acquire():
 *
 * - what a thread did before it put something into a stream comes before that is run;
 * - what a stream ran comes before what it runs next, being one thread;
 * - what came before a record of an event comes before who waits for it, or sees that it is complete;
 * - what a stream ran comes before who sees it empty; what a device ran before who drains it. */
#ifndef WEIR_TESTS_STANDIN_INTERNAL_H
#define WEIR_TESTS_STANDIN_INTERNAL_H

#include "tests/standin/standin.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define STANDIN_DEVICES_MAX 8

typedef struct CUstream_st standin__stream;

/** A device. The machine's lock guards it. */
typedef struct standin__device {
    uint32_t connections, free; /* hardware connections; those that no stream has */
    standin__stream *waiting;   /* for a connection, the first one first */
    uint32_t running;           /* operations that are being run without the lock */
    cudaError_t broken;         /* no operation begins any more */
    uint64_t break_at;          /* operations to go until it breaks; 0: it does not */
    cudaError_t break_with;
    int has_context;
    unsigned char peer[STANDIN_DEVICES_MAX]; /* whose memory its kernels may touch */
    uint64_t bytes;                          /* of its memory that are taken */
} standin__device;

/** One record of an event. The event, and the operations that name it, have a reference each. */
typedef struct standin__record {
    uint32_t references;
    int done;
    uint64_t time_ns;
    standin__stream *stream; /* valid until done */
} standin__record;

enum standin__kind {
    STANDIN__COPY,
    STANDIN__FILL,
    STANDIN__PUSH, /* a copy by a kernel, which faults on memory that it does not reach */
    STANDIN__KERNEL,
    STANDIN__CALL,
    STANDIN__WRITE_WORD,
    STANDIN__RECORD,
    STANDIN__WAIT_RECORD,
    STANDIN__WAIT_WORD
};

typedef void (*standin__form)(const void *args, uint32_t worker, uint32_t workers);

/** What a stream runs. Whoever makes it owns it until it is put into a stream. */
typedef struct standin__op {
    struct standin__op *next;
    uint64_t ticket; /* operations of the machine have ascending numbers */
    enum standin__kind kind;
    void *to;
    const void *from;
    size_t bytes;
    uint32_t value; /* of a fill or a word; the workers of a kernel */
    standin__form form;
    cudaHostFn_t function;
    standin__record *record;
    _Alignas(max_align_t) unsigned char args[];
} standin__op;

struct CUstream_st {
    standin__stream *next;         /* all streams */
    standin__stream *next_waiting; /* those that wait for a connection */
    int device;
    standin__op *first, *last;
    pthread_cond_t wake;
    int connected, queued, held, ending;
    standin__record *awaits; /* what it waits for at its head */
    enum cudaStreamCaptureStatus capture;
    uint64_t random;
};

struct CUevent_st {
    int device;
    unsigned flags;
    standin__record *record; /* the last; NULL: none yet */
};

struct standin__machine {
    pthread_mutex_t lock;
    pthread_cond_t progress; /* an operation ended, for who drains */
    int count;
    standin__device device[STANDIN_DEVICES_MAX];
    standin__stream *streams;
    uint64_t ticket, seed;
    uint32_t draining;
    struct standin_left left;
};
extern struct standin__machine standin__machine;

/* ---- machine.c --------------------------------------------------------------------------------- */

void standin__enter(void);
void standin__leave(void);
/** What the calling thread did so far comes before what follows a later standin__acquire() of the same address. Not
 *  between enter and leave. */
void standin__release(void *address);
void standin__acquire(void *address);

/** Begin a call of the program's: count it. @return what it is made to fail with, or cudaSuccess. */
cudaError_t standin__begin(enum standin_call call);
/** End one: keeps a failure for cudaGetLastError(). @return @p error. */
cudaError_t standin__end(cudaError_t error);
/** The current device of the thread, in which it now has a context. The lock is held. */
int standin__here(void);
/** What every call that touches the device says; the lock is held. */
cudaError_t standin__state(int device);
/** The device fails; the lock is held. */
void standin__break_locked(int device, cudaError_t error);

/* ---- memory.c ---------------------------------------------------------------------------------- */

/** Whether a kernel of the device may touch all of it; the lock is held. */
int standin__reaches(int device, const void *data, size_t bytes);
/** Bytes that every device has; the lock is not held. */
uint64_t standin__memory_total(void);
/** Give back what only a broken device kept from being given back. */
void standin__memory_reset(void);

/* ---- stream.c ---------------------------------------------------------------------------------- */

/** @param args_bytes  room behind it. @return NULL: no memory. */
standin__op *standin__op_new(enum standin__kind kind, size_t args_bytes);
/** Give up one that no stream has taken. */
void standin__op_drop(standin__op *op);
/** Put it at the end of the stream, which owns it if it is cudaSuccess. */
cudaError_t standin__put(standin__stream *stream, standin__op *op);
/** The same with the lock held; standin__release(op) comes before. */
cudaError_t standin__put_locked(standin__stream *stream, standin__op *op);
/** Wait until the device, or every one with -1, has run all that was put into its streams so far. */
void standin__drain(int device);
/** One reference less; the lock is held. */
void standin__record_drop(standin__record *record);
/** Give free connections to the streams that wait for one; the lock is held. */
void standin__grant(standin__device *device);
/** Wake the streams that wait for an event: they may have to wait in another way. The lock is held. */
void standin__reconsider(void);

/* ---- capture.c ---------------------------------------------------------------------------------- */

/** A stream that is being captured takes nothing and tells nothing here: the attempt ends the capture, as CUDA's
 *  own does for what cannot be captured. The lock is held. @return cudaSuccess where the stream is not captured. */
cudaError_t standin__refuse_captured(standin__stream *stream);

/* ---- launch.c, for the C forms of kernels --------------------------------------------------------- */

/** Start a kernel's C form on a stream: worker after worker, on the stream's thread. @return a cudaError_t. */
int standin__launch(void *stream, standin__form form, uint32_t workers, const void *args,
                    size_t args_bytes);

#endif
