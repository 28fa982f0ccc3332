/** @file policy.c  The policies that ship. docs/router.md has their pictures. */
#include "router/internal.h"
#include "topology/topology.h"

/* All that there are: the router leaves out those whose links are gone. */
static void choose_all_of(weir_choice *choice, weir_delivery delivery, uint32_t count)
{
    choice->delivery = delivery;
    choice->count = count;
    for (uint32_t i = 0; i < count; i++)
        choice->candidate[i] = i;
}

static void choose_one(weir_choice *choice, uint32_t output)
{
    choice->delivery = WEIR_DELIVER_ALL;
    choice->count = 1;
    choice->candidate[0] = output;
}

/* The sender's place among the outputs; `count` if it is none of them. */
static uint32_t place_of(const weir_endpoint *source, weir_endpoint *const *candidates,
                         uint32_t count)
{
    uint32_t i = 0;
    while (i < count && candidates[i] != source)
        i++;
    return i;
}

static weir_status choose_any(void *user, const weir_segment *message, const weir_endpoint *source,
                              weir_endpoint *const *candidates, uint32_t count, weir_choice *choice)
{
    (void)user;
    (void)message;
    (void)source;
    (void)candidates;
    choose_all_of(choice, WEIR_DELIVER_ANY, count);
    choice->turns = 1;
    return WEIR_OK;
}

/* By insertion: there are few outputs, and most often they are in order. */
static weir_status choose_priority(void *user, const weir_segment *message,
                                   const weir_endpoint *source, weir_endpoint *const *candidates,
                                   uint32_t count, weir_choice *choice)
{
    const uint32_t *ranks = user;
    (void)message;
    (void)source;
    (void)candidates;
    choose_all_of(choice, WEIR_DELIVER_ANY, count);
    for (uint32_t i = 1; ranks && i < count; i++) {
        uint32_t output = choice->candidate[i], at = i;
        for (; at > 0 && ranks[choice->candidate[at - 1]] > ranks[output]; at--)
            choice->candidate[at] = choice->candidate[at - 1];
        choice->candidate[at] = output;
    }
    return WEIR_OK;
}

static weir_status choose_broadcast(void *user, const weir_segment *message,
                                    const weir_endpoint *source, weir_endpoint *const *candidates,
                                    uint32_t count, weir_choice *choice)
{
    (void)user;
    (void)message;
    (void)source;
    (void)candidates;
    choose_all_of(choice, WEIR_DELIVER_ALL, count);
    return WEIR_OK;
}

static weir_status choose_scatter(void *user, const weir_segment *message,
                                  const weir_endpoint *source, weir_endpoint *const *candidates,
                                  uint32_t count, weir_choice *choice)
{
    (void)message;
    (void)source;
    (void)candidates;
    choose_all_of(choice, WEIR_DELIVER_SPLIT, count);
    choice->granule = (uint32_t)(uintptr_t)user;
    return WEIR_OK;
}

static weir_status choose_gather(void *user, const weir_segment *message,
                                 const weir_endpoint *source, weir_endpoint *const *candidates,
                                 uint32_t count, weir_choice *choice)
{
    uint32_t root = (uint32_t)(uintptr_t)user;
    (void)message;
    (void)candidates;
    if (root >= count)
        return weir__fail(WEIR_ERR_INVALID,
                          "a message from %s is gathered at output %u of a router that has %u",
                          weir_endpoint_name(source), root, count);
    choose_one(choice, root);
    return WEIR_OK;
}

/* Behind whom the sender is: its place around the ring; `members` if it has none. */
static uint32_t place_around(const weir_route_plan *plan, uint32_t place, uint32_t members)
{
    uint32_t at = 0;
    while (plan && at < members && plan->order[at] != place)
        at++;
    return plan ? at : place;
}

static weir_status choose_ring(void *user, const weir_segment *message, const weir_endpoint *source,
                               weir_endpoint *const *candidates, uint32_t count,
                               weir_choice *choice)
{
    const weir_route_plan *plan = user;
    uint32_t place = place_of(source, candidates, count), members = plan ? plan->devices : count;
    (void)message;
    if (plan && place < count && place >= members)
        return weir__fail(WEIR_ERR_INVALID, "%s is output %u, and the ring's plan has %u devices",
                          weir_endpoint_name(source), place, members);
    uint32_t at = place < count ? place_around(plan, place, members) + 1 : 0;
    for (uint32_t i = 0; i < members; i++) {
        uint32_t next = (at + i) % members, output = plan ? plan->order[next] : next;
        if (output < count && candidates[output]) {
            choose_one(choice, output);
            return WEIR_OK;
        }
    }
    return weir__fail(WEIR_ERR_INVALID, "a message from %s: no device of the ring's plan is left",
                      weir_endpoint_name(source));
}

