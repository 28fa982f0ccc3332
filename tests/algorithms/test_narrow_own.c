/** @file test_narrow_own.c  What blocks do in narrow rounds, one function at a time: words, arrivals, items of their
 * own, what is put off and handed back, and who looks at what.
 *
 * The templates are those of sssp_u32 on the host, where a warp has one lane and a set one tile; whole runs:
 * test_narrow.c. Vertex v has v % 4 arcs, all to vertex 0; an item's distance is its priority. */
#include "algorithms/sssp/sssp_op.h"
#include "tests/lib/support.h"

#define WEIR_OPERATOR sssp_u32
#include "worklist/engine_tmpl.h"

enum {
    VERTICES = 2000,
    NARROW = 1024,    /* items of a round that may be narrow */
    NEAR_ROOM = 1000, /* what near bags hold */
    FAR_ROOM = 600,
    BUCKET_ROOM = 4,
    OWN_MOST = 64,
    BLOCKS_MOST = 8,
    FROM = WEIR_BAG_NEAR,   /* the bag, or half, that rounds here read */
    TO = WEIR_BAG_NEAR + 1, /* and that they put into */
};

#define UNTOUCHED 0xABABABABu /* an item or bounds where nothing was put */

/* Of all tests; set_up() makes it anew. */
static struct weir_control control;
static struct sssp_u32_block block;
static struct sssp_u32_run run;
static uint64_t offsets[VERTICES + 1], bounds[2][NARROW];
static uint32_t targets[4 * VERTICES], weights[4 * VERTICES], distance[VERTICES];
static sssp_u32_item near[2][NEAR_ROOM], far[FAR_ROOM], buckets[WEIR_BUCKETS][BUCKET_ROOM];

static void make_graph(void)
{
    for (uint32_t v = 0; v < VERTICES; v++) {
        offsets[v + 1] = offsets[v] + v % 4;
        distance[v] = UINT32_MAX;
    }
    memset(targets, 0, sizeof targets);
    for (uint32_t i = 0; i < 4 * VERTICES; i++)
        weights[i] = 1;
}

static void make_bags(struct weir_engine_args *work)
{
    memset(near, 0xAB, sizeof near);
    memset(far, 0xAB, sizeof far);
    memset(buckets, 0xAB, sizeof buckets);
    memset(bounds, 0xAB, sizeof bounds);
    for (uint32_t b = 0; b < 2; b++) {
        work->bag[WEIR_BAG_NEAR + b] = (struct weir_bag){.slots = near[b], .room = NEAR_ROOM};
        work->bounds[b] = bounds[b];
    }
    work->bag[WEIR_BAG_FAR] = (struct weir_bag){.slots = far, .room = FAR_ROOM};
    for (uint32_t b = 0; b < WEIR_BUCKETS; b++)
        work->bag[WEIR_BAG_BUCKET + b] =
            (struct weir_bag){.slots = buckets[b], .room = BUCKET_ROOM};
}

/* Priorities below 100 are near; four buckets from number 14 on, each 10 wide, so the last two are 0 and 1. */
static int set_up(void **state)
{
    struct weir_engine_args *work = &block.args.work;
    (void)state;
    memset(&control, 0, sizeof control);
    memset(&block, 0, sizeof block);
    make_graph();
    make_bags(work);
    block.args.state = (sssp_u32_state){
        {.offsets = offsets, .targets = targets, .weights = weights, .owned = VERTICES, .parts = 1},
        distance};
    block.order = (struct weir_work_order){100, 10, 14, 4, TO, WEIR_BAG_FAR, WEIR_BAG_HELD};
    work->control = &control;
    work->workers = 1;
    work->order = WEIR_ENGINE_SOFT;
    work->cut = 1024;
    work->narrow = NARROW;
    work->own_most = OWN_MOST;
    work->own_least_log = 2;
    work->own_blocks_log = 5;
    sssp_u32_begin_own(work, &block);
    run = (struct sssp_u32_run){
        .args = &block.args, .block = &block, .blocks = BLOCKS_MOST, .near_bag = TO};
    return 0;
}

static uint64_t bounds_of(uint32_t vertex)
{
    return weir_bounds_make(offsets[vertex], offsets[vertex + 1]);
}

