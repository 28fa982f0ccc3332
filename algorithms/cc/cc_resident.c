/** @file cc_resident.c  Connected components of rows that lie on the devices: the arrays, runs, and what they found. */
#include "algorithms/cc/cc.h"
#include "algorithms/cc/cc_firsts_op.h"
#include "algorithms/cc/cc_op.h"
#include "runtime/support.h"

#include <assert.h>
#include <stddef.h>

extern const weir_steps_body weir__cc_steps, weir__cc_interleaved_steps, weir__cc_near_steps,
    weir__cc_near_several_steps;

/* ---- memory ---------------------------------------------------------------------------------- */

uint64_t weir__cc_resident_bytes(const weir_graph *graph, uint32_t devices)
{
    const uint64_t n = graph->vertices, rows = n / devices;
    /* rows and arcs; ids, labels, rows outside, their smallest ids, and next arcs or first ones; parents, hooks, and first neighbours of others */
    return rows * 8 + graph->arcs / devices * 4 + rows * 20 + n * (devices > 1 ? 16 : 4);
}

/* Hooks are written to as far as there are vertices with arcs. Whether there are two directions of arcs is known
 * to the rows alone: here both are counted, which are 1/512 of the arcs' own bytes. */
static void need(const struct weir__sizes *sizes, const void *user, struct weir__need *need)
{
    const weir_device *device = weir_context_device(sizes->context, 0);
    (void)user;
    weir__need_take_on(need, device, sizes->arcs * 2 / (CC_PIECE / 2), sizeof(struct cc_piece));
    weir__need_take_on(need, device, sizes->numbers, sizeof(uint32_t)); /* least */
    if (sizes->parts > 1) {
        /* By part all of told least in place of hooks: which of them is not known yet. */
        const uint64_t hooks = sizes->touched * sizeof(struct cc_hook),
                       told = sizes->numbers * sizeof(uint32_t);
        weir__need_take_on(need, device, sizes->parts, hooks > told ? hooks : told);
        /* Ends of cut arcs: a list on each device, made from a bit a number. */
        weir__need_take_on(need, device, sizes->numbers / CC_CUTS, sizeof(uint32_t));
        weir__need_pass(need, sizes->numbers / 8 + sizes->numbers / CC_CUTS * sizeof(uint32_t), 1);
    }
}

static int has_lanes(const weir_device *device)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    return !weir_device_info_get(device, &info) && info.lanes > 1;
}

/* What there is while an object is made. */
struct making {
    weir__cc_resident *cc;
    const weir_graph *graph;
    weir__cc_cut cut;
    uint32_t bits; /* of names */
    int has_lanes; /* the devices' workers */
};

/* Rows that a run looks at, of all devices. */
static uint64_t busy_rows(const weir__cc_resident *cc)
{
    uint64_t rows = 0;
    for (uint32_t p = 0; p < cc->on.parts; p++)
        rows += weir__row_steps_part(&cc->on, p)->busy;
    return rows;
}

/* Whether rows have fewer arcs on average, of both directions. */
static int has_fewer_arcs(const weir__cc_resident *cc, uint32_t than)
{
    const uint64_t arcs = weir__row_steps_part(&cc->on, 0)->arcs_all;
    return arcs * (weir_rows_symmetric(cc->on.rows) ? 1 : 2) < than * busy_rows(cc);
}

static int is_direct(const weir__cc_resident *cc)
{
    return (cc->in_order || cc->by_part) && has_fewer_arcs(cc, CC_FEW);
}

/* Then the root of a tree has its smallest id. */
int weir__cc_in_order(const struct weir__row_steps *on)
{
    const uint32_t *id = weir_rows_vertices(on->rows);
    const uint32_t numbers = weir__row_steps_part(on, 0)->numbers;
    uint32_t last = 0, i = 0;
    if (!id) /* of a sketch, which is numbered by degree */
        return 0;
    for (; i < numbers && (id[i] == UINT32_MAX || id[i] >= last); i++)
        last = id[i] == UINT32_MAX ? last : id[i];
    return i == numbers;
}

