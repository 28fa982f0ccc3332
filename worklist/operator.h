/** @file operator.h  The contract between an operator and the engine.
 *
 * An operator NAME is a header in the dialect of runtime/dialect.h that defines three types and eight
 * functions; docs/operators.md derives one. Where items name vertices of a placed graph
 * algorithms/vertex_tmpl.h writes five of the functions.
 *
 * - `NAME_item`: a work item as it waits in a queue; names its *tile* (a vertex, say). A plain struct,
 *   copied as the engine likes.
 * - `NAME_wire`: a packed item as it travels: a plain struct of fixed-width members without padding and
 *   without pointers.
 * - `NAME_state`: the operator's state of one device: plain values and pointers to that device's memory.
 *   Bound before a run, the same for all callbacks of the device until its end.
 *
 * For all functions: each is WEIR_DEV and is called on the device whose state it is given. Many lanes call
 * at the same time, also with equal items. So what a callback writes in a run is read and written with the
 * dialect's atomics alone, and what nobody writes may be read plainly. No callback waits for another lane,
 * calls the lane functions of the dialect, or touches another device's memory. What one wrote before its
 * item was KEPT is seen by tile and atom of that item.
 *
 * - `int NAME_tile(const NAME_state *, const NAME_item *, uint64_t *first, uint64_t *last)`
 *
 *   The atoms of an item's tile: first to last - 1, at most 2^32 - 2 of them. By one lane, once when the item
 *   is taken from the queue to be processed, and once more each time it is looked at while it is deferred.
 *   0: the item is *stale*, since others do all that it could do, and is dropped whole; first and last are
 *   not looked at. Whether it is stale may change; which atoms it has may not. Changes nothing.
 *
 * - `int NAME_atom(const NAME_state *, const NAME_item *, uint64_t atom, NAME_item *next)`
 *
 *   One atom of a tile that was not stale when it was taken; it may be by now. By any one lane, exactly once
 *   for each atom of each item taken; atoms of a tile run in any order and side by side. Non-zero: *next is
 *   a new item, in the form it has on this device. *next holds nothing before, and need not if the answer
 *   is 0. An atom may update memory, since it runs once, but on_send is the place for what an item says.
 *
 * - `enum weir_fate NAME_on_send(const NAME_state *, const NAME_item *)`
 *
 *   A new item on the device it came from. Once for each, right after its atom and by the same lane. Applies
 *   the update that the item stands for and answers: KEEP (into this device's queue), PASS (to its owner),
 *   or DROP (it was no news). Of lanes that bring the same news at least one is told so; one is enough.
 *
 * - `uint32_t NAME_pack(const NAME_state *, const NAME_item *, NAME_wire *)`
 *
 *   Pack a new item that on_send PASSed, right after and by the same lane; every member of the wire is set.
 *   Returns the worker that owns it, which is not this one. Changes nothing else.
 *
 * - `enum weir_fate NAME_on_receive(const NAME_state *, const NAME_wire *)`
 *
 *   A packed item at a device it came to; a seed, too. Once at each, by any one lane. KEEP: this worker owns
 *   it and it is news; the update was applied. DROP: no news; at its owner, or on the way where the device
 *   knows so. PASS: another worker owns it; on routes of several hops items visit some that do not.
 *
 * - `uint32_t NAME_owner(const NAME_state *, const NAME_wire *)`
 *
 *   The worker that owns a packed item. Asked when on_receive PASSed it on, once or several times. Changes
 *   nothing.
 *
 * - `void NAME_unpack(const NAME_state *, const NAME_wire *, NAME_item *)`
 *
 *   Unpack an item that on_receive KEPT, right after and by the same lane. Changes nothing else.
 *
 * - `uint32_t NAME_priority(const NAME_state *, const NAME_item *)`
 *
 *   How urgent an item is that was KEPT; smaller is more. A hint, asked by any one lane any number of times
 *   or never; below UINT32_MAX, which stands for none. Changes nothing.
 *
 * Optional, for *narrow* rounds, which have too few items to keep a GPU busy (narrow_tmpl.h): the macro
 * NAME_narrow, defined to 1, and
 *
 * - `void NAME_bounds(const NAME_state *, const NAME_item *, uint64_t *first, uint64_t *last)`
 *
 *   The atoms that NAME_tile would name, whether the item is stale or not.
 *
 * - `void NAME_reach(const NAME_state *, const NAME_item *, uint64_t atom, NAME_item *next)`
 *
 *   The item that NAME_atom would make of an atom, whether it is news or not; on_send is asked next.
 *
 * - `void NAME_expect(const NAME_state *, const NAME_item *)`
 *
 *   A hint: on_send will be asked about this item, if its tile does not go stale. To fetch what it updates.
 *
 * All three change nothing, are called by any lane any number of times, also for tiles that are stale; bounds and
 * expect for items that reach made and on_send was not asked about yet, which another worker may own: then any answer
 * of bounds will do. So is NAME_tile of such an operator. They may
 * be asked about an item in the round that makes it, before others that run in that round are through: but for
 * NAME_tile, what they look at does not change in a run.
 *
 * Optional, for narrow rounds of one worker where all tiles are short (padded_rows_tmpl.h): the macro NAME_padded_rows, defined to 1, a
 * type and three functions. A *padded row* is a tile with its atoms: 4 or 8 entries, side by side at a multiple of 16 bytes, which do
 * not change in a run. All tiles have one, or none has.
 *
 * - `NAME_entry`: an atom of a padded row. A plain struct or integer of 4 or 8 bytes.
 *
 * - `uint32_t NAME_row_log(const NAME_state *)`
 *
 *   The entries of a row, as a power of two: 2 or 3; 0: there are no padded rows. The same in all of a run.
 *
 * - `const NAME_entry *NAME_padded_row(const NAME_state *, const NAME_item *)`
 *
 *   The row of an item's tile. Asked as bounds is, but not about items that another worker owns.
 *
 * - `int NAME_enter(const NAME_state *, const NAME_item *, const NAME_entry *, NAME_item *next)`
 *
 *   As reach, of an entry of the item's row. 0: the entry is no atom, since the tile has fewer.
 *
 * Optional, for operators that add up the atoms of a tile (a row's sum, its largest element), without an atomic an atom: the
 * macro NAME_folds, defined to 1, a type and, in place of NAME_atom, four functions. A group of lanes does a tile,
 * from its prologue to its epilogue; tiles are not cut, so a very long one keeps its warp busy.
 *
 * - `NAME_sum`: what a lane has added up. A plain struct, a multiple of four bytes; any other does not compile.
 *
 * - `void NAME_begin_sum(const NAME_state *, const NAME_item *, NAME_sum *)`
 *
 *   The prologue: a sum of nothing. By each lane that takes part.
 *
 * - `void NAME_add_atom(const NAME_state *, const NAME_item *, uint64_t atom, NAME_sum *)`
 *
 *   Add one atom. By any one lane, exactly once for each atom of a tile that was not stale.
 *
 * - `void NAME_join_sums(NAME_sum *, const NAME_sum *other)`
 *
 *   Add what another lane has. In any order.
 *
 * - `int NAME_end_sum(const NAME_state *, const NAME_item *, const NAME_sum *, NAME_item *next)`
 *
 *   The epilogue: the sum of the whole tile. By one lane, exactly once for each tile that was not stale and has
 *   atoms. Non-zero: *next is a new item, and on_send is asked next. What belongs to the tile alone it may store plainly if
 *   no two items of the tile are in queues at a time.
 *
 * Optional, for runs that begin with an item for each vertex, row or whatever else a worker counts
 * (weir_worklist_seed_numbers(), weir_traversal_seed_all()): the macro NAME_seeds, defined to 1, and
 *
 * - `int NAME_seed(const NAME_state *, uint32_t number, NAME_item *item)`
 *
 *   The item that a number stands for. By any one lane, once for each number. It may update what belongs to the number,
 *   with atomics where others update or read it too, since a run is on: a store would undo what an item has brought.
 *   Non-zero: *item is KEPT, in the form it has on this device; neither on_send nor on_receive is asked. 0: there is none.
 *
 * Optional, for live kernels (WEIR_KERNEL_LIVE), whose workers go on looking for items while others are at work: the macro
 * NAME_idles, defined to 1, and
 *
 * - `void NAME_idle(const NAME_state *, uint32_t looks)`
 *
 *   A worker has found nothing, `looks` + 1 times in a row; by one lane of it, before it looks again. The place for what may as
 *   well be done while there is time: to fetch what comes next, to tidy up, to count. It makes no items and does not wait, since
 *   the run may be over, and its worker is the one that could find out. What it writes, it writes with atomics.
 *
 * Optional, for host devices alone, whose threads walk tiles one after the other and wait for each look: the macro NAME_fetches,
 * defined to 1 where __CUDACC__ is not defined, and two hints, which change nothing and may fetch with weir_prefetch():
 *
 * - `void NAME_fetch_tile(const NAME_state *, const NAME_item *)`
 *
 *   NAME_tile will be asked about this item, after some others. To fetch what tells its atoms.
 *
 * - `void NAME_fetch_atoms(const NAME_state *, uint64_t first)`
 *
 *   The atoms of a tile begin with this one, and will be looked at after those of some others. To fetch what they are.
 *
 * With NAME_narrow too, NAME_reach and NAME_expect are asked about the first atoms of each tile then.
 *
 * Then a .c file includes the operator's header and worklist/engine_host_tmpl.h, and a .cu file the header
 * and worklist/engine_cuda_tmpl.cuh (and, with NAME_narrow, a second one the header and
 * worklist/engine_narrow_cuda_tmpl.cuh), all with WEIR_OPERATOR defined to NAME; the first defines the
 * `const weir_operator weir__NAME_operator`. It refers to the second if WEIR_CUDA is defined to 1, and where the
 * file for narrow rounds is missing the name that a linker does not find says which it is. The
 * engine has more names behind NAME_ (worklist/engine/engine_tmpl.h); one that clashes does not compile. */
#ifndef WEIR_WORKLIST_OPERATOR_H
#define WEIR_WORKLIST_OPERATOR_H

#include "runtime/dialect.h"
#include "runtime/runtime.h"

/** What becomes of an item. */
enum weir_fate {
    WEIR_FATE_DROP = 0, /**< forget it: merged with an item that says as much or more */
    WEIR_FATE_KEEP,     /**< into this worker's queue */
    WEIR_FATE_PASS      /**< over the router, towards its owner */
};

#endif
