/** @file pr_bands.c  Blocking by columns: whether shares are read band by band, where bands begin, and how the arcs of a
 * part come to lie by band.
 *
 * A band is a stretch of numbers whose shares fit into a third of the cache that all units of a device share: warps
 * that have drifted apart read two of them, and what only passes through takes its place too. */
#include "algorithms/pr/pr.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

/* ---- whether: what is moved with and without ----------------------------------------------------- */

/* What a read of a share that is not in the cache moves: GPUs fetch 64 bytes for a sector of 32, hosts a line. */
#define LINE_BYTES 64
/* What a row costs in each band beyond the first: its sum is read and written, and its end is read. */
#define ROW_BYTES 17
/* Without bands, what is moved must be so many times what is moved with them. */
#define MARGIN 1.5
/* Looked at of each part: so many stretches of at most so many arcs. */
#define STRETCHES     32
#define STRETCH_ARCS  65536
#define WEIGHTS       4096  /* of lines, in arcs; heavier ones count as the last */
#define STRIPS_WANTED 32768 /* of a part: several for each of some thousand warps */

/* What a choice is made from. */
struct look {
    const struct weir__pr_parts *parts;
    uint32_t line;    /* shares in one */
    uint64_t lines;   /* of all numbers */
    uint64_t read;    /* those with a share that somebody reads */
    uint64_t hot;     /* lines that stay in the cache without bands: the half of it */
    uint16_t *weight; /* of each line: arcs that carry its shares, at most WEIGHTS - 1 */
    uint8_t *seen;    /* of each line: the last stretch in which it was seen, by number from 1 */
    uint32_t edge;    /* lines of more weight are hot; of those of this weight the part edge_hot */
    double edge_hot;
    uint64_t stretch_arcs;
};

static uint32_t share_bytes(const struct weir__pr_parts *parts)
{
    return parts->fine ? sizeof(double) : sizeof(float);
}

/* What threads that look at lines, or at rows, add up: relaxed, read when all are through. */
struct sums {
    const struct look *look;
    uint64_t lines[WEIGHTS]; /* of each weight */
    const struct weir__pr_rows *rows;
    uint64_t short_rows, short_arcs;
};

static void add(uint64_t *sum, uint64_t more)
{
    if (more)
        (void)__atomic_fetch_add(sum, more, __ATOMIC_RELAXED);
}

static void weigh_lines(void *user, uint64_t begin, uint64_t end)
{
    struct sums *sums = user;
    const struct look *look = sums->look;
    uint32_t lines[WEIGHTS] = {0};
    for (uint64_t line = begin; line < end; line++) {
        const uint64_t past = (line + 1) * look->line;
        uint64_t weight = 0;
        for (uint64_t i = line * look->line; i < past && i < look->parts->numbers; i++)
            weight += look->parts->degree[i];
        look->weight[line] = (uint16_t)(weight < WEIGHTS ? weight : WEIGHTS - 1);
        lines[look->weight[line]]++;
    }
    for (uint32_t w = 0; w < WEIGHTS; w++)
        add(&sums->lines[w], lines[w]);
}

static void weigh(struct look *look)
{
    struct sums sums = {.look = look};
    const uint64_t *count = sums.lines;
    uint64_t above = 0;
    weir__parallel_for(look->lines, UINT64_C(1) << 18, 0, weigh_lines, &sums);
    look->read = look->lines - count[0];
    for (look->edge = WEIGHTS - 1; look->edge && above + count[look->edge] <= look->hot;)
        above += count[look->edge--];
    look->edge_hot =
        count[look->edge] ? (double)(look->hot - above) / (double)count[look->edge] : 1;
}

