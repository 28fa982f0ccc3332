/** @file topology.h  Machines, routes over them, and measurements of them.
 *
 * A *machine* says what a node is made of: devices, host memory and switches (*nodes*), and what
 * joins them (*hops*). It is discovered from a context, read from a JSON file, or built from a short
 * text; all three give the same object. From it follow the *cost* of moving data between two
 * devices, and *route plans*: for an item that is at one device and belongs to another, the device it
 * goes to next. Routers and worklists follow a plan; they do not know how it was made. A machine that
 * nobody here owns can be *simulated*: host devices whose copies cost virtual time.
 *
 * Units: bandwidth GB/s (10^9 bytes a second) in one direction, latency and overheads microseconds;
 * larger bandwidth and smaller latency are better. 0 means unknown.
 * Threads: a machine is immutable once made and may be read by any thread; plans, costs and tables
 * are plain values. Nothing here blocks but discovery, measuring and benchmarks. */
#ifndef WEIR_TOPOLOGY_TOPOLOGY_H
#define WEIR_TOPOLOGY_TOPOLOGY_H

#include "runtime/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- machines ----------------------------------------------------------------------------- */

#define WEIR_MACHINE_NODES_MAX 256  /**< devices, hosts and switches of one machine */
#define WEIR_MACHINE_HOPS_MAX  4096 /**< hops of one machine */
#define WEIR_PATH_HOPS_MAX     16   /**< hops of one path; twice as many when staged */

typedef struct weir_machine weir_machine; /**< immutable; long-lived */

/** What a node of a machine is. */
typedef enum weir_node_kind {
    WEIR_NODE_DEVICE = 0, /**< a GPU or a host device: where routes start and end */
    WEIR_NODE_HOST,       /**< a NUMA node: cores and their memory */
    WEIR_NODE_SWITCH      /**< forwards only: a PCIe switch or an NVSwitch */
} weir_node_kind;

/** What joins two nodes. Devices of a machine are its first nodes, in order; then come its hosts,
 *  then its switches. Host 0 is the one whose memory the program lives in (its "home"). */
typedef struct weir_node {
    weir_node_kind kind;
    char name[64];         /**< "NVIDIA H200", "NUMA node 0", "PCIe switch" */
    char label[16];        /**< unique in the machine: "gpu0", "numa0", "switch0" */
    char bus[16];          /**< PCI bus id, "0000:1b:00.0"; "" unknown */
    uint32_t units;        /**< multiprocessors, or cores */
    uint32_t copy_engines; /**< of a GPU */
    uint64_t memory_bytes;
    double memory_gbs; /**< its own memory, bytes read plus bytes written by a copy kernel */
    double
        arc_ns; /**< of a device: looking along an arc of a wide level of a search, nanoseconds; 0: unknown */
    double
        entry_ns; /**< and for each entry of such a level beside its arcs: a row, or up to 256 arcs of one */
    double
        find_ns; /**< and for each vertex that the level is expected to find beside the arcs to it */
} weir_node;

/** What a hop is made of. */
typedef enum weir_hop_kind {
    WEIR_HOP_NVLINK = 0,
    WEIR_HOP_PCIE,
    WEIR_HOP_SOCKET, /**< between the sockets of a host: QPI, UPI, Infinity Fabric */
    WEIR_HOP_MEMORY  /**< a device that lies in a host's memory */
} weir_hop_kind;

/** A connection between two nodes; both directions exist, each with the whole bandwidth. */
typedef struct weir_hop {
    weir_hop_kind kind;
    uint32_t a, b;        /**< node numbers, a < b */
    uint32_t generation;  /**< of NVLink or PCIe; 0 unknown */
    uint32_t count;       /**< NVLinks or PCIe lanes; 0 unknown */
    double bandwidth_gbs; /**< each direction; greater than 0 */
    double latency_us;
} weir_hop;

/** What is known of an ordered pair of devices beside the hops between them. The number
 *  weir_machine_device_count() stands for the home memory. */
typedef struct weir_pair {
    int reaches; /**< a copy goes straight: peer access was verified, or one end is the host */
    int atomics; /**< native atomics on the other's memory */
    double bandwidth_gbs; /**< measured; 0: not measured, the path's hops decide */
    double latency_us;    /**< measured; 0: not measured */
} weir_pair;

/** Overheads of the machine, in microseconds; what a simulation charges beside the hops. */
typedef struct weir_overheads {
    double copy_us;   /**< to start one copy by a copy engine */
    double push_us;   /**< to start one copy by a kernel's stores */
    double launch_us; /**< to start one kernel */
} weir_overheads;

/** The machine of a context: discovered at the first call (CUDA, NVML and hwloc are asked, peer access
 *  is the verified one), then kept; a simulated context gives the machine it was made from. Where the tunable `machine` names
 *  one, the context's devices are those of it that have their buses (where it tells none: those of their numbers), with the
 *  figures measured there.
 *  @param[out] machine_out  owned by the context.
 *  @retval WEIR_ERR_INVALID  that machine does not have a device, or another one reaches another there than here.
 *  @return also as weir_machine_open().
 *  @par Blocks  the first time, for up to a second. */
