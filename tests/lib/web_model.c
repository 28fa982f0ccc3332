/** @file web_model.c  What must come out of a web: the policies' rules once more, by themselves. */
#include "tests/lib/web.h"

#include <stdlib.h>
#include <string.h>

/* One message on its way through the web. */
struct walk {
    const struct web *web;
    uint64_t meta;
    struct web_answer *answer;
};

void web_own_choice(const struct web_router *router, uint64_t meta, uint32_t count,
                    weir_choice *choice_out)
{
    uint64_t draw = (meta ^ router->salt) * 0x9E3779B97F4A7C15u;
    draw ^= draw >> 29;
    uint32_t first = (uint32_t)((draw >> 8) % count);
    *choice_out = (weir_choice){.delivery = (weir_delivery)(draw % (router->splits ? 3 : 2)),
                                .count = 1 + (uint32_t)((draw >> 20) % count),
                                .granule = (uint32_t)((draw >> 40) % 6)};
    for (uint32_t i = 0; i < choice_out->count; i++)
        choice_out->candidate[i] = (first + i) % count;
}

/* Output (i - 1) / 2 for output i; the root's messages leave the tree by the last output. */
static weir_status choose_tree(const struct web_router *router, uint32_t source,
                               weir_choice *choice)
{
    uint32_t last = router->port_count - 1;
    for (uint32_t i = 0; i <= last; i++)
        if (router->ports[i].end == source) {
            choice->candidate[0] = i ? (i - 1) / 2 : last;
            return i == 0 && last == 0 ? WEIR_ERR_INVALID : WEIR_OK;
        }
    return WEIR_ERR_INVALID;
}

static weir_status choose_one(const struct walk *walk, const struct web_router *router,
                              uint32_t source, weir_choice *choice)
{
    uint32_t count = router->port_count;
    choice->delivery = WEIR_DELIVER_ALL;
    choice->count = 1;
    choice->candidate[0] = 0;
    switch (router->kind) {
    case WEB_GATHER:
        choice->candidate[0] = router->root;
        break;
    case WEB_RING:
        for (uint32_t i = 0; i < count; i++)
            if (router->ports[i].end == source)
                choice->candidate[0] = (i + 1) % count;
        break;
    case WEB_TREE:
        return choose_tree(router, source, choice);
    default:
        if (walk->meta >= count)
            return WEIR_ERR_INVALID;
        choice->candidate[0] = (uint32_t)walk->meta;
    }
    return choice->candidate[0] < count ? WEIR_OK : WEIR_ERR_INVALID;
}

static weir_status choose(const struct walk *walk, const struct web_router *router, uint32_t source,
                          weir_choice *choice)
{
    *choice = (weir_choice){.delivery = WEIR_DELIVER_ANY, .count = router->port_count};
    for (uint32_t i = 0; i < router->port_count; i++)
        choice->candidate[i] = i;
    switch (router->kind) {
    case WEB_BROADCAST:
        choice->delivery = WEIR_DELIVER_ALL;
        return WEIR_OK;
    case WEB_SCATTER:
        choice->delivery = WEIR_DELIVER_SPLIT;
        choice->granule = router->granule;
        return WEIR_OK;
    case WEB_OWN:
        web_own_choice(router, walk->meta, router->port_count, choice);
        return WEIR_OK;
    case WEB_ANY:
    case WEB_PRIORITY:
        return WEIR_OK;
    default:
        return choose_one(walk, router, source, choice);
    }
}

/* ---- below a choice: the sets of outputs of which one gets a packet ------------------------------- */

static weir_status add_set(struct web_answer *answer, const struct web_set *one,
                           const struct web_set *other)
{
    if (answer->set_count == WEB_ALTERNATIVES || one->count + other->count > WEB_FAN)
        return WEIR_FULL; /* the plan sees to it that this is not met */
    struct web_set *set = &answer->sets[answer->set_count++];
    *set = *one;
    for (uint32_t i = 0; i < other->count; i++) {
        uint32_t at = set->count++;
        for (; at > 0 && set->outputs[at - 1] > other->outputs[i]; at--)
            set->outputs[at] = set->outputs[at - 1];
        set->outputs[at] = other->outputs[i];
    }
    return WEIR_OK;
}

static weir_status alternatives(struct walk *walk, const struct web_port *port, uint32_t source,
                                size_t *packet);

/* Every one of the sets from `first` to `middle` with every one behind: they take their place. */
static weir_status combine(struct web_answer *answer, uint32_t first, uint32_t middle)
{
    uint32_t last = answer->set_count;
    weir_status status = WEIR_OK;
    for (uint32_t i = first; i < middle && !status; i++)
        for (uint32_t k = middle; k < last && !status; k++)
            status = add_set(answer, &answer->sets[i], &answer->sets[k]);
    uint32_t made = answer->set_count - last;
    memmove(&answer->sets[first], &answer->sets[last], made * sizeof *answer->sets);
    answer->set_count = first + made;
    return status;
}

