/** @file color_push_op.h  A colouring through the worklist, speculative; written once for host devices and GPUs. Not installed.
 *
 * Atos, Algorithm 6. Each vertex that has arcs has one item, from the beginning to the end of a run, which is of one kind after the other:
 *
 * - *take*: look along the arcs, and take a colour that no neighbour has; then check.
 * - *check*: look again. If a neighbour has taken the same, take another one; if not, the vertex is done, and its item is gone.
 * - *tell*, between the two, where arcs lead to vertices of other devices: the item goes to each of these devices in turn, which notes the
 *   colour with its halo, and home again. So a check begins when all who look at the vertex can see its colour.
 *
 * Of two neighbours that take the same colour at least one sees it: both have told before they check, and push_see() orders what one has told
 * before what the other looks at, or the other way round. A vertex is done only when it sees its colour nowhere. If the other one is ahead, or
 * done, it takes another colour; if not, it checks again, since that one will see it and move on. Unless it was done before it could
 * see, which is not known of a vertex of another device: so one that waits moves on by itself now and then.
 *
 * A look adds up bits of the colours that neighbours have, of a window of them; if none is free the vertex takes from the next window. Each
 * further try draws among twice as many of the free ones, so that neighbours that always meet come apart. */
#ifndef WEIR_ALGORITHMS_COLOR_COLOR_PUSH_OP_H
#define WEIR_ALGORITHMS_COLOR_COLOR_PUSH_OP_H

#include "algorithms/part.h"
#include "runtime/sync.h"
#include "worklist/operator.h"

enum { PUSH_WORDS = 4, PUSH_WINDOW = 32 * PUSH_WORDS, PUSH_TRIES = 5, PUSH_WAITS = 8 };

#define PUSH_NONE UINT32_MAX
#define PUSH_OPEN UINT32_C(0x80000000) /* of a colour: it is not checked yet */

/* Kinds of work in one item. */
enum push_kind {
    PUSH_TAKE = 0,
    PUSH_CHECK,
    PUSH_TELL,
    PUSH_HOME /* to check, from another device to its own */
};

typedef struct color_push_item {
    uint64_t tell; /* a bit for each device that is still to be told */
    uint32_t
        vertex; /* a local number to take and to check; a global one to tell and on the way home */
    uint32_t color;      /* that it took */
    uint32_t base;       /* of the window to take from */
    uint8_t kind, tries; /* tries: colours that it had to give up */
    uint16_t waits;      /* times that it has checked and waited */
} color_push_item;
typedef color_push_item color_push_wire;

typedef struct color_push_state {
    weir_part part;
    uint32_t *color; /* of each vertex this device knows */
    uint64_t *turn;  /* push_see(); on host devices alone */
    const uint64_t *
        heard; /* of each vertex of the halo: its global number in the upper 32 bits, its place in the halo; ascending */
    const uint32_t
        *order;    /* owned vertices in the order in which they take colours; NULL: as they are */
    uint32_t both; /* the graph is not symmetric: arcs that come in are looked along as well */
} color_push_state;

typedef struct color_push_sum {
    uint32_t used[PUSH_WORDS]; /* bits of colours, from the window's first on; TAKE */
    uint32_t tell[2];          /* bits of devices; TAKE */
    uint32_t meets;            /* CHECK: MEETS_* */
} color_push_sum;

enum { MEETS_LOSES = 1, MEETS_WAITS = 2 };

WEIR_DEV uint32_t push_degree(const color_push_state *s, uint32_t vertex)
{
    const uint64_t out = s->part.offsets[vertex + 1] - s->part.offsets[vertex];
    return (uint32_t)(s->both ? out + s->part.in_offsets[vertex + 1] - s->part.in_offsets[vertex]
                              : out);
}

/* What this device has written, and was told, before is seen by whoever calls this later on the device, or this one sees what that one had
 * written. Whichever of the two comes first: not neither. */
WEIR_DEV void push_see(const color_push_state *s)
{
    if (WEIR_LANES > 1u)
        weir_fence_sys();
    else
        (void)weir_add_acq_rel_dev_u64(s->turn, 1);
}

WEIR_DEV uint32_t push_mixed(uint32_t value)
{
    value = (value ^ value >> 16) * UINT32_C(0x7FEB352D);
    value = (value ^ value >> 15) * UINT32_C(0x846CA68B);
    return value ^ value >> 16;
}

WEIR_DEV uint32_t push_global(const color_push_state *s, uint32_t local)
{
    return weir_part_owns(&s->part, local) ? s->part.first[s->part.part] + local
                                           : weir_part_global(&s->part, local);
}

/* Which of two vertices is ahead: drawn, so that of a line of neighbours not all wait for one. */
WEIR_DEV int push_is_ahead(const color_push_state *s, uint32_t one, uint32_t other)
{
    /* No two numbers are mixed into the same. */
    return push_mixed(push_global(s, one)) < push_mixed(push_global(s, other));
}

