/** @file bfs_certify.c  Levels and trees judged on the devices of a context, by Graph500's rules (bfs_tree.c).
 *
 * A vertex alone tells whether its level and its parent go together, an arc whether it skips a level or leaves what was reached. That a
 * vertex has an arc from one level above, from its parent where there is a tree, is marked as arcs come by. Then levels are those of
 * the shortest ways: by the arcs none is larger, and by the marks, level after level back to the source, none is smaller. */
#include "algorithms/bfs/bfs_rules.h"
#include "algorithms/common/certify.h"
#include "algorithms/reference.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

struct search {
    bfs_found found; /* in host memory */
    uint32_t *marks, *room;
};

static weir_status look(void *user, struct weir__certify_on *on)
{
    struct search *search = user;
    const uint64_t n = search->found.vertices;
    bfs_certify_args args = {.share = on->share, .found = search->found};
    weir_status status;
    if ((status = weir__certify_bring(on, "levels", search->found.levels, n, sizeof(int32_t),
                                      &args.found.levels)) ||
        (search->found.parents &&
         (status = weir__certify_bring(on, "parents", search->found.parents, n, sizeof(int64_t),
                                       &args.found.parents))) ||
        (status = weir__certify_bring(on, "marks of vertices", NULL, weir__certify_words(n),
                                      sizeof(uint32_t), &args.marks)))
        return status;
    args.here = on->here;
    if ((status =
             weir__certify_vertices(on, &weir__bfs_certify_vertices_kernel, &args, sizeof args)) ||
        (status = weir__certify_arcs(on, &weir__bfs_certify_arcs_kernel, &args.here, &args,
                                     sizeof args)))
        return status;
    return weir__certify_join_marks(on, args.marks, search->marks, search->room);
}

/* Whether a vertex was reached, and no arc tells how. */
static int hangs(const void *user, uint64_t v)
{
    const struct search *search = user;
    return search->found.levels[v] != -1 && v != search->found.source &&
           !certify_marked(search->marks, v);
}

void weir__bfs_certify_need(const weir_context *context, const weir_graph *graph, int parents,
                            struct weir__need *need)
{
    struct weir__need own = *need;
    weir__need_take(&own, 2 * weir__certify_words(graph->vertices), sizeof(uint32_t));
    weir__certify_need(context, graph, 0, sizeof(int32_t) + (parents ? sizeof(int64_t) : 0) + 1,
                       &own);
    need->most = own.most;
}

static weir_status certify(weir_context *context, const weir_graph *graph, struct search *search)
{
    uint64_t found[CERTIFY_FOUND], hanging = UINT64_MAX;
    weir_status status;
    if ((status = weir__certify_each(context, graph, 0, look, search, found)) ||
        (status = weir__certify_first("looking for what is not marked", "vertices", graph->vertices,
                                      hangs, search, &hanging)))
        return status;
    const struct weir__certify_broken broken =
        weir__certify_broken_of(graph, found, hanging, search->found.parents ? BFS_ARC : BFS_BELOW);
    return broken.vertex == UINT64_MAX
               ? WEIR_OK
               : weir__bfs_breaks(graph, &search->found, broken.vertex, broken.arc, broken.rule);
}

weir_status weir_bfs_certify(weir_context *context, const weir_graph *graph, uint64_t source,
                             const int32_t *levels, const int64_t *parents)
{
    struct search search = {.marks = NULL};
    struct weir__need need = {0, 0};
    struct weir__activity outer;
    weir_status status;
    if ((status = weir__certify_check("weir_bfs_certify", context, graph, levels)) ||
        (status = weir__certify_check_source(graph, source)))
        return status;
    const uint64_t words = weir__certify_words(graph->vertices);
    search.found = (bfs_found){graph->vertices, source, levels, parents};
    weir__bfs_certify_need(context, graph, parents != NULL, &need);
    if (!(status = weir__need_fits(&need, "the certificate of a search of %s", graph->name)) &&
        !(status = weir__calloc(words, sizeof(uint32_t), "marks of vertices", &search.marks)) &&
        !(status = weir__alloc(words, sizeof(uint32_t), "marks of a device", &search.room))) {
        weir__activity_begin(&outer, "certifying levels", "arcs", graph->arcs);
        status = weir__activity_end(&outer, certify(context, graph, &search));
    }
    free(search.marks);
    free(search.room);
    return status;
}
