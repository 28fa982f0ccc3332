/** @file option_table.c  Every option of every verb.
 *
 * A new option is a row; a new verb adds its bit to the rows it takes. Options with one name and
 * another meaning for another verb have a row for each meaning. */
#include "algorithms/cli/option_set.h"

#include <assert.h>

/** The verbs that start at a vertex; those that can go through the worklist; all that run over a graph. */
#define SEARCHES   (VERB_BFS | VERB_SSSP)
#define WORKLISTS  (SEARCHES | VERB_PR)
#define TRAVERSALS (WORKLISTS | VERB_CC)

#define FIELD(name) offsetof(weir__cli_request, name)

#define FLAG(name, verbs, member, help)                                           \
    {                                                                             \
        name, 0, NULL, verbs, weir__cli_set_flag, FIELD(member), 0, 0, NULL, help \
    }
#define TEXT(name, letter, argument, verbs, member, help)                                  \
    {                                                                                      \
        name, letter, argument, verbs, weir__cli_set_text, FIELD(member), 0, 0, NULL, help \
    }
#define NUMBER(name, verbs, member, low, high, help)                                    \
    {                                                                                   \
        name, 0, "N", verbs, weir__cli_set_number, FIELD(member), low, high, NULL, help \
    }
#define CHOICE(name, argument, verbs, member, list, help)                                \
    {                                                                                    \
        name, 0, argument, verbs, weir__cli_set_choice, FIELD(member), 0, 0, &list, help \
    }
#define UNBUILT(name, argument, help)                                             \
    {                                                                             \
        name, 0, argument, TRAVERSALS, weir__cli_set_unbuilt, 0, 0, 0, NULL, help \
    }
#define FOREIGN(name, argument, why)                   \
    {                                                  \
        name, 0, argument, 0, NULL, 0, 0, 0, NULL, why \
    }