/* ---- a look ----------------------------------------------------------------------------------- */

/* The arcs that leave, by their places; behind them those that come in. */
WEIR_DEV int color_push_tile(const color_push_state *s, const color_push_item *item,
                             uint64_t *first, uint64_t *last)
{
    *first = item->kind == PUSH_TELL ? 0 : s->part.offsets[item->vertex];
    *last = item->kind == PUSH_TELL ? 1 : *first + push_degree(s, item->vertex);
    return 1;
}

#define color_push_folds 1
WEIR_DEV void color_push_begin_sum(const color_push_state *s, const color_push_item *item,
                                   color_push_sum *sum)
{
    (void)s, (void)item;
    for (uint32_t i = 0; i < PUSH_WORDS; i++)
        sum->used[i] = 0;
    sum->tell[0] = sum->tell[1] = sum->meets = 0;
}

WEIR_DEV uint32_t push_neighbour(const color_push_state *s, uint32_t vertex, uint64_t atom)
{
    const uint64_t end = s->part.offsets[vertex + 1];
    return atom < end ? s->part.targets[atom]
                      : s->part.in_sources[s->part.in_offsets[vertex] + (atom - end)];
}

WEIR_DEV void color_push_add_atom(const color_push_state *s, const color_push_item *item,
                                  uint64_t atom, color_push_sum *sum)
{
    if (item->kind == PUSH_TELL)
        return;
    const uint32_t other = push_neighbour(s, item->vertex, atom);
    const uint32_t color = weir_load_relaxed_dev_u32(&s->color[other]);
    const uint32_t value = color & ~PUSH_OPEN, bit = value - item->base;
    const int owned = weir_part_owns(&s->part, other);
    if (item->kind == PUSH_CHECK) {
        if (value == item->color)
            sum->meets |= color & PUSH_OPEN && push_is_ahead(s, item->vertex, other) ? MEETS_WAITS
                                                                                     : MEETS_LOSES;
        return;
    }
    if (color != PUSH_NONE && bit < PUSH_WINDOW)
        for (uint32_t i = 0; i < PUSH_WORDS;
             i++) /* no index that is known late: it stays in registers */
            sum->used[i] |= bit / 32 == i ? 1u << bit % 32 : 0;
    if (!owned) {
        const uint32_t p = weir_part_owner(&s->part, weir_part_global(&s->part, other));
        sum->tell[0] |= p < 32 ? 1u << p : 0;
        sum->tell[1] |= p < 32 ? 0 : 1u << (p - 32);
    }
}

WEIR_DEV void color_push_join_sums(color_push_sum *sum, const color_push_sum *other)
{
    for (uint32_t i = 0; i < PUSH_WORDS; i++)
        sum->used[i] |= other->used[i];
    sum->tell[0] |= other->tell[0];
    sum->tell[1] |= other->tell[1];
    sum->meets |= other->meets;
}

/* ---- what comes of it ------------------------------------------------------------------------- */

/* A colour of the window that is free and not above the number of neighbours: drawn from the first `most` of them. PUSH_NONE: there is
 * none. */
WEIR_DEV uint32_t push_pick(const color_push_sum *sum, uint32_t base, uint32_t degree,
                            uint32_t most, uint32_t draw)
{
    uint32_t free[PUSH_WORDS], count = 0, skip;
    for (uint32_t i = 0; i < PUSH_WORDS; i++) {
        const uint32_t from = base + 32 * i;
        free[i] = degree < from ? 0 : ~sum->used[i];
        free[i] &= degree - from < 31 ? (2u << (degree - from)) - 1u : UINT32_MAX;
        count += weir_popcount_u32(free[i]);
    }
    if (!count)
        return PUSH_NONE;
    skip = draw % (count < most ? count : most);
    for (uint32_t i = 0; i < PUSH_WORDS; i++)
        for (uint32_t left = free[i]; left; left &= left - 1)
            if (!skip--)
                return base + 32 * i + weir_first_bit_u32(left);
    return PUSH_NONE;
}

WEIR_DEV int push_end_take(const color_push_state *s, const color_push_item *item,
                           const color_push_sum *sum, color_push_item *next)
{
    const uint32_t degree = push_degree(s, item->vertex);
    const uint32_t wide = item->tries < PUSH_TRIES ? item->tries : PUSH_TRIES;
    const uint32_t drawn =
        push_mixed(push_global(s, item->vertex) + (item->tries + item->waits) * 0x9E3779B9u);
    const uint32_t color = push_pick(sum, item->base, degree, 1u << wide, drawn);
    if (color ==
        PUSH_NONE) { /* neighbours may have changed their colours since it saw the first windows */
        next->base = degree - item->base >= PUSH_WINDOW ? item->base + PUSH_WINDOW : 0;
        return 1;
    }
    (void)weir_atomic_exchange_relaxed_dev_u32(&s->color[item->vertex], color | PUSH_OPEN);
    push_see(s);
    next->color = color;
    next->kind = PUSH_CHECK;
    next->tell = sum->tell[0] | (uint64_t)sum->tell[1] << 32;
    if (next->tell) {
        next->kind = PUSH_TELL;
        next->vertex = push_global(s, item->vertex);
    }
    return 1;
}

