/** @file web.c  Drawing random dataflow graphs, building them and taking them down. */
#include "tests/lib/web.h"

#include <string.h>

uint32_t web_below(struct web *web, uint64_t bound)
{
    return (uint32_t)(next_random(&web->random) % bound);
}

weir_device *web_device(const struct web *web, uint32_t end)
{
    return any_device(web->context, end % all_devices(web->context));
}

/* ---- planning -------------------------------------------------------------------------------- */

static int planned(const struct web *web, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < web->edge_count; i++)
        if (web->edges[i].from == from && web->edges[i].to == to)
            return 1;
    return 0;
}

static uint32_t outputs_of(const struct web *web, uint32_t router)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < web->edge_count; i++)
        count += web->edges[i].from == WEB_ENDS + router;
    return count;
}

static void plan_link(struct web *web, uint32_t from, uint32_t to)
{
    int into = to >= WEB_ENDS, out = from >= WEB_ENDS;
    if (from == to || planned(web, from, to) || web->input_count == WEB_LINKS ||
        web->output_count == WEB_LINKS || web->edge_count == 2 * WEB_LINKS ||
        (out && outputs_of(web, from - WEB_ENDS) == WEB_PORTS))
        return;
    struct web_edge *edge = &web->edges[web->edge_count++];
    *edge = (struct web_edge){.from = from, .to = to, .input = -1, .output = -1};
    if (!into) {
        edge->output = (int)web->output_count++;
        web->outputs[edge->output] =
            (struct web_output){.end = to, .router = out ? (int)from - WEB_ENDS : -1};
    }
    if (!out) {
        edge->input = (int)web->input_count++;
        web->inputs[edge->input] = (struct web_input){
            .end = from, .router = into ? (int)to - WEB_ENDS : -1, .output = edge->output};
    }
}

static void plan_links(struct web *web)
{
    uint32_t routers = web->router_count, ends = web->end_count;
    for (uint32_t r = 1; r < routers; r++)
        for (uint32_t i = web_below(web, 3); i > 0; i--)
            plan_link(web, WEB_ENDS + web_below(web, r), WEB_ENDS + r);
    for (uint32_t r = 0; r < routers; r++) {
        int fed = 0, feeds = 0;
        for (uint32_t i = 0; i < web->edge_count; i++) {
            fed |= web->edges[i].to == WEB_ENDS + r && web->edges[i].from >= WEB_ENDS;
            feeds |= web->edges[i].from == WEB_ENDS + r && web->edges[i].to >= WEB_ENDS;
        }
        web->routers[r].leaf = !fed && !feeds;
        for (uint32_t i = fed ? web_below(web, 3) : 1 + web_below(web, 4); i > 0; i--)
            plan_link(web, web_below(web, ends), WEB_ENDS + r);
        for (uint32_t i = feeds ? web_below(web, 4) : 1 + web_below(web, 5); i > 0; i--)
            plan_link(web, WEB_ENDS + r, web_below(web, ends));
    }
    for (uint32_t i = web_below(web, 4); i > 0; i--) {
        uint32_t from = web_below(web, ends);
        plan_link(web, from, (from + 1 + web_below(web, ends - 1)) % ends);
    }
}

/* Senders of a tree are its own nodes. */
static void make_tree(struct web *web, uint32_t r)
{
    web->routers[r].kind = WEB_TREE;
    for (uint32_t i = 0; i < web->input_count; i++)
        if (web->inputs[i].router == (int)r)
            plan_link(web, WEB_ENDS + r, web->inputs[i].end);
}

/* Outputs a packet can come to through a router at a time, and whether it may be split there. */
static uint32_t fan_of(const struct web *web, uint32_t r, int *splits)
{
    const struct web_router *router = &web->routers[r];
    int all =
        router->kind == WEB_BROADCAST || router->kind == WEB_SCATTER || router->kind == WEB_OWN;
    uint32_t fan = 0;
    *splits |= router->kind == WEB_SCATTER || (router->kind == WEB_OWN && router->splits);
    for (uint32_t i = 0; i < web->edge_count; i++) {
        const struct web_edge *edge = &web->edges[i];
        if (edge->from != WEB_ENDS + r)
            continue;
        uint32_t one = edge->to < WEB_ENDS ? 1 : fan_of(web, edge->to - WEB_ENDS, splits);
        fan = all ? fan + one : (one > fan ? one : fan);
    }
    return fan;
}

/* Sets of outputs of which a packet goes to one, below a choice. */
static double sets_of(const struct web *web, uint32_t r)
{
    const struct web_router *router = &web->routers[r];
    double sum = 0, product = 1, most = 0;
    for (uint32_t i = 0; i < web->edge_count; i++) {
        const struct web_edge *edge = &web->edges[i];
        if (edge->from != WEB_ENDS + r)
            continue;
        double one = edge->to < WEB_ENDS ? 1 : sets_of(web, edge->to - WEB_ENDS);
        sum += one;
        product *= one;
        most = one > most ? one : most;
    }
    if (router->kind == WEB_ANY || router->kind == WEB_PRIORITY)
        return sum;
    if (router->kind == WEB_BROADCAST || router->kind == WEB_SCATTER)
        return product;
    return router->kind == WEB_OWN ? (sum > product ? sum : product) : most;
}

