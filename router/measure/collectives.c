/** @file collectives.c  Every collective of equal blocks by every algorithm, and by NCCL.
 *
 * The figure is nccl-tests' bus bandwidth, what every link carries if the bytes go the best way there is:
 * the message's bytes over the time, times 2 (n - 1) / n for all-reduce, 1 for broadcast and reduce, (n - 1) / n
 * for all whose messages have a block of each device, of n devices. A message is the larger of what a device
 * sends and receives. From it the time of a call follows, as the factor and the bytes are known. All-to-all,
 * gather and scatter go neither by ring nor by tree, and have no rows of those. AUTO may take all ways there are, kernels too. An
 * all-to-all of blocks of different sizes takes what its largest ones take, and has no row.
 *
 * The ways of a call and a size take turns, trial by trial: on a machine that others use too, the figures of one that are minutes
 * older than another's say little. Calls are made back to back, several of them where they are short, in queues that are not held: how fast
 * one host thread can make them counts, as it does for programs. */
#include "router/collective.h"
#include "router/measure/list.h"

#include <stdio.h>
#include <string.h>

#define LEAST            1024u
#define STEP             4u
#define REPEATS          20u
#define LARGE            ((uint64_t)16 << 20) /* calls of so many bytes are made fewer times */
#define REPEATS_OF_LARGE 4u

static const weir_algorithm algorithms[] = {WEIR_ALGORITHM_RING,   WEIR_ALGORITHM_TREE,
                                            WEIR_ALGORITHM_DIRECT, WEIR_ALGORITHM_CHANNELS,
                                            WEIR_ALGORITHM_NCCL,   WEIR_ALGORITHM_AUTO};
#define ALGORITHMS (sizeof algorithms / sizeof *algorithms)

struct team {
    struct bench *bench;
    weir_collectives *sets[ALGORITHMS]; /* NULL: not to be had */
    weir_collectives *set;              /* the one whose row this is */
    weir_collective what;
    uint64_t bytes; /* of the message */
    uint32_t repeats;
    struct region *region; /* a queue of each device; of all rows */
    void *send[WEIR_DEVICES_MAX], *recv[WEIR_DEVICES_MAX];
};

/* ---- what a call is --------------------------------------------------------------------------

 * `words` are in a block; where all devices have one, a message is so many blocks. */

static int sends_blocks(weir_collective what)
{
    return what == WEIR_COLLECTIVE_REDUCE_SCATTER || what == WEIR_COLLECTIVE_ALL_TO_ALL ||
           what == WEIR_COLLECTIVE_SCATTER;
}

static int receives_blocks(weir_collective what)
{
    return what == WEIR_COLLECTIVE_ALL_GATHER || what == WEIR_COLLECTIVE_ALL_TO_ALL ||
           what == WEIR_COLLECTIVE_GATHER;
}

static int combines(weir_collective what)
{
    return what == WEIR_COLLECTIVE_REDUCE || what == WEIR_COLLECTIVE_ALL_REDUCE ||
           what == WEIR_COLLECTIVE_REDUCE_SCATTER;
}

static int sends(weir_collective what, uint32_t device)
{
    return device == 0 || (what != WEIR_COLLECTIVE_BROADCAST && what != WEIR_COLLECTIVE_SCATTER);
}

static int receives(weir_collective what, uint32_t device)
{
    return device == 0 || (what != WEIR_COLLECTIVE_REDUCE && what != WEIR_COLLECTIVE_GATHER);
}

/* ---- calls ---------------------------------------------------------------------------------- */

static uint64_t words_of(const struct team *team)
{
    uint64_t words = team->bytes / sizeof(uint64_t);
    int blocks = sends_blocks(team->what) || receives_blocks(team->what);
    return blocks ? words / team->bench->devices : words;
}

/* Sums of integers: what comes out can be foretold, and takes as long as sums of anything else. */
static weir_status call(const struct team *team)
{
    const void *const *send = (const void *const *)team->send;
    weir_queue *const *queues = team->region->queue;
    uint64_t words = words_of(team);
    switch (team->what) {
    case WEIR_COLLECTIVE_BROADCAST:
        return weir_broadcast(team->set, 0, team->recv, words, WEIR_TYPE_U64, queues);
    case WEIR_COLLECTIVE_ALL_GATHER:
        return weir_all_gather(team->set, send, team->recv, words, WEIR_TYPE_U64, queues);
    case WEIR_COLLECTIVE_REDUCE:
        return weir_reduce(team->set, 0, send, team->recv, words, WEIR_TYPE_U64, WEIR_OP_SUM,
                           queues);
    case WEIR_COLLECTIVE_REDUCE_SCATTER:
        return weir_reduce_scatter(team->set, send, team->recv, words, WEIR_TYPE_U64, WEIR_OP_SUM,
                                   queues);
    case WEIR_COLLECTIVE_ALL_TO_ALL:
        return weir_all_to_all(team->set, send, team->recv, words, WEIR_TYPE_U64, queues);
    case WEIR_COLLECTIVE_GATHER:
        return weir_gather(team->set, 0, send, team->recv, words, WEIR_TYPE_U64, queues);
    case WEIR_COLLECTIVE_SCATTER:
        return weir_scatter(team->set, 0, send, team->recv, words, WEIR_TYPE_U64, queues);
    default:
        return weir_all_reduce(team->set, send, team->recv, words, WEIR_TYPE_U64, WEIR_OP_SUM,
                               queues);
    }
}

