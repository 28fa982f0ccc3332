/** @file test_own.c  How many devices a level deserves (algorithms/common/own.h): against the reduction tree walked device by device, against
 * all ways in which devices could leave, and the shape of what a machine of eight takes. */
#include "algorithms/common/own_machine.h"
#include "tests/lib/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed;

static uint32_t next(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % below;
}

/* What is not set has @p junk in all its bytes. */
static struct own *own_on(const char *text, int junk, weir_reduction *reduction_out)
{
    weir_machine *machine;
    struct own *own = malloc(sizeof *own);
    assert_non_null(own);
    memset(own, junk, sizeof *own);
    OK(weir_machine_open(text, &machine));
    OK(weir__own_of_machine(machine, 0.5, own));
    OK(weir_reduction_make(machine, reduction_out));
    weir_machine_destroy(machine);
    return own;
}

static void draw(struct own *own)
{
    const uint32_t size = 1u << next(24);
    own->level = next(10000);
    own->barrier = next(8000);
    for (uint32_t i = 0; i < own->count; i++)
        own->work[i] = next(4) ? next(size) : 0;
}

static int near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (1 + fabs(a));
}

/* ---- along the tree ----------------------------------------------------------------------------- */

/* What m devices own and take, by asking of each device who owns its work then. Its questions are in the order of numbers. */
static void walk(const struct own *own, const weir_reduction *reduction, uint32_t m,
                 double *as_is_out, double *shared_out)
{
    double has[STEAL_DEVICES] = {0}, most = 0;
    uint32_t stays[STEAL_DEVICES], count = 0;
    struct steal steal;
    for (uint32_t d = 0; d < own->count; d++)
        has[weir_reduction_owner(reduction, m, d)] += own->work[d];
    for (uint32_t d = 0; d < own->count; d++)
        if (weir_reduction_owner(reduction, m, d) == d)
            stays[count++] = d;
    assert_int_equal(count, m);
    memset(&steal, 0, sizeof steal);
    steal.count = m;
    for (uint32_t i = 0; i < m; i++) {
        most = fmax(most, own->cost[stays[i]][stays[i]] * has[stays[i]]);
        steal.work[i] = has[stays[i]];
        for (uint32_t j = 0; j < m; j++)
            steal.cost[i][j] = own->cost[stays[i]][stays[j]];
    }
    steal_solve(&steal, 0, 1);
    const double together = m > 1 ? m * own->barrier : 0;
    *as_is_out = own->level + together + most;
    *shared_out = own->level + 3 * together + steal.longest;
}

static void assert_as_walked(const struct own *own, const weir_reduction *reduction)
{
    uint32_t best = 1;
    for (uint32_t m = 1; m <= own->count; m++) {
        double as_is, shared;
        walk(own, reduction, m, &as_is, &shared);
        const double takes = own->shares && m > 1 ? fmin(as_is, shared) : as_is;
        assert_true(near(own->takes[m], takes));
        if (!near(as_is, shared))
            assert_int_equal(own->shared[m], own->shares && m > 1 && shared < as_is);
        best = own->takes[m] < own->takes[best] ? m : best;
    }
    assert_int_equal(own->best, best);
}

static void along_the_tree(void **state)
{
    static const char *const machines[] = {"dgx1v",         "m60",          "nvswitch8", "hetero2",
                                           "2x4*pcie-tree", "pcie4-nopeer", "3*nvswitch"};
    uint32_t chosen[STEAL_DEVICES + 1] = {0}, shared = 0;
    (void)state;
    seed = 5;
    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
        weir_reduction reduction;
        struct own *own = own_on(machines[k], 0xAA, &reduction);
        for (uint32_t i = 0; i < 600; i++) {
            draw(own);
            own->shares = i % 2;
            own_decide(own, 0, 1);
            assert_as_walked(own, &reduction);
            chosen[own->best]++;
            shared += own->shared[own->best];
        }
        free(own);
    }
    /* The draws are of all kinds: each of these numbers was best of some, and sharing out was of some too. */
    assert_true(chosen[1] && chosen[2] && chosen[3] && chosen[4] && chosen[8] && shared);
}

/* Whatever lay in the words before, the same figures give the same bits. */
static void devices_decide_the_same(void **state)
{
    weir_reduction reduction;
    struct own *a = own_on("dgx1v", 0xAA, &reduction), *b = own_on("dgx1v", 0x55, &reduction);
    (void)state;
    for (uint32_t i = 0; i < 400; i++) {
        seed = i;
        draw(a);
        seed = i;
        draw(b);
        a->shares = b->shares = i % 2;
        own_decide(a, 0, 1);
        own_decide(b, 0, 1);
        assert_memory_equal(&a->takes[1], &b->takes[1], 8 * sizeof *a->takes);
        assert_memory_equal(&a->shared[1], &b->shared[1], 8 * sizeof *a->shared);
        assert_int_equal(a->best, b->best);
    }
    free(a);
    free(b);
}

/* ---- all ways to leave -------------------------------------------------------------------------- */

