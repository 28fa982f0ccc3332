/** @file topo_levels.c  How many devices a level of a search deserves: what each number of them would take, for people. */
#include "algorithms/cli/result.h"
#include "algorithms/common/own_machine.h"

#include <stdlib.h>

enum { FIRST = 10, LAST = 26, EACH = 2 }; /* powers of 2 of arcs: the rows */

static void print_level(const struct own *own, uint64_t arcs, FILE *file)
{
    char room[FIGURE_ROOM];
    fprintf(file, "  %9llu", (unsigned long long)arcs);
    for (uint32_t m = 1; m <= own->count; m++)
        fprintf(file, "  %8s", weir__cli_figure(own->takes[m] / 1000, room));
    fprintf(file, "  %4u\n", own->best);
}

/* By `balance both`: fewer devices own unequal parts where their number does not divide that of all. */
static void print_levels(struct own *own, FILE *file)
{
    own->shares = 1;
    for (int power = FIRST; power <= LAST; power += EACH) {
        const uint64_t arcs = UINT64_C(1) << power;
        for (uint32_t i = 0; i < own->count; i++)
            own->work[i] = (double)arcs / own->count;
        own_decide(own, 0, 1);
        print_level(own, arcs, file);
    }
}

int weir__cli_topo_levels(const weir_machine *machine, const weir__cli_request *request, FILE *file)
{
    struct own *own = malloc(sizeof *own);
    if (!own)
        return weir__cli_fail(EXIT_RUN, "no memory to reckon levels");
    own->level = request->level_us * 1000;
    own->barrier = request->barrier_us * 1000;
    weir_status status = weir__own_of_machine(machine, request->arc_ns, own);
    if (!status) {
        fprintf(file,
                "\nlevels whose arcs lie on all %u devices in equal parts (reckoned us on so many; "
                "the best number)\n  %9s",
                own->count, "arcs");
        for (uint32_t m = 1; m <= own->count; m++)
            fprintf(file, "  %8u", m);
        fprintf(file, "  %4s\n", "best");
        print_levels(own, file);
    }
    free(own);
    return status ? weir__cli_fail_status(status) : EXIT_DONE;
}
