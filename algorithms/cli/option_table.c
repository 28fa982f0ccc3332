/** @file option_table.c  Every option of every verb, and how its text becomes a value.
 *
 * A new option is a row; a new verb adds its bit to the rows it takes. Options with one name and
 * another meaning for another verb have a row for each meaning. */
#include "algorithms/cli/cli.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/** The verbs that traverse graphs. */
#define TRAVERSALS (VERB_BFS | VERB_SSSP)

#define FIELD(name) offsetof(weir__cli_request, name)

static void *field(weir__cli_request *request, const weir__cli_option *option)
{
    return (char *)request + option->field;
}

static int set_flag(weir__cli_request *request, const weir__cli_option *option, const char *text)
{
    (void)text;
    *(int *)field(request, option) = 1;
    return EXIT_DONE;
}

static int set_text(weir__cli_request *request, const weir__cli_option *option, const char *text)
{
    if (!*text)
        return weir__cli_fail(EXIT_USAGE, "--%s: %s is empty", option->name, option->argument);
    *(const char **)field(request, option) = text;
    return EXIT_DONE;
}

static int set_number(weir__cli_request *request, const weir__cli_option *option, const char *text)
{
    uint64_t value;
    if (weir__cli_number(text, &value) || value < option->low || value > option->high)
        return weir__cli_fail(EXIT_USAGE, "--%s: \"%s\" is not a whole number from %llu to %llu",
                              option->name, text, (unsigned long long)option->low,
                              (unsigned long long)option->high);
    *(uint64_t *)field(request, option) = value;
    return EXIT_DONE;
}

static int set_source(weir__cli_request *request, const weir__cli_option *option, const char *text)
{
    if (weir__cli_number(text, &request->source))
        return weir__cli_fail(EXIT_USAGE, "--%s: \"%s\" is not a vertex number", option->name,
                              text);
    request->source_given = 1;
    return EXIT_DONE;
}

static int set_seconds(weir__cli_request *request, const weir__cli_option *option, const char *text)
{
    uint64_t ms;
    if (weir__cli_seconds(text, &ms) || ms < option->low || ms > option->high)
        return weir__cli_fail(EXIT_USAGE,
                              "--%s: \"%s\" is not a number of seconds above 0 and up to %llu",
                              option->name, text, (unsigned long long)(option->high / 1000));
    *(uint64_t *)field(request, option) = ms;
    return EXIT_DONE;
}

static int set_bytes(weir__cli_request *request, const weir__cli_option *option, const char *text)
{
    uint64_t bytes;
    if (weir__cli_bytes(text, &bytes) || bytes < option->low || bytes > option->high)
        return weir__cli_fail(
            EXIT_USAGE, "--%s: \"%s\" is not a number of bytes from %llu to %llu, say 64KiB",
            option->name, text, (unsigned long long)option->low, (unsigned long long)option->high);
    *(uint64_t *)field(request, option) = bytes;
    return EXIT_DONE;
}

static int set_factor(weir__cli_request *request, const weir__cli_option *option, const char *text)
{
    const char *letters = "0123456789.eE+-"; /* of 0.25 and 1e-3; not of nan, inf and 0x1p-2 */
    char *end;
    double value = strtod(text, &end);
    if (!strchr("0123456789.", *text) || end == text || text[strspn(text, letters)] || *end ||
        value < (double)option->low || value > (double)option->high)
        return weir__cli_fail(EXIT_USAGE, "--%s: \"%s\" is not a number from %llu to %llu",
                              option->name, text, (unsigned long long)option->low,
                              (unsigned long long)option->high);
    *(double *)field(request, option) = value;
    return EXIT_DONE;
}

static int set_choice(weir__cli_request *request, const weir__cli_option *option, const char *text)
{
    return weir__cli_choose(option->choices, option->name, text, (int *)field(request, option));
}

static int set_order(weir__cli_request *request, const weir__cli_option *option, const char *text)
{
    (void)option;
    return weir__cli_choose_order(text, &request->order, &request->delta);
}

static int set_mapping(weir__cli_request *request, const weir__cli_option *option, const char *text)
{
    (void)option;
    return weir__cli_choose_mapping(text, &request->mapping, &request->group);
}

