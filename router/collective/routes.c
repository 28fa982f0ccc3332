/** @file routes.c  The ring, the trees and the relays of a set, from the machine of its context.
 *
 * Ranks are numbered by the program; who sends to whom is for the machine to say. The ring is that of the route plan over the
 * ranks' devices, and of the trees one has two children at most below each rank, in the ring's order, so that parents and
 * children are near each other in it, and one is the plan's widest spanning tree, seen from each root. The home device is no
 * device of a machine: as a rank it is the last of the ring, and below the plan's root in the tree. */
#include "router/collective/internal.h"
#include "topology/rehearse.h"

#include <stdlib.h>
#include <string.h>

/* The ranks that are devices of the machine, in their order. */
struct members {
    uint32_t count;
    uint32_t device[WEIR_DEVICES_MAX];
    uint8_t rank[WEIR_DEVICES_MAX];
    uint32_t home; /* the rank that is the home device; the number of ranks: none */
};

static void find_members(const weir_collectives *c, struct members *members)
{
    members->count = 0;
    members->home = c->ranks;
    for (uint32_t i = 0; i < c->ranks; i++) {
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        if (c->rank[i].device == weir_context_home(c->context)) {
            members->home = i;
            continue;
        }
        weir_device_info_get(c->rank[i].device, &info);
        members->device[members->count] = info.index;
        members->rank[members->count++] = (uint8_t)i;
    }
}

static void keep_order(weir_collectives *c, const struct members *members,
                       const weir_route_plan *ring)
{
    for (uint32_t i = 0; i < members->count; i++)
        c->order[i] = members->rank[ring->order[i]];
    if (members->home < c->ranks)
        c->order[members->count] = (uint8_t)members->home;
    for (uint32_t i = 0; i < c->ranks; i++)
        c->seat[c->order[i]] = (uint8_t)i;
}

static void keep_relays(weir_collectives *c, const struct members *members,
                        const weir_route_plan *plan)
{
    for (uint32_t from = 0; from < c->ranks; from++)
        for (uint32_t to = 0; to < c->ranks; to++)
            c->via[from * c->ranks + to] = (uint8_t)to;
    for (uint32_t i = 0; i < members->count; i++)
        for (uint32_t j = 0; j < members->count; j++) {
            c->via[members->rank[i] * c->ranks + members->rank[j]] =
                members->rank[plan->next[i][j]];
            c->relays += plan->next[i][j] != j;
        }
}

/* ---- trees ----------------------------------------------------------------------------------------- */

static void finish(struct tree *tree, uint32_t ranks)
{
    uint8_t level[RANKS_MAX] = {0};
    memset(tree->first, 0, sizeof tree->first);
    memset(tree->last, 0, sizeof tree->last);
    for (uint32_t v = 1; v < ranks; v++) {
        uint32_t u = tree->above[v];
        if (!tree->first[u])
            tree->first[u] = (uint8_t)v;
        tree->last[u] = (uint8_t)v;
        level[v] = (uint8_t)(level[u] + 1);
        tree->depth = level[v] > tree->depth ? level[v] : tree->depth;
    }
}

static void grow_heap(const weir_collectives *c, uint32_t root, struct tree *tree)
{
    for (uint32_t v = 0; v < c->ranks; v++) {
        tree->rank[v] = c->order[(c->seat[root] + v) % c->ranks];
        tree->above[v] = (uint8_t)(v ? (v - 1) / 2 : 0);
    }
    finish(tree, c->ranks);
}

static void grow_star(const weir_collectives *c, uint32_t root, struct tree *tree)
{
    for (uint32_t v = 0; v < c->ranks; v++) {
        tree->rank[v] = (uint8_t)((root + v) % c->ranks);
        tree->above[v] = 0;
    }
    finish(tree, c->ranks);
}

/* Breadth first from the root, over the tree's edges in both directions. @param[in] above  of each rank; the top's is itself. */
static void grow_span(const weir_collectives *c, const uint8_t *above, uint32_t root,
                      struct tree *tree)
{
    uint8_t seen[RANKS_MAX] = {0};
    uint32_t count = 1;
    tree->rank[0] = (uint8_t)root;
    seen[root] = 1;
    for (uint32_t u = 0; u < count; u++)
        for (uint32_t r = 0; r < c->ranks; r++) {
            uint32_t at = tree->rank[u];
            if (seen[r] || (above[r] != at && above[at] != r))
                continue;
            seen[r] = 1;
            tree->above[count] = (uint8_t)u;
            tree->rank[count++] = (uint8_t)r;
        }
    finish(tree, c->ranks);
}

