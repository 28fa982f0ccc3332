/** @file choose.c  Which way a call goes, and in packets of what size: whatever takes the least time.
 *
 * What a call takes on links is not computed but tried out. A set has a *rehearsal*: a set like itself, over the same machine
 * simulated, whose copies move nothing (topology/rehearse.h). The call is made there in every way, in one packet and in two,
 * four and so on while that helps, and its virtual time is taken: so contention, sockets, staging and relays count as they do in
 * simulations. Beside it the host counts, which puts hop after hop into queues: the longer of the two. What channels and NCCL take are
 * tables (kernel_times.c).
 *
 * A call's time is that of one among MANY in a row, as `weir bench collectives` makes them: ranks that are through with a
 * broadcast or reduce begin the next one while others are not. It is told from the first of two calls, and from what the second
 * takes more.
 *
 * This is done for sizes that are powers of two, when a call first needs them; what is between lies on the line through its
 * neighbours, and what is above the largest on the line through the two largest. */
#include "router/collective/internal.h"
#include "runtime/config.h"
#include "topology/rehearse.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#define LEAST_LOG   8u  /* 256 bytes */
#define SIZES       27u /* up to 16 GiB */
#define PIECE_LEAST ((size_t)64 << 10)
#define PIECES_MOST 32u /* what is cut into more is tried in so many, and drawn out */
#define ALIGNMENT   256u
#define MANY        20

