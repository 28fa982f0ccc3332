/** @file 21_forest_body.h  A minimum spanning forest by Boruvka's rounds (1926): every component takes the lightest edge that leads
 * out of it, all at once, and is one with the component at its far end.
 *
 * The arcs of a row ascend by weight. So the lightest that leads out of a row's component is the first that does, and those before
 * it never will again: each row has a mark that only goes forward. Edges of equal weight are told apart by their ends, so that no
 * circle comes of them but a pair: two components that take the same edge. */
#ifndef WEIR_EXAMPLES_21_FOREST_BODY_H
#define WEIR_EXAMPLES_21_FOREST_BODY_H

#include <weir/algorithms/rows.h>
#include <weir/worklist/steps.h>

enum msf_result { MSF_WEIGHT = 0, MSF_EDGES, MSF_ROUNDS };
#define MSF_NONE UINT64_MAX

/* An edge that a component takes, or might. */
struct msf_edge {
    uint32_t weight, tail, head; /* numbers */
    uint32_t round;              /* in which; 0: none */
};

struct msf_args {
    struct weir_steps_member member;
    weir_rows_part rows;                  /* arcs by weight */
    uint32_t *label[2][WEIR_DEVICES_MAX]; /* by number: of its component; they take turns */
    uint32_t *mark;                       /* by row: arcs that lead out no more */
    uint64_t *best;                       /* by number of a component: row << 32 | arc of it */
    struct msf_edge *inbox[WEIR_DEVICES_MAX], *outbox[WEIR_DEVICES_MAX]; /* offers for own rows */
    struct msf_edge *tree; /* by row: what the component of that number took */
};

WEIR_DEV struct msf_edge msf_edge_of(const struct msf_args *a, uint64_t place, uint32_t round)
{
    const uint32_t row = (uint32_t)(place >> 32);
    const uint64_t arc = a->rows.out.offsets[row] + (uint32_t)place;
    const struct msf_edge edge = {a->rows.out.weights[arc], a->rows.begin + row,
                                  a->rows.out.targets[arc], round};
    return edge;
}

/* One order of all edges, whichever end they are seen from. */
WEIR_DEV int msf_before(struct msf_edge x, struct msf_edge y)
{
    const uint32_t x_low = x.tail < x.head ? x.tail : x.head, x_high = x.tail ^ x.head ^ x_low;
    const uint32_t y_low = y.tail < y.head ? y.tail : y.head, y_high = y.tail ^ y.head ^ y_low;
    if (x.weight != y.weight)
        return x.weight < y.weight;
    return x_low != y_low ? x_low < y_low : x_high < y_high;
}

WEIR_DEV void msf_set(const struct msf_args *a, uint32_t which, uint32_t number, uint32_t label)
{
    for (uint32_t d = 0; d < a->member.count; d++)
        a->label[which][d][number] = label;
}

/* The edge becomes its component's if it comes before what is there. What the word leads to never changes, so the word is all that
 * the threads have to agree on. */
WEIR_DEV void msf_offer(const struct msf_args *a, uint32_t component, uint64_t place)
{
    const struct msf_edge edge = msf_edge_of(a, place, 0);
    uint64_t old, seen = weir_load_relaxed_dev_u64(&a->best[component]);
    do {
        old = seen;
        if (old != MSF_NONE && !msf_before(edge, msf_edge_of(a, old, 0)))
            return;
        seen = weir_atomic_compare_swap_relaxed_dev_u64(&a->best[component], old, place);
    } while (seen != old);
}

/* The first arc of each row that leads out of its component: a worker a row. */
WEIR_DEV void msf_scan(const struct msf_args *a, const struct weir_steps_block *b, uint32_t now)
{
    const uint32_t *label = a->label[now][a->member.index];
    const uint64_t workers = weir_steps_threads(b) / WEIR_LANES;
    for (uint64_t row = weir_steps_warp(b); row < a->rows.busy; row += workers) {
        const uint64_t first = a->rows.out.offsets[row];
        const uint64_t degree = a->rows.out.offsets[row + 1] - first;
        const uint32_t own = label[a->rows.begin + row];
        uint64_t at = a->mark[row];
        uint32_t leads = 0;
        weir_lanes_sync(); /* all have read the mark */
        while (at < degree && !leads) {
            const uint64_t i = at + weir_lane();
            leads = weir_ballot(i < degree && label[a->rows.out.targets[first + i]] != own);
            at += leads ? weir_first_bit_u32(leads) : WEIR_LANES;
        }
        if (weir_lane() == 0)
            a->mark[row] = (uint32_t)(at < degree ? at : degree);
        if (weir_lane() == 0 && leads)
            msf_offer(a, own, row << 32 | at);
    }
}