weir_status weir_machine_of(weir_context *context, const weir_machine **machine_out);

/** A machine from a file, a shipped name, or a spec, whichever @p text is; see
 *  docs/machines.md for the file's format and the grammar.
 *
 *     "8*nvswitch"  "2x4*pcie-tree"  "dgx1v"  "2*pcie,hetero"  "./recorded.json"
 *
 *  @retval WEIR_ERR_INVALID  neither a file nor a spec. @retval WEIR_ERR_FORMAT  a broken file;
 *  the sentence names file, line and cause. @retval WEIR_ERR_IO  the file cannot be read. */
weir_status weir_machine_open(const char *text, weir_machine **machine_out);

/** The machine as JSON text; weir_machine_open() of a file that holds it gives an equal machine.
 *  @param[out] text_out  freed by the caller with free(). */
weir_status weir_machine_json(const weir_machine *machine, char **text_out);
/** The machine as a graph for Graphviz's dot. @param[out] text_out  freed with free(). */
weir_status weir_machine_dot(const weir_machine *machine, char **text_out);
/** Of weir_machine_open() and weir_machine_measure(); NULL is fine. */
void weir_machine_destroy(weir_machine *machine);

/** Names that ship with weir, with one line each. @return how many; either may be NULL. */
size_t weir_machine_shipped(const char *const **names_out, const char *const **texts_out);

/** "H200 node"; where it came from. Owned by the machine. */
const char *weir_machine_name(const weir_machine *machine);
/** How many devices the machine has; they are its first nodes. */
uint32_t weir_machine_device_count(const weir_machine *machine);
/** How many NUMA nodes it has, at least 1. */
uint32_t weir_machine_host_count(const weir_machine *machine);
/** How many nodes it has in all. */
uint32_t weir_machine_node_count(const weir_machine *machine);
/** How many hops it has. */
uint32_t weir_machine_hop_count(const weir_machine *machine);
/** NULL when out of range. */
const weir_node *weir_machine_node(const weir_machine *machine, uint32_t index);
/** NULL when out of range. Owned by the machine. */
const weir_hop *weir_machine_hop(const weir_machine *machine, uint32_t index);
/** @p from, @p to: devices, or weir_machine_device_count() for the home memory. NULL out of range. */
const weir_pair *weir_machine_pair(const weir_machine *machine, uint32_t from, uint32_t to);
/** What operations cost there besides their bytes. */
weir_overheads weir_machine_overheads(const weir_machine *machine);
/** "nvlink", "pcie", "socket", "memory"; NULL for anything else. Static storage. */
const char *weir_hop_kind_text(weir_hop_kind kind);

/** What it costs to move data from one device to another. */
typedef struct weir_cost {
    double latency_us;    /**< of the first byte */
    double bandwidth_gbs; /**< of a long transfer in packets that has every hop to itself */
    /** The pair does not reach: two copies, through the home memory. Those of different packets
     *  overlap; a message in one piece gets half of the bandwidth, or less. */
    int staged;
    uint32_t hop_count;
    struct {
        uint16_t hop;     /**< a weir_hop's number */
        uint8_t backward; /**< from b to a */
    } hops[2 * WEIR_PATH_HOPS_MAX];
} weir_cost;

/** Cost between devices (weir_machine_device_count(): the home memory). To itself: half the memory's
 *  own bandwidth, as a copy reads and writes; no hops. Else over NVLinks alone where those join the
 *  two, or over hosts and switches: the widest path, then the one of the least latency; a device
 *  never forwards. Measured pairs override bandwidth and latency.
 *  @retval WEIR_ERR_INVALID  no such device. */
weir_status weir_machine_cost(const weir_machine *machine, uint32_t from, uint32_t to,
                              weir_cost *cost_out);

/** A transfer that runs at the same time as others. */
typedef struct weir_flow {
    uint32_t from, to;
    double gbs; /**< filled in: its share */
} weir_flow;
/** What each of @p count simultaneous transfers gets where they share hops: max-min fair (no
 *  transfer can get more without one that has less losing). A hop's directions do not disturb each
 *  other. Transfers within a device share its memory. A pair that was measured far above what its hops
 *  carry (1.25 times) must go another way: its own figure is all that limits it. Infinity: nothing is
 *  known to limit it. */
weir_status weir_machine_share(const weir_machine *machine, weir_flow *flows, size_t count);

/* ---- routes ------------------------------------------------------------------------------- */