static int set_weights(weir__cli_request *request, const weir__cli_option *option, const char *text)
{
    if (weir_weights_parse(text, &request->weights))
        return weir__cli_fail(EXIT_USAGE, "--%s: %s", option->name, weir_error_detail());
    return EXIT_DONE;
}

/* Options that the design names for a verb that is built, but that are not built themselves. */
static int set_unbuilt(weir__cli_request *request, const weir__cli_option *option, const char *text)
{
    (void)request;
    (void)text;
    return weir__cli_fail(EXIT_USAGE, "--%s is not built yet; leave it out", option->name);
}

#define FLAG(name, verbs, member, help)                                 \
    {                                                                   \
        name, 0, NULL, verbs, set_flag, FIELD(member), 0, 0, NULL, help \
    }
#define TEXT(name, letter, argument, verbs, member, help)                        \
    {                                                                            \
        name, letter, argument, verbs, set_text, FIELD(member), 0, 0, NULL, help \
    }
#define NUMBER(name, verbs, member, low, high, help)                          \
    {                                                                         \
        name, 0, "N", verbs, set_number, FIELD(member), low, high, NULL, help \
    }
#define CHOICE(name, argument, verbs, member, list, help)                      \
    {                                                                          \
        name, 0, argument, verbs, set_choice, FIELD(member), 0, 0, &list, help \
    }
#define UNBUILT(name, argument, help)                                   \
    {                                                                   \
        name, 0, argument, TRAVERSALS, set_unbuilt, 0, 0, 0, NULL, help \
    }
#define FOREIGN(name, argument, why)                   \
    {                                                  \
        name, 0, argument, 0, NULL, 0, 0, 0, NULL, why \
    }

