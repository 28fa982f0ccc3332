/** @file verbs.c  The table of verbs: what each is called, takes and does. */
#include "algorithms/cli/cli.h"

#include <string.h>

#define UNBUILT(name)                            \
    {                                            \
        name, 0, 0, NULL, NULL, NULL, NULL, NULL \
    }

/* Directions that do not look at every arc make the first of these larger than the work that was done. */
#define GTEPS_TEXT                                                    \
    "There are several kinds of TEPS, in 1e9 a second:\n"             \
    "  GTEPS        out-arcs of vertices reached, looked at or not\n" \
    "  GTEPS seen   arcs that were looked at, as often as they were\n"

static const weir__cli_verb verbs[] = {
    {"bfs", VERB_BFS, 1, weir__cli_bfs, "GRAPH [options]", "breadth-first search on all devices",
     "Levels are numbers of arcs from the source; -1 is unreached. Each run prints its time\n"
     "(ms: the run itself, no loading, partitioning or copying in) and what the devices "
     "did.\n" GTEPS_TEXT
     "  GTEPS edges  with --undirected: edges of what was reached (Graph500's, after cleaning)\n"
     "--output and --json files appear complete or not at all. A signal stops the run,\n"
     "removes what was begun, and ends with status 1.\n",
     "  weir bfs rmat:16 --undirected --verify\n"
     "  weir bfs road.mtx.gz --source 7 --devices host:4 --partition metis --output levels.txt\n"
     "  weir bfs rmat:22,16 --sources 16 --trials 3 --devices cuda:0-3 --json -\n"},
    {"sssp", VERB_SSSP, 1, weir__cli_sssp, "GRAPH [options]", "shortest paths on all devices",
     "Distances are sums of weights of arcs, none negative, along the shortest path from the\n"
     "source, and exact; inf is unreached. Each run prints its time (ms: the run itself, no\n"
     "loading, partitioning or copying in) and what the devices did.\n" GTEPS_TEXT
     "--output and --json files appear complete or not at all. A signal stops the run,\n"
     "removes what was begun, and ends with status 1.\n",
     "  weir sssp rmat:16 --undirected --verify\n"
     "  weir sssp road.gr.xz --source 7 --devices host:4 --order soft:3200 --stats\n"
     "  weir sssp grid:1000x1000 --weights random:1-1000:7 --devices cuda:0-3 --json -\n"},
    {"pr", VERB_PR, 1, weir__cli_pr, "GRAPH [options]", "PageRank on all devices",
     "A vertex gets (1 - damping) / vertices, and damping times what comes over its in-arcs:\n"
     "the rank of a vertex goes out in equal parts. Ranks have 64 bits. Each run prints its time\n"
     "(ms: the run itself, no loading, partitioning or copying in), the iterations of direction\n"
     "pull and what each took, the residual it stopped at, and GTEPS seen: arcs looked at, in\n"
     "1e9 a second.\n"
     "--verify makes one exact iteration from the ranks, all of them: what it changes, divided by\n"
     "1 - damping, is how far they are from the true ranks at most. It must be what the tolerance\n"
     "and the rounding of 32-bit shares allow, and ranks must sum to 1 unless dangling ranks are\n"
     "ignored. At tolerances up to 1e-9 all ranks are compared with a reference instead: they\n"
     "differ by tolerance / (1 - damping) in all at most, and at tolerances up to 1e-10 by 1e-9 "
     "of\n"
     "a rank at most.\n",
     "  weir pr rmat:16 --verify\n"
     "  weir pr web.txt.gz --tolerance 1e-10 --output ranks.txt\n"
     "  weir pr rmat:22 --undirected --devices cuda:0-3 --iterations 20 --trials 10 --json -\n"},
    {"cc", VERB_CC, 1, weir__cli_cc, "GRAPH [options]", "connected components on all devices",
     "Weakly connected: arcs join both ways. A vertex is labelled with the smallest vertex of\n"
     "its component. Each run prints its time (ms: the run itself, no loading, partitioning or\n"
     "copying in), the number of components and the vertices of the largest one.\n" GTEPS_TEXT,
     "  weir cc rmat:16 --verify\n"
     "  weir cc road.mtx.gz --devices host:4 --output labels.txt\n"
     "  weir cc rmat:25 --devices cuda:0-3 --stream on --stats\n"},
    {"gen", VERB_GEN, 1, weir__cli_gen, "GRAPH -o FILE [options]", "write a graph into a file",
     "The suffix of FILE picks the format. The file appears complete or not at all.\n",
     "  weir gen rmat:16,8,42 -o r16.mtx.xz\n"
     "  weir gen grid:1000x500,0.9 -o grid.gr\n"},
    {"pbf", VERB_PBF, 0, weir__cli_pbf, "[options]", "filter an array on all devices",
     "Predicate-based filtering (Groute, section 3): the host's array of 32-bit elements goes\n"
     "through a router to the devices, what they keep goes through another back into one array.\n"
     "Element i is a bijection of i and the seed; it stays if it is below F x 2^32. ms is the\n"
     "time from the first send to the last arrival; GB/s counts the input. busy is the time a\n"
     "device spent in the filter, done when its last result had left it.\n",
     "  weir pbf --devices host:4 --verify\n"
     "  weir pbf --devices host:1x1,host:1x4 --work 64 --schedule static\n"
     "  weir pbf --elements 1073741824 --selectivity 0.1 --devices cuda --trials 5\n"},
    {"info", VERB_INFO, 1, weir__cli_info, "GRAPH|--config [options]",
     "facts about a graph, or the tunables",
     "Shows name, format, vertices, arcs, out-degrees, isolated vertices (no arcs in or\n"
     "out), symmetry, and kind and range of the weights.\n",
     "  weir info road.mtx.gz\n"
     "  weir info rmat:14 --undirected --json -\n"
     "  weir info --config\n"},
    {"topo", VERB_TOPO, 0, weir__cli_topo, "[options]",
     "the machine: devices, links, costs, routes",
     "Shows what the node is made of, what moving data costs between its devices and the\n"
     "host's memory, who reaches whom, and how items would be routed. --format json writes a\n"
     "file that --machine reads back, so that one machine can be studied on another.\n",
     "  weir topo\n"
     "  weir topo --measure --format json -o node.json\n"
     "  weir topo --machine node.json --route ring\n"
     "  weir topo --machine 8*nvswitch --format dot | dot -Tsvg -o node.svg\n"},
    {"bench", VERB_BENCH, 1, weir__cli_bench, "NAME|all|list [options]",
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
     "  weir bench copy --from now.json --format csv\n"},
    {"version", VERB_VERSION, 0, weir__cli_version, "", "the version and what is built in", NULL,
     NULL},
    {"help", VERB_HELP, 1, weir__cli_help, "[VERB]", "this text, or all about a verb", NULL, NULL},
    UNBUILT("convert"),
    UNBUILT("partition"),
};

size_t weir__cli_verbs(const weir__cli_verb **verbs_out)
{
    *verbs_out = verbs;
    return sizeof verbs / sizeof *verbs;
}

const weir__cli_verb *weir__cli_verb_find(const char *name)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    return NULL;
}

static const char *next_built(void *user)
{
    size_t *next = user;
    while (*next < sizeof verbs / sizeof *verbs) {
        const weir__cli_verb *verb = &verbs[(*next)++];
        if (verb->run)
            return verb->name;
    }
    return NULL;
}

int weir__cli_verb_refuse(const char *name)
{
    size_t next = 0;
    if (weir__cli_verb_find(name))
        return weir__cli_fail(EXIT_USAGE, "%s is not built yet", name);
    const char *close = weir__cli_closest(name, next_built, &next);
    if (close)
        return weir__cli_fail(EXIT_USAGE, "%s: unknown verb; did you mean %s?", name, close);
    return weir__cli_fail(EXIT_USAGE, "%s: unknown verb; see weir help", name);
}