static weir_status run(struct team *team, uint32_t repeats, double *ms_out)
{
    weir_status status = weir__region_begin(team->region);
    if (status)
        return status;
    status = weir__guard_open_gate(team->region);
    for (uint32_t i = 0; i < repeats && !status; i++)
        status = call(team);
    status = weir__region_end(team->region, status, ms_out);
    return status ? status : weir_collectives_status(team->set);
}

static double factor(const struct team *team)
{
    double n = team->bench->devices;
    if (team->what == WEIR_COLLECTIVE_ALL_REDUCE)
        return 2 * (n - 1) / n;
    return sends_blocks(team->what) || receives_blocks(team->what) ? (n - 1) / n : 1;
}

static weir_status trial(void *user, uint64_t number, double *gbs_out)
{
    struct team *team = user;
    double ms = 0;
    weir_status status = run(team, 1, &ms); /* not timed: another way's trial was before this one */
    (void)number;                           /* the bytes are the same in all timed trials */
    if (!status)
        status = run(team, team->repeats, &ms);
    *gbs_out = weir__gbs(factor(team) * (double)team->bytes * team->repeats, ms);
    return status;
}

/* ---- verified ------------------------------------------------------------------------------- */

static weir_status clear(struct bench *bench, uint32_t device, void *data, uint64_t bytes)
{
    weir_queue *queue;
    weir_status status = weir__bench_queue(bench, device, &queue);
    if (!status)
        status = weir_queue_fill(queue, data, 0, bytes);
    return status ? status : weir__bench_drain(bench, device, "a fill");
}

/* Block `to` of what device `from` sends. Of a sum, all devices' have one pattern. */
static uint64_t seed_of(const struct team *team, uint64_t seed, uint32_t from, uint32_t to)
{
    uint64_t block = sends_blocks(team->what) ? to : 0;
    return seed + block + (combines(team->what) ? 0 : (uint64_t)from * team->bench->devices);
}

/* Of a sum, one device has a pattern and the others zeros; else each has a pattern of its own. */
static weir_status put(struct team *team, uint64_t seed, uint32_t one)
{
    struct bench *bench = team->bench;
    uint32_t n = bench->devices, parts = sends_blocks(team->what) ? n : 1;
    uint64_t bytes = words_of(team) * sizeof(uint64_t);
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < n && !status; i++) {
        char *data = team->what == WEIR_COLLECTIVE_BROADCAST ? team->recv[i] : team->send[i];
        if ((status = weir__pattern_poison(bench, i, team->recv[i], team->bytes)) ||
            !sends(team->what, i))
            continue;
        if (combines(team->what) && i != one) {
            status = clear(bench, i, data, parts * bytes);
            continue;
        }
        for (uint32_t part = 0; part < parts && !status; part++)
            status = weir__pattern_put(bench, i, data + part * bytes, bytes,
                                       seed_of(team, seed, i, part));
    }
    return status;
}

static weir_status check(struct team *team, uint64_t seed, const char *what)
{
    struct bench *bench = team->bench;
    uint32_t n = bench->devices, parts = receives_blocks(team->what) ? n : 1;
    uint64_t bytes = words_of(team) * sizeof(uint64_t);
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < n && !status; i++)
        for (uint32_t part = 0; part < parts && !status && receives(team->what, i); part++)
            status = weir__pattern_check(bench, i, (char *)team->recv[i] + part * bytes, bytes,
                                         seed_of(team, seed, part, i), what);
    return status;
}