static uint64_t piece_count(const void *user, uint32_t device, uint32_t sender)
{
    const weir__cc_resident *cc = ((const struct making *)user)->cc;
    const weir_rows_part *part = weir__row_steps_part(&cc->on, device);
    (void)sender;
    return (part->arcs_out + (weir_rows_symmetric(cc->on.rows) ? 0 : part->arcs_in)) /
           (CC_PIECE / 2);
}

static uint64_t hook_count(const void *user, uint32_t device, uint32_t sender)
{
    const weir__cc_resident *cc = ((const struct making *)user)->cc;
    (void)sender;
    if (cc->by_part) /* one an end */
        return ((const struct making *)user)->cut.count;
    return cc->on.parts > 1 ? weir__row_steps_part(&cc->on, device)->numbers : 0;
}

/* Of arrays that are there only where ids do not ascend with numbers. */
static uint64_t unordered_count(const void *user, uint32_t device, uint32_t sender)
{
    (void)device;
    (void)sender;
    const weir__cc_resident *cc = ((const struct making *)user)->cc;
    return !cc->in_order && !cc->by_part;
}

/* Of rows outside the largest tree. Where all arcs are direct and ids ascend, nobody asks which those are. */
static uint64_t outside_count(const void *user, uint32_t device, uint32_t sender)
{
    const weir__cc_resident *cc = ((const struct making *)user)->cc;
    (void)device;
    (void)sender;
    return !cc->on.rows || !is_direct(cc);
}

/* Of what there is by part alone. */
static uint64_t by_part_count(const void *user, uint32_t device, uint32_t sender)
{
    (void)device;
    (void)sender;
    return (uint64_t)((const struct making *)user)->cc->by_part;
}

static uint64_t least_count(const void *user, uint32_t device, uint32_t sender)
{
    const weir__cc_resident *cc = ((const struct making *)user)->cc;
    const weir_rows_part *part = weir__row_steps_part(&cc->on, device);
    return cc->by_part ? part->numbers : unordered_count(user, device, sender) ? part->owned : 0;
}

static uint64_t cut_count(const void *user, uint32_t device, uint32_t sender)
{
    (void)device;
    (void)sender;
    return ((const struct making *)user)->cut.count;
}

/* The first step seldom makes a tree of half of the vertices, and links follow: the smallest neighbours are no hubs. */
static int looks_again(const weir__cc_resident *cc)
{
    return weir_rows_symmetric(cc->on.rows) && !is_direct(cc) &&
           weir_rows_order_of(cc->on.rows) == WEIR_ROWS_BY_ID;
}

/* Then the next arcs are kept, unless rows are so long that roots alone look along theirs. */
static uint64_t next_count(const void *user, uint32_t device, uint32_t sender)
{
    const weir__cc_resident *cc = ((const struct making *)user)->cc;
    (void)device;
    (void)sender;
    if (!cc->on.rows) /* how much is needed is asked before they are placed */
        return 1;
    return looks_again(cc) && has_fewer_arcs(cc, CC_MANY);
}

static _Thread_local int pretended;

void weir__cc_near_pretend(int on)
{
    pretended = on;
}

/* Whether cc_near.h has a kernel for these rows: they are few arcs long, and there are lanes to scan them. */
static int is_near(const struct making *making)
{
    const weir__cc_resident *cc = making->cc;
    return is_direct(cc) && weir_rows_symmetric(cc->on.rows) && has_fewer_arcs(cc, CC_FEWER) &&
           (making->has_lanes || pretended);
}

/* Rows are so long that their first neighbours are read apart from their arcs. */
static int has_long_rows(const weir_graph *graph)
{
    return graph->arcs * (graph->mirrored ? 1 : 2) >= CC_MANY * graph->vertices;
}

/* A device that is alone has first neighbours apart where rows are long. Several have those of each other, unless their trees are their own, or point at others than the first (cc_near.h). */
static uint64_t firsts_count(const void *user, uint32_t device, uint32_t sender)
{
    const struct making *making = user;
    const struct weir__row_steps *on = &making->cc->on;
    (void)device;
    (void)sender;
    if (on->parts == 1)
        return (uint64_t)has_long_rows(making->graph);
    if (!on->rows) /* how much is needed is asked before they are placed */
        return 1;
    return !making->cut.few && !is_near(making);
}