static void assert_item(const sssp_u32_item *item, uint32_t vertex, uint32_t at)
{
    assert_int_equal(item->vertex, vertex);
    assert_int_equal(item->distance, at);
}

/* ---- words -------------------------------------------------------------------------------------- */

/* The word of a narrow round: some of the items are blocks' own. */
static uint64_t own_word(uint32_t generation, uint32_t near_bag, uint32_t log, uint32_t own,
                         uint32_t count)
{
    return weir_word_make(generation, WEIR_ACTION_NEAR, near_bag, log, own << 16 | count) |
           WEIR_WORD_OWN | WEIR_WORD_BOUNDS;
}

static void other_words_have_no_own_items(void **state)
{
    static const uint32_t counts[] = {0, 1, 0xFFFF, 0x10000, 0xABCD1234, UINT32_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        uint64_t word = weir_word_make(7, WEIR_ACTION_PLAN, 1, 31, counts[i]);
        assert_int_equal(weir_word_own(word), 0);
        assert_int_equal(weir_word_count(word), counts[i]);
        assert_int_equal(weir_word_shared(word), counts[i]);
    }
}

static void narrow_words_say_which_items_are_blocks_own(void **state)
{
    static const uint32_t parts[][2] = {
        {0, 1}, {1, 1}, {300, 1000}, {32767, 32768}, {65535, 65535}};
    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        uint64_t word = own_word(0xFFFFF, 1, 9, parts[i][0], parts[i][1]);
        assert_int_equal(weir_word_own(word), parts[i][0]);
        assert_int_equal(weir_word_count(word), parts[i][1]);
        assert_int_equal(weir_word_shared(word), parts[i][1] - parts[i][0]);
        /* and all else as in any other word */
        assert_int_equal(weir_word_generation(word), 0xFFFFF);
        assert_int_equal(weir_word_action(word), WEIR_ACTION_NEAR);
        assert_int_equal(weir_word_near_bag(word), 1);
        assert_int_equal(weir_word_blocks_log(word), 9);
        assert_true(weir_word_has_bounds(word));
    }
}

/* Generations have 20 bits, the uppermost of the word. */
static void a_later_word_differs_in_its_generation_alone(void **state)
{
    static const uint32_t generations[] = {0, 1, 0x7FFFF, 0xFFFFE, 0xFFFFF};
    const uint64_t rest = ((uint64_t)1 << 44) - 1;
    (void)state;
    for (size_t i = 0; i < sizeof generations / sizeof *generations; i++) {
        uint64_t word = own_word(generations[i], 1, 31, 0xFFFF, 0xFFFF);
        uint64_t later = weir_word_later(word);
        assert_int_equal(weir_word_generation(later), (generations[i] + 1) & 0xFFFFF);
        assert_int_equal(later & rest, word & rest);
        assert_true(weir_word_is_newer(later, word));
    }
}

/* ---- arrivals ----------------------------------------------------------------------------------- */

enum { BLOCKS = 512 }; /* of a narrow round, at the most */

/* Arrivals of all: each pushed that many and saw that; together they keep @p own items. */
static uint64_t all_arrive(uint32_t pushed, uint32_t own, int special)
{
    uint64_t sum = weir_arrivals_none(0xAB);
    for (uint32_t b = 0; b < BLOCKS; b++)
        sum += weir_arrivals_one_narrow(pushed, own / BLOCKS + (b < own % BLOCKS), special);
    return sum;
}

/* Each field at its most alone, and all of them: no sum carries into the field beside it. */
static void arrivals_of_all_blocks_fit_side_by_side(void **state)
{
    (void)state;
    for (uint32_t which = 0; which < 8; which++) {
        const uint32_t pushed = which & 1 ? WEIR_NARROW_PUSHED : 0;
        const uint32_t own = which & 2 ? WEIR_NARROW_OWN : 0;
        const uint64_t sum = all_arrive(pushed, own, which & 4);
        assert_true(weir_arrivals_are_of(sum, 0xAB));
        assert_int_equal(weir_arrivals_pushed_narrow(sum), BLOCKS * pushed);
        assert_int_equal(weir_arrivals_own(sum), own);
        assert_int_equal(weir_arrivals_special(sum), which & 4 ? BLOCKS : 0);
        assert_int_equal(weir_arrivals_blocks(sum), BLOCKS);
    }
}

