/** @file survey.c  Asking the devices of a context, NVML and hwloc what they know. */
#include "topology/discover.h"

#include <string.h>

static void find_device(weir_device *device, struct weir__found *found)
{
    found->info = (weir_device_info)WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(device, &found->info);
    if (!weir__found_gpu(found))
        return;
    weir__device_facts_get(device, &found->facts);
    weir__nvml_links(found->facts.bus, &found->links);
    found->numa = weir__numa_of_bus(found->facts.bus);
    if (!weir__pci_root_of(found->facts.bus, found->root, sizeof found->root))
        found->root[0] = '\0';
}

static weir_device *nth(const weir_context *context, uint32_t index)
{
    return index < weir_context_device_count(context) ? weir_context_device(context, index)
                                                      : weir_context_home(context);
}

void weir__survey_take(weir_context *context, struct weir__survey *survey_out)
{
    memset(survey_out, 0, sizeof *survey_out);
    survey_out->devices = weir_context_device_count(context);
    weir__numa_get(&survey_out->numa);
    for (uint32_t d = 0; d < survey_out->devices; d++)
        find_device(weir_context_device(context, d), &survey_out->found[d]);
    for (uint32_t s = 0; s <= survey_out->devices; s++)
        for (uint32_t d = 0; d <= survey_out->devices; d++) {
            weir_device *from = nth(context, s), *to = nth(context, d);
            survey_out->reaches[s][d] = weir_device_reaches(from, to) != 0;
            survey_out->atomics[s][d] = weir_device_atomics(from, to) != 0;
        }
}
