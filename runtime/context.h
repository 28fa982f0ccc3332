/** @file context.h  What a context is inside. Included by the files of runtime that keep something of theirs in it, and tests. */
#ifndef WEIR_RUNTIME_CONTEXT_H
#define WEIR_RUNTIME_CONTEXT_H

#include "runtime/backend.h"

struct weir_context {
    _Atomic uint32_t references; /* acq_rel: who ends it sees what all users did */
    weir_config *config;
    uint32_t count;
    weir_device *devices[WEIR_DEVICES_MAX];
    weir_device *home;
    weir_device *zero_copy; /* of zero_copy.c; NULL: nobody asked; set once, under attach_lock */
    struct {
        int is; /* its devices only count */
        int shared[WEIR_DEVICES_MAX];
        uint64_t bound[WEIR_DEVICES_MAX]; /* that their pools are said to have */
        _Atomic uint64_t next;            /* address that none of them has given yet; relaxed */
    } planned;
    struct weir__supply host; /* host memory for the pools that have no bound of their own */
    /* reaches[s][d]: a copy from s to d needs no staging; home has index count. */
    unsigned char reaches[WEIR_DEVICES_MAX + 1][WEIR_DEVICES_MAX + 1];
    weir_device *pinning; /* the device that gives host devices page-locked memory, or NULL */
    const weir__progress *progress; /* how waits go on */
    void *engine;                   /* what its rows keep, or NULL; ended by progress->end */
    _Atomic(void *) attached;       /* release when set, acquire when read; set once */
    void (*detach)(void *attached); /* written before it under attach_lock */
    pthread_mutex_t attach_lock;
    pthread_mutex_t futures_lock;
    weir_future **futures; /* released ones, a stack */
    size_t futures_count, futures_room;
    uint64_t futures_out; /* taken and not released yet: while there are any, the context stays */
    struct {
        pthread_mutex_t lock; /* guards the list and what is in it */
        pthread_cond_t called;
        weir__alarm *list;
        _Atomic int due; /* a device failed, or an alarm came later; release, acquire */
    } alarms;
    struct {                          /* of later.c */
        pthread_mutex_t lock;         /* guards the list */
        struct weir__due_call *first; /* that is due first */
        _Atomic uint64_t due_ns;      /* when it is; UINT64_MAX: never. Relaxed: a hint to look */
    } later;
    _Atomic int rescue_due;     /* held queues are to be looked at; release, acquire */
    _Atomic uint64_t probed_ns; /* when the devices were asked last; relaxed */
    struct {
        pthread_mutex_t lock; /* guards the list */
        struct weir__pinned *list;
    } pinned;
    struct {                      /* of notify.c and completion.c */
        pthread_mutex_t lock;     /* guards all below, and the watches of every future */
        pthread_cond_t changed;   /* a watch was told, or a future is observed now */
        weir_watch *all;          /* that wait */
        weir_watch *first, *last; /* completions that nobody took, the oldest first */
        int fd;                   /* readable while there are any; -1: nobody asked for it */
    } watches;
    _Atomic(const volatile int *) drop;  /* of weir__context_drop_when(); release, acquire */
    _Atomic(struct weir__trace *) trace; /* made with the first one; release, acquire; set once */
};

/** A context without devices, referenced once, to be destroyed as any other. */
weir_status weir__context_empty(const weir_config *config, weir_context **context_out);
/** Open a device with its number in the context and its events. */
weir_status weir__context_open(weir_context *context, const weir__backend *ops, uint32_t ordinal,
                               uint32_t threads, uint32_t index, weir_device **device_out);
/** The list of later calls; close makes those that are left. */
void weir__later_open(weir_context *context);
void weir__later_close(weir_context *context);
/** Undo weir_memory_register() for all that is still registered. */
void weir__context_unpin_all(weir_context *context);

#endif