/* The decider looks at the bag's tail then; nobody needs the sum. */
static void to_push_more_than_a_sum_holds_is_special(void **state)
{
    static const uint32_t more[] = {WEIR_NARROW_PUSHED + 1, 1u << 21, UINT32_MAX};
    (void)state;
    uint64_t one = weir_arrivals_one_narrow(WEIR_NARROW_PUSHED, 3, 0);
    assert_int_equal(weir_arrivals_special(one), 0);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        one = weir_arrivals_one_narrow(more[i], 3, 0);
        assert_int_equal(weir_arrivals_special(one), 1);
        assert_int_equal(weir_arrivals_own(one), 3);
        assert_int_equal(weir_arrivals_blocks(one), 1);
        one = weir_arrivals_one_narrow(more[i], 3, 1); /* is special for two reasons, once */
        assert_int_equal(weir_arrivals_special(one), 1);
    }
}

/* Where rounds are not narrow one field has the bits of two. */
static void arrivals_of_other_rounds_have_one_large_sum(void **state)
{
    uint64_t sum = weir_arrivals_none(0xAB);
    (void)state;
    assert_int_equal(weir_arrivals_pushed(weir_arrivals_one(UINT32_MAX, 0)), UINT32_MAX);
    for (uint32_t b = 0; b < WEIR_BLOCKS_MOST; b++)
        sum += weir_arrivals_one(UINT32_MAX / WEIR_BLOCKS_MOST, 1);
    assert_int_equal(weir_arrivals_pushed(sum), UINT32_MAX / WEIR_BLOCKS_MOST * WEIR_BLOCKS_MOST);
    assert_int_equal(weir_arrivals_special(sum), WEIR_BLOCKS_MOST);
    assert_int_equal(weir_arrivals_blocks(sum), WEIR_BLOCKS_MOST);
    assert_true(weir_arrivals_are_of(sum, 0xAB));
}

/* ---- the next word ------------------------------------------------------------------------------ */

/* After a round of that word, with so many items kept and pushed. */
static uint64_t next_after(uint64_t word, uint32_t own, uint32_t pushed, int special)
{
    uint64_t arrivals = weir_arrivals_none(weir_word_generation(word)) +
                        weir_arrivals_one_narrow(pushed, own, special);
    return sssp_u32_next_narrow(&block.args.work, word, arrivals);
}

static void block_0_decides_where_there_is_something_to(void **state)
{
    const uint64_t word = own_word(5, 0, 2, 10, 20);
    struct weir_engine_args *work = &block.args.work;
    (void)state;
    assert_int_not_equal(next_after(word, 10, 10, 0), 0);
    assert_int_equal(next_after(word, 10, 10, 1), 0); /* something special */
    assert_int_equal(next_after(word, 0, 0, 0), 0);   /* nothing is left */
    assert_int_not_equal(next_after(word, NARROW - 10, 10, 0), 0);
    assert_int_equal(next_after(word, NARROW - 10, 11, 0), 0); /* that is not narrow */
    work->bag[WEIR_BAG_NEAR].room = 10;
    work->bag[WEIR_BAG_NEAR + 1].room = 10;
    assert_int_not_equal(next_after(word, 500, 10, 0), 0); /* own items need no room in it */
    assert_int_equal(next_after(word, 0, 11, 0), 0);
    work->narrow = 0;
    assert_int_equal(next_after(word, 1, 0, 0), 0);
}

static void the_next_word_says_who_has_what(void **state)
{
    (void)state;
    for (uint32_t bag = 0; bag < 2; bag++)
        for (uint32_t own = 0; own < 200; own += 7)
            for (uint32_t pushed = own == 0; pushed < 200; pushed += 11) {
                uint64_t next = next_after(own_word(0xFFFFF, bag, 0, 3, 4), own, pushed, 0);
                assert_int_equal(weir_word_generation(next), 0); /* after the last */
                assert_int_equal(weir_word_action(next), WEIR_ACTION_NEAR);
                assert_int_equal(weir_word_near_bag(next), bag ^ 1);
                assert_int_equal(weir_word_own(next), own);
                assert_int_equal(weir_word_shared(next), pushed);
                assert_true(weir_word_has_bounds(next));
            }
}

