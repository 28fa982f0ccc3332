/** @file bfs_step_chunk.h  A level bottom-up by warps of a GPU: first arcs side by side, and what is left dealt out anew behind every few looks.
 *
 * A chunk is a word of the bitmap a lane, of the first lanes or of all. What is left of it are bits of the lanes' words, and then a list. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_STEP_CHUNK_H
#define WEIR_ALGORITHMS_BFS_BFS_STEP_CHUNK_H

#include "algorithms/bfs/bfs_step_look.h"

#define BFS_ROWS   8u   /* rows that a lane has under way, at their first arcs */
#define BFS_BESIDE 2u   /* and behind these, */
#define BFS_EACH   4u   /* with so many arcs of each */
#define BFS_SPARSE 16u  /* rows of a chunk that are too few for that: squads take them, */
#define BFS_ALONE  16u  /* or those that met nothing along so many arcs */
#define BFS_SQUAD  8u   /* lanes of a squad */
#define BFS_FAR    128u /* arcs that a squad looks at before the whole worker takes the row */

/* The rows that are left look at their first arcs, which lie side by side and need no offset. Lane by lane, BFS_ROWS of their
 * words at a time. @param[in,out] left  becomes those that met nothing and may have more arcs. @return those that met what is
 * found. Both of the lane's word. */
WEIR_DEV uint32_t bfs_up_firsts(const struct bfs_step_args *a, const struct bfs_walk *w,
                                const uint32_t *found, struct bfs_up_tally *t, uint32_t at,
                                uint32_t *left)
{
    const int same = a->rows.in.offsets == a->rows.out.offsets; /* bytes tell of in-arcs too */
    uint32_t hits = 0, over = 0, looks = 0;
    WEIR_ROLLED
    for (uint32_t todo = weir_ballot(*left != 0); todo;) {
        uint32_t row[BFS_ROWS], number[BFS_ROWS], byte[BFS_ROWS], of[BFS_ROWS];
        for (uint32_t k = 0; k < BFS_ROWS; k++, todo &= todo - 1) {
            of[k] = todo ? weir_first_bit_u32(todo) : 0;
            const uint32_t bits = weir_broadcast_u32(*left, of[k]);
            const int is = todo && bits >> weir_lane() & 1u;
            row[k] = (at + of[k]) * 32 + weir_lane();
            number[k] = is ? a->rows.in.firsts[row[k]] : BFS_NONE;
            byte[k] = is ? a->rows.out_byte[row[k]] : 0;
        }
        for (uint32_t k = 0; k < BFS_ROWS; k++) {
            const int is = bfs_met(found, number[k]);
            looks += number[k] != BFS_NONE;
            const uint64_t degree =
                is && byte[k] == WEIR_ROWS_BYTE
                    ? a->rows.out.offsets[row[k] + 1] - a->rows.out.offsets[row[k]]
                    : byte[k];
            const uint32_t bits = bfs_keep(a, w, t, is, row[k], number[k], degree);
            const uint32_t none = weir_ballot(same && byte[k] == 1 && !is);
            hits |= of[k] == weir_lane() ? bits : 0;
            over |= of[k] == weir_lane() ? none : 0;
        }
    }
    t->ups.arcs += looks;
    t->ups.firsts += weir_popcount_u32(hits);
    *left &= ~(hits | over);
    return hits;
}

/* The rows that are left, of the lanes' words one behind another, as numbers in the chunk. @return how many. */
WEIR_DEV uint32_t bfs_up_list(struct bfs_chunk *chunk, uint32_t left)
{
    const uint32_t count = weir_popcount_u32(left), upto = weir_prefix_u32(count);
    uint32_t to = upto - count;
    WEIR_ROLLED
    for (; left; left &= left - 1)
        chunk->list[to++] = (uint16_t)(weir_lane() * 32 + weir_first_bit_u32(left));
    chunk->found[weir_lane()] = 0;
    weir_lanes_sync();
    return weir_broadcast_u32(upto, WEIR_LANES - 1);
}

/* A row of the list that a lane, or the lanes of a squad, took. */
struct bfs_up_row {
    uint64_t at, last; /* arcs that are still to be looked at; of what is no row none */
    uint32_t row;
    uint32_t number; /* in the chunk */
};

/* Take the row at a place of the list; behind its end there is none. @param[in] from  the number of the row's first arc that is looked
 * at. */
