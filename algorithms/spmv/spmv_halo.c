/** @file spmv_halo.c  What a device wants of others' x, and which columns of x it keeps.
 *
 * Where x is whole, each device has room for all of it, and of another's stretch comes what lies from the first column that its rows have there
 * to the last. Where x is cut, a device keeps its own columns and those others that its rows name (its halo), in the order of their numbers: a
 * bitmap of all columns has them, and the place of a column is the number of bits before its own. Rows keep the order of their nonzeros so, and
 * sums are the same bit by bit. Columns of a halo that lie far from each other are packed by their owner, by a list; where most of a stretch is
 * wanted, or packing saves little, all of the stretch belongs to the halo.
 * Of a matrix of which a plan knows sizes alone, halos are what chance makes them. */
#include "algorithms/spmv/spmv.h"
#include "runtime/observe.h"
#include "runtime/room.h"
#include "runtime/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_CHUNK (UINT64_C(1) << 12)
#define SAVES      (UINT64_C(64) << 10) /* bytes of a copy below which a kernel that packs costs more */

/* ---- columns of a row --------------------------------------------------------------------------------- */

/* The first nonzero of a row, from `begin` to `end`, whose column is not below `column`. */
static uint64_t first_at(const uint32_t *indices, uint64_t begin, uint64_t end, uint64_t column)
{
    while (begin < end) {
        const uint64_t middle = begin + (end - begin) / 2;
        if (indices[middle] < column)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

struct spmv_span weir__spmv_span(const weir_matrix *m, const struct spmv_part *part, uint64_t row)
{
    struct spmv_span span;
    const uint64_t end = m->offsets[part->first + row + 1];
    span.begin = first_at(m->indices, m->offsets[part->first + row], end, part->column_first);
    span.end = first_at(m->indices, span.begin, end, part->column_first + part->column_count);
    span.own = first_at(m->indices, span.begin, span.end, part->x_first);
    span.rest = first_at(m->indices, span.own, span.end, part->x_first + part->x_rows);
    return span;
}

/* ---- stretches ----------------------------------------------------------------------------------------- */

struct wanting {
    const weir_product *product;
    const weir_matrix *matrix;
    struct spmv_part *part;
};

static void least(uint64_t *word, uint64_t value)
{
    uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (value < old &&
           !__atomic_compare_exchange_n(word, &old, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static void most(uint64_t *word, uint64_t value)
{
    uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (value > old &&
           !__atomic_compare_exchange_n(word, &old, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* What rows begin to end - 1 of a part want of every other device's x: the stretch from the first to the last. */
static void want_rows(void *user, uint64_t begin, uint64_t end)
{
    const struct wanting *w = user;
    const weir_matrix *m = w->matrix;
    for (uint32_t d = 0; d < w->product->parts; d++) {
        const struct spmv_part *from = &w->product->part[d];
        uint64_t low = UINT64_MAX, high = 0;
        if (from == w->part || !from->x_rows || from->column_first != w->part->column_first ||
            from->column_count != w->part->column_count)
            continue;
        for (uint64_t row = w->part->first + begin; row < w->part->first + end; row++) {
            const uint64_t a =
                first_at(m->indices, m->offsets[row], m->offsets[row + 1], from->x_first);
            const uint64_t b =
                first_at(m->indices, a, m->offsets[row + 1], from->x_first + from->x_rows);
            if (a == b)
                continue;
            low = m->indices[a] < low ? m->indices[a] : low;
            high = m->indices[b - 1] + UINT64_C(1) > high ? m->indices[b - 1] + UINT64_C(1) : high;
        }
        if (low < high) {
            least(&w->part->want[d].begin, low);
            most(&w->part->want[d].end, high);
        }
    }
}

static weir_status want_stretches(const weir_product *product, const weir_matrix *matrix,
                                  struct spmv_part *part)
{
    struct wanting w = {product, matrix, part};
    for (uint32_t d = 0; d < product->parts; d++)
        part->want[d] = (struct spmv_want){.begin = UINT64_MAX};
    const weir_status status =
        weir__activity_for("finding columns", "rows", part->rows, ROWS_CHUNK, 0, want_rows, &w);
    for (uint32_t d = 0; d < product->parts; d++) {
        struct spmv_want *want = &part->want[d];
        if (want->end <= want->begin)
            want->begin = want->end = 0;
        want->count = want->end - want->begin;
        want->at = want->begin;
    }
    return status;
}

/* ---- columns that are kept ------------------------------------------------------------------------------- */

#define WORD 64

/* Bits of a word from `column` on, where that is its first column, up to `end`. */
static uint64_t bits_until(uint64_t column, uint64_t end)
{
    return end - column >= WORD ? UINT64_MAX : (UINT64_C(1) << (end - column)) - 1;
}

static uint64_t bits_in(const struct spmv_keep *keep, uint64_t word, uint64_t begin, uint64_t end)
{
    const uint64_t first = word * WORD;
    uint64_t bits = keep->bits[word] & bits_until(first, end);
    return begin > first ? bits & (UINT64_MAX << (begin - first)) : bits;
}

static uint64_t count_kept(const struct spmv_keep *keep, uint64_t begin, uint64_t end)
{
    uint64_t count = 0;
    for (uint64_t word = begin / WORD; word * WORD < end; word++)
        count += (uint64_t)__builtin_popcountll(bits_in(keep, word, begin, end));
    return count;
}

static void keep_all(struct spmv_keep *keep, uint64_t begin, uint64_t end)
{
    for (uint64_t word = begin / WORD; word * WORD < end; word++) {
        const uint64_t first = word * WORD;
        const uint64_t bits = bits_until(first, end);
        keep->bits[word] |= begin > first ? bits & (UINT64_MAX << (begin - first)) : bits;
    }
}

static void keep_column(uint64_t *bits, uint32_t column)
{
    uint64_t *word = &bits[column / WORD];
    const uint64_t bit = UINT64_C(1) << column % WORD;
    if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bit))
        (void)__atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
}

/* Columns that rows begin to end - 1 of a part name, but for the device's own. */
static void keep_rows(void *user, uint64_t begin, uint64_t end)
{
    const struct wanting *w = user;
    uint64_t *bits = w->part->keep.bits;
    for (uint64_t row = begin; row < end; row++) {
        const struct spmv_span span = weir__spmv_span(w->matrix, w->part, row);
        for (uint64_t i = span.begin; i < span.own; i++)
            keep_column(bits, w->matrix->indices[i]);
        for (uint64_t i = span.rest; i < span.end; i++)
            keep_column(bits, w->matrix->indices[i]);
    }
}

static uint64_t words_of(const weir_product *product)
{
    return product->x_rows / WORD + 1;
}

/* Whether the rows that are wanted of a stretch are packed, or all of it is taken. */
static void choose_list(struct spmv_want *want, uint64_t bytes)
{
    const uint64_t all = want->end - want->begin;
    want->listed = want->count < all - all / 5 && (all - want->count) * bytes >= SAVES;
    if (!want->listed)
        want->count = all;
}

/* The halo of one device: what comes of others, and how. */
static weir_status find_halo(const weir_product *product, const weir_matrix *matrix,
                             struct spmv_part *part)
{
    const uint64_t words = words_of(product), bytes = weir__spmv_row_bytes(product);
    struct spmv_keep *keep = &part->keep;
    struct wanting w = {product, matrix, part};
    weir_status status;
    if ((status = weir__calloc(words, sizeof *keep->bits, "columns of x", &keep->bits)) ||
        (status = weir__alloc(words, sizeof *keep->before, "places in x", &keep->before)) ||
        (status =
             weir__activity_for("finding halos", "rows", part->rows, ROWS_CHUNK, 0, keep_rows, &w)))
        return status;
    keep_all(keep, part->x_first, part->x_first + part->x_rows);
    for (uint32_t d = 0; d < product->parts; d++) {
        struct spmv_want *want = &part->want[d];
        want->count = count_kept(keep, want->begin, want->end);
        choose_list(want, bytes);
        if (!want->listed)
            keep_all(keep, want->begin, want->end);
    }
    return WEIR_OK;
}

/* Places: x of a device has no other columns any more. */
static void number_halo(const weir_product *product, struct spmv_part *part)
{
    struct spmv_keep *keep = &part->keep;
    uint64_t before = 0;
    for (uint64_t word = 0; word < words_of(product); word++) {
        keep->before[word] = (uint32_t)before;
        before += (uint64_t)__builtin_popcountll(keep->bits[word]);
    }
    part->x_held = before;
    part->x_at = part->x_rows ? weir__spmv_kept_at(keep, part->x_first) : 0;
    for (uint32_t d = 0; d < product->parts; d++)
        if (part->want[d].count)
            part->want[d].at = weir__spmv_kept_at(keep, part->want[d].begin);
}

/* Of a matrix of which only sizes are known each nonzero names any column: so many columns are named by none as throws leave
 * places empty. */
static weir_status sketch_stretches(const weir_product *product, const weir_matrix *matrix,
                                    struct spmv_part *part, int halos)
{
    const double all = (double)matrix->nonzeros * (double)part->rows / (double)matrix->rows;
    const double named = -expm1(-all / (double)matrix->columns);
    for (uint32_t d = 0; d < product->parts; d++) {
        const struct spmv_part *from = &product->part[d];
        struct spmv_want *want = &part->want[d];
        *want = (struct spmv_want){.begin = 0};
        if (from == part || from->column_first != part->column_first ||
            from->column_count != part->column_count || all == 0)
            continue;
        want->begin = want->at = from->x_first;
        want->end = from->x_first + from->x_rows;
        want->count = (uint64_t)(named * (double)from->x_rows);
        if (halos)
            choose_list(want, weir__spmv_row_bytes(product));
        else
            want->count = from->x_rows;
    }
    return WEIR_OK;
}

static void number_sketch(const weir_product *product, struct spmv_part *part)
{
    part->x_held = part->x_rows;
    for (uint32_t d = 0; d < product->parts; d++)
        part->x_held += part->want[d].count;
    part->x_at = 0; /* nobody reads there */
    for (uint32_t d = 0; d < product->parts; d++)
        part->want[d].at = 0;
}

void weir__spmv_keep_free(weir_product *product)
{
    for (uint32_t d = 0; d < product->parts; d++) {
        free(product->part[d].keep.bits);
        free(product->part[d].keep.before);
        product->part[d].keep = (struct spmv_keep){NULL, NULL};
    }
}

static void need_halos(const weir_product *product, struct weir__need *need)
{
    weir__need_take(need, words_of(product) * product->parts, sizeof(uint64_t) + sizeof(uint32_t));
}

static weir_status find_halos(weir_product *product, const weir_matrix *matrix)
{
    struct weir__need need = {0, 0};
    weir_status status;
    need_halos(product, &need);
    status = weir__need_fits(&need, "the columns that devices keep of x");
    for (uint32_t d = 0; d < product->parts && !status; d++)
        status = find_halo(product, matrix, &product->part[d]);
    return status;
}

static uint64_t all_wanted(const weir_product *product)
{
    uint64_t rows = 0;
    for (uint32_t d = 0; d < product->parts; d++)
        for (uint32_t from = 0; from < product->parts; from++)
            rows += product->part[d].want[from].count;
    return rows;
}

/* Back to whole stretches of an x that is there as a whole. */
static void keep_whole(weir_product *product)
{
    weir__spmv_keep_free(product);
    for (uint32_t d = 0; d < product->parts; d++)
        for (uint32_t from = 0; from < product->parts; from++) {
            struct spmv_want *want = &product->part[d].want[from];
            want->count = want->end - want->begin;
            want->listed = 0;
        }
}

weir_status weir__spmv_want(weir_product *product, const weir_matrix *matrix)
{
    const weir_product_vector asked = product->config.vector;
    uint64_t bytes[WEIR_DEVICES_MAX];
    weir_status status = WEIR_OK;
    product->config.vector = WEIR_VECTOR_WHOLE;
    if (product->parts == 1)
        return WEIR_OK;
    const int fits = weir__spmv_lacks(product, 0, bytes) == UINT32_MAX; /* all of x, that is */
    for (uint32_t d = 0; d < product->parts && !status; d++)
        status = weir__spmv_sketched(matrix) ? sketch_stretches(product, matrix, &product->part[d],
                                                                asked != WEIR_VECTOR_WHOLE)
                                             : want_stretches(product, matrix, &product->part[d]);
    if (!status && asked != WEIR_VECTOR_WHOLE && !weir__spmv_sketched(matrix))
        status = find_halos(product, matrix);
    if (status)
        return status;
    /* By itself x is cut where halos are small, half of what devices own at the most, or all of x has no room. */
    if (asked == WEIR_VECTOR_CUT ||
        (asked == WEIR_VECTOR_AUTO && (!fits || all_wanted(product) <= product->x_rows / 2))) {
        product->config.vector = WEIR_VECTOR_CUT;
        need_halos(product, &product->placing);
        for (uint32_t d = 0; d < product->parts; d++)
            if (weir__spmv_sketched(matrix))
                number_sketch(product, &product->part[d]);
            else
                number_halo(product, &product->part[d]);
    } else {
        keep_whole(product);
    }
    product->halo = all_wanted(product);
    product->exchanged = product->halo * weir__spmv_row_bytes(product);
    return WEIR_OK;
}

/* ---- lists ------------------------------------------------------------------------------------------------ */

/* How much a device packs for others, each of which learns where that begins. */
static uint64_t count_lists(weir_product *product, uint32_t from)
{
    uint64_t count = 0;
    for (uint32_t d = 0; d < product->parts; d++) {
        struct spmv_want *want = &product->part[d].want[from];
        want->packed_at = count;
        count += want->listed ? want->count : 0;
    }
    return count;
}

/* Rows of the owner's memory of x, for one who wants them. */
static void list_rows(const struct spmv_part *from, const struct spmv_part *to,
                      const struct spmv_want *want, uint32_t *list)
{
    const uint64_t shift =
        from->x_first - from->x_at; /* it keeps no more columns before its own than there are */
    for (uint64_t word = want->begin / WORD; word * WORD < want->end; word++)
        for (uint64_t bits = bits_in(&to->keep, word, want->begin, want->end); bits;
             bits &= bits - 1)
            *list++ = (uint32_t)(word * WORD + (uint64_t)__builtin_ctzll(bits) - shift);
}

static weir_status make_list(weir_product *product, const weir_matrix *matrix, uint32_t from)
{
    struct spmv_part *part = &product->part[from];
    struct spmv_packing *packing = &part->packing;
    struct weir__need need = {0, 0};
    uint32_t *list = NULL;
    weir_status status;
    if (!(packing->count = count_lists(product, from)))
        return WEIR_OK;
    weir__need_take(&need, packing->count, sizeof *list);
    if ((status = weir__need_fits(&need, "lists of x")) || /* of sizes alone nobody reads a list */
        (!weir__spmv_sketched(matrix) &&
         (status = weir__alloc(packing->count, sizeof *list, "lists of x", &list))))
        return status;
    for (uint32_t d = 0; d < product->parts && list; d++)
        if (product->part[d].want[from].listed)
            list_rows(part, &product->part[d], &product->part[d].want[from],
                      list + product->part[d].want[from].packed_at);
    if (!(status = weir__spmv_bring(part, "rows of x for others", list, packing->count,
                                    sizeof *list, &packing->list)) &&
        !(status =
              weir__spmv_take(part, "x packed for others", packing->count * product->config.columns,
                              product->value_bytes, &packing->room)))
        status = weir_event_acquire(part->device, &packing->done);
    weir__spmv_note(product, &need);
    free(list);
    return status;
}

weir_status weir__spmv_lists(weir_product *product, const weir_matrix *matrix)
{
    weir_status status = WEIR_OK;
    for (uint32_t d = 0; d < product->parts && !status; d++)
        status = make_list(product, matrix, d);
    return status;
}
