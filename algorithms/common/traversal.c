/** @file traversal.c  An operator over a placed graph: workers, values, runs, results.
 *
 * What BFS, SSSP and operators of users have in common: everything but the operator and its state. Values stay on
 * the devices: what is said of a run is counted there by a kernel, and they come to the host when somebody asks. */
#include "algorithms/common/forms.h"
#include "algorithms/common/placement.h"
#include "algorithms/common/padded_rows_op.h"
#include "algorithms/common/timing.h"
#include "algorithms/common/traversal.h"
#include "algorithms/common/values_op.h"
#include "runtime/config.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

#define VALUE_BYTES_MAX 4096
#define COUNTS_BYTES    (VALUES_COUNTS * sizeof(uint64_t))
#define QUEUE_ITEMS_MAX (UINT64_C(1) << 30)
#define DEGREE_CHUNK    (UINT64_C(1) << 16)

struct weir_traversal {
    weir_placement *placement;
    const weir_operator *op;
    weir_traversal_config config;
    weir_worklist *worklist;
    weir_endpoint *source;
    weir_endpoint *worker[WEIR_DEVICES_MAX];
    void *values[WEIR_DEVICES_MAX];     /* device memory */
    uint64_t *counts[WEIR_DEVICES_MAX]; /* VALUES_COUNTS of all runs so far; device memory */
    uint64_t *counted; /* the same of each part, page-locked; after a run that counts */
    uint64_t before[VALUES_COUNTS]; /* sums over the parts when the last run began */
    uint64_t far;                   /* values from here on are counted apart; 0: none */
    int counting;                   /* the run that is under way counts */
    void *padded_rows;              /* of the only part; NULL: there are none */
    uint32_t padded_log;            /* of their entries */
    int bound[WEIR_DEVICES_MAX];
    weir_prepare_stats prepared;
};

static weir_device *device(const weir_traversal *traversal, uint32_t p)
{
    return weir_context_device(traversal->placement->context, p);
}

static size_t count_on(const weir_traversal *traversal, uint32_t p)
{
    const weir_part *part = &traversal->placement->part[p];
    return (size_t)part->owned + part->halo_count;
}

static size_t bytes_on(const weir_traversal *traversal, uint32_t p)
{
    return count_on(traversal, p) * traversal->config.value_bytes;
}

static weir_status create_part(weir_traversal *traversal, uint32_t p)
{
    weir_status status = WEIR_OK;
    void *counts = NULL;
    if (traversal->config.value_bytes)
        status = weir__device_alloc_as(device(traversal, p), "values", count_on(traversal, p),
                                       traversal->config.value_bytes, &traversal->values[p]);
    if (!status)
        status = weir__device_alloc_as(device(traversal, p), "counts of a run", VALUES_COUNTS,
                                       sizeof(uint64_t), &counts);
    traversal->counts[p] = counts;
    if (!status)
        status = weir_endpoint_create(device(traversal, p), NULL, &traversal->worker[p]);
    return status;
}

/* A queue has room for one item for each vertex of the largest part, or for all items that may wait there; of live kernels for
 * two, since items that improve a vertex several times wait there until their turn comes. If there are a few more, they spill. */
static uint64_t queue_items(const weir_traversal *traversal, weir_kernel_kind kernel)
{
    const weir_placement *placement = traversal->placement;
    uint64_t items = weir__config_get(weir_context_config(placement->context), WEIR__QUEUE_ITEMS);
    uint64_t largest = 0;
    if (items)
        return items;
    for (uint32_t p = 0; p < placement->parts; p++) {
        uint64_t mine = placement->part[p].owned;
        if (traversal->config.halo_items && placement->parts > 1)
            mine += mine + placement->part[p].halo_count;
        if (largest < mine)
            largest = mine;
    }
    items = (kernel == WEIR_KERNEL_LIVE ? 2 : 1) * largest + 1024;
    return items < QUEUE_ITEMS_MAX ? items : QUEUE_ITEMS_MAX;
}