/* To at most 4 for each block here, while there are more blocks. */
static void more_items_are_spread_to_more_blocks(void **state)
{
    const struct weir_engine_args *work = &block.args.work;
    uint32_t before = 0;
    (void)state;
    for (uint32_t count = 1; count <= NARROW; count++) {
        const uint64_t next = next_after(own_word(1, 0, 0, 0, 1), count / 2, count - count / 2, 0);
        const uint32_t log = weir_word_blocks_log(next);
        assert_true(log >= before);
        assert_true(log <= work->own_blocks_log);
        if (log < work->own_blocks_log)
            assert_true(count <= 1u << (log + work->own_least_log));
        if (log > 0) /* and half as many would not do */
            assert_true(count > 1u << (log - 1 + work->own_least_log));
        before = log;
    }
    assert_int_equal(before, work->own_blocks_log);
}

/* Who has items of its own takes part. */
static void blocks_never_get_fewer(void **state)
{
    const uint32_t most = block.args.work.own_blocks_log;
    (void)state;
    for (uint32_t log = 0; log <= most; log++)
        for (uint32_t own = 1; own <= NARROW; own = own * 2 + 1) {
            uint64_t next = next_after(own_word(1, 0, log, 0, 1), own, 0, 0);
            assert_in_range(weir_word_blocks_log(next), log, most);
        }
}

/* ---- what blocks may keep ----------------------------------------------------------------------- */

/* The limit after a round in which @p before items were shared and the block kept @p own; now @p shared of 100 items
 * are, and 8 blocks take part: 20 are fair. */
static uint32_t limit_of(uint32_t before, uint32_t shared, uint32_t own)
{
    const uint64_t word = own_word(5, 0, 3, 50, 50 + before);
    const uint64_t next = own_word(6, 1, 3, 100 - shared, 100);
    block.own_count[0] = 33;
    block.own_count[1] = own;
    block.own_limit[0] = UNTOUCHED;
    block.own_limit[1] = OWN_MOST;
    sssp_u32_turn_own(&block.args.work, &block, word, next, own);
    /* The half that was read is empty now; that which is read next is as it was. */
    assert_int_equal(block.own_count[0], 0);
    assert_int_equal(block.own_count[1], own);
    assert_int_equal(block.own_limit[1], OWN_MOST);
    return block.own_limit[0];
}

static void a_block_keeps_what_it_can_while_nobody_shares(void **state)
{
    (void)state;
    assert_int_equal(limit_of(0, 0, 0), OWN_MOST);
    assert_int_equal(limit_of(0, 0, 20), OWN_MOST);
    assert_int_equal(limit_of(9, 0, 20), OWN_MOST); /* nor shares any longer */
}

static void all_give_in_the_first_round_that_shares(void **state)
{
    (void)state;
    assert_int_equal(limit_of(0, 1, 0), 100 / 8 + FAIR_ABOVE);
    assert_int_equal(limit_of(0, 100, 10), 100 / 8 + FAIR_ABOVE);
    assert_int_equal(limit_of(1, 1, 10), OWN_MOST); /* in the second they keep again */
}

static void a_block_gives_that_has_far_too_much(void **state)
{
    const uint32_t fair = 100 / 8 + FAIR_ABOVE;
    (void)state;
    assert_int_equal(limit_of(0, 0, 2 * fair), OWN_MOST);
    assert_int_equal(limit_of(0, 0, 2 * fair + 1), fair);
    assert_int_equal(limit_of(7, 7, 2 * fair + 1), fair); /* shared or not */
    block.args.work.own_most = 2 * (2 * fair + 5);
    assert_int_equal(limit_of(0, 0, 2 * fair + 5), 2 * (2 * fair + 5)); /* fits its warps */
    assert_int_equal(limit_of(0, 0, 2 * fair + 6), fair);
}

static void what_is_fair_is_never_more_than_fits(void **state)
{
    (void)state;
    block.args.work.own_most = 16;
    assert_int_equal(limit_of(0, 1, 0), 16);
}

