/** @file rows_halo.c  Halos of rows: which vertices of other parts a part's arcs name, and a local number for each.
 *
 * Each device marks the numbers that its arcs lead to, a bit each. The host counts the bits, which makes local numbers, and brings them back, for
 * the device to put them in place of numbers; and to each other part's device the stretch of its own rows, so that it knows where in this
 * halo they lie. */
#include "algorithms/common/bring.h"
#include "algorithms/common/row_steps.h"
#include "algorithms/common/rows_build.h"
#include "algorithms/common/rows_device_op.h"
#include "algorithms/graph/sketch.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

struct halos {
    struct weir__rows_build *build;
    uint64_t words; /* of 32 numbers, and one behind them, as mark_by_device() has it */
    uint32_t *bits
        [WEIR_DEVICES_MAX]; /* by part: of numbers that it knows. While they are counted relaxed atomics */
    uint64_t *known[WEIR_DEVICES_MAX]; /* by part: weir_rows_local() */
};

/* ---- which ------------------------------------------------------------------------------------- */

static weir_status launch(weir_device *device, const weir_kernel *kernel,
                          const rows_names_args *args)
{
    weir_queue *queue;
    weir_status status = args->count ? weir_queue_create(device, 0, &queue) : WEIR_OK;
    if (status || !args->count)
        return status;
    if (!(status = weir_queue_launch(queue, kernel, args, sizeof *args)))
        status = weir_queue_sync(queue);
    weir_queue_destroy(queue);
    return status;
}

/* Directions of a part's arcs. */
enum { OUT = 1, IN = 2 };

/* Run a kernel over all that names numbers: arcs, and first targets of rows. @param[in] firsts  those as well. */
static weir_status over_arcs(const weir_rows_part *part, weir_device *device, int directions,
                             const weir_kernel *kernel, rows_names_args *args, int firsts)
{
    weir_status status = WEIR_OK;
    args->first = part->begin;
    args->owned = part->owned;
    for (int direction = OUT; direction <= IN && !status; direction++) {
        const weir_arcs *arcs = direction == IN ? &part->in : &part->out;
        if (!(directions & direction))
            continue;
        args->targets = (uint32_t *)(uintptr_t)arcs->targets; /* the rows' own */
        args->count = direction == IN ? part->arcs_in : part->arcs_out;
        status = launch(device, kernel, args);
        args->targets = (uint32_t *)(uintptr_t)arcs->firsts;
        args->count = arcs->firsts ? part->owned : 0;
        if (!status && firsts)
            status = launch(device, kernel, args);
    }
    return status;
}

/* Each arc once: those of a symmetric graph are the same either way. */
static int all_directions(const weir_rows_part *part)
{
    return part->in.targets && part->in.targets != part->out.targets ? OUT | IN : OUT;
}

/* By the part's device. @param[out] bits  of all numbers; 0 before. */
static weir_status mark_by_device(const weir_rows *rows, uint32_t p, int directions, uint32_t *bits)
{
    const uint64_t words = (uint64_t)rows->numbers / 32 + 1;
    weir_device *device = weir_context_device(rows->context, p);
    rows_names_args args = {.targets = NULL};
    const void *placed = NULL;
    weir_status status = weir__bring(device, "marks of far ends", bits, words, 4, &placed);
    args.bits = (uint32_t *)(uintptr_t)placed;
    if (!status)
        status = over_arcs(&rows->part[p], device, directions, &weir__rows_mark_kernel, &args, 0);
    if (!status)
        status = weir__download(device, bits, placed, words * 4);
    weir__bring_free(device, placed);
    return status;
}

static weir_status mark_there(void *user, uint32_t p)
{
    const struct halos *halos = user;
    const weir_rows *rows = halos->build->rows;
    return mark_by_device(rows, p, all_directions(&rows->part[p]), halos->bits[p]);
}

weir_status weir__rows_mark_tails(const weir_rows *rows, uint32_t p, uint32_t *bits)
{
    return mark_by_device(rows, p, IN, bits);
}

static void mark(const struct halos *halos, uint32_t part, uint32_t number)
{
    uint32_t *word = &halos->bits[part][number / 32];
    const uint32_t bit = 1u << number % 32;
    if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bit))
        __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
}

/* Where arcs are not brought to devices. */
static void mark_here(void *user, uint64_t begin, uint64_t end)
{
    const struct halos *halos = user;
    const struct weir__rows_build *build = halos->build;
    const int both = build->config->in_arcs && !build->rows->symmetric;
    struct weir__arc_walk walk = weir__arc_walk_from(build->graph, begin);
    for (uint64_t arc = begin; arc < end; arc++) {
        const uint64_t tail = weir__arc_walk_to(&walk, arc), head = build->graph->targets[arc];
        const uint32_t from = build->owner[tail], to = build->owner[head];
        if (from == to)
            continue;
        mark(halos, from, build->rows->number[head]);
        if (both)
            mark(halos, to, build->rows->number[tail]);
    }
}

