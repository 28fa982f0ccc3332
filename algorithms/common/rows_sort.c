/** @file rows_sort.c  The arcs of a part's rows as keys (weir__rows_key), in order.
 *
 * A row of some dozens of arcs sorted by itself takes three times as long as its share of a batch: rows that lie side by side are sorted
 * together, as words with the row above the key, by a radix sort from the lowest digit up. Each digit moves a batch once between
 * two buffers in a core's cache, and the row, whose places are known, brings it to where it stays. A row that is longer than a
 * batch, or keys that leave no room for rows in a word, are sorted in place. */
#include "algorithms/common/rows_build.h"
#include "algorithms/graph/csr.h"
#include "algorithms/graph/sort_arcs.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <string.h>

#define SORT_NAME   sort_plain
#define SORT_TYPE   uint32_t
#define SORT_KEY(x) (x)
#include "algorithms/graph/sort_tmpl.h"

#define SORT_NAME   sort_packed
#define SORT_TYPE   uint64_t
#define SORT_KEY(x) (x)
#include "algorithms/graph/sort_tmpl.h"

#define BATCH_BITS 15u
#define BATCH      (1u << BATCH_BITS) /* arcs, and rows, of a batch at most */
#define DIGIT_BITS 11u

struct rows {
    const struct weir__rows_build *build;
    const weir_rows_part *part;
    const uint64_t *offsets;
    const void *dealt; /* the keys, not sorted yet; NULL: the graph has the arcs */
    void *keys;
    /* Bits of the half of a key that rows are sorted by first, which is above, and of the other one, 0 without weights. */
    uint32_t above, below;
    uint32_t sorted;             /* bits of a word that decide, */
    uint32_t unsorted;           /* above these, which do not: numbers of a row differ */
    struct weir__scratch buffer; /* struct batch */
};

/* What a thread sorts with. */
struct batch {
    uint64_t words[2][BATCH]; /* row of the batch, then both halves of the key */
    uint32_t place[BATCH];    /* by row: where its next arc goes */
};

/* ---- one row by itself --------------------------------------------------------------------------- */

/* Rows of consecutive parts numbered by id are sorted as they come. */
static int ascends(const void *keys, uint64_t count, int packed)
{
    if (packed) {
        for (uint64_t i = 1; i < count; i++)
            if (((const uint64_t *)keys)[i - 1] > ((const uint64_t *)keys)[i])
                return 0;
    } else {
        for (uint64_t i = 1; i < count; i++)
            if (((const uint32_t *)keys)[i - 1] > ((const uint32_t *)keys)[i])
                return 0;
    }
    return 1;
}

/* The first arc of a row in the graph. */
static uint64_t arc_of(const struct rows *rows, uint64_t row)
{
    const struct weir__rows_build *build = rows->build;
    return build->graph->offsets[build->rows->vertex[rows->part->begin + row]];
}

/* Out-arcs: targets become numbers. */
static void write_row(const struct rows *rows, uint64_t row)
{
    const struct weir__rows_build *build = rows->build;
    const weir_graph *graph = build->graph;
    const uint32_t *number = build->rows->number;
    const uint64_t from = arc_of(rows, row), to = rows->offsets[row],
                   count = rows->offsets[row + 1] - to;
    if (build->config->weights)
        for (uint64_t i = 0; i < count; i++)
            ((uint64_t *)rows->keys)[to + i] = weir__rows_key(
                build, number[graph->targets[from + i]], graph->weights_u32[from + i]);
    else
        for (uint64_t i = 0; i < count; i++)
            ((uint32_t *)rows->keys)[to + i] = number[graph->targets[from + i]];
}

/* Of the highest byte that decides. */
static uint32_t shift_of(const struct rows *rows)
{
    const uint32_t byte = (rows->above - 1) / 8 * 8;
    return rows->build->config->weights ? 32 + byte : byte;
}

static void sort_row(const struct rows *rows, uint64_t row)
{
    const int packed = rows->build->config->weights;
    const uint64_t at = rows->offsets[row], count = rows->offsets[row + 1] - at;
    const size_t bytes = weir__rows_key_bytes(rows->build);
    void *keys = (char *)rows->keys + at * bytes;
    if (!rows->dealt)
        write_row(rows, row);
    else if (rows->dealt != rows->keys)
        memcpy(keys, (const char *)rows->dealt + at * bytes, count * bytes);
    if (ascends(keys, count, packed))
        return;
    if (packed)
        sort_packed(keys, count, shift_of(rows));
    else
        sort_plain(keys, count, shift_of(rows));
}

/* ---- a batch ------------------------------------------------------------------------------------- */

/* A word of a key, without its row; and back. */
static inline uint64_t word_of(const struct rows *rows, uint64_t key)
{
    return rows->below ? key >> 32 << rows->below | (key & UINT32_MAX) : key;
}

static inline uint64_t key_of(const struct rows *rows, uint64_t word)
{
    const uint64_t above = word >> rows->below & ((UINT64_C(1) << rows->above) - 1);
    return rows->below ? above << 32 | (word & ((UINT64_C(1) << rows->below) - 1)) : above;
}

