/** @file claim.c  The multiplexer: who takes a parcel that several could (Groute 4.2).
 *
 * It has no lock of its own. A parcel stands in the send queue of every candidate; for each choice on
 * the way to them it has a word, and the first output with a buffer free that can write its
 * alternative into all words on its way has the parcel. The words are written from the root down, so
 * who finds one taken by another alternative knows that its own is out, and a choice below is only ever
 * decided within the alternative that was taken above. */
#include "router/internal.h"

static uint16_t taken(const struct parcel *parcel, const struct step *step)
{
    return atomic_load_explicit(&parcel->claims[step->node], memory_order_acquire);
}

int weir__offer_is_stale(const struct offer *offer)
{
    for (uint32_t i = 0; offer->leaf && i < offer->leaf->steps; i++) {
        const struct step *step = &offer->leaf->step[i];
        uint16_t now = taken(offer->parcel, step);
        if (now && now != step->alternative)
            return 1;
    }
    return 0;
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

/* Write one step's alternative, or find it written. */
static int take(const struct parcel *parcel, const struct step *step)
{
    uint16_t open = taken(parcel, step);
    if (open)
        return open == step->alternative;
    if (step->more && !expect(parcel->message, step->more))
        return 0;
    if (atomic_compare_exchange_strong_explicit(&parcel->claims[step->node], &open,
                                                step->alternative, memory_order_acq_rel,
                                                memory_order_acquire))
        return 1;
    for (uint16_t i = 0; i < step->more; i++) /* they will not be made */
        weir__message_failed(parcel->message, WEIR_OK);
    return open == step->alternative;
}

int weir__offer_claim(const struct offer *offer)
{
    for (uint32_t i = 0; offer->leaf && i < offer->leaf->steps; i++)
        if (!take(offer->parcel, &offer->leaf->step[i]))
            return 0;
    return 1;
}

void weir__offer_forgo(const struct offer *offer, weir_status status)
{
    struct parcel *parcel = offer->parcel;
    /* Others may still come, if the choice is between single outputs: the last to forgo ends it. */
    if (status == WEIR_CLOSED && offer->leaf && offer->leaf->steps == 1 &&
        atomic_load_explicit(&parcel->candidates, memory_order_relaxed) > 0 &&
        atomic_fetch_sub_explicit(&parcel->candidates, 1, memory_order_acq_rel) > 1)
        return;
    if (weir__offer_claim(offer))
        weir__message_failed(parcel->message, status);
}
