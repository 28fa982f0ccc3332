/** @file bfs_step_body.h  The body of a device: phase after phase, with a barrier behind each.
 *
 * A narrow level needs few blocks, and a barrier of few blocks is fast, so the others sleep until a level is wide.
 * All blocks that are awake know the same sums and decide the same (bfs_step_direction.h). */
#ifndef WEIR_ALGORITHMS_BFS_BFS_STEP_BODY_H
#define WEIR_ALGORITHMS_BFS_BFS_STEP_BODY_H

#include "algorithms/bfs/bfs_steal.h"
#include "algorithms/bfs/bfs_step_absorb.h"

#include <string.h>

#define BFS_DENSE   4u /* rows of a word that a lane goes through alone */
#define BFS_ABREAST 4u /* words of other rows that the lanes read together */

WEIR_DEV void bfs_pack(const struct bfs_walk *w, uint64_t *board)
{
    board[0] = (uint64_t)w->end << 32 | w->begin;
    board[1] = (uint64_t)w->level << 32 | w->enough << 16 | w->phase << 8 | w->opened << 5 |
               w->current << 4 | w->split << 1 | w->wide;
    board[2] = w->entries;
    board[3] = w->arcs;
    board[4] = w->unfound;
    board[5] = w->unfound_arcs;
    board[6] = w->came;
    board[7] = 0;
}

WEIR_DEV void bfs_unpack(const uint64_t *board, struct bfs_walk *w)
{
    w->begin = (uint32_t)board[0];
    w->end = (uint32_t)(board[0] >> 32);
    w->level = (uint32_t)(board[1] >> 32);
    w->phase = (uint32_t)board[1] >> 8 & 0xFFu;
    w->opened = (uint32_t)board[1] >> 5 & 1u;
    w->current = (uint32_t)board[1] >> 4 & 1u;
    w->split = (uint32_t)board[1] >> 1 & 1u;
    w->wide = (uint32_t)board[1] & 1u;
    w->entries = board[2];
    w->arcs = board[3];
    w->unfound = board[4];
    w->unfound_arcs = board[5];
    w->enough = (uint32_t)board[1] >> 16 & 0xFFu;
    w->came = board[6];
}

/* Sleep until a phase needs this block. */
WEIR_DEV uint32_t bfs_sleep(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                            struct weir_steps_block *b, struct bfs_walk *w)
{
    uint64_t board[8];
    const uint32_t stop = weir_steps_sleep(&a->member, b, board, &w->awake);
    w->arriving = w->awake;
    bfs_unpack(board, w);
    if (BFS_STEALS)
        bfs_steal_woken(a, shared, b, w);
    return stop;
}

/* Wake blocks, or send some to sleep, so that as many are awake as the phase needs. @return non-zero: the body ends. */
WEIR_DEV uint32_t bfs_set_awake(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                                struct weir_steps_block *b, struct bfs_walk *w)
{
    const uint32_t need = bfs_need(a, b, w);
    w->arriving = w->awake;
    if (need > w->awake) {
        /* Wake half as many more than are needed: levels that grow go on growing for a while. */
        uint32_t blocks = need + need / 2 < b->blocks ? need + need / 2 : b->blocks;
        uint64_t board[8];
        bfs_pack(w, board);
        if (BFS_STEALS && b->block == 0)
            bfs_steal_wake(a, shared, b, w);
        if (b->block == 0)
            weir_steps_wake(&a->member, b, blocks, board);
        w->awake = w->arriving = blocks;
    } else if (need < w->awake / 4 || (BFS_STEALS && bfs_lone_spares(w, need))) {
        w->awake = need + need / 2;
        if (b->block >= w->awake) {
            weir_steps_leave(bfs_with(a, shared, w), b, w->arriving, &shared->first);
            return bfs_sleep(a, shared, b, w);
        }
    }
    return 0;
}

