/** @file cc_resident.c  Connected components of rows that lie on the devices: memory and runs. */
#include "algorithms/cc/cc.h"
#include "algorithms/cc/cc_op.h"
#include "algorithms/common/need.h"
#include "algorithms/common/rows.h"
#include "runtime/support.h"

#include <assert.h>
#include <stdlib.h>

extern const weir_steps_program weir__cc_program;

static_assert(sizeof(struct cc_args) <= 4000, "a kernel's arguments");
static_assert((int)CC_NUMBERS <= (int)WEIR_STEPS_RESULTS, "a device's results");

struct weir__cc_resident {
    weir_context *context;
    weir__rows *rows;
    weir_steps *bsp;
    uint32_t devices;
    int ran; /* there are labels */
};

/* ---- memory ---------------------------------------------------------------------------------- */

uint64_t weir__cc_resident_bytes(const weir_graph *graph, uint32_t devices)
{
    const uint64_t n = graph->vertices, rows = n / devices;
    /* rows and arcs; ids, labels, rows outside and their smallest ids; parents and hooks */
    return rows * 8 + graph->arcs / devices * 4 + rows * 16 + n * (devices > 1 ? 12 : 4);
}

static weir_status take(weir_device *device, uint64_t count, size_t bytes, void *place_out)
{
    void *place;
    weir_status status = weir_device_alloc(device, (size_t)count * bytes, &place);
    if (!status)
        *(void **)place_out = place;
    return status;
}

/* The graph's rows, and what lies on devices; after a run what is fetched from there. */
static weir_status fits(const weir__cc_resident *cc, const weir_graph *graph,
                        const weir_partition *partition, const weir_run_options *options,
                        const struct weir__rows_config *config)
{
    const weir_device *device = weir_context_device(cc->context, 0);
    const uint64_t both = config->symmetric ? 1 : 2, devices = cc->devices;
    struct weir__sizes sizes;
    struct weir__need need = {0, 0};
    weir_status status = weir__sizes_of(cc->context, graph, partition, &sizes);
    if (status)
        return status;
    weir__rows_need(&sizes, config, &need);
    weir__need_take_on(&need, device, sizes.numbers * devices, 4);
    weir__need_take_on(&need, device, sizes.vertices, 4 * 4); /* label, ids, least, outside */
    weir__need_take_on(&need, device, sizes.arcs * both / (CC_PIECE / 2), sizeof(struct cc_piece));
    weir__need_take_on(&need, device, devices > 1 ? sizes.touched * devices : 0,
                       sizeof(struct cc_hook));
    weir__need_take(&need, options->reserved_bytes, 1);
    weir__need_pass(&need, sizes.numbers, 4);
    return weir__need_fits(&need, "connected components of %s", graph->name);
}

/* A device's arrays, entered into its arguments; the destructor finds them there. */
static weir_status create_arrays(weir__cc_resident *cc, uint32_t d, int in_order)
{
    struct cc_args *a = weir_steps_args(cc->bsp, d);
    weir_device *device = weir_context_device(cc->context, d);
    const weir_rows_part *part = &a->part;
    const uint64_t arcs = part->arcs_out + (a->both ? part->arcs_in : 0);
    uint32_t *ids;
    weir_status status;
    if ((status = take(device, part->numbers, 4, &a->parent[d])) ||
        (status = take(device, 1, sizeof(struct cc_words), &a->words[d])) ||
        (status = take(device, part->owned, 4, &a->label)) ||
        (status = take(device, arcs / (CC_PIECE / 2) + 1, sizeof(struct cc_piece), &a->pieces)) ||
        (status = take(device, part->owned, 4, &ids)))
        return status;
    a->ids = ids;
    if (cc->devices > 1 &&
        (status = take(device, part->numbers, sizeof(struct cc_hook), &a->hooks[d])))
        return status;
    if (in_order)
        a->least[d] = ids;
    else if ((status = take(device, part->owned, 4, &a->least[d])) ||
             (status = take(device, part->owned, 4, &a->outside)))
        return status;
    return weir__upload(device, ids, weir__rows_vertices(cc->rows) + part->begin,
                        (size_t)part->owned * 4);
}

