/** @file policy.c  The policies that ship. docs/router.md has their pictures. */
#include "router/internal.h"

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

static weir_status choose_ring(void *user, const weir_segment *message, const weir_endpoint *source,
                               weir_endpoint *const *candidates, uint32_t count,
                               weir_choice *choice)
{
    uint32_t place = place_of(source, candidates, count);
    (void)user;
    (void)message;
    choose_one(choice, place < count ? (place + 1) % count : 0);
    return WEIR_OK;
}

/* Of a heap's shape: the children of output i are 2i + 1 and 2i + 2. The taker of the result, if there
 * is one, is the last output and no part of the heap. */
static weir_status choose_tree(void *user, const weir_segment *message, const weir_endpoint *source,
                               weir_endpoint *const *candidates, uint32_t count,
                               weir_choice *choice)
{
    uint32_t place = place_of(source, candidates, count);
    (void)user;
    (void)message;
    if (place == count)
        return weir__fail(WEIR_ERR_INVALID, "%s is no node of the tree: it is no output itself",
                          weir_endpoint_name(source));
    if (place == 0 && count == 1)
        return weir__fail(WEIR_ERR_INVALID,
                          "%s is the root of the tree and nobody takes its result",
                          weir_endpoint_name(source));
    choose_one(choice, place == 0 ? count - 1 : (place - 1) / 2);
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

weir_policy weir_policy_any(void)
{
    return (weir_policy){"any", choose_any, NULL};
}

weir_policy weir_policy_priority(const uint32_t *ranks)
{
    return (weir_policy){"priority", choose_priority, (void *)(uintptr_t)ranks};
}

weir_policy weir_policy_broadcast(void)
{
    return (weir_policy){"broadcast", choose_broadcast, NULL};
}

weir_policy weir_policy_scatter(uint32_t granule)
{
    return (weir_policy){"scatter", choose_scatter, (void *)(uintptr_t)granule};
}

weir_policy weir_policy_gather(uint32_t root)
{
    return (weir_policy){"gather", choose_gather, (void *)(uintptr_t)root};
}

weir_policy weir_policy_ring(void)
{
    return (weir_policy){"ring", choose_ring, NULL};
}

weir_policy weir_policy_tree(void)
{
    return (weir_policy){"tree", choose_tree, NULL};
}

weir_policy weir_policy_direct(void)
{
    return (weir_policy){"direct", choose_direct, NULL};
}
