/** @file test_bounds.c  Pieces of the forms in step, given numbers that no graph has which fits into a test: rows of
 *  nearly 2^32 arcs, nearly 2^32 rows, more than 2^32 arcs for one thread. */
#include "algorithms/bfs/bfs_step_down.h"
#include "algorithms/cc/cc_body.h"
#include "algorithms/pr/pr.h"
#include "algorithms/pr/pr_pull.h"
#include "algorithms/sssp/sssp_step_body.h"
#include "tests/lib/support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MOST  (UINT32_MAX - 2) /* arcs of a row: one to each other vertex, WEIR_VERTICES_MAX - 1 */
#define FIRST (UINT64_C(1) << 40) /* the row's first arc */

/* ---- rows of nearly 2^32 arcs ------------------------------------------------------------------ */

static void components_cut_the_longest_row(void **state)
{
    const uint32_t most = MOST / CC_PIECE + 1;
    struct cc_piece *piece = calloc(most + UINT64_C(1), sizeof *piece);
    struct weir_steps_page *page = calloc(1, sizeof *page);
    struct cc_words words = {.pieces = 0};
    struct cc_shared shared = {.arcs = 0};
    struct cc_args args = {.pieces = piece, .words = {&words}, .member.page = {page}};
    const struct weir_steps_block block = {.blocks = 1, .threads = 1};
    uint64_t next = FIRST;
    (void)state;
    assert_true(piece && page);
    cc_put_pieces(&args, &shared, &block, (struct cc_arcs_of){NULL, FIRST, MOST, 7, CC_PIECE_IN});
    assert_int_equal(words.pieces, most);
    assert_int_equal(shared.arcs, MOST);
    assert_int_equal(page->slot[0].sum[1], most);
    for (uint32_t i = 0; i < most; i++) {
        assert_int_equal(piece[i].first, next);
        assert_int_equal(piece[i].row, 7);
        assert_true(piece[i].count & CC_PIECE_IN);
        next += piece[i].count & ~CC_PIECE_IN;
    }
    assert_int_equal(next, FIRST + MOST);
    assert_int_equal(piece[most].count, 0);
    free(piece);
    free(page);
}

static void a_search_cuts_the_longest_row(void **state)
{
    const uint64_t most = MOST / BFS_PIECE + 1;
    struct bfs_piece *queue = calloc(most, sizeof *queue);
    uint32_t tail = 1; /* the first is there already */
    uint64_t next = FIRST + BFS_PIECE;
    (void)state;
    assert_non_null(queue);
    assert_int_equal(bfs_put_rest(queue, &tail, 7, FIRST, FIRST + MOST), most - 1);
    assert_int_equal(tail, most);
    for (uint64_t i = 1; i < most; i++) {
        if (queue[i].first != next || queue[i].row != 7)
            fail_msg("piece %llu is not where it should be", (unsigned long long)i);
        next += queue[i].count;
    }
    assert_int_equal(next, FIRST + MOST);
    free(queue);
}

/* All arcs have weight 0 and none is written: what is read of them is a page of zeros. */
static void paths_cut_the_longest_row(void **state)
{
    const uint64_t bytes = MOST * UINT64_C(8), most = MOST / SSSP_STEP_PIECE + 1;
    struct sssp_step_piece *list = calloc(2 * most, sizeof *list), *piece = list + most;
    uint64_t *pairs =
        mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    uint32_t pieces[SSSP_STEP_SLOTS] = {0};
    struct sssp_step_args args = {
        .pairs.out = pairs, .piece = list, .pieces_most = (uint32_t)most, .piece_count = pieces};
    uint64_t next = 0;
    (void)state;
    assert_non_null(list);
    assert_true(pairs != MAP_FAILED);
    assert_int_equal(sssp_step_cut(&args, 0, 0, MOST, 5, 0), MOST);
    assert_int_equal(pieces[1], most);
    for (uint64_t i = 0; i < most; i++) {
        if (piece[i].first != next || piece[i].distance != 5)
            fail_msg("piece %llu is not where it should be", (unsigned long long)i);
        next += piece[i].count;
    }
    assert_int_equal(next, MOST);
    munmap(pairs, bytes);
    free(list);
}

