/** @file bfs.c  Breadth-first search: picks its form, the operator of bfs_op.h over a placed graph or the
 * search in step, and passes on to it. */
#include "algorithms/algorithms.h"
#include "algorithms/bfs/bfs_op.h"
#include "algorithms/bfs/bfs_in_2d.h"
#include "algorithms/bfs/bfs_in_step.h"
#include "algorithms/common/advise.h"
#include "algorithms/common/algorithm.h"
#include "algorithms/common/forms.h"
#include "algorithms/common/traversal.h"
#include "algorithms/graph/sketch.h"
#include "runtime/support.h"

#include <stdlib.h>

/* Arcs of a row and of a mean row of meshes and road networks at most. */
#define SHORT_ROW  64
#define SHORT_MEAN 8
/* With this part of the arcs cut, and more, nearly every level has something for the other devices. */
#define CUT_PART 16

extern const weir_operator weir__bfs_operator;

struct weir_bfs {
    struct weir__algorithm head; /* first */
    struct bfs_in_step *in_step; /* NULL: through the worklist, or in two dimensions */
    struct bfs_in_2d *in_2d;     /* NULL: in one dimension */
    weir_direction direction;
    const char *why_order;   /* NULL: as the worklist says */
    const char *why_balance; /* of balance auto that became something; else NULL */
    int parents;
};

/* What one device that does levels for all has beside its part, for a vertex and an arc: a row and what is found, and entries of a queue. */
#define COPY_VERTEX_BYTES 40
#define COPY_ARC_BYTES    4

/* Place the graph for the worklist. */
static weir_status create_push(weir_bfs *bfs, const struct weir__making *all)
{
    weir_traversal_config config = WEIR_TRAVERSAL_CONFIG_INIT;
    struct weir__algorithm *head = &bfs->head;
    struct weir__making whole;
    const int alone = all->options->balance == WEIR_BALANCE_OWNERSHIP;
    const struct weir__making *making = alone ? &whole : all;
    weir_run_options with = *all->options;
    weir_status status = alone ? weir__algorithm_alone(head, all, &whole) : WEIR_OK;
    if (status)
        return status;
    config.entry_bytes = making->options->memory == WEIR_MEMORY_HOST ? 0 : sizeof(bfs_entry);
    if ((status = weir__algorithm_push_fits(making, WEIR_PART_WEIGHTS_NONE, &weir__bfs_operator,
                                            &config, "breadth-first search")) ||
        (status = weir__algorithm_place(making, WEIR_PART_WEIGHTS_NONE, &head->placement)))
        return status;
    with.memory = WEIR_MEMORY_AUTO; /* the placement has said where arcs lie */
    with.wire = WEIR_WIRE_AUTO;     /* items are lists */
    with.balance = WEIR_BALANCE_OFF;
    if ((status = weir_traversal_create(head->placement, &weir__bfs_operator, &with, &config,
                                        &head->traversal)))
        return status;
    weir__traversal_watch(head->traversal, (uint64_t)INT32_MAX + 1);
    for (uint32_t p = 0; p < making->partition->parts && !status; p++) {
        bfs_state state = {.part = *weir_placement_part(head->placement, p),
                           .level = weir_traversal_values(head->traversal, p)};
        state.rows = weir_traversal_padded_rows(head->traversal, p, &state.row_log);
        status = weir_traversal_bind(head->traversal, p, &state);
    }
    return status || !alone ? status : weir__lone_take(head->lone, sizeof(int32_t));
}

/* Whether a short search goes through many levels: rows are as short in a random graph, in which each level has several times the arcs of
 * the one before. Arcs that stay on a device are not brought here to find out. */
static int is_deep(const weir_graph *graph)
{
    struct weir__advise facts = {.shape = WEIR_SHAPE_LEVELS, .devices = 1};
    return !graph->targets || weir__advise_levels(graph, WEIR__ADVISE_FEW, &facts) ||
           weir__advise_deep(&facts);
}

/* Why levels are wide; NULL: they are not, since rows are short without exception: a mesh or a road network, of many narrow
 * levels. */