#define FIELD(name) offsetof(struct cc_args, name)
static const weir_steps_array arrays[] = {
    {.name = "parent",
     .extent = WEIR_STEPS_NUMBERS,
     .holding = WEIR_STEPS_SHARED,
     .bytes = 4,
     .field = FIELD(parent)},
    {.name = "words",
     .holding = WEIR_STEPS_SHARED,
     .bytes = sizeof(struct cc_words),
     .field = FIELD(words)},
    {.name = "label", .extent = WEIR_STEPS_OWNED, .bytes = 4, .field = FIELD(label)},
    {.name = "pieces",
     .extent = WEIR_STEPS_COUNTED,
     .count = piece_count,
     .bytes = sizeof(struct cc_piece),
     .more = 1,
     .field = FIELD(pieces)},
    {.name = "hooks",
     .extent = WEIR_STEPS_COUNTED,
     .holding = WEIR_STEPS_SHARED,
     .count = hook_count,
     .bytes = sizeof(struct cc_hook),
     .field = FIELD(hooks)},
    {.name = "least",
     .extent = WEIR_STEPS_COUNTED,
     .holding = WEIR_STEPS_SHARED,
     .count = least_count,
     .bytes = 4,
     .field = FIELD(least)},
    {.name = "told least",
     .extent = WEIR_STEPS_NUMBERS,
     .first = WEIR_STEPS_FILLED_ONCE,
     .fill = 0xFF,
     .count = by_part_count,
     .bytes = 4,
     .field = FIELD(told_least)},
    {.name = "first neighbours",
     .extent = WEIR_STEPS_NUMBERS,
     .count = firsts_count,
     .bytes = 4,
     .field = FIELD(firsts)},
    {.name = "next",
     .extent = WEIR_STEPS_OWNED,
     .count = next_count,
     .bytes = 4,
     .field = FIELD(next)},
    {.name = "cut arcs",
     .extent = WEIR_STEPS_COUNTED,
     .count = cut_count,
     .bytes = 4,
     .field = FIELD(cut)},
    {.name = "ids",
     .extent = WEIR_STEPS_OWNED,
     .count = unordered_count,
     .bytes = 4,
     .field = FIELD(ids)},
    {.name = "outside",
     .extent = WEIR_STEPS_OWNED,
     .count = outside_count,
     .bytes = 4,
     .field = FIELD(outside)},
};

#define PHASE(text, at)                                   \
    {                                                     \
        .name = text, .ns = at, .steps = CC_STEPS_OF + at \
    }
static const weir_steps_phase phases[] = {
    PHASE("first", CC_AT_FIRST), PHASE("flatten", CC_AT_FLATTEN), PHASE("sample", CC_AT_SAMPLE),
    PHASE("link", CC_AT_LINK),   PHASE("rest", CC_AT_REST),       PHASE("direct", CC_AT_DIRECT),
    PHASE("merge", CC_AT_MERGE), PHASE("label", CC_AT_LABEL)};
static_assert(sizeof phases / sizeof *phases <= WEIR_RUN_PHASES,
              "statistics have room for all phases");

#define PROGRAM(kernel)                                                      \
    {                                                                        \
        .what = "connected components", .body = &(kernel), .arrays = arrays, \
        .array_count = sizeof arrays / sizeof *arrays, .phases = phases,     \
        .phase_count = sizeof phases / sizeof *phases                        \
    }
static const weir_steps_program program = PROGRAM(weir__cc_steps),
                                interleaved = PROGRAM(weir__cc_interleaved_steps),
                                near = PROGRAM(weir__cc_near_steps),
                                near_several = PROGRAM(weir__cc_near_several_steps);

#define FORM(of)                                                                          \
    {                                                                                     \
        .program = &(of), .rows = FIELD(part), .values = "label", .kind = WEIR_VALUE_U32, \
        .need = need, .placed = look_at_rows                                              \
    }
static weir_status look_at_rows(struct weir__row_steps *on, void *user);
static const struct weir__row_form form = FORM(program), form_interleaved = FORM(interleaved),
                                   form_near = FORM(near), form_near_several = FORM(near_several);

