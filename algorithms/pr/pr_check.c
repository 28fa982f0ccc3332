/** @file pr_check.c  How far ranks are from the true ones, by one exact iteration from them.
 *
 * The true ranks x* are the fixed point of T(x) = M x + b, and M leaves at most `damping` of a vector's L1 norm.
 * So |x - x*| <= |x - T(x)| + |T(x) - T(x*)| <= |x - T(x)| + damping |x - x*| for whatever x is, and
 *     |x - x*| <= |T(x) - x| / (1 - damping).
 * Each rank and each arc count, so that nothing of a wrong result goes unseen.
 *
 * Along out-arcs, where the reference goes along in-arcs: the two share no code. Serial here; pr_certify.c has the same iteration on
 * devices. A hub's rank is the sum of millions of shares, whose rounding in doubles could come to 1e-9; sums are compensated (Kahan,
 * Further remarks on reducing truncation errors, 1965), so that theirs is 2 * 2^-53 of them however long they are.
 *
 * What goes over vertices goes by chunks, on all cores; their sums come together in order, the same on any number of cores. */
#include "algorithms/pr/pr_check.h"
#include "algorithms/reference.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <math.h>
#include <stdlib.h>

/* Of all ranks, what the rounding of this iteration comes to at the most: 2^-53 of itself for a share, twice
 * that for a sum of them, and once for each of the five steps from there to a difference; and as much again. */
#define ROUNDING (16.0 / 9007199254740992)

#define CHUNKS 64
#define LEAST  (UINT64_C(1) << 17) /* fewer vertices are gone over before threads are there */

static void add(struct weir__pr_sum *sum, double value)
{
    const double more = value - sum->rest, after = sum->sum + more;
    sum->rest = (after - sum->sum) - more;
    sum->sum = after;
}

static weir_status give(void *user, const double *ranks, struct weir__pr_sum *received)
{
    const weir_graph *graph = user;
    weir_status status = WEIR_OK;
    for (uint64_t v = 0; v < graph->vertices && !(status = weir__activity_at(v)); v++) {
        const uint64_t first = graph->offsets[v], last = graph->offsets[v + 1];
        const double share = first == last ? 0 : ranks[v] / (double)(last - first);
        for (uint64_t arc = first; arc < last; arc++)
            add(&received[graph->targets[arc]], share);
    }
    return status;
}

struct iteration {
    const weir_graph *graph;
    const double *ranks;
    const struct weir__pr_sum *received;
    double damping, even; /* what every vertex gets */
    uint64_t chunk;       /* vertices of one */
    struct part {
        long double sum, dangling, l1, size;
        double relative, next;
        uint64_t vertex;    /* of the largest relative change */
        uint64_t no_number; /* the first; UINT64_MAX: all are */
    } of[CHUNKS];
};

/* The rank of vertices without out-arcs is handed back. An iteration would spread what is no number to others. */
static void add_up_chunk(void *user, uint64_t begin, uint64_t end)
{
    struct iteration *it = user;
    struct part *part = &it->of[begin / it->chunk];
    for (uint64_t v = begin; v < end; v++) {
        if (!isfinite(it->ranks[v])) {
            part->no_number = v;
            return;
        }
        part->sum += it->ranks[v];
        if (it->graph->offsets[v] == it->graph->offsets[v + 1])
            part->dangling += it->ranks[v];
    }
}

static void compare_chunk(void *user, uint64_t begin, uint64_t end)
{
    struct iteration *it = user;
    struct part *part = &it->of[begin / it->chunk];
    for (uint64_t v = begin; v < end; v++) {
        const double next = it->even + it->damping * it->received[v].sum;
        const double difference = fabs(next - it->ranks[v]);
        const double relative = difference == 0 ? 0 : difference / fabs(next);
        part->l1 += difference;
        part->size += fabs(it->ranks[v]);
        if (!(relative <= part->relative) || v == begin) {
            part->relative = isnan(relative) ? (double)INFINITY : relative;
            part->vertex = v;
            part->next = next;
        }
    }
}