/* ---- new items ---------------------------------------------------------------------------------- */

/* Make items of vertices @p first to @p first + @p count - 1 as one warp does, and give them room. */
static void make_new(uint32_t first, uint32_t count)
{
    const struct sssp_u32_room room = sssp_u32_find_room(&run, count);
    for (uint32_t i = 0; i < count; i++) {
        const sssp_u32_item item = {first + i, first + i + 1000};
        sssp_u32_put_new(&run, &room, i, &item, bounds_of(first + i));
    }
}

static void assert_own(uint32_t half, uint32_t i, uint32_t vertex)
{
    assert_item(&block.own[half][i], vertex, vertex + 1000);
    assert_int_equal(block.own_bounds[half][i], bounds_of(vertex));
}

static void assert_near(uint32_t bag, uint32_t i, uint32_t vertex)
{
    assert_item(&near[bag][i], vertex, vertex + 1000);
    assert_int_equal(bounds[bag][i], bounds_of(vertex));
}

/* Item number i goes to place i: first those of the block, then the bag's. A find may need both. */
static void new_items_stay_up_to_the_limit(void **state)
{
    enum { LIMIT = 7, ALL = 21 };
    (void)state;
    block.own_limit[TO] = LIMIT;
    for (uint32_t made = 0, count = 1; made < ALL; made += count++)
        make_new(made, count);
    assert_int_equal(sssp_u32_own_items(&block, TO), LIMIT);
    assert_int_equal(run.pushed, ALL - LIMIT);
    assert_int_equal(control.look[TO], ALL - LIMIT);
    for (uint32_t i = 0; i < LIMIT; i++)
        assert_own(TO, i, i);
    for (uint32_t i = LIMIT; i < ALL; i++)
        assert_near(TO, i - LIMIT, i);
    assert_int_equal(near[TO][ALL - LIMIT].vertex, UNTOUCHED);
    /* The half and the bag that are read in this round are as they were. */
    assert_int_equal(sssp_u32_own_items(&block, FROM), 0);
    assert_int_equal(control.look[FROM], 0);
}

static void what_fits_is_not_pushed(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < OWN_MOST; i += 2)
        make_new(i, 2);
    assert_int_equal(sssp_u32_own_items(&block, TO), OWN_MOST);
    assert_int_equal(run.pushed, 0);
    assert_int_equal(control.look[TO], 0);
}

static void bounds_lie_beside_the_first_items_alone(void **state)
{
    const sssp_u32_item item = {5, 1005};
    (void)state;
    block.args.work.narrow = 3;
    for (uint32_t slot = 0; slot < 5; slot++)
        sssp_u32_put_narrow(&run, slot, &item, bounds_of(5));
    for (uint32_t slot = 0; slot < 5; slot++)
        assert_item(&near[TO][slot], 5, 1005);
    assert_int_equal(bounds[TO][2], bounds_of(5));
    assert_int_equal((uint32_t)bounds[TO][3], UNTOUCHED);
}

/* ---- put off, handed back ----------------------------------------------------------------------- */

static void items_are_put_off_while_there_is_room(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < PUT_OFF_MOST; i++)
        assert_int_equal(sssp_u32_put_off(&block, 1, &(sssp_u32_item){i, 100 + i}), 0);
    for (uint32_t i = 0; i < 1000; i++) { /* refused, however often */
        assert_int_equal(sssp_u32_put_off(&block, 1, &(sssp_u32_item){1, 1}), 1);
        assert_int_equal(block.put_off_count, PUT_OFF_MOST);
    }
    for (uint32_t i = 0; i < PUT_OFF_MOST; i++)
        assert_item(&block.put_off[i], i, 100 + i);
}

/* What a bucket or the far bag holds of the items that were put off, each of which it counts in @p seen. */
static uint32_t tally(const sssp_u32_item *slots, uint32_t count, uint32_t room, uint32_t least,
                      uint32_t below, uint32_t *seen)
{
    count = count < room ? count : room;
    for (uint32_t i = 0; i < count; i++) {
        assert_in_range(slots[i].distance, least, below - 1);
        assert_int_equal(slots[i].distance, 100 + slots[i].vertex);
        seen[slots[i].vertex]++;
    }
    return count;
}

