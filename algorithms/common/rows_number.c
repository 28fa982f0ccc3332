/** @file rows_number.c  Which vertex has which number.
 *
 * Vertices are sorted by part, within a part by degree if that is wanted, and then by id: counting sorts
 * that keep the order of equals, from the lowest digit of the degree up to the part. Each counts by blocks,
 * and the sums of those before tell a block where its own go, so that blocks are independent. Of large graphs that are numbered by degree
 * a GPU does it (rows_number_device.c). */
#include "algorithms/common/bring.h"
#include "algorithms/common/rows_build.h"
#include "algorithms/graph/sketch.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK       (UINT64_C(1) << 16) /* vertices */
#define DIGIT_BITS  11
#define DIGITS      (1u << DIGIT_BITS)
#define SUM_DIGITS  16u   /* a cache line of counts */
#define EXACT       4096u /* degrees below are counted each for itself */
#define SKEW_CHUNK  (UINT64_C(1) << 18)
#define OWNER_SHIFT 32 /* the digit is the owner */

struct sort {
    struct weir__rows_build *build;
    uint32_t *degree; /* by vertex; of both directions if both are wanted */
    uint32_t degree_max;
    uint32_t *from, *to; /* vertices in the order of the digits so far; from NULL: by id */
    uint32_t *
        base; /* block * digits + digit: counts, then how far behind the digit's first the block's next one goes */
    uint32_t *first; /* by digit: how many vertices have it, then where they begin */
    uint32_t shift, digits;
    uint64_t blocks;
};