/* All words of rows `begin` to `end`. @return whether each row ascends as it is. */
static int read_batch(const struct rows *rows, struct batch *batch, uint64_t begin, uint64_t end)
{
    const struct weir__rows_build *build = rows->build;
    const uint32_t *number = build->rows->number, *targets = build->graph->targets,
                   *weights = build->graph->weights_u32;
    const int packed = build->config->weights;
    const uint32_t row_shift = rows->above + rows->below;
    uint64_t *words = batch->words[0], descents = 0, before = 0;
    for (uint64_t row = begin; row < end; row++) {
        const uint64_t at = rows->offsets[row], count = rows->offsets[row + 1] - at,
                       from = rows->dealt ? at : arc_of(rows, row),
                       bits = (row - begin) << row_shift;
        batch->place[row - begin] = (uint32_t)(at - rows->offsets[begin]);
        for (uint64_t i = 0; i < count; i++) {
            const uint64_t key =
                rows->dealt ? packed ? ((const uint64_t *)rows->dealt)[at + i]
                                     : ((const uint32_t *)rows->dealt)[at + i]
                : packed ? weir__rows_key(build, number[targets[from + i]], weights[from + i])
                            : number[targets[from + i]];
            words[i] = bits | word_of(rows, key);
            descents += words[i] < before; /* the rows ascend by themselves */
            before = words[i];
        }
        words += count;
    }
    return descents == 0;
}

/* One digit from one buffer into the other. */
static void pass(const uint64_t *from, uint64_t *to, uint32_t count, uint32_t shift, uint32_t mask)
{
    uint32_t place[1u << DIGIT_BITS];
    for (uint32_t digit = 0; digit <= mask; digit++)
        place[digit] = 0;
    for (uint32_t i = 0; i < count; i++)
        place[from[i] >> shift & mask]++;
    for (uint32_t digit = 0, sum = 0; digit <= mask; digit++) {
        const uint32_t here = place[digit];
        place[digit] = sum;
        sum += here;
    }
    for (uint32_t i = 0; i < count; i++)
        to[place[from[i] >> shift & mask]++] = from[i];
}

/* Each word to its row, in the order they have. */
static void write_batch(const struct rows *rows, struct batch *batch, const uint64_t *words,
                        uint64_t first, uint32_t count)
{
    const uint32_t row_shift = rows->above + rows->below;
    uint32_t *plain = (uint32_t *)rows->keys + first;
    uint64_t *packed = (uint64_t *)rows->keys + first;
    if (rows->build->config->weights)
        for (uint32_t i = 0; i < count; i++)
            packed[batch->place[words[i] >> row_shift]++] = key_of(rows, words[i]);
    else
        for (uint32_t i = 0; i < count; i++)
            plain[batch->place[words[i] >> row_shift]++] = (uint32_t)key_of(rows, words[i]);
}

static void sort_batch(const struct rows *rows, struct batch *batch, uint64_t begin, uint64_t end)
{
    const uint64_t first = rows->offsets[begin];
    const uint32_t count = (uint32_t)(rows->offsets[end] - first),
                   passes = (rows->sorted + DIGIT_BITS - 1) / DIGIT_BITS,
                   each = (rows->sorted + passes - 1) / passes;
    uint32_t here = 0;
    if (read_batch(rows, batch, begin, end)) {
        if (rows->dealt == rows->keys)
            return;
    } else {
        for (uint32_t p = 0; p < passes; p++, here ^= 1)
            pass(batch->words[here], batch->words[here ^ 1], count, rows->unsorted + p * each,
                 (1u << each) - 1);
    }
    write_batch(rows, batch, batch->words[here], first, count);
}

/* ---- all ----------------------------------------------------------------------------------------- */

/* The row behind the last one that belongs to a batch with `row`; `row` itself: it is too long. */
static uint64_t batch_end(const struct rows *rows, uint64_t row, uint64_t last)
{
    const uint64_t first = rows->offsets[row], most = last - row > BATCH ? row + BATCH : last;
    uint64_t low = row,
             high =
                 most; /* the last row whose batch, without it, has no more arcs than one holds */
    while (low < high) {
        const uint64_t middle = low + (high - low + 1) / 2;
        if (rows->offsets[middle] - first <= BATCH)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static void sort_rows(void *user, uint64_t begin, uint64_t end)
{
    struct rows *rows = user;
    const uint64_t owned = rows->part->owned, last = weir__first_row_at(rows->offsets, owned, end);
    struct batch *batch =
        rows->above + rows->below + BATCH_BITS <= 64 ? weir__scratch_take(&rows->buffer) : NULL;
    for (uint64_t row = weir__first_row_at(rows->offsets, owned, begin); row < last;) {
        const uint64_t stop = batch ? batch_end(rows, row, last) : row;
        if (stop > row)
            sort_batch(rows, batch, row, stop);
        else
            sort_row(rows, row);
        row = stop > row ? stop : row + 1;
    }
    if (batch)
        weir__scratch_put(&rows->buffer, batch);
}

weir_status weir__rows_sort(const struct weir__rows_build *build, const weir_rows_part *part,
                            const uint64_t *offsets, const void *dealt, void *keys_out)
{
    const uint32_t number = weir__csr_bits(build->rows->numbers),
                   weight = build->config->weights
                                ? weir__csr_bits(build->weight_bits + UINT64_C(1))
                                : 0;
    const int by_weight = build->config->by_weight;
    struct rows rows = {.build = build,
                        .part = part,
                        .offsets = offsets,
                        .dealt = dealt,
                        .keys = keys_out,
                        .above = by_weight ? weight : number,
                        .below = by_weight ? number : weight,
                        .sorted = by_weight ? number + weight : number,
                        .unsorted = by_weight ? 0 : weight};
    weir_status status = weir_graph_fetch(build->graph);
    if (status)
        return status;
    weir__scratch_open(&rows.buffer, sizeof(struct batch));
    status = weir__activity_for("sorting rows", "arcs", offsets[part->owned], WEIR__ARC_CHUNK, 0,
                                sort_rows, &rows);
    weir__scratch_close(&rows.buffer);
    return status;
}