WEIR_DEV void bfs_work(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                       const struct weir_steps_block *b, const struct bfs_walk *w,
                       struct bfs_tally *t)
{
    struct bfs_tally did = {0, 0, 0, 0, 0, 0, 0};
    switch (w->phase) {
    case BFS_DOWN:
        did = !w->wide   ? bfs_down_narrow(a, shared, *b, *w)
              : a->lines ? bfs_down_lines(a, shared, *b, *w)
              : a->bytes ? bfs_down_short(a, shared, *b, *w)
                         : bfs_down_wide(a, shared, *b, *w);
        break;
#if BFS_WIRES
    case BFS_FOLD:
        bfs_fold(a, *b, *w);
        break;
#endif
    case BFS_ABSORB:
        bfs_open(a, b, w, &shared->inboxes);
#if BFS_WIRES
        bfs_forget_met(a, b);
#endif
        bfs_absorb(a, shared, *b, *w);
        break;
    case BFS_EAGER:
        bfs_open(a, b, w, &shared->inboxes);
        did = bfs_eager(a, shared, *b, *w);
        break;
#if BFS_STEALS
    case BFS_COUNT:
        bfs_steal_count(a, shared, *b, *w);
        break;
    case BFS_CUT:
        bfs_steal_out(a, shared, *b, *w);
        break;
    case BFS_GATHER:
        bfs_lone_gather(a, *b, *w);
        break;
    case BFS_SEIZE:
        bfs_lone_seize(a, *b, *w);
        break;
    case BFS_REJOIN:
        break;
    case BFS_GIVE:
        bfs_lone_give(a, shared, *b, *w);
        break;
#endif
    case BFS_SHARE:
        bfs_share(a, *b, *w);
        break;
    case BFS_UP:
        bfs_up(a, shared, *b, *w);
        break;
    default:
        bfs_list(a, shared, *b, *w);
    }
    t->pieces += did.pieces;
    t->down_arcs += did.down_arcs;
}

/* The barrier behind a phase. A block alone on a single device needs none; it only looks at the stop word
 * now and then. */
WEIR_DEV uint32_t bfs_barrier(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                              struct weir_steps_block *b, const struct bfs_walk *w, uint64_t *total)
{
    const int more = w->wide || w->phase != BFS_DOWN || a->rows.parts > 1;
    if (!more && w->arriving == 1 && w->level % 16) {
        weir_block_sync();
        total[0] = shared->first;
        total[1] = 0;
        weir_block_sync();
        if (b->thread == 0) /* not set to 0: others may have added for the next level */
            weir_atomic_add_block_u64(&shared->first, 0 - total[0]);
        return 0;
    }
    weir_block_sync();
    if (more && b->thread == 0) {
        weir_steps_add(&a->member, b, 1, shared->sent);
        weir_steps_add(&a->member, b, 2, shared->arcs);
        weir_steps_add(&a->member, b, 3, shared->found + bfs_lone_told(a, shared, b, w));
        shared->sent = shared->arcs = shared->found = 0;
    }
    return weir_steps_meet(bfs_with(a, shared, w), b, w->arriving, &shared->first, more, total);
}

/* Narrow levels of short rows on one device, or of all by one. @return as weir_steps_sync(). */
WEIR_DEV uint32_t bfs_short(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                            struct weir_steps_block *b, struct bfs_walk *w, struct bfs_tally *t,
                            uint64_t *steps, uint64_t *total)
{
    const struct bfs_narrow n = bfs_narrow_levels(a, shared, *b, *w);
#if BFS_STEALS
    const uint64_t arcs = weir_sum_u64(n.down_arcs);
    if (weir_lane() == 0 && arcs)
        weir_atomic_add_block_u64(&shared->lone_arcs, arcs);
    if (b->block == 0 && b->thread == 0)
        bfs_lone_measure(shared, w->lone_entries, n.levels, n.end - w->begin);
#else /* with several devices all subtract it in REJOIN */
    w->unfound = bfs_less(w->unfound, n.end - w->end);
#endif
    w->begin = n.begin;
    w->end = n.end;
    w->level = n.level;
    b->step = n.step;
    t->pieces += n.pieces;
    t->down_arcs += n.down_arcs;
    *steps += n.levels;
    total[0] = n.total;
    total[1] = total[2] = total[3] = 0;
    return n.stop;
}

