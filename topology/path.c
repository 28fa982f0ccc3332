/** @file path.c  Paths between devices, and what they cost.
 *
 * Devices that NVLinks alone join, directly or through switches, use those: a driver never goes over the
 * host then, be it wider. For all others every hop counts.
 *
 * For a pair of ends the path of the largest smallest bandwidth is wanted, among those the one of
 * the least latency, then of the fewest hops, then of the lowest hop numbers. Width and latency do
 * not mix in one search (a part of the best path need not be the best path of its ends), so there
 * are two: the first finds the width of every source to one target, the second finds the least
 * latency among the hops that are wide enough, once for each width that occurs.
 *
 * Both go in rounds, one hop farther from the target in each; so a path never has more hops than
 * fit in a weir_cost. Latencies are compared in whole picoseconds: sums of them do not depend on
 * order. A hop's directions are alike, so a pair's way back is its way there, reversed. */
#include "topology/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS (WEIR_PATH_HOPS_MAX + 1)
#define NO_WAY INT64_MAX

struct end {
    uint16_t hop, node; /* this hop leads to that node */
};

struct search {
    const weir_machine *machine;
    uint32_t *begin;  /* of a node's ends, by hop number */
    struct end *ends; /* two for each hop */
    int64_t *ps;      /* latency of each hop */
    double *gbs;      /* bandwidth of each; 0: not to be used */
    double width[WEIR_MACHINE_NODES_MAX];
    int64_t best[WEIR_MACHINE_NODES_MAX];          /* latency to the target so far */
    int64_t level[LEVELS][WEIR_MACHINE_NODES_MAX]; /* with as many hops, where fewer take longer */
    uint16_t list[2][WEIR_MACHINE_NODES_MAX]; /* nodes that changed in this round, in the next */
    uint8_t listed[WEIR_MACHINE_NODES_MAX];
};

static int64_t picoseconds(double us)
{
    return us < 1e9 ? llround(us * 1e6) : (int64_t)1e15;
}

static void fill_ends(struct search *search)
{
    const weir_machine *machine = search->machine;
    uint32_t *begin = search->begin;
    for (uint32_t h = 0; h < machine->hops; h++) {
        begin[machine->hop[h].a + 2]++;
        begin[machine->hop[h].b + 2]++;
        search->ps[h] = picoseconds(machine->hop[h].latency_us);
    }
    for (uint32_t n = 2; n < machine->nodes + 2; n++)
        begin[n] += begin[n - 1];
    for (uint32_t h = 0; h < machine->hops; h++) { /* begin[n + 1] goes from n's begin to its end */
        const weir_hop *hop = &machine->hop[h];
        search->ends[begin[hop->a + 1]++] = (struct end){(uint16_t)h, (uint16_t)hop->b};
        search->ends[begin[hop->b + 1]++] = (struct end){(uint16_t)h, (uint16_t)hop->a};
    }
}

static void search_destroy(struct search *search)
{
    if (!search)
        return;
    free(search->begin);
    free(search->ends);
    free(search->ps);
    free(search->gbs);
    free(search);
}

static weir_status search_create(const weir_machine *machine, struct search **search_out)
{
    struct search *search;
    weir_status status = weir__calloc(1, sizeof *search, "paths", &search);
    *search_out = NULL;
    if (status)
        return status;
    search->machine = machine;
    if ((status =
             weir__calloc(machine->nodes + 2, sizeof *search->begin, "paths", &search->begin)) ||
        (status = weir__calloc(2 * (size_t)machine->hops + 1, sizeof *search->ends, "paths",
                               &search->ends)) ||
        (status =
             weir__calloc((size_t)machine->hops + 1, sizeof *search->ps, "paths", &search->ps)) ||
        (status =
             weir__calloc((size_t)machine->hops + 1, sizeof *search->gbs, "paths", &search->gbs))) {
        search_destroy(search);
        return status;
    }
    fill_ends(search);
    *search_out = search;
    return WEIR_OK;
}