size_t weir__chunk(size_t bytes, uint32_t ranks)
{
    size_t even = bytes / ranks + (bytes % ranks != 0);
    return (even + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* ---- what links cannot tell ------------------------------------------------------------------------ */

/* Measured on two H100 and on two to four H200 (docs/benchmarks.md). A simulated machine's own overheads are all that it has. */
struct costs {
    /* Of the calling thread, for a hop. */
    double host_us;
    /* From a packet's arrival to that of its next, but for the bytes; two streams a link halve it for what is not a chain. */
    double copy_us;
    /* Of a kernel behind a packet. */
    double launch_us;
    /* Of its bytes, which a rehearsal's kernels do not have; 0: as if they took no time. */
    double combine_gbs;
    /* 1: two ranks that send to each other go on sending while they combine. */
    int hides;
    /* Of a link's bandwidth, where its two ends send to each other at the same time. */
    double both_ways;
    /* Of it, in a ring of more than two, where each sends to one rank and receives from another. */
    double around;
    /* By how much of their time the bytes take longer for each rank above two, where all send to several. */
    double each_more;
    /* Of the block that a root copies for itself; 0: as if that took no time. */
    double own_gbs;
};
static const struct costs gpu_costs = {.host_us = 10,
                                       .copy_us = 20,
                                       .launch_us = 2,
                                       .combine_gbs = 880,
                                       .both_ways = 0.9,
                                       .around = 0.97,
                                       .each_more = 0.4,
                                       .own_gbs = 3000},
                          fast_gpu_costs = {.host_us = 10,
                                            .copy_us = 20,
                                            .launch_us = 2,
                                            .combine_gbs = 1300,
                                            .hides = 1,
                                            .both_ways = 0.95,
                                            .around = 0.97,
                                            .each_more = 0.4,
                                            .own_gbs = 3000},
                          host_costs = {.host_us = 12,
                                        .copy_us = 25,
                                        .launch_us = 2,
                                        .both_ways = 1,
                                        .around = 1};

static int combines(weir_collective what)
{
    return what == WEIR_COLLECTIVE_REDUCE || what == WEIR_COLLECTIVE_ALL_REDUCE ||
           what == WEIR_COLLECTIVE_REDUCE_SCATTER;
}

/* What the busiest link carries of a call of @p bytes, at the least. */
static double on_a_link(const weir_collectives *c, weir_collective what, double bytes)
{
    double n = c->ranks;
    if (what == WEIR_COLLECTIVE_BROADCAST || what == WEIR_COLLECTIVE_REDUCE)
        return bytes;
    return what == WEIR_COLLECTIVE_ALL_REDUCE ? 2 * (n - 1) / n * bytes : (n - 1) * bytes;
}

/* What the kernels of a call take that combine packets and that nothing goes on beside: the last packet of a stream. Two ranks that send
 * to each other have one round, and may have to combine all of it before the next call. */
static double combine_us(const weir_collectives *c, const struct costs *costs, weir_collective what,
                         double bytes)
{
    const double packet = (double)c->packet;
    if (costs->combine_gbs <= 0 || !combines(what))
        return 0;
    if (c->ranks > 2 || costs->hides || what == WEIR_COLLECTIVE_REDUCE)
        bytes = bytes < packet ? bytes : packet;
    else if (what == WEIR_COLLECTIVE_ALL_REDUCE)
        bytes /= 2;
    return bytes / costs->combine_gbs / 1e3;
}

/* Bytes go one way only. */
static int rooted(weir_collective what)
{
    return what == WEIR_COLLECTIVE_BROADCAST || what == WEIR_COLLECTIVE_REDUCE ||
           what == WEIR_COLLECTIVE_GATHER || what == WEIR_COLLECTIVE_SCATTER;
}

/* By how much of their time the bytes on a link take longer than in a rehearsal, where all ranks send and receive. */
static double slower(const weir_collectives *c, const struct costs *costs, const struct way *way)
{
    if (c->ranks > 2 && way->algorithm == WEIR_ALGORITHM_RING)
        return 1 / costs->around - 1;
    return 1 / costs->both_ways - 1 + costs->each_more * (c->ranks - 2);
}

/* What a call takes on links that a rehearsal does not know of. */
static double beside_us(const weir_collectives *c, const struct costs *costs, weir_collective what,
                        const struct way *way, double bytes)
{
    double us, own = bytes < (double)c->packet ? bytes : (double)c->packet;
    if (!costs)
        return 0;
    us = combine_us(c, costs, what, bytes);
    if (!rooted(what) && c->narrowest_gbs > 0)
        us += on_a_link(c, what, bytes) / c->narrowest_gbs / 1e3 * slower(c, costs, way);
    if (what == WEIR_COLLECTIVE_SCATTER && costs->own_gbs > 0)
        us += own / costs->own_gbs / 1e3; /* before it sends; of a large block, the first part */
    return us;
}

/* Ways that are no hops over links, but a kernel for each rank that is launched once for a call: nothing can be rehearsed of them, so
 * each says itself what a call takes whose busiest link carries `load` bytes (kernel_times.c). */
struct kernels {
    weir_algorithm algorithm;
    int (*are_there)(const weir_collectives *c);
    double (*us)(const weir_collectives *c, weir_collective what, double load);
};

static int nccl_is_there(const weir_collectives *c)
{
    return c->nccl != NULL;
}

static int channels_are_there(const weir_collectives *c)
{
    return c->channels && c->narrowest_gbs > 0;
}

static const struct kernels kernels[] = {
    {WEIR_ALGORITHM_CHANNELS, channels_are_there, weir__channels_us},
    {WEIR_ALGORITHM_NCCL, nccl_is_there, weir__nccl_us},
};
#define KERNELS (sizeof kernels / sizeof *kernels)

/* NULL: it goes over links. */
static const struct kernels *kernels_of(const struct way *way)
{
    for (size_t k = 0; k < KERNELS; k++)
        if (kernels[k].algorithm == way->algorithm)
            return &kernels[k];
    return NULL;
}

static const struct costs *costs_of(const weir_collectives *c)
{
    if (weir_context_simulated(c->context))
        return NULL;
    if (!c->gpus)
        return &host_costs;
    return c->memory_gbs > FAST_GBS ? &fast_gpu_costs : &gpu_costs;
}

/* ---- rehearsing ------------------------------------------------------------------------------------ */

struct rehearsal {
    weir_context *context;
    weir_collectives *set;
    struct plan plan;          /* what the set is to do */
    const struct costs *costs; /* NULL: the machine's own */
    weir_queue *queue[RANKS_MAX];
    weir_stamp *begin[RANKS_MAX], *first[RANKS_MAX]; /* of two calls, and the first one's end */
    void *send[RANKS_MAX], *recv[RANKS_MAX];         /* addresses: nothing is there */
    size_t room;                                     /* bytes of each */
};

static void close_rehearsal(struct rehearsal *r, uint32_t ranks)
{
    weir_collectives_destroy(r->set);
    for (uint32_t i = 0; i < ranks && r->context; i++) {
        weir_device *device = r->queue[i] ? weir_queue_device(r->queue[i]) : NULL;
        weir_stamp_destroy(r->begin[i]);
        weir_stamp_destroy(r->first[i]);
        weir_queue_destroy(r->queue[i]);
        if (device) {
            weir_device_free(device, r->send[i]);
            weir_device_free(device, r->recv[i]);
        }
    }
    weir_context_destroy(r->context);
    free(r);
}

/* Another context's device of the same place in the machine. */
static weir_device *counterpart(const weir_collectives *c, weir_context *context, uint32_t rank)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    if (c->rank[rank].device == weir_context_home(c->context))
        return weir_context_home(context);
    weir_device_info_get(c->rank[rank].device, &info);
    return weir_context_device(context, info.index);
}

static weir_status simulate(const weir_collectives *c, struct rehearsal *r)
{
    const weir_machine *machine;
    weir_config *config;
    weir_overheads overheads;
    weir_status status;
    if ((status = weir_machine_of(c->context, &machine)) ||
        (status = weir__config_copy(weir_context_config(c->context), &config)))
        return status;
    overheads = weir_machine_overheads(machine);
    if (r->costs) {
        overheads.copy_us = overheads.push_us = r->costs->copy_us;
        overheads.launch_us = r->costs->launch_us;
    }
    if (!(status = weir_config_set(config, "pool_bytes", "64TiB")))
        status = weir__machine_rehearse(machine, &overheads, config, &r->context);
    weir_config_destroy(config);
    return status;
}

/* How packets travel in a rehearsal. There host devices, too, are joined by copy engines, so of what a set asks for that has them as
 * ranks only `staged` means the same. */
static weir_transport transport_of(const weir_collectives *c)
{
    const int same =
        c->gpus || weir_context_simulated(c->context) || c->transport == WEIR_TRANSPORT_STAGED;
    return same ? c->transport : WEIR_TRANSPORT_AUTO;
}

static weir_status open_rehearsal(const weir_collectives *c, struct rehearsal *r)
{
    weir_collectives_config config = WEIR_COLLECTIVES_CONFIG_INIT;
    weir_device *devices[RANKS_MAX];
    weir_status status;
    r->costs = costs_of(c);
    config.transport = transport_of(c);
    if ((status = simulate(c, r)))
        return status;
    for (uint32_t i = 0; i < c->ranks && !status; i++) {
        devices[i] = counterpart(c, r->context, i);
        if (!(status = weir_queue_create(devices[i], 0, &r->queue[i])) &&
            !(status = weir_stamp_create(devices[i], &r->begin[i])))
            status = weir_stamp_create(devices[i], &r->first[i]);
    }
    return status ? status
                  : weir__collectives_open(r->context, devices, c->ranks, &config, c, &r->plan,
                                           &r->set);
}

static weir_status rehearsal_of(weir_collectives *c, struct rehearsal **r_out)
{
    struct rehearsal *r;
    weir_status status = WEIR_OK;
    if (!c->rehearsal) {
        if ((status = weir__calloc(1, sizeof *r, "rehearsal of collectives", &r)))
            return status;
        if ((status = open_rehearsal(c, r))) {
            close_rehearsal(r, c->ranks);
            return status;
        }
        c->rehearsal = r;
    }
    *r_out = c->rehearsal;
    return status;
}

static weir_status make_room(struct rehearsal *r, uint32_t ranks, size_t bytes)
{
    weir_status status = WEIR_OK;
    if (bytes <= r->room)
        return WEIR_OK;
    r->room = 0;
    for (uint32_t i = 0; i < ranks && !status; i++) {
        weir_device *device = weir_queue_device(r->queue[i]);
        weir_device_free(device, r->send[i]);
        weir_device_free(device, r->recv[i]);
        r->send[i] = r->recv[i] = NULL;
        if (!(status = weir_device_alloc(device, bytes, &r->send[i])))
            status = weir_device_alloc(device, bytes, &r->recv[i]);
    }
    r->room = status ? 0 : bytes;
    return status;
}

static weir_status stamp_all(const struct rehearsal *r, uint32_t ranks, weir_stamp *const *stamps)
{
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < ranks && !status; i++)
        status = weir_queue_stamp(r->queue[i], stamps[i]);
    return status;
}

