/** @file survey.h  Surveys that were never taken, and a look at machines that follow from them. */
#ifndef WEIR_TESTS_TOPOLOGY_SURVEY_H
#define WEIR_TESTS_TOPOLOGY_SURVEY_H

#include "tests/lib/support.h"

#include "topology/discover.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* GPUs "0000:10:00.0", "0000:11:00.0", ..., which reach each other with native atomics. */
static inline struct weir__survey *survey_of(uint32_t gpus, const char *name, uint32_t major)
{
    struct weir__survey *survey = calloc(1, sizeof *survey);
    assert_non_null(survey);
    survey->devices = gpus;
    survey->numa = (struct weir__numa){2, {{0, 48, 1000}, {1, 40, 2000}}};
    for (uint32_t d = 0; d < gpus; d++) {
        struct weir__found *found = &survey->found[d];
        found->info = (weir_device_info){
            .size = sizeof found->info, .kind = WEIR_DEVICE_CUDA, .units = 132, .memory_bytes = 7};
        snprintf(found->info.name, sizeof found->info.name, "%s", name);
        found->facts = (weir__device_facts){.copy_engines = 3, .major = major, .memory_gbs = 4000};
        snprintf(found->facts.bus, sizeof found->facts.bus, "0000:%02x:00.0", 0x10 + d);
        found->links.pcie_generation = 5;
        found->links.pcie_lanes = 16;
        found->numa = 2 * d / gpus;
    }
    for (uint32_t s = 0; s <= gpus; s++)
        for (uint32_t d = 0; d <= gpus; d++) {
            survey->reaches[s][d] = 1;
            survey->atomics[s][d] = s == d || (s < gpus && d < gpus);
        }
    return survey;
}

/* The machine of a survey, which is freed. */
static inline weir_machine *machine_of(struct weir__survey *survey)
{
    weir_machine *machine;
    OK(weir__survey_assemble(survey, &machine));
    free(survey);
    return machine;
}

static inline const weir_hop *hop_between(const weir_machine *machine, uint32_t a, uint32_t b,
                                          weir_hop_kind kind)
{
    for (uint32_t h = 0; h < weir_machine_hop_count(machine); h++) {
        const weir_hop *hop = weir_machine_hop(machine, h);
        if (hop->a == a && hop->b == b && hop->kind == kind)
            return hop;
    }
    return NULL;
}

static inline uint32_t hops_of(const weir_machine *machine, weir_hop_kind kind)
{
    uint32_t count = 0;
    for (uint32_t h = 0; h < weir_machine_hop_count(machine); h++)
        count += weir_machine_hop(machine, h)->kind == kind;
    return count;
}

static inline void assert_close(double got, double wanted)
{
    assert_true(fabs(got - wanted) <= 1e-9 * wanted);
}

#endif
