/** @file target.c  The memories that device 0 works on, by the way that leads to them. */
#include "topology/measure/work.h"

#include <string.h>

/* One bit for each kind of hop. */
#define KIND(kind) (1u << (kind))

/* What a path is made of. A device where no path is known has none. */
struct way {
    uint32_t kinds, hops;
    int switches, hosts; /* whether there are any on the way */
};

static struct way way_of(const weir_machine *machine, uint32_t from, uint32_t to)
{
    struct way way = {0, 0, 0, 0};
    weir_cost cost;
    if (weir_machine_cost(machine, from, to, &cost))
        return way;
    way.hops = cost.hop_count;
    for (uint32_t i = 0; i < cost.hop_count; i++) {
        const weir_hop *hop = weir_machine_hop(machine, cost.hops[i].hop);
        weir_node_kind a = weir_machine_node(machine, hop->a)->kind;
        weir_node_kind b = weir_machine_node(machine, hop->b)->kind;
        way.kinds |= KIND(hop->kind);
        way.switches |= a == WEIR_NODE_SWITCH || b == WEIR_NODE_SWITCH;
        way.hosts |= a == WEIR_NODE_HOST || b == WEIR_NODE_HOST;
    }
    return way;
}

/* The far ways first: a path that comes to another socket is far, whatever else it takes. */
const char *weir__peer_kind(const weir_machine *machine, uint32_t from, uint32_t to)
{
    struct way way = way_of(machine, from, to);
    if (way.kinds & KIND(WEIR_HOP_SOCKET))
        return "other socket";
    if (way.kinds & KIND(WEIR_HOP_MEMORY))
        return "peer in host memory";
    if (way.kinds == KIND(WEIR_HOP_NVLINK))
        return way.switches ? "NVSwitch peer" : "NVLink peer";
    return way.hosts || way.hops > 2 ? "other board" : "same board";
}

/* Whether device 0's kernels can load from and store to the peer's memory. */
static int exchanges(const struct bench *bench, uint32_t peer)
{
    weir_device *mine = weir__bench_device(bench, 0), *theirs = weir__bench_device(bench, peer);
    return weir__is_gpu(bench, 0) == weir__is_gpu(bench, peer) &&
           weir_device_reaches(mine, theirs) && weir_device_reaches(theirs, mine);
}

static int named(const struct target *targets, uint32_t count, const char *what)
{
    while (count > 0)
        if (strcmp(targets[--count].what, what) == 0)
            return 1;
    return 0;
}

/* Atomics of a pair in system scope are for devices: the home memory's have the scope of device 0, as
 * not every bus takes others. */
static struct target make(const struct bench *bench, uint32_t device, const char *what)
{
    int home = device == bench->devices;
    int peer = device != 0 && !home;
    int native = weir_machine_pair(bench->machine, 0, device)->atomics;
    return (struct target){what, device, !peer || native, peer};
}

uint32_t weir__peers_find(const struct bench *bench, struct target *peers)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < bench->devices && count < PEERS_MAX; i++) {
        const char *what = weir__peer_kind(bench->machine, 0, i);
        if (exchanges(bench, i) && !named(peers, count, what))
            peers[count++] = make(bench, i, what);
    }
    return count;
}

uint32_t weir__targets_find(const struct bench *bench, struct target targets[TARGETS_MAX])
{
    targets[0] = make(bench, 0, "own memory");
    uint32_t count = 1 + weir__peers_find(bench, targets + 1);
    targets[count++] = make(bench, bench->devices, "home memory");
    return count;
}