static void ranks_deal_out_the_longest_rows(void **state)
{
    const uint64_t offsets[] = {0, MOST, MOST, MOST + UINT64_C(3), 2 * (uint64_t)MOST + 3};
    struct weir__pr_lists lists;
    uint64_t next = 0;
    (void)state;
    OK(weir__pr_lists(offsets, 4, &lists));
    assert_int_equal(lists.longs, 2);
    assert_int_equal(lists.chunks, 1);
    assert_int_equal(lists.chunk[0].arc, MOST);
    for (uint64_t i = 0; i < lists.pieces; i++) {
        const struct pr_piece *piece = &lists.piece[i];
        const uint32_t row = i < lists.row[0].pieces ? 0 : 3;
        if (i == lists.row[0].pieces)
            next += lists.chunk[0].arcs;
        if (piece->arc != next || piece->row != row || piece->whole || piece->arcs > PR_PIECE_ARCS)
            fail_msg("piece %llu is not where it should be", (unsigned long long)i);
        next += piece->arcs;
    }
    assert_int_equal(next, offsets[4]);
    weir__pr_lists_free(&lists);
}

/* ---- nearly 2^32 rows -------------------------------------------------------------------------- */

/* As many numbers as there can be, and threads whose step leads beyond 2^32 from the last of them. */
static void every_thread_comes_to_the_end_of_all_numbers(void **state)
{
    const uint32_t numbers = UINT32_MAX / WEIR_ROWS_ALIGN * WEIR_ROWS_ALIGN, each = 1u << 28;
    const struct weir_steps_block block = {.block = 1, .blocks = 4, .threads = each, .thread = 3};
    const uint64_t mine = each + UINT64_C(3), all = 4 * (uint64_t)each;
    uint32_t turns = 0;
    (void)state;
    PR_EACH_BY(0, &block, i, numbers)
    {
        assert_int_equal(i, each + UINT64_C(3) + turns * 4 * (uint64_t)each);
        if (++turns > 4)
            break;
    }
    assert_int_equal(turns, 4);
    PR_EACH_BY(1, &block, i, numbers)
    {
        assert_int_equal(i, numbers * mine / all);
        break;
    }
    struct weir_steps_block first = block, next = block, last = block;
    first.block = first.thread = 0;
    next.thread++;
    last.block = 3;
    last.thread = each - 1;
    assert_int_equal(pr_each_from(1, &first, numbers, 0), 0);
    assert_int_equal(pr_each_from(1, &block, numbers, 1), pr_each_from(1, &next, numbers, 0));
    assert_int_equal(pr_each_from(1, &last, numbers, 1), numbers);
    assert_int_equal(pr_each_from(0, &block, numbers, 1), numbers);
}

/* ---- more than 2^32 arcs for one thread -------------------------------------------------------- */

static void a_thread_counts_more_than_32_bits(void **state)
{
    const uint64_t pairs[] = {weir_rows_pair(1, 1), weir_rows_pair(2, 2), weir_rows_pair(3, 3),
                              weir_rows_pair(4, 4)};
    const struct sssp_step_range range = {0, 4, 1, UINT32_MAX};
    uint32_t tent[8], stamp[1] = {0};
    struct sssp_step_args args = {
        .part = {.owned = 8}, .pairs.out = pairs, .tent = {tent}, .stamp = {stamp}};
    struct sssp_step_shared *shared = calloc(1, sizeof *shared);
    const struct sssp_step_worker worker = {.count = 1, .iteration = SSSP_STEP_FIRST};
    struct sssp_step_found found = {
        .changed = UINT32_MAX - 3, .looks = UINT32_MAX - 3, .low = SSSP_STEP_NONE};
    (void)state;
    assert_non_null(shared);
    memset(tent, 0xFF, sizeof tent);
    struct sssp_step_relaxer relaxer = sssp_step_relaxer_of(&args, shared, &worker);
    assert_int_equal(sssp_step_batch(&relaxer, &range, 0, 1, 0, &found), 4);
    sssp_step_flush(shared, &found, SSSP_STEP_LIGHT);
    assert_int_equal(shared->looks[SSSP_STEP_LIGHT], UINT64_C(1) << 32);
    assert_int_equal(shared->sum[0], UINT64_C(1) << 32); /* 0 would be the end of the run */
    free(shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_cut_the_longest_row),
        cmocka_unit_test(a_search_cuts_the_longest_row),
        cmocka_unit_test(paths_cut_the_longest_row),
        cmocka_unit_test(ranks_deal_out_the_longest_rows),
        cmocka_unit_test(every_thread_comes_to_the_end_of_all_numbers),
        cmocka_unit_test(a_thread_counts_more_than_32_bits),
    };
    return cmocka_run_group_tests_name("bounds", tests, NULL, NULL);
}