static const weir__cli_option options[] = {
    {"source", 0, "V", SEARCHES, weir__cli_set_source, FIELD(source), 0, 0, NULL,
     "start at vertex V; default: the vertex with the largest out-degree"},
    NUMBER("sources", SEARCHES, sources, 1, WEIR_VERTICES_MAX,
           "start at N different vertices with out-arcs, chosen by --seed"),
    FLAG("undirected", TRAVERSALS | VERB_GEN | VERB_INFO, undirected,
         "add the reverse of every arc; default: off"),
    {"weights", 0, "W", VERB_SSSP, weir__cli_set_weights, 0, 0, 0, NULL,
     "of the arcs: file (the graph's own), random[:LO-HI[:SEED]] (whole\n"
     "numbers, equal for both directions of an edge), unit (all 1),\n"
     "auto (file where the graph has some, else random:1-255:1);\n"
     "default: auto"},
    NUMBER("elements", VERB_PBF, elements, 0, WEIR_PBF_ELEMENTS_MAX,
           "of the array, 4 bytes each; default: 67108864, which is 256 MiB"),
    {"selectivity", 0, "F", VERB_PBF, weir__cli_set_factor, FIELD(selectivity), 0, 1, NULL,
     "the part of the elements that stays, 0 to 1, such as 0.25 or\n"
     "1e-3; default: 0.5"},
    TEXT("devices", 0, "SPEC", TRAVERSALS | VERB_TOPO | VERB_BENCH | VERB_PBF, devices,
         "host:4, host:2x3, cuda, cuda:0-3, cuda:0,host:1;\n"
         "default: cuda where a GPU works, else host:4"),
    CHOICE("partition", "P", TRAVERSALS, partition, weir__cli_partitions,
           "who owns which vertices: block, edge (equal arcs), random,\n"
           "metis, each over all devices; auto: edge, over as many devices\n"
           "as there is work for; default: auto"),
    {"direction", 0, "D", VERB_BFS, weir__cli_set_direction, 0, 0, 0, &weir__cli_directions,
     "push: through the worklist, vertices send over their arcs, and\n"
     "all choices below count; in step, level by level, with the\n"
     "kernels of all devices: pull, vertices look along arcs that come\n"
     "to them; switch, each step the way that looks at fewer arcs;\n"
     "default: auto, by graph, machine and other options"},
    {"direction", 0, "D", VERB_SSSP, weir__cli_set_direction, 0, 0, 0, &weir__cli_directions_sssp,
     "push: through the worklist, vertices send over their arcs, and\n"
     "all choices below count; switch: in step, nearest first, each step\n"
     "the way that looks at fewer arcs, with --order soft alone; default:\n"
     "auto, by graph, machine and other options"},
    {"direction", 0, "D", VERB_PR, weir__cli_set_direction, 0, 0, 0, &weir__cli_directions_pr,
     "push: through the worklist, vertices send residuals over their\n"
     "arcs, and all choices below count; pull: in step, vertices add\n"
     "up along arcs that come to them; default: auto, by machine and\n"
     "other options"},
    {"tolerance", 0, "T", VERB_PR, weir__cli_set_tolerance, 0, 0, 0, NULL,
     "stop when an iteration changes ranks by less than T in all (the\n"
     "L1 norm), or the residual bounds that; above 0; default: 1e-6"},
    {"damping", 0, "D", VERB_PR, weir__cli_set_damping, 0, 0, 0, NULL,
     "the part of a rank that follows arcs, 0 to below 1; default: 0.85"},
    CHOICE("dangling", "D", VERB_PR, dangling, weir__cli_danglings,
           "the rank of vertices without out-arcs: spread, over all vertices,\n"
           "so that ranks sum to 1; ignore, it is lost, as in the GAP\n"
           "benchmark suite; default: spread"),
    NUMBER("iterations", VERB_PR, iterations, 1, UINT32_MAX,
           "of direction pull at most; default: until the tolerance is met"),
    CHOICE("stream", "S", VERB_CC, stream, weir__cli_streams,
           "on: arcs come from host memory in segments, over a router, to\n"
           "whichever device is free; off: they lie on the devices before;\n"
           "default: auto, off where they fit"),
    FLAG("parents", VERB_BFS, parents,
         "keep a tree too: for each vertex the one it was reached from; in\n"
         "step alone; --verify checks it by the rules of Graph500; default:\n"
         "off"),
    CHOICE("route", "R", WORKLISTS, route, weir__cli_routes,
           "how items travel: auto, direct, ring, tree, staged (through\n"
           "host memory); default: auto, which looks at the machine"),
    CHOICE("route", "R", VERB_CC, route, weir__cli_routes,
           "how what devices found comes together: direct (all send to one),\n"
           "ring, tree, staged (through host memory; arcs are streamed then);\n"
           "default: auto, the machine's reduction tree"),
    TEXT("machine", 0, "FILE|SPEC", VERB_TOPO, machine,
         "show this machine instead: a JSON file, a shipped name or a\n"
         "text; weir help topo lists them"),
    TEXT("machine", 0, "FILE|SPEC", VERB_BENCH, machine,
         "run on a simulation of this machine, in virtual time; what\n"
         "weir topo --machine takes"),
    FLAG("measure", VERB_TOPO, measure,
         "measure bandwidth and latency of all pairs first, which takes\n"
         "a while; with --machine: on its simulation"),
    CHOICE("route", "R", VERB_TOPO, plan, weir__cli_routes,
           "show this route alone: auto, direct, ring, tree, staged;\n"
           "default: all of them"),
    CHOICE("format", "F", VERB_TOPO, format, weir__cli_topo_formats,
           "table, json (what --machine reads), dot (for Graphviz);\n"
           "default: table"),
    {"packet", 0, "BYTES", VERB_PBF, weir__cli_set_bytes, FIELD(packet), 4, UINT64_C(1) << 30, NULL,
     "of what a device takes at a time, a multiple of 4: 64KiB, 4MiB;\n"
     "default: 16MiB on GPUs, 1MiB on host devices, 4MiB where both are"},
    CHOICE("schedule", "S", VERB_PBF, schedule, weir__cli_schedules,
           "dynamic: each packet to the first device that is free; static:\n"
           "an equal share to each device beforehand; default: dynamic"),
    NUMBER("work", VERB_PBF, rounds, 0, 1000000,
           "mix each element N times before it is compared: work that makes\n"
           "devices of different speed differ; default: 0"),
    {"bytes", 0, "N", VERB_BENCH, weir__cli_set_bytes, FIELD(bytes), 64, UINT64_C(1) << 40, NULL,
     "of a transfer, 64 or more: 64KiB, 100MB; made a multiple of 64;\n"
     "default: 100MB on GPUs and simulated ones, 4MB on host devices"},
    NUMBER("trials", VERB_BENCH, bench_trials, 1, 1000000,
           "timed runs, whose median is shown; default: 7, simulated 1"),
    NUMBER("warmups", VERB_BENCH, warmups, 0, 1000000,
           "runs before them; default: 2, simulated none"),
    CHOICE("format", "F", VERB_BENCH, format, weir__cli_bench_formats,
           "table, json, csv; default: table"),
    TEXT("compare", 0, "OLD.json", VERB_BENCH, compare,
         "put the figures beside those of an older --json file; status 1\n"
         "when one got slower than --factor times, or is missing now. A\n"
         "figure whose trials overlap the old ones is within the spread\n"
         "and not slower. Ratios above 1 are faster. On standard error\n"
         "where standard output is a document"),
    {"factor", 0, "F", VERB_BENCH, weir__cli_set_factor, FIELD(factor), 1, 1000000, NULL,
     "of --compare; default: 1.10, which is 10 % slower. Figures of\n"
     "host devices vary more from run to run: give 2 or 3 there"},
    TEXT("from", 0, "FILE.json", VERB_BENCH, from,
         "measure nothing: read the figures of a --json file"),
    {"order", 0, "O", WORKLISTS, weir__cli_set_order, 0, 0, 0, &weir__cli_orders,
     "fifo: as items come; soft, soft:DELTA: near ones, of pr those with\n"
     "much to send first, DELTA levels or units a step, found when left\n"
     "out; bulk: generation by generation, all devices together;\n"
     "default: fifo, or soft where near and far differ"},
    CHOICE("kernel", "K", WORKLISTS, kernel, weir__cli_kernels,
           "auto; fused: one kernel a device that stays until the end and\n"
           "sends by itself; discrete: a kernel a round; default: auto"),
    CHOICE("worker", "W", WORKLISTS, worker, weir__cli_workers,
           "who takes items from the queue together: auto, thread, warp,\n"
           "block; default: auto"),
    NUMBER("fetch", WORKLISTS, fetch, 1, 4096,
           "items a worker takes at a time; default: by how many there are"),
    {"mapping", 0, "M", WORKLISTS, weir__cli_set_mapping, 0, 0, 0, &weir__cli_mappings,
     "how the arcs of what a worker took are spread over its lanes:\n"
     "auto; thread, warp, block: a vertex each; group:N: N lanes (1 to\n"
     "1024, a power of two) share the arcs of their vertices; merge:\n"
     "equal shares of vertices and arcs; default: auto. Not with --worker\n"
     "thread, where each lane takes its own vertices"},
    CHOICE("balance", "B", SEARCHES, balance, weir__cli_balances, "off; default: off"),
    CHOICE("wire", "W", SEARCHES, wire, weir__cli_wires, "list; default: list"),
    NUMBER("trials", SEARCHES, trials, 1, 1000000,
           "runs for each source; with more than 1, one warm-up run\n"
           "comes first and is not counted; default: 1"),
    NUMBER("trials", VERB_PBF | VERB_PR | VERB_CC, trials, 1, 1000000,
           "runs; with more than 1, one warm-up run comes first and is not\n"
           "counted; default: 1"),
    NUMBER("seed", VERB_PBF, seed, 0, UINT64_MAX, "of the elements; default: 1"),
    NUMBER("seed", SEARCHES, seed, 0, UINT64_MAX,
           "for --sources and for partitions random and metis; default: 1"),
    NUMBER("seed", VERB_PR | VERB_CC, seed, 0, UINT64_MAX,
           "for partitions random and metis; default: 1"),
    {"time-limit", 0, "SECONDS", TRAVERSALS | VERB_PBF, weir__cli_set_seconds, FIELD(time_limit_ms),
     1, UINT32_MAX, NULL,
     "stop a run that takes longer, 0.5 or 30; it may take a fifth of a\n"
     "second to notice; default: no limit"},
    FLAG("verify", VERB_PR, verify,
         "judge all ranks, by an exact iteration from them or, at tolerances\n"
         "up to 1e-9, by a reference; default: off"),
    FLAG("verify", (TRAVERSALS & ~VERB_PR) | VERB_PBF, verify,
         "compare every result in full with a serial reference; default:\n"
         "off"),
    FLAG("stats", TRAVERSALS, stats,
         "show what explains the time of the last run (of each source):\n"
         "items processed for each vertex reached, arcs looked at, memory\n"
         "bandwidth, time of each phase; then devices, items, links; on\n"
         "standard error where standard output is a result or a document,\n"
         "which has it anyway"),
    TEXT("output", 'o', "FILE", VERB_SSSP, output,
         "write one distance a line in vertex order, inf unreached; the\n"
         "last source's result; - is standard output"),
    TEXT("output", 'o', "FILE", VERB_BFS, output,
         "write one level a line in vertex order, -1 unreached; the\n"
         "last source's result; - is standard output"),
    TEXT("output-parents", 0, "FILE", VERB_BFS, output_parents,
         "write one parent a line in vertex order, the source's its own\n"
         "number, -1 unreached; implies --parents"),
    TEXT("output", 'o', "FILE", VERB_PR, output,
         "write one rank a line in vertex order, with 17 digits; - is\n"
         "standard output"),
    TEXT("output", 'o', "FILE", VERB_CC, output,
         "write one label a line in vertex order: the smallest vertex of\n"
         "the component; - is standard output"),
    TEXT("output", 'o', "FILE", VERB_GEN, output,
         "the file to write: .mtx MatrixMarket, .gr Galois, .dimacs,\n"
         ".el or .txt edge list; .gz or .xz behind it packs"),
    TEXT("output", 'o', "FILE", VERB_TOPO | VERB_BENCH, output,
         "write what --format says there; default: standard output"),
    TEXT("json", 0, "FILE|-", TRAVERSALS | VERB_INFO | VERB_BENCH | VERB_PBF, json,
         "write one JSON document; - is standard output, which then\n"
         "holds nothing else"),
    UNBUILT("trace", "FILE", NULL),
    FLAG("config", VERB_INFO, config, "show the tunables: environment names, values, defaults"),
    FLAG("help",
         TRAVERSALS | VERB_GEN | VERB_INFO | VERB_TOPO | VERB_BENCH | VERB_PBF | VERB_VERSION |
             VERB_HELP,
         help, "show this text"),
    FOREIGN("weights", "W", "has no weights"),
    FOREIGN("tolerance", "T", "is exact and has no tolerance"),
    FOREIGN("damping", "D", "has no damping factor"),
    FOREIGN("dangling", "D", "has no dangling mass"),
    FOREIGN("iterations", "N", "ends by itself and has no number of iterations"),
    FOREIGN("parts", "N", "has one part a device; that option belongs to partition"),
};

static_assert(sizeof options / sizeof *options <= 128, "the parser keeps a bit for every row");

size_t weir__cli_options(const weir__cli_option **options_out)
{
    *options_out = options;
    return sizeof options / sizeof *options;
}
