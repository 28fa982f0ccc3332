/** @file pr_bins.c  Bins on the host's side (pr_bins_tmpl.h): whether they pay, how large they are, and which block does what. The arcs are
 * put where they belong by the devices (pr_bins_build.h). */
#include "algorithms/pr/pr.h"
#include "runtime/support.h"

#include <stdlib.h>

/* A part has at least so many bins and stretches for each block, so that blocks end at about the same time. More of them are smaller, and
 * the arcs of a stretch and a bin fill fewer octets. */
#define EACH 3
/* And a block has at least so many units: what is larger is cut. */
#define UNITS_EACH 2
/* But no unit is cut that has fewer octets: it would take longer to set up than to do. */
#define OCTETS_LEAST 1024

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* ---- how large -------------------------------------------------------------------------------------- */

/* Rows of a bin, or numbers of a stretch, `most` at most: so many that each block has EACH bins at least and all have as many. */
static uint32_t size_for(uint64_t all, uint32_t blocks, uint32_t most)
{
    const uint64_t least = ceil_div(ceil_div(all, blocks), most);
    const uint64_t size = ceil_div(all, blocks * (least > EACH ? least : EACH));
    return size < 1 ? 1 : (uint32_t)size;
}

/* The same for `count` of them, or a few more. */
static uint32_t size_of(uint64_t all, uint32_t count, uint32_t most)
{
    const uint64_t size = all / count;
    return size < 1 ? 1 : size < most ? (uint32_t)size : most;
}

static uint32_t blocks_of(const weir_device_info *info)
{
    return info->lanes > 1 ? 2 * info->units : info->units;
}

static void choose_sizes(const struct weir__pr_parts *parts, uint32_t asked,
                         struct weir__pr_bins *bins)
{
    uint64_t rows = 0, arcs = 0;
    uint32_t blocks = 1;
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    for (uint32_t p = 0; p < parts->count; p++) {
        const uint64_t its = parts->part[p].offsets[parts->part[p].count];
        arcs = its > arcs ? its : arcs;
        weir_device_info_get(parts->part[p].device, &info);
        blocks = blocks_of(&info) > blocks ? blocks_of(&info) : blocks;
        rows = parts->part[p].count > rows ? parts->part[p].count : rows;
    }
    while (asked > 2 && (uint64_t)asked * asked > arcs)
        asked -= asked / 16 + 1;
    const uint32_t most_rows = info.lanes > 1 ? PR_BIN_ROWS_GPU : PR_BIN_ROWS_HOST;
    const uint32_t most_numbers = info.lanes > 1 ? PR_BIN_NUMBERS_GPU : PR_BIN_NUMBERS_HOST;
    bins->rows = asked ? size_of(rows, asked, most_rows) : size_for(rows, blocks, most_rows);
    bins->numbers = asked ? size_of(parts->numbers, asked, most_numbers)
                          : size_for(parts->numbers, blocks, most_numbers);
    bins->stretches = (uint32_t)ceil_div(parts->numbers, bins->numbers);
    bins->blocks = blocks;
}

/* ---- units -------------------------------------------------------------------------------------------- */

static uint64_t parts_of(uint64_t octets, uint64_t most)
{
    const uint64_t parts = octets > most ? ceil_div(octets, most) : 1;
    return parts < UINT16_MAX ? parts : UINT16_MAX;
}

/* Units of at most `most` octets, of bins or stretches that have so many each. Those of bins that are cut come before all others, so
 * that nobody waits long for them. Else they come in the order of memory, in which blocks that are about as far touch what
 * lies together. */
