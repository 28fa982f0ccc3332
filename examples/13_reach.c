/** @file 13_reach.c  An operator of your own: which of 64 sources reach each vertex of a graph.
 *
 *     build/examples/13_reach [DEVICES]      say "cuda"; "host:3" if left out
 *
 * The operator is 13_reach_op.h; docs/operators.md derives it from the serial loop below. */
#include "examples/13_reach_op.h"
#include <weir/worklist/engine_host_tmpl.h>
#include <weir/algorithms/algorithms.h>
#include "examples/example.h"

enum { SOURCES = 64, SCALE = 13, VERTICES = 1 << SCALE };

/* Bit i is source i. */
static uint64_t reached_by[VERTICES], expected[VERTICES];

/* What a vertex knows it tells those its arcs lead to, until nobody learns anything new. */
static void reach_serial(const weir_graph *graph)
{
    for (uint64_t news = 1; news;) {
        news = 0;
        for (uint64_t v = 0; v < graph->vertices; v++)
            for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + 1]; arc++) {
                uint32_t target = graph->targets[arc];
                news |= expected[v] & ~expected[target];
                expected[target] |= expected[v];
            }
    }
}

int main(int argc, char **argv)
{
    weir_context *context = open_devices(argc, argv, "host:3");
    weir_traversal_config config = WEIR_TRAVERSAL_CONFIG_INIT;
    weir_graph *graph;
    weir_placement *placement;
    weir_traversal *traversal;

    TRY(weir_graph_open("rmat:13,2", NULL, &graph));
    TRY(weir_placement_create(context, graph, NULL, WEIR_PART_WEIGHTS_NONE, &placement));
    config.value_bytes = sizeof(uint64_t);
    config.fill = 0; /* before a run nobody knows of any source */
    TRY(weir_traversal_create(placement, &weir__reach_operator, NULL, &config, &traversal));
    for (uint32_t p = 0; p < weir_context_device_count(context); p++) {
        reach_state state = {*weir_placement_part(placement, p),
                             weir_traversal_values(traversal, p)};
        TRY(weir_traversal_bind(traversal, p, &state));
    }

    for (uint64_t i = 0; i < SOURCES; i++) {
        uint64_t source = i * VERTICES / SOURCES;
        uint32_t part, global;
        TRY(weir_placement_locate(placement, source, &part, &global, NULL));
        reach_wire seed = {global, UINT64_C(1) << i};
        TRY(weir_traversal_seed(traversal, part, &seed, 1));
        expected[source] |= UINT64_C(1) << i;
    }
    TRY(weir_traversal_run(traversal, NULL));
    TRY(weir_traversal_gather(traversal, reached_by));

    reach_serial(graph);
    uint32_t reached = 0, different = 0;
    for (uint32_t v = 0; v < VERTICES; v++) {
        reached += reached_by[v] != 0;
        different += reached_by[v] != expected[v];
    }
    printf("%u of %u vertices are reached, %u unlike in the serial loop\n", reached, VERTICES,
           different);

    weir_traversal_destroy(traversal);
    weir_placement_destroy(placement);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
    return reached > SOURCES && !different ? RIGHT : WRONG;
}