static weir_status two_calls(const struct rehearsal *r, uint32_t ranks, const struct call *call)
{
    weir_status status = stamp_all(r, ranks, r->begin);
    if (!status && !(status = weir__call_go(r->set, call)) &&
        !(status = stamp_all(r, ranks, r->first)))
        status = weir__call_go(r->set, call);
    for (uint32_t i = 0; i < ranks; i++) {
        weir_status synced = weir_queue_sync(r->queue[i]);
        status = status ? status : synced;
    }
    return status;
}

/* Calls of @p bytes as the rehearsal's plan says. */
static weir_status rehearse(weir_collectives *c, struct rehearsal *r, weir_collective what,
                            uint32_t root, size_t bytes, double *us_out)
{
    const int down = what == WEIR_COLLECTIVE_BROADCAST;
    struct call call = {.what = what == WEIR_COLLECTIVE_ALL_TO_ALL_V ? WEIR_COLLECTIVE_ALL_TO_ALL
                                                                     : what,
                        .root = root,
                        .recv = r->recv,
                        .count = bytes / sizeof(float),
                        .element = sizeof(float),
                        .bytes = bytes,
                        .type = WEIR_TYPE_F32,
                        .queues = r->queue};
    weir_status status = make_room(r, c->ranks, bytes * c->ranks);
    call.send = (const void *const *)(down ? r->recv : r->send);
    if (status)
        return status;
    uint64_t hops = r->set->hops, start_ns = weir_context_time_ns(r->context);
    status = two_calls(r, c->ranks, &call);
    double both = (double)(weir_context_time_ns(r->context) - start_ns) / 1e3, first = 0;
    double host = r->costs ? (double)(r->set->hops - hops) / 2 * r->costs->host_us : 0;
    for (uint32_t i = 0; i < c->ranks && !status; i++) {
        double ms = 0;
        status = weir_stamp_elapsed(r->begin[i], r->first[i], &ms);
        first = ms * 1e3 > first ? ms * 1e3 : first;
    }
    double next = both - first;
    *us_out = ((first > host ? first : host) + (MANY - 1) * (next > host ? next : host)) / MANY;
    return status;
}

