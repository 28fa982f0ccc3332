/** @file target.c  The memories that device 0 works on, by the way that leads to them. */
#include "topology/measure/work.h"

#include <string.h>

/* What the path to a peer is made of: one bit for each kind of hop, and one for a host on the way. */
#define KIND(kind) (1u << (kind))
#define HOST       KIND(16)

static uint32_t way_to(const weir_machine *machine, uint32_t peer)
{
    weir_cost cost;
    uint32_t way = 0;
    if (weir_machine_cost(machine, 0, peer, &cost))
        return HOST;
    for (uint32_t i = 0; i < cost.hop_count; i++) {
        const weir_hop *hop = weir_machine_hop(machine, cost.hops[i].hop);
        way |= KIND(hop->kind);
        if (weir_machine_node(machine, hop->a)->kind == WEIR_NODE_HOST ||
            weir_machine_node(machine, hop->b)->kind == WEIR_NODE_HOST)
            way |= HOST;
    }
    return way;
}

/* The far ways first: NVLink to a neighbour and on over a socket is far. */
static const char *name_of(uint32_t way)
{
    if (way & KIND(WEIR_HOP_SOCKET))
        return "peer across sockets";
    if (way & KIND(WEIR_HOP_MEMORY))
        return "peer in host memory";
    if (way & HOST)
        return "peer across the host";
    return way & KIND(WEIR_HOP_NVLINK) ? "NVLink peer" : "PCIe peer";
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
        const char *what = name_of(way_to(bench->machine, i));
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
