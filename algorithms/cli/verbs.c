/** @file verbs.c  The table of verbs: what each is called, takes and does. */
#include "algorithms/cli/algorithm.h"

#include <string.h>

#define VERB(word, option_bit, arguments, function, after, line, paragraphs, commands)             \
    {                                                                                              \
        .name = word, .bit = option_bit, .positional = arguments, .run = function, .usage = after, \
        .text = line, .more = paragraphs, .examples = commands                                     \
    }

static const weir__cli_verb others[] = {
    VERB("gen", VERB_GEN, 1, weir__cli_convert, "GRAPH -o FILE [options]",
         "write a graph into a file",
         "The suffix of FILE picks the format. The file appears complete or not at all. weir\n"
         "convert does the same for files, and takes FILE as an argument.\n",
         "  weir gen rmat:16,8,42 -o r16.mtx.xz\n"
         "  weir gen grid:1000x500,0.9 -o grid.gr\n"
         "  weir gen graph500:edges.bin -o edges.sg\n"),
    VERB("pbf", VERB_PBF, 0, weir__cli_pbf, "[options]", "filter an array on all devices",
         "Predicate-based filtering (Groute, section 3): the host's array of 32-bit elements goes\n"
         "through a router to the devices, what they keep goes through another back into one "
         "array.\n"
         "Element i is a bijection of i and the seed; it stays if it is below F x 2^32. ms is the\n"
         "time from the first send to the last arrival; GB/s counts the input. busy is the time a\n"
         "device spent in the filter, done when its last result had left it.\n",
         "  weir pbf --devices host:4 --verify\n"
         "  weir pbf --devices host:1x1,host:1x4 --work 64 --schedule static\n"
         "  weir pbf --elements 1073741824 --selectivity 0.1 --devices cuda --trials 5\n"),
    VERB("spmv", VERB_SPMV, 1, weir__cli_spmv, "MATRIX [options]",
         "multiply a sparse matrix with a vector",
         "y = alpha A x + beta y on all devices. Each has rows with about as many nonzeros, and a\n"
         "stretch of x; what it wants of others' comes over links while it multiplies. ms is the\n"
         "time from the call to its return, with y complete on the devices; kernel ms the part\n"
         "from the first kernel to the end of the last one. GB/s counts the matrix, x and y once\n"
         "each, what has to be moved at least; GFLOP/s two for each nonzero.\n",
         "  weir spmv matrix.mtx --x vector.mtx --output product.mtx --devices host:4\n"
         "  weir spmv rmat:18 --devices host:4 --schedule merge --verify\n"
         "  weir spmv uniform:22,32 --devices cuda:0-1 --trials 20 --overlap off --json -\n"),
    VERB("spmm", VERB_SPMM, 1, weir__cli_spmv, "MATRIX [options]",
         "multiply a sparse matrix with a dense one",
         "Y = alpha A X + beta Y on all devices, where X and Y have --columns columns and lie row\n"
         "by row. Times and rates are as of weir spmv.\n",
         "  weir spmm matrix.mtx --columns 32 --devices host:2 --verify\n"
         "  weir spmm rmat:20 --columns 64 --values f64 --devices cuda:0 --trials 20\n"),
    VERB(
        "graph500", VERB_GRAPH500, 0, weir__cli_graph500, "--scale N [options]",
        "the Graph500 benchmark, as its specification says",
        "Draws edgefactor x 2^scale edges, makes a graph of them on the devices (kernel 1,\n"
        "construction_time), and searches breadth-first from 64 roots (kernel 2). Prints what the\n"
        "reference implementation prints, in its form, in seconds and edges a second: times are\n"
        "those until the parents lie in host memory in the order of vertices; device_time and\n"
        "device_TEPS count until they are complete on the devices. The edges of a search are\n"
        "those of the input in its component, duplicates and self loops too. Every result is\n"
        "judged by the specification's five rules, on the devices, behind the clock (validate);\n"
        "the first that breaks one ends the run with status 1 and without figures.\n",
        "  weir graph500 --scale 16 --devices host:2\n"
        "  weir graph500 --scale 26 --devices cuda --json g500.json\n"),
    VERB(
        "plan", VERB_PLAN, 2, weir__cli_plan, "GRAPH|MATRIX [VERB] [options]",
        "what a run would take of each device's memory",
        "Shows for bfs, sssp, pr, cc and color, or for VERB alone, every array that a run has on "
        "each\n"
        "device, and makes none of them: the devices need not exist; those that do are opened,\n"
        "and asked what they have. A run of a graph that is at hand uses within 3 % of it. In\n"
        "place of GRAPH the numbers of a graph that is not: --vertices N --arcs M, arcs spread as\n"
        "an R-MAT graph spreads them; pr of a graph that is spread evenly may take more than\n"
        "twice as much on GPUs. Host memory is the most that a run writes to, the memory of host\n"
        "devices in it. cc streams arcs where they do not fit, and that is planned then. weir\n"
        "topo shows how much there is, and where the bounds come from. spmv and spmm are planned\n"
        "by name alone, of a MATRIX or of numbers, with options of theirs.\n",
        "  weir plan rmat:20 --undirected --devices host:4\n"
        "  weir plan road.mtx.gz bfs --devices cuda:0\n"
        "  weir plan rmat:22 bfs --sources 64 --batch --devices cuda:0\n"
        "  weir plan rmat:22 spmm --columns 32 --devices cuda:0-1 --vector cut\n"
        "  weir plan --vertices 268435456 --arcs 8589934592 pr --devices cuda:0-3\n"
        "  weir plan --vertices 256000000 --arcs 666000000 --machine nvswitch8 --json -\n"),
    VERB("info", VERB_INFO, 1, weir__cli_info, "GRAPH|--config [options]",
         "facts about a graph, or the tunables",
         "Shows name, format, vertices, arcs, self loops and duplicate arcs that were dropped,\n"
         "degrees and how many vertices have them, isolated vertices (no arcs in or out),\n"
         "symmetry, kind and range of the weights; weakly connected components, and bounds of the\n"
         "diameter of the largest, by a few searches, with arcs taken both ways; and how each\n"
         "algorithm would run on the devices if nothing else was asked for, and why: its form,\n"
         "devices, partition, order, width of a step (delta), kernel. All of it takes time in\n"
         "proportion to the arcs: a pass each for degrees and components, at most four searches,\n"
         "and placing the graph once for each algorithm; memory as a run does. What does not fit "
         "is\n"
         "said in its place.\n",
         "  weir info road.mtx.gz\n"
         "  weir info rmat:14 --undirected --devices host:4 --json -\n"
         "  weir info web.gr.xz --brief\n"
         "  weir info --config\n"),
    VERB("convert", VERB_CONVERT, 2, weir__cli_convert, "IN OUT [options]",
         "write a graph of one format in another",
         "IN is any GRAPH. The suffix of OUT picks the format:\n" WEIR__CLI_FORMATS_WRITTEN ".\n"
         "OUT is the graph as weir has it: sorted, without duplicates and self loops. A file\n"
         "appears complete or not at all, and is never IN.\n",
         "  weir convert road.gr.xz road.mtx\n"
         "  weir convert web.txt.gz web.gr --undirected --weights random:1-100:7\n"
         "  zcat graph.el.gz | weir convert - graph.gr.zst --json -\n"),
    VERB("partition", VERB_PARTITION, 1, weir__cli_partition, "GRAPH --parts N [options]",
         "cut a graph into parts, and say how well",
         "Shows of each part its vertices, their out-arcs, how many of these are cut (lead to\n"
         "other parts), and the halo: vertices of other parts that they lead to, each counted\n"
         "once. -o writes a line with its part for every vertex, METIS's format, which\n"
         "--partition file:PATH reads; part p is for device p of a run. No device is opened.\n",
         "  weir partition road.gr --parts 4 --partition metis -o road.part.4\n"
         "  weir bfs road.gr --devices host:4 --partition file:road.part.4\n"
         "  weir partition rmat:16 --parts 8 --format csv\n"
         "  weir partition road.gr --partition file:road.part.4\n"),
    VERB("topo", VERB_TOPO, 0, weir__cli_topo, "[options]",
         "the machine: devices, links, costs, routes",
         "Shows what the node is made of, what moving data costs between its devices and the\n"
         "host's memory, who reaches whom, and how items would be routed. --format json writes a\n"
         "file that --machine reads back, so that one machine can be studied on another.\n",
         "  weir topo\n"
         "  weir topo --measure --format json -o node.json\n"
         "  weir topo --machine node.json --route ring\n"
         "  weir topo --machine 8*nvswitch --format dot | dot -Tsvg -o node.svg\n"),
    VERB("bench", VERB_BENCH, 1, weir__cli_bench, "NAME|all|list [options]",
         "measure links, routers, collectives, memory, launches",
         "Every figure is the median of the trials with their lowest and highest; \"yes\" under\n"
         "verified says that every byte was compared afterwards. --json keeps the figures for\n"
         "--compare and for scripts/plot-bench.sh; a signal ends the run without results. Where\n"
         "one of all fails, the others still run, it is shown as failed, and the status is 1.\n"
         "Figures name devices as --devices does; in the document \"machine_label\" is the name\n"
         "of the same device in \"machine\".\n",
         "  weir bench pairs\n"
         "  weir bench broadcast --machine m60\n"
         "  weir bench all --json now.json --compare before.json --factor 1.2\n"
         "  weir bench copy --from now.json --format csv\n"),
    VERB("version", VERB_VERSION, 0, weir__cli_version, "", "the version and what is built in",
         NULL, NULL),
    VERB("help", VERB_HELP, 1, weir__cli_help, "[VERB]", "this text, or all about a verb", NULL,
         NULL),
};

