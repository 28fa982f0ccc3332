/** @file certify.h  Certificates: results judged by rules that every vertex and every arc of a graph has to keep, on all devices of a
 * context. Not installed.
 *
 * Each device is driven by a thread of its own. It gets the result whole, looks at a stretch of the vertices, and takes arcs as the graph
 * has them, piece after piece, until none is left (pieces.h). What devices found comes together on the host. There are no rows, no
 * partition, no worklist and no steps in it: what computed a result has no part in judging it. */
#ifndef WEIR_ALGORITHMS_COMMON_CERTIFY_H
#define WEIR_ALGORITHMS_COMMON_CERTIFY_H

#include "algorithms/common/certify_op.h"
#include "algorithms/common/pieces.h"
#include "runtime/room.h"

struct weir__certifying;

/** What a certificate has on one device. */
struct weir__certify_on {
    struct weir__certifying *of;
    uint32_t number; /* of the device */
    weir_device *device;
    weir_queue *queue;   /* for kernels over vertices */
    arcs_piece here;     /* for the arguments: offsets are there */
    certify_share share; /* the same */
    struct weir__pieces pieces;
    int has_pieces;
    void *placed[8]; /* freed behind all work */
    uint32_t placed_count;
};

/** What one device does, in a thread of its own: bring arrays, launch kernels, look at arcs, take results. What is brought is freed when
 *  it returns. */
typedef weir_status (*weir__certify_fn)(void *user, struct weir__certify_on *on);

/** Do that on all devices. To be called within an activity of the caller, whose unit is arcs.
 *  @param[in] weights     whether arcs' weights come along.
 *  @param[out] found_out  as in certify_share, over all devices.
 *  @retval WEIR_ERR_NOMEM  a device has no room: the sentence names it.
 *  @retval WEIR_ERR_CANCELLED, WEIR_ERR_TIMEOUT  of the observer.  @retval WEIR_ERR_DEVICE */
weir_status weir__certify_each(weir_context *context, const weir_graph *graph, int weights,
                               weir__certify_fn fn, void *user, uint64_t found_out[CERTIFY_FOUND]);
/** Count what that takes, with @p vertex_bytes for each vertex on each device. */
void weir__certify_need(const weir_context *context, const weir_graph *graph, int weights,
                        uint64_t vertex_bytes, struct weir__need *need);
/** From here on pieces of certificates that this thread makes have so many arcs, so that each device gets one as long as there are any;
 *  for tests. 0: as is best. */
void weir__certify_pretend(uint64_t piece);

/* ---- for what a device does -------------------------------------------------------------------------- */

/** Bring an array of the host. @param[in] data  NULL: all bits are zero there. */
weir_status weir__certify_bring(struct weir__certify_on *on, const char *what, const void *data,
                                uint64_t count, size_t bytes, void *placed_out);
/** Run a kernel over vertices, and wait. */
weir_status weir__certify_vertices(struct weir__certify_on *on, const weir_kernel *kernel,
                                   const void *args, size_t bytes);
/** Run a kernel over pieces of arcs as long as there are any for this device. @param[in,out] here  where @p args begin. */
weir_status weir__certify_arcs(struct weir__certify_on *on, const weir_kernel *kernel,
                               arcs_piece *here, const void *args, size_t bytes);
/** Fetch an array. Between lock and unlock, since the host has room for one: */
weir_status weir__certify_fetch(struct weir__certify_on *on, void *data_out, const void *placed,
                                size_t bytes);
/** One device at a time, while its results come together with others'. */
void weir__certify_lock(struct weir__certify_on *on);
void weir__certify_unlock(struct weir__certify_on *on);
/** marks |= those of the device. @param[in] room  as large as @p marks; used with the lock. */
weir_status weir__certify_join_marks(struct weir__certify_on *on, const uint32_t *placed,
                                     uint32_t *marks, uint32_t *room);
/** 32-bit words of marks. */
static inline uint64_t weir__certify_words(uint64_t vertices)
{
    return vertices / 32 + (vertices % 32 != 0);
}

/* ---- on the host ------------------------------------------------------------------------------------- */

/** Find the smallest number below @p count for which @p breaks says so, on all cores; UINT64_MAX: there is none. */
weir_status weir__certify_first(const char *name, const char *unit, uint64_t count,
                                int (*breaks)(const void *user, uint64_t i), const void *user,
                                uint64_t *first_out);

/** The smallest vertex that breaks a rule, and which. */
struct weir__certify_broken {
    uint64_t vertex; /* UINT64_MAX: none does */
    uint64_t arc;    /* that it breaks the rule with; UINT64_MAX: it is not about an arc */
    uint32_t rule;
};
/** From what devices found. @param[in] unmarked  the smallest vertex that nothing vouches for, or UINT64_MAX; it breaks @p rule. Of one
 *  vertex a rule of its own counts before that, and that before a rule of its arcs. */
struct weir__certify_broken weir__certify_broken_of(const weir_graph *graph,
                                                    const uint64_t found[CERTIFY_FOUND],
                                                    uint64_t unmarked, uint32_t rule);

/** The beginning of every certificate. @param[in] who  the public call.
 *  @retval WEIR_ERR_INVALID  there is no context, graph or result. */
weir_status weir__certify_check(const char *who, const weir_context *context,
                                const weir_graph *graph, const void *values);
/** The same of a source. */
weir_status weir__certify_check_source(const weir_graph *graph, uint64_t source);

#endif