/* What this device found for each component goes to the owner of its number. */
WEIR_DEV void msf_send(const struct msf_args *a, const struct weir_steps_block *b, uint32_t round)
{
    for (uint64_t i = weir_steps_thread(b); i < a->rows.numbers; i += weir_steps_threads(b)) {
        const uint64_t place = a->best[i];
        if (place == MSF_NONE)
            continue;
        const uint32_t owner = weir_steps_owner(a->rows.first, (uint32_t)i);
        struct msf_edge *to = owner == a->member.index ? a->tree : a->outbox[owner];
        to[i - a->rows.first[owner]] = msf_edge_of(a, place, round);
        a->best[i] = MSF_NONE; /* for the next round */
    }
}

/* Each component takes the first of what is offered. @return how many took one, of this thread. */
WEIR_DEV uint64_t msf_hook(const struct msf_args *a, const struct weir_steps_block *b, uint32_t now,
                           uint32_t round)
{
    const uint32_t *label = a->label[now][a->member.index];
    uint64_t hooked = 0;
    for (uint64_t row = weir_steps_thread(b); row < a->rows.owned; row += weir_steps_threads(b)) {
        const uint32_t number = a->rows.begin + (uint32_t)row;
        struct msf_edge *edge = &a->tree[row];
        for (uint32_t d = 0; d < a->member.count; d++)
            if (d != a->member.index && a->inbox[d][row].round == round &&
                (edge->round != round || msf_before(a->inbox[d][row], *edge)))
                *edge = a->inbox[d][row];
        msf_set(a, 1 - now, number, label[edge->round == round ? edge->head : number]);
        hooked += edge->round == round;
    }
    return hooked;
}

/* Labels become those that they lead to. Two that lead to each other took the same edge: the smaller one remains, without it.
 * @return how many changed, of this thread. */
WEIR_DEV uint64_t msf_jump(const struct msf_args *a, const struct weir_steps_block *b, uint32_t now)
{
    const uint32_t *label = a->label[now][a->member.index];
    uint64_t changed = 0;
    for (uint64_t row = weir_steps_thread(b); row < a->rows.owned; row += weir_steps_threads(b)) {
        const uint32_t number = a->rows.begin + (uint32_t)row, to = label[number];
        uint32_t next = label[to];
        if (next == number && to != number) {
            next = number < to ? number : to;
            if (next == number)
                a->tree[row].round = 0;
        }
        msf_set(a, 1 - now, number, next);
        changed += next != to;
    }
    return changed;
}

struct msf_shared {
    uint32_t none; /* threads share nothing but what the device has */
};

WEIR_DEV void msf_body(const struct msf_args *a, struct msf_shared *shared,
                       struct weir_steps_block *b)
{
    const struct weir_steps_member *m = &a->member;
    uint32_t round = 0, now = 0; /* which of the two labels counts */
    uint64_t did[2] = {0, 0}, hooked = 0, changed;
    (void)shared;
    for (uint64_t i = weir_steps_thread(b); i < a->rows.numbers; i += weir_steps_threads(b))
        a->label[0][m->index][i] = (uint32_t)i; /* of the device's own copy */
    if (weir_steps_sum(m, b, 0, &changed))
        return;
    do {
        msf_scan(a, b, now);
        if (weir_steps_sum(m, b, 0, &changed))
            return;
        msf_send(a, b, ++round);
        if (weir_steps_sum(m, b, 0, &changed) ||
            weir_steps_sum(m, b, msf_hook(a, b, now, round), &hooked))
            return;
        for (changed = hooked; changed;) {
            now = 1 - now;
            if (weir_steps_sum(m, b, msf_jump(a, b, now), &changed))
                return;
        }
        now = 1 - now;
    } while (hooked); /* else no edge leads out of any component */
    for (uint64_t row = weir_steps_thread(b); row < a->rows.owned; row += weir_steps_threads(b)) {
        did[MSF_WEIGHT] += a->tree[row].round ? a->tree[row].weight : 0;
        did[MSF_EDGES] += a->tree[row].round != 0;
    }
    weir_steps_count(m, b, MSF_WEIGHT, did, 2);
    if (b->block == 0 && b->thread == 0)
        weir_steps_mine(m)->result[MSF_ROUNDS] = round;
}

#endif
