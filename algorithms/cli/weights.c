/** @file weights.c  What the arcs of a traversal weigh. */
#include "algorithms/cli/traversal.h"

#include <inttypes.h>
#include <math.h>

/* The command decides what auto stands for and does not leave it to the library, so that the report can name it. */
static weir_weights pick(const weir_weights *asked, const weir_graph *graph)
{
    weir_weights picked = *asked;
    if (asked->kind == WEIR_WEIGHTS_AUTO && graph->weight_kind != WEIR_WEIGHT_NONE)
        picked.kind = WEIR_WEIGHTS_FILE;
    else if (asked->kind == WEIR_WEIGHTS_AUTO)
        picked = (weir_weights){.kind = WEIR_WEIGHTS_RANDOM, .seed = 1};
    if (picked.kind != WEIR_WEIGHTS_FLOATS && !picked.low && !picked.high) {
        picked.low = 1;
        picked.high = 255;
    }
    return picked;
}

int weir__cli_weigh(const weir__cli_request *request, weir_graph *graph, char room[WEIGHTS_ROOM])
{
    weir_weights weights = pick(&request->weights, graph);
    weir_status status = weir_graph_weigh(graph, &weights);
    if (status)
        return weir__cli_fail_status(status);
    if (weights.kind == WEIR_WEIGHTS_RANDOM)
        snprintf(room, WEIGHTS_ROOM, "random:%" PRIu32 "-%" PRIu32 ":%" PRIu64, weights.low,
                 weights.high, weights.seed);
    else if (weights.kind == WEIR_WEIGHTS_FLOATS)
        snprintf(room, WEIGHTS_ROOM, "random:%.9g-%.9gf:%" PRIu64,
                 ldexp(weights.low, weights.exponent), ldexp(weights.high, weights.exponent),
                 weights.seed);
    else
        snprintf(room, WEIGHTS_ROOM, "%s", weights.kind == WEIR_WEIGHTS_FILE ? "file" : "unit");
    return EXIT_DONE;
}
