/** @file cc_cells.h  Connected components in two dimensions: what the kernel of a device is given, and the phases before its rounds, in the
 * dialect. The rounds are in cc_cells_round.h.
 *
 * Devices stand in a grid (algorithms/common/cell.h), and each has the arcs that lead from the vertices of its column to those of its row.
 * Arcs are looked at once, and no array has an element for each vertex of the graph:
 *
 *     LINK     along arcs: the tails of a cell are joined to trees (cc_forest.h), two that lead to the same head in one. A head is no
 *              node of these trees; it has a *representative*, the tail that met it first
 *     MERGE    along columns, whose devices have trees over the same places: each joins the trees of another one to its own, ceil(log2 R)
 *              times, of the device 1, 2, 4 ... rows on (dissemination; joining twice does no harm). Then all of a column have the same trees
 *     FOLD     along rows: a head's owner is told the root of its representative, by each other column. That is a *link*: the vertex and
 *              this root are of one component
 *     rounds   over links alone, after Shiloach and Vishkin as in FastSV (Zhang, Azad, Hu, "FastSV: a distributed-memory connected
 *              component algorithm with fast convergence", arXiv 1910.05971) and LACC (Azad, Buluc, IPDPS 2019), which work on a grid too:
 *              the larger one of a link's two roots hangs under the smaller one, then paths become stars. A link whose ends have one root is
 *              done with
 *     LABEL    the id of the root
 *
 * A root of a column has a label, the number of a root above it in any column; all devices of the column keep it, with the same value
 * behind each round. So device (i, j) finds the label of any number in its own row: at (i, column of the number). This is what lets
 * paths be followed with the C - 1 others of the row alone. */
#ifndef WEIR_ALGORITHMS_CC_CC_CELLS_H
#define WEIR_ALGORITHMS_CC_CC_CELLS_H

#include "algorithms/cc/cc_forest.h"
#include "algorithms/common/cell.h"
#include "worklist/steps.h"

#define CC_CELLS_ARCS   256u  /* of a chunk that a worker takes */
#define CC_CELLS_CLIMBS 64u   /* steps of a path between two barriers, at most */
#define CC_CELLS_FILTER 4096u /* pairs that are remembered; a power of two */

/** Phases whose times are kept. */
enum cc_cells_phase {
    CC_CELLS_LINK = 0,
    CC_CELLS_MERGE,
    CC_CELLS_FOLD,
    CC_CELLS_PROPOSE,
    CC_CELLS_HOOK,
    CC_CELLS_FLATTEN,
    CC_CELLS_LABEL,
    CC_CELLS_PHASES
};

/** Numbers for the host in weir_steps_page.result. */
enum cc_cells_result {
    CC_CELLS_RESULT_ROUNDS = 0, /* by block 0 */
    CC_CELLS_RESULT_EXPAND_BYTES, /* that came or went along the column; sums of all threads, as the next two */
    CC_CELLS_RESULT_FOLD_BYTES, /* along the row */
    CC_CELLS_RESULT_LINKS,      /* between trees of two columns, in the first round */
    CC_CELLS_RESULT_NS,         /* of each phase */
    CC_CELLS_RESULT_STEPS = CC_CELLS_RESULT_NS + CC_CELLS_PHASES,
    CC_CELLS_RESULT_END = CC_CELLS_RESULT_STEPS + CC_CELLS_PHASES
};

/** The arguments of the kernel. Arrays "by place" have an element for each vertex of the column, "by local row" one for each of the row. */
struct cc_cells_args {
    struct weir_steps_member member;
    weir_rows_part rows; /* out: the arcs of a place (cell.h) */
    struct weir__cell cell;
    uint32_t *trees
        [WEIR_DEVICES_MAX]; /* [device]: two arrays by place, one behind the other: parents, which are
                                          places; when the trees are complete the other array has labels, numbers */
    uint32_t
        *representative; /* by local row: a place; CC_NONE: no arc has led there; relaxed dev */
    uint32_t *
        next; /* by place: the least number that the root shall hang under; CC_NONE: none; relaxed dev */
    uint32_t *changed; /* places that have one; `room` of them */
    uint32_t *changes; /* how many, or more than there was room for; relaxed dev */
    uint32_t *inbox
        [WEIR_DEVICES_MAX]; /* [from]: of one of the row links by own row, numbers or CC_NONE; behind
                                           them, and of one of the column, `room` hooks */
    uint32_t *outbox[WEIR_DEVICES_MAX]; /* [to]: the inbox of that device for this one */
    uint64_t *filter; /* CC_CELLS_FILTER pairs, by what they hash to; relaxed dev */
    uint32_t *gaps;   /* by device: its numbers less the ids of its vertices */
    uint32_t *label;  /* by row */
    uint32_t merges;  /* along the column */
    uint32_t room; /* hooks that a device may tell another one in a round, and that it may begin */
};