static const char *why_wide(const weir_graph *graph)
{
    uint64_t longest = weir__graph_is_sketch(graph) ? graph->vertices : 0;
    for (uint64_t v = 0; v < graph->vertices && graph->offsets; v++) {
        uint64_t arcs = graph->offsets[v + 1] - graph->offsets[v];
        longest = arcs > longest ? arcs : longest;
    }
    return longest > SHORT_ROW ? "there are long rows, so levels are few and wide, and each goes "
                                 "the way that looks "
                                 "at fewer arcs"
           : graph->arcs >= graph->vertices * SHORT_MEAN
               ? "vertices have many arcs on average, so levels are few and wide, and each goes "
                 "the "
                 "way that looks at fewer arcs"
           : !is_deep(graph) ? "a short search went through few levels, so they are wide, and each "
                               "goes the way that looks at fewer arcs"
                             : NULL;
}

/* What auto becomes. Narrow levels are chains of dependent accesses: the worklist's narrow rounds have the shortest on a
 * GPU (docs/benchmarks.md), and several GPUs need no barrier for each level there. Where nearly each level has something for the
 * others they wait for each other all the same, and an eager level in step has one barrier (bfs_step_eager.h). */
static int usual(const weir_graph *graph, const weir_partition *partition, int gpu,
                 const char *wide, int alone, const char **why_out)
{
    const int cut =
        !alone && partition && partition->parts > 1 && partition->cut_arcs > graph->arcs / CUT_PART;
    const int push = gpu && !wide && !cut;
    *why_out =
        !gpu   ? "host devices take longer for a round of the worklist than for a level in step"
        : wide ? wide
        : cut  ? "a sixteenth of the arcs or more is cut, so that nearly every level has something "
                 "for the other devices, and waits for them once in step"
               : "all rows are short, so levels are many and narrow, and the worklist has the "
                 "shortest way from one to the next";
    return push ? WEIR__FORM_PUSH : WEIR__FORM_STEP;
}

/* What auto becomes of the order. Host devices take longer for a round than a GPU, and not all of them the same time, so one that
 * goes on by itself finds levels that are too large, and does much again. Live kernels have no rounds to order. */
static weir_order_kind usual_order(weir_context *context, const weir_partition *partition,
                                   const weir_run_options *options)
{
    const weir_order_kind order = options->order;
    const int several = partition && partition->parts > 1;
    const int host = !weir__device_is_gpu(weir_context_device(context, 0));
    return order == WEIR_ORDER_AUTO && options->kernel != WEIR_KERNEL_LIVE && several && host
               ? WEIR_ORDER_SOFT
               : order;
}

/* Of the order that was chosen; NULL: it was asked for, or the worklist had no choice. */
static const char *why_order(const weir_run_options *options, weir_order_kind order)
{
    if (options->order != WEIR_ORDER_AUTO || options->kernel == WEIR_KERNEL_LIVE)
        return NULL;
    return order == WEIR_ORDER_AUTO
               ? "items come nearly in the order of their levels, so that the little that is done "
                 "again costs less than to sort them"
               : "a host device that went on by itself would find levels that are too large, and "
                 "do "
                 "much again";
}

static weir_status possible(const void *user)
{
    const weir_bfs *bfs = user;
    return weir_steps_possible(bfs->head.context, bfs->head.parts);
}

/* A partition in two dimensions has a form of its own. */
static weir_status create_2d(weir_bfs *bfs, const struct weir__making *making)
{
    const struct weir__form_case what = {.usual = WEIR__FORM_STEP,
                                         .why = "the partition has two dimensions",
                                         .possible = possible,
                                         .user = bfs};
    const struct weir__asked asked = {.options = making->options};
    int form;
    weir_status status = weir__form_choose(&weir__bfs_2d_forms, &asked, &what, &form,
                                           &bfs->direction, bfs->head.why_form);
    if (!status)
        status = weir__bfs_in_2d_create(making->context, making->graph, making->partition,
                                        making->options, &bfs->in_2d);
    if (!status)
        bfs->head.on = &bfs->in_2d->on;
    return status;
}

/* Whether balance auto would have one device go on alone. */
static int pays(weir_bfs *bfs, const struct weir__making *making, const char *wide)
{
    return making->options->balance == WEIR_BALANCE_AUTO && !wide &&
           weir__lone_pays(making->context, making->graph, making->partition->parts,
                           COPY_VERTEX_BYTES, COPY_ARC_BYTES, &bfs->why_balance);
}

