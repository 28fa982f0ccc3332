/** @file live_queue_tmpl.h  Typed pushes to and pops from live queues (live_queue.h) of one element type.
 *
 * Define LIVE_TYPE, LIVE_NAME, and LIVE_BAG, whose get and copy move the type (bag_tmpl.h), include, and get LIVE_NAME_push and
 * LIVE_NAME_take. */
#define LIVE_PASTE_(a, b) a##_##b
#define LIVE_PASTE(a, b)  LIVE_PASTE_(a, b)
#define LIVE(name)        LIVE_PASTE(LIVE_NAME, name)

/** Store the element of a ticket that was reserved, and publish it. One lane.
 *  @param[in] stop  a word that ends the wait if it is not 0.
 *  @return 0: there is no memory for it, or the run has ended; the queue is of no use any more. */
WEIR_DEV int LIVE(put)(const struct weir_live_queue *queue, uint64_t ticket,
                       const LIVE_TYPE *element, const uint32_t *stop)
{
    const struct weir_live_place place = weir_live_find(queue, ticket, 1);
    const uint32_t turn = weir_live_turn(queue, ticket);
    if (!place.element)
        return 0;
    WEIR_ROLLED
    for (uint32_t looks = 0;; looks++) {
        /* Pairs with the release in take(): the element of the turn before was copied. */
        if (weir_load_acquire_dev_u32(place.mark) == turn)
            break;
        if (weir_load_relaxed_sys_u32(stop))
            return 0;
        weir_pause(looks);
    }
    LIVE_PASTE(LIVE_BAG, copy)(place.element, element);
    /* The element first, its mark second; pairs with the acquire in weir_live_is_ready(). */
    weir_store_release_dev_u32(place.mark, turn + 1u);
    return 1;
}

/** Push the elements of the lanes in @p group, which is not 0. All lanes of a warp. What the lanes wrote before weir_lanes_sync()
 *  is seen by who pops.
 *  @return the lanes of the group whose elements found no room; they are the last ones. */
WEIR_DEV uint32_t LIVE(push)(const struct weir_live_queue *queue, uint32_t group,
                             const LIVE_TYPE *element, const uint32_t *stop, uint32_t *high)
{
    const uint32_t leader = weir_first_bit_u32(group), mine = group >> weir_lane() & 1u;
    const uint32_t rank = weir_popcount_u32(group & (((uint32_t)1 << weir_lane()) - 1u));
    uint64_t ticket = 0;
    uint32_t got = 0;
    int stored = 0;
    if (weir_lane() == leader)
        got = weir_live_reserve_mpmc(queue, weir_popcount_u32(group), &ticket, high);
    got = weir_broadcast_u32(got, leader);
    ticket = weir_broadcast_u64(ticket, leader);
    if (mine && rank < got)
        stored = LIVE(put)(queue, ticket + rank, element, stop);
    return weir_ballot(mine && !stored);
}

/** Copy an element that was claimed, and free its slot for the next turn. One lane. */
WEIR_DEV void LIVE(take)(const struct weir_live_queue *queue, uint64_t ticket, LIVE_TYPE *element)
{
    const struct weir_live_place place = weir_live_find(queue, ticket, 0);
    LIVE_PASTE(LIVE_BAG, get)(element, place.element);
    /* Pairs with the acquire in put(): the element was copied. */
    weir_store_release_dev_u32(place.mark, weir_live_turn(queue, ticket) + 2u);
}

#undef LIVE_PASTE_
#undef LIVE_PASTE
#undef LIVE
#undef LIVE_TYPE
#undef LIVE_NAME
#undef LIVE_BAG
