/** @file topology.h  Routes between the devices of a context.
 *
 * A *route plan* says, for an item that is at one device and belongs to another, which device it
 * goes to next. Routers and worklists follow it; they do not know how it was made.
 * Threads: a plan is a plain value, made once and then only read. */
#ifndef WEIR_TOPOLOGY_TOPOLOGY_H
#define WEIR_TOPOLOGY_TOPOLOGY_H

#include "runtime/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum weir_route_kind {
    WEIR_ROUTE_AUTO = 0, /**< direct where all devices reach each other, else ring */
    WEIR_ROUTE_DIRECT,   /**< every device sends to every other, one hop */
    WEIR_ROUTE_RING      /**< every device sends to the next one, up to n-1 hops (Groute 4.3) */
} weir_route_kind;

typedef struct weir_route_plan {
    weir_route_kind kind; /**< what was chosen, never WEIR_ROUTE_AUTO */
    uint32_t devices;
    /** next[at][to]: the device that an item at `at` for `to` is sent to; next[d][d] == d. */
    uint8_t next[WEIR_DEVICES_MAX][WEIR_DEVICES_MAX];
    char why[96]; /**< one sentence on why this kind was chosen */
} weir_route_plan;

/** Plan routes over all devices of a context; it leads everywhere in at most devices - 1 hops.
 *  @retval WEIR_ERR_INVALID  @p kind is no weir_route_kind. */
weir_status weir_route_plan_make(const weir_context *context, weir_route_kind kind,
                                 weir_route_plan *plan_out);

/** "auto", "direct", "ring"; NULL for anything else. Static storage. */
const char *weir_route_kind_text(weir_route_kind kind);

#ifdef __cplusplus
}
#endif
#endif
