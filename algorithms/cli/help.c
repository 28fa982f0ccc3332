/** @file help.c  Help texts, made from the tables of verbs and options. */
#include "algorithms/cli/cli.h"

#include <string.h>

enum { OPTION_COLUMN = 24, USAGE_COLUMNS = 30 };

static void print_verbs(FILE *file)
{
    const weir__cli_verb *verb;
    for (size_t i = 0; (verb = weir__cli_verb_at(i)); i++)
        fprintf(file, "  weir %-10s%-*s%s\n", verb->name, USAGE_COLUMNS, verb->usage, verb->text);
}

void weir__cli_help_short(FILE *file)
{
    fputs("usage:\n", file);
    print_verbs(file);
    fputs("see weir help VERB\n", file);
}

static void print_graph_text(void)
{
    fputs(
        "GRAPH is a file (MatrixMarket, DIMACS, METIS, edge list, Galois or GAP binary, found by\n"
        "content; gzip, xz and zstd are unpacked; - is standard input), a file with its format in\n"
        "front (mtx:FILE, dimacs:, metis:, edges:, galois:, gap:, graph500: packed edges, which\n"
        "nothing else tells) or a generator:\n"
        "  rmat:SCALE[,EDGEFACTOR[,SEED]]  2^SCALE vertices, EDGEFACTOR x 2^SCALE arcs before\n"
        "                                  duplicates and self loops go (Graph500's R-MAT);\n"
        "                                  rmat:SCALE,EDGEFACTOR,SEED,unshuffled: numbered as the\n"
        "                                  matrix has them, the smaller, the more arcs\n"
        "  uniform:SCALE[,EDGEFACTOR[,SEED]]  the same, but each arc between any two vertices\n"
        "  mesh:WxH[,shuffle[,SEED]]       W x H vertices, each joined to those on the right, "
        "below\n"
        "                                  and between the two, both directions; shuffle: "
        "numbered\n"
        "                                  at random, else along rows\n"
        "  grid:WxH[,KEEP[,SEED]]          W x H vertices, each edge to the right and below kept\n"
        "                                  with probability KEEP, both directions\n"
        "  chain:N, star:N, complete:N     N vertices, in a line; all joined to the first; each "
        "to\n"
        "                                  all others; both directions\n"
        "  tree:N[,ARITY]                  N vertices, each with ARITY children (2), both "
        "directions\n"
        "  smallworld:N[,DEGREE[,REWIRED[,SEED]]]  a ring of N vertices, each joined to the "
        "DEGREE\n"
        "                                  (8) nearest, REWIRED (0.1) of these edges at random to\n"
        "                                  any other (Watts and Strogatz), both directions\n",
        stdout);
}

static void print_matrix_text(void)
{
    fputs(
        "MATRIX is a MatrixMarket file (coordinate; found by content; - is standard input),\n"
        "values drawn from -1 to 1 in one of these shapes, or any GRAPH of weir help, whose\n"
        "weights are the values:\n"
        "  banded:N,BAND[,SEED]            all entries up to BAND off the diagonal\n"
        "  random:RxC[,DEGREE[,SEED]]      R rows of DEGREE (8) entries, spread over C columns\n"
        "  powerlaw:N[,DEGREE[,SEED]]      rows of about DEGREE (16), a few very long\n"
        "  blocks:N[,SIZE[,SEED]]          dense blocks of SIZE (32) x SIZE, on the diagonal and\n"
        "                                  one more in each row of blocks\n"
        "  denserow:N[,DEGREE[,SEED]]      one row of all columns, DEGREE (4) in the others\n"
        "  emptyrows:N[,EACH[,SEED]]       8 entries in every EACH-th (16) row, else none\n",
        stdout);
}

void weir__cli_help_all(void)
{
    fputs("weir: irregular computations over the GPUs of a node\n\nusage:\n", stdout);
    print_verbs(stdout);
    fputs("  weir VERB --help\n\n", stdout);
    print_graph_text();
    fputs("\nOptions take their value as --name VALUE or --name=VALUE; -- ends options.\n"
          "Results go to standard output, messages to standard error, and progress of what takes\n"
          "long too, where that is a terminal.\n"
          "\nExit status: 0 done; 1 the run failed (device, memory, time limit, verification,\n"
          "signal, results that cannot be written, a comparison in which something got slower);\n"
          "2 bad usage or bad input.\n"
          "\nTunables are read from the environment: weir info --config lists them.\n",
          stdout);
}

static void print_machine_text(void)
{
    const char *const *names, *const *texts;
    size_t count = weir_machine_shipped(&names, &texts);
    fputs("A machine is a file that weir topo --format json wrote, a text such as 8*nvswitch\n"
          "(docs/machines.md has the grammar), or one of these:\n",
          stdout);
    for (size_t i = 0; i < count; i++)
        printf("  %-20s  %s\n", names[i], texts[i]);
}

static void print_benchmarks(void)
{
    puts("NAME is all, or one of these:");
    weir__cli_bench_names(stdout);
}

/* Print one option: its forms, then its help. Further lines of the help are indented to the same column. */
static void print_option(const weir__cli_option *option)
{
    char forms[64];
    int used = option->letter ? snprintf(forms, sizeof forms, "-%c, ", option->letter) : 0;
    used += snprintf(forms + used, sizeof forms - (size_t)used, "--%s%s%s", option->name,
                     option->argument ? " " : "", option->argument ? option->argument : "");
    printf("  %-*s", OPTION_COLUMN - 2, forms);
    if (used > OPTION_COLUMN - 3)
        printf("\n%*s", OPTION_COLUMN, "");
    for (const char *line = option->help; *line;) {
        int length = (int)strcspn(line, "\n");
        printf("%.*s\n", length, line);
        line += length + (line[length] == '\n');
        if (*line)
            printf("%*s", OPTION_COLUMN, "");
    }
}

void weir__cli_help_verb(const weir__cli_verb *verb)
{
    const weir__cli_option *options[OPTIONS_MAX];
    size_t count = weir__cli_options(verb, options);
    printf("usage: weir %s%s%s\n\n%s\n", verb->name, *verb->usage ? " " : "", verb->usage,
           verb->text);
    if (verb->more)
        printf("\n%s", verb->more);
    if (verb->algorithm || (verb->bit & (VERB_GEN | VERB_CONVERT | VERB_INFO | VERB_PARTITION))) {
        putchar('\n');
        print_graph_text();
    }
    if (verb->bit & VERB_MULTIPLY) {
        putchar('\n');
        print_matrix_text();
    }
    if (verb->bit & VERB_BENCH) {
        putchar('\n');
        print_benchmarks();
    }
    if (verb->bit & (VERB_TOPO | VERB_BENCH)) {
        putchar('\n');
        print_machine_text();
    }
    fputs("\noptions:\n", stdout);
    for (size_t i = 0; i < count; i++)
        if (options[i]->help)
            print_option(options[i]);
    if (verb->examples)
        printf("\nexamples:\n%s", verb->examples);
    fputs("\nExit status: 0 done; 1 the run failed; 2 bad usage or bad input.\n", stdout);
}

int weir__cli_help(const weir__cli_request *request)
{
    const weir__cli_verb *verb;
    if (!request->graph) {
        weir__cli_help_all();
        return EXIT_DONE;
    }
    verb = weir__cli_verb_find(request->graph);
    if (!verb)
        return weir__cli_verb_refuse(request->graph);
    weir__cli_help_verb(verb);
    return EXIT_DONE;
}

int weir__cli_version(const weir__cli_request *request)
{
    (void)request;
    printf("weir %s\n", weir_version_text());
    return EXIT_DONE;
}
