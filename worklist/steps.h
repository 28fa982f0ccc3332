/** @file steps.h  Supersteps: programs whose devices take every step together (bulk synchronous parallel, BSP; Valiant,
 * CACM 1990). docs/steps.md is a tutorial, from a serial loop to several GPUs; its program is examples/15_kcore.c.
 * docs/design.md "Supersteps" tells how they work; algorithms/bfs/bfs_in_step.c has a larger table.
 *
 * For algorithms that must know a step complete before the next one begins: level by level, iteration by
 * iteration. A *step program* works on *numbers*, 0 to n - 1, that are cut into one stretch a device. The host
 * starts one kernel on each device and waits for all; between two supersteps nothing goes over the host. A
 * *block* is a thread block of a GPU or a worker thread of a host device, and all blocks of all devices are
 * resident together, since they wait for each other at barriers.
 *
 * A program is a *body*, the text of the kernel, and a table of its arrays, weir_steps_program. From the table the
 * host allocates, tells every kernel where its arrays and those of its peers are, and resets them before a run.
 * The body is written once, in the dialect:
 *
 *     WEIR_DEV void NAME_body(const struct NAME_args *args, struct NAME_shared *shared,
 *                             struct weir_steps_block *block);
 *
 * where `struct NAME_args` begins with `struct weir_steps_member member`, has at most WEIR_STEPS_ARGS_MAX bytes and
 * is passed by value, and `struct NAME_shared` is memory that the threads of a block share, undefined at first. One
 * .c file includes the body and steps_host_tmpl.h, one .cu file the body and steps_cuda_tmpl.cuh, both with
 * WEIR_STEPS defined to NAME; that makes `const weir_steps_body weir__NAME_steps`.
 *
 * A body returns when a barrier tells it to, or behind a barrier of all devices at which block 0 of its device has waited.
 * From that barrier on other devices must not write to the words of the device, which are cleared for the next run.
 *
 * What a body calls: steps/barrier.h (barriers with sums), steps/inbox.h (items for other devices), steps/frontier.h (a queue
 * of rows with both of these), steps/sleep.h (blocks that a step does not need), steps/owner.h (who owns a number), steps/clock.h
 * (times of phases). Here is the host's side. */
#ifndef WEIR_WORKLIST_STEPS_H
#define WEIR_WORKLIST_STEPS_H

#include "worklist/steps/clock.h"
#include "worklist/steps/frontier.h"
#include "worklist/steps/inbox.h"
#include "worklist/steps/owner.h"
#include "worklist/steps/sleep.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most bytes of a kernel's arguments. */
#define WEIR_STEPS_ARGS_MAX 4000u

/** A body, compiled for both kinds of devices; made by steps_host_tmpl.h. */
typedef struct weir_steps_body {
    uint32_t engine; /**< WEIR_ENGINE_VERSION that it was compiled with */
    const char *name;
    weir_kernel kernel;
    weir_kernel
        epilogue; /**< runs on each device behind the body; its name is NULL if there is none */
    int (*load)(void); /**< loads the kernels on the current GPU; NULL without CUDA */
    size_t args_bytes;
    int no_reset; /**< compiled with WEIR_STEPS_NO_RESET: no array is filled or copied before a run */
} weir_steps_body;

/** How many elements an array has on a device. */
typedef enum weir_steps_extent {
    WEIR_STEPS_ONE = 0, /**< one */
    WEIR_STEPS_DEVICES, /**< one for each device that takes part */
    WEIR_STEPS_NUMBERS, /**< one for each number of all devices: a replicated array */
    WEIR_STEPS_OWNED,   /**< one for each number that the device owns */
    WEIR_STEPS_WORDS, /**< one for each 32 numbers of all devices: a bitmap, with elements of 4 bytes */
    WEIR_STEPS_COUNTED /**< as weir_steps_array.count says */
} weir_steps_extent;

/** Whose arrays a kernel is told of. */
typedef enum weir_steps_holding {
    WEIR_STEPS_PRIVATE = 0, /**< its own: the field is a pointer */
    WEIR_STEPS_SHARED, /**< every device's: the field is an array of WEIR_DEVICES_MAX pointers, by device */
    WEIR_STEPS_INBOXES /**< one array for each sender: the field is an array of pointers by sender, and the
                                 outbox field one by receiver, to the inboxes that are there for this device */
} weir_steps_holding;

