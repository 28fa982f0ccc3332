/** @file row_steps.h  An algorithm in supersteps over a graph that is placed by rows: what the host's side of all of
 * them has in common. Not installed.
 *
 * The algorithm gives a step program (worklist/steps.h), says which field of the kernel's arguments takes the rows
 * and which array has the values, and keeps the rest to itself: what depends on its options, what it does before a
 * run, what it counts. From that this file checks whether the devices and the memory suffice, places the rows, takes
 * the arrays, runs, fills the statistics that all have, and hands out values. algorithms/bfs/bfs_in_step.c is an example. */
#ifndef WEIR_ALGORITHMS_COMMON_ROW_STEPS_H
#define WEIR_ALGORITHMS_COMMON_ROW_STEPS_H

#include "algorithms/common/cell.h"
#include "algorithms/common/need.h"
#include "algorithms/common/values_op.h"
#include "algorithms/rows.h"
#include "worklist/steps.h"

struct weir__row_steps;

/** What an algorithm says of itself: one const object. */
struct weir__row_form {
    const weir_steps_program *program;
    size_t
        rows; /**< offsetof(struct NAME_args, ...) of a weir_rows_part; set when arrays are taken */
    size_t halo; /**< offsetof() of a weir_rows_halo, for which rows are then asked; 0: none */
    const char *
        values; /**< the array of results: one an owned number, or one for each number of all devices; or,
                     counted, one for each local number of the halo */
    weir_value_kind kind;
    enum values_form gathered; /**< as what the values come to the host */
    const char *tree; /**< an array of numbers that comes as vertices, if it is taken; NULL: none */
    /** What arrays of extent WEIR_STEPS_COUNTED take, as far as they are written to, and what the host needs for a
     *  while; other arrays are counted by their extents. May be NULL. */
    void (*need)(const struct weir__sizes *sizes, const void *user, struct weir__need *need);
    /** Called when the rows are placed and no array is taken: sets what the table's counts depend on, and refuses
     *  what is too large. It may set on->form to another form, whose table and fields are the same and whose kernel fits
     *  what the rows turned out to be. May be NULL. */
    weir_status (*placed)(struct weir__row_steps *on, void *user);
    /** Rows are placed by cells of two dimensions (cell.h), as the partition says; its config asks for nothing beside out-arcs. */
    int cells;
};

/** The first member of an algorithm's object. One thread at a time; a cancel from any. */
struct weir__row_steps {
    const struct weir__row_form *form;
    weir_context *context; /**< kept */
    weir_rows *rows;
    weir_steps *steps;
    uint32_t parts;
    uint64_t vertices;
};

/** Place a graph and take the arrays.
 *  @param[out]    on      zero before; to be destroyed after a failure as well.
 *  @param[in]     config  how rows are to be placed; what is reserved beside them is found here.
 *  @param[in]     user    for the functions of the form and the counts of its table; not kept.
 *  @retval WEIR_ERR_UNSUPPORTED  these devices cannot run in step.
 *  @retval WEIR_ERR_NOMEM        with a sentence that says what is missing. */
weir_status weir__row_steps_create(struct weir__row_steps *on, const struct weir__row_form *form,
                                   weir_context *context, const weir_graph *graph,
                                   const weir_partition *partition, const weir_run_options *options,
                                   const weir_rows_config *config, void *user);
/** weir_rows_part of a device. */
const weir_rows_part *weir__row_steps_part(const struct weir__row_steps *on, uint32_t device);
/** Numbers that a device owns, with the gap behind them. */
uint64_t weir__row_steps_stretch(const struct weir__row_steps *on, uint32_t device);
/** Where a device stands in the grid; of rows that are placed by cells. */
struct weir__cell weir__row_steps_cell(const struct weir__row_steps *on, uint32_t device);
/** weir_steps_take(), where there is memory for it. @retval WEIR_ERR_NOMEM  with a sentence that names the array. */
weir_status weir__row_steps_take(struct weir__row_steps *on, const char *array);
/** Run, and say what all programs can: the time of kernels, devices, phases, supersteps as the sum of those of the
 *  phases, items sent as the sum of weir_steps_tells().
 *  @param[out] stats_out  set as a whole. */
weir_status weir__row_steps_run(struct weir__row_steps *on, weir_run_stats *stats_out);
/** What statistics of any run in step say was picked. */
void weir__row_steps_picked(const struct weir__row_steps *on, weir_run_stats *stats);
/** Mark whose arcs come to the rows of a part, but for the part's own: a bit a number, found by its device.
 *  @param[in]     rows  with in-arcs.
 *  @param[in,out] bits  words for 32 numbers each, and one behind them; 0 before. */
weir_status weir__rows_mark_tails(const weir_rows *rows, uint32_t part, uint32_t *bits);
/** An array of one element an owned number, or a number, brought to the host in the order of vertices. */
weir_status weir__row_steps_gather(const struct weir__row_steps *on, const char *array,
                                   void *values_out);
/** The same of an array of 4 bytes an element, each of which becomes 8 (weir__gather_wide()). */
weir_status weir__row_steps_gather_wide(const struct weir__row_steps *on, const char *array,
                                        enum values_form form, void *values_out);
/** As weir_bfs_values() and its like, after a complete run. */
weir_status weir__row_steps_values(const struct weir__row_steps *on, uint32_t device,
                                   weir_values *values_out);
/** As weir_bfs_link_items() and its like: weir_steps_tells() between two devices of the run, else 0.
 *  @retval WEIR_ERR_INVALID  no such devices. */
weir_status weir__row_steps_link_items(const struct weir__row_steps *on, uint32_t from, uint32_t to,
                                       uint64_t *items_out);
/** Nothing happens where nothing was created. */
void weir__row_steps_destroy(struct weir__row_steps *on);

#endif