static weir_status cut(const uint64_t *octets, uint32_t count, uint64_t most,
                       struct weir__pr_units *units)
{
    uint64_t all = 0;
    weir_status status;
    for (uint32_t i = 0; i < count; i++)
        all += parts_of(octets[i], most);
    if (all >= UINT32_MAX)
        return weir__fail(WEIR_ERR_UNSUPPORTED, "2^32 units of bins");
    if ((status = weir__alloc(all, sizeof *units->unit, "units of bins", &units->unit)) ||
        (status = weir__alloc(count, sizeof *units->common, "bins", &units->common)))
        return status;
    for (int whole = 0; whole < 2; whole++)
        for (uint32_t i = 0; i < count; i++) {
            const uint16_t parts = (uint16_t)parts_of(octets[i], most);
            if (whole != (parts == 1))
                continue;
            for (uint16_t part = 0; part < parts; part++)
                units->unit[units->count++] = (struct pr_bin_unit){i, part, parts, units->commons};
            if (whole)
                continue;
            units->common[units->commons++] = i;
            units->common_units += parts;
        }
    return WEIR_OK;
}

/* Octets of a unit at most: half as many again as one of `count` has on average, but not more than a block's share by UNITS_EACH. */
static uint64_t most_of(const struct weir__pr_bins *bins, uint64_t octets, uint32_t count)
{
    const uint64_t mean = octets / count, usual = mean + mean / 2;
    const uint64_t fair = octets / ((uint64_t)bins->blocks * UNITS_EACH);
    const uint64_t most = usual < fair ? usual : fair;
    return most > OCTETS_LEAST ? most : OCTETS_LEAST;
}

/* @param[in] from  arcs of all parts from each stretch, and of all behind them. */
static weir_status make_part(const struct weir__pr_bins *bins, const struct weir__pr_rows *rows,
                             const uint64_t *from, struct weir__pr_part_bins *part)
{
    const uint64_t arcs = rows->offsets[rows->count];
    const uint32_t stretches = bins->stretches;
    uint64_t *octets = NULL;
    weir_status status;
    if (!rows->count)
        return WEIR_OK;
    part->bins = (uint32_t)ceil_div(rows->count, bins->rows);
    const uint64_t cells = (uint64_t)part->bins * stretches;
    part->octets = arcs / PR_OCTET + (cells < arcs ? cells : arcs);
    if (part->octets >= UINT32_MAX || cells >= UINT32_MAX)
        return weir__fail(WEIR_ERR_UNSUPPORTED, "2^32 octets of arcs in bins");
    const uint32_t most = part->bins > stretches ? part->bins : stretches;
    if ((status = weir__alloc(most, sizeof *octets, "octets of bins", &octets)))
        return status;
    for (uint32_t i = 0; i < part->bins; i++) {
        const uint64_t first = (uint64_t)i * bins->rows, past = first + bins->rows;
        const uint64_t mine =
            rows->offsets[past < rows->count ? past : rows->count] - rows->offsets[first];
        octets[i] = mine / PR_OCTET + (mine < stretches ? mine : stretches);
    }
    status = cut(octets, part->bins, most_of(bins, part->octets, part->bins), &part->collect);
    /* Of the arcs from a stretch a part is taken to have its part of all. */
    for (uint32_t s = 0; s < stretches && !status; s++) {
        const double all = (double)from[stretches];
        const uint64_t mine = all > 0 ? (uint64_t)((double)from[s] / all * (double)arcs) : 0;
        octets[s] = mine / PR_OCTET + (mine < part->bins ? mine : part->bins);
    }
    if (!status)
        status = cut(octets, stretches, most_of(bins, part->octets, stretches), &part->spread);
    free(octets);
    return status;
}

struct arc_count {
    const struct weir__pr_parts *parts;
    const struct weir__pr_bins *bins;
    uint64_t *from;
};

static void count_stretches(void *user, uint64_t begin, uint64_t end)
{
    const struct arc_count *count = user;
    const uint64_t each = count->bins->numbers, numbers = count->parts->numbers;
    for (uint64_t s = begin; s < end; s++) {
        uint64_t arcs = 0;
        for (uint64_t n = s * each; n < (s + 1) * each && n < numbers; n++)
            arcs += count->parts->degree[n];
        count->from[s] = arcs;
    }
}