/* Buckets are filled first, each with its own; what they have no room for and what is later goes to the far bag. */
static void what_was_put_off_is_handed_back_in_order(void **state)
{
    static uint32_t seen[PUT_OFF_MOST];
    uint32_t all = 0;
    (void)state;
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < PUT_OFF_MOST; i++)
        assert_int_equal(sssp_u32_put_off(&block, 1, &(sssp_u32_item){i, 100 + i}), 0);
    sssp_u32_put_off(&block, 1, &(sssp_u32_item){0, 100}); /* refused; another takes care of it */
    sssp_u32_hand_back(&block, TO);
    for (uint32_t step = 0; step < 4; step++) {
        const uint32_t b = (14 + step) % WEIR_BUCKETS, least = 100 + 10 * step;
        assert_int_equal(control.look[WEIR_BAG_BUCKET + b], 10);
        all += tally(buckets[b], 10, BUCKET_ROOM, least, least + 10, seen);
    }
    all += tally(far, control.look[WEIR_BAG_FAR], FAR_ROOM, 100, UINT32_MAX, seen);
    assert_int_equal(all, PUT_OFF_MOST);
    for (uint32_t i = 0; i < PUT_OFF_MOST; i++)
        assert_int_equal(seen[i], 1);
    assert_int_equal(control.look[WEIR_LOOK_URGENCY], ~(100u + BUCKET_ROOM)); /* the bucket's 5th */
    for (uint32_t b = 2; b < 14; b++)
        assert_int_equal(control.look[WEIR_BAG_BUCKET + b], 0);
    assert_int_equal(control.look[TO], 0);
}

/* More was asked for than stayed, and some are in the bag already. */
static void own_items_are_handed_back_with_their_bounds(void **state)
{
    enum { LIMIT = 40, MADE = 47 };
    static uint32_t seen[MADE];
    (void)state;
    memset(seen, 0, sizeof seen);
    block.own_limit[TO] = LIMIT;
    for (uint32_t i = 0; i < MADE; i++)
        make_new(i, 1);
    block.own_count[FROM] = 3; /* the half that was read: those items are done */
    sssp_u32_hand_back(&block, TO);
    assert_int_equal(control.look[TO], MADE);
    assert_int_equal(control.look[FROM], 0);
    for (uint32_t i = 0; i < MADE; i++) {
        assert_in_range(near[TO][i].vertex, 0, MADE - 1);
        assert_near(TO, i, near[TO][i].vertex);
        seen[near[TO][i].vertex]++;
    }
    for (uint32_t i = 0; i < MADE; i++)
        assert_int_equal(seen[i], 1);
    assert_int_equal(run.pushed, MADE - LIMIT); /* arrivals counted the others as own */
}

static void who_has_nothing_hands_nothing_back(void **state)
{
    (void)state;
    sssp_u32_hand_back(&block, TO);
    for (uint32_t i = 0; i < WEIR_LOOKS; i++)
        assert_int_equal(control.look[i], 0);
}

/* ---- who looks at what -------------------------------------------------------------------------- */

static uint32_t looked_at[VERTICES];

static void assert_looked_ahead(const struct sssp_u32_ahead *ahead)
{
    const uint32_t v = ahead->item.vertex, arcs = v % 4;
    assert_int_equal(ahead->count, 1);
    assert_true(v < VERTICES);
    looked_at[v]++;
    assert_int_equal(ahead->first, offsets[v]);
    assert_int_equal(ahead->atoms, arcs);
    assert_false(ahead->cut);
    assert_true(ahead->fresh);
    assert_int_equal(ahead->stale, 0);
    assert_int_equal(ahead->fresh_atoms, arcs);
    assert_int_equal(ahead->any, arcs > 0);
    assert_int_equal(ahead->both, arcs > 1);
    if (ahead->any)
        assert_item(&ahead->one.item, 0, ahead->item.distance + 1);
}