/* Arcs that a vertex has on average, if vertices without arcs are left out. */
static uint32_t tile_atoms(const weir_placement *placement)
{
    uint64_t with_arcs = 0, arcs = 0;
    for (uint32_t p = 0; p < placement->parts && !placement->degree; p++) {
        with_arcs += placement->part[p].owned; /* of a sketch */
        arcs += placement->arcs[p];
    }
    for (uint64_t v = 0; v < placement->vertices && placement->degree; v++) {
        with_arcs += placement->degree[v] != 0;
        arcs += placement->degree[v];
    }
    uint64_t atoms = with_arcs ? (arcs + with_arcs - 1) / with_arcs : 1;
    return atoms < 1024 ? (uint32_t)atoms : 1024;
}

/* If each vertex makes one item where it lies and one for each part that has it in its halo. */
static uint32_t passed_permille(const weir_placement *placement)
{
    uint64_t passed = 0;
    for (uint32_t p = 0; p < placement->parts; p++)
        passed += placement->part[p].halo_count;
    const uint64_t all = placement->vertices + passed;
    return all ? (uint32_t)((1000 * passed + all - 1) / all) : 0;
}

/* Have the values of a part counted behind its kernel, and the counts copied to the host. */
static weir_status put_counting(void *user, uint32_t p)
{
    const weir_traversal *traversal = user;
    const weir_placement *placement = traversal->placement;
    weir_queue *queue = weir_worklist_queue(traversal->worklist, p);
    const values_count_args args = {.values = traversal->values[p],
                                    .offsets = placement->part[p].offsets,
                                    .counts = traversal->counts[p],
                                    .far = traversal->far,
                                    .rows = placement->part[p].owned,
                                    .bytes = (uint32_t)traversal->config.value_bytes,
                                    .fill = (uint32_t)traversal->config.fill};
    if (!traversal->counting)
        return WEIR_OK;
    weir_status status = weir_queue_launch(queue, &weir__values_count_kernel, &args, sizeof args);
    return status ? status
                  : weir_queue_copy(queue, weir_context_home(placement->context),
                                    traversal->counted + p * VALUES_COUNTS, device(traversal, p),
                                    traversal->counts[p], COUNTS_BYTES);
}

static weir_status create_worklist(weir_traversal *traversal, const weir_run_options *options)
{
    const weir_placement *placement = traversal->placement;
    weir_worklist_config config = WEIR_WORKLIST_CONFIG_INIT;
    config.route = options->route;
    config.order = options->order;
    config.delta = options->delta;
    config.delta_hint = traversal->config.delta_hint;
    config.kernel = options->kernel;
    config.queues = options->queues;
    config.worker = options->worker;
    config.fetch = options->fetch;
    config.mapping = options->mapping;
    config.group = options->group;
    config.time_limit_ms = options->time_limit_ms;
    config.queue_items = queue_items(traversal, options->kernel);
    config.tile_atoms = tile_atoms(placement);
    config.lines = placement->memory == WEIR_MEMORY_HOST;
    config.passed_permille = passed_permille(placement);
    config.behind = put_counting;
    config.user = traversal;
    weir_worklist_fill fills[WEIR_DEVICES_MAX];
    for (uint32_t p = 0; p < placement->parts; p++)
        fills[p] = (weir_worklist_fill){.worker = p,
                                        .value = (uint32_t)traversal->config.fill,
                                        .data = traversal->values[p],
                                        .bytes = bytes_on(traversal, p)};
    config.fills = fills;
    if (traversal->config.value_bytes && !traversal->config.keep_values)
        config.fill_count = placement->parts;
    weir_status status =
        weir_endpoint_create(weir_context_home(placement->context), "source", &traversal->source);
    return status ? status
                  : weir_worklist_create(traversal->source, traversal->worker, placement->parts,
                                         traversal->op, &config, &traversal->worklist);
}