/* Arcs of all parts from each stretch. */
static void count_arcs(const struct weir__pr_parts *parts, const struct weir__pr_bins *bins,
                       uint64_t *from)
{
    struct arc_count count = {parts, bins, from};
    weir__parallel_for(bins->stretches, 64, 0, count_stretches, &count);
    from[bins->stretches] = 0;
    for (uint32_t s = 0; s < bins->stretches; s++)
        from[bins->stretches] += from[s];
}

weir_status weir__pr_bins_make(const struct weir__pr_parts *parts, uint32_t asked,
                               struct weir__pr_bins *bins_out)
{
    uint64_t *from;
    choose_sizes(parts, asked, bins_out);
    weir_status status =
        weir__alloc(bins_out->stretches + UINT64_C(1), sizeof *from, "arcs of stretches", &from);
    if (status)
        return status;
    count_arcs(parts, bins_out, from);
    for (uint32_t p = 0; p < parts->count && !status; p++)
        status = make_part(bins_out, &parts->part[p], from, &bins_out->part[p]);
    free(from);
    if (status)
        weir__pr_bins_free(bins_out);
    return status;
}

uint64_t weir__pr_bins_shares(const struct weir__pr_bins *bins, uint32_t p)
{
    const uint64_t shares = bins->part[p].octets * PR_OCTET;
    const uint64_t tables = (uint64_t)bins->part[p].bins * bins->stretches * 3;
    return shares > tables ? shares : tables;
}

uint64_t weir__pr_bins_bytes(const struct weir__pr_bins *bins, uint32_t p)
{
    const struct weir__pr_part_bins *part = &bins->part[p];
    return part->octets * (2 * PR_OCTET * sizeof(uint16_t) + sizeof(uint32_t)) +
           weir__pr_bins_shares(bins, p) * sizeof(float) +
           (uint64_t)part->collect.commons * (bins->rows * sizeof(uint64_t) + sizeof(uint32_t)) +
           ((uint64_t)part->collect.count + part->spread.count) * sizeof(struct pr_bin_unit) +
           ((uint64_t)part->bins + bins->stretches + 2) * sizeof(uint32_t) + 24;
}

void weir__pr_bins_free(struct weir__pr_bins *bins)
{
    for (uint32_t p = 0; p < WEIR_DEVICES_MAX; p++) {
        free(bins->part[p].spread.unit);
        free(bins->part[p].spread.common);
        free(bins->part[p].collect.unit);
        free(bins->part[p].collect.common);
    }
    *bins = (struct weir__pr_bins){0};
}

/* ---- whether --------------------------------------------------------------------------------------- */

/* Bytes that an octet moves by way of bins, 12.5 for an arc of a full one, and a row or a number beside that. */
#define OCTET_BYTES (PR_OCTET * (2 * sizeof(uint16_t) + 2 * sizeof(float)) + sizeof(uint32_t))
#define ROW_BYTES   24
/* What a read at random moves through the cache that all units share, which is about as fast. */
#define READ_BYTES 32
/* Bytes that memory moves while a barrier and the beginning and end of two steps last, some 10 us. */
#define STEP_BYTES (UINT64_C(40) << 20)

weir_status weir__pr_bins_pay(const struct weir__pr_parts *parts, const struct weir__pr_bins *bins,
                              int *pay_out)
{
    double fresh = 0, arcs = 0;
    double with = (double)parts->numbers * ROW_BYTES + (double)parts->count * (double)STEP_BYTES;
    weir_status status = weir__pr_fresh_reads(parts, &fresh);
    for (uint32_t p = 0; p < parts->count; p++) {
        arcs += (double)parts->part[p].offsets[parts->part[p].count];
        with += (double)bins->part[p].octets * OCTET_BYTES;
    }
    *pay_out = !status && arcs * fresh * READ_BYTES > with;
    return status;
}
