/** @file route.c  Planning routes: direct and ring. */
#include "topology/topology.h"
#include "runtime/internal.h"

#include <stdio.h>

const char *weir_route_kind_text(weir_route_kind kind)
{
    static const char *const names[] = {"auto", "direct", "ring"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

/* A pair of devices that does not reach each other, or 0 if all do. */
static int find_unreachable(const weir_context *context, uint32_t *from, uint32_t *to)
{
    uint32_t count = weir_context_device_count(context);
    for (*from = 0; *from < count; ++*from)
        for (*to = 0; *to < count; ++*to)
            if (!weir_device_reaches(weir_context_device(context, *from),
                                     weir_context_device(context, *to)))
                return 1;
    return 0;
}

static weir_route_kind choose(const weir_context *context, char *why, size_t room)
{
    uint32_t from, to;
    if (!find_unreachable(context, &from, &to)) {
        snprintf(why, room, "all devices reach each other");
        return WEIR_ROUTE_DIRECT;
    }
    weir_device_info a, b;
    weir_device_info_get(weir_context_device(context, from), &a);
    weir_device_info_get(weir_context_device(context, to), &b);
    snprintf(why, room, "%s does not reach %s", a.label, b.label);
    return WEIR_ROUTE_RING;
}

weir_status weir_route_plan_make(const weir_context *context, weir_route_kind kind,
                                 weir_route_plan *plan_out)
{
    uint32_t count = weir_context_device_count(context);
    if (!weir_route_kind_text(kind))
        return weir__fail(WEIR_ERR_INVALID, "route %d: no such kind", (int)kind);
    *plan_out = (weir_route_plan){.kind = kind, .devices = count};
    if (kind == WEIR_ROUTE_AUTO)
        plan_out->kind = choose(context, plan_out->why, sizeof plan_out->why);
    else
        snprintf(plan_out->why, sizeof plan_out->why, "asked for");
    for (uint32_t at = 0; at < count; at++)
        for (uint32_t to = 0; to < count; to++)
            plan_out->next[at][to] =
                (uint8_t)(plan_out->kind == WEIR_ROUTE_RING && at != to ? (at + 1) % count : to);
    return WEIR_OK;
}
