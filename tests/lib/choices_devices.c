/** @file choices_devices.c  Sets of devices that choices are tried on. */
#include "tests/lib/choices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static weir_status simulated(const char *text, const weir_config *config,
                             weir_context **context_out)
{
    weir_machine *machine;
    weir_status status = weir_machine_open(text, &machine);
    if (status)
        return status;
    status = weir_machine_simulate(machine, config, context_out);
    weir_machine_destroy(machine);
    return status;
}

weir_status choice_context(const char *spec, const char *const *settings,
                           weir_context **context_out)
{
    weir_config *config;
    weir_status status = weir_config_create(&config);
    if (status)
        return status;
    for (; settings && *settings && !status; settings++) {
        char name[64];
        const char *equals = strchr(*settings, '=');
        snprintf(name, sizeof name, "%.*s", (int)(equals - *settings), *settings);
        status = weir_config_set(config, name, equals + 1);
    }
    if (!status && strncmp(spec, "sim:", 4) == 0)
        status = simulated(spec + 4, config, context_out);
    else if (!status)
        status = weir_context_create(spec, config, context_out);
    weir_config_destroy(config);
    return status;
}

/* Leave a spec out whose devices are not there. */
static void leave_out(struct choice_devices *set, uint32_t at)
{
    fprintf(stderr, "no %s here: left out\n", set->spec[at]);
    set->specs--;
    memmove(set->spec + at, set->spec + at + 1, (set->specs - at) * sizeof *set->spec);
    memmove(set->context + at, set->context + at + 1, (set->specs - at) * sizeof *set->context);
}

weir_status choice_devices_open(struct choice_devices *set)
{
    for (uint32_t i = 0; i < set->specs;) {
        weir_status status = set->context[i]
                                 ? WEIR_OK
                                 : choice_context(set->spec[i], set->settings, &set->context[i]);
        if (status == WEIR_ERR_NODEV && !set->required) {
            leave_out(set, i);
            continue;
        }
        if (status)
            return status;
        i++;
    }
    return set->specs > 0 ? WEIR_OK : WEIR_ERR_NODEV;
}

void choice_devices_close(struct choice_devices *set)
{
    for (uint32_t i = 0; i < set->specs; i++) {
        weir_context_destroy(set->context[i]);
        set->context[i] = NULL;
    }
}

int choice_may_refuse_fused(const weir_context *context)
{
    weir_device_info first = WEIR_DEVICE_INFO_INIT, info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(weir_context_device(context, 0), &first);
    for (uint32_t i = 0; i < weir_context_device_count(context); i++) {
        weir_device_info_get(weir_context_device(context, i), &info);
        if (info.kind != first.kind || strncmp(info.label, "sim:", 4) == 0)
            return 1;
    }
    return 0;
}

int choice_devices_asked(struct choice_devices *set)
{
    static char text[512];
    const char *asked = getenv("WEIR_CHECK_DEVICES");
    if (!asked || !*asked)
        return 0;
    snprintf(text, sizeof text, "%s", asked);
    memset(set, 0, sizeof *set);
    set->name = "asked";
    set->required = 1;
    for (char *word = strtok(text, " \t\n"); word && set->specs < CHOICE_SPECS_MAX;
         word = strtok(NULL, " \t\n"))
        set->spec[set->specs++] = word;
    return set->specs > 0;
}
