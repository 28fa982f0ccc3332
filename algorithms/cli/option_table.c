/** @file option_table.c  Every option of every verb.
 *
 * A new option is a row; a new verb adds its bit to the rows it takes. Options with one name and
 * another meaning for another verb have a row for each meaning. What one algorithm alone has stands in its own
 * row (algorithm.h) and is listed among these; a new algorithm changes nothing here. */
#include "algorithms/cli/algorithm.h"
#include "algorithms/cli/option_set.h"

#include <assert.h>
#include <string.h>

static const weir__cli_option options[] = {
    OPTION("source", "V", VERB_SEARCH, weir__cli_set_source, FIELD(source),
           "start at vertex V; default: the vertex with the largest out-degree", .letter = 0),
    NUMBER("sources", VERB_SEARCH, sources, 1, WEIR_VERTICES_MAX,
           "start at N different vertices with out-arcs, chosen by --seed"),
    FLAG("undirected", VERB_TRAVERSAL | VERB_GEN | VERB_CONVERT | VERB_INFO | VERB_PARTITION,
         undirected, "add the reverse of every arc; default: off"),
    FLAG("undirected", VERB_MULTIPLY, undirected,
         "of a graph: add the reverse of every arc; default: off"),
    FLAG("undirected", VERB_PLAN, undirected,
         "add the reverse of every arc; with --arcs: they are among the M;\n"
         "default: off"),
    NUMBER("vertices", VERB_PLAN, vertices, 1, WEIR_VERTICES_MAX,
           "of a graph that is not at hand; with --arcs, in place of GRAPH"),
    OPTION("arcs", "M", VERB_PLAN, weir__cli_set_number, FIELD(arcs),
           "its arcs, spread as an R-MAT graph spreads them, in equal parts", .low = 0,
           .high = UINT64_C(1) << 48),
    OPTION("weights", "W", VERB_WEIGHTED | VERB_PLAN, weir__cli_set_weights, 0,
           "of the arcs: file (the graph's own), random[:LO-HI[:SEED]] (whole\n"
           "numbers, equal for both directions of an edge), random:LO-HIf[:SEED]\n"
           "(floats of 22 bits), unit (all 1), auto (file where the graph has\n"
           "some, else random:1-255:1); default: auto",
           .foreign = "has no weights"),
    OPTION("weights", "W", VERB_INFO, weir__cli_set_weights, 0,
           "of the arcs in runs that need some: file, random[:LO-HI[:SEED]],\n"
           "random:LO-HIf[:SEED] (floats), unit, auto (file where the graph has\n"
           "some, else random:1-255:1); default: auto",
           .foreign = "has no weights"),
    OPTION("weights", "W", VERB_GEN | VERB_CONVERT, weir__cli_set_weights, 0,
           "that the arcs get: file (the graph's own, which it must have),\n"
           "random[:LO-HI[:SEED]] (whole numbers, equal for both directions of\n"
           "an edge), random:LO-HIf[:SEED] (floats of 22 bits), unit (all 1),\n"
           "auto (file where the graph has some, else random:1-255:1); default:\n"
           "those it has, if any",
           .foreign = "has no weights"),
    OPTION("weights", "W", VERB_MULTIPLY, weir__cli_set_weights, 0,
           "of a graph, which become the values: file, random[:LO-HI[:SEED]]\n"
           "(whole numbers), random:LO-HIf[:SEED] (floats), unit (all 1), auto\n"
           "(file where the graph has some, else random:1-255:1); default: those\n"
           "it has, else all 1",
           .foreign = "has no weights"),
    CHOICE("values", "V", VERB_MULTIPLY | VERB_PLAN, values, weir__cli_values,
           "f32, f64: of the matrix, of x and of y; default: f32"),
    NUMBER("columns", VERB_SPMM | VERB_PLAN, columns, 1, 4096, "of x and y of spmm; default: 32"),
    FLAG("transpose", VERB_MULTIPLY | VERB_PLAN, transpose,
         "multiply with the transpose, which is made on the host; default:\n"
         "off"),
    TEXT("x", "FILE", VERB_MULTIPLY, x,
         "read x: a MatrixMarket array, or a row a line; default: numbers\n"
         "from -1 to 1 drawn by --seed"),
    TEXT("y", "FILE", VERB_MULTIPLY, y,
         "read what y is before, for --beta; default: numbers drawn by\n"
         "--seed + 1"),
    OPTION("alpha", "F", VERB_MULTIPLY, weir__cli_set_real, FIELD(alpha),
           "y = alpha A x + beta y; default: 1", .letter = 0),
    OPTION("beta", "F", VERB_MULTIPLY, weir__cli_set_real, FIELD(beta),
           "of y as it was; default: 0. A trial begins with the same y", .letter = 0),
    CHOICE("schedule", "S", VERB_MULTIPLY | VERB_PLAN, product_schedule,
           weir__cli_product_schedules,
           "rows: a warp has short rows, or a piece of a long one; bins: two\n"
           "passes, over blocks of columns and of rows that fit into a\n"
           "multiprocessor (spmv alone); thread, warp, block, group, merge: as\n"
           "worklist/schedule.h has them; auto: rows, or bins where x outgrows\n"
           "the caches of a GPU; default: auto"),
    CHOICE("overlap", "O", VERB_MULTIPLY | VERB_PLAN, overlap, weir__cli_overlaps,
           "on: devices multiply what needs their own x while others' comes;\n"
           "off: x comes first; auto: on; default: auto"),
    CHOICE("vector", "V", VERB_MULTIPLY | VERB_PLAN, vector, weir__cli_vectors,
           "what each device has of x: whole: room for all of it; cut: its own\n"
           "rows and those others that its part of the matrix names; auto: cut\n"
           "where these are few, or all of x has no room; default: auto"),
    FLAG("compare", VERB_MULTIPLY, against,
         "multiply by NVIDIA's cuSPARSE too, on the first device, if it is a\n"
         "GPU and the library is found; its times stand beside these; default:\n"
         "off"),
    NUMBER("scale", VERB_GRAPH500, scale, 1, 31, "of the graph, which has 2^N vertices"),
    NUMBER("edgefactor", VERB_GRAPH500, edge_factor, 1, 1024,
           "N x 2^SCALE edges are drawn; default: 16, as the specification says"),
    NUMBER("roots", VERB_GRAPH500, sources, 1, 65536,
           "search from N different vertices that have an edge to another one,\n"
           "or from all there are; default: 64, as the specification says"),
    FLAG("sssp", VERB_GRAPH500, sssp,
         "shortest paths too (kernel 3), over weights of 0 to 1; default: off"),
    NUMBER("elements", VERB_PBF, elements, 0, WEIR_PBF_ELEMENTS_MAX,
           "of the array, 4 bytes each; default: 67108864, which is 256 MiB"),
    OPTION("selectivity", "F", VERB_PBF, weir__cli_set_factor, FIELD(selectivity),
           "the part of the elements that stays, 0 to 1, such as 0.25 or\n"
           "1e-3; default: 0.5",
           .low = 0, .high = 1),
    TEXT("devices", "SPEC",
         VERB_TRAVERSAL | VERB_INFO | VERB_TOPO | VERB_BENCH | VERB_PBF | VERB_GRAPH500 |
             VERB_MULTIPLY,
         devices,
         "host:4, host:2x3, cuda, cuda:0-3, cuda:0,host:1;\n"
         "default: cuda where a GPU works, else host:4"),
    TEXT("devices", "SPEC", VERB_PLAN, devices,
         "as of bfs; GPUs need not be here, and then nothing is known of\n"
         "their memory but WEIR_POOL_BYTES; default: as of bfs"),
    TEXT("machine", "FILE|SPEC", VERB_PLAN, machine,
         "on all devices of this machine instead, with their memory: what\n"
         "weir topo --machine takes"),
    OPTION("partition", "P", VERB_PLAN, weir__cli_set_planned_partition, 0,
           "as the verb has it, and with its default: of traversals block, edge\n"
           "(equal arcs), random, metis, file:PATH, 2d:RxC, auto; of spmv and spmm\n"
           "rows, 2d:RxC",
           .choices = &weir__cli_partitions),
    OPTION("partition", "P", VERB_TRAVERSAL, weir__cli_set_partition, 0,
           "who owns which vertices: block, edge (equal arcs), random,\n"
           "metis, each over all devices; file:PATH: what weir partition or\n"
           "gpmetis wrote, over as many devices as it has parts; 2d:RxC: of bfs, pr and cc,\n"
           "arcs in blocks, from columns to rows of a grid of R x C devices, which\n"
           "are all there are; auto: edge,\n"
           "over as many devices as there is work for, by their threads or\n"
           "multiprocessors where these differ; default: auto",
           .choices = &weir__cli_partitions),
    OPTION("partition", "P", VERB_MULTIPLY, weir__cli_set_grid, 0,
           "rows: of equal nonzeros; 2d:RxC: blocks of rows and columns, over a\n"
           "grid of R x C devices, which are all there are; those of a row of it\n"
           "add up their sums; default: rows",
           .letter = 0),
    OPTION("partition", "P", VERB_PARTITION, weir__cli_set_partition, 0,
           "how: block (equal numbers of vertices), edge (equal arcs), random,\n"
           "metis; file:PATH: as a file says, which is judged then; auto: edge;\n"
           "default: auto",
           .choices = &weir__cli_partitions),
    OPTION("parts", "N", VERB_PARTITION, weir__cli_set_number, FIELD(parts),
           "into so many parts, 1 to 64; of file:PATH the last may be empty, and\n"
           "there are as many as it has where this is left out",
           .low = 1, .high = WEIR_DEVICES_MAX,
           .foreign = "has one part a device; that option belongs to partition"),
    {.name = NULL}, /* options that an algorithm alone has are listed here */
    FLAG("parents", VERB_PLAN, parents, "of bfs and sssp: with a tree; default: off"),
    OPTION("tolerance", "T", VERB_PLAN, weir__cli_set_positive, FIELD(own[OWN_TOLERANCE]),
           "of pr: with small ones ranks are doubles; default: 1e-6",
           .foreign = "is exact and has no tolerance"),
    OPTION("damping", "D", VERB_PLAN, weir__cli_set_fraction, FIELD(own[OWN_DAMPING]),
           "of pr: with small ones ranks are doubles; default: 0.85",
           .foreign = "has no damping factor"),
    OPTION("iterations", "N", VERB_PLAN, weir__cli_set_number, FIELD(own[OWN_ITERATIONS]),
           "of pr, which goes in direction pull then", .low = 1, .high = UINT32_MAX,
           .foreign = "ends by itself and has no number of iterations"),
    OPTION("bands", "N", VERB_PLAN, weir__cli_set_number, FIELD(own[OWN_BANDS]),
           "of pr, and so are the next two: as the verb has them, and with its\n"
           "defaults",
           .low = 1, .high = 64, .foreign = "reads no ranks along arcs"),
    OPTION("hubs", "N", VERB_PLAN, weir__cli_set_number, FIELD(own[OWN_HUBS]), "of pr", .low = 1,
           .high = 49152, .foreign = "reads no ranks along arcs"),
    OPTION("bins", "N", VERB_PLAN, weir__cli_set_number, FIELD(own[OWN_BINS]), "of pr", .low = 1,
           .high = 65535, .foreign = "reads no ranks along arcs"),
    OPTION("stream", "S", VERB_PLAN, weir__cli_set_choice, FIELD(own[OWN_STREAM]),
           "of cc: on: arcs come from host memory in segments; off: they lie on\n"
           "the devices; default: auto, off where they fit",
           .choices = &weir__cli_streams),
    OPTION("permute", "SEED", VERB_PLAN, weir__cli_set_number, FIELD(own[OWN_PERMUTE]),
           "of color: with an order drawn by SEED, which takes memory; default:\n"
           "none",
           .low = 1, .high = UINT64_MAX),
    NUMBER("sources", VERB_PLAN, sources, 1, WEIR_VERTICES_MAX,
           "with --batch: of a run, which has 64 at the most"),
    FLAG("batch", VERB_PLAN, batch,
         "of bfs: of runs that search from many --sources at a time; default:\n"
         "off"),
    FLAG("verify", VERB_PLAN, verify,
         "with --batch: keep the levels of all its sources, as --verify and\n"
         "--output do; default: off"),
    FLAG("parents", VERB_TREE, parents,
         "keep a tree too: for each vertex the one it was reached from; in\n"
         "step alone; --verify checks it by the rules of Graph500; default:\n"
         "off"),
    CHOICE("route", "R", VERB_WORKLIST | VERB_PLAN, route, weir__cli_routes,
           "how items travel: auto, direct, ring, tree, staged (through\n"
           "host memory); default: auto, which looks at the machine"),
    TEXT("machine", "FILE|SPEC", VERB_TOPO, machine,
         "show this machine instead: a JSON file, a shipped name or a\n"
         "text; weir help topo lists them"),
    TEXT("machine", "FILE|SPEC", VERB_BENCH, machine,
         "run on a simulation of this machine, in virtual time; what\n"
         "weir topo --machine takes"),
    FLAG("measure", VERB_TOPO, measure,
         "measure bandwidth and latency of all pairs first, which takes\n"
         "a while; with --machine: on its simulation. Not for dot"),
    CHOICE("route", "R", VERB_TOPO, plan, weir__cli_routes,
           "show this route alone: auto, direct, ring, tree, staged;\n"
           "default: all of them"),
    OPTION("levels", "Z,P,NS", VERB_TOPO, weir__cli_set_levels, 0,
           "show too how many of 2 to 8 devices levels of a search deserve,\n"
           "reckoned: a level takes one device Z us, P us more for each of\n"
           "several, and NS ns an arc where the machine has no arc_ns",
           .low = 0),
    CHOICE("format", "F", VERB_TOPO, format, weir__cli_topo_formats,
           "table, json (what --machine reads), dot (for Graphviz);\n"
           "default: table"),
    OPTION("packet", "BYTES", VERB_PBF, weir__cli_set_bytes, FIELD(packet),
           "of what a device takes at a time, a multiple of 4: 64KiB, 4MiB;\n"
           "default: 16MiB on GPUs, 1MiB on host devices, 4MiB where both are",
           .low = 4, .high = UINT64_C(1) << 30),
    CHOICE("schedule", "S", VERB_PBF, schedule, weir__cli_schedules,
           "dynamic: each packet to the first device that is free; static:\n"
           "an equal share to each device beforehand; default: dynamic"),
    NUMBER("work", VERB_PBF, rounds, 0, 1000000,
           "mix each element N times before it is compared: work that makes\n"
           "devices of different speed differ; default: 0"),
    OPTION("bytes", "N", VERB_BENCH, weir__cli_set_bytes, FIELD(bytes),
           "of a transfer, 64 or more: 64KiB, 100MB; made a multiple of 64;\n"
           "default: 100MB on GPUs and simulated ones, 4MB on host devices",
           .low = 64, .high = UINT64_C(1) << 40),
    NUMBER("trials", VERB_BENCH, bench_trials, 1, 1000000,
           "timed runs, whose median is shown; default: 7, simulated 1"),
    NUMBER("warmups", VERB_BENCH, warmups, 0, 1000000,
           "runs before them; default: 2, simulated none"),
    CHOICE("format", "F", VERB_PARTITION, format, weir__cli_partition_formats,
           "of standard output: table, csv; default: table"),
    CHOICE("format", "F", VERB_BENCH, format, weir__cli_bench_formats,
           "table, json, csv; default: table"),
    TEXT("compare", "OLD.json", VERB_BENCH, compare,
         "put the figures beside those of an older --json file; status 1\n"
         "when one got slower than --factor times, or is missing now. A\n"
         "figure whose trials overlap the old ones is within the spread\n"
         "and not slower. Ratios above 1 are faster. On standard error\n"
         "where standard output is a document"),
    OPTION("factor", "F", VERB_BENCH, weir__cli_set_factor, FIELD(factor),
           "of --compare; default: 1.10, which is 10 % slower. Figures of\n"
           "host devices vary more from run to run: give 2 or 3 there",
           .low = 1, .high = 1000000),
    TEXT("from", "FILE.json", VERB_BENCH, from,
         "measure nothing: read the figures of a --json file"),
    OPTION("direction", "D", VERB_PLAN, weir__cli_set_direction, 0,
           "auto, push, pull, switch, down: as of the verbs; default: auto",
           .choices = &weir__cli_directions),
    OPTION("order", "O", VERB_WORKLIST | VERB_PLAN, weir__cli_set_order, 0,
           "fifo: as items come; soft, soft:DELTA: near ones first, DELTA levels\n"
           "or units a step, found when left out (of pr what goes to other\n"
           "devices last, of color vertices of many arcs first); bulk:\n"
           "generation by generation, all devices together; default: fifo, or\n"
           "soft where near and far differ, or where several host devices\n"
           "search breadth-first",
           .choices = &weir__cli_orders),
    CHOICE("kernel", "K", VERB_WORKLIST | VERB_PLAN, kernel, weir__cli_kernels,
           "auto; fused: one kernel a device that stays until the end and\n"
           "sends by itself; discrete: a kernel a round; live: one kernel a\n"
           "device that stays and has no rounds, with --order fifo alone,\n"
           "devices all of one kind;\n"
           "default: auto"),
    NUMBER("queues", VERB_WORKLIST | VERB_PLAN, queues, 1, 1024,
           "of each device, with --kernel live, from which its workers take\n"
           "items; 1: all share one; default: one a multiprocessor or thread"),
    CHOICE("worker", "W", VERB_WORKLIST | VERB_PLAN, worker, weir__cli_workers,
           "who takes items from the queue together: auto, thread, warp,\n"
           "block; default: auto"),
    NUMBER("fetch", VERB_WORKLIST | VERB_PLAN, fetch, 1, 4096,
           "items a worker takes at a time; default: by how many there are"),
    OPTION("mapping", "M", VERB_WORKLIST | VERB_PLAN, weir__cli_set_mapping, 0,
           "how the arcs of what a worker took are spread over its lanes:\n"
           "auto; thread, warp, block: a vertex each; group:N: N lanes (1 to\n"
           "1024, a power of two) share the arcs of their vertices; merge:\n"
           "equal shares of vertices and arcs; default: auto. Not with --worker\n"
           "thread, where each lane takes its own vertices; with --worker warp\n"
           "neither block nor a group of more than 32 lanes",
           .choices = &weir__cli_mappings),
    CHOICE("memory", "M", VERB_TRAVERSAL | VERB_PLAN, memory, weir__cli_memories,
           "where arcs lie: device; host: in page-locked host memory, which\n"
           "kernels read over the link; auto: on the devices if all fits, else\n"
           "in host memory (arcs of cc are streamed then); default: auto"),
    CHOICE("balance", "B", VERB_BALANCED | VERB_PLAN, balance, weir__cli_balances,
           "off: a device works on what it owns; frontier: levels of bfs\n"
           "top-down, long rows that sssp pushes, and epochs of pr, pushed in\n"
           "step then, of which one device has far more arcs than the others,\n"
           "are shared out; ownership: narrow levels of bfs are done by one\n"
           "device for all, which has a copy of the graph beside its part;\n"
           "through the worklist it does all, of bfs and sssp, and gives\n"
           "results to who owns them; both, of bfs in step; on 2 to 8 devices\n"
           "that reach each other; auto: ownership of bfs and sssp on several\n"
           "GPUs where levels are narrow and the copy fits, else off; default:\n"
           "auto"),
    CHOICE("wire", "W", VERB_SEARCH | VERB_PLAN, wire, weir__cli_wires,
           "what devices send each other of vertices that a level of bfs in step\n"
           "found: list, bitmap, auto: whichever is shorter, each pair in each\n"
           "level, with --partition 2d:RxC, and with --direction down; elsewhere\n"
           "auto is list; default: auto"),
    NUMBER("trials", VERB_SEARCH, trials, 1, 1000000,
           "runs for each source; with more than one run in all, a warm-up\n"
           "comes first and is no trial, and one more right before each trial\n"
           "if the run before took no longer than 20 ms (not with --batch);\n"
           "default: 1"),
    NUMBER("trials", VERB_PBF | VERB_WHOLE | VERB_MULTIPLY, trials, 1, 1000000,
           "runs; with more than 1, one warm-up run comes first and is not\n"
           "counted; default: 1"),
    NUMBER("seed", VERB_PBF, seed, 0, UINT64_MAX, "of the elements; default: 1"),
    NUMBER("seed", VERB_MULTIPLY, seed, 0, UINT64_MAX, "of x and y; default: 1"),
    NUMBER("seed", VERB_GRAPH500, seed, 0, UINT64_MAX, "of edges and of roots; default: 1"),
    NUMBER("seed", VERB_SEARCH, seed, 0, UINT64_MAX,
           "for --sources and for partitions random and metis; default: 1"),
    NUMBER("seed", VERB_WHOLE | VERB_PARTITION | VERB_PLAN, seed, 0, UINT64_MAX,
           "for partitions random and metis; default: 1"),
    OPTION("time-limit", "SECONDS", VERB_TRAVERSAL, weir__cli_set_seconds, FIELD(time_limit_ms),
           "stop a run that takes longer, 0.5 or 30, or a stage that does:\n"
           "reading or making the graph, weights, partition, placing, a\n"
           "reference or check, writing a file; each has all of the time; it\n"
           "may take a fifth of a second to notice; default: no limit",
           .low = 1, .high = UINT32_MAX),
    OPTION("time-limit", "SECONDS", VERB_PBF, weir__cli_set_seconds, FIELD(time_limit_ms),
           "stop a run that takes longer, 0.5 or 30; it may take a fifth of a\n"
           "second to notice; default: no limit",
           .low = 1, .high = UINT32_MAX),
    OPTION("time-limit", "SECONDS", VERB_GRAPH500, weir__cli_set_seconds, FIELD(time_limit_ms),
           "stop a stage that takes longer, 0.5 or 30: drawing edges,\n"
           "construction, a search, a validation; each has all of the time; it\n"
           "may take a fifth of a second to notice; default: no limit",
           .low = 1, .high = UINT32_MAX),
    OPTION("time-limit", "SECONDS",
           VERB_GEN | VERB_CONVERT | VERB_INFO | VERB_PARTITION | VERB_PLAN, weir__cli_set_seconds,
           FIELD(time_limit_ms),
           "stop a stage that takes longer, 0.5 or 30: reading or making the\n"
           "graph, weights, partition, placing, searching, writing a file; each\n"
           "has all of the time; it may take a fifth of a second to notice;\n"
           "default: no limit",
           .low = 1, .high = UINT32_MAX),
    FLAG("verify", VERB_TRAVERSAL, verify,
         "judge every result in full, as --verify-by says; default: off"),
    CHOICE("verify-by", "WAY", VERB_TRAVERSAL, verify_by, weir__cli_judges,
           "how --verify does so: reference, against a serial one on the host;\n"
           "certificate, on the devices, by rules that every vertex and every\n"
           "arc has to keep; auto: certificate from 2^27 arcs on, where there\n"
           "are GPUs with room for it, else reference; default: auto"),
    OPTION("time-limit", "SECONDS", VERB_MULTIPLY, weir__cli_set_seconds, FIELD(time_limit_ms),
           "stop a stage that takes longer, 0.5 or 30: reading or making the\n"
           "matrix, placing, a reference; each has all of the time; it may take\n"
           "a fifth of a second to notice; default: no limit",
           .low = 1, .high = UINT32_MAX),
    FLAG("verify", VERB_MULTIPLY, verify,
         "compare every result in full with a serial product in double, with\n"
         "a bound for each element; default: off"),
    FLAG("verify", VERB_PBF, verify,
         "compare every result in full with a serial reference; default:\n"
         "off"),
    FLAG("stats", VERB_TRAVERSAL, stats,
         "show what explains the time of the last run (of each source):\n"
         "items processed for each vertex reached, arcs looked at, memory\n"
         "bandwidth, time of each phase; then devices, items, links; on\n"
         "standard error where standard output is a result or a document,\n"
         "which has it anyway"),
    OUTPUT_FILE(VERB_TRAVERSAL, "write one value a line in vertex order; - is standard output"),
    TEXT("output-parents", "FILE", VERB_TREE, output_parents,
         "write one parent a line in vertex order, the source's its own\n"
         "number, -1 unreached; implies --parents"),
    OUTPUT_FILE(VERB_GEN, "the file to write:\n" WEIR__CLI_FORMATS_WRITTEN),
    OUTPUT_FILE(VERB_MULTIPLY,
                "write y: a MatrixMarket array if the name ends in .mtx, else a row a\n"
                "line; - is standard output"),
    OUTPUT_FILE(VERB_PARTITION, "write one part a line in vertex order; - is standard output"),
    OUTPUT_FILE(VERB_TOPO | VERB_BENCH, "write what --format says there; default: standard output"),
    TEXT("json", "FILE|-",
         VERB_TRAVERSAL | VERB_GEN | VERB_CONVERT | VERB_INFO | VERB_PARTITION | VERB_BENCH |
             VERB_PBF | VERB_PLAN | VERB_GRAPH500 | VERB_MULTIPLY,
         json,
         "write one JSON document; - is standard output, which then\n"
         "holds nothing else"),
    TEXT("trace", "FILE", VERB_TRAVERSAL | VERB_BENCH | VERB_PBF, trace,
         "write what ran when as JSON of Chrome's tracing, which\n"
         "ui.perfetto.dev opens: queues, links, phases, supersteps"),
    TEXT("dot", "FILE", VERB_TRAVERSAL | VERB_BENCH | VERB_PBF, dot,
         "write who sent to whom as a graph for Graphviz: traffic of each\n"
         "link, and how long it stood still"),
    FLAG("brief", VERB_INFO, brief,
         "leave out components, diameter and runs, which take searches of\n"
         "the graph and place it on the devices"),
    FLAG("config", VERB_INFO, config, "show the tunables: environment names, values, defaults"),
    FLAG("help",
         VERB_TRAVERSAL | VERB_GEN | VERB_CONVERT | VERB_INFO | VERB_PARTITION | VERB_TOPO |
             VERB_BENCH | VERB_PBF | VERB_PLAN | VERB_GRAPH500 | VERB_MULTIPLY | VERB_VERSION |
             VERB_HELP,
         help, "show this text"),
};

