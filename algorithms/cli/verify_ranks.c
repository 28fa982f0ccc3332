/** @file verify_ranks.c  How far ranks may be from the true ones, and whether they are.
 *
 * The true ranks x* are the fixed point of x' = T(x) = M x + b, where M takes at most `damping` d of a vector's
 * sum of absolute values (its L1 norm). So for any x,
 *     |x - x*| <= |T(x) - x| / (1 - d):
 * one exact iteration from the ranks tells (pr_check.c), and nothing else has to be known. Which change to allow:
 *
 * - The residual of a push bounds |T(x) - x| itself: the tolerance t.
 * - A pull stops when |T(y) - y| < t, y being the ranks before its last iteration, and hands out x = T(y), whose
 *   own change is smaller by d.
 * - Where its shares are floats x is T(y) rounded, which is e = 3 * 2^-24 in all at most: |T(x) - x| <= d |x - y| + e
 *   <= d (|T(y) - y| + e) + e. It stops early enough for d |T(y) - y| to be below d t - (1 - d) e, which leaves
 *   d t + 2 d e. All iterations together may move the sum s of ranks by e / (1 - d), and dividing by s
 *   adds (1 - d) |1 - s| <= e to the change.
 * - One that stops after N iterations before that has changed d^N of how far the first one went, at most 2, as
 *   ranks and the start are not negative and sum to 1 or less; and each iteration may have been rounded.
 *
 * At small tolerances the ranks are compared with a reference's, to see each vertex's digits. The reference stops
 * when a change is below 1e-15, and a rank of 64 bits summed up in another order differs in its last bits:
 * 1e-12 in all is more than both. A run that goes on until no vertex changes by more than t / 2 of itself leaves
 * d / (1 - d) times that of each, about (README.md of pr): t / (1 - d) of a rank is allowed, as it is in all.
 *
 * No two distributions differ by more than 2 in all, so a bound of 2 says nothing about any ranks: those that have
 * no better one are not verified. Whether they have is seen from them, since a run may stop well below the
 * tolerance; a comparison with the reference goes by what the tolerance allows. */
#include "algorithms/cli/verify_ranks.h"

#include <math.h>

/* At tolerances up to fine_tolerance each rank has to be right to fine_relative of itself. The sum of all ranks may
 * differ from 1 by sum_limit. */
static const double fine_tolerance = 1e-10, fine_relative = 1e-9, sum_limit = 1e-9;
/* At tolerances up to this one ranks are compared with the reference. */
static const double reference_tolerance = 1e-9;
/* What rounding does to the sum of all ranks where shares are floats: rank, degree and quotient are rounded. For
 * tolerances below single_least shares are doubles. */
static const double single_error = 3.0 / 16777216, single_least = 1.0 / 2097152;
/* The difference between sums of doubles in two orders. */
static const double double_error = 1e-12;
/* The reference stops when an iteration changes less than this. */
static const double reference_change = 1e-15;
/* The largest difference between any two distributions. */
static const double most_apart = 2;

/* How far from the true ranks a run may be that stops after a number of iterations; 0: the number is not limited. */
static double counted_of(const weir_pr_config *config)
{
    return config->iterations ? 2 * pow(config->damping, (double)config->iterations) : 0;
}

/* How far from the true ranks a run may be that stopped at a change of the tolerance. */
static double stopped_of(const weir_pr_config *config)
{
    return config->tolerance / (1 - config->damping);
}

static int failed_to_name(void)
{
    return weir__cli_fail(EXIT_RUN, "no memory to name the difference");
}

/* Name a sum of ranks that is not 1 where it should be. @return the length of the sentence; 0: the sum is right;
 * negative: there was no memory. */
static int check_sum(const weir_pr_config *config, long double sum, char **sentence_out)
{
    if (config->dangling != WEIR_DANGLING_SPREAD || fabsl(sum - 1) <= sum_limit)
        return 0;
    return asprintf(sentence_out, "ranks sum to %.17Lg instead of 1", sum);
}

/* Name a bound that all ranks keep, so that it proves nothing. @return the length of the sentence; negative: there
 * was no memory. */