/* Block 0 of each device finds the source, and forgets the source of the run before. */
WEIR_DEV uint32_t bfs_start(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                            struct weir_steps_block *b, struct bfs_walk *w)
{
    uint64_t total[WEIR_STEPS_SUMS];
    const uint32_t row = a->source - a->rows.begin;
    const int own = bfs_owns(a, a->source);
    if (b->thread < WEIR_LANES) {
        if (weir_lane() == 0) {
            if (a->previous != BFS_NONE && bfs_owns(a, a->previous)) {
                a->level[a->previous - a->rows.begin] = BFS_NONE;
                if (a->parent)
                    a->parent[a->previous - a->rows.begin] = BFS_NONE;
            }
            (void)bfs_claim(a->found[0][a->member.index], a->source);
            if (own)
                a->level[row] = 0;
            if (own && a->parent)
                a->parent[row] = a->source;
        }
        if (own) {
            struct bfs_tally t = {0, 0, 0, 0, 0, 0, 0};
            bfs_put(a, shared, &t, weir_lane() == 0, row, 1);
            bfs_flush(a, shared, &t);
        }
    }
    w->phase = BFS_LIST; /* counted in full */
    const uint32_t stop = bfs_barrier(a, shared, b, w, total);
    bfs_next(a, b, w, total);
    w->arcs = total[2];
    w->unfound = bfs_less(a->unfound, 1);
    w->unfound_arcs = a->rows.arcs_all;
    bfs_level_done(a, w, 0);
    return stop;
}

WEIR_DEV void bfs_finish(const struct bfs_step_args *a, const struct weir_steps_block *b,
                         const struct bfs_step_shared *shared, const struct bfs_walk *w,
                         const struct bfs_tally *t, const uint64_t *steps)
{
    struct weir_steps_page *page = weir_steps_mine(&a->member);
    const uint64_t all[2] = {weir_sum_u64(t->pieces), weir_sum_u64(t->down_arcs)};
    for (uint32_t i = 0; i < 2; i++)
        if (weir_lane() == 0 && all[i])
            weir_add_relaxed_dev_u64(&page->result[BFS_RESULT_PIECES + i], all[i]);
    if (WEIR_LANES == 1u)
        weir_add_relaxed_dev_u64(&page->result[BFS_RESULT_FLUSHES], shared->kept.flushes);
    bfs_steal_finish(a, shared, b);
    if (b->thread)
        return;
    const uint64_t ups[3] = {shared->ups.arcs, shared->ups.rows, shared->ups.firsts};
    for (uint32_t i = 0; i < 3; i++)
        if (ups[i])
            weir_add_relaxed_dev_u64(&page->result[BFS_RESULT_UP_ARCS + i], ups[i]);
    if (b->block)
        return;
    page->result[BFS_RESULT_LEVELS] = w->level;
    page->result[BFS_RESULT_EAGER] = w->eager_levels;
    page->result[BFS_RESULT_BITMAP] = w->current;
    for (uint32_t i = 0; i < BFS_KINDS; i++) {
        page->result[BFS_RESULT_DOWN_NS + i] = shared->ns[i];
        page->result[BFS_RESULT_DOWN_STEPS + i] = steps[i];
    }
}

/* Under which of BFS_KINDS phases the report counts this one. */
WEIR_DEV uint32_t bfs_kind(uint32_t phase)
{
#if BFS_WIRES
    if (phase == BFS_FOLD)
        return 3;
#endif
    return phase <= BFS_EAGER                ? 0
           : phase == BFS_UP                 ? 1
           : BFS_STEALS && phase <= BFS_CUT  ? 3
           : BFS_STEALS && phase <= BFS_GIVE ? 4
                                             : 2;
}

/* The time since the last call was one of these phases. By thread 0 of block 0; apart from the kernel's own code, which has no
 * register to spare. */