static weir_status check(weir_traversal_config *config, const weir_placement *placement)
{
    if (config->entry_bytes && config->entry_bytes != 4 &&
        (config->entry_bytes != 8 || placement->weights != WEIR_PART_WEIGHTS_U32))
        return weir__fail(
            WEIR_ERR_INVALID,
            "padded rows with entries of %u bytes: 4, or 8 where arcs have weights of "
            "32 bits",
            config->entry_bytes);
    if (placement->memory == WEIR_MEMORY_HOST) /* which a whole row at a time would be read from */
        config->entry_bytes = 0;
    if (config->value_bytes > VALUE_BYTES_MAX)
        return weir__fail(WEIR_ERR_INVALID, "values of %zu bytes: at most %d", config->value_bytes,
                          VALUE_BYTES_MAX);
    if (config->fill < 0 || config->fill > 255)
        return weir__fail(WEIR_ERR_INVALID, "a fill of %d is no byte", config->fill);
    return WEIR_OK;
}

/* Fill all values between runs. What a run begins by filling it fills itself (weir_worklist_config.fills). */
static weir_status fill_values(weir_traversal *traversal)
{
    weir_status status = WEIR_OK;
    if (traversal->config.value_bytes == 0)
        return WEIR_OK;
    for (uint32_t p = 0; p < traversal->placement->parts && !status; p++)
        status = weir_queue_fill(weir_worklist_queue(traversal->worklist, p), traversal->values[p],
                                 traversal->config.fill, bytes_on(traversal, p));
    return status;
}

/* Count before any run, so that CUDA loads the kernel that counts now. Loading it behind a resident kernel would wait for that
 * kernel, which may wait for the host. */
static weir_status count_once(weir_traversal *traversal)
{
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < traversal->placement->parts && !status; p++)
        status = put_counting(traversal, p);
    return status;
}

/* Clear the counts, before the first run only: they go on from run to run, and what a run counted is the difference. */
static weir_status clear_counts(weir_traversal *traversal)
{
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < traversal->placement->parts && !status; p++)
        status = weir_queue_fill(weir_worklist_queue(traversal->worklist, p), traversal->counts[p],
                                 0, COUNTS_BYTES);
    return status;
}

static weir_status sync_all(const weir_traversal *traversal)
{
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < traversal->placement->parts; p++) {
        weir_status synced = weir_queue_sync(weir_worklist_queue(traversal->worklist, p));
        status = status ? status : synced;
    }
    return status;
}

static uint64_t counted_so_far(const weir_traversal *traversal, enum values_counted which)
{
    uint64_t sum = 0;
    for (uint32_t p = 0; p < traversal->placement->parts; p++)
        sum += traversal->counted[p * VALUES_COUNTS + which];
    return sum;
}

static uint64_t counted(const weir_traversal *traversal, enum values_counted which)
{
    return counted_so_far(traversal, which) - traversal->before[which];
}

void weir__traversal_watch(weir_traversal *traversal, uint64_t far)
{
    traversal->far = far;
}

weir_queue *weir_traversal_queue(const weir_traversal *traversal, uint32_t part)
{
    return weir_worklist_queue(traversal->worklist, part);
}

uint64_t weir__traversal_far(const weir_traversal *traversal)
{
    return counted(traversal, VALUES_FAR);
}

struct longest {
    const uint32_t *degree;
    uint32_t arcs; /* of the longest row; relaxed maximum, published by the join */
};