enum { ROWS = sizeof options / sizeof *options };
static_assert(OPTIONS_MAX <= 64, "the parser keeps a bit for every option of a verb");

static const weir__cli_option *own_options(const weir__cli_verb *verb)
{
    static const weir__cli_option none = {.name = NULL};
    return verb->algorithm && verb->algorithm->options ? verb->algorithm->options : &none;
}

static unsigned takes(const weir__cli_verb *verb)
{
    const weir__cli_algorithm *algorithm = verb->algorithm;
    return !algorithm
               ? verb->bit
               : VERB_TRAVERSAL | (algorithm->sourced ? VERB_SEARCH : VERB_WHOLE) |
                     (algorithm->worklist ? VERB_WORKLIST : 0) |
                     (algorithm->weighted ? VERB_WEIGHTED : 0) |
                     (algorithm->parents ? VERB_TREE : 0) | (algorithm->stolen ? VERB_BALANCED : 0);
}

/* Find the option with this name in the list of an algorithm; NULL: there is none. */
static const weir__cli_option *own_named(const weir__cli_option *own, const char *name)
{
    for (; own->name; own++)
        if (strcmp(own->name, name) == 0)
            return own;
    return NULL;
}

static int is_shared(const char *name, unsigned bits)
{
    for (size_t i = 0; i < ROWS; i++)
        if ((options[i].verbs & bits) && strcmp(options[i].name, name) == 0)
            return 1;
    return 0;
}

