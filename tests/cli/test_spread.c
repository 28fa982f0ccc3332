/** @file test_spread.c  How the numbers of many runs are spread: quartiles, deviations and harmonic means against numbers that were reckoned
 * by hand from the definitions of Graph500's specification. */
#include "algorithms/cli/spread.c" /* of the command, of which tests link nothing */

#include "tests/lib/support.h"

static void assert_near(double have, double want)
{
    if (!(fabs(have - want) <= 1e-12 * fabs(want)))
        fail_msg("%.17g is not %.17g", have, want);
}

static void quartiles_fall_between(void **state)
{
    double one[] = {5}, two[] = {9, 1}, four[] = {4, 1, 3, 2}, five[] = {50, 10, 40, 20, 30};
    double nine[] = {9, 8, 7, 6, 5, 4, 3, 2, 1};
    (void)state;
    weir__cli_spread of = weir__cli_spread_of(one, 1);
    assert_true(of.min == 5 && of.firstquartile == 5 && of.median == 5 && of.thirdquartile == 5 &&
                of.max == 5 && of.mean == 5 && isnan(of.stddev));
    of = weir__cli_spread_of(two, 2);
    assert_true(of.min == 1 && of.firstquartile == 1 && of.median == 5 && of.thirdquartile == 9 &&
                of.max == 9 && of.mean == 5);
    assert_near(of.stddev, 5.656854249492381); /* sqrt(32) */
    of = weir__cli_spread_of(four, 4);
    assert_true(of.firstquartile == 1.5 && of.median == 2.5 && of.thirdquartile == 3.5);
    assert_near(of.stddev, 1.2909944487358056); /* sqrt(5 / 3) */
    of = weir__cli_spread_of(five, 5);
    assert_true(of.min == 10 && of.firstquartile == 20 && of.median == 30 &&
                of.thirdquartile == 40 && of.max == 50 && of.mean == 30);
    assert_near(of.stddev, 15.811388300841896); /* sqrt(250) */
    of = weir__cli_spread_of(nine, 9);
    assert_true(of.firstquartile == 3 && of.median == 5 && of.thirdquartile == 7);
}

/* 1, 2 and 4 seconds an edge: rates of 1, 1/2 and 1/4, whose harmonic mean is 3 / 7. The seconds have a mean of 7/3 and a deviation of
 * sqrt(7/3); that of the harmonic mean is sqrt(7/3) / ((7/3)^2 sqrt(2)). */
static void rates_have_harmonic_means(void **state)
{
    double seconds[] = {4, 1, 2}, one[] = {8}, four[] = {1, 2, 4, 8};
    (void)state;
    weir__cli_spread of = weir__cli_spread_of_rates(seconds, 3);
    assert_true(of.min == .25 && of.median == .5 && of.max == 1);
    assert_true(of.firstquartile == .25 && of.thirdquartile == 1); /* of three, at the ends */
    assert_near(of.mean, 3 / 7.);
    assert_near(of.stddev, 0.19839002137983242);
    of = weir__cli_spread_of_rates(four, 4);
    assert_near(of.firstquartile, 1 / 6.); /* between 4 and 8 seconds */
    assert_near(of.median, 1 / 3.);
    assert_near(of.thirdquartile, 1 / 1.5);
    of = weir__cli_spread_of_rates(one, 1);
    assert_true(of.min == .125 && of.mean == .125 && isnan(of.stddev));
}

/* The first n numbers in any order: every quartile is where the specification's two positions are. */
static void order_of_many(void **state)
{
    double numbers[64];
    (void)state;
    for (size_t n = 1; n <= 64; n++) {
        for (size_t i = 0; i < n; i++)
            numbers[i] = (double)((i * 37 + 11) % n); /* a permutation unless 37 divides n */
        if (n == 37)
            continue;
        const weir__cli_spread of = weir__cli_spread_of(numbers, n);
        assert_true(of.min == 0 && of.max == (double)n - 1);
        assert_near(of.median + 1, ((double)n - 1) / 2 + 1);
        assert_near(of.firstquartile + of.thirdquartile, (double)n - 1); /* symmetric */
        assert_near(of.mean, ((double)n - 1) / 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quartiles_fall_between),
        cmocka_unit_test(rates_have_harmonic_means),
        cmocka_unit_test(order_of_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
