/** @file test_sssp_lanes.c  What is left of a long row in shortest paths in step, cut into pieces and relaxed by the lanes of a warp on a host
 * (tests/lib/lanes.h): every arc of it, wherever it begins, along lines of host memory or not. */
#include "tests/lib/lanes.h"

#include "algorithms/sssp/sssp_step_relax.h"
#include "tests/lib/support.h"

#include <stdlib.h>
#include <string.h>

enum {
    ARCS_MOST = 2000,
    PIECES_MOST = ARCS_MOST / SSSP_STEP_PIECE + 2,
    DISTANCE = 5,
    ITERATION = 6
};

static struct {
    uint64_t pairs[ARCS_MOST];
    uint32_t tent[ARCS_MOST], stamp[2 * ARCS_MOST];
    struct sssp_step_piece piece[2 * PIECES_MOST];
    uint32_t piece_count[SSSP_STEP_SLOTS];
    struct sssp_step_args args;
    struct sssp_step_shared shared;
    uint64_t first, end, cut, looks, changed; /* the last three from lanes */
    uint32_t last;
} of;

static void lane_relaxes(void *data, uint32_t thread)
{
    (void)data;
    const struct sssp_step_worker worker = {.count = 1, .iteration = ITERATION};
    struct sssp_step_relaxer r = sssp_step_relaxer_of(&of.args, &of.shared, &worker);
    struct sssp_step_found found = sssp_step_nothing();
    const uint64_t cut =
        sssp_step_cut(&of.args, ITERATION - 1, of.first, of.end, DISTANCE, of.last);
    (void)weir_ballot(1); /* the list is there */
    sssp_step_pieces(&r, &worker, &found);
    const uint64_t looks = weir_sum_u64(found.looks), changed = weir_sum_u64(found.changed);
    if (thread == 0) {
        of.cut = cut;
        of.looks = looks;
        of.changed = changed;
    }
}

/* Arcs before and behind the range would lower distances, too. */
static void relax(uint64_t first, uint64_t end, uint32_t last, int lines)
{
    uint64_t want = first;
    memset(of.tent, 0xFF, sizeof of.tent);
    memset(of.stamp, 0, sizeof of.stamp);
    memset(of.piece_count, 0, sizeof of.piece_count);
    of.args.lines = (uint16_t)lines;
    of.first = first;
    of.end = end;
    of.last = last;
    lanes_run(1, 1, 1 + first + end, lane_relaxes, NULL);
    for (uint64_t arc = 0; arc < ARCS_MOST; arc++) {
        const uint32_t weight = weir_rows_pair_weight(of.pairs[arc]);
        const int is = arc >= first && arc < end && weight <= last;
        if (of.tent[weir_rows_pair_target(of.pairs[arc])] !=
            (is ? DISTANCE + weight : SSSP_STEP_NONE))
            fail_msg("arcs %llu to %llu up to weight %u, lines %d: arc %llu",
                     (unsigned long long)first, (unsigned long long)end, last, lines,
                     (unsigned long long)arc);
        want += (uint64_t)is;
    }
    assert_int_equal(of.cut, want);
    assert_int_equal(of.looks, want - first);
    assert_int_equal(of.changed, want - first);
    assert_int_equal(of.piece_count[ITERATION % SSSP_STEP_SLOTS],
                     (want - first + SSSP_STEP_PIECE - 1) / SSSP_STEP_PIECE);
}

static void every_arc_of_a_long_row(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* it does not follow fibers */
#endif
    for (uint32_t arc = 0; arc < ARCS_MOST; arc++) /* an odd number times it: each once */
        of.pairs[arc] = weir_rows_pair(arc / 3, arc * 777 % ARCS_MOST);
    of.args.part.owned = ARCS_MOST;
    of.args.part.parts = 1;
    of.args.member.count = 1;
    of.args.pairs.out = of.pairs;
    of.args.tent[0] = of.tent;
    of.args.stamp[0] = of.stamp;
    of.args.piece = of.piece;
    of.args.pieces_most = PIECES_MOST;
    of.args.piece_count = of.piece_count;
    for (uint64_t first = 0; first < 40; first++)
        for (uint64_t length = 0; length < 300; length += length < 4 ? 1 : 31)
            for (int lines = 0; lines < 2; lines++) {
                relax(first, first + length, UINT32_MAX - 1, lines);
                relax(first, first + length, (uint32_t)(first + length / 2) / 3, lines);
            }
    for (int lines = 0; lines < 2; lines++)
        relax(17, ARCS_MOST - 1, UINT32_MAX - 1, lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_arc_of_a_long_row)};
    return cmocka_run_group_tests_name("sssp_lanes", tests, NULL, NULL);
}
