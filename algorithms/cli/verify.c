/** @file verify.c  Results that are exact, compared in full; and trees. */
#include "algorithms/cli/traversal.h"

#include <stdlib.h>
#include <string.h>

int weir__cli_compare_exactly(const weir__cli_algorithm *algorithm,
                              const weir__cli_request *request, const weir_graph *graph,
                              const void *values, const void *expected, weir__cli_trial *trial,
                              char **sentence_out)
{
    const uint64_t vertices = graph->vertices;
    char got[VALUE_ROOM], want[VALUE_ROOM];
    uint64_t first = 0, differing = 0;
    (void)request;
    (void)trial;
    *sentence_out = NULL;
    for (uint64_t v = vertices; v-- > 0;)
        if (algorithm->at(values, v) != algorithm->at(expected, v)) {
            first = v;
            differing++;
        }
    if (differing &&
        asprintf(sentence_out, "vertex %llu has %s %s, the reference %s; %llu of %llu differ",
                 (unsigned long long)first, algorithm->value,
                 weir__cli_value_text(algorithm, algorithm->at(values, first), got),
                 weir__cli_value_text(algorithm, algorithm->at(expected, first), want),
                 (unsigned long long)differing, (unsigned long long)vertices) < 0) {
        *sentence_out = NULL;
        return weir__cli_fail(EXIT_RUN, "no memory to name the first difference");
    }
    return EXIT_DONE;
}

int weir__cli_verify_tree(const weir_graph *graph, uint64_t source, const int64_t *parents,
                          const int32_t *levels, char **sentence_out)
{
    weir_status status = weir_bfs_tree_check(graph, source, parents, levels);
    *sentence_out = NULL;
    if (status != WEIR_ERR_VERIFY)
        return status ? weir__cli_fail_status(status) : EXIT_DONE;
    if (!(*sentence_out = strdup(weir_error_detail())))
        return weir__cli_fail(EXIT_RUN, "no memory to name what is wrong with the tree");
    return EXIT_DONE;
}