static int says_nothing(const weir_pr_config *config, double bound, char **sentence_out)
{
    return asprintf(sentence_out,
                    "ranks are within %.3g of the true ones in all, which says nothing, as no two "
                    "rankings differ by more than %g; at this damping it takes a tolerance of some "
                    "%.3g or less to tell",
                    bound, most_apart, most_apart / 2 * (1 - config->damping));
}

/* ---- by an exact iteration ---------------------------------------------------------------------- */

static double change_limit(const weir_pr_config *config, const weir_run_stats *stats)
{
    const double d = config->damping, t = config->tolerance;
    const int pulled = stats->direction == WEIR_DIRECTION_PULL;
    double limit = t;
    if (pulled && t >= single_least)
        limit = fmax(limit, d * t + (1 + 2 * d) * single_error);
    if (config->iterations && stats->steps >= config->iterations)
        limit = fmax(limit, counted_of(config) + 3 * single_error / (1 - d));
    return limit + double_error;
}

/* @param[in] context  whose devices iterate; NULL: the host does.
 * @param[in] relative  the most that a rank may change by, of what it becomes. */
static int compare_change(const weir__cli_algorithm *algorithm, const weir_pr_config *config,
                          weir_context *context, const weir_graph *graph, const double *ranks,
                          double relative, weir__cli_trial *trial, char **sentence_out)
{
    const double limit = change_limit(config, &trial->stats);
    char got[VALUE_ROOM], want[VALUE_ROOM];
    weir_pr_change change = WEIR_PR_CHANGE_INIT;
    int length = 0;
    weir_status status = context ? weir_pr_certify(context, graph, config, ranks, &change)
                                 : weir_pr_check(graph, config, ranks, &change);
    if (context && status == WEIR_ERR_NOMEM)
        return CERTIFY_NO_ROOM;
    if (status)
        return weir__cli_fail_status(status);
    trial->own[RANKS_CHANGE] = change.l1;
    trial->own[RANKS_WITHIN] = change.within;
    const unsigned long long vertex = (unsigned long long)change.vertex;
    weir__cli_value_text(algorithm, graph->vertices ? ranks[vertex] : 0, got);
    weir__cli_value_text(algorithm, change.next, want);
    if (isinf(change.l1))
        length = asprintf(sentence_out, "vertex %llu has rank %s", vertex, got);
    else if (!(change.l1 <= limit))
        length = asprintf(sentence_out,
                          "an exact iteration changes ranks by %.3g in all, and %.3g is the most "
                          "that the tolerance allows; vertex %llu has rank %s, the iteration gives "
                          "%s",
                          change.l1, limit, vertex, got, want);
    else if (!(change.within < most_apart))
        length = says_nothing(config, change.within, sentence_out);
    else if (!(change.relative <= relative))
        length =
            asprintf(sentence_out,
                     "vertex %llu has rank %s, an exact iteration gives %s: it changes by %.3g "
                     "of it, and %.3g is the most",
                     vertex, got, want, change.relative, relative);
    else if (graph->vertices)
        length = check_sum(config, change.sum, sentence_out);
    return length < 0 ? failed_to_name() : EXIT_DONE;
}

/* ---- by the reference --------------------------------------------------------------------------- */

struct limits {
    double l1, relative; /* relative INFINITY: there is no such limit */
};

static struct limits limits_of(const weir_pr_config *config)
{
    const double stopped = stopped_of(config), counted = counted_of(config);
    const double reference = reference_change / (1 - config->damping);
    struct limits limits = {fmax(stopped, counted) + reference + double_error, INFINITY};
    if (config->tolerance <= fine_tolerance && counted <= config->tolerance)
        limits.relative = fmax(fine_relative, stopped);
    return limits;
}

struct distances {
    double l1, relative;
    long double sum;
    uint64_t worst; /* vertex of the largest relative difference */
};

/* A rank that is not a number makes every distance infinite. */
static struct distances measure(const double *ranks, const double *expected, uint64_t vertices)
{
    struct distances found = {0, 0, 0, 0};
    long double l1 = 0;
    for (uint64_t v = 0; v < vertices; v++) {
        double difference = fabs(ranks[v] - expected[v]);
        double relative = difference == 0 ? 0 : difference / fabs(expected[v]);
        l1 += difference;
        found.sum += ranks[v];
        if (!(relative <= found.relative)) {
            found.relative = isnan(relative) ? INFINITY : relative;
            found.worst = v;
        }
    }
    found.l1 = isnan(l1) ? INFINITY : (double)l1;
    return found;
}