/** How data between devices is routed. */
typedef enum weir_route_kind {
    WEIR_ROUTE_AUTO = 0, /**< the cheapest for an exchange between all; `why` says so */
    WEIR_ROUTE_DIRECT,   /**< every device sends to every other, one hop */
    WEIR_ROUTE_RING,     /**< to the next one, up to n-1 hops (Groute 4.3), over the best ring */
    WEIR_ROUTE_TREE,     /**< along a widest spanning tree */
    WEIR_ROUTE_STAGED    /**< one hop, always through the home memory (Groute 2.1, indirect copy) */
} weir_route_kind;

/** Where each device sends next for each destination; a plain value. */
typedef struct weir_route_plan {
    weir_route_kind kind; /**< what was chosen, never WEIR_ROUTE_AUTO */
    uint32_t devices;
    /** next[at][to]: the device that an item at `at` for `to` is sent to; next[d][d] == d. */
    uint8_t next[WEIR_DEVICES_MAX][WEIR_DEVICES_MAX];
    /** Ring: order[i] sends to order[i+1], around the end. Others: 0, 1, 2, ... */
    uint8_t order[WEIR_DEVICES_MAX];
    /** Tree: the device above; the root's is itself. Others: every device's own number. */
    uint8_t parent[WEIR_DEVICES_MAX];
    /** Estimated time in which every device sends WEIR_PLAN_BYTES to every other. */
    double exchange_us;
    char why[192]; /**< one sentence on why this kind was chosen */
} weir_route_plan;
/** The bytes of an exchange by which weir_route_plan_make() estimates. */
#define WEIR_PLAN_BYTES (1u << 20)

/** Plan routes over all devices of a machine; it leads everywhere in at most devices - 1 hops.
 *  The same machine and kind give the same plan.
 *  @retval WEIR_ERR_INVALID  @p kind is no weir_route_kind. */
weir_status weir_route_plan_make(const weir_machine *machine, weir_route_kind kind,
                                 weir_route_plan *plan_out);
/** The same over some devices of a machine, in this order, as if there were no others: the plan's device i is @p devices[i].
 *  @param[in] devices  @p count of them, none twice. @retval WEIR_ERR_INVALID  also: one twice, none, or no such device. */
weir_status weir_route_plan_make_over(const weir_machine *machine, const uint32_t *devices,
                                      uint32_t count, weir_route_kind kind,
                                      weir_route_plan *plan_out);
/** The same over the first @p devices devices of a machine, as if there were no others.
 *  @retval WEIR_ERR_INVALID  also: no device, or more than there are. */
weir_status weir_route_plan_make_first(const weir_machine *machine, uint32_t devices,
                                       weir_route_kind kind, weir_route_plan *plan_out);

/** A direct plan in which pairs that do not reach each other go over a third device that both reach, where that makes an
 *  exchange between all shorter than staging them: next[from][to] is that device, and from there it is one step. Which
 *  one, is for all pairs together to say, as they share links. Pairs that reach each other go straight. Collectives
 *  take it (router/collective.h); `why` says how many pairs are relayed, and what an exchange takes without. */
weir_status weir_route_plan_make_relayed(const weir_machine *machine, weir_route_plan *plan_out);

/** "auto", "direct", "ring", "tree", "staged"; NULL for anything else. Static storage. */
const char *weir_route_kind_text(weir_route_kind kind);

/** In which order devices leave when fewer take part, and who takes over what they own: GUM's
 *  reduction tree (section IV-A, Figure 4b). Those that stay have the largest aggregated bandwidth. */
typedef struct weir_reduction {
    uint32_t devices;
    uint8_t leaves[WEIR_DEVICES_MAX]; /**< leaves[0] goes first; leaves[devices-1] never */
    uint8_t taker[WEIR_DEVICES_MAX];  /**< taker[d]: who takes d's work when d leaves */
    /** kept_gbs[m]: sum of the bandwidths between the m that stay, both directions; a staged pair counts
     * half, as its bytes are copied twice. */
    double kept_gbs[WEIR_DEVICES_MAX + 1];
} weir_reduction;
/** Plan who leaves when fewer devices go on. @retval WEIR_ERR_INVALID  too many devices. */
weir_status weir_reduction_make(const weir_machine *machine, weir_reduction *reduction_out);
/** The owner of device @p device's work when @p count devices take part (1 to devices). */
uint32_t weir_reduction_owner(const weir_reduction *reduction, uint32_t count, uint32_t device);

/* ---- simulation --------------------------------------------------------------------------- */

/** A context of host devices, one for each device of the machine, whose copies cost virtual time:
 *  latency, bandwidth, and the share of hops that other copies use at the same time. Bytes really
 *  move and kernels really run; a kernel costs its launch and nothing else. Virtual time goes on
 *  only while a call waits (sync, event_wait, a query), never with the wall clock: a program that
 *  drives the context from one thread gets the same times in every run. Labels are "sim:0", ...
 *  @param[in] machine  copied. @param[in] config  as weir_context_create(). */
weir_status weir_machine_simulate(const weir_machine *machine, const weir_config *config,
                                  weir_context **context_out);

#ifdef __cplusplus
}
#endif
#endif