/* All that a block looks at in the round of @p word, of which @p own items from vertex @p first on are its own. */
static void look_at_all(uint64_t word, uint32_t number, uint32_t first, uint32_t own)
{
    const uint32_t half = weir_word_near_bag(word);
    struct sssp_u32_sets sets = {half, own, 0, 0, 0, 0};
    struct sssp_u32_ahead ahead;
    run.block_number = number;
    for (uint32_t i = 0; i < own; i++) {
        block.own[half][i] = (sssp_u32_item){first + i, 3};
        block.own_bounds[half][i] = bounds_of(first + i);
    }
    memset(&ahead, 0, sizeof ahead);
    sssp_u32_share_out(&run, &sets, word);
    for (uint32_t set = sssp_u32_warp_now();; set += WORKING_WARPS) {
        sssp_u32_look_at_set(&run, &ahead, &sets, set);
        if (!ahead.count)
            return; /* nor do later sets have any */
        assert_looked_ahead(&ahead);
    }
}

/* A round of @p blocks, of which number b has (b * 5) % 7 items of its own; @p shared more lie in the bag. */
static void check_round(uint32_t generation, uint32_t blocks, uint32_t shared, uint64_t with_bounds)
{
    const uint32_t half = generation & 1u, log = weir_bits_u32(blocks - 1);
    uint32_t all = shared;
    for (uint32_t i = 0; i < shared; i++) {
        near[half][i] = (sssp_u32_item){i, 2};
        bounds[half][i] = with_bounds ? bounds_of(i) : UNTOUCHED;
    }
    memset(looked_at, 0, sizeof looked_at);
    for (uint32_t b = 0; b < blocks; b++)
        all += b * 5 % 7;
    run.blocks = blocks; /* so three of four take part where there are three */
    const uint64_t word =
        weir_word_make(generation, WEIR_ACTION_NEAR, half, log, (all - shared) << 16 | all) |
        WEIR_WORD_OWN | with_bounds;
    assert_int_equal(weir_word_blocks(word, blocks), blocks);
    for (uint32_t b = 0, first = shared; b < blocks; first += b * 5 % 7, b++)
        look_at_all(word, b, first, b * 5 % 7);
    for (uint32_t v = 0; v < VERTICES; v++)
        if (looked_at[v] != (v < all))
            fail_msg("generation %u, %u blocks, %u shared: item %u was looked at %u times",
                     generation, blocks, shared, v, looked_at[v]);
}