/* Rows are so long that roots go first in the first round. Of a triangulated mesh half of the rows' arcs are enough for a large tree. */
static int has_roots(const weir__cc_resident *cc)
{
    return looks_again(cc) && !has_fewer_arcs(cc, CC_MANY);
}

/* Bits for the part in interleaved names; 0: names are numbers. Where rows are numbered by degree those with few arcs point at hubs of
 * all parts then, which are the smallest of all. Where roots look along their arcs each device has as many of them as others, while of numbers the
 * first part has nearly all. */
static uint32_t name_bits(const weir__cc_resident *cc)
{
    const struct weir__row_steps *on = &cc->on;
    const int by_degree = weir_rows_order_of(on->rows) == WEIR_ROWS_BY_DEGREE && !cc->in_order;
    uint64_t most = 0;
    uint32_t bits = 0;
    if (on->parts == 1 || !(by_degree || has_roots(cc)))
        return 0;
    while (1u << bits < on->parts)
        bits++;
    for (uint32_t p = 0; p < on->parts; p++)
        if (weir__row_steps_part(on, p)->owned > most)
            most = weir__row_steps_part(on, p)->owned;
    return most << bits < CC_NONE ? bits : 0;
}

/* Lists of hooks have room for a hook a number, and each device may tell of all ends; by part of nothing else. */
static weir_status look_at_rows(struct weir__row_steps *on, void *user)
{
    struct making *making = user;
    weir__cc_resident *cc = making->cc;
    weir_status status = WEIR_OK;
    cc->in_order = weir__cc_in_order(on);
    /* Rows by id keep their order within each part. By degree they may by chance, but have interleaved names then. */
    cc->by_part = on->parts > 1 && !cc->in_order && weir_rows_vertices(on->rows) &&
                  weir_rows_order_of(on->rows) == WEIR_ROWS_BY_ID;
    if (on->parts > 1 && is_direct(cc))
        status = weir__cc_cut_make(making->graph, on->rows,
                                   weir__row_steps_part(on, 0)->numbers / on->parts / CC_CUTS,
                                   &making->cut);
    cc->by_part = cc->by_part && making->cut.few;
    making->bits = name_bits(cc);
    cc->in_order = cc->in_order && !making->bits; /* the root of a tree has its smallest name */
    if (making->bits)
        on->form = &form_interleaved;
    else if (is_near(making))
        on->form = on->parts == 1 ? &form_near : &form_near_several;
    return status;
}

/* ---- building -------------------------------------------------------------------------------- */

static void enter_tree(const weir__cc_merge_tree *tree, uint32_t me, struct cc_args *a)
{
    a->rounds = tree->rounds;
    a->top = tree->top;
    for (uint32_t r = 0; r < tree->rounds; r++)
        a->from[r] = (uint8_t)me;
    for (uint32_t d = 0; d < tree->devices; d++)
        if (d != tree->top && tree->parent[d] == me)
            a->from[tree->round[d]] = (uint8_t)d;
}

/* A vertex without arcs is labelled by itself: a run writes the labels of the others alone. */
static weir_status enter_ids(const weir__cc_resident *cc, weir_device *device, uint32_t index,
                             struct cc_args *a)
{
    const weir_steps *steps = cc->on.steps;
    const size_t bytes = (size_t)a->part.owned * 4;
    if (weir__context_planned(cc->on.context))
        return WEIR_OK;
    const uint32_t *ids = weir_rows_vertices(cc->on.rows) + a->part.begin;
    weir_status status = weir__upload(device, weir_steps_data(steps, "label", index), ids, bytes);
    if (status || cc->in_order)
        return status;
    uint32_t *to = cc->by_part ? (uint32_t *)weir_steps_data(steps, "least", index) + a->part.begin
                               : weir_steps_data(steps, "ids", index);
    return weir__upload(device, to, ids, bytes);
}

void weir__cc_gaps(const struct weir__row_steps *on, uint32_t gap_out[])
{
    uint32_t before = 0;
    for (uint32_t d = 0; d < on->parts; d++) {
        gap_out[d] = weir__row_steps_part(on, d)->begin - before;
        before += weir__row_steps_part(on, d)->owned;
    }
}

