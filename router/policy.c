/** @file policy.c  The policies that ship: any, ring, direct. */
#include "router/internal.h"

static weir_status choose_any(void *user, const weir_segment *message, const weir_endpoint *source,
                              weir_endpoint *const *candidates, uint32_t count, weir_choice *choice)
{
    (void)user;
    (void)message;
    (void)source;
    (void)candidates;
    choice->delivery = WEIR_DELIVER_ANY;
    choice->count = count;
    for (uint32_t i = 0; i < count; i++)
        choice->candidate[i] = i;
    return WEIR_OK;
}

static weir_status choose_ring(void *user, const weir_segment *message, const weir_endpoint *source,
                               weir_endpoint *const *candidates, uint32_t count,
                               weir_choice *choice)
{
    (void)user;
    (void)message;
    choice->delivery = WEIR_DELIVER_ALL;
    choice->count = 1;
    choice->candidate[0] = 0;
    for (uint32_t i = 0; i < count; i++)
        if (candidates[i] == source)
            choice->candidate[0] = (i + 1) % count;
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
    choice->delivery = WEIR_DELIVER_ALL;
    choice->count = 1;
    choice->candidate[0] = (uint32_t)message->meta;
    return WEIR_OK;
}

weir_policy weir_policy_any(void)
{
    return (weir_policy){"any", choose_any, NULL};
}

weir_policy weir_policy_ring(void)
{
    return (weir_policy){"ring", choose_ring, NULL};
}

weir_policy weir_policy_direct(void)
{
    return (weir_policy){"direct", choose_direct, NULL};
}
