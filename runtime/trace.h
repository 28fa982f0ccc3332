/** @file trace.h  What the layers tell a trace (weir_context_trace()). Included in runtime, topology, router and worklist.
 *
 * Nothing is told while no trace is on, which one load and a branch find out: weir__tracing(). What is told goes into a
 * buffer that was taken when the trace began, by an atomic add; no call waits or takes memory. Times are those of the
 * context's clock, virtual ones where devices are simulated; those that a GPU took are put on that clock when the trace
 * ends. Locks of any layer may be held. */
#ifndef WEIR_RUNTIME_TRACE_H
#define WEIR_RUNTIME_TRACE_H

#include "runtime/internal.h"

#include <stdatomic.h>

struct weir__trace;

/** The trace of the context if one is on, else NULL. */
struct weir__trace *weir__tracing(const weir_context *context);

/** Where something is drawn, as who tells it keeps it: all zero at first. A trace that begins later gives it anew. */
struct weir__trace_place {
    _Atomic uint32_t word; /* relaxed: generation of the trace << 16, number of the track + 1 */
};

/** A message of which an operation of a queue is a part, and when the operation was put in. Of no message: link is 0. */
struct weir__trace_mark {
    uint32_t link; /* as weir__trace_place.word */
    uint32_t pad;
    uint64_t put_ns;                               /* 0: no trace was on then */
    uint64_t posted_ns, matched_ns, bytes, serial; /* of the message */
};

/** The message that operations belong to which this thread puts into queues from now on; all zero: to none.
 *  @return which it was before. */
struct weir__trace_mark weir__trace_message(struct weir__trace_mark mark);
/** What is to be kept with an operation that this thread puts into a queue. */
void weir__trace_mark(struct weir__trace_mark *mark_out, const weir_context *context);

/* ---- queues ------------------------------------------------------------------------------------ */

enum weir__trace_op { WEIR__TRACE_COPY, WEIR__TRACE_PUSH, WEIR__TRACE_FILL, WEIR__TRACE_CALL };

/** An operation of a queue ran. @param[in] kernel  its name; NULL: @p op says what it was. */
void weir__trace_ran(struct weir__trace *trace, weir_queue *queue, enum weir__trace_op op,
                     const char *kernel, uint64_t begin_ns, uint64_t end_ns, uint64_t bytes,
                     const struct weir__trace_mark *mark);

/** Say what a queue is for, right behind its creation; NULL is fine for a queue that there is not. @param[in] role  static. */
void weir__queue_role(weir_queue *queue, const char *role);

struct weir__timed;
/** A device that keeps its own time is about to be given an operation: it takes the time before it. NULL: no trace is on, or
 *  all stamps are in use (which is counted). */
struct weir__timed *weir__timed_begin(weir_queue *queue, enum weir__trace_op op, const char *kernel,
                                      uint64_t bytes);
/** Behind it. NULL is fine. @param[in] status  not WEIR_OK: it was not given. */
void weir__timed_end(weir_queue *queue, struct weir__timed *timed, weir_status status);

/* ---- links -------------------------------------------------------------------------------------- */

/** The place of the link between two endpoints. @return its word, for marks; 0: there is no room for it.
 *  @param[in] router  that it leads over; NULL: over none. */
uint32_t weir__trace_link(struct weir__trace *trace, struct weir__trace_place *place,
                          const char *from, const char *to, const char *router);
/** Something went over it. @param[in] items  of a worklist or a step; 0: it is not counted by these. */
void weir__trace_carried(struct weir__trace *trace, uint32_t link, uint64_t messages,
                         uint64_t bytes, uint64_t items);
/** It stood still since packets waited for receives, or receives for packets. */
void weir__trace_idled(struct weir__trace *trace, uint32_t link, uint64_t stalled_ns,
                       uint64_t starved_ns);
/** Receives that are posted and free, and packets that wait for one, from @p ns on. */
void weir__trace_level(struct weir__trace *trace, uint32_t link, uint64_t ns, uint64_t credits,
                       uint64_t waiting);

/* ---- workers and runs ---------------------------------------------------------------------------- */

/** Most numbers of a phase. */
#define WEIR__TRACE_VALUES 6

/** Phases of a device: @p kind says what the numbers are. */
enum weir__trace_phase {
    WEIR__TRACE_STEP,  /* of supersteps: the step's number */
    WEIR__TRACE_ROUNDS /* of a worklist: rounds, processed, waiting, deferred, credits, threshold */
};
struct weir__trace_span {
    const char *name;
    uint64_t begin_ns, end_ns;
    uint64_t value[WEIR__TRACE_VALUES];
    uint32_t values; /* that it has */
};
/** Phases of a device are over.
 *  @param[in] by_device  the times are those of the kernels' clock, weir_clock_ns() of that device. */
void weir__trace_phases(struct weir__trace *trace, const weir_device *device,
                        enum weir__trace_phase kind, int by_device,
                        const struct weir__trace_span *spans, uint32_t count);
/** A run is over that the program called for, or a part of one: on the program's own track. */
void weir__trace_run(struct weir__trace *trace, const char *name, uint64_t begin_ns,
                     uint64_t end_ns);
/** A timed trial of a benchmark is over: on a track of the benchmark's.
 *  @param[in] series  what the row measures; its first 55 characters are kept.
 *  @param[in] row     of the benchmark's table, from 0. @param[in] number  of the trial, from 1; 0: a warm-up. */
void weir__trace_trial(struct weir__trace *trace, const char *benchmark, const char *series,
                       uint64_t row, uint64_t number, uint64_t begin_ns, uint64_t end_ns);
/** Phases that a kernel had no room to note. */
void weir__trace_lost(struct weir__trace *trace, uint64_t count);
/** Phases that a kernel may note in a run. */
uint32_t weir__trace_notes(const struct weir__trace *trace);

/** Open and close a range of tools that watch the program (NVTX), on the calling thread, whether a trace is on or not. They
 *  nest. Nothing happens where the context has no GPU. */
void weir__range_open(const weir_context *context, const char *name);
void weir__range_close(const weir_context *context);

/** The context ends. NULL is fine. */
void weir__trace_free(struct weir__trace *trace);

#endif
