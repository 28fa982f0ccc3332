/** @file pr_lists.c  Dealing out rows to warps, with bands and without, who reads whose shares, and when floats do. */
#include "algorithms/pr/pr.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <math.h>
#include <stdlib.h>

/* ---- chunks, pieces, long rows ---------------------------------------------------------------- */

/* Where the next chunk would begin, and what it has so far. */
struct cut {
    struct weir__pr_lists *lists; /* arrays are NULL while they are counted */
    struct pr_chunk open;
};

static void close_chunk(struct cut *cut)
{
    struct weir__pr_lists *lists = cut->lists;
    if (cut->open.rows && lists->chunk)
        lists->chunk[lists->chunks] = cut->open;
    lists->chunks += cut->open.rows != 0;
    cut->open = (struct pr_chunk){0, 0, 0, 0, 0};
}

static void add_short(struct cut *cut, uint64_t row, uint64_t arc, uint32_t arcs)
{
    if (cut->open.arcs + arcs > PR_CHUNK_ARCS || cut->open.rows == PR_CHUNK_ROWS)
        close_chunk(cut);
    if (!cut->open.rows) {
        cut->open.arc = arc;
        cut->open.row = (uint32_t)row;
    }
    cut->open.rows++;
    cut->open.arcs = (uint8_t)(cut->open.arcs + arcs);
    if (cut->lists->end)
        cut->lists->end[row] = (uint8_t)cut->open.arcs;
}

/* The pieces of a row have equal lengths, or some of them one arc more. */
static void add_longer(struct weir__pr_lists *lists, uint64_t row, uint64_t arc, uint32_t arcs)
{
    const uint32_t pieces = (uint32_t)(((uint64_t)arcs + PR_PIECE_ARCS - 1) / PR_PIECE_ARCS);
    if (lists->row && pieces > 1)
        lists->row[lists->longs] =
            (struct pr_long){(uint32_t)row, arcs, (uint32_t)lists->pieces, pieces};
    for (uint32_t i = 0; i < pieces && lists->piece; i++) {
        uint64_t first = (uint64_t)arcs * i / pieces, last = (uint64_t)arcs * (i + 1) / pieces;
        lists->piece[lists->pieces + i] = (struct pr_piece){
            arc + first, (uint32_t)row, (uint16_t)(last - first), (uint16_t)(pieces == 1)};
    }
    lists->pieces += pieces;
    lists->longs += pieces > 1;
}

/* Rows that are dealt out by one thread; no chunk goes on into the next stretch. */
#define STRETCH_ROWS (UINT64_C(1) << 18)

/* Entries of a stretch, then those of all stretches before it. */
struct entries {
    uint64_t chunks, pieces, longs;
};

struct dealing_all {
    struct weir__pr_lists *lists;
    const uint64_t *offsets;
    uint64_t rows;
    struct entries *entries; /* by stretch */
};

static void deal_stretch(const struct dealing_all *dealing, uint64_t stretch)
{
    const uint64_t *offsets = dealing->offsets, past = (stretch + 1) * STRETCH_ROWS;
    struct entries *entries = &dealing->entries[stretch];
    struct weir__pr_lists mine = *dealing->lists;
    struct cut cut = {&mine, {0, 0, 0, 0, 0}};
    mine.chunks = entries->chunks;
    mine.pieces = entries->pieces;
    mine.longs = entries->longs;
    for (uint64_t row = stretch * STRETCH_ROWS; row < past && row < dealing->rows; row++) {
        const uint32_t arcs = (uint32_t)(offsets[row + 1] - offsets[row]);
        if (arcs <= PR_CHUNK_ARCS) {
            add_short(&cut, row, offsets[row], arcs);
            continue;
        }
        close_chunk(&cut);
        add_longer(&mine, row, offsets[row], arcs);
    }
    close_chunk(&cut);
    *entries = (struct entries){mine.chunks, mine.pieces, mine.longs};
}

/* Called twice: to count entries, then to fill them in. */
static void deal(void *user, uint64_t begin, uint64_t end)
{
    for (uint64_t stretch = begin; stretch < end; stretch++)
        deal_stretch(user, stretch);
}

/* Counts of stretches become where each begins. */
static void add_up_stretches(struct dealing_all *dealing, uint64_t stretches)
{
    struct weir__pr_lists *lists = dealing->lists;
    lists->chunks = lists->pieces = lists->longs = 0;
    for (uint64_t s = 0; s < stretches; s++) {
        const struct entries here = dealing->entries[s];
        dealing->entries[s] = (struct entries){lists->chunks, lists->pieces, lists->longs};
        lists->chunks += here.chunks;
        lists->pieces += here.pieces;
        lists->longs += here.longs;
    }
}

/* Room for what was counted. */
static weir_status take(struct weir__pr_lists *lists)
{
    weir_status status;
    if (lists->chunks > UINT32_MAX || lists->pieces > UINT32_MAX)
        return weir__fail(WEIR_ERR_UNSUPPORTED, "more than 2^32 pieces of work on a device");
    if ((status =
             weir__alloc(lists->chunks, sizeof *lists->chunk, "chunks of rows", &lists->chunk)) ||
        (status =
             weir__alloc(lists->pieces, sizeof *lists->piece, "pieces of rows", &lists->piece)))
        return status;
    return weir__alloc(lists->longs, sizeof *lists->row, "long rows", &lists->row);
}

