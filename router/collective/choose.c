/** @file choose.c  Which algorithm, and how large a packet: whatever takes least by estimate.
 *
 * The estimate knows three costs, measured (docs/collectives.md): what the host pays to put a hop into
 * queues, from a packet's arrival until it is on its way again, and the bytes. The host and the devices
 * work at the same time, so the longer of the two counts. */
#include "router/collective/internal.h"

struct costs {
    double host_us;     /* to put one hop into queues */
    double hop_us;      /* from one rank to the next, without the bytes */
    double start_us;    /* of each packet that follows another */
    double gbs;         /* of a link, in one direction */
    double combine_gbs; /* of the kernel that combines two packets: bytes of one */
};
static const struct costs
    gpu_costs = {.host_us = 10, .hop_us = 12, .start_us = 6, .gbs = 380, .combine_gbs = 1500},
    host_costs = {.host_us = 12, .hop_us = 25, .start_us = 5, .gbs = 5, .combine_gbs = 5};

#define PIECE_LEAST ((size_t)64 << 10)
#define ALIGNMENT   256u

size_t weir__chunk(size_t bytes, uint32_t ranks)
{
    size_t even = bytes / ranks + (bytes % ranks != 0);
    return (even + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

uint32_t weir__depth(uint32_t ranks)
{
    uint32_t steps = 0;
    for (uint32_t last = ranks - 1; last; last = (last - 1) / 2)
        steps++;
    return steps;
}

/* What a call is made of: all hops, those that follow from each other, packets one after another over the
 * busiest link, and kernels that nothing goes on beside. */
struct work {
    double hops, chain, series, alone;
};

static struct work ring_work(weir_collective what, double n, double pieces)
{
    switch (what) {
    case WEIR_COLLECTIVE_ALL_GATHER:
        return (struct work){n * (n - 1) * pieces, n - 1, (n - 1) * pieces, 0};
    case WEIR_COLLECTIVE_REDUCE_SCATTER:
        return (struct work){n * (n - 1) * pieces, n - 1, (n - 1) * pieces, pieces > 1 ? 0 : n - 1};
    case WEIR_COLLECTIVE_ALL_REDUCE:
        return (struct work){2 * n * (n - 1) * pieces, 2 * (n - 1), 2 * (n - 1) * pieces,
                             pieces > 1 ? 0 : n - 1};
    default:
        return (struct work){(n - 1) * pieces, n - 1, pieces + n - 2,
                             what == WEIR_COLLECTIVE_REDUCE ? n - 1 : 0};
    }
}

static struct work tree_work(weir_collective what, uint32_t ranks, double pieces)
{
    double n = ranks, deep = weir__depth(ranks), fan = ranks > 2 ? 2 : 1;
    switch (what) {
    case WEIR_COLLECTIVE_ALL_GATHER:
        return (struct work){n * (n - 1) * pieces, deep, (n - 1) * pieces, 0};
    case WEIR_COLLECTIVE_REDUCE_SCATTER:
        return (struct work){n * (n - 1) * pieces, deep, (n - 1) * pieces, deep};
    case WEIR_COLLECTIVE_ALL_REDUCE:
        return (struct work){2 * (n - 1) * pieces, 2 * deep, fan * pieces + 2 * deep - 1, deep};
    default:
        return (struct work){(n - 1) * pieces, deep, fan * pieces + deep - 1,
                             what == WEIR_COLLECTIVE_REDUCE ? deep : 0};
    }
}

/* The root's link, or everybody's, has a packet of all the others' blocks. */
static struct work direct_work(weir_collective what, double n, double pieces)
{
    int rooted = what == WEIR_COLLECTIVE_GATHER || what == WEIR_COLLECTIVE_SCATTER;
    return (struct work){(rooted ? 1 : n) * (n - 1) * pieces, 1, (n - 1) * pieces, 0};
}

static struct work work_of(weir_algorithm algorithm, weir_collective what, uint32_t ranks,
                           double pieces)
{
    if (algorithm == WEIR_ALGORITHM_DIRECT)
        return direct_work(what, ranks, pieces);
    return algorithm == WEIR_ALGORITHM_RING ? ring_work(what, ranks, pieces)
                                            : tree_work(what, ranks, pieces);
}

static double estimate_us(const weir_collectives *c, weir_algorithm algorithm, weir_collective what,
                          size_t bytes, size_t piece)
{
    const struct costs *costs = c->gpus ? &gpu_costs : &host_costs;
    int chunks = algorithm == WEIR_ALGORITHM_RING && what == WEIR_COLLECTIVE_ALL_REDUCE;
    size_t stream = chunks ? weir__chunk(bytes, c->ranks) : bytes;
    size_t packet = piece < stream ? piece : stream;
    double pieces = (double)((stream + piece - 1) / piece);
    struct work work = work_of(algorithm, what, c->ranks, pieces);
    double host = work.hops * costs->host_us;
    double device = work.chain * costs->hop_us +
                    work.series * (costs->start_us + (double)packet / costs->gbs / 1e3) +
                    work.alone * (double)packet / costs->combine_gbs / 1e3;
    return host > device ? host : device;
}

static int may_be(const weir_collectives *c, weir_collective what, weir_algorithm algorithm)
{
    if (algorithm == WEIR_ALGORITHM_NCCL || algorithm == WEIR_ALGORITHM_CHANNELS ||
        c->algorithm == WEIR_ALGORITHM_NCCL)
        return 0;
    if (weir__exchanges(what) || algorithm == WEIR_ALGORITHM_DIRECT)
        return weir__exchanges(what) && algorithm == WEIR_ALGORITHM_DIRECT;
    return c->algorithm == WEIR_ALGORITHM_AUTO || c->algorithm == algorithm;
}

struct plan weir__collectives_plan(const weir_collectives *c, weir_collective what, size_t bytes)
{
    int combines = what == WEIR_COLLECTIVE_REDUCE || what == WEIR_COLLECTIVE_ALL_REDUCE ||
                   what == WEIR_COLLECTIVE_REDUCE_SCATTER;
    size_t most = combines ? c->packet : c->place;
    struct plan best = {c->algorithm, most};
    double least = 0;
    if (c->algorithm == WEIR_ALGORITHM_CHANNELS)
        return best;
    for (int a = WEIR_ALGORITHM_RING; a < WEIR_ALGORITHM_COUNT; a++)
        for (size_t piece = most; may_be(c, what, (weir_algorithm)a); piece /= 2) {
            double us = estimate_us(c, (weir_algorithm)a, what, bytes, piece);
            if (best.algorithm == WEIR_ALGORITHM_AUTO || !least || us < least) {
                best = (struct plan){(weir_algorithm)a, piece};
                least = us;
            }
            if (c->fixed || piece < 2 * PIECE_LEAST || piece % (2 * ALIGNMENT))
                break;
        }
    return best;
}
