/** @file numa.h  Reading NUMA nodes and the PCI tree from hwloc. Included in topology/ only. */
#ifndef WEIR_TOPOLOGY_NUMA_H
#define WEIR_TOPOLOGY_NUMA_H

#include "topology/machine.h"

struct hwloc_topology;

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
int weir__pci_root_find(struct hwloc_topology *topology, const char *bus, char *root_out,
                        size_t room);

#endif
