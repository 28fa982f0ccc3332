/** @file measure.h  What the benchmarks share. Included in topology/measure, router/measure and the
 *  benchmark of algorithms/common only.
 *
 * A *trial* builds a *region*: queues of one or several devices that are held by a gate until
 * everything is enqueued, start together, and end together. The time is that between two stamps in
 * the region's first queue, which waits for all others: no host clock takes part. On a simulated
 * context it is virtual. The frame, a wait for an event at each end of each queue, is part of the
 * time. */
#ifndef WEIR_TOPOLOGY_MEASURE_MEASURE_H
#define WEIR_TOPOLOGY_MEASURE_MEASURE_H

#include "topology/bench.h"
#include "topology/machine.h"

/** A benchmark under way. */
struct bench {
    weir_context *context;
    const weir_machine *machine;
    weir_bench_config config; /* defaults filled in */
    uint32_t devices;
    int gpus, simulated; /* all devices are; neither: host devices, or mixed */
    weir_bench_table *table;
    uint64_t number; /* of the last trial */
    /* rows.c: what the present trial timed, 0: nothing yet; and when it was told, of the context's clock. */
    double took_ms;
    uint64_t told_ns;
    size_t room; /* rows the table has room for */
    /* data.c: made when first asked for; [devices] is home's */
    weir_queue *queue[WEIR_DEVICES_MAX + 1];
    uint64_t *wrong[WEIR_DEVICES_MAX + 1]; /* a word of the device, for kernels that count */
    uint64_t *answer;                      /* a word of the home memory */
};

/** @return a failure to give up the whole benchmark; rows made until then are lost. */
typedef weir_status (*bench_fn)(struct bench *bench);

/** The benchmarks of one layer: list.c of its folder. Nobody but list.c names them all, so that what benchmarks share
 *  depends on none of them. */
struct bench_list {
    const weir_bench_info *infos;
    const bench_fn *runs; /* of each */
    size_t count;
};
/* Both arrays out of one list of X(name, title, sized, function). */
#define WEIR__BENCH_INFO(name, title, sized, function) {name, title, sized},
#define WEIR__BENCH_RUN(name, title, sized, function)  function,

/* ---- bench.c -------------------------------------------------------------------------------- */

/** weir_bench_run() with one of a list. */
weir_status weir__bench_run(const struct bench_list *list, weir_context *context, const char *name,
                            const weir_bench_config *config, weir_bench_table **table_out);
/** Check the configuration, fill in defaults, find the machine; no table yet. Where no bytes are
 *  given, a transfer is of 100 MB on GPUs and simulated ones, of 4 MB on host devices; but where
 *  devices live in the program's own memory, of so much less that three times as much for each of
 *  them is 2 GB at most (64 simulated devices: 10 MB). */
weir_status weir__bench_open(struct bench *bench, weir_context *context,
                             const weir_bench_config *config);
/** Fine after a failed open. */
void weir__bench_close(struct bench *bench);
/** WEIR_ERR_CANCELLED once the cancel word is set. */
weir_status weir__bench_cancelled(const struct bench *bench);
/** How a benchmark ended that gave @p status: cancelled, whatever it found, once the cancel word is set,
 *  since queues dropped what they were to do from then on. */
weir_status weir__bench_judge(const struct bench *bench, weir_status status);
/** Bytes of host memory that benchmarks may fill: three quarters of what the machine has. */
uint64_t weir__host_room(const struct bench *bench);

/* ---- rows.c ------------------------------------------------------------------------------ */

