/** @file ascend.c  A text that is a graph already.
 *
 * What a program wrote row by row comes back as lines whose arcs ascend, by where they begin and then by where they lead, and none
 * twice. As long as that is so, arcs are kept as the graph will have them: targets, integers as weights, and where rows begin in place
 * of sources, so that the graph is there with the last line, and no list of arcs ever is. Loops, with which edge lists say how many vertices there are, are
 * left out. The first arc that does not ascend makes a list of what there is (weir__arcs_spread()).
 *
 * Memory for targets and weights is taken once, for as many arcs as the size of the text lets expect, so that the system gives large pages; what
 * is never touched costs nothing, and the end goes back with the last line. */
#include "algorithms/graph/build.h"
#include "algorithms/graph/rows.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST UINT64_C(4096)
#define ROW_USUAL  8u                  /* arcs, where nobody says how many vertices there are */
#define ROWS_FREE  65536u              /* rows that may be without arcs */
#define ROWS_MOST  8u                  /* for each arc */
#define PART       (UINT64_C(1) << 20) /* weights that are converted, and given back, at once */

/* Of each arc. */
static size_t bytes_of(const weir__arcs *arcs)
{
    return sizeof *arcs->targets + (!arcs->weighted ? 0
                                    : arcs->weights ? sizeof *arcs->weights
                                                    : sizeof *arcs->integers);
}

/* Resize an array that @p used values are in. One that is short moves into memory that is taken anew, which is when the system is asked for large
 * pages; a long one keeps what it has. */
static weir_status resize(void *array, uint64_t used, uint64_t count, size_t bytes)
{
    void *data, *more;
    weir_status status;
    memcpy(&data, array, sizeof data);
    if (used > ROOM_LEAST) {
        more = count > SIZE_MAX / bytes ? NULL : realloc(data, count * bytes);
        if (!more)
            return weir__fail(WEIR_ERR_NOMEM, "arcs: no memory for %llu of them",
                              (unsigned long long)count);
    } else {
        if ((status = weir__alloc(count, bytes, "arcs", &more)))
            return status;
        if (used)
            memcpy(more, data, used * bytes);
        free(data);
    }
    memcpy(array, &more, sizeof more);
    return WEIR_OK;
}

/* What an array of @p room values grows to that has to hold @p wanted, and is expected to hold @p expected. */
static uint64_t grown(uint64_t room, uint64_t wanted, uint64_t expected)
{
    uint64_t more = room + room / 4;
    more = more > expected ? more : expected;
    more = more > wanted ? more : wanted;
    return more > ROOM_LEAST ? more : ROOM_LEAST;
}

/* Room for more arcs. @param[out] room_out  0: it is more than should be taken. */
static weir_status make_room(weir__arcs *arcs, uint64_t more, int *room_out)
{
    const uint64_t used = arcs->count, wanted = used + more,
                   room = grown(arcs->room, wanted, arcs->expected);
    weir_status status;
    *room_out = 1;
    if (wanted <= arcs->room)
        return WEIR_OK;
    *room_out = room - used <= weir__room_left() / 2 / bytes_of(arcs);
    if (!*room_out)
        return WEIR_OK;
    if ((status = resize(&arcs->targets, used, room, sizeof *arcs->targets)))
        return status;
    if (arcs->weighted && arcs->weights)
        status = resize(&arcs->weights, used, room, sizeof *arcs->weights);
    else if (arcs->weighted)
        status = resize(&arcs->integers, used, room, sizeof *arcs->integers);
    if (!status)
        arcs->room = room;
    return status;
}

/* Room for offsets of @p rows rows and the end of the last. @param[out] room_out  0: as above, or there are so few arcs that this is no list of
 * all vertices, and a first line with a large id might cost more than all others. */
static weir_status make_rows(weir__arcs *arcs, uint64_t rows, int *room_out)
{
    const uint64_t arcs_known = arcs->count + arcs->expected, usual = arcs->expected / ROW_USUAL,
                   expected = arcs->vertices > usual && arcs->vertices <= arcs->expected
                                  ? arcs->vertices
                                  : usual,
                   room = grown(arcs->rows_room, rows + 1, expected + 1);
    weir_status status = WEIR_OK;
    *room_out = 1;
    if (rows < arcs->rows_room)
        return WEIR_OK;
    *room_out = (rows < ROWS_FREE || rows / ROWS_MOST <= arcs_known) &&
                room - arcs->rows <= weir__room_left() / 2 / sizeof *arcs->offsets;
    if (*room_out && !(status = resize(&arcs->offsets, arcs->rows, room, sizeof *arcs->offsets)))
        arcs->rows_room = room;
    return status;
}

