/** @file cc_cells.h  Connected components in two dimensions: what the kernel of a device is given, and its phases between arcs and rounds,
 * in the dialect. Arcs are linked in cc_cells_link.h, rounds are in cc_cells_round.h.
 *
 * Devices stand in a grid (algorithms/common/cell.h), and each has the arcs that lead from the vertices of its column to those of its row.
 * Arcs are looked at once at most, and no array has an element for each vertex of the graph:
 *
 *     LINK     (cc_cells_link.h) along arcs: the tails of a cell are joined to trees (cc_forest.h), two that lead to the same head in one. A head is no
 *              node of these trees; it has a *representative*, the tail that met it first or one above that
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

#define CC_CELLS_SAMPLES    512u /* places, and heads, that are looked at to find the largest tree */
#define CC_CELLS_CANDIDATES 16u  /* of them, whose trees may be it */
#define CC_CELLS_CLIMBS     64u  /* steps of a path between two barriers, at most */
#define CC_CELLS_FILTER     4096u /* pairs that are remembered; a power of two */

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
    /* That came or went along the column, and along the row; sums of all threads. */
    CC_CELLS_RESULT_EXPAND_BYTES,
    CC_CELLS_RESULT_FOLD_BYTES,
    CC_CELLS_RESULT_ARCS, /* that were looked at; a sum of all threads */
    CC_CELLS_RESULT_NS,   /* of each phase */
    CC_CELLS_RESULT_STEPS = CC_CELLS_RESULT_NS + CC_CELLS_PHASES,
    CC_CELLS_RESULT_END = CC_CELLS_RESULT_STEPS + CC_CELLS_PHASES
};

/** The arguments of the kernel. Arrays "by place" have an element for each vertex of the column, "by local row" one for each of the row. */
struct cc_cells_args {
    struct weir_steps_member member;
    weir_rows_part rows; /* out: the arcs of a place (cell.h) */
    struct weir__cell cell;
    /* [device]: two arrays by place, one behind the other. Parents, which are places; when the trees are complete the other array has
     * labels, which are numbers. */
    uint32_t *trees[WEIR_DEVICES_MAX];
    /* By local row: a place, or CC_NONE where no arc has led; relaxed dev. */
    uint32_t *representative;
    /* [device]: two counts, and two words for each two places, which are a list of pieces of long places in LINK and one of hooks while trees
     * are merged. In rounds, by place, the
     * least number that a root shall hang under; CC_NONE: none; relaxed dev. */
    uint32_t *next[WEIR_DEVICES_MAX];
    /* The places that have one, of which `room` are listed, and how many those are, or more than there was room for; before the rounds how
     * many pieces of long places there are; relaxed dev. */
    uint32_t *changed, *changes;
    /* [from]: a word that says how many links there are, a free one, links from a device of the row (cc_cells_links()), `room` hooks.
     * [to]: the inbox of that device for this one. */
    uint32_t *inbox[WEIR_DEVICES_MAX], *outbox[WEIR_DEVICES_MAX];
    uint64_t *filter; /* CC_CELLS_FILTER pairs, by what they hash to; relaxed dev */
    uint32_t *heads;  /* by column: own representatives of its heads; relaxed dev */
    uint32_t *listed; /* by column: those that FOLD has listed; relaxed dev */
    uint32_t *gaps;   /* by device: its numbers less the ids of its vertices */
    uint32_t *label;  /* by row */
    /* [device]: the root of the largest tree, or CC_NONE; whether each of CC_CELLS_SAMPLES places is in it, and whether the representative of
     * each of as many heads is. */
    uint32_t *sample[WEIR_DEVICES_MAX];
    uint32_t symmetric; /* each arc has its reverse */
    uint32_t firsts;    /* arcs of a place that are linked before a sample; 0: there is none */
    uint32_t merges;    /* along the column */
    uint32_t room;      /* hooks that a device begins in a round, or tells another one, at most */
};

/** What the threads of a block share. */
struct cc_cells_shared {
    uint64_t count[2]; /* for sums 1 and 2 of the next barrier */
    uint64_t since_ns; /* of block 0 */
    uint32_t root[CC_CELLS_SAMPLES];
    uint32_t votes[CC_CELLS_CANDIDATES];
    struct weir_steps_inboxes inboxes;
};