/* ---- local numbers ----------------------------------------------------------------------------- */

static void mark_rows(uint32_t *bits, const weir_rows_part *part)
{
    memset(bits + part->begin / 32, 0xFF, part->owned / 32 * sizeof *bits); /* it begins a word */
    if (part->owned % 32)
        bits[(part->begin + part->owned) / 32] = (1u << part->owned % 32) - 1u;
}

/* Of which parts nearly all rows are in a halo: then all are, and neither side looks up which. */
static uint64_t mark_whole(const weir_rows *rows, uint32_t p, uint32_t *bits)
{
    uint64_t whole = 0;
    for (uint32_t d = 0; d < rows->parts; d++) {
        const weir_rows_part *other = &rows->part[d];
        const uint32_t words = other->owned / 32 + (other->owned % 32 != 0);
        uint32_t marked = 0;
        for (uint32_t w = 0; w < words && d != p; w++)
            marked += (uint32_t)__builtin_popcount(bits[other->begin / 32 + w]);
        if (marked == 0 || marked < other->owned - other->owned / 16)
            continue;
        mark_rows(bits, other);
        whole |= UINT64_C(1) << d;
    }
    return whole;
}

static void count_locals(const struct halos *halos, uint32_t p)
{
    const weir_rows *rows = halos->build->rows;
    const weir_rows_part *part = &rows->part[p];
    weir_rows_halo *halo = &rows->halo[p];
    uint32_t *bits = halos->bits[p];
    mark_rows(bits, part);
    halo->whole = mark_whole(rows, p, bits);
    halo->count = 0;
    for (uint64_t w = 0; w < halos->words; w++) {
        halos->known[p][w] = (uint64_t)halo->count << 32 | bits[w];
        halo->count += (uint32_t)__builtin_popcount(bits[w]);
    }
    halo->begin = weir_rows_local(halos->known[p], part->begin);
    for (uint32_t d = 0; d <= rows->parts; d++)
        halo->first[d] = weir_rows_local(halos->known[p], part->first[d]);
}

/* Of a graph that is not there the halo is as large as usual, and nothing can be said of where it lies. */
static void count_sketch(const struct halos *halos, uint32_t p)
{
    const weir_rows *rows = halos->build->rows;
    rows->halo[p].count = rows->part[p].owned + (uint32_t)weir__halo_usual(halos->build->sizes, p);
    rows->halo[p].first[rows->parts] = rows->halo[p].count;
}

/* Numbers of the halo, ascending. */
static weir_status bring_numbers(const struct halos *halos, uint32_t p)
{
    const weir_rows_part *part = &halos->build->rows->part[p];
    weir_rows_halo *halo = &halos->build->rows->halo[p];
    const uint32_t count = halo->count - part->owned;
    const void *placed = NULL;
    uint32_t *numbers = NULL, at = 0;
    weir_status status = WEIR_OK;
    if (!halos->build->sizes)
        status = weir__alloc(count, 4, "numbers of a halo", &numbers);
    for (uint64_t w = 0; w < halos->words && numbers; w++)
        for (uint32_t bits = halos->bits[p][w]; bits; bits &= bits - 1) {
            const uint32_t number = (uint32_t)w * 32 + (uint32_t)__builtin_ctz(bits);
            if (number - part->begin >= part->owned)
                numbers[at++] = number;
        }
    if (!status)
        status = weir__bring(weir_context_device(halos->build->rows->context, p),
                             "numbers of the halo", numbers, count, 4, &placed);
    halo->numbers = placed;
    free(numbers);
    return status;
}

/* Arcs of a part name local numbers. What leads from one kind of number to the other stays: in one direction, whichever takes less. */
static weir_status name_there(void *user, uint32_t p)
{
    const struct halos *halos = user;
    const weir_rows *rows = halos->build->rows;
    weir_device *device = weir_context_device(rows->context, p);
    weir_rows_halo *halo = &rows->halo[p];
    rows_names_args args = {.targets = NULL};
    const void *placed = NULL;
    weir_status status =
        weir__bring(device, "local numbers", halos->known[p], halos->words, 8, &placed);
    args.known = halo->known = placed;
    if (!status && !halos->build->sizes)
        status = over_arcs(&rows->part[p], device, all_directions(&rows->part[p]),
                           &weir__rows_name_kernel, &args, 1);
    if (rows->order == WEIR_ROWS_BY_DEGREE)
        return status;
    weir__bring_free(device, placed);
    halo->known = NULL;
    return status ? status : bring_numbers(halos, p);
}

/* ---- whom others tell --------------------------------------------------------------------------- */

