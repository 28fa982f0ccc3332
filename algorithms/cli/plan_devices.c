/** @file plan_devices.c  The devices that weir plan plans for: those at hand, those of a spec, or a machine's. */
#include "algorithms/cli/plan.h"

#include <string.h>

static int devices_at_hand(weir__cli_plans *plans)
{
    plans->devices = weir_context_device_count(plans->context);
    weir__plan_devices_of(plans->context, plans->device);
    return EXIT_DONE;
}

/* What a GPU like the usual one, or a host device, would be with so many units. */
static void take_units(const weir_node *node, weir_device_info *info)
{
    if (!node->units)
        return;
    info->workers = info->workers / info->units * node->units;
    info->units = node->units;
}

static void take_memory(const weir_node *node, uint64_t asked, struct weir__plan_device *device)
{
    const uint64_t memory = node->memory_bytes;
    device->info.memory_bytes = memory;
    if (!asked && memory)
        device->bound_bytes = weir__pool_usual_bound(device->info.kind, memory);
    else if (memory && device->info.kind != WEIR_DEVICE_HOST && device->bound_bytes > memory)
        device->bound_bytes = memory; /* a card has no more, whatever was asked for */
}

/* All devices of a machine, with the memory that it says, of which nobody uses any. */
static int devices_of_machine(weir__cli_plans *plans, uint64_t asked)
{
    weir_status status = weir_machine_open(plans->request->machine, &plans->machine);
    if (status)
        return weir__cli_fail_status(status);
    const weir_machine *machine = plans->machine;
    char spec[32];
    const int hosts = !strncmp(weir_machine_node(machine, 0)->label, "host", 4);
    const uint32_t count = weir_machine_device_count(machine);
    snprintf(spec, sizeof spec, hosts ? "host:%u" : "cuda:0-%u", hosts ? count : count - 1);
    status = weir__plan_devices_parse(spec, plans->config, plans->device, &plans->devices);
    for (uint32_t d = 0; d < count && !status; d++) {
        const weir_node *node = weir_machine_node(machine, d);
        struct weir__plan_device *device = &plans->device[d];
        snprintf(device->info.name, sizeof device->info.name, "%.63s", node->name);
        take_units(node, &device->info);
        take_memory(node, asked, device);
        device->shared = hosts && !asked;
    }
    return status ? weir__cli_fail_status(status) : EXIT_DONE;
}

void weir__cli_plan_reach(const weir__cli_plans *plans, weir_context *planned)
{
    for (uint32_t s = 0; plans->machine && s <= plans->devices; s++)
        for (uint32_t d = 0; d <= plans->devices; d++)
            if (!weir_machine_pair(plans->machine, s, d)->reaches)
                weir__plan_part(planned, s, d);
}

int weir__cli_plan_devices(weir__cli_plans *plans)
{
    const char *spec = plans->request->devices;
    uint64_t asked = 0;
    weir_status status = weir_config_create(&plans->config);
    if (status)
        return weir__cli_fail_status(status);
    (void)weir_config_number(plans->config, "pool_bytes", &asked);
    if (plans->request->machine)
        return devices_of_machine(plans, asked);
    if (!(status = weir_context_create(spec, NULL, &plans->context)))
        return devices_at_hand(plans);
    if (status == WEIR_ERR_NODEV)
        status = weir__plan_devices_parse(spec, plans->config, plans->device, &plans->devices);
    return status ? weir__cli_fail_status(status) : EXIT_DONE;
}
