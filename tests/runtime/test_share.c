/** @file test_share.c  Max-min fair shares, against shares worked out by hand. */
#include "tests/lib/support.h"

#include "runtime/internal.h"

#include <math.h>

#define RESOURCES 4
#define FLOWS     8

static const uint32_t no_use[FLOWS + 1];

static void share(const double *capacity, const uint32_t *begin, const uint16_t *use,
                  const double *limit, uint32_t flows, double *rate)
{
    double scratch[2 * RESOURCES];
    for (uint32_t i = 0; i < 2 * RESOURCES; i++)
        scratch[i] = NAN; /* nothing may be expected of it */
    weir__share(capacity, RESOURCES, begin, use, limit, flows, rate, scratch);
}

static void assert_rates(const double *rate, const double *wanted, uint32_t flows)
{
    for (uint32_t f = 0; f < flows; f++)
        if (!(fabs(rate[f] - wanted[f]) <= 1e-12 * wanted[f]))
            fail_msg("flow %u gets %.17g, not %.17g", f, rate[f], wanted[f]);
}

static void one_bottleneck(void **state)
{
    static const double capacity[RESOURCES] = {12, 100, 100, 100}, limit[3] = {0};
    static const uint32_t begin[] = {0, 1, 2, 4};
    static const uint16_t use[] = {0, 0, 0, 1};
    double rate[3];
    (void)state;
    share(capacity, begin, use, limit, 3, rate);
    assert_rates(rate, (const double[]){4, 4, 4}, 3);
}

/* Resource 0 of 10 carries flows 0 and 1; resource 1 of 16 carries flows 1, 2 and 3. Resource 0 gives 5
 * each, resource 1 would give 16/3: so 0 and 1 stop at 5, and 2 and 3 share the other 11. */
static void two_levels(void **state)
{
    static const double capacity[RESOURCES] = {10, 16, 1, 1}, limit[4] = {0};
    static const uint32_t begin[] = {0, 1, 3, 4, 5};
    static const uint16_t use[] = {0, 0, 1, 1, 1};
    double rate[4];
    (void)state;
    share(capacity, begin, use, limit, 4, rate);
    assert_rates(rate, (const double[]){5, 5, 5.5, 5.5}, 4);
}

/* Bertsekas and Gallager's kind of chain: the long flow is held by the narrowest hop, the short ones take
 * what it leaves. */
static void chain_of_hops(void **state)
{
    static const double capacity[RESOURCES] = {6, 4, 10, 1}, limit[4] = {0};
    static const uint32_t begin[] = {0, 3, 4, 5, 6};
    static const uint16_t use[] = {0, 1, 2, 0, 1, 2};
    double rate[4];
    (void)state;
    share(capacity, begin, use, limit, 4, rate);
    assert_rates(rate, (const double[]){2, 4, 2, 8}, 4);
}

/* What a limited flow leaves goes to the others. */
static void limits(void **state)
{
    static const double capacity[RESOURCES] = {12, 1, 1, 1}, limit[4] = {1, 0, 30, 3};
    static const uint32_t begin[] = {0, 1, 2, 3, 4};
    static const uint16_t use[] = {0, 0, 0, 0};
    double rate[4];
    (void)state;
    share(capacity, begin, use, limit, 4, rate);
    assert_rates(rate, (const double[]){1, 4, 4, 3}, 4);
}

static void no_resources(void **state)
{
    static const double capacity[RESOURCES] = {1, 1, 1, 1}, limit[2] = {7, 0};
    static const uint16_t use[1] = {0};
    double rate[2];
    (void)state;
    share(capacity, no_use, use, limit, 2, rate);
    assert_true(rate[0] == 7);
    assert_true(isinf(rate[1]) && rate[1] > 0);
}

static void zero_flows(void **state)
{
    static const double capacity[RESOURCES] = {1, 1, 1, 1}, limit[1] = {0};
    static const uint16_t use[1] = {0};
    double rate = -7;
    (void)state;
    share(capacity, no_use, use, limit, 0, &rate);
    assert_true(rate == -7);
}

struct network {
    double capacity[RESOURCES], limit[FLOWS];
    uint32_t begin[FLOWS + 1];
    uint16_t use[FLOWS * RESOURCES];
};

static void make_network(struct network *net, uint64_t *seed)
{
    uint32_t used = 0;
    for (uint32_t r = 0; r < RESOURCES; r++)
        net->capacity[r] = 1 + (double)(next_random(seed) % 1000) / 7;
    for (uint32_t f = 0; f < FLOWS; f++) {
        net->begin[f] = used;
        net->limit[f] = next_random(seed) % 3 ? 0 : 0.1 + (double)(next_random(seed) % 100);
        for (uint16_t r = 0; r < RESOURCES; r++)
            if (next_random(seed) % 2)
                net->use[used++] = r;
        if (used == net->begin[f])
            net->use[used++] = 0;
    }
    net->begin[FLOWS] = used;
}

static int uses(const struct network *net, uint32_t flow, uint16_t resource)
{
    for (uint32_t i = net->begin[flow]; i < net->begin[flow + 1]; i++)
        if (net->use[i] == resource)
            return 1;
    return 0;
}

static double load(const struct network *net, const double *rate, uint16_t resource)
{
    double sum = 0;
    for (uint32_t f = 0; f < FLOWS; f++)
        sum += uses(net, f, resource) ? rate[f] : 0;
    return sum;
}

/* Full, and nobody on it gets more than this flow. */
static int is_bottleneck(const struct network *net, const double *rate, uint16_t resource,
                         uint32_t flow)
{
    if (load(net, rate, resource) < net->capacity[resource] * (1 - 1e-9))
        return 0;
    for (uint32_t f = 0; f < FLOWS; f++)
        if (uses(net, f, resource) && rate[f] > rate[flow] * (1 + 1e-9))
            return 0;
    return 1;
}

static int is_held(const struct network *net, const double *rate, uint32_t flow)
{
    if (net->limit[flow] > 0 && rate[flow] >= net->limit[flow])
        return 1;
    for (uint32_t i = net->begin[flow]; i < net->begin[flow + 1]; i++)
        if (is_bottleneck(net, rate, net->use[i], flow))
            return 1;
    return 0;
}

/* The definition: nothing is overloaded, and each flow is at its limit or has a bottleneck. */
static void fair_by_definition(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (int round = 0; round < 500; round++) {
        struct network net;
        double rate[FLOWS], again[FLOWS];
        make_network(&net, &seed);
        share(net.capacity, net.begin, net.use, net.limit, FLOWS, rate);
        share(net.capacity, net.begin, net.use, net.limit, FLOWS, again);
        assert_memory_equal(rate, again, sizeof rate);
        for (uint16_t r = 0; r < RESOURCES; r++)
            assert_true(load(&net, rate, r) <= net.capacity[r] * (1 + 1e-9));
        for (uint32_t f = 0; f < FLOWS; f++)
            if (!(rate[f] > 0) || !is_held(&net, rate, f))
                fail_msg("network %d: nothing holds flow %u at %g", round, f, rate[f]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_bottleneck),     cmocka_unit_test(two_levels),
        cmocka_unit_test(chain_of_hops),      cmocka_unit_test(limits),
        cmocka_unit_test(no_resources),       cmocka_unit_test(zero_flows),
        cmocka_unit_test(fair_by_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
