/** @file partition.c  What --partition asks for: checked before a graph is loaded, made behind that. */
#include "algorithms/cli/algorithm.h"
#include "algorithms/graph/partition.h"
#include "runtime/support.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* Refuse a seed when nothing draws numbers. Two of the partitions do, and sources where they are searched from: what a plan says is the
 * same for all. */
static int check_seed(const weir__cli_request *request)
{
    const weir__cli_algorithm *algorithm = request->verb->algorithm;
    if (!weir__cli_given(request, "seed") || (request->sources && algorithm) ||
        request->partition == WEIR_PARTITION_RANDOM || request->partition == WEIR_PARTITION_METIS)
        return EXIT_DONE;
    return weir__cli_fail(EXIT_USAGE,
                          "--seed: nothing here depends on it; it is for %spartitions "
                          "random and metis",
                          algorithm && algorithm->sourced ? "--sources and for " : "");
}

int weir__cli_partition_check(const weir__cli_request *request)
{
    const char *file = request->partition_file;
    int code = check_seed(request);
    if (code || !file)
        return code;
    if (strcmp(file, "-") == 0)
        return strcmp(request->graph, "-") == 0
                   ? weir__cli_fail(EXIT_USAGE, "GRAPH and --partition file:- are both standard "
                                                "input, which can be one of them")
                   : EXIT_DONE;
    /* Reading it needs the graph, which takes its time to load. */
    return access(file, R_OK) == 0
               ? EXIT_DONE
               : weir__cli_fail(EXIT_USAGE, "--partition file:%s: %s", file, strerror(errno));
}

weir_status weir__cli_partition_make(const weir__cli_request *request, const weir_graph *graph,
                                     uint32_t parts, weir_partition **partition_out)
{
    const weir_partition_kind kind = request->partition == PARTITION_AUTO
                                         ? WEIR_PARTITION_EDGE
                                         : (weir_partition_kind)request->partition;
    if (kind == WEIR_PARTITION_2D)
        return request->grid_rows * request->grid_columns == parts
                   ? weir_partition_create_2d(graph, request->grid_rows, request->grid_columns,
                                              partition_out)
                   : weir__fail(WEIR_ERR_INVALID,
                                "--partition %s is a grid of %" PRIu32
                                " devices, and there %s %" PRIu32,
                                request->partition_2d, request->grid_rows * request->grid_columns,
                                parts == 1 ? "is" : "are", parts);
    if (kind != WEIR_PARTITION_FILE)
        return weir_partition_create(graph, kind, parts, request->seed, NULL, partition_out);
    return request->parts
               ? weir__partition_read_into(graph, request->partition_file, parts, partition_out)
               : weir_partition_read(graph, request->partition_file, parts, partition_out);
}