static void destroy_arrays(weir__cc_resident *cc, uint32_t d)
{
    struct cc_args *a = weir_steps_args(cc->bsp, d);
    weir_device *device = weir_context_device(cc->context, d);
    weir_device_free(device, a->parent[d]);
    weir_device_free(device, a->words[d]);
    weir_device_free(device, a->label);
    weir_device_free(device, a->pieces);
    weir_device_free(device, a->hooks[d]);
    weir_device_free(device, a->outside);
    if (a->least[d] != a->ids)
        weir_device_free(device, a->least[d]);
    weir_device_free(device, (void *)(uintptr_t)a->ids);
}

/* Whether ids ascend with numbers: then the root of a tree has its smallest id. */
static int numbers_in_order(const weir__rows *rows)
{
    const uint32_t *id = weir__rows_vertices(rows);
    const uint32_t numbers = weir__rows_part(rows, 0)->numbers;
    uint32_t last = 0;
    for (uint32_t i = 0; i < numbers; i++) {
        if (id[i] == UINT32_MAX)
            continue;
        if (id[i] < last)
            return 0;
        last = id[i];
    }
    return 1;
}

/* ---- building -------------------------------------------------------------------------------- */

static void enter_plan(const weir__cc_plan *plan, uint32_t me, struct cc_args *a)
{
    a->rounds = plan->rounds;
    a->top = plan->top;
    for (uint32_t r = 0; r < plan->rounds; r++)
        a->from[r] = (uint8_t)me;
    for (uint32_t d = 0; d < plan->devices; d++)
        if (d != plan->top && plan->parent[d] == me)
            a->from[plan->round[d]] = (uint8_t)d;
}

/* Everybody's arrays are known to everybody. */
static void introduce(weir__cc_resident *cc)
{
    for (uint32_t d = 0; d < cc->devices; d++) {
        const struct cc_args *one = weir_steps_args(cc->bsp, d);
        for (uint32_t e = 0; e < cc->devices; e++) {
            struct cc_args *other = weir_steps_args(cc->bsp, e);
            other->parent[d] = one->parent[d];
            other->hooks[d] = one->hooks[d];
            other->words[d] = one->words[d];
            other->least[d] = one->least[d];
        }
    }
}

static weir_status create_all(weir__cc_resident *cc, const weir_graph *graph,
                              const weir_partition *partition, const weir_run_options *options)
{
    struct weir__rows_config config = {.in = 1};
    weir__cc_plan plan;
    weir_status status;
    weir__rows_look(graph, &config);
    if ((status = weir_steps_possible(cc->context, cc->devices)) ||
        (status = fits(cc, graph, partition, options, &config)) ||
        (status = weir__rows_create(cc->context, graph, partition, &config, &cc->rows)) ||
        (status = weir_steps_create(cc->context, cc->devices, &weir__cc_program,
                                    options->time_limit_ms, &cc->bsp)) ||
        (status = weir__cc_plan_make(cc->context, cc->devices, options->route, &plan)))
        return status;
    const int in_order = numbers_in_order(cc->rows), both = !weir__rows_symmetric(cc->rows);
    for (uint32_t d = 0; d < cc->devices && !status; d++) {
        struct cc_args *a = weir_steps_args(cc->bsp, d);
        a->part = *weir__rows_part(cc->rows, d);
        a->in_order = (uint32_t)in_order;
        a->both = (uint32_t)both;
        enter_plan(&plan, d, a);
        status = create_arrays(cc, d, in_order);
    }
    if (!status)
        introduce(cc);
    return status;
}

weir_status weir__cc_resident_create(weir_context *context, const weir_graph *graph,
                                     const weir_partition *partition,
                                     const weir_run_options *options, weir__cc_resident **out)
{
    weir__cc_resident *cc;
    weir_status status;
    *out = NULL;
    if ((status = weir__calloc(1, sizeof *cc, "connected components", &cc)))
        return status;
    weir__context_retain(context);
    cc->context = context;
    cc->devices = partition->parts;
    if ((status = create_all(cc, graph, partition, options))) {
        weir__cc_resident_destroy(cc);
        return status;
    }
    *out = cc;
    return WEIR_OK;
}