static void add_degrees(void *user, uint64_t begin, uint64_t end)
{
    struct sort *sort = user;
    const uint64_t *offsets = sort->build->graph->offsets;
    const uint32_t *in = sort->build->in_degree;
    uint32_t most = 0;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t degree = offsets[v + 1] - offsets[v] + (in ? in[v] : 0);
        sort->degree[v] = degree < UINT32_MAX ? (uint32_t)degree : UINT32_MAX;
        most = sort->degree[v] > most ? sort->degree[v] : most;
    }
    uint32_t before = __atomic_load_n(&sort->degree_max, __ATOMIC_RELAXED);
    while (most > before && !__atomic_compare_exchange_n(&sort->degree_max, &before, most, 0,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

struct histogram {
    const uint32_t *degree;
    uint64_t count[EXACT + 1]; /* relaxed atomics: sums; the last is of EXACT and more */
    uint64_t arcs, arcs_above; /* of all, and of the last */
};

static void count_degrees(void *user, uint64_t begin, uint64_t end)
{
    struct histogram *h = user;
    uint64_t arcs = 0, above = 0;
    uint32_t count[EXACT + 1] = {0};
    for (uint64_t v = begin; v < end; v++) {
        uint32_t degree = h->degree[v];
        count[degree < EXACT ? degree : EXACT]++;
        arcs += degree;
        above += degree < EXACT ? 0 : degree;
    }
    for (uint32_t d = 0; d <= EXACT; d++)
        if (count[d])
            __atomic_fetch_add(&h->count[d], count[d], __ATOMIC_RELAXED);
    __atomic_fetch_add(&h->arcs, arcs, __ATOMIC_RELAXED);
    __atomic_fetch_add(&h->arcs_above, above, __ATOMIC_RELAXED);
}

/* Skewed: the hundredth of the vertices that has the largest degrees has more than a quarter of the arcs.
 * Then most looks at far ends go to few vertices, and what is kept of those fits into a cache if they lie
 * together (R-MAT and social networks: a half and more). Meshes and road networks are far from it (a
 * hundredth has about 2 %), and have a locality in their ids that sorting would destroy. */
static weir_status skewed(const struct sort *sort, uint64_t n, int *skewed_out)
{
    struct histogram *h;
    weir_status status = weir__calloc(1, sizeof *h, "degrees", &h);
    if (status)
        return status;
    h->degree = sort->degree;
    if ((status = weir__activity_for("counting degrees", "vertices", n, SKEW_CHUNK, 0,
                                     count_degrees, h))) {
        free(h);
        return status;
    }
    uint64_t left = n / 100 ? n / 100 : 1, held = 0;
    for (uint32_t d = EXACT + 1; d-- > 0 && left;) {
        uint64_t take = h->count[d] < left ? h->count[d] : left;
        if (d < EXACT)
            held += take * d;
        else if (take)
            held += h->arcs_above / h->count[d] * take;
        left -= take;
    }
    *skewed_out = held > h->arcs / 4;
    free(h);
    return WEIR_OK;
}

static inline uint32_t digit_of(const struct sort *sort, uint32_t v)
{
    if (sort->shift == OWNER_SHIFT)
        return sort->build->owner[v];
    return ((sort->degree_max - sort->degree[v]) >> sort->shift) & (DIGITS - 1);
}

static inline uint32_t vertex_at(const struct sort *sort, uint64_t i)
{
    return sort->from ? sort->from[i] : (uint32_t)i;
}

static uint64_t block_end(const struct sort *sort, uint64_t block)
{
    uint64_t end = (block + 1) * BLOCK, n = sort->build->graph->vertices;
    return end < n ? end : n;
}

static void count_blocks(void *user, uint64_t begin, uint64_t end)
{
    const struct sort *sort = user;
    for (uint64_t block = begin; block < end; block++) {
        uint32_t *count = sort->base + block * sort->digits;
        memset(count, 0, sort->digits * sizeof *count);
        for (uint64_t i = block * BLOCK; i < block_end(sort, block); i++)
            count[digit_of(sort, vertex_at(sort, i))]++;
    }
}

static void move_blocks(void *user, uint64_t begin, uint64_t end)
{
    const struct sort *sort = user;
    for (uint64_t block = begin; block < end; block++) {
        uint32_t *next = sort->base + block * sort->digits;
        for (uint64_t i = block * BLOCK; i < block_end(sort, block); i++) {
            const uint32_t v = vertex_at(sort, i), digit = digit_of(sort, v);
            sort->to[sort->first[digit] + next[digit]++] = v;
        }
    }
}

/* What a block has of a digit becomes what the blocks before have of it; of each digit remains how many there are. */
static void add_up_blocks(void *user, uint64_t begin, uint64_t end)
{
    const struct sort *sort = user;
    uint32_t sum[SUM_DIGITS] = {0};
    for (uint64_t block = 0; block < sort->blocks; block++) {
        uint32_t *cell = sort->base + block * sort->digits;
        for (uint64_t digit = begin; digit < end; digit++) {
            const uint32_t here = cell[digit];
            cell[digit] = sum[digit - begin];
            sum[digit - begin] += here;
        }
    }
    memcpy(sort->first + begin, sum, (end - begin) * sizeof *sum);
}

/* Where each digit's vertices begin. */
static void add_up(const struct sort *sort)
{
    uint32_t sum = 0;
    weir__parallel_for(sort->digits, SUM_DIGITS, 0, add_up_blocks, (void *)(uintptr_t)sort);
    for (uint32_t digit = 0; digit < sort->digits; digit++) {
        const uint32_t here = sort->first[digit];
        sort->first[digit] = sum;
        sum += here;
    }
}

static weir_status sort_by_digit(struct sort *sort, uint32_t shift, uint32_t *spare)
{
    static const char what[] = "sorting vertices";
    sort->shift = shift;
    sort->digits = shift == OWNER_SHIFT ? 256 : DIGITS;
    weir_status status = weir__activity_for(what, "blocks", sort->blocks, 1, 0, count_blocks, sort);
    if (status)
        return status;
    add_up(sort);
    if ((status = weir__activity_for(what, "blocks", sort->blocks, 1, 0, move_blocks, sort)))
        return status;
    uint32_t *sorted = sort->to;
    sort->to = sort->from ? sort->from : spare;
    sort->from = sorted;
    return WEIR_OK;
}

static weir_status set_begins(struct weir__rows_build *build, const uint32_t *totals)
{
    weir_rows *rows = build->rows;
    uint64_t number = 0;
    uint32_t first[WEIR_DEVICES_MAX + 1] = {0};
    for (uint32_t p = rows->parts; p < 256; p++)
        if (totals[p])
            return weir__refuse_owner(build->owner, rows->parts);
    for (uint32_t p = 0; p < rows->parts; p++) {
        first[p] = (uint32_t)number;
        number += totals[p];
        number = (number + WEIR_ROWS_ALIGN - 1) / WEIR_ROWS_ALIGN * WEIR_ROWS_ALIGN;
        if (number > UINT32_MAX)
            return weir__fail(WEIR_ERR_INVALID,
                              "%llu vertices in %u parts: more than 2^32 numbers, as parts begin "
                              "at multiples of %u",
                              (unsigned long long)rows->vertices, rows->parts, WEIR_ROWS_ALIGN);
    }
    first[rows->parts] = rows->numbers = (uint32_t)number;
    for (uint32_t p = 0; p < rows->parts; p++) {
        weir_rows_part *part = &rows->part[p];
        part->begin = first[p];
        part->owned = totals[p];
        part->numbers = rows->numbers;
        memcpy(part->first, first, sizeof first);
    }
    return WEIR_OK;
}

static void write_numbers(void *user, uint64_t begin, uint64_t end)
{
    const struct sort *sort = user;
    weir_rows *rows = sort->build->rows;
    const uint64_t *offsets = sort->build->graph->offsets;
    uint32_t p = 0;
    uint64_t before = 0; /* vertices of the parts before p */
    for (uint64_t i = begin; i < end; i++) {
        while (i >= before + rows->part[p].owned)
            before += rows->part[p++].owned;
        uint32_t v = sort->from[i], number = rows->part[p].begin + (uint32_t)(i - before);
        rows->number[v] = number;
        rows->vertex[number] = v;
        rows->degree[number] = (uint32_t)(offsets[v + (uint64_t)1] - offsets[v]);
    }
}

static void clear_gaps(weir_rows *rows)
{
    for (uint32_t p = 0; p < rows->parts; p++)
        for (uint32_t i = rows->part[p].begin + rows->part[p].owned; i < rows->part[p].first[p + 1];
             i++) {
            rows->vertex[i] = UINT32_MAX;
            rows->degree[i] = 0;
        }
}

/* In a part that is numbered by degree all rows behind those with arcs are isolated vertices, as a rule half of those of an R-MAT
 * graph. */
static uint32_t busy_by_degree(const struct sort *sort, const uint32_t *vertex, uint32_t owned)
{
    uint32_t low = 0, high = owned;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (sort->degree[vertex[middle]])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Find the last row of each part that has arcs. */
static void look_for_busy(const struct sort *sort)
{
    weir_rows *rows = sort->build->rows;
    for (uint32_t p = 0; p < rows->parts; p++) {
        weir_rows_part *part = &rows->part[p];
        const uint32_t *vertex = rows->vertex + part->begin;
        part->busy = part->owned;
        if (rows->order == WEIR_ROWS_BY_DEGREE)
            part->busy = busy_by_degree(sort, vertex, part->owned);
        while (part->busy && !sort->degree[vertex[part->busy - 1]])
            part->busy--;
    }
}

struct owned {
    const uint8_t *owner;
    uint32_t totals[256]; /* relaxed atomics, read after the join */
};

static void count_owned(void *user, uint64_t begin, uint64_t end)
{
    struct owned *owned = user;
    uint32_t count[256] = {0};
    for (uint64_t v = begin; v < end; v++)
        count[owned->owner[v]]++;
    for (uint32_t p = 0; p < 256; p++)
        if (count[p])
            __atomic_fetch_add(&owned->totals[p], count[p], __ATOMIC_RELAXED);
}

/* Where parts begin, and room for what follows from that. */
static weir_status make_room(struct sort *sort)
{
    weir_rows *rows = sort->build->rows;
    struct owned owned = {.owner = sort->build->owner};
    weir_status status = weir__activity_for("counting vertices", "vertices", rows->vertices, BLOCK,
                                            0, count_owned, &owned);
    if (status || (status = set_begins(sort->build, owned.totals)) ||
        (status = weir__alloc(rows->vertices, 4, "numbers", &rows->number)) ||
        (status = weir__alloc(rows->numbers, 4, "vertices of numbers", &rows->vertex)))
        return status;
    return weir__alloc(rows->numbers, 4, "degrees", &rows->degree);
}

/* By the cores of the host. */
static weir_status number_here(struct sort *sort)
{
    const weir_rows *rows = sort->build->rows;
    const uint64_t n = rows->vertices;
    uint32_t *spare = NULL;
    weir_status status;
    if ((status = weir__alloc(n, 4, "order of vertices", &sort->to)) ||
        (status = weir__alloc(n, 4, "order of vertices", &spare)) ||
        (status = weir__alloc(sort->blocks * DIGITS, 4, "vertices of blocks", &sort->base)))
        goto out;
    if (rows->order == WEIR_ROWS_BY_DEGREE)
        for (uint32_t shift = 0; shift < 32 && sort->degree_max >> shift && !status;
             shift += DIGIT_BITS)
            status = sort_by_digit(sort, shift, spare);
    if (!status && !(status = sort_by_digit(sort, OWNER_SHIFT, spare)))
        status =
            weir__activity_for("numbering vertices", "vertices", n, BLOCK, 0, write_numbers, sort);
out:
    free(sort->base);
    if (sort->from) { /* the two orders have changed places, or not */
        free(sort->from);
        free(sort->to);
    } else {
        free(sort->to);
        free(spare);
    }
    return status;
}

static weir_status choose_order(struct sort *sort)
{
    weir_rows *rows = sort->build->rows;
    int by_degree = sort->build->config->order == WEIR_ROWS_BY_DEGREE;
    weir_status status = WEIR_OK;
    if (sort->build->config->order == WEIR_ROWS_AUTO)
        status = skewed(sort, rows->vertices, &by_degree);
    rows->order = by_degree ? WEIR_ROWS_BY_DEGREE : WEIR_ROWS_BY_ID;
    return status;
}

/* Where numbers begin, without any. */
static weir_status number_sketch(struct weir__rows_build *build)
{
    weir_rows *rows = build->rows;
    uint32_t totals[256] = {0};
    for (uint32_t p = 0; p < rows->parts; p++)
        totals[p] = (uint32_t)build->sizes->owned[p];
    weir_status status = set_begins(build, totals);
    for (uint32_t p = 0; p < rows->parts && !status; p++)
        rows->part[p].busy = rows->part[p].owned;
    rows->order = build->config->order == WEIR_ROWS_BY_ID ? WEIR_ROWS_BY_ID : WEIR_ROWS_BY_DEGREE;
    return status;
}

weir_status weir__rows_number(struct weir__rows_build *build)
{
    weir_rows *rows = build->rows;
    const uint64_t n = rows->vertices;
    uint32_t first[DIGITS];
    struct sort sort = {.build = build, .first = first, .blocks = (n + BLOCK - 1) / BLOCK};
    weir_status status;
    if (weir__graph_is_sketch(build->graph))
        return number_sketch(build);
    if ((status = weir__alloc(n, 4, "degrees of vertices", &sort.degree)))
        return status;
    if (!(status = weir__activity_for("adding up degrees", "vertices", n, BLOCK, 0, add_degrees,
                                      &sort)) &&
        !(status = choose_order(&sort)) && !(status = make_room(&sort))) {
        status = weir__rows_number_on_device(build)
                     ? weir__rows_number_there(build, sort.degree_max)
                     : WEIR_ERR_NOMEM;
        if (status == WEIR_ERR_NOMEM)
            status = number_here(&sort);
    }
    if (!status) {
        clear_gaps(rows);
        look_for_busy(&sort);
    }
    free(sort.degree);
    return status;
}