/** What the threads of a block share. */
struct cc_cells_shared {
    uint64_t count[2]; /* for sums 1 and 2 of the next barrier */
    uint64_t since_ns; /* of block 0 */
    struct weir_steps_inboxes inboxes;
};

/** What a thread counts. */
struct cc_cells_tally {
    uint64_t expand, fold, links; /* bytes, bytes, links */
};

/* The first device of a column has its first number. */
WEIR_DEV uint32_t cc_cells_begin(const struct cc_cells_args *a, uint32_t column)
{
    return a->rows.first[column * a->cell.rows];
}

/** One of the two arrays of a device. @param[in] which  taken modulo 2. */
WEIR_DEV uint32_t *cc_cells_array(const struct cc_cells_args *a, uint32_t device, uint32_t which)
{
    const uint32_t column = device / a->cell.rows;
    const uint32_t width = cc_cells_begin(a, column + 1) - cc_cells_begin(a, column);
    return a->trees[device] + (which & 1u ? width : 0);
}

/** The complete trees of this device: of each place its root. */
WEIR_DEV uint32_t *cc_cells_roots(const struct cc_cells_args *a)
{
    return cc_cells_array(a, a->member.index, a->merges);
}

/** The labels that a device keeps. */
WEIR_DEV uint32_t *cc_cells_labels(const struct cc_cells_args *a, uint32_t device)
{
    return cc_cells_array(a, device, a->merges + 1u);
}

/** The place of the device's own row 0. */
WEIR_DEV uint32_t cc_cells_own(const struct cc_cells_args *a)
{
    return a->rows.begin - a->cell.begin;
}

/** Numbers that a device owns, with the gap behind them. */
WEIR_DEV uint32_t cc_cells_stretch(const struct cc_cells_args *a, uint32_t device)
{
    return a->rows.first[device + 1] - a->rows.first[device];
}

/* ---- LINK ------------------------------------------------------------------------------------ */

/** Before a run. */
WEIR_COLD void cc_cells_start(const struct cc_cells_args *a, struct weir_steps_block b)
{
    const uint32_t own = a->cell.first[a->cell.column], end = a->cell.first[a->cell.column + 1];
    uint32_t *tree = cc_cells_array(a, a->member.index, 0);
    const uint64_t me = weir_steps_thread(&b), threads = weir_steps_threads(&b);
    WEIR_ROLLED
    for (uint64_t place = me; place < a->cell.width; place += threads) {
        tree[place] = (uint32_t)place;
        a->next[place] = CC_NONE;
    }
    WEIR_ROLLED
    for (uint64_t row = me; row < a->cell.first[a->cell.columns]; row += threads)
        a->representative[row] =
            row >= own && row < end ? cc_cells_own(a) + (uint32_t)row - own : CC_NONE;
    WEIR_ROLLED
    for (uint64_t i = me; i < CC_CELLS_FILTER; i += threads)
        a->filter[i] = UINT64_MAX;
    if (me == 0)
        *a->changes = 0;
}

/** The place whose arc it is; not before @p place. Steps double until they are too long, and are halved then. */
WEIR_DEV uint32_t cc_cells_place(const struct cc_cells_args *a, uint32_t place, uint64_t arc)
{
    const uint64_t *offsets = a->rows.out.offsets;
    const uint64_t width = a->cell.width;
    uint64_t at = place, step = 1;
    WEIR_ROLLED
    while (at + step < width && offsets[at + step] <= arc) {
        at += step;
        step *= 2;
    }
    WEIR_ROLLED
    for (; step; step /= 2)
        if (at + step < width && offsets[at + step] <= arc)
            at += step;
    return (uint32_t)at;
}

WEIR_DEV void cc_cells_arc(const struct cc_cells_args *a, uint32_t *tree, uint32_t place,
                           uint32_t head)
{
    struct cc_hook hook;
    uint32_t met = weir_load_relaxed_dev_u32(&a->representative[head]);
    if (met == CC_NONE)
        met = cc_swap(&a->representative[head], CC_NONE, place);
    if (met != CC_NONE && met != place)
        (void)cc_join(tree, place, met, 1, &hook);
}