/* The first row whose arcs end behind an arc. */
static uint64_t row_at(const uint64_t *offsets, uint64_t rows, uint64_t arc)
{
    uint64_t low = 0, high = rows;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (offsets[middle + 1] > arc)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Whether, and how much of, a share's line has to be fetched in a stretch. */
static double fetch(struct look *look, uint32_t target, uint8_t stretch)
{
    const uint32_t line = target / look->line;
    if (look->seen[line] == stretch || look->weight[line] > look->edge)
        return 0;
    look->seen[line] = stretch;
    return look->weight[line] == look->edge ? 1 - look->edge_hot : 1;
}

/* Arcs of a part from a row on. Where they are not on the device they are the graph's: of one that has the reverse of each arc the
 * same, else as many out-arcs. */
static weir_status take_arcs(const struct look *look, const struct weir__pr_rows *rows,
                             uint64_t row, uint64_t count, uint32_t *targets)
{
    const weir_graph *graph = look->parts->graph;
    const uint32_t *vertex, *number;
    uint64_t taken = 0;
    if (!graph)
        return weir__download(rows->device, targets, rows->targets + rows->offsets[row], count * 4);
    const weir_status status = weir_graph_fetch(graph);
    if (status)
        return status;
    vertex = weir_rows_vertices(look->parts->rows) + rows->begin;
    number = weir_rows_numbers(look->parts->rows);
    for (; taken < count; row++)
        for (uint64_t i = graph->offsets[vertex[row]];
             i < graph->offsets[vertex[row] + UINT64_C(1)] && taken < count; i++)
            targets[taken++] = number[graph->targets[i]];
    return WEIR_OK;
}

/* Short rows from an arc of a part on: their arcs, and the lines that have to be fetched for them. Within a stretch a line
 * is fetched once. */
static weir_status look_at(struct look *look, const struct weir__pr_rows *rows, uint64_t arc,
                           uint8_t stretch, uint32_t *targets, double *arcs, double *fetched)
{
    uint64_t row = row_at(rows->offsets, rows->count, arc);
    const uint64_t from = rows->offsets[row];
    uint64_t left = rows->offsets[rows->count] - from;
    if (left > look->stretch_arcs)
        left = look->stretch_arcs;
    weir_status status = take_arcs(look, rows, row, left, targets);
    for (; !status && row < rows->count && rows->offsets[row + 1] - from <= left; row++) {
        if (rows->offsets[row + 1] - rows->offsets[row] > PR_CHUNK_ARCS)
            continue;
        *arcs += (double)(rows->offsets[row + 1] - rows->offsets[row]);
        for (uint64_t i = rows->offsets[row] - from; i < rows->offsets[row + 1] - from; i++)
            *fetched += fetch(look, targets[i], stretch);
    }
    return status;
}

static void count_short(void *user, uint64_t begin, uint64_t end)
{
    struct sums *sums = user;
    const uint64_t *offsets = sums->rows->offsets;
    uint64_t rows = 0, arcs = 0;
    for (uint64_t r = begin; r < end; r++) {
        const uint64_t length = offsets[r + 1] - offsets[r];
        rows += length <= PR_CHUNK_ARCS;
        arcs += length <= PR_CHUNK_ARCS ? length : 0;
    }
    add(&sums->short_rows, rows);
    add(&sums->short_arcs, arcs);
}

/* What bands would save of an iteration of a part, and what is moved with them. */
static weir_status balance(struct look *look, const struct weir__pr_rows *rows, uint32_t bands,
                           uint32_t *targets, double *without, double *with)
{
    const uint64_t all = rows->offsets[rows->count];
    struct sums sums = {.rows = rows};
    double arcs = 0, fetched = 0;
    weir_status status = WEIR_OK;
    weir__parallel_for(rows->count, UINT64_C(1) << 18, 0, count_short, &sums);
    const double short_rows = (double)sums.short_rows, short_arcs = (double)sums.short_arcs;
    memset(look->seen, 0, look->lines);
    for (uint32_t i = 0; i < STRETCHES && all && !status; i++)
        status =
            look_at(look, rows, all / STRETCHES * i, (uint8_t)(i + 1), targets, &arcs, &fetched);
    const double anyway = short_arcs * 4 + short_rows * (1 + 4 + 2.0 * share_bytes(look->parts));
    *without += anyway + (arcs > 0 ? LINE_BYTES * fetched / arcs * short_arcs : 0);
    *with += anyway + (double)look->read * LINE_BYTES + (bands - 1.0) * ROW_BYTES * short_rows;
    return status;
}

/* Bands that a cache wants; 1 where most shares stay in it anyhow. */
static uint32_t wanted(const struct look *look, uint64_t cache_bytes)
{
    const uint64_t shares = look->read * LINE_BYTES, band = cache_bytes / 3;
    if (shares <= cache_bytes / 2)
        return 1;
    const uint64_t count = (shares + band - 1) / (band ? band : 1);
    return count < PR_BANDS_MAX ? (uint32_t)count : PR_BANDS_MAX;
}

/* With fewer bands than the cache wants, each is missed in proportion, and both costs are linear in their number: the
 * best is either end. So all bands are compared with none. */
static weir_status weigh_up(struct look *look, uint64_t cache_bytes, uint32_t *bands,
                            const char **why)
{
    double without = 0, with = 0;
    uint32_t *targets = NULL;
    const uint32_t count = wanted(look, cache_bytes);
    weir_status status;
    *why = "the shares of all ranks fit into the cache, or nearly";
    if (count == 1)
        return WEIR_OK;
    look->stretch_arcs = look->hot < STRETCH_ARCS ? look->hot : STRETCH_ARCS;
    if (look->stretch_arcs <= PR_CHUNK_ARCS)
        look->stretch_arcs = PR_CHUNK_ARCS + 1; /* at least a row */
    if ((status = weir__alloc(look->stretch_arcs, sizeof *targets, "some arcs", &targets)))
        return status;
    for (uint32_t p = 0; p < look->parts->count && !status; p++)
        status = balance(look, &look->parts->part[p], count, targets, &without, &with);
    free(targets);
    *why = "the shares that rows ask for lie near each other, so that bands would save little";
    if (!status && without >= MARGIN * with) {
        *bands = count;
        *why = "the shares of all ranks do not fit into the cache, and rows ask for them from all "
               "over";
    }
    return status;
}

/* Bands have the same number of lines that somebody reads, so that vertices without arcs, which stand together where
 * numbers go by degree, take no room. */
static void cut(const struct look *look, struct weir__pr_bands *bands)
{
    uint64_t read = 0;
    uint32_t band = 1;
    bands->begin[0] = 0;
    for (uint64_t line = 0; line < look->lines && band < bands->count; line++) {
        while (band < bands->count && read >= (look->read * band + bands->count - 1) / bands->count)
            bands->begin[band++] = (uint32_t)(line * look->line);
        read += look->weight[line] != 0;
    }
    while (band <= bands->count)
        bands->begin[band++] = look->parts->numbers;
}

weir_status weir__pr_bands_choose(const struct weir__pr_parts *parts, uint32_t asked,
                                  uint64_t cache_bytes, struct weir__pr_bands *bands_out)
{
    struct look look = {.parts = parts, .line = LINE_BYTES / share_bytes(parts)};
    weir_status status;
    *bands_out = (struct weir__pr_bands){.count = 1};
    if (!asked && !cache_bytes)
        bands_out->why = "the size of the devices' cache is not known";
    if (asked == 1 || (!asked && !cache_bytes))
        return WEIR_OK;
    look.lines = (parts->numbers + (uint64_t)look.line - 1) / look.line;
    look.hot = cache_bytes / 2 / LINE_BYTES;
    if (!(status =
              weir__alloc(look.lines, sizeof *look.weight, "weights of shares", &look.weight)) &&
        !(status = weir__alloc(look.lines, 1, "lines of shares", &look.seen))) {
        weigh(&look);
        bands_out->count = asked ? asked : 1;
        if (!asked)
            status = weigh_up(&look, cache_bytes, &bands_out->count, &bands_out->why);
        cut(&look, bands_out);
    }
    free(look.weight);
    free(look.seen);
    return status;
}

/* ---- what the caches near blocks do not have ------------------------------------------------------- */

/* A read of the cache that all units share, and what a unit's own keeps of hubs; arcs that its warps take about the same time. */
#define SECTOR_BYTES 32
#define NEAR_BYTES   (96 << 10)
#define NEAR_ARCS    8192

weir_status weir__pr_fresh_reads(const struct weir__pr_parts *parts, double *each_out)
{
    struct look look = {.parts = parts,
                        .line = SECTOR_BYTES / share_bytes(parts),
                        .hot = NEAR_BYTES / SECTOR_BYTES,
                        .stretch_arcs = NEAR_ARCS};
    double arcs = 0, fetched = 0;
    uint32_t *targets = NULL;
    weir_status status;
    look.lines = (parts->numbers + (uint64_t)look.line - 1) / look.line;
    if (!(status =
              weir__alloc(look.lines, sizeof *look.weight, "weights of shares", &look.weight)) &&
        !(status = weir__alloc(look.lines, 1, "lines of shares", &look.seen)) &&
        !(status = weir__alloc(look.stretch_arcs, sizeof *targets, "some arcs", &targets)))
        weigh(&look);
    for (uint32_t p = 0; p < parts->count && !status; p++) {
        const struct weir__pr_rows *rows = &parts->part[p];
        const uint64_t all = rows->offsets[rows->count];
        memset(look.seen, 0, look.lines);
        for (uint32_t i = 0; i < STRETCHES && all && !status; i++) {
            const uint64_t row = row_at(rows->offsets, rows->count, all / STRETCHES * i);
            const uint64_t left = all - rows->offsets[row];
            const uint64_t count = left < look.stretch_arcs ? left : look.stretch_arcs;
            status = take_arcs(&look, rows, row, count, targets);
            for (uint64_t k = 0; k < count && !status; k++)
                fetched += fetch(&look, targets[k], (uint8_t)(i + 1));
            arcs += (double)count;
        }
    }
    *each_out = arcs > 0 ? fetched / arcs : 0;
    free(targets);
    free(look.weight);
    free(look.seen);
    return status;
}

/* ---- the order of arcs --------------------------------------------------------------------------- */

uint32_t weir__pr_strip_rows(uint64_t rows)
{
    uint32_t each = PR_STRIP_ROWS_LEAST;
    while (each < PR_STRIP_ROWS_MOST && rows / each > STRIPS_WANTED)
        each *= 2;
    return each;
}

/* Strips whose arcs are in host memory. */
struct batch {
    const struct weir__pr_rows *rows;
    const struct weir__pr_bands *bands;
    uint32_t strip_rows;
    uint64_t strip, arc; /* the first */
    const uint32_t *from;
    uint32_t *to;
    uint8_t *end; /* by band and row: arcs of the row in the band */
};

/* The arcs of short rows by band, then by row; behind them those of longer rows as they were. */
static void order_strip(const struct batch *batch, uint64_t strip)
{
    const struct weir__pr_rows *rows = batch->rows;
    const uint64_t *offsets = rows->offsets;
    const uint64_t first = strip * batch->strip_rows, past = first + batch->strip_rows;
    const uint64_t last = past < rows->count ? past : rows->count;
    uint64_t at[PR_BANDS_MAX + 1] = {0};
    for (uint64_t r = first; r < last; r++) {
        uint32_t band = 0;
        if (offsets[r + 1] - offsets[r] > PR_CHUNK_ARCS)
            continue;
        for (uint64_t i = offsets[r]; i < offsets[r + 1]; i++) {
            while (batch->from[i - batch->arc] >= batch->bands->begin[band + 1])
                band++;
            batch->end[band * rows->count + r]++;
            at[band + 1]++;
        }
    }
    for (uint32_t band = 0; band < batch->bands->count; band++)
        at[band + 1] += at[band];
    uint64_t longer = at[batch->bands->count];
    uint32_t *to = batch->to + (offsets[first] - batch->arc);
    for (uint64_t r = first; r < last; r++) {
        const uint32_t *from = batch->from + (offsets[r] - batch->arc);
        const uint64_t length = offsets[r + 1] - offsets[r];
        if (length > PR_CHUNK_ARCS) {
            memcpy(to + longer, from, length * sizeof *to);
            longer += length;
            continue;
        }
        for (uint32_t band = 0; band < batch->bands->count; band++) {
            const uint32_t count = batch->end[band * rows->count + r];
            memcpy(to + at[band], from, count * sizeof *to);
            at[band] += count;
            from += count;
        }
    }
}

static void order_strips(void *user, uint64_t begin, uint64_t end)
{
    const struct batch *batch = user;
    for (uint64_t s = begin; s < end; s++)
        order_strip(batch, batch->strip + s);
}

static uint64_t strip_arc(const struct batch *batch, uint64_t strip)
{
    const uint64_t row = strip * batch->strip_rows, rows = batch->rows->count;
    return batch->rows->offsets[row < rows ? row : rows];
}

/* Strips from `strip` on whose arcs fit into a batch; at least one. */
static uint64_t strips_that_fit(const struct batch *batch, uint64_t strips)
{
    uint64_t end = batch->strip + 1;
    while (end < strips &&
           strip_arc(batch, end + 1) - batch->arc <= WEIR__PR_BATCH_BYTES / sizeof(uint32_t))
        end++;
    return end - batch->strip;
}

static uint64_t most_at_once(struct batch batch, uint64_t strips)
{
    uint64_t most = 0;
    for (uint64_t s = 0; s < strips; s++) {
        const uint64_t arcs = strip_arc(&batch, s + 1) - strip_arc(&batch, s);
        most = arcs > most ? arcs : most;
    }
    const uint64_t usual = WEIR__PR_BATCH_BYTES / sizeof(uint32_t), all = strip_arc(&batch, strips);
    most = most > usual ? most : usual;
    return most < all ? most : all;
}

weir_status weir__pr_order(const struct weir__pr_rows *rows, const struct weir__pr_bands *bands,
                           uint8_t *end_out)
{
    struct batch batch = {.rows = rows,
                          .bands = bands,
                          .strip_rows = weir__pr_strip_rows(rows->count),
                          .end = end_out};
    const uint64_t strips = (rows->count + batch.strip_rows - 1) / batch.strip_rows;
    const uint64_t room = most_at_once(batch, strips);
    uint32_t *from = NULL, *to = NULL;
    weir_status status = weir__alloc(room, sizeof *from, "arcs of rows", &from);
    if (!status)
        status = weir__alloc(room, sizeof *to, "arcs by bands", &to);
    batch.from = from;
    batch.to = to;
    for (uint64_t count; batch.strip < strips && !status; batch.strip += count) {
        batch.arc = strip_arc(&batch, batch.strip);
        count = strips_that_fit(&batch, strips);
        const uint64_t bytes = (strip_arc(&batch, batch.strip + count) - batch.arc) * sizeof *from;
        if ((status = weir__download(rows->device, from, rows->targets + batch.arc, bytes)))
            break;
        if ((status = weir__activity_for("sorting arcs by bands", "strips", count, 16, 0,
                                         order_strips, &batch)))
            break;
        status = weir__upload(rows->device, rows->targets + batch.arc, to, bytes);
    }
    free(from);
    free(to);
    return status;
}