/* Whether a halo has any of a stretch; of a graph that is not there, all have. */
static int has_any(const uint64_t *known, uint64_t words)
{
    for (uint64_t w = 0; known && w < words; w++)
        if ((uint32_t)known[w])
            return 1;
    return !known;
}

static weir_status bring_to(void *user, uint32_t p)
{
    const struct halos *halos = user;
    const weir_rows *rows = halos->build->rows;
    const weir_rows_part *part = &rows->part[p];
    const uint64_t words = ((uint64_t)part->owned + 31) / 32;
    weir_status status = WEIR_OK;
    for (uint32_t d = 0; d < rows->parts && !status; d++) {
        const uint64_t *known = halos->known[d] ? halos->known[d] + part->begin / 32 : NULL;
        const void *placed = NULL;
        if (d == p || !has_any(known, words))
            continue;
        status = weir__bring(weir_context_device(rows->context, p), "places in other halos", known,
                             words, 8, &placed);
        rows->halo[p].to[d] = placed;
    }
    return status;
}

/* ---- all of it ---------------------------------------------------------------------------------- */

static weir_status take_bits(struct halos *halos)
{
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < halos->build->rows->parts && !status; p++) {
        status = weir__calloc(halos->words, 4, "marks of a halo", &halos->bits[p]);
        if (!status)
            status = weir__alloc(halos->words, 8, "local numbers", &halos->known[p]);
    }
    return status;
}

static weir_status find(struct halos *halos)
{
    const struct weir__rows_build *build = halos->build;
    const uint32_t parts = build->rows->parts;
    weir_status status = WEIR_OK;
    if (weir__graph_is_sketch(build->graph)) {
        for (uint32_t p = 0; p < parts; p++)
            count_sketch(halos, p);
        return WEIR_OK;
    }
    if ((status = take_bits(halos)))
        return status;
    status = build->sizes ? weir__activity_for("marking halos", "arcs", build->graph->arcs,
                                               WEIR__ARC_CHUNK, 0, mark_here, halos)
                          : weir__activity_each(parts, mark_there, halos);
    for (uint32_t p = 0; p < parts && !status; p++)
        count_locals(halos, p);
    for (uint32_t p = 0; p < parts && !status; p++)
        for (uint32_t d = 0; d < parts; d++)
            if (build->rows->halo[d].whole >> p & 1)
                build->rows->halo[p].whole_at[d] = build->rows->halo[d].first[p];
    return status;
}

weir_status weir__rows_place_halos(struct weir__rows_build *build)
{
    weir_rows *rows = build->rows;
    struct halos halos = {.build = build, .words = (uint64_t)rows->numbers / 32 + 1};
    weir_status status = weir__calloc(rows->parts, sizeof *rows->halo, "halos", &rows->halo);
    if (status)
        return status;
    for (uint32_t p = 0; p < rows->parts; p++)
        memset(rows->halo[p].whole_at, 0xFF, sizeof rows->halo[p].whole_at); /* WEIR_ROWS_NONE */
    if (rows->parts == 1) {
        rows->halo->count = rows->halo->first[1] = rows->part->owned;
        return WEIR_OK;
    }
    if (!(status = find(&halos)) &&
        !(status = weir__activity_each(rows->parts, name_there, &halos)))
        status = weir__activity_each(rows->parts, bring_to, &halos);
    for (uint32_t p = 0; p < rows->parts; p++) {
        free(halos.bits[p]);
        free(halos.known[p]);
    }
    return status;
}

uint64_t weir__rows_halo_bytes(const struct weir__sizes *sizes, uint32_t part)
{
    const uint64_t parts = sizes->parts, others = sizes->vertices - sizes->owned[part];
    const uint64_t words = sizes->numbers / 32 + 1 + (sizes->owned[part] / 32 + 1) * (parts - 1);
    return parts > 1 ? others * 4 + words * 8 : 0;
}

void weir__rows_halos_need(const struct weir__sizes *sizes, struct weir__need *need)
{
    const uint64_t words = sizes->parts > 1 ? sizes->numbers / 32 + 1 : 0;
    weir__need_take(need, words * sizes->parts, 12);
    for (uint32_t p = 0; p < sizes->parts; p++) {
        weir__need_pass(need, words ? sizes->vertices - sizes->owned[p] : 0, 4);
        weir__need_take_on(need, weir_context_device(sizes->context, p),
                           weir__rows_halo_bytes(sizes, p), 1);
    }
    weir__need_give(need, words * sizes->parts, 12);
}

void weir__rows_free_halos(weir_rows *rows)
{
    for (uint32_t p = 0; p < rows->parts && rows->halo; p++) {
        weir_device *device = weir_context_device(rows->context, p);
        weir__bring_free(device, rows->halo[p].numbers);
        weir__bring_free(device, rows->halo[p].known);
        for (uint32_t d = 0; d < rows->parts; d++)
            weir__bring_free(device, rows->halo[p].to[d]);
    }
    free(rows->halo);
}
