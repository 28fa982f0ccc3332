/** @file schedule.h  Copies of several devices, each with what it waits for, timed as one region.
 *
 * All benchmarks over copies are schedules: a list of *steps* (a copy in one of the region's
 * queues) in an order in which every step comes after those it waits for. A *carrier* turns "send
 * these bytes from one device to another" into one step, or into two through home memory where the
 * pair does not reach. *Sources* hold a pattern and *targets* must hold it in the end: after the
 * timed trials all sources get fresh patterns, all targets are poisoned, the schedule runs once
 * more, and every byte is compared. On a simulated machine, where another run takes the same time,
 * the trials themselves are the run that is compared. */
#ifndef WEIR_TOPOLOGY_MEASURE_SCHEDULE_H
#define WEIR_TOPOLOGY_MEASURE_SCHEDULE_H

#include "topology/measure/measure.h"

#define STEP_NONE  UINT32_MAX
#define QUEUE_NONE UINT32_MAX

/** One copy. */
struct step {
    uint32_t queue;
    uint32_t from, to; /* devices; bench->devices is home */
    char *target;
    const char *source;
    uint64_t bytes;
    int kernel;        /* by a kernel's loads and stores, else by a copy engine */
    uint32_t after[2]; /* earlier steps that must have ended; STEP_NONE */
    int marked;        /* a later step of another queue waits for it */
    weir_event *mark;
};

/** Memory that is filled with a pattern before, or compared with one afterwards. */
struct piece {
    uint32_t device;
    void *data;
    uint64_t bytes;
    uint32_t pattern; /* the same number: the same bytes */
};

struct schedule {
    struct bench *bench;
    weir_status status; /* the first failure while it was built; then nothing more is added */
    struct region region;
    uint32_t owner[REGION_QUEUES_MAX], queues;
    struct step *step;
    struct piece *source, *target, *memory; /* memory: everything to give back */
    size_t steps, sources, targets, memories;
    size_t step_room, source_room, target_room, memory_room;
    double bytes; /* what a trial's figure is made of; 0: the figure is microseconds / `parts` */
    uint32_t parts;
};

/** Begin to build one. Builders below do nothing after a failure, which stays in schedule->status:
 *  a caller looks once, at weir__schedule_row(). */
void weir__schedule_init(struct schedule *schedule, struct bench *bench);
/** Give everything back. Fine after any failure. */
void weir__schedule_free(struct schedule *schedule);

/** A new queue of a device (or home). @return its number. */
uint32_t weir__schedule_queue(struct schedule *schedule, uint32_t device);
/** Memory of a device (or home) until the schedule is freed; NULL after a failure. */
char *weir__schedule_memory(struct schedule *schedule, uint32_t device, uint64_t bytes);
/** The same, as a source or target of pattern number @p pattern. */
char *weir__schedule_source(struct schedule *schedule, uint32_t device, uint64_t bytes,
                            uint32_t pattern);
char *weir__schedule_target(struct schedule *schedule, uint32_t device, uint64_t bytes,
                            uint32_t pattern);
/** Append a step. @return its number, or STEP_NONE. */
uint32_t weir__schedule_step(struct schedule *schedule, const struct step *step);

/** Whether a held region can take it: no queue of more than REGION_OPS_MAX operations, no device
 *  with more than weir__region_marks_max() marks. */
int weir__schedule_fits(const struct schedule *schedule);
/** One run. @param[out] ms_out  from common start to last end. */
weir_status weir__schedule_run(struct schedule *schedule, double *ms_out);
/** Open the region and fill the sources, before the first run.
 *  @retval WEIR_ERR_INVALID  a queue has more than REGION_OPS_MAX operations. */
weir_status weir__schedule_start(struct schedule *schedule);
/** Fresh patterns, poisoned targets, one run, all bytes compared. @param[in] what  for the
 *  sentence. */
weir_status weir__schedule_verify(struct schedule *schedule, const char *what);
/** Start, a row of trials, verify; simulated: the trials are what is verified. */
weir_status weir__schedule_row(struct schedule *schedule, const weir_bench_row *row);

/* ---- carriers ---------------------------------------------------------------------------------- */

enum way { WAY_ENGINE = 0, WAY_KERNEL = 1, WAYS = 2 };
/** "copy engine", "kernel". */
extern const char *const weir__way_text[WAYS];

struct carrier {
    uint32_t from, to;
    enum way way;
    int staged;          /* through home memory: the pair does not reach, or it was asked for */
    uint32_t push, pull; /* queues of `from` and of `to`; QUEUE_NONE: made when needed */
    char *bounce;        /* staged: `slots` buffers of slot_bytes in home memory */
    uint64_t slot_bytes;
    uint32_t slots, sent;
    uint32_t pulled[2]; /* the last step that emptied each slot */
};

/** @param[in] largest  of one send, bytes.
 *  @param[in] slots  1: a staged send waits for the one before; 2: they overlap. */
void weir__carrier_init(struct carrier *carrier, const struct bench *bench, uint32_t from,
                        uint32_t to, enum way way, uint64_t largest, uint32_t slots);
/** Send @p bytes after the step @p after (STEP_NONE: at once). @return the step that ends it. */
uint32_t weir__carrier_send(struct schedule *schedule, struct carrier *carrier, char *target,
                            const char *source, uint64_t bytes, uint32_t after);
/** Send a message in packets of @p packet bytes (0: whole). */
void weir__carrier_message(struct schedule *schedule, struct carrier *carrier, char *target,
                           const char *source, uint64_t bytes, uint64_t packet);

/** A row's head: labels of the two devices ("" where one is QUEUE_NONE), x, and the series by
 *  format. `verified` is set: only weir__schedule_row() takes it, which keeps the promise. */
weir_bench_row weir__row_make(const struct bench *bench, uint32_t from, uint32_t to, double x,
                              const char *format, ...) __attribute__((format(printf, 5, 6)));

#define PACKET_SIZES_MAX 16
/** Packet sizes to try for messages of @p bytes: powers of @p factor from @p least on that are
 *  smaller, at most @p most; a quarter of the message where there are none. @return how many. */
uint32_t weir__packet_sizes(uint64_t bytes, uint64_t least, uint64_t most, uint32_t factor,
                            uint64_t sizes_out[PACKET_SIZES_MAX]);

#endif