size_t weir__cli_options(const weir__cli_verb *verb, const weir__cli_option *list[OPTIONS_MAX])
{
    const weir__cli_option *const own = own_options(verb), *instead;
    const unsigned bits = takes(verb);
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++) {
        for (const weir__cli_option *row = own; !options[i].name && row->name; row++)
            if (!is_shared(row->name, bits) && count < OPTIONS_MAX)
                list[count++] = row;
        if (!(options[i].verbs & bits) || count == OPTIONS_MAX)
            continue;
        instead = own_named(own, options[i].name);
        list[count++] = instead ? instead : &options[i];
    }
    return count;
}

static int is_called(const weir__cli_option *option, const char *name, size_t length, int is_letter)
{
    if (!option->name)
        return 0;
    return is_letter ? option->letter && option->letter == *name
                     : strlen(option->name) == length && memcmp(option->name, name, length) == 0;
}

const weir__cli_option *weir__cli_option_named(const weir__cli_option *const *list, size_t count,
                                               const char *name, size_t length, int is_letter)
{
    for (size_t i = 0; i < count; i++)
        if (is_called(list[i], name, length, is_letter))
            return list[i];
    return NULL;
}

const weir__cli_option *weir__cli_option_elsewhere(const char *name, size_t length, int is_letter)
{
    const weir__cli_option *list[OPTIONS_MAX], *found = NULL;
    const weir__cli_verb *verb;
    for (size_t i = 0; i < ROWS; i++)
        if (is_called(&options[i], name, length, is_letter))
            found = &options[i];
    for (size_t i = 0; !found && (verb = weir__cli_verb_at(i)); i++)
        found =
            weir__cli_option_named(list, weir__cli_options(verb, list), name, length, is_letter);
    return found;
}
