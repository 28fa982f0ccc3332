/** @file pr_check.c  How far ranks are from the true ones, by one exact iteration from them.
 *
 * The true ranks x* are the fixed point of T(x) = M x + b, and M leaves at most `damping` of a vector's L1 norm.
 * So |x - x*| <= |x - T(x)| + |T(x) - T(x*)| <= |x - T(x)| + damping |x - x*| for whatever x is, and
 *     |x - x*| <= |T(x) - x| / (1 - damping).
 * Each rank and each arc count, so that nothing of a wrong result goes unseen.
 *
 * Serial, and along out-arcs, where the reference goes along in-arcs: the two share no code. A hub's rank is the
 * sum of millions of shares, whose rounding in doubles could come to 1e-9; sums are compensated (Kahan, Further
 * remarks on reducing truncation errors, 1965), so that theirs is 2 * 2^-53 of them however long they are. */
#include "algorithms/pr/pr.h"
#include "algorithms/reference.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <math.h>
#include <stdlib.h>

/* Of all ranks, what the rounding of this iteration comes to at the most: 2^-53 of itself for a share, twice
 * that for a sum of them, and once for each of the five steps from there to a difference; and as much again. */
#define ROUNDING (16.0 / 9007199254740992)

struct sum {
    double sum, lost; /* what the sum has too much */
};

static void add(struct sum *sum, double value)
{
    const double more = value - sum->lost, after = sum->sum + more;
    sum->lost = (after - sum->sum) - more;
    sum->sum = after;
}

/* The rank of vertices without out-arcs is handed back. */
static weir_status give(const weir_graph *graph, const double *ranks, struct sum *received,
                        long double *dangling_out)
{
    long double dangling = 0;
    weir_status status = WEIR_OK;
    for (uint64_t v = 0; v < graph->vertices && !(status = weir__activity_at(v)); v++) {
        const uint64_t first = graph->offsets[v], last = graph->offsets[v + 1];
        if (first == last)
            dangling += ranks[v];
        const double share = first == last ? 0 : ranks[v] / (double)(last - first);
        for (uint64_t arc = first; arc < last; arc++)
            add(&received[graph->targets[arc]], share);
    }
    *dangling_out = dangling;
    return status;
}

static void compare(const weir_graph *graph, const weir_pr_config *config, const double *ranks,
                    const struct sum *received, long double dangling, weir_pr_change *change)
{
    const double d = config->damping;
    const long double spread = config->dangling == WEIR_DANGLING_SPREAD ? d * dangling : 0;
    const double even = (double)(((1 - (long double)d) + spread) / (long double)graph->vertices);
    long double l1 = 0, size = 0;
    for (uint64_t v = 0; v < graph->vertices; v++) {
        const double next = even + d * received[v].sum, difference = fabs(next - ranks[v]);
        const double relative = difference == 0 ? 0 : difference / fabs(next);
        l1 += difference;
        size += fabs(ranks[v]);
        if (!(relative <= change->relative) || v == 0) {
            change->relative = isnan(relative) ? INFINITY : relative;
            change->vertex = v;
            change->next = next;
        }
    }
    change->l1 = isnan(l1) ? INFINITY : (double)l1;
    change->within = (change->l1 + ROUNDING * (1 + (double)size)) / (1 - d);
}

/* An iteration would spread what is no number to others. @return whether all are numbers. */
static int add_up(const double *ranks, uint64_t vertices, weir_pr_change *change)
{
    long double sum = 0;
    for (uint64_t v = 0; v < vertices; v++) {
        if (!isfinite(ranks[v])) {
            *change = (weir_pr_change){.size = sizeof *change,
                                       .l1 = INFINITY,
                                       .within = INFINITY,
                                       .relative = INFINITY,
                                       .sum = NAN,
                                       .next = NAN,
                                       .vertex = v};
            return 0;
        }
        sum += ranks[v];
    }
    change->sum = (double)sum;
    return 1;
}

void weir__pr_check_need(const weir_graph *graph, struct weir__need *need)
{
    weir__need_pass(need, graph->vertices, sizeof(struct sum));
}

weir_status weir_pr_check(const weir_graph *graph, const weir_pr_config *config,
                          const double *ranks, weir_pr_change *change_out)
{
    weir_pr_change change = WEIR_PR_CHANGE_INIT;
    struct weir__need need = {0, 0};
    struct sum *received;
    weir_pr_config checked = WEIR_PR_CONFIG_INIT;
    weir_status status;
    if (!graph || !ranks || !change_out)
        return weir__fail(WEIR_ERR_INVALID, "weir_pr_check: no graph, ranks or room for a result");
    if ((status = weir__sized_room(change_out, sizeof change, "weir_pr_change")) ||
        (status = weir__pr_reference_config("weir_pr_check", config, &checked)))
        return status;
    if (graph->vertices && add_up(ranks, graph->vertices, &change)) {
        weir__pr_check_need(graph, &need);
        if ((status = weir__need_fits(&need, "an exact iteration over %s", graph->name)) ||
            (status =
                 weir__calloc(graph->vertices, sizeof *received, "an iteration's sums", &received)))
            return status;
        struct weir__activity outer;
        long double dangling = 0;
        weir__activity_begin(&outer, "checking ranks", "vertices", graph->vertices);
        status = weir__activity_end(&outer, give(graph, ranks, received, &dangling));
        if (!status)
            compare(graph, &checked, ranks, received, dangling, &change);
        free(received);
        if (status)
            return status;
    }
    return weir__sized_out(change_out, &change, sizeof change, "weir_pr_change");
}
