/** @file topo_table.c  A machine for people: what it is made of, and what moving data costs. */
#include "algorithms/cli/result.h"

#include <inttypes.h>
#include <string.h>

enum { NAME_ROOM = 64 };

/* ---- nodes ---- */

static const char *memory_text(uint64_t bytes, char room[FIGURE_ROOM])
{
    double gib = (double)bytes / (1 << 30);
    if (bytes)
        snprintf(room, FIGURE_ROOM, gib < 10 ? "%.1f GiB" : "%.0f GiB", gib);
    return bytes ? room : "-";
}

static const char *count_text(uint32_t count, char room[FIGURE_ROOM])
{
    if (count)
        snprintf(room, FIGURE_ROOM, "%" PRIu32, count);
    return count ? room : "-";
}

static const char *gbs_text(double gbs, char room[FIGURE_ROOM])
{
    return gbs > 0 ? weir__cli_figure(gbs, room) : "-";
}

static int name_width(const weir_machine *machine, uint32_t first, uint32_t end)
{
    size_t width = 4;
    for (uint32_t i = first; i < end; i++) {
        size_t length = strlen(weir_machine_node(machine, i)->name); /* cleaning adds no bytes */
        width = length > width ? length : width;
    }
    return (int)width;
}

/* Find the host next to a device: the first one on its path to the home memory, or the only one. */
static const char *numa_of(const weir_machine *machine, uint32_t device)
{
    uint32_t devices = weir_machine_device_count(machine);
    weir_cost cost;
    if (weir_machine_cost(machine, device, devices, &cost))
        return "-";
    for (uint32_t i = 0; i < cost.hop_count; i++) {
        const weir_hop *hop = weir_machine_hop(machine, cost.hops[i].hop);
        const weir_node *end =
            hop ? weir_machine_node(machine, cost.hops[i].backward ? hop->a : hop->b) : NULL;
        if (end && end->kind == WEIR_NODE_HOST)
            return end->label;
    }
    return "-";
}

/* A label consists of letters, digits and few other characters, but a name may be any text of a file. */
static const char *name_of(const weir_node *node, char room[NAME_ROOM])
{
    return weir__cli_cleaned(node->name, room, NAME_ROOM);
}

static void print_devices(const weir_machine *machine, FILE *file)
{
    uint32_t devices = weir_machine_device_count(machine);
    int width = name_width(machine, 0, devices);
    char units[FIGURE_ROOM], memory[FIGURE_ROOM], engines[FIGURE_ROOM], gbs[FIGURE_ROOM];
    char name[NAME_ROOM], bus[FIGURE_ROOM];
    fprintf(file, "\ndevices (units: multiprocessors or cores; memory GB/s: read plus written)\n");
    fprintf(file, "  %-8s  %-*s  %5s  %9s  %11s  %12s  %-12s  %s\n", "label", width, "name",
            "units", "memory", "memory GB/s", "copy engines", "bus", "NUMA");
    for (uint32_t i = 0; i < devices; i++) {
        const weir_node *node = weir_machine_node(machine, i);
        fprintf(file, "  %-8s  %-*s  %5s  %9s  %11s  %12s  %-12s  %s\n", node->label, width,
                name_of(node, name), count_text(node->units, units),
                memory_text(node->memory_bytes, memory), gbs_text(node->memory_gbs, gbs),
                count_text(node->copy_engines, engines),
                *node->bus ? weir__cli_cleaned(node->bus, bus, sizeof bus) : "-",
                numa_of(machine, i));
    }
}

static void print_hosts(const weir_machine *machine, FILE *file)
{
    uint32_t first = weir_machine_device_count(machine);
    uint32_t end = first + weir_machine_host_count(machine);
    int width = name_width(machine, first, end);
    char units[FIGURE_ROOM], memory[FIGURE_ROOM], name[NAME_ROOM];
    fprintf(file, "\nhosts (NUMA nodes; the first one's memory is \"home\")\n");
    fprintf(file, "  %-8s  %-*s  %5s  %9s\n", "label", width, "name", "cores", "memory");
    for (uint32_t i = first; i < end; i++) {
        const weir_node *node = weir_machine_node(machine, i);
        fprintf(file, "  %-8s  %-*s  %5s  %9s\n", node->label, width, name_of(node, name),
                count_text(node->units, units), memory_text(node->memory_bytes, memory));
    }
}

void weir__cli_topo_pools(const weir_context *context, FILE *file)
{
    const uint32_t count = weir_context_device_count(context);
    uint64_t asked = 0;
    char bound[FIGURE_ROOM];
    (void)weir_config_number(weir_context_config(context), "pool_bytes", &asked);
    fprintf(file, "\npools (bytes that a run may take; %s)\n",
            asked ? "by WEIR_POOL_BYTES" : "what there is, less a reserve: WEIR_POOL_BYTES is 0");
    fprintf(file, "  %-8s  %9s  %s\n", "device", "bound", "shared by");
    for (uint32_t i = 0; i <= count; i++) {
        const weir_device *device =
            i < count ? weir_context_device(context, i) : weir_context_home(context);
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_pool_stats pool = WEIR_POOL_STATS_INIT;
        weir_device_info_get(device, &info);
        weir_device_pool_stats(device, &pool);
        fprintf(file, "  %-8s  %9s", info.label, memory_text(pool.bound_bytes, bound));
        if (pool.sharing > 1)
            fprintf(file, "  %" PRIu64 " pools\n", pool.sharing);
        else
            fprintf(file, "  -\n");
    }
}