weir_status weir__pr_lists(const uint64_t *offsets, uint64_t rows, struct weir__pr_lists *lists_out)
{
    static const char what[] = "dealing out rows", unit[] = "stretches";
    const uint64_t stretches = (rows + STRETCH_ROWS - 1) / STRETCH_ROWS;
    struct weir__pr_lists lists = {.bands = 1};
    struct dealing_all dealing = {&lists, offsets, rows, NULL};
    weir_status status = weir__calloc(stretches, sizeof *dealing.entries, unit, &dealing.entries);
    *lists_out = lists;
    if (!status)
        status = weir__activity_for(what, unit, stretches, 1, 0, deal, &dealing);
    if (!status) {
        add_up_stretches(&dealing, stretches);
        status = take(&lists);
    }
    if (!status)
        status = weir__calloc(rows, sizeof *lists.end, "ends of rows", &lists.end);
    if (!status)
        status = weir__activity_for(what, unit, stretches, 1, 0, deal, &dealing);
    free(dealing.entries);
    if (status) {
        weir__pr_lists_free(&lists);
        return status;
    }
    *lists_out = lists;
    return WEIR_OK;
}

/* ---- the same by bands ------------------------------------------------------------------------- */

struct dealing {
    struct weir__pr_lists *lists;
    const uint64_t *offsets;
    uint64_t rows;
    uint32_t strip_rows;
};

/* The chunks of a strip in a band, from an arc on. Their counts are made, or the chunks themselves, and ends of what
 * were counts. @return behind the last arc. */
static uint64_t deal_band(const struct dealing *dealing, uint64_t strip, uint32_t band,
                          uint64_t arc)
{
    struct weir__pr_lists *lists = dealing->lists, mine = *lists;
    uint32_t *first = lists->first + (uint64_t)band * lists->strips + strip;
    uint8_t *end = lists->end + band * dealing->rows;
    const uint64_t begin = strip * dealing->strip_rows, past = begin + dealing->strip_rows;
    struct cut cut = {&mine, {0, 0, 0, 0, 0}};
    mine.chunks = lists->chunk ? *first : 0;
    mine.end = lists->chunk ? end : NULL;
    for (uint64_t row = begin; row < past && row < dealing->rows; row++) {
        const uint32_t arcs = end[row];
        if (dealing->offsets[row + 1] - dealing->offsets[row] > PR_CHUNK_ARCS) {
            close_chunk(&cut);
            continue;
        }
        add_short(&cut, row, arc, arcs);
        cut.open.band = (uint16_t)band;
        arc += arcs;
    }
    close_chunk(&cut);
    if (!lists->chunk)
        *first = (uint32_t)mine.chunks;
    return arc;
}

static void deal_strips(void *user, uint64_t begin, uint64_t end)
{
    const struct dealing *dealing = user;
    for (uint64_t strip = begin; strip < end; strip++) {
        uint64_t arc = dealing->offsets[strip * dealing->strip_rows];
        for (uint32_t band = 0; band < dealing->lists->bands; band++)
            arc = deal_band(dealing, strip, band, arc);
    }
}

/* Longer rows are the last of their strip. */
static void deal_longer(const struct dealing *dealing)
{
    const uint64_t *offsets = dealing->offsets;
    dealing->lists->pieces = dealing->lists->longs = 0;
    for (uint64_t begin = 0; begin < dealing->rows; begin += dealing->strip_rows) {
        const uint64_t past = begin + dealing->strip_rows;
        const uint64_t end = past < dealing->rows ? past : dealing->rows;
        uint64_t longer = 0;
        for (uint64_t row = begin; row < end; row++)
            if (offsets[row + 1] - offsets[row] > PR_CHUNK_ARCS)
                longer += offsets[row + 1] - offsets[row];
        for (uint64_t row = begin; row < end && longer; row++) {
            const uint32_t arcs = (uint32_t)(offsets[row + 1] - offsets[row]);
            if (arcs <= PR_CHUNK_ARCS)
                continue;
            add_longer(dealing->lists, row, offsets[end] - longer, arcs);
            longer -= arcs;
        }
    }
}

/* Counts of chunks become the first ones. */
static void add_up(struct weir__pr_lists *lists)
{
    const uint64_t lots = (uint64_t)lists->bands * lists->strips;
    lists->chunks = 0;
    for (uint64_t lot = 0; lot < lots; lot++) {
        const uint32_t count = lists->first[lot];
        lists->first[lot] = (uint32_t)lists->chunks;
        lists->chunks += count;
    }
    lists->first[lots] = (uint32_t)lists->chunks;
}

