/** @file pace.c  Who of several gets the next packet: not a device that is far behind, though its buffers are free.
 *
 * First come, first served (Groute 4.2) fills all buffers of a receiver as soon as there is a packet for
 * them. What a slow device has then, the others wait for at the end. So an output leaves a packet with a
 * choice to others if its own device would be through with it later than the others with all that their buffers
 * hold, and, at the end, with all that waits. It compares no times: its *cost* is the number of packets that others
 * served while it served one. Until it has served one, it gets one.
 *
 * Nobody may have to wait for that. The last candidate gets all, and so does a program that asks for more before it
 * gives back what it has, or whose queue waits for more. What is left to others and taken by nobody for a time is
 * taken after all, and the cost found anew. */
#include "router/internal.h"
#include "runtime/config.h"

#define DEPTH    4   /* packets that count as ahead of each of the others, at least */
#define ONE      16  /* in which cost is counted */
#define COST_MAX 512 /* so many offers are looked through */

static uint64_t patience(const struct output *output)
{
    const weir_config *tunables = weir_context_config(output->router->context);
    return weir__config_get(tunables, WEIR__LINK_PATIENCE) * UINT64_C(1000000);
}

void weir__pace_open(struct output *output)
{
    output->pace.patience_ns = patience(output);
}

/* ---- what devices serve --------------------------------------------------------------------------- */

static uint64_t served(const struct output *output)
{
    return atomic_load_explicit(&output->router->served, memory_order_relaxed);
}

void weir__pace_assigned(struct weir_pending *slot)
{
    struct output *output = slot->output;
    if (!slot->own)
        return;
    weir__pace_dropped(slot);
    slot->working = 1;
    slot->served_at = served(output);
    atomic_fetch_add(&output->router->working, 1);
}

void weir__pace_dropped(struct weir_pending *slot)
{
    if (slot->working)
        atomic_fetch_sub(&slot->output->router->working, 1);
    slot->working = 0;
}

/* What was served since its packet came, or since the one before was through, was served by others. */
void weir__pace_served(struct weir_pending *slot)
{
    struct output *output = slot->output;
    struct pace *pace = &output->pace;
    if (!slot->working)
        return;
    weir__pace_dropped(slot);
    uint64_t now = atomic_fetch_add_explicit(&output->router->served, 1, memory_order_relaxed);
    uint64_t since = pace->served_at > slot->served_at ? pace->served_at : slot->served_at;
    uint64_t others = now > since ? now - since : 0;
    uint32_t cost = ONE * (uint32_t)(others < COST_MAX ? others : COST_MAX);
    /* One interruption is not the device's pace: what is more counts for an eighth, what is less for half. */
    if (!pace->known)
        pace->cost = cost;
    else if (cost > pace->cost)
        pace->cost += (cost - pace->cost) / 8;
    else
        pace->cost -= (pace->cost - cost + 1) / 2;
    pace->known = 1;
    pace->served_at = now + 1;
    pace->patience_ns = patience(output);
}

/* ---- what an output leaves to others -------------------------------------------------------------- */

/* What the program has, if it has asked for the next one too: that does not count. */
static uint32_t count_kept(struct output *output, const struct weir_pending *first)
{
    uint32_t open = 0;
    weir__output_lock(output);
    for (const struct weir_pending *slot = first; slot; slot = slot->next_credit)
        open += slot->held != 0;
    const uint32_t kept = first->held ? output->held - open : 0;
    weir__output_unlock(output);
    return kept;
}

/* Packets that the device has, or will have. What the program has counts as long as it asks for nothing more.
 * @param[out] blocked_out  the first buffer that waits for the device, or NULL. */
static uint32_t count_ahead(struct output *output, struct weir_pending **blocked_out)
{
    struct weir_pending *first = output->unmatched.first, *slot = first;
    uint32_t free = 0;
    while (slot && weir__slot_is_free(slot)) {
        free++;
        slot = slot->next_credit;
    }
    *blocked_out = slot;
    return output->buffers - free - count_kept(output, first);
}

static uint32_t depth_of(const struct output *output)
{
    return output->buffers > DEPTH ? output->buffers : DEPTH;
}

/* A device that has nothing is needed if so many packets wait that the others, whose buffers are full, are not through with
 * them sooner than it with one. It is if the others have nothing: who finds that last takes what waits, as every output
 * looks when its device is through. */
static int is_needed(const struct output *output, uint32_t others)
{
    uint64_t ahead = (uint64_t)others * depth_of(output), needed = output->pace.cost / ONE;
    return ahead >= needed || atomic_load(&output->router->working) == 0 ||
           weir__send_queues_wait(output, needed - ahead);
}

/* Whether it is through with packets in its buffers before the others are with theirs. */
static int keeps_up(const struct output *output, uint32_t packets, uint32_t others)
{
    const struct pace *pace = &output->pace;
    return pace->known &&
           (uint64_t)packets * pace->cost <= (uint64_t)ONE * others * depth_of(output);
}

static int is_near(const struct output *output, uint32_t ahead, uint32_t others)
{
    if (ahead == 0)
        return !output->pace.known || is_needed(output, others);
    return keeps_up(output, ahead + 1, others);
}

/* @return 0: nobody would look at the end of that time, so the offer is not to wait for it. */
static int will_look(struct output *output, uint64_t now, uint64_t end)
{
    if (output->pace.look_ns > now)
        return 1; /* and then again, if that is not the end */
    if (weir__output_watch_time(output, end - now))
        return 0;
    output->pace.look_ns = end;
    return 1;
}

/* @return 0: others had time enough to take it. */
static int is_left(struct output *output, struct offer *offer)
{
    struct pace *pace = &output->pace;
    uint64_t now = weir_context_time_ns(output->router->context);
    if (!offer->withheld_ns) {
        offer->withheld_ns = now;
        output->stats.withheld++;
        atomic_store(&offer->parcel->left, 1);
    }
    if (now - offer->withheld_ns < pace->patience_ns)
        return will_look(output, now, offer->withheld_ns + pace->patience_ns);
    pace->patience_ns *= 2;
    pace->known = 0; /* what it went by is no longer so */
    return 0;
}

/* A queue that comes to wait for the receive looks at `withheld`, and who has set that looks for such a queue. */
static int is_waited_for(struct output *output)
{
    return atomic_load(&output->unmatched.first->gated) != NULL;
}

int weir__pace_withholds(struct output *output, struct offer *offer)
{
    const struct parcel *parcel = offer->parcel;
    struct weir_pending *blocked;
    uint32_t others = atomic_load_explicit(&parcel->candidates, memory_order_acquire) - 1;
    if (!parcel->lends || !output->unmatched.first->own || others == 0 || !output->pace.patience_ns)
        return 0;
    if (weir_context_simulated(output->router->context) || /* whose time nobody lets pass */
        output
            ->arrived) /* whose program may wait by what it has itself, where nobody looks again */
        return 0;
    /* Before it counts what the program has: who asks for more later sees this. */
    atomic_store(&output->pace.withheld, 1);
    if (keeps_up(output, output->buffers, others) ||
        is_near(output, count_ahead(output, &blocked), others) || is_waited_for(output))
        return 0;
    /* Else the program has the others, and makes a call when it gives one back or asks for more. */
    if (blocked && weir__slot_await(blocked))
        return 0;
    return is_left(output, offer);
}