/** What an array holds when a run begins. */
typedef enum weir_steps_first {
    WEIR_STEPS_KEPT = 0,    /**< what was left there; undefined at first */
    WEIR_STEPS_FILLED_ONCE, /**< what was left there; bytes of @c fill at first */
    WEIR_STEPS_FILLED,      /**< bytes of @c fill */
    WEIR_STEPS_COPIED       /**< a copy of the array named in @c from */
} weir_steps_first;

/** An array of a program on each device. */
typedef struct weir_steps_array {
    const char *name; /**< for sentences, and for weir_steps_data() */
    weir_steps_extent extent;
    weir_steps_holding holding;
    weir_steps_first first;
    uint32_t bytes; /**< of an element */
    uint32_t more;  /**< elements beyond the extent */
    uint8_t fill;   /**< WEIR_STEPS_FILLED and _FILLED_ONCE: the value of each byte */
    const char
        *from;     /**< WEIR_STEPS_COPIED: an array before this one, of the same extent and size */
    size_t field;  /**< where the pointers lie in the arguments: offsetof(struct NAME_args, ...) */
    size_t outbox; /**< WEIR_STEPS_INBOXES: the other field */
    /** WEIR_STEPS_COUNTED: elements on a device; of inboxes, of the one for @p sender, and not asked for a device's
     *  own. Where elements and `more` are 0 no memory is taken, and the pointer stays NULL. Other extents may have a
     *  function too: an array for which it returns 0 is left out on that device, and what else it returns is not
     *  looked at; weir_steps_take() takes it later. */
    uint64_t (*count)(const void *user, uint32_t device, uint32_t sender);
    /** WEIR_STEPS_FILLED: how many of the first elements a run may write to, at most; the others are filled once, and
     *  no time is spent on them in a run. NULL: all. */
    uint64_t (*written)(const void *user, uint32_t device);
} weir_steps_array;

/** A phase that block 0 of each device keeps the time of, as the body books it. */
typedef struct weir_steps_phase {
    const char *name;
    uint32_t ns;    /**< index of weir_steps_page.result: nanoseconds */
    uint32_t steps; /**< of the supersteps of the phase */
} weir_steps_phase;

/** A step program: one const object. */
typedef struct weir_steps_program {
    const char *what; /**< "breadth-first search", for sentences */
    const weir_steps_body *body;
    const weir_steps_array *arrays;
    uint32_t array_count;
    const weir_steps_phase *phases;
    uint32_t phase_count;
} weir_steps_program;

/** The numbers, and who owns them; a plain value. Device d owns first[d] to first[d] + owned[d] - 1; numbers between
 *  that and first[d + 1] belong to it and stand for nothing. first[devices] is how many numbers there are. Where
 *  bitmaps are shared, first[d] is a multiple of 32. */
typedef struct weir_steps_domain {
    uint32_t devices; /**< the first so many of the context take part */
    uint32_t first[WEIR_DEVICES_MAX + 1];
    uint32_t owned[WEIR_DEVICES_MAX];
} weir_steps_domain;

typedef struct weir_steps weir_steps; /**< a program on devices; long-lived; one run at a time */

/** What a run took. */
typedef struct weir_steps_times {
    size_t size; /**< sizeof(weir_steps_times), set by WEIR_STEPS_TIMES_INIT */
    double
        kernel_ms; /**< from before the first kernel starts to the end of the last body, less reset_ms */
    double reset_ms; /**< the longest that a device took to reset its arrays, inside its kernel */
} weir_steps_times;
/** weir_steps_times: nothing filled in yet. */
#define WEIR_STEPS_TIMES_INIT          \
    {                                  \
        sizeof(weir_steps_times), 0, 0 \
    }

/** Whether bodies can run on the first `devices` devices of a context together: all host devices, or all
 *  GPUs that reach each other.
 *  @retval WEIR_ERR_UNSUPPORTED  with a sentence why not.
 *  @retval WEIR_ERR_INVALID      @p devices is 0, or more than the context has. */