static void find_longest(void *user, uint64_t begin, uint64_t end)
{
    struct longest *longest = user;
    uint32_t arcs = 0, known = __atomic_load_n(&longest->arcs, __ATOMIC_RELAXED);
    for (uint64_t v = begin; v < end; v++)
        arcs = longest->degree[v] > arcs ? longest->degree[v] : arcs;
    while (arcs > known && !__atomic_compare_exchange_n(&longest->arcs, &known, arcs, 1,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

/* Entries of the padded rows, as a power of two; 0: there are none. Narrow rounds read them, which take the default worker, and few items.
 * One longer row in a round would be what the round takes, so all vertices have one, or none has. */
static uint32_t padded_log(const weir_traversal *traversal, const weir_run_options *options)
{
    const weir_placement *placement = traversal->placement;
    const weir_config *tunables = weir_context_config(placement->context);
    const uint64_t where = weir__config_get(tunables, WEIR__PADDED_ROWS);
    struct longest longest = {.degree = placement->degree};
    if (!traversal->config.entry_bytes || placement->parts != 1 || !placement->degree ||
        where < (weir__device_is_gpu(device(traversal, 0)) ? 1 : 2) ||
        (options->kernel != WEIR_KERNEL_AUTO && options->kernel != WEIR_KERNEL_FUSED) ||
        (options->worker != WEIR_WORKER_AUTO && options->worker != WEIR_WORKER_WARP) ||
        options->fetch || placement->arcs[0] > 8 * placement->vertices)
        return 0;
    weir__parallel_for(placement->vertices, DEGREE_CHUNK, 0, find_longest, &longest);
    /* Rows of 8 entries that are half empty leave the second-level cache sooner than they are worth it. */
    const uint32_t log = placement->arcs[0] > 4 * placement->vertices ? 3 : 2;
    return longest.arcs > 1u << log ? 0 : log;
}

/* Make padded rows where there is room for them: a search goes without them, too. */
static weir_status create_padded_rows(weir_traversal *traversal, const weir_run_options *options)
{
    const weir_part *part = &traversal->placement->part[0];
    const uint32_t log = padded_log(traversal, options), bytes = traversal->config.entry_bytes;
    const uint64_t entries = (uint64_t)part->owned << log;
    struct weir__need need = {0, 0};
    if (!log || !part->owned)
        return WEIR_OK;
    weir__need_take_on(&need, device(traversal, 0), entries, bytes);
    weir__need_take(&need, options->reserved_bytes, 1);
    if (weir__need_fits(&need, "%s", WEIR__PADDED_ROWS_NAME)) /* in the memory of the host */
        return WEIR_OK;
    weir_status status = weir__device_alloc_as(device(traversal, 0), WEIR__PADDED_ROWS_NAME,
                                               entries, bytes, &traversal->padded_rows);
    if (status)
        return status == WEIR_ERR_NOMEM ? WEIR_OK : status;
    const padded_rows_args args = {.offsets = part->offsets,
                                   .targets = part->targets,
                                   .weights = bytes == 8 ? part->weights : NULL,
                                   .rows = traversal->padded_rows,
                                   .count = part->owned,
                                   .log = log};
    traversal->padded_log = log;
    return weir_queue_launch(weir_worklist_queue(traversal->worklist, 0), &weir__padded_rows_kernel,
                             &args, sizeof args);
}

weir_status weir_traversal_create(weir_placement *placement, const weir_operator *op,
                                  const weir_run_options *options,
                                  const weir_traversal_config *config,
                                  weir_traversal **traversal_out)
{
    weir_run_options asked = WEIR_RUN_OPTIONS_INIT;
    weir_traversal_config known = WEIR_TRAVERSAL_CONFIG_INIT;
    const struct weir__prepare begin = weir__prepare_begin();
    weir_traversal *traversal;
    void *counted_words;
    weir_status status;
    *traversal_out = NULL;
    if ((status = weir__sized_in(&asked, sizeof asked, options, "weir_run_options")) ||
        (status = weir__sized_in(&known, sizeof known, config, "weir_traversal_config")) ||
        (status = check(&known, placement)) ||
        (status = weir__forms_check(&weir__traversal_forms,
                                    &(struct weir__asked){.options = &asked}, NULL)) ||
        (status = weir__traversal_check_room(placement, op, &asked, &known)) ||
        (status = weir__calloc(1, sizeof *traversal, "traversal", &traversal)))
        return status;
    weir__placement_retain(placement);
    traversal->placement = placement;
    traversal->op = op;
    traversal->config = known;
    traversal->counting = known.value_bytes > 0;
    if ((status = weir__device_alloc_as(weir_context_home(placement->context), "counts of a run",
                                        placement->parts * (uint64_t)VALUES_COUNTS,
                                        sizeof(uint64_t), &counted_words)))
        goto err;
    traversal->counted = counted_words;
    memset(counted_words, 0, placement->parts * COUNTS_BYTES);
    for (uint32_t p = 0; p < placement->parts; p++)
        if ((status = create_part(traversal, p)))
            goto err;
    if ((status = create_worklist(traversal, &asked)) || (status = fill_values(traversal)) ||
        (status = clear_counts(traversal)) || (status = count_once(traversal)) ||
        (status = create_padded_rows(traversal, &asked)) || (status = sync_all(traversal)) ||
        (status = weir__gather_count(placement->numbering, known.value_bytes, VALUES_AS_THEY_ARE)))
        goto err;
    weir__prepare_more(&begin, &placement->prepared, &traversal->prepared);
    *traversal_out = traversal;
    return WEIR_OK;
err:
    weir_traversal_destroy(traversal);
    return status;
}

void *weir_traversal_values(const weir_traversal *traversal, uint32_t part)
{
    return traversal->values[part];
}

const void *weir_traversal_padded_rows(const weir_traversal *traversal, uint32_t part,
                                       uint32_t *log_out)
{
    *log_out = part == 0 ? traversal->padded_log : 0;
    return *log_out ? traversal->padded_rows : NULL;
}

weir_status weir_traversal_reset(weir_traversal *traversal)
{
    weir_status status = fill_values(traversal), synced = sync_all(traversal);
    return status ? status : synced;
}

weir_status weir_traversal_bind(weir_traversal *traversal, uint32_t part, const void *state)
{
    weir_status status = weir_worklist_bind(traversal->worklist, part, state);
    if (!status)
        traversal->bound[part] = 1;
    return status;
}

weir_status weir_traversal_seed(weir_traversal *traversal, uint32_t part, const void *wires,
                                uint32_t count)
{
    return weir_worklist_seed(traversal->worklist, part, wires, count);
}

weir_status weir_traversal_seed_all(weir_traversal *traversal)
{
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < traversal->placement->parts && !status; p++)
        status =
            weir_worklist_seed_numbers(traversal->worklist, p, traversal->placement->part[p].owned);
    return status;
}

/* Bytes that a run moves at the least: for an atom its target and the value of that; for an item the item itself, into the
 * queue and out of it, and the two ends of its row. Weights are not counted, since only the operator knows of them. */
static uint64_t least_bytes(const weir_traversal *traversal, const weir_worklist_stats *work)
{
    return work->atoms * (sizeof(uint32_t) + traversal->config.value_bytes) +
           work->processed * (2 * sizeof(uint64_t) + 2 * (uint64_t)traversal->op->item_bytes);
}

static uint64_t arcs_reached(const weir_traversal *traversal)
{
    uint64_t arcs = 0;
    for (uint32_t p = 0; p < traversal->placement->parts; p++)
        arcs += traversal->placement->arcs[p];
    return traversal->counting ? arcs - counted(traversal, VALUES_ARCS_LEFT) : 0;
}

weir_status weir_traversal_run(weir_traversal *traversal, weir_run_stats *stats_out)
{
    const uint64_t begin_ns = weir_context_time_ns(traversal->placement->context);
    weir_worklist_stats work = WEIR_WORKLIST_STATS_INIT;
    weir_status status = weir__sized_room(stats_out, sizeof *stats_out, "weir_run_stats");
    if (status)
        return status;
    for (uint32_t p = 0; p < traversal->placement->parts; p++)
        if (!traversal->bound[p])
            return weir__fail(WEIR_ERR_INVALID, "no state was bound to part %u", p);
    traversal->counting = traversal->config.value_bytes && (stats_out || traversal->far);
    for (uint32_t which = 0; which < VALUES_COUNTS; which++)
        traversal->before[which] = counted_so_far(traversal, which);
    if ((status = weir_worklist_run(traversal->worklist, &work)))
        return status;
    if (!stats_out)
        return WEIR_OK;
    const uint64_t reached = counted(traversal, VALUES_REACHED);
    weir_run_stats stats = {.kernel_ms = work.ms,
                            .reached = reached,
                            .arcs_reached = arcs_reached(traversal),
                            .work = work,
                            .direction = WEIR_DIRECTION_PUSH,
                            .devices = traversal->placement->parts,
                            .least_items = reached,
                            .bytes = least_bytes(traversal, &work),
                            .bytes_sent = work.sent * traversal->op->wire_bytes,
                            .memory = traversal->placement->memory,
                            .wire = WEIR_WIRE_LIST};
    stats.ms = weir__ms_since(traversal->placement->context, begin_ns);
    return weir__sized_out(stats_out, &stats, sizeof stats, "weir_run_stats");
}

weir_status weir_traversal_explain(const weir_traversal *traversal, weir_run_stats *picked_out,
                                   weir_run_reasons *reasons_out)
{
    weir_run_stats picked = WEIR_RUN_STATS_INIT;
    weir_run_reasons reasons = WEIR_RUN_REASONS_INIT;
    weir_worklist_reasons why = WEIR_WORKLIST_REASONS_INIT;
    weir_status status = weir_worklist_explain(traversal->worklist, &picked.work, &why);
    if (status)
        return status;
    picked.direction = WEIR_DIRECTION_PUSH;
    picked.devices = traversal->placement->parts;
    picked.memory = traversal->placement->memory;
    reasons.form = weir__traversal_forms.form[WEIR__FORM_PUSH].name;
    reasons.why_route = why.route;
    reasons.why_order = why.order;
    reasons.why_kernel = why.kernel;
    if (reasons_out)
        status = weir__sized_out(reasons_out, &reasons, sizeof reasons, "weir_run_reasons");
    return status ? status : weir__sized_out(picked_out, &picked, sizeof picked, "weir_run_stats");
}

weir_status weir_traversal_gather(const weir_traversal *traversal, void *values_out)
{
    const void *values[WEIR_DEVICES_MAX];
    if (traversal->config.value_bytes == 0)
        return weir__fail(WEIR_ERR_INVALID, "a traversal by %s without values has none to gather",
                          traversal->op->name);
    for (uint32_t p = 0; p < traversal->placement->parts; p++)
        values[p] = traversal->values[p];
    return weir_placement_gather(traversal->placement, values, traversal->config.value_bytes,
                                 values_out);
}

weir_status weir__traversal_values(const weir_traversal *traversal, uint32_t device_index,
                                   weir_value_kind kind, weir_values *values_out)
{
    return weir__numbering_values(
        traversal->placement->numbering, device_index,
        device_index < traversal->placement->parts ? traversal->values[device_index] : NULL, kind,
        values_out);
}

weir_status weir_traversal_link_items(const weir_traversal *traversal, uint32_t from, uint32_t to,
                                      uint64_t *items_out)
{
    return weir_worklist_link_items(traversal->worklist, from, to, items_out);
}

weir_status weir_traversal_prepared(const weir_traversal *traversal, weir_prepare_stats *stats_out)
{
    return weir__sized_out(stats_out, &traversal->prepared, sizeof *stats_out,
                           "weir_prepare_stats");
}

void weir_traversal_cancel(weir_traversal *traversal)
{
    weir_worklist_cancel(traversal->worklist);
}

void weir_traversal_destroy(weir_traversal *traversal)
{
    if (!traversal)
        return;
    weir_worklist_destroy(traversal->worklist);
    weir_endpoint_destroy(traversal->source);
    for (uint32_t p = 0; p < traversal->placement->parts; p++) {
        weir_endpoint_destroy(traversal->worker[p]);
        weir_device_free(device(traversal, p), traversal->values[p]);
        weir_device_free(device(traversal, p), traversal->counts[p]);
    }
    weir_device_free(device(traversal, 0), traversal->padded_rows);
    weir_device_free(weir_context_home(traversal->placement->context), traversal->counted);
    weir_placement_destroy(traversal->placement);
    free(traversal);
}