/** Leave the table without rows, with this reason. @return WEIR_OK. */
weir_status weir__bench_skip(struct bench *bench, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** Set what the table's figures are. @p x_name "" without an axis. */
void weir__bench_describe(struct bench *bench, const char *unit, int larger_is_better,
                          const char *x_name, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/** One trial. @param[in] number  grows from row to row and trial to trial: a seed for data.
 *  @param[out] value_out  in the table's unit. */
typedef weir_status (*weir__trial_fn)(void *user, uint64_t number, double *value_out);
/** Warm up, run the trials, append the row with median and spread. Looks at the cancel word before
 *  every trial.
 *  @param[in] row  series, from, to, x and verified are taken from it. */
weir_status weir__bench_row(struct bench *bench, const weir_bench_row *row, weir__trial_fn trial,
                            void *user);
/** The same of several rows that are to be compared: a trial of each in turn, so that what happens to the machine meanwhile
 *  happens to all of them. @param[in] users  one for each row. */
weir_status weir__bench_rows(struct bench *bench, const weir_bench_row *rows, uint32_t count,
                             weir__trial_fn trial, void *const *users);
/** What a trial timed, which its figure is made of: a trace has a span of this length. A region tells it by itself, so only
 *  trials tell it that time without one, or a part of one. The last call of a trial counts. */
void weir__bench_took(struct bench *bench, double ms);
/** Bytes in so many milliseconds, in 10^9 bytes a second; 0 where no time was measured. */
double weir__gbs(double bytes, double ms);

/* ---- broadcast.c ---------------------------------------------------------------------------- */

/** The devices along the planned ring, from device 0 on. @param[out] order_out  all of them. */
weir_status weir__ring_order(const struct bench *bench, uint8_t order_out[WEIR_DEVICES_MAX]);

/* ---- region.c: timed regions ---------------------------------------------------------------- */

#define REGION_QUEUES_MAX (2 * WEIR_DEVICES_MAX + 2)
/** Most operations (copies, launches, marks and waits) to put into one queue of a held region: a
 *  stream takes about a thousand before the call that adds one more blocks, and a host that blocks
 *  cannot open the gate. */
#define REGION_OPS_MAX 600

/** Queues that start together and are timed together; made once for a row, used for every trial. */
/** The same for a benchmark: where a trace is on two stamps come with each copy and kernel of a GPU. */
uint32_t weir__region_ops_max(const struct bench *bench);

struct region {
    struct bench *bench;
    uint32_t count;
    weir_queue *queue[REGION_QUEUES_MAX]; /* queue[0] leads */
    weir_stamp *start, *stop;
    weir_future *gate;
    int held;
    struct {
        pthread_t thread;
        int started;
        pthread_mutex_t lock; /* guards all below */
        pthread_cond_t changed;
        int armed, quit;
        int opened;  /* the gate of this trial */
        int overdue; /* by the guard */
        struct timespec deadline;
    } guard;
    weir_event **event; /* taken for this trial, given back at its end */
    size_t events, room;
};
/** @param[in] devices  for each queue, the device (or home) it belongs to; one may come twice. The
 *  first should take part in the work. */
weir_status weir__region_open(struct region *region, struct bench *bench, const uint32_t *devices,
                              uint32_t count);
/** Fine after a failed or no open. */
void weir__region_close(struct region *region);
/* guard.c: opens the gate when the one who fills the queues takes too long. A queue that is full
 * makes the call that adds to it wait; if that queue is held, nobody else would end it. */
weir_status weir__guard_start(struct region *region);
/** Fine when it was not started. */
void weir__guard_stop(struct region *region);
/** From now on the queues are held, config.limit_ms at most, at least a second. */
void weir__guard_arm(struct region *region);
/** Open the gate, if it is still closed. @retval WEIR_ERR_TIMEOUT  the guard did so before. */
weir_status weir__guard_open_gate(struct region *region);

/** Hold all queues; what is put into them from now on starts after the start stamp. Memory must
 *  not be taken or given back until the end. */
weir_status weir__region_begin(struct region *region);
/** Let go, wait (config.limit_ms at most), read the time. After a failure of anything in between,
 *  call it with @p failed set: it opens the gate, empties the queues and returns @p failed. */
weir_status weir__region_end(struct region *region, weir_status failed, double *ms_out);
/** queue[to] goes on only when all that is in queue[from] now has run. Takes an event of the
 *  queue's device until the end: see weir__region_marks_max(). */
weir_status weir__region_chain(struct region *region, uint32_t from, uint32_t to);
/** The two halves of a chain: mark the present end of queue[from]; queue[to] waits for a mark made
 *  since the begin, once or several times, or several queues do. */
weir_status weir__region_mark(struct region *region, uint32_t from, weir_event **mark_out);
weir_status weir__region_wait(struct region *region, uint32_t to, weir_event *mark);
/** How many marks may be made in the queues of one device in one trial: half of WEIR_EVENTS. */
uint32_t weir__region_marks_max(const struct bench *bench);

/* ---- data.c: bytes that can be checked, and where they lie ---------------------------------- */

/** Label of a device, or of the home memory ("home") for bench->devices. */
const char *weir__bench_label(const struct bench *bench, uint32_t device, char room[16]);
/** The device, or the home device for bench->devices. */
weir_device *weir__bench_device(const struct bench *bench, uint32_t device);

/** The queue of a device (or home) for what is not timed, made when first asked for. */
weir_status weir__bench_queue(struct bench *bench, uint32_t device, weir_queue **queue_out);
/** Wait for all that is in such a queue. After a failure all such queues have ended all the same:
 *  memory may be given back. @param[in] what  for the sentence.
 *  @retval WEIR_ERR_TIMEOUT  it took longer than config.limit_ms. */
weir_status weir__bench_drain(struct bench *bench, uint32_t device, const char *what);
/** Wait, however long it takes, until nothing is under way in any such queue. Comes before memory
 *  or stamps that they may use are given back: a failure between two calls that fill a queue leaves
 *  the first one's work there. Keeps the sentence of the failure. */
void weir__bench_settle(struct bench *bench);
/** Take memory of a device (or home): where there is none, the sentence is the runtime's and the way
 *  out. Given back with weir_device_free(). */
weir_status weir__bench_alloc(struct bench *bench, uint32_t device, uint64_t bytes, void *data_out);

/** Fill memory with bytes that no pattern has, and wait. */
weir_status weir__pattern_poison(struct bench *bench, uint32_t device, void *data, uint64_t bytes);
/** Write the pattern of @p seed into memory of a device (or home), by its own kernel, and wait. */
weir_status weir__pattern_put(struct bench *bench, uint32_t device, void *data, uint64_t bytes,
                              uint64_t seed);
/** Compare. @retval WEIR_ERR_VERIFY  with where the bytes came from and how many words differ.
 *  @param[in] what  for the sentence: "copy engine, cuda:0 to cuda:1". */
weir_status weir__pattern_check(struct bench *bench, uint32_t device, const void *data,
                                uint64_t bytes, uint64_t seed, const char *what);

/* ---- measure_machine.c ---------------------------------------------------------------------- */

#define WEIR__COPIES_FEW  8u
#define WEIR__COPIES_MANY 64u
/** Regions of some small copies, of many, and of a large one. */
struct weir__copy_times {
    uint64_t small, large; /* bytes of each copy */
    double few_us, many_us, large_us;
};
struct weir__speed {
    double floor_us; /* of a small copy */
    double gbs;      /* 0: the bytes cost nothing that could be measured */
};
/** What the copies cost and how fast their bytes go, without the frame of the regions. */
struct weir__speed weir__speed_of(const struct weir__copy_times *times);

/* ---- kernels.h's kernels are in kernels_host.c and kernels_cuda.cu -------------------------- */

#endif