static int compare_all(const weir__cli_algorithm *algorithm, const weir_pr_config *config,
                       uint64_t vertices, const double *ranks, const double *expected,
                       weir__cli_trial *trial, char **sentence_out)
{
    struct limits limits = limits_of(config);
    struct distances found = measure(ranks, expected, vertices);
    char got[VALUE_ROOM], want[VALUE_ROOM];
    int length = 0;
    trial->own[RANKS_L1] = found.l1;
    trial->own[RANKS_RELATIVE] = found.relative;
    weir__cli_value_text(algorithm, ranks[found.worst], got);
    weir__cli_value_text(algorithm, expected[found.worst], want);
    if (!(found.l1 <= limits.l1))
        length = asprintf(sentence_out,
                          "ranks differ by %.3g in all, and %.3g is the most that the tolerance "
                          "allows; vertex %llu has rank %s, the reference %s",
                          found.l1, limits.l1, (unsigned long long)found.worst, got, want);
    else if (!(limits.l1 < most_apart))
        length = says_nothing(config, limits.l1, sentence_out);
    else if (!(found.relative <= limits.relative))
        length =
            asprintf(sentence_out,
                     "vertex %llu has rank %s, the reference %s: %.3g of it, and %.3g is the "
                     "most",
                     (unsigned long long)found.worst, got, want, found.relative, limits.relative);
    else if (vertices)
        length = check_sum(config, found.sum, sentence_out);
    return length < 0 ? failed_to_name() : EXIT_DONE;
}

/* ---- either ------------------------------------------------------------------------------------- */

int weir__cli_ranks_need_reference(const weir__cli_request *request)
{
    return weir__cli_pr_config(request).tolerance <= reference_tolerance;
}

int weir__cli_compare_ranks(const weir__cli_algorithm *algorithm, const weir__cli_request *request,
                            const weir_graph *graph, const void *values, const void *expected,
                            weir__cli_trial *trial, char **sentence_out)
{
    const weir_pr_config config = weir__cli_pr_config(request);
    *sentence_out = NULL;
    int code = expected ? compare_all(algorithm, &config, graph->vertices, values, expected, trial,
                                      sentence_out)
                        : compare_change(algorithm, &config, NULL, graph, values, INFINITY, trial,
                                         sentence_out);
    if (code)
        *sentence_out = NULL;
    trial->verified_by = trial->own[RANKS_L1] >= 0       ? "reference"
                         : trial->own[RANKS_CHANGE] >= 0 ? "iteration"
                                                         : NULL;
    return code;
}

/* Where every rank is within a part r of itself of the true ones, an iteration leaves it there, since what a rank is made of is: so it
 * changes by 2 r of it at most, or a little more as it is measured by what it becomes. */
int weir__cli_certify_ranks(const weir__cli_algorithm *algorithm, const weir__cli_request *request,
                            weir_context *context, const weir_graph *graph, const void *values,
                            weir__cli_trial *trial, char **sentence_out)
{
    const weir_pr_config config = weir__cli_pr_config(request);
    const double relative = 2.001 * limits_of(&config).relative;
    *sentence_out = NULL;
    int code =
        compare_change(algorithm, &config, context, graph, values, relative, trial, sentence_out);
    if (code)
        *sentence_out = NULL;
    trial->verified_by = trial->own[RANKS_CHANGE] >= 0 ? "certificate" : NULL;
    return code;
}

void weir__cli_print_ranks_verdict(const weir__cli_trial *last)
{
    if (last->own[RANKS_L1] >= 0)
        printf(" (ranks differ from the reference's by %.3g in all, by %.3g of one at most)",
               last->own[RANKS_L1], last->own[RANKS_RELATIVE]);
    if (last->own[RANKS_CHANGE] >= 0)
        printf(" (an exact iteration changes %.3g in all: within %.3g of the true ranks)",
               last->own[RANKS_CHANGE], last->own[RANKS_WITHIN]);
}