weir_status weir_steps_possible(const weir_context *context, uint32_t devices);
/** Allocate the arrays of a program, in the order of the table, and tell the kernels of them.
 *  @param[in] program        kept: a const object, as a rule. @param[in] domain  copied.
 *  @param[in] user           for weir_steps_array.count; not kept.
 *  @param[in] time_limit_ms  of a run; 0: none.
 *  @retval WEIR_ERR_UNSUPPORTED, WEIR_ERR_INVALID  weir_steps_possible(); or the table or the domain is wrong, with
 *          a sentence that names the array.
 *  @retval WEIR_ERR_NOMEM  with a sentence that names the array. */
weir_status weir_steps_create(weir_context *context, const weir_steps_program *program,
                              const weir_steps_domain *domain, const void *user,
                              uint32_t time_limit_ms, weir_steps **steps_out);
/** The arguments that device's kernel will be started with: body->args_bytes in host memory. The member at the
 *  beginning and the fields of the table are set, the others 0: fill those in before a run. NULL: there is no such device. */
void *weir_steps_args(const weir_steps *steps, uint32_t device);
/** The numbers and their owners, as they were given; as long as @p steps. */
const weir_steps_domain *weir_steps_domain_of(const weir_steps *steps);
/** The context that the object was made in, and which it keeps. */
weir_context *weir_steps_context(const weir_steps *steps);
/** An array of a device, by name: memory of the device. Of inboxes it is that of sender 0. NULL: there is no such
 *  array or device, or the array has no elements there. */
void *weir_steps_data(const weir_steps *steps, const char *name, uint32_t device);
/** Take an array that its `count` left out when the program was created, on each device that has none: for what only some
 *  runs turn out to need. Between runs. Nothing happens where it is there already.
 *  @retval WEIR_ERR_INVALID  no such array, or it is counted, or reset before each run.
 *  @retval WEIR_ERR_NOMEM    no further device has it then, and this may be tried again. */
weir_status weir_steps_take(weir_steps *steps, const char *name);
/** Start all kernels and wait for all. Arrays are reset by the kernels themselves.
 *  @param[in,out] times_out  begins as WEIR_STEPS_TIMES_INIT; may be NULL.
 *  @retval WEIR_ERR_TIMEOUT, WEIR_ERR_CANCELLED, WEIR_ERR_DEVICE  the object may only be destroyed.
 *  @par Blocks  until done. */
weir_status weir_steps_run(weir_steps *steps, weir_steps_times *times_out);
/** What the body, and the epilogue, of a device left in weir_steps_page.result; WEIR_STEPS_RESULTS values, of the
 *  last run; 0 before the first. NULL: there is no such device. */
const uint64_t *weir_steps_results(const weir_steps *steps, uint32_t device);
/** One of these, added up over all devices; 0: there is no such result. */
uint64_t weir_steps_total(const weir_steps *steps, uint32_t result);
/** What weir_steps_page.tell[to] of device @p from was in the end; 0 before the first run, and of devices that there are not. */
uint64_t weir_steps_tells(const weir_steps *steps, uint32_t from, uint32_t to);
/** The time of a phase in the last run. @param[out] ms_out  of the device that took longest.
 *  @param[out] steps_out  supersteps of the phase. @return its name; NULL: there is no phase @p index. */
const char *weir_steps_phase_of(const weir_steps *steps, uint32_t index, double *ms_out,
                                uint64_t *steps_out);
/** A queue of the device: for copies and fills between runs. NULL: there is no such device. */
weir_queue *weir_steps_queue(const weir_steps *steps, uint32_t device);
/** Another time limit for the runs from now on, such as none for one that prepares others. Between runs.
 *  @param[in] time_limit_ms  of a run; 0: none. */
void weir_steps_limit(weir_steps *steps, uint32_t time_limit_ms);
/** Stop a run, or the next one; it returns WEIR_ERR_CANCELLED. Any thread. */
void weir_steps_cancel(weir_steps *steps);
/** NULL is fine. */
void weir_steps_destroy(weir_steps *steps);

#ifdef __cplusplus
}
#endif
#endif