/* Whether a vertex has an arc in any direction. By degree all rows that a run looks at have one; by id those of a symmetric graph that have an out-arc. */
static int has_arcs(const struct weir__row_steps *on, uint32_t part, uint32_t number)
{
    const weir_rows_part *rows = weir__row_steps_part(on, part);
    return weir_rows_order_of(on->rows) == WEIR_ROWS_BY_DEGREE
               ? number - rows->begin < rows->busy
               : weir_rows_degrees(on->rows)[number] > 0;
}

/* The smallest id that has an arc, and its name. Where rows are numbered by id a host knows of no arcs that lead to a vertex but those of symmetric graphs. */
static void enter_least(const struct making *making, struct cc_args *a)
{
    const struct weir__row_steps *on = &making->cc->on;
    const int is_known =
        weir_rows_symmetric(on->rows) || weir_rows_order_of(on->rows) == WEIR_ROWS_BY_DEGREE;
    a->least_id = a->least_name = CC_NONE;
    if (!is_known || !a->part.arcs_all || weir__context_planned(on->context))
        return;
    for (uint64_t id = 0; id < a->part.vertices; id++) {
        uint32_t part, number;
        if (weir_rows_locate(on->rows, id, &part, &number) || !has_arcs(on, part, number))
            continue;
        a->least_id = (uint32_t)id;
        a->least_name =
            making->bits ? (number - a->part.first[part]) << making->bits | part : number;
        return;
    }
}

/* Where devices put their trees together. */
static weir_status enter_cut(const struct making *making, weir_device *device, uint32_t index,
                             struct cc_args *a)
{
    const weir__cc_cut *cut = &making->cut;
    const struct weir__row_steps *on = &making->cc->on;
    for (uint32_t d = 0; d < on->parts; d++)
        a->busy[d] = weir__row_steps_part(on, d)->busy;
    a->separate = (uint32_t)cut->few;
    a->notes = on->parts > 1 && !a->separate;
    a->cuts = (uint32_t)cut->count;
    return cut->count ? weir__upload(device, weir_steps_data(on->steps, "cut arcs", index),
                                     cut->end, cut->count * sizeof *cut->end)
                      : WEIR_OK;
}

static weir_status enter_all(const struct making *making, weir_context *context,
                             weir_route_kind route)
{
    const weir__cc_resident *cc = making->cc;
    const struct cc_args *all = weir_steps_args(cc->on.steps, 0);
    weir__cc_merge_tree tree;
    weir_status status = weir__cc_merge_tree_make(context, cc->on.parts, route, &tree);
    for (uint32_t d = 0; d < cc->on.parts && !status; d++) {
        struct cc_args *a = weir_steps_args(cc->on.steps, d);
        a->in_order = (uint32_t)(cc->in_order || cc->by_part);
        a->by_part = (uint32_t)cc->by_part;
        a->direct = (uint32_t)is_direct(cc);
        a->bits = making->bits;
        a->roots = (uint32_t)has_roots(cc);
        a->settles = a->firsts && a->outside && !a->direct &&
                     weir_rows_order_of(cc->on.rows) == WEIR_ROWS_BY_DEGREE;
        a->share = a->roots ? CC_SPARSE : 2;
        a->few_roots = busy_rows(cc) / CC_DEEP;
        a->both = !weir_rows_symmetric(cc->on.rows);
        a->lines = weir_rows_memory(cc->on.rows) == WEIR_MEMORY_HOST;
        enter_tree(&tree, d, a);
        if (d == 0)
            enter_least(making, a);
        a->least_id = all->least_id;
        a->least_name = all->least_name;
        weir__cc_gaps(&cc->on, a->gap);
        if (!(status = enter_cut(making, weir_context_device(context, d), d, a)))
            status = enter_ids(cc, weir_context_device(context, d), d, a);
    }
    return status;
}