WEIR_COLD void bfs_book(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                        uint32_t kind, uint32_t level)
{
    const uint64_t now = weir_clock_ns(), since = shared->since_ns;
    shared->ns[kind] += now - since;
    shared->since_ns = now;
    if (a->member.notes)
        weir_note_step(a->member.notes, since, now, BFS_RESULT_DOWN_NS + kind, level);
}

WEIR_DEV void bfs_step_body(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                            struct weir_steps_block *b)
{
    struct bfs_walk w;
    memset(&w, 0, sizeof w);
    w.awake = w.arriving = 1;
    struct bfs_tally t = {0, 0, 0, 0, 0, 0, 0};
    uint64_t steps[BFS_KINDS] = {0}, total[WEIR_STEPS_SUMS];
    const int short_rows = bfs_short_rows(a);
    uint32_t stop;
    if (b->thread == 0) {
        shared->first = shared->arcs = shared->found = shared->sent = 0;
        shared->ups.arcs = shared->ups.rows = shared->ups.firsts = 0;
        for (uint32_t i = 0; i < BFS_KINDS; i++)
            shared->ns[i] = 0;
        shared->kept.count = shared->kept.flushes = 0;
        shared->kept.arcs = 0;
    }
    if (BFS_STEALS)
        bfs_steal_begin(a, shared, b, &w);
#if BFS_WIRES
    w.words = a->wire == WEIR_WIRE_BITMAP ? a->rows.numbers / 32 : 0;
#endif
    weir_block_sync();
    w.arriving = b->blocks;
    if (a->eager && (stop = bfs_forget(a, b)))
        return;
    if (b->block == 0) {
        stop = bfs_start(a, shared, b, &w);
        if (BFS_STEALS && !stop)
            bfs_steal_next(a, shared, b, &w, BFS_LIST);
        if (!stop)
            stop = bfs_set_awake(a, shared, b, &w);
    } else { /* the first barrier counts all blocks: each has passed the one of the reset then */
        weir_steps_leave(&a->member, b, b->blocks, &shared->first);
        stop = bfs_sleep(a, shared, b, &w);
    }
    uint32_t kind = bfs_kind(w.phase);
    if (b->thread == 0)
        shared->since_ns = weir_clock_ns();
    WEIR_ROLLED
    while (!stop && w.phase != BFS_END) {
        if ((w.phase == BFS_DOWN && !w.wide && short_rows) || (BFS_STEALS && w.phase == BFS_LONE)) {
            stop = bfs_short(a, shared, b, &w, &t, &steps[bfs_kind(w.phase)], total);
        } else if (BFS_STEALS && w.phase == BFS_REJOIN &&
                   (stop = bfs_lone_rejoin(a, shared, b, &w))) {
            break;
        } else {
            bfs_work(a, shared, b, &w, &t);
            stop = bfs_barrier(a, shared, b, &w, total);
            steps[bfs_kind(w.phase)]++;
        }
        if (stop)
            break;
        bfs_behind(a, shared, b, &w, total);
        if (bfs_kind(w.phase) != kind || w.phase == BFS_END || a->member.notes) {
            if (b->block == 0 && b->thread == 0)
                bfs_book(a, shared, kind, w.level);
            kind = bfs_kind(w.phase);
        }
        stop = bfs_set_awake(a, shared, b, &w);
    }
    if (!stop)
        bfs_finish(a, b, shared, &w, &t, steps);
}

/* A row that this run found and the one before did not, or the other way round; then it is marked as not found.
 * @return its out-arcs, less than 0 if they are to be taken away. */
WEIR_DEV uint64_t bfs_changed(const struct bfs_step_args *a, uint64_t row, uint32_t was_found)
{
    const uint64_t arcs = weir_rows_out_degree(&a->rows, row);
    if (!was_found)
        return arcs;
    a->level[row] = BFS_NONE;
    if (a->parent)
        a->parent[row] = BFS_NONE;
    return 0 - arcs;
}