static weir_status grow(weir_collectives *c, enum shape shape, const uint8_t *above)
{
    weir_status status =
        weir__calloc(c->ranks, sizeof *c->trees[shape], "trees of collectives", &c->trees[shape]);
    for (uint32_t root = 0; root < c->ranks && !status; root++) {
        struct tree *tree = &c->trees[shape][root];
        if (shape == SHAPE_SPAN)
            grow_span(c, above, root, tree);
        else
            (shape == SHAPE_HEAP ? grow_heap : grow_star)(c, root, tree);
    }
    return status;
}

/* A spanning tree that is a star is there already. */
static weir_status keep_span(weir_collectives *c, const struct members *members,
                             const weir_route_plan *plan)
{
    uint8_t above[RANKS_MAX] = {0};
    uint32_t top = 0, deep = 0;
    for (uint32_t i = 0; i < members->count; i++) {
        uint32_t rank = members->rank[i];
        above[rank] = members->rank[plan->parent[i]];
        deep += plan->parent[i] != i && plan->parent[plan->parent[i]] != plan->parent[i];
        if (plan->parent[i] == i)
            top = rank;
    }
    if (members->home < c->ranks)
        above[members->home] = (uint8_t)top;
    c->top[SHAPE_SPAN] = top;
    return deep ? grow(c, SHAPE_SPAN, above) : WEIR_OK;
}

/* ---- all of them ----------------------------------------------------------------------------------- */

/* Whether all pairs of ranks cost the same, over as many hops. */
static int are_alike(const weir_machine *machine, const struct members *members)
{
    weir_cost first, cost;
    if (members->count < 2)
        return 0;
    (void)weir_machine_cost(machine, members->device[0], members->device[1], &first);
    for (uint32_t i = 0; i < members->count; i++)
        for (uint32_t j = 0; j < members->count; j++) {
            (void)weir_machine_cost(machine, members->device[i], members->device[j], &cost);
            if (i != j &&
                (cost.bandwidth_gbs != first.bandwidth_gbs || cost.staged != first.staged ||
                 cost.latency_us != first.latency_us || cost.hop_count != first.hop_count))
                return 0;
        }
    return 1;
}

static double narrowest_gbs(const weir_machine *machine, const struct members *members)
{
    double least = 0;
    for (uint32_t i = 0; i < members->count; i++)
        for (uint32_t j = 0; j < members->count; j++) {
            weir_cost cost;
            (void)weir_machine_cost(machine, members->device[i], members->device[j], &cost);
            if (i != j && (least <= 0 || cost.bandwidth_gbs < least))
                least = cost.bandwidth_gbs;
        }
    return least;
}

static double slowest_memory_gbs(const weir_machine *machine, const struct members *members)
{
    double least = 0;
    for (uint32_t i = 0; i < members->count; i++) {
        const double gbs = weir_machine_node(machine, members->device[i])->memory_gbs;
        if (i == 0 || gbs < least)
            least = gbs;
    }
    return least;
}

static weir_status plan_over(weir_collectives *c, const weir_machine *machine,
                             const struct members *members)
{
    weir_machine *part;
    weir_route_plan plan;
    weir_status status = weir__machine_select(machine, members->device, members->count, &part);
    if (status)
        return status;
    if (!(status = weir_route_plan_make(part, WEIR_ROUTE_RING, &plan))) {
        keep_order(c, members, &plan);
        status = weir_route_plan_make_relayed(part, &plan);
    }
    if (!status) {
        keep_relays(c, members, &plan);
        status = weir_route_plan_make(part, WEIR_ROUTE_TREE, &plan);
    }
    if (!status)
        status = keep_span(c, members, &plan);
    weir_machine_destroy(part);
    return status;
}

weir_status weir__routes_find(weir_collectives *c)
{
    const weir_machine *machine;
    struct members members;
    weir_status status = weir__calloc((size_t)c->ranks * c->ranks, 1, "relays", &c->via);
    if (status)
        return status;
    find_members(c, &members);
    if (c->ranks < 2 || !weir__has_links(c)) {
        for (uint32_t i = 0; i < c->ranks; i++)
            c->order[i] = c->seat[i] = (uint8_t)i;
        return WEIR_OK;
    }
    if ((status = weir_machine_of(c->context, &machine)) ||
        (status = plan_over(c, machine, &members)))
        return status;
    c->alike = members.home == c->ranks && are_alike(machine, &members);
    c->narrowest_gbs = members.home == c->ranks ? narrowest_gbs(machine, &members) : 0;
    c->memory_gbs = members.home == c->ranks ? slowest_memory_gbs(machine, &members) : 0;
    c->top[SHAPE_HEAP] = c->order[0];
    if ((status = grow(c, SHAPE_HEAP, NULL)))
        return status;
    return grow(c, SHAPE_STAR, NULL);
}

void weir__routes_free(weir_collectives *c)
{
    for (int shape = 0; shape < SHAPES; shape++)
        free(c->trees[shape]);
    free(c->via);
}