/** What a thread counts. */
struct cc_cells_tally {
    uint64_t expand, fold; /* bytes */
    uint64_t arcs;         /* that were looked at */
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

/** The hooks that begin, by place; before the rounds the list of merges. */
WEIR_DEV uint32_t *cc_cells_next(const struct cc_cells_args *a, uint32_t device)
{
    return a->next[device] + 2;
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

/* ---- MERGE ----------------------------------------------------------------------------------- */

/** What is shorter of a device's trees: all parents, or a list of those that are not their own, each with its place. */
WEIR_DEV int cc_cells_is_short(const struct cc_cells_args *a, uint32_t hooks)
{
    return hooks < a->cell.width / 2;
}

/* A place hangs under a root, of the lanes for which @p is holds; as far as a list of them may be short. All lanes. */
WEIR_DEV void cc_cells_list(const struct cc_cells_args *a, uint32_t number, int is, uint32_t place,
                            uint32_t root)
{
    const uint32_t lanes = weir_ballot(is);
    uint32_t *count = &a->next[a->member.index][number & 1u], *list;
    uint32_t at = 0;
    if (!lanes)
        return;
    if (weir_lane() == 0)
        at = weir_atomic_add_relaxed_dev_u32(count, weir_popcount_u32(lanes));
    at = weir_broadcast_u32(at, 0) + weir_popcount_u32(lanes & ((1u << weir_lane()) - 1));
    if (!is || !cc_cells_is_short(a, at))
        return;
    list = cc_cells_next(a, a->member.index) + 2 * (uint64_t)at;
    list[0] = place;
    list[1] = root;
}

/** Parents become roots. For merge number @p number they are copied, and listed where a list is short; behind all merges no hook begins.
 *  Nobody joins meanwhile. */
WEIR_COLD void cc_cells_settle(const struct cc_cells_args *a, struct weir_steps_block b,
                               uint32_t number)
{
    uint32_t *tree = cc_cells_array(a, a->member.index, number);
    uint32_t *copy = cc_cells_array(a, a->member.index, number + 1);
    const int more = number < a->merges;
    if (weir_steps_thread(&b) == 0)
        weir_store_relaxed_dev_u32(a->changes, 0); /* pieces of long places, before */
    WEIR_ROLLED
    for (uint64_t base = (uint64_t)weir_steps_warp(&b) * WEIR_LANES; base < a->cell.width;
         base += weir_steps_threads(&b)) {
        const uint32_t place = (uint32_t)base + weir_lane(); /* the width is a multiple of lanes */
        const uint32_t root = cc_root(tree, place, CC_NONE);
        weir_store_relaxed_dev_u32(&tree[place], root);
        if (more) {
            copy[place] = root;
            cc_cells_list(a, number, root != place, place, root);
        } else {
            cc_cells_next(a, a->member.index)[place] = CC_NONE;
        }
    }
}

/** The trees of another device of the column, which stand still, are joined to this one's. */
WEIR_COLD void cc_cells_merge(const struct cc_cells_args *a, struct weir_steps_block b,
                              uint32_t number, struct cc_cells_tally *t)
{
    const uint32_t row = (a->cell.row + (1u << number)) % a->cell.rows;
    const uint32_t device = weir__cell_device(&a->cell, row, a->cell.column);
    const uint32_t *from = cc_cells_array(a, device, number), *list = cc_cells_next(a, device);
    const uint32_t hooks = a->next[device][number & 1u], width = a->cell.width;
    const int is_list = cc_cells_is_short(a, hooks);
    uint32_t *tree = cc_cells_array(a, a->member.index, number + 1);
    struct cc_hook hook;
    WEIR_ROLLED
    for (uint64_t i = weir_steps_thread(&b); i < (is_list ? hooks : width);
         i += weir_steps_threads(&b)) {
        const uint32_t place = is_list ? list[2 * i] : (uint32_t)i;
        const uint32_t root = is_list ? list[2 * i + 1] : from[i];
        if (root != place)
            (void)cc_join(tree, place, root, 1, &hook);
    }
    if (weir_steps_thread(&b))
        return;
    t->expand += (is_list ? 2 * (uint64_t)hooks : width) * sizeof *from;
    a->next[a->member.index][~number & 1u] = 0; /* of the next merge */
}

/* ---- FOLD ------------------------------------------------------------------------------------ */

/** Links from one device to another of its row: a list of own rows of the receiver, each with a number behind it, or a number for each
 *  row, CC_NONE where there is none; a list where it is shorter. */
WEIR_DEV int cc_cells_is_list(uint32_t links, uint32_t rows)
{
    return links < rows / 2;
}

/** Where links begin. */
WEIR_DEV uint32_t *cc_cells_links(uint32_t *inbox)
{
    return inbox + 2;
}

/** How many heads of each other column have a representative here. All lanes. */
WEIR_COLD void cc_cells_count(const struct cc_cells_args *a, struct weir_steps_block b)
{
    const struct weir__cell *cell = &a->cell;
    WEIR_ROLLED
    for (uint32_t column = 0; column < cell->columns; column++) {
        uint64_t count = 0;
        if (column == cell->column)
            continue;
        WEIR_ROLLED
        for (uint64_t row = cell->first[column] + weir_steps_thread(&b);
             row < cell->first[column + 1]; row += weir_steps_threads(&b))
            count += a->representative[row] != CC_NONE;
        count = weir_sum_u64(count);
        if (weir_lane() == 0 && count)
            weir_add_relaxed_dev_u32(&a->heads[column], (uint32_t)count);
    }
}

/* The heads of a column, of a warp's lanes: the owner is told of the roots of their tails. All lanes. */
WEIR_DEV void cc_cells_link_heads(const struct cc_cells_args *a, uint32_t column, uint64_t row,
                                  uint32_t rows, int list, uint32_t *to)
{
    const uint32_t met = row < rows ? a->representative[a->cell.first[column] + row] : CC_NONE;
    const uint32_t number = met == CC_NONE ? CC_NONE : a->cell.begin + cc_cells_roots(a)[met];
    if (!list) {
        if (row < rows)
            to[row] = number;
        return;
    }
    const uint32_t lanes = weir_ballot(met != CC_NONE);
    uint32_t at = 0;
    if (!lanes)
        return;
    if (weir_lane() == 0)
        at = weir_atomic_add_relaxed_dev_u32(&a->listed[column], weir_popcount_u32(lanes));
    at = weir_broadcast_u32(at, 0) + weir_popcount_u32(lanes & ((1u << weir_lane()) - 1));
    if (met == CC_NONE)
        return;
    to[2 * (uint64_t)at] = (uint32_t)row;
    to[2 * (uint64_t)at + 1] = number;
}

/** Roots of a column have themselves as labels, and the owners of heads are told. */
WEIR_COLD void cc_cells_fold(const struct cc_cells_args *a, struct weir_steps_block b,
                             struct cc_cells_tally *t)
{
    const struct weir__cell *cell = &a->cell;
    uint32_t *label = cc_cells_labels(a, a->member.index);
    WEIR_ROLLED
    for (uint64_t place = weir_steps_thread(&b); place < cell->width;
         place += weir_steps_threads(&b))
        label[place] = cell->begin + (uint32_t)place;
    WEIR_ROLLED
    for (uint32_t column = 0; column < cell->columns; column++) {
        const uint32_t rows = cell->first[column + 1] - cell->first[column];
        if (column == cell->column)
            continue;
        uint32_t *to = a->outbox[weir__cell_device(cell, cell->row, column)];
        const uint32_t links = weir_load_relaxed_dev_u32(&a->heads[column]);
        const int list = cc_cells_is_list(links, rows);
        if (weir_steps_thread(&b) == 0) {
            to[0] = links;
            t->fold += (1 + (list ? 2 * (uint64_t)links : rows)) * sizeof *to;
        }
        WEIR_ROLLED
        for (uint64_t base = (uint64_t)weir_steps_warp(&b) * WEIR_LANES; base < rows && links;
             base += weir_steps_threads(&b))
            cc_cells_link_heads(a, column, base + weir_lane(), rows, list, cc_cells_links(to));
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
