/** @file partners.h  Kernels of several GPUs that wait for each other, or for the CPU. */
#ifndef WEIR_TOPOLOGY_MEASURE_PARTNERS_H
#define WEIR_TOPOLOGY_MEASURE_PARTNERS_H

#include "topology/measure/work.h"

/** Words of page-locked memory between two that are written by different sides: a cache line. */
#define WEIR__LINE 32

/** Each partner is a resident kernel of one device. A kernel that waits in vain ends at the stop
 *  word, or after half of config.limit_ms; then the run fails with WEIR_ERR_TIMEOUT. */
struct partners {
    struct bench *bench;
    uint32_t count;
    uint32_t device[WEIR_DEVICES_MAX];
    uint32_t *flags[WEIR_DEVICES_MAX]; /* of each device: a flag a line, written by others */
    uint32_t *words; /* of the home memory, a line each: stop, failed, two flags */
    struct weir__patience patience;
    uint32_t base; /* value of the flags: rounds so far */
    struct region region;
};

/** Put partner @p i's kernel into its queue, for rounds base + 1 to base + @p rounds. */
typedef weir_status (*weir__partner_fn)(struct partners *partners, uint32_t i, uint32_t rounds);

/** Take flags and queues, and load the kernels by running no rounds of them. */
weir_status weir__partners_open(struct partners *partners, struct bench *bench,
                                const uint32_t *devices, uint32_t count, weir__partner_fn launch);
/** Fine after a failed open. */
void weir__partners_close(struct partners *partners);

/** Start all kernels together, wait for them.
 *  @retval WEIR_ERR_TIMEOUT  one waited in vain. */
weir_status weir__partners_run(struct partners *partners, weir__partner_fn launch, uint32_t rounds,
                               double *ms_out);
/** Have all kernels end soon. */
void weir__partners_stop(struct partners *partners);
/** Whether a kernel gave up. @return WEIR_OK or WEIR_ERR_TIMEOUT. */
weir_status weir__partners_judge(const struct partners *partners);

#endif
