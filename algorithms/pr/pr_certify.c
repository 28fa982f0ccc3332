/** @file pr_certify.c  Ranks judged by one exact iteration on the devices of a context (pr_check.c says what that tells).
 *
 * Each device adds up what the arcs it gets carry; the sums of devices come together on the host. Both are compensated, so that the
 * order in which arcs come does not show: what rounding leaves is within pr_check.c's ROUNDING. */
#include "algorithms/common/certify.h"
#include "algorithms/pr/pr_certify_op.h"
#include "algorithms/pr/pr_check.h"
#include "algorithms/reference.h"
#include "runtime/support.h"

#include <stdlib.h>

#define CHUNK (UINT64_C(1) << 16)

struct ranks {
    weir_context *context;
    const weir_graph *graph;
    const double *ranks;
    struct weir__pr_sum *received, *room;
    int has_received; /* a device's sums, or several devices'; guarded by the certificate's lock */
};

static void join_chunk(void *user, uint64_t begin, uint64_t end)
{
    struct ranks *r = user;
    for (uint64_t v = begin; v < end; v++) {
        const double before = r->received[v].sum, more = r->room[v].sum;
        r->received[v].sum = before + more;
        r->received[v].rest += r->room[v].rest + pr_certify_lost(before, more, r->received[v].sum);
    }
}

static void fold_chunk(void *user, uint64_t begin, uint64_t end)
{
    struct ranks *r = user;
    for (uint64_t v = begin; v < end; v++)
        r->received[v].sum += r->received[v].rest;
}

static weir_status join_sums(struct ranks *r, struct weir__certify_on *on, const double *placed)
{
    const uint64_t n = r->graph->vertices;
    weir__certify_lock(on);
    const weir_status status = weir__certify_fetch(on, r->has_received ? r->room : r->received,
                                                   placed, (size_t)n * sizeof *r->room);
    if (!status && r->has_received)
        weir__parallel_for(n, CHUNK, 0, join_chunk, r);
    r->has_received = 1;
    weir__certify_unlock(on);
    return status;
}

static weir_status look(void *user, struct weir__certify_on *on)
{
    struct ranks *r = user;
    const uint64_t n = r->graph->vertices;
    pr_certify_args args = {.share = on->share};
    weir_status status;
    if ((status = weir__certify_bring(on, "ranks", r->ranks, n, sizeof(double), &args.shares)) ||
        (status =
             weir__certify_bring(on, "sums of shares", NULL, 2 * n, sizeof(double), &args.sums)))
        return status;
    args.here = on->here;
    if ((status =
             weir__certify_vertices(on, &weir__pr_certify_shares_kernel, &args, sizeof args)) ||
        (status =
             weir__certify_arcs(on, &weir__pr_certify_arcs_kernel, &args.here, &args, sizeof args)))
        return status;
    return join_sums(r, on, args.sums);
}

static weir_status receive(void *user, const double *ranks, struct weir__pr_sum *received)
{
    struct ranks *r = user;
    uint64_t found[CERTIFY_FOUND]; /* no vertex breaks a rule by itself */
    weir_status status;
    r->ranks = ranks;
    r->received = received;
    if (weir_context_device_count(r->context) > 1 &&
        (status = weir__alloc(r->graph->vertices, sizeof *r->room, "a device's sums", &r->room)))
        return status;
    if (!(status = weir__certify_each(r->context, r->graph, 0, look, r, found)))
        weir__parallel_for(r->graph->vertices, CHUNK, 0, fold_chunk, r);
    free(r->room);
    return status;
}

void weir__pr_certify_need(const weir_context *context, const weir_graph *graph, int parents,
                           struct weir__need *need)
{
    struct weir__need own = *need;
    (void)parents; /* there is no tree */
    weir__need_take(&own, graph->vertices, 2 * sizeof(struct weir__pr_sum));
    weir__certify_need(context, graph, 0, 3 * sizeof(double), &own);
    need->most = own.most;
}

weir_status weir_pr_certify(weir_context *context, const weir_graph *graph,
                            const weir_pr_config *config, const double *ranks,
                            weir_pr_change *change_out)
{
    struct ranks r = {.context = context, .graph = graph};
    struct weir__need need = {0, 0};
    weir_status status = weir__certify_check("weir_pr_certify", context, graph, ranks);
    if (!status && !change_out)
        status = weir__fail(WEIR_ERR_INVALID, "weir_pr_certify: no room for a result");
    if (status)
        return status;
    weir__pr_certify_need(context, graph, 0, &need);
    return weir__pr_judge("weir_pr_certify", graph, config, ranks, &need, receive, &r, change_out);
}