/* The least that any set of devices takes, whoever of it takes over from each that leaves; no work is shared out. */
static double least_of_all(const struct own *own)
{
    double least = INFINITY;
    const uint32_t n = own->count;
    for (uint32_t set = 1; set < 1u << n; set++) {
        const uint32_t m = (uint32_t)__builtin_popcount(set);
        for (uint32_t way = 0; way < 1u << (2 * n); way++) { /* two bits say to whom each goes */
            double has[4] = {0}, most = 0;
            int fits = 1;
            for (uint32_t d = 0; d < n; d++) {
                const uint32_t to = way >> (2 * d) & 3;
                fits = fits && to < n && set >> to & 1 && (!(set >> d & 1) || to == d);
                has[to] += own->work[d];
            }
            for (uint32_t d = 0; d < n; d++)
                most = fmax(most, own->cost[d][d] * has[d]);
            if (fits)
                least = fmin(least, own->level + (m > 1 ? m * own->barrier : 0) + most);
        }
    }
    return least;
}

/* Of devices alike with equal parts the tree loses nothing. With other parts it may, and what it says can be no less than the least. */
static void all_ways_to_leave(void **state)
{
    weir_reduction reduction;
    struct own *own = own_on("4*nvswitch", 0xAA, &reduction);
    uint32_t chosen[5] = {0};
    (void)state;
    seed = 9;
    own->shares = 0;
    for (uint32_t i = 0; i < 120; i++) {
        const int equal = i % 2;
        draw(own);
        for (uint32_t d = 1; d < own->count && equal; d++)
            own->work[d] = own->work[0];
        own_decide(own, 0, 1);
        const double least = least_of_all(own);
        assert_true(own->takes[own->best] >= least * (1 - 1e-9));
        assert_true(!equal || near(own->takes[own->best], least));
        chosen[own->best] += (uint32_t)equal;
    }
    assert_true(chosen[1] && chosen[2] && chosen[4]);
    free(own);
}

/* ---- by hand, and the shape --------------------------------------------------------------------- */

/* Four devices alike, z = 10, p = 4, an arc 1: with 16 arcs each 74 of one, 50 of two, 54 of three and 42 of four. */
static void by_hand(void **state)
{
    static const double takes[] = {0, 74, 50, 54, 42};
    struct own own = {
        .count = 4, .level = 10, .barrier = 4, .leaves = {3, 2, 1, 0}, .taker = {0, 0, 0, 1}};
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        own.work[i] = 16;
        for (uint32_t j = 0; j < 4; j++)
            own.cost[i][j] = 1;
    }
    own_decide(&own, 0, 1);
    for (uint32_t m = 1; m <= 4; m++)
        assert_true(near(own.takes[m], takes[m]));
    assert_int_equal(own.best, 4);
    for (uint32_t i = 0; i < 4; i++)
        own.work[i] = 8; /* 42, 34, 38 and 34: of two that take equally long the fewer */
    own_decide(&own, 0, 1);
    assert_true(near(own.takes[2], own.takes[4]));
    assert_int_equal(own.best, 2);
}

/* The wider a level the more devices it deserves: one at first, all in the end, and never fewer on the way. */
static void wider_levels_deserve_more(void **state)
{
    static const char *const machines[] = {"dgx1v", "nvswitch8", "4*nvswitch", "2*nvswitch"};
    (void)state;
    for (uint32_t k = 0; k < 8; k++) {
        weir_reduction reduction;
        struct own *own = own_on(machines[k / 2], 0xAA, &reduction);
        uint32_t before = 1;
        own->shares = k % 2;
        own->level = 4000;
        own->barrier = 3000;
        for (double arcs = 16; arcs < 1e9; arcs *= 1.25) {
            for (uint32_t i = 0; i < own->count; i++)
                own->work[i] = arcs / own->count;
            own_decide(own, 0, 1);
            if (arcs == 16)
                assert_int_equal(own->best, 1);
            assert_true(own->best >= before);
            before = own->best;
        }
        assert_int_equal(before, own->count);
        free(own);
    }
}

static void refused(void **state)
{
    static const char *const machines[] = {"1*nvswitch", "9*nvswitch"};
    struct own *own = malloc(sizeof *own);
    (void)state;
    assert_non_null(own);
    for (uint32_t k = 0; k < 2; k++) {
        weir_machine *machine;
        OK(weir_machine_open(machines[k], &machine));
        assert_int_equal(weir__own_of_machine(machine, 0.5, own), WEIR_ERR_UNSUPPORTED);
        assert_non_null(strstr(weir_error_detail(), "of 2 to 8 devices"));
        weir_machine_destroy(machine);
    }
    free(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(along_the_tree),    cmocka_unit_test(devices_decide_the_same),
        cmocka_unit_test(all_ways_to_leave), cmocka_unit_test(by_hand),
        cmocka_unit_test(refused),           cmocka_unit_test(wider_levels_deserve_more),
    };
    return cmocka_run_group_tests_name("own", tests, NULL, NULL);
}