static weir_status router_alternatives(struct walk *walk, uint32_t r, uint32_t source,
                                       size_t *packet)
{
    const struct web_router *router = &walk->web->routers[r];
    struct web_answer *answer = walk->answer;
    uint32_t first = answer->set_count;
    weir_choice choice;
    weir_status status = choose(walk, router, source, &choice);
    if (!status && choice.delivery == WEIR_DELIVER_SPLIT && choice.count > 1)
        status = WEIR_ERR_UNSUPPORTED;
    for (uint32_t i = 0; i < choice.count && !status; i++) {
        uint32_t middle = answer->set_count;
        status = alternatives(walk, &router->ports[choice.candidate[i]], WEB_ENDS + r, packet);
        if (!status && i && choice.delivery == WEIR_DELIVER_ALL)
            status = combine(answer, first, middle);
    }
    return status;
}

static weir_status alternatives(struct walk *walk, const struct web_port *port, uint32_t source,
                                size_t *packet)
{
    static const struct web_set none;
    if (port->router >= 0)
        return router_alternatives(walk, (uint32_t)port->router, source, packet);
    if (walk->web->outputs[port->output].packet < *packet)
        *packet = walk->web->outputs[port->output].packet;
    struct web_set one = {1, {(uint16_t)port->output}};
    return add_set(walk->answer, &one, &none);
}

/* ---- above it: whole branches ----------------------------------------------------------------- */

static weir_status add_items(struct web_answer *answer, size_t offset, size_t bytes, size_t packet,
                             uint32_t first)
{
    size_t end = offset + bytes;
    do {
        size_t piece = end - offset < packet ? end - offset : packet;
        if (answer->item_count == WEB_ITEMS)
            return WEIR_FULL;
        answer->items[answer->item_count++] =
            (struct web_item){offset, piece, first, answer->set_count - first};
        offset += piece;
    } while (offset < end);
    return WEIR_OK;
}

/* Where part i of n begins: whole granules are dealt out evenly, the rest is the last one's. */
static size_t part_begin(size_t bytes, size_t granule, uint32_t i, uint32_t n)
{
    size_t granules = bytes / granule;
    size_t at = (granules / n * i + (i < granules % n ? i : granules % n)) * granule;
    return i < n ? at : bytes;
}

static weir_status branch(struct walk *walk, const struct web_port *port, uint32_t source,
                          size_t offset, size_t bytes)
{
    uint32_t first = walk->answer->set_count, r = (uint32_t)port->router;
    size_t packet = SIZE_MAX;
    weir_choice choice;
    weir_status status = WEIR_OK;
    if (port->router >= 0) {
        const struct web_router *router = &walk->web->routers[r];
        if ((status = choose(walk, router, source, &choice)))
            return status;
        if (choice.delivery != WEIR_DELIVER_ANY || choice.count == 1) {
            int split = choice.delivery == WEIR_DELIVER_SPLIT;
            size_t granule = choice.granule ? choice.granule : 1;
            for (uint32_t i = 0; i < choice.count && !status; i++) {
                size_t begin = split ? part_begin(bytes, granule, i, choice.count) : 0;
                size_t end = split ? part_begin(bytes, granule, i + 1, choice.count) : bytes;
                status = branch(walk, &router->ports[choice.candidate[i]], WEB_ENDS + r,
                                offset + begin, end - begin);
            }
            return status;
        }
    }
    if ((status = alternatives(walk, port, source, &packet)))
        return status;
    return add_items(walk->answer, offset, bytes, packet, first);
}

static int compare_items(const void *one, const void *other)
{
    const struct web_item *a = one, *b = other;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->bytes == b->bytes ? 0 : (a->bytes < b->bytes ? -1 : 1);
}

void web_expect(const struct web *web, uint32_t input, uint64_t meta, size_t bytes,
                struct web_answer *answer_out)
{
    const struct web_input *in = &web->inputs[input];
    struct walk walk = {web, meta, answer_out};
    struct web_port port = {in->router, in->output, 0};
    answer_out->item_count = answer_out->set_count = 0;
    answer_out->status = branch(&walk, &port, in->end, 0, bytes);
    if (answer_out->status)
        answer_out->item_count = 0;
    qsort(answer_out->items, answer_out->item_count, sizeof *answer_out->items, compare_items);
}

/* ---- does what came agree? -------------------------------------------------------------------- */

/* Take the outputs of `set` out of `from`; @return how many were there. Both are sorted. */
static uint32_t take_out(const struct web_set *from, const struct web_set *set,
                         struct web_set *left)
{
    uint32_t k = 0, taken = 0;
    left->count = 0;
    for (uint32_t i = 0; i < from->count; i++) {
        while (k < set->count && set->outputs[k] < from->outputs[i])
            k++;
        if (k < set->count && set->outputs[k] == from->outputs[i]) {
            k++;
            taken++;
        } else {
            left->outputs[left->count++] = from->outputs[i];
        }
    }
    return taken;
}

int web_explains(const struct web_answer *answer, const struct web_item *items, uint32_t item_count,
                 const struct web_set *got, int partly)
{
    if (item_count == 0 || (partly && got->count == 0))
        return got->count == 0;
    for (uint32_t i = 0; i < items->count; i++) {
        const struct web_set *set = &answer->sets[items->first + i];
        struct web_set left;
        uint32_t taken = take_out(got, set, &left);
        if ((taken == set->count || partly) &&
            web_explains(answer, items + 1, item_count - 1, &left, partly))
            return 1;
    }
    return 0;
}