/* Each device tells all of the first neighbours of its rows. */
static weir_status enter_firsts(const struct making *making, weir_context *context)
{
    const struct weir__row_steps *on = &making->cc->on;
    cc_firsts_args args = {.bits = making->bits, .both = !weir_rows_symmetric(on->rows)};
    weir_status status = WEIR_OK;
    for (uint32_t d = 0; d < on->parts; d++)
        if (!(args.firsts[d] = weir_steps_data(on->steps, "first neighbours", d)))
            return WEIR_OK;
    for (uint32_t d = 0; d < on->parts && !status && !weir__context_planned(context); d++) {
        weir_queue *queue;
        args.part = *weir__row_steps_part(on, d);
        if ((status = weir_queue_create(weir_context_device(context, d), 0, &queue)))
            return status;
        if (!(status = weir_queue_launch(queue, &weir__cc_firsts_kernel, &args, sizeof args)))
            status = weir_queue_sync(queue);
        weir_queue_destroy(queue);
    }
    return status;
}

weir_status weir__cc_resident_create(weir_context *context, const weir_graph *graph,
                                     const weir_partition *partition,
                                     const weir_run_options *options, weir__cc_resident *cc_out)
{
    struct making making = {
        .cc = cc_out, .graph = graph, .has_lanes = has_lanes(weir_context_device(context, 0))};
    weir_rows_config config = WEIR_ROWS_CONFIG_INIT;
    weir_status status;
    config.in_arcs = 1;
    status = weir__row_steps_create(&cc_out->on, &form, context, graph, partition, options, &config,
                                    &making);
    if (!status)
        status = enter_all(&making, context, options->route);
    if (!status)
        status = enter_firsts(&making, context);
    weir__cc_cut_free(&making.cut);
    if (status) {
        weir__row_steps_destroy(&cc_out->on);
        *cc_out = (weir__cc_resident){.in_order = 0};
    }
    return status;
}

/* ---- a run ----------------------------------------------------------------------------------- */

void weir__cc_picked(const struct weir__row_steps *on, weir_run_stats *stats)
{
    weir__row_steps_picked(on, stats);
    stats->direction = WEIR_DIRECTION_PULL;
    stats->work.order = WEIR_ORDER_AUTO; /* there is no order to choose */
}

weir_status weir__cc_resident_run(weir__cc_resident *cc, weir_run_stats *stats)
{
    const weir_rows_part *part = weir__row_steps_part(&cc->on, 0);
    weir_status status = weir__row_steps_run(&cc->on, stats);
    if (status)
        return status;
    stats->reached = stats->least_items = stats->work.processed = part->vertices;
    stats->arcs_reached = part->arcs_all;
    weir__cc_picked(&cc->on, stats);
    stats->work.atoms = weir_steps_total(cc->on.steps, CC_ARCS);
    stats->work.rounds = stats->steps;
    stats->bytes_sent = weir_steps_total(cc->on.steps, CC_SENT);
    stats->roots = weir_steps_total(cc->on.steps, CC_ROOTS) / cc->on.parts; /* each knows all */
    stats->gathered = weir_steps_total(cc->on.steps, CC_GATHERED);
    stats->rest_rows = weir_steps_total(cc->on.steps, CC_REST_ROWS);
    stats->label_rows = weir_steps_total(cc->on.steps, CC_LABEL_ROWS);
    /* Of a row its first neighbour, a parent, what is behind it, and a label; if it is looked at again its place, the parent and what is behind it; and
     * so, with a label, in the end. An arc, and the parent behind it. */
    stats->bytes = busy_rows(cc) * 4 * 4 + stats->rest_rows * (8 + 2 * 4) +
                   stats->label_rows * 3 * 4 + stats->work.atoms * 8;
    /* Where several devices take the nearest neighbour, they tell all first parents. */
    const struct cc_args *args = weir_steps_args(cc->on.steps, 0);
    if (args->firsts) /* first neighbours and parents of others' rows */
        stats->bytes += busy_rows(cc) * (cc->on.parts - 1) * 8;
    else if (args->notes)
        stats->bytes_sent += busy_rows(cc) * (cc->on.parts - 1) * sizeof(uint32_t);
    for (uint32_t i = 0; i < CC_TIMES; i++) /* only those that took place are reported */
        if (!stats->phase[i].steps)
            stats->phase[i].name = NULL;
    return WEIR_OK;
}