/* ---- hops ---- */

static void print_hops(const weir_machine *machine, FILE *file)
{
    uint32_t count = weir_machine_hop_count(machine);
    char links[FIGURE_ROOM], generation[FIGURE_ROOM], gbs[FIGURE_ROOM], us[FIGURE_ROOM];
    if (!count)
        return;
    fprintf(file, "\nhops (GB/s in each direction; links or lanes)\n");
    fprintf(file, "  %-9s  %-9s  %-7s  %10s  %5s  %8s  %8s\n", "between", "and", "kind",
            "generation", "links", "GB/s", "us");
    for (uint32_t i = 0; i < count; i++) {
        const weir_hop *hop = weir_machine_hop(machine, i);
        fprintf(file, "  %-9s  %-9s  %-7s  %10s  %5s  %8s  %8s\n",
                weir_machine_node(machine, hop->a)->label,
                weir_machine_node(machine, hop->b)->label, weir_hop_kind_text(hop->kind),
                count_text(hop->generation, generation), count_text(hop->count, links),
                weir__cli_figure(hop->bandwidth_gbs, gbs), weir__cli_figure(hop->latency_us, us));
    }
}

/* ---- matrices ---- */

static const char *end_label(void *user, uint32_t index)
{
    const weir_machine *machine = user;
    return index < weir_machine_device_count(machine) ? weir_machine_node(machine, index)->label
                                                      : "home";
}

static const char *bandwidth_text(void *user, uint32_t from, uint32_t to, char room[FIGURE_ROOM])
{
    weir_cost cost;
    if (weir_machine_cost(user, from, to, &cost) || !(cost.bandwidth_gbs > 0))
        return "-";
    weir__cli_figure(cost.bandwidth_gbs, room);
    return cost.staged ? strcat(room, "*") : room;
}

static const char *latency_text(void *user, uint32_t from, uint32_t to, char room[FIGURE_ROOM])
{
    weir_cost cost;
    if (from == to || weir_machine_cost(user, from, to, &cost))
        return "-";
    weir__cli_figure(cost.latency_us, room);
    return cost.staged ? strcat(room, "*") : room;
}

static const char *access_text(void *user, uint32_t from, uint32_t to, char room[FIGURE_ROOM])
{
    const weir_pair *pair = weir_machine_pair(user, from, to);
    (void)room;
    if (from == to)
        return "-";
    return !pair->reaches ? "staged" : pair->atomics ? "atomics" : "peer";
}

int weir__cli_any_staged(const weir_machine *machine)
{
    uint32_t devices = weir_machine_device_count(machine);
    for (uint32_t from = 0; from < devices; from++)
        for (uint32_t to = 0; to < devices; to++)
            if (from != to && !weir_machine_pair(machine, from, to)->reaches)
                return 1;
    return 0;
}

static void print_matrices(const weir_machine *machine, FILE *file)
{
    uint32_t devices = weir_machine_device_count(machine);
    weir__cli_matrix matrix = {devices + 1, devices + 1, end_label,
                               end_label,   NULL,        (void *)(uintptr_t)machine};
    fprintf(file, "\nbandwidth, GB/s, from row to column (on the diagonal: within)\n");
    if (weir__cli_any_staged(machine))
        fprintf(file, "  * staged through home, in packets; a whole message gets half\n");
    matrix.cell = bandwidth_text;
    weir__cli_matrix_print(file, &matrix, "from \\ to");
    fprintf(file, "\nlatency of the first byte, us, from row to column (* staged through home)\n");
    matrix.cell = latency_text;
    weir__cli_matrix_print(file, &matrix, "from \\ to");
    if (devices < 2)
        return;
    fprintf(file, "\naccess from row to column (peer: copies go straight; atomics: so do native "
                  "atomics)\n");
    matrix.rows = matrix.columns = devices;
    matrix.cell = access_text;
    weir__cli_matrix_print(file, &matrix, "from \\ to");
}

void weir__cli_topo_table(const weir_machine *machine, FILE *file)
{
    weir_overheads overheads = weir_machine_overheads(machine);
    if (weir_machine_device_count(machine))
        print_devices(machine, file);
    print_hosts(machine, file);
    print_hops(machine, file);
    print_matrices(machine, file);
    fprintf(file, "\noverheads: a copy %.3g us, a copy by a kernel %.3g us, a launch %.3g us\n",
            overheads.copy_us, overheads.push_us, overheads.launch_us);
}
