/** @file numa.c  NUMA nodes and the PCI tree, by hwloc.
 *
 * Read twice at most in a process: the NUMA nodes for every context (a few milliseconds), the PCI
 * tree only when a context has a GPU (it costs several times as much). Both topologies live until
 * the process ends; after loading they are only read, which hwloc allows to any thread. */
#include "runtime/numa.h"

#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NODES_MAX (sizeof((struct weir__numa *)0)->node / sizeof *((struct weir__numa *)0)->node)

/* hwloc, where it has no memory, crashes or leaves parts of the system out, and does not say so. What it
 * takes on a large machine is taken before it is asked, and given back. */
#define HWLOC_BYTES ((size_t)8 << 20)

weir_status weir__numa_check_room(void)
{
    void *room;
    weir_status status = weir__alloc(HWLOC_BYTES, 1, "looking at the system's NUMA nodes", &room);
    free(room);
    return status;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* Components that would ask GPU drivers for what is not used here, at the cost of starting them. */
static const char *const unused[] = {"cuda", "nvml", "opencl", "rsmi", "levelzero", "gl"};

static int set_source(hwloc_topology_t topology, const char *text)
{
    if (!text)
        return 0;
    return *text == '<' ? hwloc_topology_set_xmlbuffer(topology, text, (int)strlen(text) + 1)
                        : hwloc_topology_set_synthetic(topology, text);
}

static int set_filters(hwloc_topology_t topology, int with_pci)
{
    /* Bound threads stay where they are: hwloc would else visit each core to ask it. Packages and
     * groups are what NUMA nodes and PCI devices hang below; without them all are everywhere. */
    if (hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING) ||
        hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE) ||
        hwloc_topology_set_type_filter(topology, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL) ||
        hwloc_topology_set_type_filter(topology, HWLOC_OBJ_GROUP,
                                       HWLOC_TYPE_FILTER_KEEP_STRUCTURE) ||
        hwloc_topology_set_type_filter(topology, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL))
        return -1;
    if (!with_pci)
        return 0;
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++)
        (void)hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
                                            unused[i]); /* fails where there is no such component */
    return hwloc_topology_set_type_filter(topology, HWLOC_OBJ_PCI_DEVICE,
                                          HWLOC_TYPE_FILTER_KEEP_IMPORTANT) ||
           hwloc_topology_set_type_filter(topology, HWLOC_OBJ_BRIDGE,
                                          HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
}

struct hwloc_topology *weir__numa_load(const char *text, int with_pci)
{
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology))
        return NULL;
    if (set_source(topology, text) || set_filters(topology, with_pci) ||
        hwloc_topology_load(topology)) {
        hwloc_topology_destroy(topology);
        return NULL;
    }
    return topology;
}

void weir__numa_unload(struct hwloc_topology *topology)
{
    if (topology)
        hwloc_topology_destroy(topology);
}

/* ---- NUMA nodes ------------------------------------------------------------------------------ */

static void read_nothing(struct weir__numa *numa)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    *numa = (struct weir__numa){.count = 1};
    numa->node[0].cores = weir__cores();
    if (pages > 0 && page > 0)
        numa->node[0].memory_bytes = (uint64_t)pages * (uint64_t)page;
}

static int cores_in(hwloc_topology_t topology, hwloc_const_cpuset_t set)
{
    int cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology, set, HWLOC_OBJ_CORE);
    return cores > 0 ? cores : hwloc_get_nbobjs_inside_cpuset_by_type(topology, set, HWLOC_OBJ_PU);
}

/* The node whose cores run this thread; NULL where that is unknown, as in a topology from text. */
static hwloc_obj_t node_here(hwloc_topology_t topology)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    hwloc_obj_t node = NULL;
    if (set && !hwloc_get_last_cpu_location(topology, set, HWLOC_CPUBIND_THREAD))
        while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)))
            if (hwloc_bitmap_intersects(node->cpuset, set))
                break;
    hwloc_bitmap_free(set);
    return node;
}

/* Memory without cores of its own (of a GPU, on the package, on a card) is no place to be at home;
 * hwloc shows it with the cores of the node it is close to, which are in @p seen by then. */
static void add_node(hwloc_topology_t topology, hwloc_obj_t node, hwloc_bitmap_t seen,
                     struct weir__numa *numa)
{
    int cores = cores_in(topology, node->cpuset);
    if (cores <= 0 || hwloc_bitmap_isincluded(node->cpuset, seen) || numa->count == NODES_MAX)
        return;
    hwloc_bitmap_or(seen, seen, node->cpuset);
    numa->node[numa->count].os_index = node->os_index;
    numa->node[numa->count].cores = (uint32_t)cores;
    numa->node[numa->count++].memory_bytes = node->attr->numanode.local_memory;
}