const weir__cli_verb *weir__cli_verb_at(size_t position)
{
#define ROW_OF(name) &weir__cli_algorithm_##name,
    static const weir__cli_algorithm *const algorithms[] = {WEIR__CLI_ALGORITHMS(ROW_OF)};
    enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };
    if (position < ALGORITHMS)
        return &algorithms[position]->verb;
    position -= ALGORITHMS;
    return position < sizeof others / sizeof *others ? &others[position] : NULL;
}

const weir__cli_verb *weir__cli_verb_find(const char *name)
{
    const weir__cli_verb *verb;
    for (size_t i = 0; (verb = weir__cli_verb_at(i)); i++)
        if (strcmp(verb->name, name) == 0)
            return verb;
    return NULL;
}

static const char *next_name(void *user)
{
    size_t *next = user;
    const weir__cli_verb *verb = weir__cli_verb_at((*next)++);
    return verb ? verb->name : NULL;
}

int weir__cli_verb_refuse(const char *name)
{
    size_t next = 0;
    const char *close = weir__cli_closest(name, next_name, &next);
    if (close)
        return weir__cli_fail(EXIT_USAGE, "%s: unknown verb; did you mean %s?", name, close);
    return weir__cli_fail(EXIT_USAGE, "%s: unknown verb; see weir help", name);
}
