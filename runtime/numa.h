/** @file numa.h  NUMA nodes and the PCI tree from hwloc: for topology, which makes a machine of them, and for near.c,
 * which places threads and memory. */
#ifndef WEIR_RUNTIME_NUMA_H
#define WEIR_RUNTIME_NUMA_H

#include "runtime/internal.h"

struct hwloc_topology;

/** NUMA nodes and the PCI tree by hwloc, read once a process. */
struct weir__numa {
    uint32_t count;
    struct {
        uint32_t os_index, cores;
        uint64_t memory_bytes;
    } node[64];
};
/** Whether hwloc has the memory to read all that: to be asked before the calls below, which do not fail. */
weir_status weir__numa_check_room(void);
/** Never fails: a system that tells nothing has one node with all cores and all memory. */
void weir__numa_get(struct weir__numa *numa_out);
/** The NUMA node (position in weir__numa) next to a PCI device; 0 when unknown. */
uint32_t weir__numa_of_bus(const char *bus);
/** The PCI bus id of the root port above a PCI device: devices with the same one share a link to the
 *  host. @return 0 when unknown. */
int weir__pci_root_of(const char *bus, char *root_out, size_t room);

/** This system with its PCI tree, which lives until the process ends; NULL when hwloc fails. */
struct hwloc_topology *weir__numa_system(void);
/** The system's number of the NUMA node next to a PCI device; -1 when unknown. */
int32_t weir__numa_node_of_bus(const char *bus);

/** Load what hwloc knows, with PCI devices or (six times as fast) without.
 *  @param[in] text  NULL: this system; else hwloc's XML or synthetic text, for tests.
 *  @return NULL when hwloc fails. */
struct hwloc_topology *weir__numa_load(const char *text, int with_pci);
void weir__numa_unload(struct hwloc_topology *topology); /**< NULL is fine */

/** What weir__numa_get(), weir__numa_of_bus() and weir__pci_root_of() say, of a given topology;
 *  NULL stands for a system that tells nothing. */
void weir__numa_read(struct hwloc_topology *topology, struct weir__numa *numa_out);
uint32_t weir__numa_find(struct hwloc_topology *topology, const struct weir__numa *numa,
                         const char *bus);
/** As weir__numa_node_of_bus() says. */
int32_t weir__numa_find_node(struct hwloc_topology *topology, const struct weir__numa *numa,
                             const char *bus);
int weir__pci_root_find(struct hwloc_topology *topology, const char *bus, char *root_out,
                        size_t room);

#endif
