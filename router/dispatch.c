/** @file dispatch.c  Where a message goes: the policies' answers, nested as the routers are.
 *
 * "All of" and "a part each" at the root make branches, each cut and sent by itself. Below a choice
 * they are alternatives that come together: a parcel goes to one alternative, to all of its receivers.
 * A choice right below another is more alternatives of the same. */
#include "router/internal.h"

#include <stdlib.h>

/* Where in the tree of deliveries the walk stands. */
struct place {
    size_t offset, bytes; /* of the message */
    int rooted;           /* no branch was begun: "all of" makes more of them */
    int in_choice;        /* right below a choice */
    uint16_t *last;       /* its last alternative */
    struct leaf leaf;     /* the choices on the way here */
};

static weir_status grow(void *list, uint32_t count, uint32_t *room, size_t size)
{
    uint32_t wanted = *room ? 2 * *room : 8;
    void **data = list;
    if (count < *room)
        return WEIR_OK;
    void *grown = realloc(*data, wanted * size);
    if (!grown)
        return weir__fail(WEIR_ERR_NOMEM, "no memory for the recipients of a message");
    *data = grown;
    *room = wanted;
    return WEIR_OK;
}

static weir_status begin_branch(struct dispatch *dispatch, struct place *place)
{
    weir_status status;
    if (!place->rooted)
        return WEIR_OK;
    if ((status = grow(&dispatch->branches, dispatch->branch_count, &dispatch->branch_room,
                       sizeof *dispatch->branches)))
        return status;
    dispatch->branches[dispatch->branch_count++] =
        (struct branch){.offset = place->offset,
                        .bytes = place->bytes,
                        .packet = SIZE_MAX,
                        .first_leaf = dispatch->recipient_count,
                        .single = 1};
    place->rooted = 0;
    return WEIR_OK;
}

static weir_status add_leaf(struct dispatch *dispatch, struct output *output, struct place place)
{
    weir_status status;
    if ((status = begin_branch(dispatch, &place)) ||
        (status = grow(&dispatch->recipients, dispatch->recipient_count, &dispatch->recipient_room,
                       sizeof *dispatch->recipients)))
        return status;
    dispatch->recipients[dispatch->recipient_count++] =
        (struct recipient){output, dispatch->group, place.leaf};
    if (atomic_load_explicit(&output->unjoined, memory_order_acquire))
        return weir__fail(WEIR_ERR_INVALID,
                          "router %s is not joined with process %u, where %s lies: "
                          "weir_group_join() first",
                          output->router->self.name, output->destination->process,
                          output->destination->name);
    struct branch *branch = &dispatch->branches[dispatch->branch_count - 1];
    branch->leaves++;
    if (branch->packet > output->packet_bytes)
        branch->packet = output->packet_bytes;
    return WEIR_OK;
}

static weir_status visit(struct dispatch *dispatch, weir_router *router,
                         const weir_endpoint *source, const weir_segment *segment,
                         const struct place *place, uint32_t *copies_out);

/* Copies that a parcel takes below here; 0: the alternatives were counted one by one. */
static weir_status visit_port(struct dispatch *dispatch, weir_router *router, uint32_t port,
                              const weir_segment *segment, const struct place *place,
                              uint32_t *copies_out)
{
    *copies_out = 1;
    if (router->ports[port].output)
        return add_leaf(dispatch, router->ports[port].output, *place);
    return visit(dispatch, router->ports[port].router, &router->self, segment, place, copies_out);
}

static weir_status visit_all(struct dispatch *dispatch, weir_router *router,
                             const weir_segment *segment, const struct place *place,
                             const weir_choice *choice, uint32_t *copies_out)
{
    struct place below = *place;
    weir_status status = WEIR_OK;
    below.in_choice = 0;
    *copies_out = 0;
    for (uint32_t i = 0; i < choice->count && !status; i++) {
        uint32_t copies;
        status = visit_port(dispatch, router, choice->candidate[i], segment, &below, &copies);
        *copies_out += copies;
    }
    return status;
}