/* What balance auto becomes in step: there it goes top-down with arcs on the devices, which send lists. */
static weir_balance in_step_balance(const weir_run_options *options, int paid)
{
    return options->balance != WEIR_BALANCE_AUTO ? options->balance
           : paid && options->direction != WEIR_DIRECTION_PULL &&
                   options->memory != WEIR_MEMORY_HOST && options->wire != WEIR_WIRE_BITMAP
               ? WEIR_BALANCE_OWNERSHIP
               : WEIR_BALANCE_OFF;
}

/* The same through the worklist, whose choices are to be seen at work where they were made. */
static weir_balance push_balance(const weir_run_options *options, int paid)
{
    return options->balance != WEIR_BALANCE_AUTO ? options->balance
           : paid && !weir__lone_asked(options)  ? WEIR_BALANCE_OWNERSHIP
                                                 : WEIR_BALANCE_OFF;
}

static weir_status create(struct weir__algorithm *head, const struct weir__making *making)
{
    weir_bfs *bfs = (weir_bfs *)head;
    const struct weir__asked asked = {.options = making->options};
    struct weir__form_case what = {.possible = possible, .user = bfs};
    weir_run_options with = *making->options;
    struct weir__making pushed = *making;
    int form;
    if (making->partition->kind == WEIR_PARTITION_2D)
        return create_2d(bfs, making);
    const int gpu = weir__device_is_gpu(weir_context_device(making->context, 0));
    const char *wide = gpu ? why_wide(making->graph) : NULL;
    const int paid = gpu && pays(bfs, making, wide);
    what.usual = usual(making->graph, making->partition, gpu, wide,
                       push_balance(making->options, paid) == WEIR_BALANCE_OWNERSHIP, &what.why);
    weir_status status =
        weir__form_choose(&weir__bfs_forms, &asked, &what, &form, &bfs->direction, head->why_form);
    if (status)
        return status;
    with.balance = form == WEIR__FORM_PUSH ? push_balance(making->options, paid)
                                           : in_step_balance(&with, paid);
    if (with.balance == WEIR_BALANCE_OFF || with.balance == making->options->balance)
        bfs->why_balance = NULL;
    if (form == WEIR__FORM_PUSH) {
        if (with.balance != WEIR_BALANCE_OWNERSHIP) /* else it is a run of one device */
            with.order = usual_order(making->context, making->partition, &with);
        bfs->why_order = why_order(making->options, with.order);
        pushed.options = &with;
        return create_push(bfs, &pushed);
    }
    with.direction = bfs->direction;
    if ((status = weir__bfs_in_step_create(making->context, making->graph, making->partition, &with,
                                           &bfs->in_step)))
        return status;
    head->on = &bfs->in_step->on;
    return WEIR_OK;
}

/* For plans: the same again, elsewhere. */
static weir_status make_again(const void *user, weir_context *context, const weir_graph *graph,
                              const weir_partition *partition, void **object_out)
{
    weir_bfs *bfs;
    weir_status status = weir_bfs_create(context, graph, partition, user, &bfs);
    *object_out = bfs;
    return status;
}

static void destroy_again(void *object)
{
    weir_bfs_destroy(object);
}

weir_status weir_bfs_create(weir_context *context, const weir_graph *graph,
                            const weir_partition *partition, const weir_run_options *options,
                            weir_bfs **bfs_out)
{
    struct weir__making making = {
        .context = context, .graph = graph, .partition = partition, .options = options};
    weir_bfs *bfs;
    weir_status status;
    *bfs_out = NULL;
    const int in_2d = partition && partition->kind == WEIR_PARTITION_2D;
    if ((status = weir__making_begin(&making)) ||
        (status = weir__calloc(1, sizeof *bfs, "bfs", &bfs)))
        return status;
    bfs->parents = making.options->parents;
    const struct weir__maker one = {"breadth-first search", &making.known, make_again,
                                    destroy_again, &making.known};
    const struct weir__maker two = {"breadth-first search in two dimensions", &making.known,
                                    make_again, destroy_again, NULL};
    making.maker = in_2d ? &two : &one;
    making.cells = 1;
    if ((status = weir__algorithm_create(&bfs->head, &making, WEIR_SHAPE_LEVELS, create))) {
        weir_bfs_destroy(bfs);
        return status;
    }
    *bfs_out = bfs;
    return WEIR_OK;
}

