/** @file claim.c  The multiplexer: who takes a parcel that several could (Groute 4.2).
 *
 * It has no lock of its own. A parcel stands in the send queue of every candidate; for each choice on
 * the way to them it has a word, and the first output with a buffer free that can write its
 * alternative into all words on its way has the parcel. The words are written from the root down, so
 * who finds one taken by another alternative knows that its own is out, and a choice below is only ever
 * decided within the alternative that was taken above.
 *
 * Where the choice is between single outputs, a parcel is lent at first: the others keep their offers
 * until a program has the receive, for the output may go before that, and the parcel comes back. */
#include "router/internal.h"

/* Sequentially consistent, with weir_router.ending: who keeps a parcel sees that somebody has begun to wait
 * for the end, or that one sees that the parcel is kept. */
static uint32_t taken(const struct parcel *parcel, const struct decision *decision)
{
    return atomic_load(&parcel->claims[decision->node]);
}

static int is_of(uint32_t claim, const struct decision *decision)
{
    return (claim & ~CLAIM_KEPT) == decision->alternative;
}

int weir__offer_is_stale(const struct offer *offer)
{
    for (uint32_t i = 0; offer->leaf && i < offer->leaf->decisions; i++) {
        const struct decision *decision = &offer->leaf->decision[i];
        uint32_t now = taken(offer->parcel, decision);
        if (now && !is_of(now, decision) && (!offer->parcel->lends || now & CLAIM_KEPT))
            return 1;
    }
    return 0;
}

int weir__offer_is_lent(const struct offer *offer)
{
    const struct parcel *parcel = offer->parcel;
    uint32_t now = parcel->lends ? taken(parcel, &offer->leaf->decision[0]) : 0;
    return now && !is_of(now, &offer->leaf->decision[0]);
}

int weir__offer_is_open(const struct offer *offer)
{
    for (uint32_t i = 0; offer->leaf && i < offer->leaf->decisions; i++)
        if (!taken(offer->parcel, &offer->leaf->decision[i]))
            return 1;
    return 0;
}

void weir__offer_keep(const struct offer *offer)
{
    if (offer->parcel->lends)
        atomic_fetch_or(&offer->parcel->claims[0], CLAIM_KEPT);
}

void weir__offer_return(const struct offer *offer)
{
    atomic_store_explicit(&offer->parcel->returned, 1, memory_order_relaxed);
    atomic_store(&offer->parcel->claims[0], 0);
}

int weir__offer_unclaim(const struct offer *offer)
{
    struct parcel *parcel = offer->parcel;
    if (!parcel->lends)
        return 0;
    atomic_store(&parcel->claims[0], 0);
    return !atomic_exchange(&parcel->left, 1);
}

int weir__offer_is_awaited(const struct offer *offer)
{
    const struct parcel *parcel = offer->parcel;
    return parcel->lends &&
           (atomic_load(&parcel->message->router->ending) || atomic_load(&parcel->left));
}

/* Count the copies that come with an alternative, before anybody can see it taken: the message could be
 * complete between the two. @return 0 if it is complete already, so that others have the parcel. */
static int expect(struct message *message, uint16_t more)
{
    uint64_t left = atomic_load_explicit(&message->copies_left, memory_order_relaxed);
    while (left &&
           !atomic_compare_exchange_weak_explicit(&message->copies_left, &left, left + more,
                                                  memory_order_acq_rel, memory_order_relaxed)) {
    }
    return left > 0;
}

/* Write one decision's alternative, or find it written. */
static int take(const struct parcel *parcel, const struct decision *decision)
{
    uint32_t open = taken(parcel, decision);
    if (open)
        return is_of(open, decision);
    if (decision->more && !expect(parcel->message, decision->more))
        return 0;
    if (atomic_compare_exchange_strong(&parcel->claims[decision->node], &open,
                                       decision->alternative))
        return 1;
    for (uint16_t i = 0; i < decision->more; i++) /* they will not be made */
        weir__message_failed(parcel->message, WEIR_OK);
    return is_of(open, decision);
}

int weir__offer_claim(const struct offer *offer)
{
    for (uint32_t i = 0; offer->leaf && i < offer->leaf->decisions; i++)
        if (!take(offer->parcel, &offer->leaf->decision[i]))
            return 0;
    return 1;
}

void weir__offer_forgo(const struct offer *offer, weir_status status)
{
    struct parcel *parcel = offer->parcel;
    /* Others may still come, if the choice is between single outputs: the last to forgo ends it. */
    if (parcel->lends &&
        atomic_fetch_sub_explicit(&parcel->candidates, 1, memory_order_acq_rel) > 1)
        return;
    if (weir__offer_is_stale(offer) || !weir__offer_claim(offer))
        return;
    weir__offer_keep(offer);
    weir__message_failed(parcel->message, status);
}