WEIR_DEV struct bfs_up_row bfs_up_take(const struct bfs_step_args *a, const struct bfs_chunk *chunk,
                                       uint32_t at, uint32_t place, uint32_t count, uint32_t from)
{
    struct bfs_up_row it;
    it.number = chunk->list[place < count ? place : 0];
    it.row = at * 32 + it.number;
    it.at = a->rows.in.offsets[it.row] + from;
    it.last = place < count ? a->rows.in.offsets[it.row + 1] : 0;
    return it;
}

/* What a row came to; all lanes. A row that met nothing and has more arcs is listed again.
 * @param[in]     is    the lane answers for its row.
 * @param[in]     by    what of the found ones the row met; BFS_NONE: nothing.
 * @param[in,out] kept  rows that are listed again so far. All before that place have been taken. */
WEIR_DEV void bfs_settle(const struct bfs_step_args *a, const struct bfs_walk *w,
                         struct bfs_chunk *chunk, struct bfs_up_tally *t,
                         const struct bfs_up_row *it, int is, uint32_t by, uint32_t from,
                         uint32_t *kept)
{
    const int hit = is && by != BFS_NONE, again = is && by == BFS_NONE && it->at < it->last;
    (void)bfs_keep(a, w, t, hit, it->row, by,
                   hit ? bfs_out_arcs(a, it->row, it->last - it->at + from) : 0);
    if (hit) /* each bit is added once */
        (void)weir_atomic_add_block_u32(&chunk->found[it->number / 32], 1u << (it->number & 31u));
    const uint32_t more = weir_ballot(again);
    if (again)
        chunk->list[*kept + weir_popcount_u32(more & ((1u << weir_lane()) - 1u))] =
            (uint16_t)it->number;
    *kept += weir_popcount_u32(more);
}

/* Each lane takes rows of the list, BFS_BESIDE at a time, and looks along BFS_EACH arcs of each. @return rows that are listed again. */
WEIR_DEV uint32_t bfs_up_some(const struct bfs_step_args *a, const struct bfs_walk *w,
                              const uint32_t *found, struct bfs_chunk *chunk,
                              struct bfs_up_tally *t, uint32_t at, uint32_t count, uint32_t from)
{
    uint32_t kept = 0, looks = 0;
    WEIR_ROLLED
    for (uint32_t base = 0; base < count; base += BFS_BESIDE * WEIR_LANES) {
        struct bfs_up_row it[BFS_BESIDE];
        uint32_t number[BFS_BESIDE][BFS_EACH];
        for (uint32_t k = 0; k < BFS_BESIDE; k++)
            it[k] = bfs_up_take(a, chunk, at, base + k * WEIR_LANES + weir_lane(), count, from);
        for (uint32_t k = 0; k < BFS_BESIDE; k++)
            for (uint32_t j = 0; j < BFS_EACH; j++)
                number[k][j] =
                    it[k].at + j < it[k].last ? a->rows.in.targets[it[k].at + j] : BFS_NONE;
        weir_lanes_sync(); /* all have read their places */
        for (uint32_t k = 0; k < BFS_BESIDE; k++) {
            const int is = base + k * WEIR_LANES + weir_lane() < count;
            uint32_t by = BFS_NONE;
            for (uint32_t j = BFS_EACH; j-- > 0;) {
                looks += number[k][j] != BFS_NONE;
                by = bfs_met(found, number[k][j]) ? number[k][j] : by;
            }
            it[k].at += BFS_EACH;
            bfs_settle(a, w, chunk, t, &it[k], is, by, from + BFS_EACH, &kept);
        }
        weir_lanes_sync();
    }
    t->ups.arcs += looks;
    return kept;
}

/* Squads of BFS_SQUAD lanes take a row of the list each, and look along up to BFS_FAR arcs. @return as before. */
WEIR_DEV uint32_t bfs_up_squads(const struct bfs_step_args *a, const struct bfs_walk *w,
                                const uint32_t *found, struct bfs_chunk *chunk,
                                struct bfs_up_tally *t, uint32_t at, uint32_t count, uint32_t from)
{
    const uint32_t mine = weir_lane() % BFS_SQUAD, first = weir_lane() - mine;
    uint32_t kept = 0, looks = 0;
    WEIR_ROLLED
    for (uint32_t base = 0; base < count; base += WEIR_LANES / BFS_SQUAD) {
        const uint32_t place = base + weir_lane() / BFS_SQUAD;
        struct bfs_up_row it = bfs_up_take(a, chunk, at, place, count, from);
        uint32_t by = BFS_NONE, far = from;
        WEIR_ROLLED
        for (; far < from + BFS_FAR && weir_ballot(by == BFS_NONE && it.at < it.last);
             far += BFS_SQUAD * BFS_EACH) {
            uint32_t number[BFS_EACH], met = BFS_NONE;
            for (uint32_t j = 0; j < BFS_EACH; j++) {
                const uint64_t arc = it.at + j * BFS_SQUAD + mine;
                number[j] = by == BFS_NONE && arc < it.last ? a->rows.in.targets[arc] : BFS_NONE;
            }
            for (uint32_t j = BFS_EACH; j-- > 0;) {
                looks += number[j] != BFS_NONE;
                met = bfs_met(found, number[j]) ? number[j] : met;
            }
            const uint32_t hits = weir_ballot(met != BFS_NONE) >> first & ((1u << BFS_SQUAD) - 1u);
            const uint32_t its =
                weir_broadcast_u32(met, first + weir_first_bit_u32(hits ? hits : 1u));
            by = hits ? its : by;
            it.at += BFS_SQUAD * BFS_EACH;
        }
        weir_lanes_sync(); /* all have read their places */
        bfs_settle(a, w, chunk, t, &it, place < count && mine == 0, by, far, &kept);
        weir_lanes_sync();
    }
    t->ups.arcs += looks;
    return kept;
}