/* ---- forecasts ------------------------------------------------------------------------------------- */

struct forecast {
    double us;
    uint32_t pieces;
};

/* Of one collective and root. */
struct outlook {
    struct outlook *next;
    weir_collective what;
    uint32_t root;
    struct {
        int known;
        struct forecast by[WAYS_MAX];
    } at[SIZES];
};

static size_t most_of(const weir_collectives *c, weir_collective what, const struct way *way)
{
    return combines(what) || way->relays ? c->packet : c->place;
}

/* What is cut into packets: of an all-reduce in chunks one of those. */
static size_t stream_of(const weir_collectives *c, weir_collective what, const struct way *way,
                        size_t bytes)
{
    return what == WEIR_COLLECTIVE_ALL_REDUCE && way->algorithm != WEIR_ALGORITHM_TREE
               ? weir__chunk(bytes, c->ranks)
               : bytes;
}

static size_t piece_of(size_t stream, uint32_t pieces, size_t most)
{
    size_t piece = weir__chunk(stream, pieces);
    return piece < most ? piece : most;
}

/* In packets of @p piece bytes. */
static weir_status try_piece(weir_collectives *c, struct rehearsal *r, weir_collective what,
                             uint32_t root, size_t bytes, size_t piece, double *us_out)
{
    size_t stream = stream_of(c, what, &r->plan.way, bytes), unit = bytes / stream * piece;
    double pieces = (double)((stream + piece - 1) / piece), half, whole;
    weir_status status;
    r->plan.piece = piece;
    if (pieces <= PIECES_MOST)
        return rehearse(c, r, what, root, bytes, us_out);
    if ((status = rehearse(c, r, what, root, unit * (PIECES_MOST / 2), &half)) ||
        (status = rehearse(c, r, what, root, unit * PIECES_MOST, &whole)))
        return status;
    *us_out = whole + (whole - half) * (pieces - PIECES_MOST) / (PIECES_MOST / 2);
    return WEIR_OK;
}