static weir_status visit_parts(struct dispatch *dispatch, weir_router *router,
                               const weir_segment *segment, const struct place *place,
                               const weir_choice *choice, uint32_t *copies_out)
{
    struct place below = *place;
    size_t granule = choice->granule ? choice->granule : 1;
    size_t elements = place->bytes / granule, end = place->offset + place->bytes;
    weir_status status = WEIR_OK;
    if (!place->rooted)
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "router %s splits what a router before it gives to any of several",
                          router->self.name);
    for (uint32_t i = 0; i < choice->count && !status; i++) {
        size_t share = elements / choice->count + (i < elements % choice->count);
        below.bytes = i + 1 < choice->count ? share * granule : end - below.offset;
        status = visit_port(dispatch, router, choice->candidate[i], segment, &below, copies_out);
        below.offset += below.bytes;
    }
    return status;
}

/* Whoever takes one of the leaves added since `first` has that many copies to come. */
static weir_status set_copies(struct dispatch *dispatch, uint32_t first, uint32_t decision,
                              uint32_t copies)
{
    if (copies > UINT16_MAX)
        return weir__fail(WEIR_ERR_UNSUPPORTED, "one packet makes %u copies", copies);
    if (copies > 1)
        dispatch->branches[dispatch->branch_count - 1].single = 0;
    for (uint32_t i = first; copies && i < dispatch->recipient_count; i++)
        dispatch->recipients[i].leaf.decision[decision].more = (uint16_t)(copies - 1);
    return WEIR_OK;
}

/* A choice of its own, unless it stands right below another: then its alternatives are more of that. */
static weir_status begin_choice(struct dispatch *dispatch, struct place *place, uint16_t *last)
{
    struct branch *branch = &dispatch->branches[dispatch->branch_count - 1];
    if (place->in_choice)
        return WEIR_OK;
    if (place->leaf.decisions == DECISIONS_MAX)
        return weir__fail(WEIR_ERR_UNSUPPORTED, "more than %d choices within each other",
                          DECISIONS_MAX);
    if (branch->choices == UINT16_MAX)
        return weir__fail(WEIR_ERR_UNSUPPORTED, "more than %u choices for one packet",
                          branch->choices);
    if (branch->choices > 0)
        branch->single = 0;
    place->leaf.decision[place->leaf.decisions++].node = (uint16_t)branch->choices++;
    place->last = last;
    place->in_choice = 1;
    return WEIR_OK;
}

static weir_status visit_alternative(struct dispatch *dispatch, weir_router *router, uint32_t port,
                                     const weir_segment *segment, struct place *place)
{
    uint32_t first = dispatch->recipient_count, decision = place->leaf.decisions - 1, copies;
    if (*place->last == UINT16_MAX)
        return weir__fail(WEIR_ERR_UNSUPPORTED, "a choice between more than %u", UINT16_MAX);
    place->leaf.decision[decision].alternative = ++*place->last;
    place->leaf.decision[decision].more = 0;
    weir_status status = visit_port(dispatch, router, port, segment, place, &copies);
    return status ? status : set_copies(dispatch, first, decision, copies);
}

/* Turns are taken packet by packet at a branch's first choice, and message by message at others. */
static weir_status visit_any(struct dispatch *dispatch, weir_router *router,
                             const weir_segment *segment, const struct place *place,
                             const weir_choice *choice, uint32_t *copies_out)
{
    struct place below = *place;
    uint16_t last = 0;
    weir_status status = begin_branch(dispatch, &below);
    uint32_t start = 0;
    if (status)
        return status;
    int is_first = dispatch->branches[dispatch->branch_count - 1].choices == 0;
    *copies_out = !place->in_choice;
    if ((status = begin_choice(dispatch, &below, &last)))
        return status;
    if (is_first && choice->turns)
        dispatch->branches[dispatch->branch_count - 1].groups = choice->count;
    else if (choice->turns)
        start = atomic_fetch_add_explicit(&router->turn, 1, memory_order_relaxed) % choice->count;
    for (uint32_t i = 0; i < choice->count && !status; i++) {
        if (is_first)
            dispatch->group = i;
        status = visit_alternative(dispatch, router, choice->candidate[(start + i) % choice->count],
                                   segment, &below);
    }
    return status;
}

