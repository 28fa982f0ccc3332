/** @file work.h  Kernels that are timed by the benchmarks, and whose results are checked.
 *
 * The benchmarks of kernels (access.c, memory.c, atomics.c, flags.c, launch.c) share these: a *work*
 * runs on one device, a *target* is the memory it works on. */
#ifndef WEIR_TOPOLOGY_MEASURE_WORK_H
#define WEIR_TOPOLOGY_MEASURE_WORK_H

#include "topology/measure/kernels.h"
#include "topology/measure/measure.h"

/** Working sets are this many times config.bytes where bandwidth is measured, so that no cache holds
 *  them: 2 GB instead of 100 MB. */
#define WEIR__BEYOND_CACHES 20

/** No working set is made smaller than this for lack of memory: it would be a cache that is measured.
 *  More than twice the L2 of 60 MiB of the largest GPUs; a few times that of a core. */
#define WEIR__LEAST_GPU  ((uint64_t)128 << 20)
#define WEIR__LEAST_HOST ((uint64_t)1 << 20)

/** A device that runs kernels, its timed region, and a word they add to. Opening it loads every kernel:
 *  CUDA loads one when it is first launched, which may wait for streams that are held. */
struct work {
    struct bench *bench;
    uint32_t device;
    struct region region;
    uint64_t *sum, *answer; /* of the device; of the home memory */
};
weir_status weir__work_open(struct work *work, struct bench *bench, uint32_t device);
/** Fine after a failed open. */
void weir__work_close(struct work *work);

/** Who fills and checks memory of @p device for @p work: peer access can be reported and still lose
 *  writes, which the writer's own mapping need not show.
 *  @param[in] room  opened for it if @p device is another one; closed with weir__work_close().
 *  @param[out] owner_out  @p work itself, or @p room. */
weir_status weir__owner_open(struct work *work, uint32_t device, struct work *room,
                             struct work **owner_out);

/** Clear the sum, run one kernel, wait.
 *  @param[out] ms_out   NULL: it is not timed.
 *  @param[out] sum_out  NULL: nobody asks. */
weir_status weir__work_run(struct work *work, const weir_kernel *kernel, const void *args,
                           size_t args_bytes, double *ms_out, uint64_t *sum_out);
/** Fill memory that the device reaches: word i (8 bytes) gets seed + i * step. */
weir_status weir__work_fill(struct work *work, void *data, uint64_t bytes, uint64_t seed,
                            uint64_t step);
/** @retval WEIR_ERR_VERIFY  a word is not seed + i * step. */
weir_status weir__work_check(struct work *work, const void *data, uint64_t bytes, uint64_t seed,
                             uint64_t step, const char *what);
/** WEIR_OK if equal; WEIR_ERR_VERIFY, naming @p what and both numbers, if not. */
weir_status weir__work_same(const struct work *work, const char *what, uint64_t got,
                            uint64_t expected);

/** Memory of @p device, as much of @p bytes as there is: halved until it fits, but not below
 *  WEIR__LEAST_GPU or WEIR__LEAST_HOST. Multiple of 64. @retval WEIR_ERR_NOMEM  not even that. */
weir_status weir__work_memory(struct bench *bench, uint32_t device, uint64_t *bytes,
                              void **data_out);
/** The sum of the words of memory that was filled with this seed and step 1; an even number of words. */
uint64_t weir__filled_sum(uint64_t bytes, uint64_t seed);
/** The largest power of two words of 4 bytes in @p bytes. */
uint64_t weir__words_in(uint64_t bytes);

/** A memory as device 0 sees it. */
struct target {
    const char *what; /* "own memory", "NVLink peer": see weir__peer_kind() */
    uint32_t device;  /* bench->devices: the home memory */
    int atomics;      /* device 0 has atomics on it */
    int system;       /* in system scope: they hold against the memory's owner, too */
};
#define PEERS_MAX   6
#define TARGETS_MAX (PEERS_MAX + 2)
/** Device 0's own memory, one peer for each kind of way there is to one, and the home memory.
 *  @return how many. */
uint32_t weir__targets_find(const struct bench *bench, struct target targets[TARGETS_MAX]);
/** Only the peers, whose flags device 0 can write and which can write its own. @return how many.
 *  @param[out] peers  PEERS_MAX of them. */
uint32_t weir__peers_find(const struct bench *bench, struct target *peers);
/** The kind of way from one device to another, by the path: "NVLink peer", "NVSwitch peer", "same
 *  board" (both below one switch, or joined), "other board" (below one host), "other socket", "peer
 *  in host memory". */
const char *weir__peer_kind(const weir_machine *machine, uint32_t from, uint32_t to);

/** Leave the table empty where the machine is simulated. @return whether it is. */
int weir__skip_simulated(struct bench *bench);
/** Whether a device of the context is a GPU. */
int weir__is_gpu(const struct bench *bench, uint32_t device);

#endif