/* Packets are made smaller until that has not helped twice. */
static weir_status forecast_links(weir_collectives *c, struct rehearsal *r, weir_collective what,
                                  uint32_t root, size_t bytes, struct forecast *best)
{
    size_t most = most_of(c, what, &r->plan.way);
    size_t stream = stream_of(c, what, &r->plan.way, bytes);
    uint32_t least = (uint32_t)((stream + most - 1) / most), worse = 0;
    weir_status status = WEIR_OK;
    best->us = DBL_MAX;
    for (uint32_t pieces = least; worse < 2 && !status; pieces *= 2) {
        size_t piece = c->fixed ? most : piece_of(stream, pieces, most);
        double us = 0;
        status = try_piece(c, r, what, root, bytes, piece, &us);
        us += beside_us(c, r->costs, what, &r->plan.way, (double)bytes);
        worse = us < best->us ? 0 : worse + 1;
        if (us < best->us)
            *best = (struct forecast){us, pieces};
        if (c->fixed || piece < 2 * PIECE_LEAST || pieces > PIECES_MOST / 2)
            break;
    }
    return status;
}

static int fits(weir_collective what, const struct way *way)
{
    if (way->paced)
        return weir__exchanges(what);
    return !weir__exchanges(what) || way->algorithm == WEIR_ALGORITHM_DIRECT || kernels_of(way);
}

static weir_status forecast_all(weir_collectives *c, struct outlook *outlook, uint32_t k)
{
    size_t bytes = (size_t)1 << (LEAST_LOG + k);
    struct rehearsal *r;
    weir_status status = rehearsal_of(c, &r);
    for (uint32_t w = 0; w < c->way_count && !status; w++) {
        struct forecast *forecast = &outlook->at[k].by[w];
        const struct kernels *own = kernels_of(&c->ways[w]);
        if (!fits(outlook->what, &c->ways[w]))
            *forecast = (struct forecast){DBL_MAX, 1};
        else if (own)
            *forecast = (struct forecast){
                own->us(c, outlook->what, on_a_link(c, outlook->what, (double)bytes)), 1};
        else {
            r->plan.way = c->ways[w];
            status = forecast_links(c, r, outlook->what, outlook->root, bytes, forecast);
        }
    }
    outlook->at[k].known = !status;
    return status;
}

/* ---- choosing -------------------------------------------------------------------------------------- */

static void add_way(weir_collectives *c, weir_algorithm algorithm, enum shape shape, int paced)
{
    if (c->algorithm != WEIR_ALGORITHM_AUTO && c->algorithm != algorithm &&
        algorithm != WEIR_ALGORITHM_DIRECT)
        return;
    for (int relays = 0; relays <= (c->relays > 0); relays++)
        c->ways[c->way_count++] =
            (struct way){.algorithm = algorithm, .shape = shape, .relays = relays, .paced = paced};
}

/* A row for each way. Direct is there in every set, for all-to-all, gather and scatter. */
void weir__ways_list(weir_collectives *c)
{
    c->way_count = 0;
    if (c->ranks < 2 || !weir__has_links(c))
        return;
    add_way(c, WEIR_ALGORITHM_RING, SHAPE_HEAP, 0);
    add_way(c, WEIR_ALGORITHM_TREE, SHAPE_HEAP, 0);
    if (c->trees[SHAPE_SPAN])
        add_way(c, WEIR_ALGORITHM_TREE, SHAPE_SPAN, 0);
    add_way(c, WEIR_ALGORITHM_DIRECT, SHAPE_STAR, 0);
    if (c->ranks > 2)
        add_way(c, WEIR_ALGORITHM_DIRECT, SHAPE_STAR, 1);
    for (size_t k = 0; k < KERNELS; k++)
        if (kernels[k].are_there(c))
            c->ways[c->way_count++] = (struct way){.algorithm = kernels[k].algorithm};
}