static void compare(struct iteration *it, weir_pr_change *change)
{
    long double l1 = 0, size = 0;
    weir__parallel_for(it->graph->vertices, it->chunk, it->graph->vertices < LEAST, compare_chunk,
                       it);
    for (uint64_t c = 0; c * it->chunk < it->graph->vertices; c++) {
        const struct part *part = &it->of[c];
        l1 += part->l1;
        size += part->size;
        if (part->relative > change->relative || c == 0) {
            change->relative = part->relative;
            change->vertex = part->vertex;
            change->next = part->next;
        }
    }
    change->l1 = isnan(l1) ? (double)INFINITY : (double)l1;
    change->within = (change->l1 + ROUNDING * (1 + (double)size)) / (1 - it->damping);
}

/* @return whether all ranks are numbers. */
static int add_up(struct iteration *it, const weir_pr_config *config, weir_pr_change *change)
{
    const uint64_t n = it->graph->vertices;
    const long double d = config->damping;
    long double sum = 0, dangling = 0;
    it->chunk = n / CHUNKS + 1;
    for (int c = 0; c < CHUNKS; c++)
        it->of[c] = (struct part){.no_number = UINT64_MAX};
    weir__parallel_for(n, it->chunk, n < LEAST, add_up_chunk, it);
    for (int c = 0; c < CHUNKS; c++) {
        if (it->of[c].no_number != UINT64_MAX) {
            *change = (weir_pr_change){.size = sizeof *change,
                                       .l1 = INFINITY,
                                       .within = INFINITY,
                                       .relative = INFINITY,
                                       .sum = NAN,
                                       .next = NAN,
                                       .vertex = it->of[c].no_number};
            return 0;
        }
        sum += it->of[c].sum;
        dangling += it->of[c].dangling;
    }
    const long double spread = config->dangling == WEIR_DANGLING_SPREAD ? d * dangling : 0;
    change->sum = (double)sum;
    it->damping = config->damping;
    it->even = (double)(((1 - d) + spread) / (long double)n);
    return 1;
}

static weir_status iterate(struct iteration *it, weir__pr_receive_fn receive, void *user,
                           weir_pr_change *change)
{
    struct weir__pr_sum *received;
    struct weir__activity outer;
    const weir_graph *graph = it->graph;
    weir_status status =
        weir__calloc(graph->vertices, sizeof *received, "an iteration's sums", &received);
    if (status)
        return status;
    weir__activity_begin(&outer, "checking ranks", receive == give ? "vertices" : "arcs",
                         receive == give ? graph->vertices : graph->arcs);
    status = weir__activity_end(&outer, receive(user, it->ranks, received));
    it->received = received;
    if (!status)
        compare(it, change);
    free(received);
    return status;
}

weir_status weir__pr_judge(const char *who, const weir_graph *graph, const weir_pr_config *config,
                           const double *ranks, const struct weir__need *need,
                           weir__pr_receive_fn receive, void *user, weir_pr_change *change_out)
{
    weir_pr_change change = WEIR_PR_CHANGE_INIT;
    weir_pr_config checked = WEIR_PR_CONFIG_INIT;
    struct iteration it = {.graph = graph, .ranks = ranks};
    weir_status status;
    if ((status = weir__sized_room(change_out, sizeof change, "weir_pr_change")) ||
        (status = weir__pr_reference_config(who, config, &checked)))
        return status;
    if (graph->vertices && add_up(&it, &checked, &change) &&
        ((status = weir__need_fits(need, "an exact iteration over %s", graph->name)) ||
         (status = iterate(&it, receive, user, &change))))
        return status;
    return weir__sized_out(change_out, &change, sizeof change, "weir_pr_change");
}

void weir__pr_check_need(const weir_graph *graph, struct weir__need *need)
{
    weir__need_pass(need, graph->vertices, sizeof(struct weir__pr_sum));
}

weir_status weir_pr_check(const weir_graph *graph, const weir_pr_config *config,
                          const double *ranks, weir_pr_change *change_out)
{
    struct weir__need need = {0, 0};
    if (!graph || !ranks || !change_out)
        return weir__fail(WEIR_ERR_INVALID, "weir_pr_check: no graph, ranks or room for a result");
    const weir_status status = weir_graph_fetch(graph);
    if (status)
        return status;
    weir__pr_check_need(graph, &need);
    return weir__pr_judge("weir_pr_check", graph, config, ranks, &need, give, (void *)graph,
                          change_out);
}