/** A worker takes chunks of arcs, whatever rows they are of. */
WEIR_COLD void cc_cells_link(const struct cc_cells_args *a, struct weir_steps_block b)
{
    const uint64_t arcs = a->rows.arcs_out, workers = weir_steps_threads(&b) / WEIR_LANES;
    uint32_t *tree = cc_cells_array(a, a->member.index, 0);
    WEIR_ROLLED
    for (uint64_t chunk = weir_steps_warp(&b); chunk * CC_CELLS_ARCS < arcs; chunk += workers) {
        const uint64_t first = chunk * CC_CELLS_ARCS;
        const uint64_t end = first + CC_CELLS_ARCS < arcs ? first + CC_CELLS_ARCS : arcs;
        uint32_t place = 0;
        WEIR_ROLLED
        for (uint64_t arc = first + weir_lane(); arc < end; arc += WEIR_LANES) {
            place = cc_cells_place(a, place, arc);
            cc_cells_arc(a, tree, place, a->rows.out.targets[arc]);
        }
    }
}

/* ---- MERGE ----------------------------------------------------------------------------------- */

/** Parents become roots, in @p tree and, if there is one, in @p copy. Nobody joins meanwhile. */
WEIR_COLD void cc_cells_settle(const struct cc_cells_args *a, struct weir_steps_block b,
                               uint32_t *tree, uint32_t *copy)
{
    WEIR_ROLLED
    for (uint64_t place = weir_steps_thread(&b); place < a->cell.width;
         place += weir_steps_threads(&b)) {
        const uint32_t root = cc_root(tree, (uint32_t)place, CC_NONE);
        weir_store_relaxed_dev_u32(&tree[place], root);
        if (copy)
            copy[place] = root;
    }
}

/** The trees of another device of the column, which stand still, are joined to this one's. */
WEIR_COLD void cc_cells_merge(const struct cc_cells_args *a, struct weir_steps_block b,
                              uint32_t number, struct cc_cells_tally *t)
{
    const uint32_t row = (a->cell.row + (1u << number)) % a->cell.rows;
    const uint32_t *from =
        cc_cells_array(a, weir__cell_device(&a->cell, row, a->cell.column), number);
    uint32_t *tree = cc_cells_array(a, a->member.index, number + 1);
    struct cc_hook hook;
    WEIR_ROLLED
    for (uint64_t place = weir_steps_thread(&b); place < a->cell.width;
         place += weir_steps_threads(&b)) {
        const uint32_t root = from[place];
        t->expand += sizeof *from;
        if (root != place)
            (void)cc_join(tree, (uint32_t)place, root, 1, &hook);
    }
}

/* ---- FOLD ------------------------------------------------------------------------------------ */

/** Roots of a column have themselves as labels, and the owners of heads are told of the roots of their tails. */
WEIR_COLD void cc_cells_fold(const struct cc_cells_args *a, struct weir_steps_block b,
                             struct cc_cells_tally *t)
{
    const struct weir__cell *cell = &a->cell;
    uint32_t *root = cc_cells_roots(a), *label = cc_cells_labels(a, a->member.index);
    const uint64_t me = weir_steps_thread(&b), threads = weir_steps_threads(&b);
    WEIR_ROLLED
    for (uint64_t place = me; place < cell->width; place += threads)
        label[place] = cell->begin + (uint32_t)place;
    WEIR_ROLLED
    for (uint32_t column = 0; column < cell->columns; column++) {
        const uint32_t first = cell->first[column], count = cell->first[column + 1] - first;
        if (column == cell->column)
            continue;
        uint32_t *to = a->outbox[weir__cell_device(cell, cell->row, column)];
        WEIR_ROLLED
        for (uint64_t row = me; row < count; row += threads) {
            const uint32_t met = a->representative[first + row];
            to[row] = met == CC_NONE ? CC_NONE : cell->begin + root[met];
            t->fold += sizeof *to;
        }
    }
}

/* ---- LABEL ----------------------------------------------------------------------------------- */

/** Ids ascend with numbers: the root of a tree is its smallest id. */
WEIR_COLD void cc_cells_label(const struct cc_cells_args *a, struct weir_steps_block b)
{
    const uint32_t *root = cc_cells_roots(a) + cc_cells_own(a);
    const uint32_t *label = cc_cells_labels(a, a->member.index);
    WEIR_ROLLED
    for (uint64_t row = weir_steps_thread(&b); row < a->rows.owned; row += weir_steps_threads(&b)) {
        const uint32_t number = label[root[row]];
        a->label[row] = number - a->gaps[weir_steps_owner(a->rows.first, number)];
    }
}

#endif