static void draw_kind(struct web *web, uint32_t r)
{
    struct web_router *router = &web->routers[r];
    int splits = 0;
    router->kind = (enum web_kind)web_below(web, WEB_KINDS);
    router->salt = next_random(&web->random);
    router->root = web_below(web, 3); /* sometimes there is no such output */
    router->granule = 1 + web_below(web, 9);
    router->splits = web_below(web, 2) && !web->worded;
    for (uint32_t i = 0; i < WEB_PORTS; i++)
        router->ranks[i] = web_below(web, 4);
    if (router->kind == WEB_DIRECT && !web->worded)
        router->kind = WEB_RING;
    if (router->kind == WEB_SCATTER && web->worded)
        router->kind = WEB_BROADCAST;
    if (router->kind == WEB_TREE && router->leaf)
        make_tree(web, r);
    else if (router->kind == WEB_TREE)
        router->kind = WEB_PRIORITY;
    /* Packets are not split below a choice: most graphs are drawn so that nobody tries. */
    (void)fan_of(web, r, &splits);
    if (splits && (router->kind == WEB_ANY || router->kind == WEB_PRIORITY) && web_below(web, 8))
        router->kind = WEB_RING;
    if (fan_of(web, r, &splits) > WEB_FAN || sets_of(web, r) > 20)
        router->kind = WEB_RING;
}

/* ---- what follows from the links ----------------------------------------------------------------- */

static void count_ways(struct web *web, uint32_t input, uint32_t router)
{
    for (uint32_t i = 0; i < web->edge_count; i++) {
        const struct web_edge *edge = &web->edges[i];
        if (edge->from != WEB_ENDS + router)
            continue;
        if (edge->to >= WEB_ENDS)
            count_ways(web, input, edge->to - WEB_ENDS);
        else if (web->ways[input][edge->output] < UINT8_MAX)
            web->ways[input][edge->output]++;
    }
}

static void find_ways(struct web *web)
{
    for (uint32_t i = 0; i < web->input_count; i++)
        if (web->inputs[i].router < 0)
            web->ways[i][web->inputs[i].output] = 1;
        else
            count_ways(web, i, (uint32_t)web->inputs[i].router);
}

static void find_pieces(struct web *web)
{
    for (uint32_t r = 0; r < web->router_count; r++)
        web->piece[r] = (int)r;
    for (uint32_t i = 0; i < web->edge_count; i++) {
        const struct web_edge *edge = &web->edges[i];
        if (edge->from < WEB_ENDS || edge->to < WEB_ENDS)
            continue;
        int one = web->piece[edge->from - WEB_ENDS], other = web->piece[edge->to - WEB_ENDS];
        for (uint32_t r = 0; r < web->router_count; r++)
            if (web->piece[r] == other)
                web->piece[r] = one;
    }
}

/* A transport that can join all senders to this output. */
static weir_transport draw_transport(struct web *web, uint32_t output)
{
    weir_transport transport = (weir_transport)web_below(web, WEIR_TRANSPORT_COUNT);
    for (uint32_t i = 0; i < web->input_count; i++)
        if (web->ways[i][output] && !transport_fits(transport, web_device(web, web->inputs[i].end),
                                                    web_device(web, web->outputs[output].end)))
            return WEIR_TRANSPORT_AUTO;
    return transport;
}

static void draw_outputs(struct web *web)
{
    static const size_t packets[] = {1, 7, 64, 100, 256, 1000, 4096};
    for (uint32_t o = 0; o < web->output_count; o++) {
        struct web_output *output = &web->outputs[o];
        output->packet = web->worded ? 8u << web_below(web, 9)
                                     : packets[web_below(web, sizeof packets / sizeof *packets)];
        output->buffers = web_below(web, 5) ? 1 + web_below(web, 4) : WEIR_BUFFERS_NONE;
        output->transport = draw_transport(web, o);
    }
    for (uint32_t i = 0; i < web->input_count; i++) {
        struct web_input *input = &web->inputs[i];
        uint32_t seen = 0;
        for (uint32_t o = 0; o < web->output_count; o++) {
            size_t packet = web->outputs[o].packet;
            if (!web->ways[i][o])
                continue;
            if (!seen || packet < input->least)
                input->least = packet;
            if (web_below(web, ++seen) == 0)
                input->typical = packet;
        }
    }
}

void web_plan(struct web *web, weir_context *context, uint64_t seed)
{
    *web = (struct web){.context = context, .seed = seed, .random = seed};
    web->router_count = 1 + web_below(web, web_below(web, 2) ? WEB_ROUTERS : 4);
    web->end_count = 2 + web_below(web, web_below(web, 2) ? WEB_ENDS - 1 : 8);
    web->worded = web_below(web, 4) == 0;
    for (uint32_t r = 0; r < web->router_count; r++) {
        web->routers[r].web = web;
        web->routers[r].number = r;
    }
    plan_links(web);
    /* From the last to the first: what a router may be depends on those it feeds. */
    for (uint32_t r = web->router_count; r-- > 0;)
        draw_kind(web, r);
    find_ways(web);
    find_pieces(web);
    draw_outputs(web);
}

int web_input_piece(const struct web *web, uint32_t input)
{
    const struct web_input *in = &web->inputs[input];
    return in->router >= 0 ? web->piece[in->router] : WEB_ROUTERS + in->output;
}

int web_output_piece(const struct web *web, uint32_t output)
{
    const struct web_output *out = &web->outputs[output];
    return out->router >= 0 ? web->piece[out->router] : WEB_ROUTERS + (int)output;
}

void web_cancel(struct web *web, uint32_t input, weir_status status)
{
    const struct web_input *in = &web->inputs[input];
    if (in->router >= 0)
        weir_router_cancel(web->routers[in->router].handle, status);
    else
        weir_link_cancel(in->link, status);
}