static weir_status run_push(weir_bfs *bfs, uint64_t source, weir_run_stats *stats_out)
{
    bfs_wire seed = {0, 0};
    uint32_t part;
    weir_status status;
    if ((status = weir_placement_locate(bfs->head.placement, source, &part, &seed.vertex, NULL)) ||
        (status = weir_traversal_seed(bfs->head.traversal, part, &seed, 1)))
        return status;
    status = weir_traversal_run(bfs->head.traversal, stats_out);
    return status || !bfs->head.lone
               ? status
               : weir__lone_give(bfs->head.lone, weir_traversal_values(bfs->head.traversal, 0),
                                 stats_out);
}

/* Through the worklist items are lists. */
static weir_wire wire_of(const weir_bfs *bfs)
{
    return bfs->in_2d ? bfs->in_2d->wire : bfs->in_step ? bfs->in_step->wire : WEIR_WIRE_LIST;
}

weir_status weir_bfs_run(weir_bfs *bfs, uint64_t source, weir_run_stats *stats_out)
{
    const uint64_t begin_ns = weir__algorithm_begin(&bfs->head);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_status status = weir__sized_room(stats_out, sizeof stats, "weir_run_stats");
    if (status)
        return status;
    status = bfs->in_2d     ? weir__bfs_in_2d_run(bfs->in_2d, source, &stats)
             : bfs->in_step ? weir__bfs_in_step_run(bfs->in_step, source, &stats)
                            : run_push(bfs, source, &stats);
    if (status) /* one that was refused leaves what is there */
        return status == WEIR_ERR_INVALID ? status : weir__algorithm_failed(&bfs->head, status);
    stats.direction = bfs->direction;
    stats.wire = wire_of(bfs);
    stats.least_items = stats.reached;
    weir__algorithm_ran(&bfs->head, begin_ns, &stats, stats_out);
    return WEIR_OK;
}

weir_status weir_bfs_parents(weir_bfs *bfs, int64_t *parents_out)
{
    weir_status status = weir__algorithm_complete(&bfs->head, "levels");
    if (status)
        return status;
    if (!bfs->parents)
        return weir__fail(WEIR_ERR_INVALID, "no tree of parents was asked for");
    return bfs->in_2d ? weir__bfs_in_2d_parents(bfs->in_2d, parents_out)
                      : weir__bfs_in_step_parents(bfs->in_step, parents_out);
}

/* On the devices they are 32 bits without a sign, of which BFS_UNREACHED is -1 with one. */
static weir_status levels_fit(const weir_bfs *bfs)
{
    return weir__traversal_far(bfs->head.traversal) == 0
               ? WEIR_OK
               : weir__fail(WEIR_ERR_UNSUPPORTED, "levels above %d do not fit", INT32_MAX);
}

weir_status weir_bfs_levels(weir_bfs *bfs, int32_t *levels_out)
{
    weir_status status = weir__algorithm_complete(&bfs->head, "levels");
    if (!status && bfs->in_2d)
        return weir__bfs_in_2d_levels(bfs->in_2d, levels_out);
    if (status || bfs->in_step)
        return status ? status : weir__bfs_in_step_levels(bfs->in_step, levels_out);
    status = levels_fit(bfs);
    return status ? status : weir_traversal_gather(bfs->head.traversal, levels_out);
}

weir_status weir_bfs_values(weir_bfs *bfs, uint32_t device, weir_values *values_out)
{
    weir_status status = bfs->head.ran && !bfs->head.on ? levels_fit(bfs) : WEIR_OK;
    return status
               ? status
               : weir__algorithm_values(&bfs->head, "levels", device, WEIR_VALUE_I32, values_out);
}

weir_status weir_bfs_link_items(const weir_bfs *bfs, uint32_t from, uint32_t to,
                                uint64_t *items_out)
{
    return weir__algorithm_link_items(&bfs->head, from, to, items_out);
}