static const weir__cli_option options[] = {
    {"source", 0, "V", TRAVERSALS, set_source, FIELD(source), 0, 0, NULL,
     "start at vertex V; default: the vertex with the largest out-degree"},
    NUMBER("sources", TRAVERSALS, sources, 1, WEIR_VERTICES_MAX,
           "start at N different vertices with out-arcs, chosen by --seed"),
    FLAG("undirected", TRAVERSALS | VERB_GEN | VERB_INFO, undirected,
         "add the reverse of every arc; default: off"),
    {"weights", 0, "W", VERB_SSSP, set_weights, 0, 0, 0, NULL,
     "of the arcs: file (the graph's own), random:LO-HI[:SEED] (whole\n"
     "numbers, equal for both directions of an edge), unit (all 1);\n"
     "default: file where the graph has some, else random:1-255:1"},
    NUMBER("elements", VERB_PBF, elements, 0, WEIR_PBF_ELEMENTS_MAX,
           "of the array, 4 bytes each; default: 67108864, which is 256 MiB"),
    {"selectivity", 0, "F", VERB_PBF, set_factor, FIELD(selectivity), 0, 1, NULL,
     "the part of the elements that stays, 0 to 1, such as 0.25 or\n"
     "1e-3; default: 0.5"},
    TEXT("devices", 0, "SPEC", TRAVERSALS | VERB_TOPO | VERB_BENCH | VERB_PBF, devices,
         "host:4, host:2x3, cuda, cuda:0-3, cuda:0,host:1;\n"
         "default: cuda where a GPU works, else host:4"),
    CHOICE("partition", "P", TRAVERSALS, partition, weir__cli_partitions,
           "who owns which vertices: block, edge (equal arcs),\n"
           "random, metis; default: edge"),
    CHOICE("route", "R", TRAVERSALS, route, weir__cli_routes,
           "how items travel: auto, direct, ring, tree, staged (through\n"
           "host memory); default: auto, which looks at the machine"),
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
    {"packet", 0, "BYTES", VERB_PBF, set_bytes, FIELD(packet), 4, UINT64_C(1) << 30, NULL,
     "of what a device takes at a time, a multiple of 4: 64KiB, 4MiB;\n"
     "default: 16MiB on GPUs, 1MiB on host devices, 4MiB where both are"},
    CHOICE("schedule", "S", VERB_PBF, schedule, weir__cli_schedules,
           "dynamic: each packet to the first device that is free; static:\n"
           "an equal share to each device beforehand; default: dynamic"),
    NUMBER("work", VERB_PBF, rounds, 0, 1000000,
           "mix each element N times before it is compared: work that makes\n"
           "devices of different speed differ; default: 0"),
    {"bytes", 0, "N", VERB_BENCH, set_bytes, FIELD(bytes), 64, UINT64_C(1) << 40, NULL,
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
    {"factor", 0, "F", VERB_BENCH, set_factor, FIELD(factor), 1, 1000000, NULL,
     "of --compare; default: 1.10, which is 10 % slower. Figures of\n"
     "host devices vary more from run to run: give 2 or 3 there"},
    TEXT("from", 0, "FILE.json", VERB_BENCH, from,
         "measure nothing: read the figures of a --json file"),
    {"order", 0, "O", TRAVERSALS, set_order, 0, 0, 0, &weir__cli_orders,
     "fifo: as items come; soft, soft:DELTA: near ones first, DELTA\n"
     "levels or units of distance a step, found by itself when left\n"
     "out; bulk: generation by generation, all devices together;\n"
     "default: fifo, or soft where near and far differ"},
    CHOICE("kernel", "K", TRAVERSALS, kernel, weir__cli_kernels,
           "auto; fused: one kernel a device that stays until the end and\n"
           "sends by itself; discrete: a kernel a round; default: auto"),
    CHOICE("worker", "W", TRAVERSALS, worker, weir__cli_workers,
           "who takes items from the queue together: auto, thread, warp,\n"
           "block; default: auto"),
    NUMBER("fetch", TRAVERSALS, fetch, 1, 4096,
           "items a worker takes at a time; default: by how many there are"),
    {"mapping", 0, "M", TRAVERSALS, set_mapping, 0, 0, 0, &weir__cli_mappings,
     "how the arcs of what a worker took are spread over its lanes:\n"
     "auto; thread, warp, block: a vertex each; group:N: N lanes (1 to\n"
     "1024, a power of two) share the arcs of their vertices; merge:\n"
     "equal shares of vertices and arcs; default: auto"},
    CHOICE("balance", "B", TRAVERSALS, balance, weir__cli_balances, "off; default: off"),
    CHOICE("wire", "W", TRAVERSALS, wire, weir__cli_wires, "list; default: list"),
    NUMBER("trials", TRAVERSALS, trials, 1, 1000000,
           "runs for each source; with more than 1, one warm-up run\n"
           "comes first and is not counted; default: 1"),
    NUMBER("trials", VERB_PBF, trials, 1, 1000000,
           "runs; with more than 1, one warm-up run comes first and is not\n"
           "counted; default: 1"),
    NUMBER("seed", VERB_PBF, seed, 0, UINT64_MAX, "of the elements; default: 1"),
    NUMBER("seed", TRAVERSALS, seed, 0, UINT64_MAX,
           "for --sources and for partitions random and metis; default: 1"),
    {"time-limit", 0, "SECONDS", TRAVERSALS | VERB_PBF, set_seconds, FIELD(time_limit_ms), 1,
     UINT32_MAX, NULL, "stop a run that takes longer, 0.5 or 30; default: no limit"},
    FLAG("verify", TRAVERSALS | VERB_PBF, verify,
         "compare every result with a serial reference; default: off"),
    FLAG("stats", TRAVERSALS, stats,
         "show what the devices did, for each source: items, arcs, links\n"
         "and phases of the last run; on standard error where standard\n"
         "output is a result or a document, which has it anyway"),
    TEXT("output", 'o', "FILE", VERB_SSSP, output,
         "write one distance a line in vertex order, inf unreached; the\n"
         "last source's result; - is standard output"),
    TEXT("output", 'o', "FILE", VERB_BFS, output,
         "write one level a line in vertex order, -1 unreached; the\n"
         "last source's result; - is standard output"),
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
    FOREIGN("parts", "N", "has one part a device; that option belongs to partition"),
};

static_assert(sizeof options / sizeof *options <= 64, "the parser keeps a bit for every row");

size_t weir__cli_options(const weir__cli_option **options_out)
{
    *options_out = options;
    return sizeof options / sizeof *options;
}
