/** @file reduce.c  Which devices to keep when fewer take part (GUM, section IV-A, Figure 4b).
 *
 * Devices leave one by one, so the sets of those that stay are nested. Wanted is the chain of sets
 * whose bandwidths between those that stay, summed over all its sets, are largest: no number of
 * devices is favoured. Up to 16 devices the best chain is found, by dynamic programming over all
 * sets; above that the device goes whose pairs are worth least. Of devices that are worth the same
 * the one with the highest number goes. A pair that does not reach counts half of what staging
 * gives it, for each of its bytes is copied twice.
 *
 * Whoever leaves gives its work to the one that stays and has the widest link to it; of several
 * such to the one that has the fewest devices' work by then, so work spreads as evenly as a tree
 * can. */
#include "topology/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_MAX 16

/* Bytes a second from one device to another: whole numbers, whose sums do not depend on order. */
static int64_t rate(const weir_machine *machine, uint32_t from, uint32_t to)
{
    const weir_cost *cost = weir__cost(machine, from, to);
    return llround(fmin(cost->bandwidth_gbs, 1e6) * 1e9 / (cost->staged ? 2 : 1));
}

static int64_t pair_rate(const weir_machine *machine, uint32_t a, uint32_t b)
{
    return rate(machine, a, b) + rate(machine, b, a);
}

static int64_t rate_to_set(const weir_machine *machine, uint32_t device, uint64_t set)
{
    int64_t sum = 0;
    for (uint32_t d = 0; d < machine->devices; d++)
        if (d != device && set >> d & 1)
            sum += pair_rate(machine, device, d);
    return sum;
}

static uint64_t all_of(uint32_t count)
{
    return count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* The last device leaves the set {d} at no gain; so it goes by size, small sets first. */
static weir_status leave_best(const weir_machine *machine, uint8_t *leaves_out)
{
    uint32_t n = machine->devices;
    size_t sets = (size_t)1 << n;
    struct set {
        int64_t rate, chain; /* within it; summed over the best chain down from it */
        uint8_t leaver;
    } * set;
    weir_status status = weir__calloc(sets, sizeof *set, "sets of devices", &set);
    if (status)
        return status;
    for (size_t s = 1; s < sets; s++) { /* subsets have lower numbers */
        uint32_t top = 31 - (uint32_t)__builtin_clz((unsigned)s);
        set[s].rate = set[s ^ (size_t)1 << top].rate + rate_to_set(machine, top, s);
        set[s].chain = -1;
        for (uint32_t d = n; d-- > 0;) {
            size_t rest = s ^ (size_t)1 << d;
            if (s >> d & 1 && set[rest].chain > set[s].chain) {
                set[s].chain = set[rest].chain;
                set[s].leaver = (uint8_t)d;
            }
        }
        set[s].chain += set[s].rate;
    }
    size_t left = sets - 1;
    for (uint32_t i = 0; i < n; i++) {
        leaves_out[i] = set[left].leaver;
        left ^= (size_t)1 << set[left].leaver;
    }
    free(set);
    return WEIR_OK;
}

static void leave_greedily(const weir_machine *machine, uint8_t *leaves_out)
{
    uint64_t set = all_of(machine->devices);
    for (uint32_t i = 0; i < machine->devices; i++) {
        int64_t least = INT64_MAX;
        for (uint32_t d = machine->devices; d-- > 0;) {
            int64_t lost = set >> d & 1 ? rate_to_set(machine, d, set) : INT64_MAX;
            if (lost < least) {
                least = lost;
                leaves_out[i] = (uint8_t)d;
            }
        }
        set ^= UINT64_C(1) << leaves_out[i];
    }
}

static uint32_t choose_taker(const weir_machine *machine, uint32_t leaver, uint64_t set,
                             const uint32_t *has)
{
    uint32_t best = leaver;
    int64_t widest = -1;
    for (uint32_t d = 0; d < machine->devices; d++) {
        int64_t width = set >> d & 1 ? pair_rate(machine, leaver, d) : -1;
        if (width > widest || (width >= 0 && width == widest && has[d] < has[best])) {
            widest = width;
            best = d;
        }
    }
    return best;
}

/* Takers, and what is kept, from the order in which devices leave. */
static void fill_takers(const weir_machine *machine, weir_reduction *reduction)
{
    uint32_t n = machine->devices, has[WEIR_DEVICES_MAX];
    uint64_t set = all_of(n);
    int64_t kept = 0;
    for (uint32_t d = 0; d < n; d++) {
        has[d] = 1;
        kept += rate_to_set(machine, d, all_of(d));
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t leaver = reduction->leaves[i];
        reduction->kept_gbs[n - i] = (double)kept / 1e9;
        set ^= UINT64_C(1) << leaver;
        kept -= rate_to_set(machine, leaver, set);
        uint32_t taker = choose_taker(machine, leaver, set, has);
        reduction->taker[leaver] = (uint8_t)taker;
        has[taker] += taker != leaver ? has[leaver] : 0;
    }
}

weir_status weir_reduction_make(const weir_machine *machine, weir_reduction *reduction_out)
{
    weir_status status = WEIR_OK;
    *reduction_out = (weir_reduction){.devices = machine->devices};
    if (machine->devices <= EXACT_MAX)
        status = leave_best(machine, reduction_out->leaves);
    else
        leave_greedily(machine, reduction_out->leaves);
    if (!status)
        fill_takers(machine, reduction_out);
    return status;
}

static int stays(const weir_reduction *reduction, uint32_t count, uint32_t device)
{
    for (uint32_t i = reduction->devices - count; i < reduction->devices; i++)
        if (reduction->leaves[i] == device)
            return 1;
    return 0;
}

uint32_t weir_reduction_owner(const weir_reduction *reduction, uint32_t count, uint32_t device)
{
    if (count > reduction->devices)
        count = reduction->devices;
    while (device < reduction->devices && !stays(reduction, count, device) &&
           reduction->taker[device] != device)
        device = reduction->taker[device];
    return device;
}