/* Each lane has a word of the bitmap in which few rows changed, and goes through these alone, so that the loads of all
 * lanes are under way together. @param[in] was  the word before. @return what their out-arcs come to. */
WEIR_DEV uint64_t bfs_few_changed(const struct bfs_step_args *a, uint64_t word, uint32_t bits,
                                  uint32_t was)
{
    uint64_t arcs = 0;
    WEIR_ROLLED
    for (; bits; bits &= bits - 1) {
        const uint32_t bit = weir_first_bit_u32(bits);
        arcs += bfs_changed(a, word * 32 + bit, was >> bit & 1u);
    }
    return arcs;
}

/* In words in which many changed the lanes take the rows of one word side by side. They load for several words before they
 * use what they read for the first. @param[in] word  of lane 0. @param[in] many  the lanes that have such a word. */
WEIR_DEV uint64_t bfs_many_changed(const struct bfs_step_args *a, uint64_t word, uint32_t bits,
                                   uint32_t was, uint32_t many)
{
    uint64_t all = 0;
    WEIR_ROLLED
    while (many) {
        uint64_t arcs[BFS_ABREAST];
        for (uint32_t k = 0; k < BFS_ABREAST; k++) {
            const uint32_t lane = many ? weir_first_bit_u32(many) : 0;
            const uint32_t its = many ? weir_broadcast_u32(bits, lane) : 0;
            const uint32_t before = weir_broadcast_u32(was, lane);
            arcs[k] = 0;
            many &= many - 1;
            for (uint32_t bit = weir_lane(); bit < 32; bit += WEIR_LANES)
                if (its >> bit & 1u)
                    arcs[k] += bfs_changed(a, (word + lane) * 32 + bit, before >> bit & 1u);
        }
        for (uint32_t k = 0; k < BFS_ABREAST; k++)
            all += arcs[k];
    }
    return all;
}

/** Behind the body: mark what was not found, and count what was, by what differs from the run before. So levels need no
 *  reset before a run; and two bitmaps are all that is read if the same vertices are found again, as in a graph that is
 *  connected but for a few. */
WEIR_DEV void bfs_step_epilogue(const struct bfs_step_args *a, const struct weir_steps_block *b)
{
    uint64_t *result = weir_steps_mine(&a->member)->result;
    const uint32_t at = a->rows.begin / 32;
    const uint32_t *found = a->found[result[BFS_RESULT_BITMAP] & 1][a->member.index] + at;
    uint32_t *last = a->last + at;
    const uint32_t words = (uint32_t)((a->rows.owned + UINT64_C(31)) / 32);
    const uint64_t stride = weir_steps_threads(b);
    uint64_t count[2] = {0, 0}; /* vertices, their arcs */
    WEIR_ROLLED
    for (uint64_t base = (uint64_t)weir_steps_warp(b) * WEIR_LANES; base < words; base += stride) {
        const uint64_t i = base + weir_lane();
        const uint32_t is = i < words ? found[i] : 0, was = i < words ? last[i] : 0;
        const int dense = weir_popcount_u32(is ^ was) > BFS_DENSE;
        const uint32_t many = weir_ballot(dense);
        count[0] += (uint64_t)weir_popcount_u32(is) - weir_popcount_u32(was);
        if (is != was)
            last[i] = is;
        if (!dense)
            count[1] += bfs_few_changed(a, i, is ^ was, was);
        if (many)
            count[1] += bfs_many_changed(a, base, is ^ was, was, many);
    }
    if (b->block == 0 && b->thread == 0 && bfs_owns(a, a->source))
        /* A source without arcs is among those that count as found from the beginning. */
        result[BFS_RESULT_ALONE] = (uint64_t)bfs_is_set(a->base, a->source);
    weir_steps_count(&a->member, b, BFS_RESULT_REACHED, count, 2);
#if BFS_WIRES
    const uint64_t asked = bfs_ask(a, b);
    weir_steps_count(&a->member, b, BFS_RESULT_ASKED, &asked, 1);
#endif
}

#endif