static void every_item_is_looked_at_once(void **state)
{
    static const uint32_t sizes[] = {0, 1, 2, 3, 7, 8, 9, 31, 64, 100, NEAR_ROOM};
    (void)state;
    for (uint32_t blocks = 1; blocks <= BLOCKS_MOST; blocks++)
        for (uint32_t generation = 0; generation < 10; generation++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                check_round(generation, blocks, sizes[s], s % 2 ? WEIR_WORD_BOUNDS : 0);
}

/* Each block comes to each share, so nobody is dealt more for ever; as far as shares can be turned by a mask. */
static void shares_turn_from_round_to_round(void **state)
{
    (void)state;
    for (uint32_t active = 1; active <= BLOCKS_MOST; active++)
        for (uint32_t number = 0; number < active; number++) {
            uint32_t shares = 0;
            for (uint32_t generation = 0xFFFFF - active + 1; generation <= 0xFFFFF; generation++)
                shares |= 1u << sssp_u32_turned(number, generation, active);
            assert_int_equal(shares, active & (active - 1) ? 1u << number : (1u << active) - 1u);
        }
}

/* Also where the operator has to be asked for the bounds. */
static void stale_tiles_are_counted_and_their_atoms_are_not(void **state)
{
    struct sssp_u32_ahead ahead;
    (void)state;
    for (int known = 0; known < 2; known++) {
        memset(&ahead, 0, sizeof ahead);
        ahead.item = (sssp_u32_item){7, 50};
        distance[7] = 49; /* came since */
        sssp_u32_look_ahead(&run, &ahead, 1, known ? bounds_of(7) : WEIR_BOUNDS_UNKNOWN);
        assert_int_equal(ahead.first, offsets[7]);
        assert_int_equal(ahead.atoms, 3);
        assert_false(ahead.fresh);
        assert_int_equal(ahead.stale, 1);
        assert_int_equal(ahead.fresh_atoms, 0);
        sssp_u32_do_atoms(&run, &ahead);
    }
    assert_int_equal(distance[0], UINT32_MAX);
    assert_int_equal(sssp_u32_own_items(&block, TO), 0);
}

/* A tile of more atoms than were looked ahead at, to vertices that are near, deferred, and no news. */
static void tiles_make_near_items_and_put_deferred_ones_off(void **state)
{
    static const uint32_t to[] = {10, 11, 12, 13, 14, 15, 16},
                          far_off[] = {1, 90, 1, 80, 200, 2, 3};
    static uint64_t rows[VERTICES + 1];
    struct sssp_u32_ahead ahead;
    (void)state;
    for (uint32_t v = 1; v <= VERTICES; v++)
        rows[v] = 7; /* vertex 0 has them all */
    block.args.state.part.offsets = rows;
    block.args.state.part.targets = to;
    block.args.state.part.weights = far_off;
    distance[12] = 21;
    distance[16] = 22; /* nearer than by this way */
    memset(&ahead, 0, sizeof ahead);
    ahead.item = (sssp_u32_item){0, 20};
    sssp_u32_look_ahead(&run, &ahead, 1, weir_bounds_make(0, 7));
    assert_int_equal(ahead.fresh_atoms, 7);
    sssp_u32_do_atoms(&run, &ahead); /* two, and then the rest */
    assert_int_equal(sssp_u32_do_more(&block, TO, ahead.item, ahead.first, 2, 7), 0);
    assert_int_equal(sssp_u32_own_items(&block, TO), 2);
    assert_item(&block.own[TO][0], 10, 21);
    assert_item(&block.own[TO][1], 15, 22);
    assert_int_equal(block.own_bounds[TO][1], weir_bounds_make(7, 7));
    assert_int_equal(block.put_off_count, 3);
    assert_item(&block.put_off[0], 11, 110);
    assert_item(&block.put_off[1], 13, 100); /* the least that is deferred */
    assert_item(&block.put_off[2], 14, 220);
    assert_int_equal(run.pushed, 0);
}

/* The same item, where no more can be put off: it goes into its bucket at once. */
static void what_cannot_be_put_off_is_deferred_at_once(void **state)
{
    const sssp_u32_item item = {9, 115};
    (void)state;
    block.put_off_count = PUT_OFF_MOST;
    assert_false(sssp_u32_keep_near(&run, 1, &item));
    assert_int_equal(block.put_off_count, PUT_OFF_MOST);
    assert_int_equal(control.look[WEIR_BAG_BUCKET + 15], 1);
    assert_item(&buckets[15][0], 9, 115);
}

#define TEST(f) cmocka_unit_test_setup(f, set_up)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(other_words_have_no_own_items),
        TEST(narrow_words_say_which_items_are_blocks_own),
        TEST(a_later_word_differs_in_its_generation_alone),
        TEST(arrivals_of_all_blocks_fit_side_by_side),
        TEST(to_push_more_than_a_sum_holds_is_special),
        TEST(arrivals_of_other_rounds_have_one_large_sum),
        TEST(block_0_decides_where_there_is_something_to),
        TEST(the_next_word_says_who_has_what),
        TEST(more_items_are_spread_to_more_blocks),
        TEST(blocks_never_get_fewer),
        TEST(a_block_keeps_what_it_can_while_nobody_shares),
        TEST(all_give_in_the_first_round_that_shares),
        TEST(a_block_gives_that_has_far_too_much),
        TEST(what_is_fair_is_never_more_than_fits),
        TEST(new_items_stay_up_to_the_limit),
        TEST(what_fits_is_not_pushed),
        TEST(bounds_lie_beside_the_first_items_alone),
        TEST(items_are_put_off_while_there_is_room),
        TEST(what_was_put_off_is_handed_back_in_order),
        TEST(own_items_are_handed_back_with_their_bounds),
        TEST(who_has_nothing_hands_nothing_back),
        TEST(every_item_is_looked_at_once),
        TEST(shares_turn_from_round_to_round),
        TEST(stale_tiles_are_counted_and_their_atoms_are_not),
        TEST(tiles_make_near_items_and_put_deferred_ones_off),
        TEST(what_cannot_be_put_off_is_deferred_at_once),
    };
    return cmocka_run_group_tests_name("own items of narrow rounds", tests, NULL, NULL);
}