weir_status weir_bfs_stolen(const weir_bfs *bfs, uint32_t owner, uint32_t worker,
                            uint64_t *arcs_out)
{
    *arcs_out = 0;
    if (bfs->head.lone) /* what it did for all is not told by owners */
        return weir__lone_link_items(bfs->head.lone, owner, worker, arcs_out);
    if (!bfs->in_step)
        return weir__fail(WEIR_ERR_INVALID, "the search runs with balance off");
    const weir_status status = weir__bfs_in_step_stolen(bfs->in_step, owner, worker, arcs_out);
    if (!bfs->head.ran)
        *arcs_out = 0;
    return status;
}

uint64_t weir_bfs_levels_known(const weir_bfs *bfs)
{
    return bfs->in_2d && bfs->head.ran ? weir__bfs_in_2d_known(bfs->in_2d) : 0;
}

/* @return WEIR_OK where levels were written down. */
static weir_status has_levels(const weir_bfs *bfs)
{
    return bfs->in_2d && bfs->head.ran
               ? WEIR_OK
               : weir__fail(WEIR_ERR_INVALID, "levels are known one by one of a complete search in "
                                              "two dimensions alone");
}

weir_status weir_bfs_level_get(weir_bfs *bfs, uint64_t level, weir_run_level *level_out)
{
    weir_run_level known = WEIR_RUN_LEVEL_INIT;
    weir_status status;
    if ((status = has_levels(bfs)) || (status = weir__bfs_in_2d_level(bfs->in_2d, level, &known)))
        return status;
    return weir__sized_out(level_out, &known, sizeof known, "weir_run_level");
}

weir_status weir_bfs_level_pair(weir_bfs *bfs, uint64_t level, uint32_t from, uint32_t to,
                                weir_run_pair *pair_out)
{
    weir_run_pair known = WEIR_RUN_PAIR_INIT;
    weir_status status;
    if ((status = has_levels(bfs)) ||
        (status = weir__bfs_in_2d_pair(bfs->in_2d, level, from, to, &known)))
        return status;
    return weir__sized_out(pair_out, &known, sizeof known, "weir_run_pair");
}

weir_status weir_bfs_explain(const weir_bfs *bfs, weir_run_stats *picked_out,
                             weir_run_reasons *reasons_out)
{
    weir_run_stats picked = WEIR_RUN_STATS_INIT;
    weir_run_reasons reasons = WEIR_RUN_REASONS_INIT;
    const int form = bfs->head.on ? WEIR__FORM_STEP : WEIR__FORM_PUSH;
    const struct weir__forms *forms = bfs->in_2d ? &weir__bfs_2d_forms : &weir__bfs_forms;
    if (bfs->head.on)
        weir__row_steps_picked(bfs->head.on, &picked);
    weir_status status =
        bfs->head.on ? WEIR_OK : weir_traversal_explain(bfs->head.traversal, &picked, &reasons);
    picked.direction = bfs->direction;
    picked.wire = wire_of(bfs);
    picked.balance = bfs->in_step     ? bfs->in_step->balance
                     : bfs->head.lone ? WEIR_BALANCE_OWNERSHIP
                                      : WEIR_BALANCE_OFF;
    reasons.why_balance = bfs->why_balance;
    if (bfs->why_order)
        reasons.why_order = bfs->why_order;
    return status ? status
                  : weir__algorithm_explained(&bfs->head, &forms->form[form], &picked, &reasons,
                                              picked_out, reasons_out);
}

weir_status weir_bfs_prepared(const weir_bfs *bfs, weir_prepare_stats *stats_out)
{
    return weir__algorithm_prepared(&bfs->head, stats_out);
}

void weir_bfs_cancel(weir_bfs *bfs)
{
    weir__algorithm_cancel(&bfs->head);
}

void weir_bfs_destroy(weir_bfs *bfs)
{
    if (!bfs)
        return;
    weir__bfs_in_step_destroy(bfs->in_step);
    weir__bfs_in_2d_destroy(bfs->in_2d);
    weir__algorithm_destroy(&bfs->head);
    free(bfs);
}