static void read_nodes(hwloc_topology_t topology, struct weir__numa *numa)
{
    hwloc_bitmap_t seen = hwloc_bitmap_alloc();
    hwloc_obj_t here = node_here(topology), node = NULL;
    if (seen && here)
        add_node(topology, here, seen, numa);
    while (seen && (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)))
        add_node(topology, node, seen, numa);
    hwloc_bitmap_free(seen);
}

void weir__numa_read(struct hwloc_topology *topology, struct weir__numa *numa_out)
{
    memset(numa_out, 0, sizeof *numa_out);
    if (topology)
        read_nodes(topology, numa_out);
    if (!numa_out->count)
        read_nothing(numa_out);
}

/* ---- the PCI tree ---------------------------------------------------------------------------- */

static hwloc_obj_t find_bus(hwloc_topology_t topology, const char *bus)
{
    return topology && *bus ? hwloc_get_pcidev_by_busidstring(topology, bus) : NULL;
}

/* @return a position in `numa`, or its count when unknown. */
static uint32_t position(struct hwloc_topology *topology, const struct weir__numa *numa,
                         const char *bus)
{
    hwloc_obj_t device = find_bus(topology, bus);
    hwloc_obj_t place = device ? hwloc_get_non_io_ancestor_obj(topology, device) : NULL;
    uint32_t n = place ? 0 : numa->count;
    while (n < numa->count && !hwloc_bitmap_isset(place->nodeset, numa->node[n].os_index))
        n++;
    return n;
}

uint32_t weir__numa_find(struct hwloc_topology *topology, const struct weir__numa *numa,
                         const char *bus)
{
    uint32_t n = position(topology, numa, bus);
    return n < numa->count ? n : 0;
}

int32_t weir__numa_find_node(struct hwloc_topology *topology, const struct weir__numa *numa,
                             const char *bus)
{
    uint32_t n = position(topology, numa, bus);
    return n < numa->count ? (int32_t)numa->node[n].os_index : -1;
}

static int is_pci_bridge(hwloc_obj_t object)
{
    return object->type == HWLOC_OBJ_BRIDGE &&
           object->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_PCI;
}

int weir__pci_root_find(struct hwloc_topology *topology, const char *bus, char *root_out,
                        size_t room)
{
    hwloc_obj_t root = NULL, object = find_bus(topology, bus);
    for (; object; object = object->parent)
        if (is_pci_bridge(object))
            root = object;
    if (!root)
        return 0;
    struct hwloc_pcidev_attr_s *pci = &root->attr->bridge.upstream.pci;
    int length = snprintf(root_out, room, "%04x:%02x:%02x.%x", (unsigned)pci->domain, pci->bus,
                          pci->dev, pci->func);
    return length > 0 && (size_t)length < room;
}

/* ---- this system, once a process ------------------------------------------------------------- */

static struct weir__numa system_numa;     /* written in numa_once alone */
static struct hwloc_topology *system_pci; /* written in pci_once alone */
static pthread_once_t numa_once = PTHREAD_ONCE_INIT, pci_once = PTHREAD_ONCE_INIT;

static void read_numa(void)
{
    struct hwloc_topology *topology = weir__numa_load(NULL, 0);
    weir__numa_read(topology, &system_numa);
    weir__numa_unload(topology);
}

static void read_pci(void)
{
    system_pci = weir__numa_load(NULL, 1);
}

void weir__numa_get(struct weir__numa *numa_out)
{
    pthread_once(&numa_once, read_numa);
    *numa_out = system_numa;
}

uint32_t weir__numa_of_bus(const char *bus)
{
    pthread_once(&numa_once, read_numa);
    if (!*bus)
        return 0;
    pthread_once(&pci_once, read_pci);
    return weir__numa_find(system_pci, &system_numa, bus);
}

struct hwloc_topology *weir__numa_system(void)
{
    pthread_once(&pci_once, read_pci);
    return system_pci;
}

int32_t weir__numa_node_of_bus(const char *bus)
{
    pthread_once(&numa_once, read_numa);
    return *bus ? weir__numa_find_node(weir__numa_system(), &system_numa, bus) : -1;
}

int weir__pci_root_of(const char *bus, char *root_out, size_t room)
{
    if (!*bus)
        return 0;
    pthread_once(&pci_once, read_pci);
    return weir__pci_root_find(system_pci, bus, root_out, room);
}