static int may_take(const weir_collectives *c, weir_collective what, const struct way *way)
{
    if (!fits(what, way))
        return 0;
    return weir__exchanges(what) || c->algorithm == WEIR_ALGORITHM_AUTO ||
           c->algorithm == way->algorithm;
}

static weir_status outlook_of(weir_collectives *c, weir_collective what, uint32_t root,
                              struct outlook **outlook_out)
{
    struct outlook *outlook = c->outlooks;
    uint32_t as = rooted(what) && !c->alike ? root : 0;
    while (outlook && (outlook->what != what || outlook->root != as))
        outlook = outlook->next;
    *outlook_out = outlook;
    if (outlook)
        return WEIR_OK;
    weir_status status = weir__calloc(1, sizeof *outlook, "forecast of collectives", &outlook);
    if (status)
        return status;
    outlook->what = what;
    outlook->root = as;
    outlook->next = c->outlooks;
    *outlook_out = c->outlooks = outlook;
    return WEIR_OK;
}

/* On the line through two sizes; @p part 0: at the first, 1: at the second. */
static double between(const struct outlook *outlook, uint32_t k, uint32_t way, double part)
{
    double a = outlook->at[k].by[way].us, b = outlook->at[k + 1].by[way].us;
    return a < DBL_MAX ? a + (b - a) * part : DBL_MAX;
}

struct choice {
    uint32_t way;
    double us[WAYS_MAX];
    struct plan plan;
};

static weir_status choose_by_time(weir_collectives *c, weir_collective what, uint32_t root,
                                  size_t bytes, struct choice *choice)
{
    struct outlook *outlook;
    uint32_t k = 0, near;
    weir_status status = outlook_of(c, what, root, &outlook);
    while (k + 2 < SIZES && bytes >> (LEAST_LOG + k + 1))
        k++;
    double low = (double)((size_t)1 << (LEAST_LOG + k)), part = ((double)bytes - low) / low;
    part = part > 0 ? part : 0;
    if (!status && !outlook->at[k].known)
        status = forecast_all(c, outlook, k);
    if (!status && part > 0 && !outlook->at[k + 1].known)
        status = forecast_all(c, outlook, k + 1);
    if (status)
        return status;
    choice->way = c->way_count;
    for (uint32_t w = 0; w < c->way_count; w++) {
        choice->us[w] = part > 0 ? between(outlook, k, w, part) : outlook->at[k].by[w].us;
        if (may_take(c, what, &c->ways[w]) &&
            (choice->way == c->way_count || choice->us[w] < choice->us[choice->way]))
            choice->way = w;
    }
    near = part > 0.5 ? k + 1 : k;
    choice->plan.way = c->ways[choice->way];
    size_t most = most_of(c, what, &choice->plan.way);
    choice->plan.piece = c->fixed ? most
                                  : piece_of(stream_of(c, what, &choice->plan.way, bytes),
                                             outlook->at[near].by[choice->way].pieces, most);
    return WEIR_OK;
}

static void drop_rehearsal(weir_collectives *c)
{
    if (c->rehearsal)
        close_rehearsal(c->rehearsal, c->ranks);
    c->rehearsal = NULL;
}

/* A rehearsal that failed is of no more use; what it told before stays good. */
static weir_status choose_locked(weir_collectives *c, weir_collective what, uint32_t root,
                                 size_t bytes, struct choice *choice)
{
    pthread_mutex_lock(&c->planning);
    weir_status status = choose_by_time(c, what, root, bytes, choice);
    if (status) {
        struct weir__sentence kept = weir__fail_keep();
        drop_rehearsal(c);
        weir__fail_restore(&kept);
    }
    pthread_mutex_unlock(&c->planning);
    return status;
}