static weir_status check_choice(const weir_router *router, weir_choice *choice)
{
    uint32_t kept = 0;
    unsigned char seen[PORTS_MAX] = {0};
    if (choice->count == 0 || choice->count > router->port_count)
        return weir__fail(WEIR_ERR_INVALID, "policy %s of router %s chose %u of %u outputs",
                          router->policy.name, router->self.name, choice->count,
                          router->port_count);
    for (uint32_t i = 0; i < choice->count; i++) {
        uint32_t port = choice->candidate[i];
        if (port >= router->port_count)
            return weir__fail(WEIR_ERR_INVALID, "policy %s of router %s chose output %u of %u",
                              router->policy.name, router->self.name, port, router->port_count);
        if (seen[port]++)
            return weir__fail(WEIR_ERR_INVALID, "policy %s of router %s chose output %u twice",
                              router->policy.name, router->self.name, port);
        if (router->candidates[port]) /* its link may be gone: then it is left out */
            choice->candidate[kept++] = port;
    }
    if (kept == 0)
        return weir__fail(WEIR_ERR_INVALID,
                          "policy %s of router %s chose output %u, whose link was destroyed",
                          router->policy.name, router->self.name, choice->candidate[0]);
    choice->count = kept;
    if ((unsigned)choice->delivery > WEIR_DELIVER_SPLIT)
        return weir__fail(WEIR_ERR_INVALID, "policy %s of router %s: there is no delivery %d",
                          router->policy.name, router->self.name, (int)choice->delivery);
    return WEIR_OK;
}

/* What the policy answers. A refusal comes with its sentence, or with this one; what is no failure is refused too: the
 * sender would take it for an answer of the link's own. */
static weir_status ask(const weir_router *router, const weir_endpoint *source,
                       const weir_segment *segment, weir_choice *choice_out)
{
    uint64_t sentences = weir__fail_count();
    weir_status status = router->policy.choose(router->policy.user, segment, source,
                                               router->candidates, router->port_count, choice_out);
    if (status == WEIR_OK)
        return WEIR_OK;
    if (!weir__status_ends(status))
        return weir__fail(
            WEIR_ERR_INVALID,
            "policy %s of router %s returned %d (%s), which is no failure of a policy",
            router->policy.name, router->self.name, (int)status, weir_status_text(status));
    if (weir__fail_count() == sentences)
        (void)weir__fail(status, "policy %s of router %s refused a message from %s",
                         router->policy.name, router->self.name, source->name);
    return status;
}

static weir_status visit(struct dispatch *dispatch, weir_router *router,
                         const weir_endpoint *source, const weir_segment *segment,
                         const struct place *place, uint32_t *copies_out)
{
    weir_choice choice;
    weir_status status;
    if (router->ports_linked == 0)
        return weir__fail(WEIR_ERR_INVALID, "router %s is unconnected: it leads to no receiver",
                          router->self.name);
    choice.size = sizeof choice;
    choice.delivery = WEIR_DELIVER_ANY;
    choice.count = choice.granule = 0;
    choice.turns = 0;
    if ((status = ask(router, source, segment, &choice)) ||
        (status = check_choice(router, &choice)))
        return status;
    if (choice.count == 1)
        return visit_port(dispatch, router, choice.candidate[0], segment, place, copies_out);
    if (choice.delivery == WEIR_DELIVER_ALL)
        return visit_all(dispatch, router, segment, place, &choice, copies_out);
    if (choice.delivery == WEIR_DELIVER_SPLIT)
        return visit_parts(dispatch, router, segment, place, &choice, copies_out);
    return visit_any(dispatch, router, segment, place, &choice, copies_out);
}

weir_status weir__dispatch_make(struct dispatch *dispatch, const weir_link *link,
                                const weir_segment *segment)
{
    struct place root;
    uint32_t copies;
    root.offset = 0;
    root.bytes = segment->bytes;
    root.rooted = 1;
    root.in_choice = 0;
    root.last = NULL;
    root.leaf.decisions = 0;
    root.leaf.beacon = NULL;
    dispatch->branch_count = dispatch->recipient_count = dispatch->group = 0;
    return visit(dispatch, link->router, link->source, segment, &root, &copies);
}

void weir__dispatch_free(struct dispatch *dispatch)
{
    free(dispatch->branches);
    free(dispatch->recipients);
}
