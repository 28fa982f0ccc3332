/** @file cc_segment.c  The arcs of a graph, cut into segments for a router.
 *
 * Of a symmetric graph one arc of each pair is enough: the one that leads to the smaller vertex. These arcs are the
 * first of each row. The rows are cut into segments first, one after the other; then all cores write segments, each
 * of which knows where its arcs begin. */
#include "algorithms/cc/cc_segment.h"
#include "algorithms/graph/arcs.h"
#include "runtime/observe.h"

#include <stdlib.h>
#include <unistd.h>

/* Where a segment begins. */
struct cut {
    uint32_t vertex;
    uint64_t arc; /* of the graph */
    uint64_t rows, arcs;
};

struct cutter {
    const weir_graph *graph;
    int half;        /* only arcs to smaller vertices */
    uint64_t words;  /* of a segment at most */
    struct cut *cut; /* of each segment */
    uint64_t count, room;
    weir__cc_segments *segments;
};

/* The end of those arcs of a row that are wanted. */
static uint64_t row_end(const struct cutter *c, uint32_t v)
{
    uint64_t low = c->graph->offsets[v], high = c->graph->offsets[v + UINT64_C(1)];
    while (c->half && low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (c->graph->targets[middle] < v)
            low = middle + 1;
        else
            high = middle;
    }
    return high;
}

static weir_status begin_segment(struct cutter *c, uint32_t v, uint64_t arc)
{
    if (c->count == c->room) {
        uint64_t room = c->room ? 2 * c->room : 64;
        struct cut *grown = realloc(c->cut, room * sizeof *grown);
        if (!grown)
            return weir__fail(WEIR_ERR_NOMEM, "no memory to cut the arcs into %llu segments",
                              (unsigned long long)room);
        c->cut = grown;
        c->room = room;
    }
    c->cut[c->count++] = (struct cut){.vertex = v, .arc = arc};
    return WEIR_OK;
}

/* How many of the @p left arcs of a row fit into a segment of which @p used words are taken. */
static uint64_t fitting(const struct cutter *c, uint64_t used, uint64_t left)
{
    uint64_t room = c->words > used + 2 ? c->words - used - 2 : 0;
    if (left > CC_ROW)
        left = CC_ROW;
    return left < room ? left : room;
}

static weir_status cut_all(struct cutter *c)
{
    uint64_t used = c->words;
    weir_status status = WEIR_OK;
    for (uint32_t v = 0; v < c->graph->vertices && !(status = weir__activity_at(v)); v++) {
        const uint64_t end = row_end(c, v);
        for (uint64_t arc = c->graph->offsets[v]; arc < end;) {
            uint64_t take = fitting(c, used, end - arc);
            if (!take) {
                if ((status = begin_segment(c, v, arc)))
                    return status;
                used = CC_HEAD;
                continue;
            }
            c->cut[c->count - 1].rows++;
            c->cut[c->count - 1].arcs += take;
            used += 2 + take;
            arc += take;
        }
    }
    return status;
}

static void write_segment(const struct cutter *c, uint64_t number)
{
    const struct cut *cut = &c->cut[number];
    uint32_t *data = c->segments->data + c->segments->first[number];
    uint32_t *ends = data + CC_HEAD, *targets = ends + 2 * cut->rows;
    uint64_t arc = cut->arc, used = CC_HEAD, done = 0, rows = 0;
    data[0] = (uint32_t)cut->rows;
    data[1] = (uint32_t)cut->arcs;
    data[2] = data[3] = 0;
    for (uint32_t v = cut->vertex; rows < cut->rows; v++) {
        const uint64_t end = row_end(c, v);
        if (v != cut->vertex)
            arc = c->graph->offsets[v];
        while (arc < end && rows < cut->rows) {
            uint64_t take = fitting(c, used, end - arc);
            for (uint64_t i = 0; i < take; i++)
                targets[done + i] = c->graph->targets[arc + i];
            done += take;
            arc += take;
            used += 2 + take;
            ends[2 * rows] = v;
            ends[2 * rows++ + 1] = (uint32_t)done;
        }
    }
}

static void write_segments(void *user, uint64_t begin, uint64_t end)
{
    const struct cutter *c = user;
    for (uint64_t i = begin; i < end; i++)
        write_segment(c, i);
}

/* A row takes two words and one for each arc, and two more for each segment or piece it is cut into. */
void weir__cc_segments_need(const weir_graph *graph, size_t bytes, struct weir__need *need)
{
    const uint64_t n = graph->vertices, arcs = graph->arcs, rows = arcs < n ? arcs : n;
    const uint64_t words = arcs + 2 * rows + 2 * (arcs / CC_ROW);
    const uint64_t segments = words / (bytes / 4) * 2 + 1;
    weir__need_take(need, words + segments * (CC_HEAD + 2 + 4), 4);
    weir__need_take(need, segments, sizeof(uint64_t) + 2 * sizeof(struct cut));
}

/* Segments follow one another, each at a multiple of 16 bytes. */
static weir_status place(struct cutter *c)
{
    weir__cc_segments *s = c->segments;
    weir_status status = weir__alloc((size_t)c->count + 1, sizeof *s->first, "segments", &s->first);
    if (status)
        return status;
    for (uint64_t i = 0; i < c->count; i++) {
        s->first[i] = s->words;
        s->words += (CC_HEAD + 2 * c->cut[i].rows + c->cut[i].arcs + 3) / 4 * 4;
        s->arcs += c->cut[i].arcs;
    }
    s->first[c->count] = s->words;
    s->count = c->count;
    if (!(status = weir__locked_alloc(s->context, s->words * 4, 1, "arcs in segments", &s->data)))
        status =
            weir__activity_for("writing segments", "segments", c->count, 1, 0, write_segments, c);
    return status;
}

weir_status weir__cc_segments_create(weir_context *context, const weir_graph *graph, size_t bytes,
                                     weir__cc_segments *segments_out)
{
    struct cutter c = {.graph = graph, .segments = segments_out};
    weir_status status;
    *segments_out = (weir__cc_segments){.context = context};
    if ((status = weir_graph_fetch(graph)))
        return status;
    c.half = weir__graph_symmetric(graph, NULL);
    c.words = bytes / 16 * 4; /* what follows one begins at a multiple of 16 bytes */
    struct weir__activity outer;
    weir__activity_part(&outer, "cutting arcs into segments", "vertices", graph->vertices);
    if (!(status = cut_all(&c)))
        status = place(&c);
    (void)weir__activity_end(&outer, status);
    free(c.cut);
    return status;
}

void weir__cc_segments_destroy(weir__cc_segments *s)
{
    weir__locked_free(s->context, s->data);
    free(s->first);
}