weir_status weir__pr_band_lists(const uint64_t *offsets, uint64_t rows, uint32_t bands,
                                uint8_t *end, struct weir__pr_lists *lists_out)
{
    const uint32_t each = weir__pr_strip_rows(rows);
    struct weir__pr_lists lists = {
        .bands = bands, .strips = (uint32_t)((rows + each - 1) / each), .end = end};
    const struct dealing dealing = {&lists, offsets, rows, each};
    const uint64_t lots = (uint64_t)bands * lists.strips;
    weir_status status = weir__calloc(lots + 1, sizeof *lists.first, "strips", &lists.first);
    *lists_out = (struct weir__pr_lists){0};
    if (!status)
        status = weir__activity_for("dealing out rows", "strips", lists.strips, 16, 0, deal_strips,
                                    (void *)&dealing);
    if (!status) {
        add_up(&lists);
        deal_longer(&dealing);
        status = take(&lists);
    }
    if (!status)
        status = weir__activity_for("dealing out rows", "strips", lists.strips, 16, 0, deal_strips,
                                    (void *)&dealing);
    if (status) {
        weir__pr_lists_free(&lists);
        return status;
    }
    deal_longer(&dealing);
    *lists_out = lists;
    return WEIR_OK;
}

void weir__pr_lists_free(struct weir__pr_lists *lists)
{
    free(lists->first);
    free(lists->chunk);
    free(lists->piece);
    free(lists->row);
    free(lists->end);
    *lists = (struct weir__pr_lists){0};
}

/* ---- readers --------------------------------------------------------------------------------- */

struct readers {
    const weir_rows *rows;
    uint64_t words;                   /* of 32 numbers */
    uint32_t *bits[WEIR_DEVICES_MAX]; /* by part: numbers that its device reads */
    uint8_t *readers;
};

static weir_status mark(void *user, uint32_t p)
{
    const struct readers *r = user;
    return weir__rows_mark_tails(r->rows, p, r->bits[p]);
}

/* A bit for each device becomes one of a number's readers. */
static void turn(void *user, uint64_t begin, uint64_t end)
{
    const struct readers *r = user;
    const weir_rows_part *part = weir_rows_part_of(r->rows, 0);
    for (uint32_t p = 0; p < part->parts; p++)
        for (uint64_t word = begin; word < end; word++)
            for (uint32_t left = r->bits[p][word]; left; left &= left - 1)
                r->readers[word * 32 + (uint32_t)__builtin_ctz(left)] |= (uint8_t)(1u << p % 8);
}

weir_status weir__pr_readers(const weir_rows *rows, uint8_t **readers_out)
{
    const weir_rows_part *part = weir_rows_part_of(rows, 0);
    struct readers r = {.rows = rows, .words = (uint64_t)part->numbers / 32};
    weir_status status = weir__calloc(part->numbers, 1, "who reads which rank", &r.readers);
    for (uint32_t p = 0; p < part->parts && !status; p++)
        status = weir__calloc(r.words + 1, 4, "numbers that a device reads", &r.bits[p]);
    if (!status)
        status = weir__activity_each(part->parts, mark, &r);
    if (!status)
        status = weir__activity_for("looking who reads which rank", "words", r.words,
                                    UINT64_C(1) << 13, 0, turn, &r);
    for (uint32_t p = 0; p < part->parts; p++)
        free(r.bits[p]);
    if (status) {
        free(r.readers);
        r.readers = NULL;
    }
    *readers_out = r.readers;
    return status;
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* Part of itself by which a share that is a float is off: rank, degree and quotient are rounded once each.
 * As ranks sum to 1 at most, this is the error in L1, too. */
#define SINGLE_ERROR (3.0 / 16777216)
/* No smaller change is asked of floats: rounding alone could keep the change above it. */
#define SINGLE_LEAST (1.0 / 2097152)

/* Iterations after which a change is below a bound. It is 2 at most before the first iteration, and each makes it
 * smaller by the damping. Some more are allowed, since sums are rounded. */
static uint32_t iterations_to(double below, double damping)
{
    double needed = damping > 0 ? ceil(log(below / 2) / log(damping)) : 1;
    return needed < 1 ? 10 : needed < 1e9 ? (uint32_t)needed + 10 : 1000000000;
}

/* README.md, "How exact". With x' = T(x) the error of x' is at most d / (1 - d) of |x' - x|, whatever x is:
 * a rounded x does as well. What is handed out is x' rounded, so the error of that last rounding is added. */
void weir__pr_bounds(const weir_pr_config *config, int fine, struct pr_bounds *bounds_out)
{
    const double d = config->damping, last = SINGLE_ERROR * (1 - d);
    const double single = config->tolerance - (d > 0 ? last / d : INFINITY);
    struct pr_bounds bounds = {0};
    bounds.fine = fine || single < SINGLE_LEAST;
    bounds.single_below = bounds.fine ? SINGLE_LEAST : single;
    bounds.single_iterations = iterations_to(SINGLE_LEAST, d);
    bounds.fine_below = config->tolerance;
    bounds.restless = config->tolerance / 2;
    /* The rule for each vertex takes about as long again for those that rank comes to over long ways. */
    uint64_t most = 4 * (uint64_t)iterations_to(config->tolerance, d);
    bounds.iterations = config->iterations  ? config->iterations
                        : most < UINT32_MAX ? (uint32_t)most
                                            : UINT32_MAX;
    *bounds_out = bounds;
}