static void drop_loops(weir__plain *plain)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < plain->count; i++)
        if (plain->sources[i] != plain->targets[i]) {
            plain->sources[kept] = plain->sources[i];
            plain->targets[kept] = plain->targets[i];
            if (plain->fractions)
                plain->weights[kept] = plain->weights[i];
            else if (plain->integers)
                plain->integers[kept] = plain->integers[i];
            kept++;
        }
    plain->count = kept;
    plain->loops = 0;
    weir__plain_mark_runs(plain);
}

/* Whether weights that came as doubles are integers all the same: a loop may have had the fraction. */
static int any_fraction(const weir__plain *plain)
{
    int fractions = 0;
    for (uint64_t i = 0; plain->fractions && i < plain->count; i++)
        fractions |= weir__is_fraction(plain->weights[i]);
    return fractions;
}

/* Integers that were kept become doubles, from the last on; what was converted goes back. */
static weir_status widen(weir__arcs *arcs)
{
    weir_status status;
    if (!arcs->weighted || arcs->weights)
        return WEIR_OK;
    if ((status = weir__alloc(arcs->room, sizeof *arcs->weights, "arcs", &arcs->weights)))
        return status;
    for (uint64_t end = arcs->count; end > 0;) {
        const uint64_t begin = end > PART ? end - PART : 0;
        for (uint64_t i = begin; i < end; i++)
            arcs->weights[i] = arcs->integers[i];
        arcs->integers = weir__shorten(arcs->integers, begin, sizeof *arcs->integers);
        end = begin;
    }
    free(arcs->integers);
    arcs->integers = NULL;
    return WEIR_OK;
}

/* The same for rows, which have room for more arcs than there are. @param[out] room_out  as above. */
static weir_status widen_rows(weir__arcs *arcs, int *room_out)
{
    *room_out = !arcs->weighted || arcs->weights ||
                arcs->room <= weir__room_left() / 2 / sizeof *arcs->weights;
    return *room_out ? widen(arcs) : WEIR_OK;
}

static void put_weights(weir__arcs *arcs, const weir__plain *plain)
{
    const uint64_t count = plain->count;
    double *weights = arcs->weights;
    if (!count) /* there may be no arrays */
        return;
    uint32_t *integers = weights ? arcs->integers : arcs->integers + arcs->count;
    if (!weights && !plain->fractions)
        memcpy(integers, plain->integers, count * sizeof *integers);
    else if (!weights)
        for (uint64_t i = 0; i < count; i++)
            integers[i] = (uint32_t)plain->weights[i];
    else if (plain->fractions)
        for (uint64_t i = 0; i < count; i++)
            weights[arcs->count + i] = plain->weights[i] + 0.0; /* -0 becomes 0 */
    else
        for (uint64_t i = 0; i < count; i++)
            weights[arcs->count + i] = plain->integers[i];
}

/* Where rows begin that have arcs from @p before on. */
static void put_rows(weir__arcs *arcs, uint64_t before, const weir__plain *plain)
{
    uint64_t rows = arcs->rows;
    for (uint64_t i = 0; i < plain->run_count; i++)
        for (; rows <= plain->runs[i].source; rows++)
            arcs->offsets[rows] = before + plain->runs[i].begin;
    arcs->rows = rows;
}

weir_status weir__arcs_append_rows(weir__arcs *arcs, weir__plain *plain, int *taken_out)
{
    const uint64_t loops = plain->loops, before = arcs->count;
    weir_status status;
    *taken_out = 0;
    if (plain->tangled)
        return WEIR_OK;
    if (loops)
        drop_loops(plain);
    arcs->loops += loops;
    const uint64_t count = plain->count;
    *taken_out = count == 0 || before == 0 ||
                 weir__arc_above(arcs->rows - 1, arcs->targets[before - 1], *plain->sources,
                                 *plain->targets);
    if (count == 0 || !*taken_out)
        return WEIR_OK;
    if ((status = make_room(arcs, count, taken_out)) || !*taken_out ||
        (status = make_rows(arcs, plain->sources[count - 1] + UINT64_C(1), taken_out)) ||
        !*taken_out ||
        (any_fraction(plain) && ((status = widen_rows(arcs, taken_out)) || !*taken_out)))
        return status;
    memcpy(arcs->targets + before, plain->targets, count * sizeof *arcs->targets);
    if (arcs->weighted)
        put_weights(arcs, plain);
    put_rows(arcs, before, plain);
    arcs->count = before + count;
    return WEIR_OK;
}

