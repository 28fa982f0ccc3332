/** @file tree.c  A widest spanning tree over all devices.
 *
 * Prim's algorithm from every root: of the pairs that leave the tree the one that reaches, is
 * widest (the smaller of its two directions), and takes the least latency. The tree that results
 * has the largest smallest pair and the largest sum from whichever root; where pairs are alike
 * the one nearest to the root is taken, and of the roots the one whose tree is least deep. Ties
 * go to lower numbers. */
#include "topology/plan.h"

#include <math.h>
#include <string.h>

struct tree {
    uint32_t depth;
    uint8_t parent[WEIR_DEVICES_MAX], level[WEIR_DEVICES_MAX];
};

/* @return greater than 0 when the pair a, b is the better edge. */
static int compare_pairs(const weir_machine *machine, uint32_t a, uint32_t b, uint32_t c,
                         uint32_t d)
{
    const weir_cost *ab = weir__cost(machine, a, b), *ba = weir__cost(machine, b, a);
    const weir_cost *cd = weir__cost(machine, c, d), *dc = weir__cost(machine, d, c);
    int staged_ab = ab->staged || ba->staged, staged_cd = cd->staged || dc->staged;
    double gbs_ab = fmin(ab->bandwidth_gbs, ba->bandwidth_gbs);
    double gbs_cd = fmin(cd->bandwidth_gbs, dc->bandwidth_gbs);
    double us_ab = fmax(ab->latency_us, ba->latency_us),
           us_cd = fmax(cd->latency_us, dc->latency_us);
    if (staged_ab != staged_cd)
        return staged_cd - staged_ab;
    if (fabs(gbs_ab - gbs_cd) > 1e-9 * gbs_ab)
        return gbs_ab > gbs_cd ? 1 : -1;
    if (fabs(us_ab - us_cd) > 1e-6) /* a picosecond: sums of the same hops in another order */
        return us_ab < us_cd ? 1 : -1;
    return 0;
}

/* The parent that gives this device, which is outside, the better edge. */
static void offer(const weir_machine *machine, struct tree *tree, uint32_t device, uint32_t parent)
{
    int better = compare_pairs(machine, parent, device, tree->parent[device], device);
    uint8_t deep = tree->level[parent], now = tree->level[tree->parent[device]];
    if (better > 0 || (!better && (deep < now || (deep == now && parent < tree->parent[device]))))
        tree->parent[device] = (uint8_t)parent;
}

/* @return whether device a, which is outside, is to be added before b. */
static int comes_first(const weir_machine *machine, const struct tree *tree, uint32_t a, uint32_t b)
{
    int better = compare_pairs(machine, tree->parent[a], a, tree->parent[b], b);
    return better > 0 || (!better && tree->level[tree->parent[a]] < tree->level[tree->parent[b]]);
}

static uint32_t nearest(const weir_machine *machine, const struct tree *tree, const uint8_t *inside)
{
    uint32_t best = machine->devices;
    for (uint32_t d = 0; d < machine->devices; d++)
        if (!inside[d] && (best == machine->devices || comes_first(machine, tree, d, best)))
            best = d;
    return best;
}

static void grow(const weir_machine *machine, uint32_t root, struct tree *tree)
{
    uint8_t inside[WEIR_DEVICES_MAX] = {0};
    memset(tree, 0, sizeof *tree);
    memset(tree->parent, (int)root, sizeof tree->parent);
    inside[root] = 1;
    for (uint32_t i = 1; i < machine->devices; i++) {
        uint32_t added = nearest(machine, tree, inside);
        inside[added] = 1;
        tree->level[added] = (uint8_t)(tree->level[tree->parent[added]] + 1);
        tree->depth = tree->level[added] > tree->depth ? tree->level[added] : tree->depth;
        for (uint32_t d = 0; d < machine->devices; d++)
            if (!inside[d])
                offer(machine, tree, d, added);
    }
}

void weir__tree_find(const weir_machine *machine, uint8_t *parent_out)
{
    struct tree best = {.depth = UINT32_MAX}, tree;
    for (uint32_t root = 0; root < machine->devices && best.depth > 1; root++) {
        grow(machine, root, &tree);
        if (tree.depth < best.depth)
            best = tree;
    }
    memcpy(parent_out, best.parent, machine->devices);
}