/* A sum once for each device's part in it. */
static weir_status verify(struct team *team, const char *what)
{
    uint32_t times = combines(team->what) ? team->bench->devices : 1;
    weir_status status = WEIR_OK;
    for (uint32_t one = 0; one < times && !status; one++) {
        uint64_t seed = weir__bench_seed(team->bench);
        double ms;
        if ((status = weir__bench_cancelled(team->bench)) || (status = put(team, seed, one)) ||
            (status = run(team, 1, &ms)))
            return status;
        status = check(team, seed, what);
    }
    return status;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* What consists of blocks goes neither around the ring nor along a tree, whatever a set was made with. */
static int has_way(weir_collective what, weir_algorithm algorithm)
{
    int blocks = what == WEIR_COLLECTIVE_ALL_TO_ALL || what == WEIR_COLLECTIVE_GATHER ||
                 what == WEIR_COLLECTIVE_SCATTER;
    return !blocks || (algorithm != WEIR_ALGORITHM_RING && algorithm != WEIR_ALGORITHM_TREE);
}

/* A row of each way, side by side. */
static weir_status rows_of(struct team *team)
{
    struct bench *bench = team->bench;
    struct team of[ALGORITHMS];
    weir_bench_row rows[ALGORITHMS];
    void *users[ALGORITHMS];
    uint32_t count = 0;
    weir_status status = put(team, weir__bench_seed(bench), 0);
    for (size_t a = 0; a < ALGORITHMS; a++) {
        if (!team->sets[a] || !has_way(team->what, algorithms[a]))
            continue;
        of[count] = *team;
        of[count].set = team->sets[a];
        users[count] = &of[count];
        rows[count++] =
            weir__row_make(bench, QUEUE_NONE, QUEUE_NONE, (double)team->bytes, "%s, %s",
                           weir_collective_name(team->what), weir_algorithm_name(algorithms[a]));
    }
    if (!status)
        status = weir__bench_rows(bench, rows, count, trial, users);
    for (uint32_t r = 0; r < count && !status; r++)
        status = verify(&of[r], rows[r].series);
    return status;
}

static weir_status all_sizes(struct team *team)
{
    struct bench *bench = team->bench;
    uint64_t unit = sizeof(uint64_t) * bench->devices, most = bench->config.bytes / unit * unit;
    weir_status status = WEIR_OK;
    for (uint64_t bytes = LEAST; !status; bytes *= STEP) {
        team->bytes = bytes < most ? bytes / unit * unit : most;
        team->repeats = bytes < LARGE ? REPEATS : REPEATS_OF_LARGE;
        if (team->bytes)
            status = rows_of(team);
        if (bytes >= most)
            break;
    }
    return status;
}

/* A set for each algorithm that is to be had. Their kernels do not run beside each other: a trial waits for its calls. */
static weir_status open_sets(struct team *team)
{
    weir_collectives_config config = WEIR_COLLECTIVES_CONFIG_INIT;
    weir_device *devices[WEIR_DEVICES_MAX];
    struct bench *bench = team->bench;
    weir_status status = WEIR_OK;
    config.resident = 1;
    for (uint32_t i = 0; i < bench->devices; i++)
        devices[i] = weir__bench_device(bench, i);
    for (size_t a = 0; a < ALGORITHMS && !status; a++) {
        config.algorithm = algorithms[a];
        status = weir_collectives_create(bench->context, devices, bench->devices, &config,
                                         &team->sets[a]);
        if (status == WEIR_ERR_UNSUPPORTED &&
            (algorithms[a] == WEIR_ALGORITHM_NCCL || algorithms[a] == WEIR_ALGORITHM_CHANNELS))
            status = WEIR_OK;
    }
    return status;
}

static weir_status open_team(struct team *team, struct region *region, struct bench *bench)
{
    uint32_t devices[WEIR_DEVICES_MAX];
    weir_status status = WEIR_OK;
    memset(team, 0, sizeof *team);
    memset(region, 0, sizeof *region);
    team->bench = bench;
    team->region = region;
    for (uint32_t i = 0; i < bench->devices && !status; i++) {
        devices[i] = i;
        if (!(status = weir__bench_alloc(bench, i, bench->config.bytes, &team->send[i])))
            status = weir__bench_alloc(bench, i, bench->config.bytes, &team->recv[i]);
    }
    return status ? status : weir__region_open(team->region, bench, devices, bench->devices);
}

static void close_team(struct team *team)
{
    for (size_t a = 0; a < ALGORITHMS; a++)
        weir_collectives_destroy(team->sets[a]);
    weir__region_close(team->region);
    weir__bench_settle(team->bench);
    for (uint32_t i = 0; i < team->bench->devices; i++) {
        weir_device_free(weir__bench_device(team->bench, i), team->send[i]);
        weir_device_free(weir__bench_device(team->bench, i), team->recv[i]);
    }
}

weir_status weir__bench_collectives(struct bench *bench)
{
    struct team team;
    struct region region;
    weir_status status;
    weir__bench_describe(bench, "GB/s", 1, "message bytes",
                         "collectives of all devices, calls back to back: bus bandwidth (bytes / "
                         "time; times 2(n-1)/n for all-reduce, 1 for broadcast and reduce, (n-1)/n "
                         "for the others)");
    if (bench->devices < 2)
        return weir__bench_skip(bench, "needs two devices");
    if (!(status = open_team(&team, &region, bench)))
        status = open_sets(&team);
    for (int what = 0; what < WEIR_COLLECTIVE_ALL_TO_ALL_V && !status; what++) {
        team.what = (weir_collective)what;
        status = all_sizes(&team);
    }
    close_team(&team);
    return status;
}