static uint32_t above_one(const weir_route_plan *plan, uint32_t place)
{
    if (plan)
        return plan->parent[place];
    return place ? (place - 1) / 2 : 0;
}

/* Who is above output `place` and there. A node that is gone leaves its children to its own parent.
 * @return `place` itself if nobody is. */
static uint32_t parent_of(const weir_route_plan *plan, uint32_t place,
                          weir_endpoint *const *candidates, uint32_t count)
{
    for (uint32_t at = place, above; (above = above_one(plan, at)) != at; at = above)
        if (above < count && candidates[above])
            return above;
    return place;
}

/* Of a heap's shape, where the children of output i are 2i + 1 and 2i + 2, or a plan's. The taker of the result, if there
 * is one, is the last output and no part of the tree. */
static weir_status choose_tree(void *user, const weir_segment *message, const weir_endpoint *source,
                               weir_endpoint *const *candidates, uint32_t count,
                               weir_choice *choice)
{
    const weir_route_plan *plan = user;
    uint32_t place = place_of(source, candidates, count), members = plan ? plan->devices : 1;
    (void)message;
    if (place == count)
        return weir__fail(WEIR_ERR_INVALID, "%s is no node of the tree: it is no output itself",
                          weir_endpoint_name(source));
    if (plan && place >= members)
        return weir__fail(WEIR_ERR_INVALID, "%s is output %u, and the tree's plan has %u devices",
                          weir_endpoint_name(source), place, members);
    int is_root = above_one(plan, place) == place;
    if (is_root && (count <= members || !candidates[count - 1]))
        return weir__fail(WEIR_ERR_INVALID,
                          "%s is the root of the tree and nobody takes its result",
                          weir_endpoint_name(source));
    uint32_t to = is_root ? count - 1 : parent_of(plan, place, candidates, count);
    if (to == place)
        return weir__fail(WEIR_ERR_INVALID, "%s has no parent in the tree: its root is gone",
                          weir_endpoint_name(source));
    choose_one(choice, to);
    return WEIR_OK;
}

static weir_status choose_direct(void *user, const weir_segment *message,
                                 const weir_endpoint *source, weir_endpoint *const *candidates,
                                 uint32_t count, weir_choice *choice)
{
    (void)user;
    (void)candidates;
    if (message->meta >= count)
        return weir__fail(WEIR_ERR_INVALID,
                          "a message from %s is for output %llu of a router that has %u",
                          weir_endpoint_name(source), (unsigned long long)message->meta, count);
    choose_one(choice, (uint32_t)message->meta);
    return WEIR_OK;
}

static const weir_policy shipped[WEIR_POLICY_COUNT] = {
    [WEIR_POLICY_ANY] = {.name = "any", .choose = choose_any},
    [WEIR_POLICY_PRIORITY] = {.name = "priority", .choose = choose_priority},
    [WEIR_POLICY_BROADCAST] = {.name = "broadcast", .choose = choose_broadcast},
    [WEIR_POLICY_SCATTER] = {.name = "scatter", .choose = choose_scatter},
    [WEIR_POLICY_GATHER] = {.name = "gather", .choose = choose_gather},
    [WEIR_POLICY_RING] = {.name = "ring", .choose = choose_ring},
    [WEIR_POLICY_TREE] = {.name = "tree", .choose = choose_tree},
    [WEIR_POLICY_DIRECT] = {.name = "direct", .choose = choose_direct},
};

weir_status weir_policy_get(weir_policy_kind kind, void *user, weir_policy *policy_out)
{
    if ((unsigned)kind >= WEIR_POLICY_COUNT)
        return weir__fail(WEIR_ERR_INVALID, "there is no policy %d", (int)kind);
    weir_policy policy = shipped[kind];
    policy.user = user;
    return weir__sized_out(policy_out, &policy, sizeof policy, "weir_policy");
}
