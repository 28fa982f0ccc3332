/** @file discover.c  The machine of a context: discovered or read once, then kept with it. */
#include "runtime/config.h"
#include "topology/discover.h"
#include "topology/rehearse.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

weir_status weir__machine_discover(weir_context *context, weir_machine **machine_out)
{
    struct weir__survey *survey;
    weir_status status = weir__numa_check_room();
    *machine_out = NULL;
    if (status || (status = weir__alloc(1, sizeof *survey, "survey of a machine", &survey)))
        return status;
    weir__survey_take(context, survey);
    status = weir__survey_assemble(survey, machine_out);
    free(survey);
    return status;
}

/* ---- a machine that was given --------------------------------------------------------------------- */

/* The machine's device with the bus of the context's, or its number where none of the machine's has a bus. */
static uint32_t counterpart(const weir_machine *machine, const weir_context *context, uint32_t i)
{
    weir__device_facts facts;
    int buses = 0;
    memset(&facts, 0, sizeof facts);
    weir__device_facts_get(weir_context_device(context, i), &facts);
    for (uint32_t d = 0; d < machine->devices && facts.bus[0]; d++) {
        if (strcasecmp(machine->node[d].bus, facts.bus) == 0)
            return d;
        buses += machine->node[d].bus[0] != 0;
    }
    return buses ? machine->devices : i;
}

static weir_status check_reach(const char *path, const weir_machine *machine,
                               const weir_context *context)
{
    for (uint32_t from = 0; from < machine->devices; from++)
        for (uint32_t to = 0; to < machine->devices; to++) {
            int says = weir_machine_pair(machine, from, to)->reaches;
            int is = weir_device_reaches(weir_context_device(context, from),
                                         weir_context_device(context, to));
            if (!says != !is)
                return weir__fail(WEIR_ERR_INVALID,
                                  "machine=%s: %s %s %s there, and %s here: measure it again", path,
                                  machine->node[from].label, says ? "reaches" : "does not reach",
                                  machine->node[to].label, is ? "does" : "does not");
        }
    return WEIR_OK;
}

/* The context's devices among those of the file. */
static weir_status open_given(const char *path, const weir_context *context,
                              weir_machine **machine_out)
{
    uint32_t count = weir_context_device_count(context), devices[WEIR_DEVICES_MAX];
    weir_machine *whole, *part = NULL;
    weir_status status = weir_machine_open(path, &whole);
    *machine_out = NULL;
    if (status)
        return status;
    for (uint32_t i = 0; i < count && !status; i++) {
        devices[i] = counterpart(whole, context, i);
        if (devices[i] >= whole->devices)
            status = weir__fail(WEIR_ERR_INVALID,
                                "machine=%s: it has %u devices, and none of them is device %u here",
                                path, whole->devices, i);
    }
    if (!status && !(status = weir__machine_select(whole, devices, count, &part)))
        status = check_reach(path, part, context);
    weir_machine_destroy(whole);
    if (status)
        weir_machine_destroy(part);
    else
        *machine_out = part;
    return status;
}

static weir_status find_out(weir_context *context, weir_machine **machine_out)
{
    const char *path = weir__config_text(weir_context_config(context), WEIR__MACHINE);
    return *path ? open_given(path, context, machine_out)
                 : weir__machine_discover(context, machine_out);
}

static void destroy(void *machine)
{
    weir_machine_destroy(machine);
}

/* Two threads may discover at once; both then get the one that was attached first. */
weir_status weir_machine_of(weir_context *context, const weir_machine **machine_out)
{
    weir_machine *machine = weir__context_attached(context);
    weir_status status = WEIR_OK;
    if (!machine && !(status = find_out(context, &machine)))
        machine = weir__context_attach(context, machine, destroy);
    *machine_out = machine;
    return status;
}