void weir__cc_resident_destroy(weir__cc_resident *cc)
{
    if (!cc)
        return;
    /* What a run that failed had queued still writes to the arrays. */
    for (uint32_t d = 0; d < cc->devices && cc->bsp; d++)
        (void)weir_queue_sync(weir_steps_queue(cc->bsp, d));
    for (uint32_t d = 0; d < cc->devices && cc->bsp; d++)
        destroy_arrays(cc, d);
    weir_steps_destroy(cc->bsp);
    weir__rows_destroy(cc->rows);
    weir__context_release(cc->context);
    free(cc);
}

void weir__cc_resident_cancel(weir__cc_resident *cc)
{
    weir_steps_cancel(cc->bsp);
}

/* ---- a run ----------------------------------------------------------------------------------- */

static weir_status set_words(const weir__cc_resident *cc, uint32_t d)
{
    const struct cc_args *a = weir_steps_args(cc->bsp, d);
    struct cc_words *words = a->words[d];
    weir_queue *queue = weir_steps_queue(cc->bsp, d);
    weir_status status = weir_queue_fill(queue, words, 0, sizeof *words);
    return status ? status : weir_queue_fill(queue, &words->least, 0xFF, sizeof words->least);
}

static void fill_stats(const weir__cc_resident *cc, double ms, weir_run_stats *stats)
{
    static const char *const names[CC_TIMES] = {"first", "sample", "link",
                                                "rest",  "merge",  "label"};
    const weir_rows_part *part = weir__rows_part(cc->rows, 0);
    *stats = (weir_run_stats){.kernel_ms = ms,
                              .reached = part->vertices,
                              .arcs_reached = part->arcs_all,
                              .direction = WEIR_DIRECTION_PULL,
                              .devices = cc->devices,
                              .least_items = part->vertices};
    for (uint32_t d = 0; d < cc->devices; d++) {
        const uint64_t *result = weir_steps_results(cc->bsp, d);
        stats->work.atoms += result[CC_ARCS];
        stats->bytes_sent += result[CC_SENT];
        stats->steps = result[CC_STEPS];
    }
    stats->work.processed = part->vertices;
    stats->work.rounds = stats->steps;
    /* each row's place, its parent four times over, id and label; each arc and the parent behind it */
    stats->bytes = part->vertices * (8 + 4 * 4 + 8) + stats->work.atoms * 8;
    for (uint32_t at = 0, to = 0; at < CC_TIMES; at++) {
        uint64_t ns = 0, steps = 0;
        for (uint32_t d = 0; d < cc->devices; d++) {
            const uint64_t *result = weir_steps_results(cc->bsp, d);
            ns = result[at] > ns ? result[at] : ns;
            steps = result[CC_STEPS_OF + at];
        }
        if (steps)
            stats->phase[to++] = (weir_run_phase){names[at], (double)ns / 1e6, steps};
    }
}

weir_status weir__cc_resident_run(weir__cc_resident *cc, weir_run_stats *stats)
{
    weir_status status = WEIR_OK;
    double ms;
    for (uint32_t d = 0; d < cc->devices && !status; d++)
        status = set_words(cc, d);
    if (!status)
        status = weir_steps_run(cc->bsp, &ms);
    if (status)
        return status;
    cc->ran = 1;
    fill_stats(cc, ms, stats);
    return WEIR_OK;
}

weir_status weir__cc_resident_labels(const weir__cc_resident *cc, uint32_t *labels_out)
{
    const void *label[WEIR_DEVICES_MAX];
    const uint64_t n = weir__rows_part(cc->rows, 0)->vertices;
    for (uint32_t d = 0; d < cc->devices; d++)
        label[d] = ((const struct cc_args *)weir_steps_args(cc->bsp, d))->label;
    if (cc->ran)
        return weir__rows_gather(cc->rows, label, sizeof(uint32_t), labels_out);
    for (uint64_t v = 0; v < n; v++) /* before a run everybody is alone */
        labels_out[v] = (uint32_t)v;
    return WEIR_OK;
}

weir_status weir__cc_resident_values(const weir__cc_resident *cc, uint32_t device,
                                     weir_values *values_out)
{
    const struct cc_args *args = device < cc->devices ? weir_steps_args(cc->bsp, device) : NULL;
    return weir__rows_values(cc->rows, device, args ? args->label : NULL, WEIR_VALUE_U32,
                             values_out);
}
