/** @file steps.h  Supersteps: one resident kernel a device, with barriers over all devices inside it
 * (bulk synchronous parallel). Not installed.
 *
 * For algorithms that go on in step and know what all of them did before the next step: level by level,
 * iteration by iteration. The host starts a kernel on each device and waits for all of them; between two
 * steps nothing goes over the host. The body of the kernel is written once, in the dialect: a *block* is a
 * thread block of a GPU or a worker thread of a host device, and all blocks of all devices are resident
 * together, since they wait for each other.
 *
 *     WEIR_DEV void NAME_body(const struct NAME_args *args, struct NAME_shared *shared,
 *                             struct weir_steps_block *block);
 *
 * where `struct NAME_args` begins with a struct weir_steps_member, is at most 4000 bytes and is passed by
 * value, and `struct NAME_shared` is memory of a block, undefined at first. NAME_host.c includes the body and
 * steps_host_tmpl.h, NAME_cuda.cu the body and steps_cuda_tmpl.cuh, both with WEIR_STEPS defined to NAME; that
 * makes `const weir_steps_program weir__NAME_program`.
 *
 * What a body calls: steps/barrier.h, steps/sleep.h; the words behind it: steps/words.h. Here is the host's side. */
#ifndef WEIR_WORKLIST_STEPS_H
#define WEIR_WORKLIST_STEPS_H

#include "worklist/steps/sleep.h"

/** A body, compiled for both kinds of devices. */
typedef struct weir_steps_program {
    const char *name;
    weir_kernel kernel;
    int (*load)(void); /* loads the kernel on the current GPU; NULL without CUDA */
    size_t args_bytes;
} weir_steps_program;

typedef struct weir_steps weir_steps; /* long-lived; one run at a time */

/** Whether bodies can run on the first `devices` devices of a context together: all host devices, or all
 *  GPUs that reach each other.
 *  @retval WEIR_ERR_UNSUPPORTED  with a sentence why not.
 *  @retval WEIR_ERR_INVALID      @p devices is 0, or more than the context has. */
weir_status weir_steps_possible(const weir_context *context, uint32_t devices);
/** @param[in] devices  the first so many of the context take part.
 *  @param[in] time_limit_ms  of a run; 0: none.
 *  @retval WEIR_ERR_UNSUPPORTED, WEIR_ERR_INVALID  weir_steps_possible().  @retval WEIR_ERR_NOMEM */
weir_status weir_steps_create(weir_context *context, uint32_t devices,
                              const weir_steps_program *program, uint32_t time_limit_ms,
                              weir_steps **bsp_out);
/** The arguments that device's kernel will be started with: program->args_bytes in host memory, zero but for
 *  the member at its beginning. Fill in the rest before a run. */
void *weir_steps_args(weir_steps *bsp, uint32_t device);
/** Start all kernels and wait for all.
 *  @param[out] ms_out  from before the first start to the end of the last kernel.
 *  @retval WEIR_ERR_TIMEOUT, WEIR_ERR_CANCELLED, WEIR_ERR_DEVICE  the object may only be destroyed.
 *  @par Blocks  until done. */
weir_status weir_steps_run(weir_steps *bsp, double *ms_out);
/** What the body of a device left in weir_steps_page.result; WEIR_STEPS_RESULTS values, of the last run;
 *  0 before the first. */
const uint64_t *weir_steps_results(const weir_steps *bsp, uint32_t device);
/** What weir_steps_page.tell[to] of device @p from was in the end; 0 before the first run. */
uint64_t weir_steps_tells(const weir_steps *bsp, uint32_t from, uint32_t to);
/** A queue of the device: for copies and fills between runs. */
weir_queue *weir_steps_queue(const weir_steps *bsp, uint32_t device);
/** Stop a run, or the next one; it returns WEIR_ERR_CANCELLED. Any thread. */
void weir_steps_cancel(weir_steps *bsp);
/** NULL is fine. */
void weir_steps_destroy(weir_steps *bsp);

#endif