WEIR_DEV int push_end_check(const color_push_state *s, const color_push_item *item,
                            const color_push_sum *sum, color_push_item *next)
{
    const uint32_t draw = push_mixed(push_global(s, item->vertex) ^ (uint32_t)item->waits << 16);
    if (!sum->meets) {
        weir_store_relaxed_dev_u32(&s->color[item->vertex], item->color);
        return 0;
    }
    next->waits++;
    if (sum->meets & MEETS_LOSES || draw % PUSH_WAITS == 0) {
        next->kind = PUSH_TAKE;
        next->tries += next->tries < UINT8_MAX;
    }
    return 1;
}

WEIR_DEV int color_push_end_sum(const color_push_state *s, const color_push_item *item,
                                const color_push_sum *sum, color_push_item *next)
{
    *next = *item;
    if (item->kind == PUSH_TAKE)
        return push_end_take(s, item, sum, next);
    if (item->kind == PUSH_CHECK)
        return push_end_check(s, item, sum, next);
    next->tell &= next->tell - 1; /* this device was told */
    next->kind = next->tell ? PUSH_TELL : PUSH_HOME;
    return 1;
}

/* ---- ways ------------------------------------------------------------------------------------- */

/* Where an item goes that bears a global number. */
WEIR_DEV uint32_t color_push_owner(const color_push_state *s, const color_push_wire *wire)
{
    const uint32_t low = (uint32_t)wire->tell;
    if (wire->kind != PUSH_TELL)
        return weir_part_owner(&s->part, wire->vertex);
    return low ? weir_first_bit_u32(low) : 32 + weir_first_bit_u32((uint32_t)(wire->tell >> 32));
}

WEIR_DEV enum weir_fate color_push_on_send(const color_push_state *s, const color_push_item *item)
{
    (void)s;
    return item->kind == PUSH_TELL || item->kind == PUSH_HOME ? WEIR_FATE_PASS : WEIR_FATE_KEEP;
}

WEIR_DEV uint32_t color_push_pack(const color_push_state *s, const color_push_item *item,
                                  color_push_wire *wire)
{
    *wire = *item;
    return color_push_owner(s, wire);
}

/* The place in the halo of a vertex that is there. */
WEIR_DEV uint32_t push_place(const color_push_state *s, uint32_t global)
{
    uint32_t low = 0, high = s->part.halo_count; /* heard[low] is not above it */
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (s->heard[middle] >> 32 <= global)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)s->heard[low];
}

WEIR_DEV enum weir_fate color_push_on_receive(const color_push_state *s,
                                              const color_push_wire *wire)
{
    if (color_push_owner(s, wire) != s->part.part)
        return WEIR_FATE_PASS;
    if (wire->kind == PUSH_TELL)
        weir_store_relaxed_dev_u32(&s->color[s->part.owned + push_place(s, wire->vertex)],
                                   wire->color | PUSH_OPEN); /* nobody tells when it is done */
    push_see(s);
    return WEIR_FATE_KEEP;
}

WEIR_DEV void color_push_unpack(const color_push_state *s, const color_push_wire *wire,
                                color_push_item *item)
{
    *item = *wire;
    if (wire->kind != PUSH_HOME)
        return;
    item->vertex = wire->vertex - s->part.first[s->part.part];
    item->kind = PUSH_CHECK;
}

/* Hubs first, by halves of their degree: they are each other's neighbours, and what they leave the others find. */
WEIR_DEV uint32_t color_push_priority(const color_push_state *s, const color_push_item *item)
{
    return item->kind == PUSH_TELL ? 0 : 33 - weir_bits_u32(push_degree(s, item->vertex));
}

#define color_push_seeds 1
WEIR_DEV int color_push_seed(const color_push_state *s, uint32_t number, color_push_item *item)
{
    const uint32_t vertex = s->order ? s->order[number] : number;
    item->tell = 0;
    item->vertex = vertex;
    item->color = item->base = 0;
    item->kind = PUSH_TAKE;
    item->tries = 0;
    item->waits = 0;
    if (push_degree(s, vertex))
        return 1;
    weir_store_relaxed_dev_u32(&s->color[vertex], 0); /* no neighbours */
    return 0;
}

#endif