/* Where there is nothing to choose, nothing is tried. */
static int is_given(const weir_collectives *c, weir_collective what, struct plan *plan)
{
    uint32_t count = 0;
    for (uint32_t w = 0; w < c->way_count; w++)
        if (may_take(c, what, &c->ways[w]) && !count++)
            plan->way = c->ways[w];
    plan->piece = most_of(c, what, &plan->way);
    return count == 1 && c->fixed;
}

weir_status weir__collectives_plan(weir_collectives *c, weir_collective what, uint32_t root,
                                   size_t bytes, struct plan *plan_out)
{
    struct choice choice;
    *plan_out = (struct plan){.way = {.algorithm = c->algorithm}};
    if (!weir__has_links(c) || c->ranks < 2 || is_given(c, what, plan_out))
        return WEIR_OK;
    weir_status status = choose_locked(c, what, root, bytes, &choice);
    if (!status)
        *plan_out = choice.plan;
    return status;
}

void weir__rehearsal_close(weir_collectives *c)
{
    while (c->outlooks) {
        struct outlook *outlook = c->outlooks;
        c->outlooks = outlook->next;
        free(outlook);
    }
    drop_rehearsal(c);
}

/* ---- what is told of it ----------------------------------------------------------------------------- */

weir_algorithm weir_collectives_chosen(const weir_collectives *collectives,
                                       weir_collective collective, size_t bytes)
{
    weir_collectives_choice choice = WEIR_COLLECTIVES_CHOICE_INIT;
    weir_status status = weir_collectives_choose((weir_collectives *)(uintptr_t)collectives,
                                                 collective, 0, bytes, &choice);
    return status ? WEIR_ALGORITHM_AUTO : choice.algorithm;
}

static void explain(const weir_collectives_choice *choice, char *why, size_t room)
{
    const char *comma = "";
    int at = snprintf(why, room, "%s%s, packets of %zu bytes: %.1f us",
                      weir_algorithm_name(choice->algorithm), choice->relays ? " with relays" : "",
                      choice->packet_bytes, choice->us[choice->algorithm]);
    for (int a = 0; a < WEIR_ALGORITHM_COUNT; a++)
        if (a != (int)choice->algorithm && choice->us[a] > 0 && at > 0 && (size_t)at < room) {
            at += snprintf(why + at, room - (size_t)at, "%s %.1f (%s)", *comma ? comma : " against",
                           choice->us[a], weir_algorithm_name((weir_algorithm)a));
            comma = ",";
        }
}

static weir_status tell(weir_collectives *c, weir_collective what, uint32_t root, size_t bytes,
                        weir_collectives_choice *told)
{
    struct choice choice;
    weir_status status = choose_locked(c, what, root, bytes, &choice);
    if (status)
        return status;
    for (uint32_t w = 0; w < c->way_count; w++) {
        double *us = &told->us[c->ways[w].algorithm];
        if (fits(what, &c->ways[w]) && (*us <= 0 || choice.us[w] < *us))
            *us = choice.us[w];
    }
    told->algorithm = choice.plan.way.algorithm;
    told->packet_bytes = choice.plan.piece;
    told->relays = choice.plan.way.relays ? c->relays : 0;
    explain(told, told->why, sizeof told->why);
    return WEIR_OK;
}

weir_status weir_collectives_choose(weir_collectives *c, weir_collective collective, uint32_t root,
                                    size_t bytes, weir_collectives_choice *choice_out)
{
    weir_collectives_choice told = WEIR_COLLECTIVES_CHOICE_INIT;
    weir_status status = WEIR_OK;
    if (!c || !choice_out)
        return weir__missing("weir_collectives_choose", c ? "choice_out" : "collectives");
    if ((unsigned)collective >= WEIR_COLLECTIVE_COUNT || root >= c->ranks)
        return weir__fail(WEIR_ERR_INVALID, "collective %d with root %u of %u ranks",
                          (int)collective, root, c->ranks);
    told.algorithm = c->algorithm;
    if (c->ranks < 2 || !weir__has_links(c))
        snprintf(told.why, sizeof told.why, "%s", c->ranks < 2 ? "one rank" : "asked for");
    else
        status = tell(c, collective, root, bytes, &told);
    return status ? status
                  : weir__sized_out(choice_out, &told, sizeof told, "weir_collectives_choice");
}