/* All lanes look along the rest of one row of the list after the other. */
WEIR_DEV void bfs_up_rest(const struct bfs_step_args *a, const struct bfs_walk *w,
                          const uint32_t *found, struct bfs_chunk *chunk, struct bfs_up_tally *t,
                          uint32_t at, uint32_t count, uint32_t from)
{
    WEIR_ROLLED
    for (uint32_t i = 0; i < count; i++) {
        struct bfs_up_row it = bfs_up_take(a, chunk, at, i, count, from);
        const uint64_t begin = it.at;
        uint32_t kept = 0;
        it.at = bfs_look_together(a->rows.in.targets, found, begin, it.last, a->lines);
        const int hit = it.at < it.last;
        t->ups.arcs += weir_lane() == 0 ? it.at - begin + (uint64_t)hit : 0;
        bfs_settle(a, w, chunk, t, &it, weir_lane() == 0 && hit,
                   hit ? a->rows.in.targets[it.at] : BFS_NONE, from + (uint32_t)(it.at - begin),
                   &kept);
    }
}

/* A chunk of `span` words, from `at` on. Lanes of a warp look at rows for as long as the slowest of them takes, and what most
 * rows meet they meet at once: so those that met nothing are dealt out anew behind every few looks.
 * @param[in] next  where the same worker's next chunk begins. */
WEIR_DEV void bfs_up_chunk(const struct bfs_step_args *a, const struct bfs_walk *w,
                           struct bfs_chunk *chunk, struct bfs_up_tally *t, uint32_t at,
                           uint32_t span, uint32_t next)
{
    const uint32_t mine = a->rows.begin / 32 + at + weir_lane();
    const uint32_t *found = a->found[w->current][a->member.index];
    uint32_t word = weir_lane() < span ? found[mine] : ~0u, left = ~word;
    if (weir_ballot(left != 0)) {
        /* Most chunks have rows that will look at more arcs, and who does has to know where they are first. */
        if (left) {
            const uint32_t row = (at + weir_lane()) * 32, half = row + 16;
            weir_prefetch(&a->rows.in.offsets[row]);
            weir_prefetch(&a->rows.in.offsets[half < a->rows.owned ? half : row]);
        }
        if (weir_lane() < span && next + weir_lane() < bfs_busy_words(a)) {
            weir_prefetch(&a->rows.in.firsts[(next + weir_lane()) * 32]);
            weir_prefetch(&a->rows.out_byte[(next + weir_lane()) * 32]);
        }
        t->ups.rows += weir_popcount_u32(left);
        word |= bfs_up_firsts(a, w, found, t, at, &left);
        uint32_t count = bfs_up_list(chunk, left), from = 1;
        WEIR_ROLLED
        do {
            count = bfs_up_some(a, w, found, chunk, t, at, count, from);
            from += BFS_EACH;
        } while (count > BFS_SPARSE && from <= BFS_ALONE);
        if (!a->lines ||
            count <= BFS_SPARSE) { /* squads read by sectors, and a link carries lines */
            count = bfs_up_squads(a, w, found, chunk, t, at, count, from);
            from += BFS_FAR;
        }
        bfs_up_rest(a, w, found, chunk, t, at, count, from);
        weir_lanes_sync();
        word |= chunk->found[weir_lane()];
        weir_lanes_sync();
    }
    if (weir_lane() < span) /* full words too: the other bitmap is an older one */
        for (uint32_t d = 0; d < a->rows.parts; d++)
            a->found[w->current ^ 1][d][mine] = word;
}

#endif
