/** @file near.c  Threads and page-locked memory near the GPU that they serve, by hwloc.
 *
 * On a machine of several NUMA nodes a copy between a GPU and the memory of another node crosses the link
 * between the sockets, and a thread there learns later of what the GPU did. All of this is a hint: where the
 * system does not tell, or does not let us, things stay where it puts them. */
#include "runtime/near.h"

#include "runtime/numa.h"

#include <hwloc.h>

static _Atomic uint32_t
    pretended; /* nodes, for tests; relaxed: tests set it before they open a context */
static _Thread_local int32_t here = -1;

void weir__near_pretend(uint32_t nodes)
{
    atomic_store_explicit(&pretended, nodes, memory_order_relaxed);
}

int32_t weir__near_here(void)
{
    return here;
}

weir_status weir__near_find(weir_device *device)
{
    const uint32_t nodes = atomic_load_explicit(&pretended, memory_order_relaxed);
    weir__device_facts facts;
    weir_status status;
    device->info.numa_node = nodes ? (int32_t)(device->info.index % nodes) : -1;
    weir__device_facts_get(device, &facts);
    if (!*facts.bus)
        return WEIR_OK;
    if (!(status = weir__numa_check_room()))
        device->info.numa_node = weir__numa_node_of_bus(facts.bus);
    return status;
}

int32_t weir__near_node(const weir_device *device)
{
    const weir_config *config = weir_context_config(device->context);
    return weir__config_get(config, WEIR__NUMA) == 0 ? device->info.numa_node : -1;
}

static hwloc_obj_t find_node(int32_t node)
{
    hwloc_topology_t topology = node < 0 ? NULL : weir__numa_system();
    return topology ? hwloc_get_numanode_obj_by_os_index(topology, (unsigned)node) : NULL;
}

/* A program, or who started it, may have bound it to some cores: then only to those of them that are near. */
static int bind_to(hwloc_const_cpuset_t cores)
{
    hwloc_topology_t topology = weir__numa_system();
    hwloc_bitmap_t mine = hwloc_bitmap_alloc();
    int bound = 0;
    if (mine && !hwloc_get_cpubind(topology, mine, HWLOC_CPUBIND_THREAD) &&
        hwloc_bitmap_intersects(mine, cores) && !hwloc_bitmap_and(mine, mine, cores))
        bound = !hwloc_set_cpubind(topology, mine, HWLOC_CPUBIND_THREAD);
    hwloc_bitmap_free(mine);
    return bound;
}

void weir__near_thread(const weir_device *device)
{
    hwloc_obj_t node = find_node(weir__near_node(device));
    if (node && bind_to(node->cpuset))
        here = (int32_t)node->os_index;
}

void weir__near_enter(int32_t node_number, struct weir__near *before_out)
{
    hwloc_obj_t node = find_node(node_number);
    hwloc_bitmap_t nodes = node ? hwloc_bitmap_alloc() : NULL;
    hwloc_membind_policy_t policy;
    *before_out = (struct weir__near){.nodes = NULL};
    if (!nodes)
        return;
    /* Not strictly: memory of another node is better than none. */
    if (hwloc_get_membind(weir__numa_system(), nodes, &policy,
                          HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET) ||
        hwloc_set_membind(weir__numa_system(), node->nodeset, HWLOC_MEMBIND_BIND,
                          HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET)) {
        hwloc_bitmap_free(nodes);
        return;
    }
    *before_out = (struct weir__near){.nodes = nodes, .policy = (int)policy};
}

void weir__near_leave(struct weir__near *before)
{
    hwloc_membind_policy_t policy = (hwloc_membind_policy_t)before->policy;
    if (!before->nodes)
        return;
    /* hwloc calls the system's default so, too, and would set something else in its place. */
    if (policy == HWLOC_MEMBIND_FIRSTTOUCH)
        policy = HWLOC_MEMBIND_DEFAULT;
    (void)hwloc_set_membind(weir__numa_system(), before->nodes, policy,
                            HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET);
    hwloc_bitmap_free(before->nodes);
    before->nodes = NULL;
}