/* A list grows as its arcs come: room for all that the text let expect, of more bytes each, may be more than there is. */
static void shorten_room(weir__arcs *arcs)
{
    const uint64_t room = arcs->count + arcs->count / 4;
    if (room >= arcs->room)
        return;
    arcs->targets = weir__shorten(arcs->targets, room, sizeof *arcs->targets);
    arcs->integers = weir__shorten(arcs->integers, room, sizeof *arcs->integers);
    arcs->weights = weir__shorten(arcs->weights, room, sizeof *arcs->weights);
    arcs->room = room;
}

weir_status weir__arcs_spread(weir__arcs *arcs)
{
    struct weir__need need = {0, 0};
    weir_status status;
    if (!arcs->ascends)
        return WEIR_OK;
    arcs->ascends = 0;
    if (arcs->count ==
        0) { /* what is reserved for rows is of no use to a list, which goes back by parts */
        weir__arcs_free(arcs);
        return WEIR_OK;
    }
    shorten_room(arcs);
    weir__need_take(&need, arcs->count, sizeof *arcs->sources);
    weir__need_take(&need, arcs->weighted ? arcs->count : 0, sizeof *arcs->weights);
    if ((status = weir__need_fits(&need, "%llu arcs", (unsigned long long)arcs->count)) ||
        (status = widen(arcs)) ||
        (status = weir__alloc(arcs->room, sizeof *arcs->sources, "arcs", &arcs->sources)))
        return status;
    arcs->offsets[arcs->rows] = arcs->count;
    status = weir__rows_sources(arcs->offsets, arcs->rows, arcs->threads, arcs->sources);
    free(arcs->offsets);
    arcs->offsets = NULL;
    arcs->rows = arcs->rows_room = 0;
    return status;
}

/* Offsets of the vertices behind the last one that an arc begins at. */
static weir_status end_rows(weir__arcs *arcs)
{
    const uint64_t n = arcs->vertices;
    struct weir__need need = {0, 0};
    weir_status status;
    weir__need_take(&need, n + 1 - arcs->rows, sizeof *arcs->offsets);
    if ((status = weir__need_fits(&need, "a graph of %llu vertices and %llu arcs",
                                  (unsigned long long)n, (unsigned long long)arcs->count)) ||
        (status = resize(&arcs->offsets, arcs->rows, n + 1, sizeof *arcs->offsets)))
        return status;
    for (uint64_t v = arcs->rows; v <= n; v++)
        arcs->offsets[v] = arcs->count;
    return WEIR_OK;
}

/* Arrays for no arcs at all: without targets they would be on devices. */
static weir_status take_none(weir__arcs *arcs)
{
    weir_status status = weir__alloc(0, sizeof *arcs->targets, "arcs", &arcs->targets);
    return status || !arcs->weighted
               ? status
               : weir__alloc(0, sizeof *arcs->integers, "arcs", &arcs->integers);
}

weir_status weir__build_rows(weir__arcs *arcs, weir_graph **graph_out)
{
    const uint64_t m = arcs->count;
    weir_graph *graph;
    weir_status status;
    *graph_out = NULL;
    if (m == 0 && (status = take_none(arcs)))
        return status;
    if ((status = end_rows(arcs)) || (status = weir__calloc(1, sizeof *graph, "graph", &graph)))
        return status;
    *graph = (weir_graph){.vertices = arcs->vertices,
                          .arcs = m,
                          .offsets = arcs->offsets,
                          .targets = weir__shorten(arcs->targets, m, sizeof *arcs->targets),
                          .weight_kind = !arcs->weighted ? WEIR_WEIGHT_NONE
                                         : arcs->weights ? WEIR_WEIGHT_F64
                                                         : WEIR_WEIGHT_U32,
                          .weights_u32 = weir__shorten(arcs->integers, m, sizeof *arcs->integers),
                          .weights_f64 = weir__shorten(arcs->weights, m, sizeof *arcs->weights),
                          .negative_line = arcs->negative_line,
                          .loops_dropped = arcs->loops};
    arcs->offsets = NULL;
    arcs->targets = arcs->integers = NULL;
    arcs->weights = NULL;
    weir__arcs_free(arcs);
    *graph_out = graph;
    return WEIR_OK;
}