/* Devices send and receive; only hosts and switches forward. */
static int forwards(const weir_machine *machine, uint32_t node, uint32_t target)
{
    return node == target || node >= machine->devices;
}

static void put(struct search *search, uint16_t *list, uint32_t *count, uint32_t node)
{
    if (search->listed[node])
        return;
    search->listed[node] = 1;
    list[(*count)++] = (uint16_t)node;
}

static uint32_t widen_from(struct search *search, uint32_t node, uint16_t *next, uint32_t count,
                           const double *width)
{
    for (uint32_t e = search->begin[node]; e < search->begin[node + 1]; e++) {
        const struct end *end = &search->ends[e];
        double gbs = fmin(width[node], search->gbs[end->hop]);
        if (gbs > search->width[end->node]) {
            search->width[end->node] = gbs;
            put(search, next, &count, end->node);
        }
    }
    return count;
}

/* Width of the widest path from every node to the target; 0 where there is none. */
static void find_widths(struct search *search, uint32_t target)
{
    uint32_t nodes = search->machine->nodes, count = 1;
    double before[WEIR_MACHINE_NODES_MAX];
    memset(search->width, 0, sizeof search->width);
    search->width[target] = INFINITY;
    search->list[0][0] = (uint16_t)target;
    for (uint32_t round = 1; round < LEVELS && count; round++) {
        uint16_t *now = search->list[(round - 1) % 2], *next = search->list[round % 2];
        uint32_t found = 0;
        memcpy(before, search->width,
               nodes * sizeof *before); /* of one hop less, not of this round */
        memset(search->listed, 0, nodes);
        for (uint32_t i = 0; i < count; i++)
            if (forwards(search->machine, now[i], target))
                found = widen_from(search, now[i], next, found, before);
        count = found;
    }
}

static uint32_t shorten_from(struct search *search, uint32_t node, uint32_t round, double width,
                             uint16_t *next, uint32_t count)
{
    for (uint32_t e = search->begin[node]; e < search->begin[node + 1]; e++) {
        const struct end *end = &search->ends[e];
        int64_t ps = search->level[round - 1][node] + search->ps[end->hop];
        if (search->gbs[end->hop] < width || ps >= search->best[end->node])
            continue;
        search->best[end->node] = search->level[round][end->node] = ps;
        put(search, next, &count, end->node);
    }
    return count;
}

/* Least latencies to the target over hops of at least this width; level[h][n] is set where a
 * path of h hops is shorter than all of fewer. */
static void find_latencies(struct search *search, uint32_t target, double width)
{
    uint32_t nodes = search->machine->nodes, count = 1;
    for (uint32_t n = 0; n < nodes; n++)
        search->best[n] = search->level[0][n] = NO_WAY;
    search->best[target] = search->level[0][target] = 0;
    search->list[0][0] = (uint16_t)target;
    for (uint32_t round = 1; round < LEVELS; round++) {
        uint16_t *now = search->list[(round - 1) % 2], *next = search->list[round % 2];
        uint32_t found = 0;
        for (uint32_t n = 0; n < nodes; n++)
            search->level[round][n] = NO_WAY;
        memset(search->listed, 0, nodes);
        for (uint32_t i = 0; i < count; i++)
            if (forwards(search->machine, now[i], target))
                found = shorten_from(search, now[i], round, width, next, found);
        count = found;
    }
}

/* The end with the lowest hop number by which the path goes on from a node, `left` hops before the
 * target. */
static struct end next_end(const struct search *search, uint32_t node, uint32_t left,
                           uint32_t target, double width)
{
    for (uint32_t e = search->begin[node]; e < search->begin[node + 1]; e++) {
        struct end end = search->ends[e];
        int64_t rest = search->level[left - 1][end.node];
        if (search->gbs[end.hop] >= width && rest != NO_WAY &&
            forwards(search->machine, end.node, target) &&
            rest + search->ps[end.hop] == search->level[left][node])
            return end;
    }
    return (struct end){0, (uint16_t)target}; /* not reached: the level was set through some end */
}

