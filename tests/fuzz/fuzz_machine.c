/** @file fuzz_machine.c  A machine: JSON as a file of --machine holds it, or a spec in a word.
 *
 * What is accepted is the same after it was written and read again, and has a plan for every kind of
 * route. */
#include "tests/fuzz/fuzz.h"

#include "topology/machine_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PLANNED_MOST 8 /* devices of a machine that plans are made for; rings of more take long */

static void check_plans(const weir_machine *machine)
{
    uint32_t devices = weir_machine_device_count(machine);
    for (int kind = 0; devices <= PLANNED_MOST && weir_route_kind_text((weir_route_kind)kind);
         kind++) {
        weir_route_plan plan;
        weir_status status = weir_route_plan_make(machine, (weir_route_kind)kind, &plan);
        FUZZ_CHECK(!status, "no plan of kind %d: %s", kind, weir_error_detail());
    }
    for (uint32_t from = 0; from < devices; from++)
        for (uint32_t to = 0; to < devices; to++) {
            double least = from == to ? 0 : WEIR__GBS_LEAST / 4; /* a memory may be unknown */
            weir_cost cost;
            weir_status status = weir_machine_cost(machine, from, to, &cost);
            FUZZ_CHECK(!status, "no cost from %u to %u: %s", from, to, weir_error_detail());
            FUZZ_CHECK(
                isfinite(cost.latency_us) && cost.latency_us >= 0 && cost.bandwidth_gbs >= least,
                "from %u to %u: %g GB/s, %g us", from, to, cost.bandwidth_gbs, cost.latency_us);
        }
}

static void check_written(const weir_machine *machine)
{
    char *text = NULL, *again = NULL, *dot = NULL;
    weir_machine *back = NULL;
    FUZZ_CHECK(!weir_machine_json(machine, &text), "no JSON: %s", weir_error_detail());
    weir_status status = weir__machine_from_json("back", text, strlen(text), &back);
    FUZZ_CHECK(!status, "what was written is refused: %s", weir_error_detail());
    FUZZ_CHECK(!weir_machine_json(back, &again) && strcmp(text, again) == 0,
               "another machine came back: %s", again);
    FUZZ_CHECK(!weir_machine_dot(machine, &dot), "no picture: %s", weir_error_detail());
    weir_machine_destroy(back);
    free(text);
    free(again);
    free(dot);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    weir_machine *machine = NULL;
    char *text = weir__fuzz_text(data, size);
    int is_spec = *text >= '0' && *text <= '9'; /* JSON of a machine does not begin with a number */
    weir_status status = is_spec ? weir__machine_from_spec(text, &machine)
                                 : weir__machine_from_json("machine", text, size, &machine);
    free(text);
    if (status) {
        FUZZ_CHECK(!machine, "a machine in spite of status %d", status);
        weir__fuzz_refused(status, is_spec ? NULL : "machine");
        return 0;
    }
    check_written(machine);
    check_plans(machine);
    weir_machine_destroy(machine);
    return 0;
}
