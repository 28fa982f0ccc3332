/** @file machine.h  What a machine is inside. Included in topology/ only. */
#ifndef WEIR_TOPOLOGY_MACHINE_H
#define WEIR_TOPOLOGY_MACHINE_H

#include "runtime/internal.h"
#include "topology/topology.h"

#include <stdio.h>

struct weir_machine {
    char name[64];
    char source[128]; /* "discovered", "spec 8*nvswitch", "file m60.json" */
    uint32_t devices, hosts, nodes, hops;
    weir_node node[WEIR_MACHINE_NODES_MAX]; /* devices, then hosts, then switches */
    weir_hop *hop;                          /* `hops` of them */
    weir_pair *pair;                        /* (devices + 1)^2, row = from; the last is home */
    weir_cost *cost;                        /* the same shape; made by weir__machine_finish() */
    weir_overheads overheads;
};

/* ---- machine.c: making one. Makers call create, then the setters, then finish. ---------------- */

/** A machine with @p devices devices, @p hosts hosts (at least 1) and @p switches switches, without
 *  hops; labels are set ("gpu0" with @p prefix "gpu", "numa0", "switch0"), nothing else. Pairs do not
 *  reach each other but those with home, and each device itself.
 *  @retval WEIR_ERR_INVALID  too many, or no device and no host. */
weir_status weir__machine_create(const char *name, const char *prefix, uint32_t devices,
                                 uint32_t hosts, uint32_t switches, weir_machine **machine_out);
/** Add a hop; numbers are ordered, bandwidth 0 takes weir__hop_gbs(), latency 0 the kind's usual.
 *  @retval WEIR_ERR_INVALID  no such nodes, one node twice, or WEIR_MACHINE_HOPS_MAX reached. */
weir_status weir__machine_add_hop(weir_machine *machine, weir_hop hop);
static inline weir_pair *weir__machine_pair(weir_machine *machine, uint32_t from, uint32_t to)
{
    return &machine->pair[(size_t)from * (machine->devices + 1) + to];
}
/** Both directions of both devices reach each other, with native atomics or without. */
void weir__machine_connect(weir_machine *machine, uint32_t a, uint32_t b, int atomics);
/** Fill in unknown overheads, find all paths. A maker's last step; the machine is immutable after it.
 *  @retval WEIR_ERR_INVALID  a device has no way to the home memory. */
weir_status weir__machine_finish(weir_machine *machine);
/** A copy that may be changed and finished again. */
weir_status weir__machine_copy(const weir_machine *machine, weir_machine **copy_out);
/** The machine of its first @p count devices (1 to all of them) with all hosts and switches; finished. */
weir_status weir__machine_first(const weir_machine *machine, uint32_t count,
                                weir_machine **first_out);
/** What @p count links of this kind and generation move in one direction, GB/s, as measured on real
 *  ones rather than as printed on the box; 0 generation or count: the commonest. */
double weir__hop_gbs(weir_hop_kind kind, uint32_t generation, uint32_t count);

/* ---- path.c ----------------------------------------------------------------------------------- */

/** Fill machine->cost for every ordered pair. */
weir_status weir__machine_find_paths(weir_machine *machine);

/** What @p put prints, as a string. Its numbers have decimal points, whatever the locale is.
 *  @param[out] text_out  freed with free(). */
weir_status weir__machine_text(const weir_machine *machine,
                               void (*put)(FILE *out, const weir_machine *machine),
                               char **text_out);

/* ---- machine_spec.c, machine_json.c, machine_shipped.c ------------------------------------------ */

/** @retval WEIR_ERR_INVALID  not a spec; the sentence says where and why. */
weir_status weir__machine_from_spec(const char *spec, weir_machine **machine_out);
/** @param[in] path  for messages. */
weir_status weir__machine_from_json(const char *path, const char *text, size_t bytes,
                                    weir_machine **machine_out);
/** @return 0 when @p name is no shipped machine's, else 1; then @p status_out says how it went. */
int weir__machine_from_name(const char *name, weir_machine **machine_out, weir_status *status_out);

/* ---- discovery (discover.c, nvml.c) --------------------------------------------------------------- */

weir_status weir__machine_discover(weir_context *context, weir_machine **machine_out);

/** NVLinks of the GPU with this PCI bus id, by NVML; all zero where NVML is absent or has none. */
struct weir__nvlinks {
    uint32_t generation;
    uint32_t to_switch; /* links that end at an NVSwitch */
    uint32_t peer_count;
    struct {
        char bus[16]; /* the GPU at the other end, lower case, "0000:1b:00.0" */
        uint32_t links;
    } peer[WEIR_DEVICES_MAX];
    uint32_t pcie_generation, pcie_lanes; /* of its PCIe link at its best; 0 unknown */
};
void weir__nvml_links(const char *bus, struct weir__nvlinks *links_out);

#endif