static void write_path(const struct search *search, uint32_t from, uint32_t target, double width,
                       weir_cost *cost)
{
    uint32_t left = 0, node = from;
    while (search->level[left][from] != search->best[from])
        left++;
    cost->bandwidth_gbs = width;
    for (; left; left--) {
        struct end end = next_end(search, node, left, target, width);
        cost->hops[cost->hop_count].hop = end.hop;
        cost->hops[cost->hop_count++].backward = search->machine->hop[end.hop].b == node;
        cost->latency_us += search->machine->hop[end.hop].latency_us;
        node = end.node;
    }
}

static weir_cost *cost_of(weir_machine *machine, uint32_t from, uint32_t to)
{
    return &machine->cost[(size_t)from * (machine->devices + 1) + to];
}

static void write_back(const weir_cost *there, weir_cost *back)
{
    *back = *there;
    for (uint32_t i = 0; i < there->hop_count; i++) {
        back->hops[i] = there->hops[there->hop_count - 1 - i];
        back->hops[i].backward = !back->hops[i].backward;
    }
}

/* Paths between the target and every device before it that has none yet, whose widths are known. */
static void find_paths_to(struct search *search, weir_machine *machine, uint32_t target)
{
    uint8_t done[WEIR_DEVICES_MAX] = {0};
    for (uint32_t from = 0; from < target; from++)
        done[from] = cost_of(machine, from, target)->hop_count > 0;
    for (uint32_t first = 0; first < target; first++) {
        double width = search->width[first];
        if (done[first] || !(width > 0))
            continue;
        find_latencies(search, target, width);
        for (uint32_t from = first; from < target; from++)
            if (!done[from] && search->width[from] == width) {
                write_path(search, from, target, width, cost_of(machine, from, target));
                write_back(cost_of(machine, from, target), cost_of(machine, target, from));
                done[from] = 1;
            }
    }
}

static weir_status check_ways(const weir_machine *machine, const struct search *search, uint32_t to)
{
    for (uint32_t from = 0; from < to; from++) {
        if (search->width[from] > 0)
            continue;
        if (to == machine->devices)
            return weir__fail(
                WEIR_ERR_INVALID, "%s has no way of at most %d hops to the home memory, %s",
                machine->node[from].label, WEIR_PATH_HOPS_MAX, machine->node[to].label);
        if (weir_machine_pair(machine, from, to)->reaches ||
            weir_machine_pair(machine, to, from)->reaches)
            return weir__fail(
                WEIR_ERR_INVALID,
                "%s and %s are said to reach each other, but no way of at most %d hops "
                "joins them",
                machine->node[from].label, machine->node[to].label, WEIR_PATH_HOPS_MAX);
    }
    return WEIR_OK;
}

static void use_hops(struct search *search, int nvlinks_only)
{
    for (uint32_t h = 0; h < search->machine->hops; h++) {
        const weir_hop *hop = &search->machine->hop[h];
        search->gbs[h] = nvlinks_only && hop->kind != WEIR_HOP_NVLINK ? 0 : hop->bandwidth_gbs;
    }
}

static void find_nvlink_paths(struct search *search, weir_machine *machine)
{
    use_hops(search, 1);
    for (uint32_t to = machine->devices; to-- > 1;) {
        find_widths(search, to);
        find_paths_to(search, machine, to);
    }
}

weir_status weir__machine_find_paths(weir_machine *machine)
{
    struct search *search;
    uint32_t ends = machine->devices + 1; /* node number `devices` is host 0, the home */
    weir_status status = search_create(machine, &search);
    if (status)
        return status;
    memset(machine->cost, 0, (size_t)ends * ends * sizeof *machine->cost);
    find_nvlink_paths(search, machine);
    use_hops(search, 0);
    for (uint32_t to = ends; to-- > 1 && !status;) { /* home first: its complaint is the clearest */
        find_widths(search, to);
        if (!(status = check_ways(machine, search, to)))
            find_paths_to(search, machine, to);
    }
    if (!status)
        weir__costs_complete(machine);
    search_destroy(search);
    return status;
}
