/** @file bench.h  Benchmarks of the machine: how fast memories, links and kernels are, measured on the devices of a context.
 *
 * A benchmark gives a table of rows, each the median of some trials. The layers above have benchmarks of their own, in
 * tables of the same kind (router/bench.h, algorithms/algorithms.h). Nothing here is needed to move data.
 *
 * Units, errors and threads are those of topology/topology.h. */
#ifndef WEIR_TOPOLOGY_BENCH_H
#define WEIR_TOPOLOGY_BENCH_H

#include "topology/topology.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How to measure; a plain value. */
typedef struct weir_bench_config {
    size_t size; /**< sizeof(weir_bench_config), set by WEIR_BENCH_CONFIG_INIT */
    uint64_t
        bytes; /**< of a transfer; 0: 100 MB on GPUs and simulated ones (less for many of those), 4 MB on host devices */
    uint32_t trials;   /**< timed runs, whose median is reported; 0: 7, simulated 1 */
    uint32_t warmups;  /**< runs before them; 0: 2, simulated none; UINT32_MAX: none */
    uint32_t limit_ms; /**< a trial that takes longer fails, once its work has ended; 0: 60 000 */
    volatile int *
        cancel; /**< set to non-zero (any thread) to stop with WEIR_ERR_CANCELLED, also within a trial
                      of host or simulated devices, whose queues then drop their work; or NULL */
    /** Called before each row with what is measured next; for progress. May be NULL. */
    void (*progress)(void *user, const char *what);
    void *progress_user;
} weir_bench_config;
/** Defaults of weir_bench_config. */
#define WEIR_BENCH_CONFIG_INIT                                  \
    {                                                           \
        sizeof(weir_bench_config), 0, 0, 0, 0, NULL, NULL, NULL \
    }

/** One figure: the median of the trials, and their spread. */
typedef struct weir_bench_row {
    char series[48];          /**< what is compared: "copy engine", "random read" */
    char from[16], to[16];    /**< "cuda:0", "home", "all": the direction data moves; or "" */
    double x;                 /**< on the table's axis; 0 where it has none */
    double median, low, high; /**< in the table's unit */
    uint32_t trials;
    /** The same work ran once more after the timed trials (simulated: the trials themselves), on fresh
     *  patterns over poisoned memory, and every byte was compared. 0: it moves none to compare. */
    int verified;
} weir_bench_row;

/** What one benchmark found. */
typedef struct weir_bench_table {
    char name[24];   /**< "broadcast" */
    char title[160]; /**< what is measured and in which direction */
    char unit[16];   /**< "GB/s", "us", "Gop/s" */
    char x_name[24]; /**< "message bytes"; "" without an axis */
    int larger_is_better;
    char skipped[160]; /**< why there are no rows: "needs two devices"; else "" */
    size_t count;
    weir_bench_row *rows;
} weir_bench_table;

/** One benchmark of the list; all strings are static. */
typedef struct weir_bench_info {
    const char *name;  /**< as weir_bench_run() takes it */
    const char *title; /**< one line */
    int sized;         /**< weir_bench_config.bytes says how much it moves */
} weir_bench_info;
/** The benchmarks there are. @return how many; @p infos_out may be NULL. */
size_t weir_bench_list(const weir_bench_info **infos_out);

/** Run one benchmark on the devices of a context (GPUs, host devices or simulated ones). Queues are
 *  held until everything is enqueued, time is taken by the device, results are compared byte by byte.
 *  @retval WEIR_ERR_INVALID  no such benchmark.  @retval WEIR_ERR_VERIFY  bytes arrived wrong.
 *  @par Blocks  until it is done; seconds. One benchmark at a time for a context, and nothing else in the
 *  queues of its host or simulated devices if it may be cancelled: that is dropped too. */
weir_status weir_bench_run(weir_context *context, const char *name, const weir_bench_config *config,
                           weir_bench_table **table_out);
/** NULL is fine. */
void weir_bench_table_destroy(weir_bench_table *table);

/** The machine of @p context with measured bandwidths and latencies of all pairs, host links and
 *  local memory in it, and measured overheads. A benchmark, as weir_bench_run() has them. */
weir_status weir_machine_measure(weir_context *context, const weir_bench_config *config,
                                 weir_machine **machine_out);

#ifdef __cplusplus
}
#endif
#endif
