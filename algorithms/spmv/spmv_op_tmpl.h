/** @file spmv_op_tmpl.h  What lanes do, for one kind of values: REAL, SPMV_NAME(name), and SPMV_VECTOR, how many of them are 16 bytes. Included by
 * spmv_op.h alone, once for each kind; it has no guard. */

/* y = alpha sum + beta y, at one place. */
WEIR_DEV void SPMV_NAME(spmv_put)(const struct spmv_args *a, uint64_t at, REAL sum)
{
    REAL *y = (REAL *)a->y;
    y[at] = a->beta != 0 ? (REAL)a->alpha * sum + (REAL)a->beta * y[at] : (REAL)a->alpha * sum;
}

/* ---- one column, by chunks ------------------------------------------------------------------------- */

/* A lane's share of the products of the first SPMV_ABREAST times WEIR_LANES of `count` nonzeros, at least one: all are asked for before the first is
 * needed. Lanes beyond the last one ask for that again, which costs less than to ask whether they should. */
WEIR_DEV void SPMV_NAME(spmv_products)(const struct spmv_args *a, uint64_t begin, uint32_t count,
                                       REAL product[SPMV_ABREAST])
{
    const uint32_t *indices = a->indices + begin;
    const REAL *values = (const REAL *)a->values + begin, *x = (const REAL *)a->x;
    uint32_t column[SPMV_ABREAST];
    WEIR_UNROLLED
    for (uint32_t j = 0; j < SPMV_ABREAST; j++) {
        const uint32_t i = weir_lane() + j * WEIR_LANES, at = i < count ? i : count - 1;
        column[j] = weir_load_once_u32(&indices[at]);
        product[j] = SPMV_NAME(weir_load_stream)(&values[at]);
    }
    WEIR_UNROLLED
    for (uint32_t j = 0; j < SPMV_ABREAST; j++)
        product[j] *= x[column[j]];
    WEIR_UNROLLED
    for (uint32_t j = 0; j < SPMV_ABREAST; j++)
        product[j] = weir_lane() + j * WEIR_LANES < count ? product[j] : 0;
}

/* A row, or a piece of one, by all lanes. */
WEIR_DEV void SPMV_NAME(spmv_alone)(const struct spmv_args *a, const struct spmv_chunk *chunk)
{
    REAL sum = 0;
    for (uint32_t at = 0; at < chunk->count; at += SPMV_ABREAST * WEIR_LANES) {
        REAL product[SPMV_ABREAST];
        SPMV_NAME(spmv_products)(a, chunk->begin + at, chunk->count - at, product);
        WEIR_UNROLLED
        for (uint32_t j = 0; j < SPMV_ABREAST; j++)
            sum += product[j];
    }
    sum = SPMV_NAME(weir_group_sum)(sum, WEIR_LANES);
    if (weir_lane())
        return;
    if (chunk->rows)
        SPMV_NAME(spmv_put)(a, chunk->row, sum);
    else
        ((REAL *)a->partials)[chunk->row] = sum;
}

/* Where a warp keeps product i. */
WEIR_DEV uint32_t SPMV_NAME(spmv_place)(uint32_t i)
{
    return i + i / 32;
}

/* Where the products of SPMV_ROUNDS rows begin and end, among those of their chunk, `step` rows from one to the next: nowhere if there is no such
 * row. All are asked for before the first is needed. */
struct SPMV_NAME(spmv_bounds) {
    uint32_t begin[SPMV_ROUNDS], end[SPMV_ROUNDS];
};

WEIR_DEV void SPMV_NAME(spmv_bound)(const uint16_t *ends, uint32_t row, uint32_t step,
                                    uint32_t rows, struct SPMV_NAME(spmv_bounds) * bounds)
{
    WEIR_UNROLLED
    for (uint32_t j = 0; j < SPMV_ROUNDS; j++, row += step) {
        bounds->begin[j] = row && row < rows ? ends[row - 1] : 0;
        bounds->end[j] = row < rows ? ends[row] : 0;
    }
}

/* Short rows: products side by side as they lie, then as many lanes a row as there are for it. */
WEIR_DEV void SPMV_NAME(spmv_together)(const struct spmv_args *a, const struct spmv_chunk *chunk,
                                       REAL room[SPMV_ROOM])
{
    const uint16_t *ends = a->ends + chunk->row;
    const uint32_t rows = chunk->rows;
    struct SPMV_NAME(spmv_bounds) bounds;
    uint32_t width = 1;
    while (width * 2 * rows <= WEIR_LANES)
        width *= 2;
    /* The first rows of a lane are asked for before the products are. */
    const uint32_t step = WEIR_LANES / width;
    uint32_t row = weir_lane() / width;
    SPMV_NAME(spmv_bound)(ends, row, step, rows, &bounds);
    for (uint32_t at = 0; at < chunk->count; at += SPMV_ABREAST * WEIR_LANES) {
        REAL product[SPMV_ABREAST];
        SPMV_NAME(spmv_products)(a, chunk->begin + at, chunk->count - at, product);
        WEIR_UNROLLED
        for (uint32_t j = 0; j < SPMV_ABREAST; j++) {
            const uint32_t i = at + weir_lane() + j * WEIR_LANES;
            if (i < chunk->count)
                room[SPMV_NAME(spmv_place)(i)] = product[j];
        }
    }
    weir_lanes_sync();
    for (uint32_t base = 0; base < rows; base += SPMV_ROUNDS * step) {
        WEIR_UNROLLED
        for (uint32_t j = 0; j < SPMV_ROUNDS; j++, row += step) {
            REAL sum = 0;
            if (base + j * step >= rows) /* of no lane */
                break;
            for (uint32_t i = bounds.begin[j] + weir_lane() % width; i < bounds.end[j]; i += width)
                sum += room[SPMV_NAME(spmv_place)(i)];
            sum = SPMV_NAME(weir_group_sum)(sum, width);
            if (row < rows && weir_lane() % width == 0)
                SPMV_NAME(spmv_put)(a, (uint64_t)chunk->row + row, sum);
        }
        if (base + SPMV_ROUNDS * step < rows)
            SPMV_NAME(spmv_bound)(ends, row, step, rows, &bounds);
    }
    weir_lanes_sync();
}

/* ---- several columns, by chunks --------------------------------------------------------------------- */

/* As many values of a row of x, or of y, as a lane has at a time. */
typedef struct SPMV_NAME(spmv_pack) {
    REAL v[SPMV_VECTOR];
} __attribute__((aligned(16))) SPMV_NAME(spmv_pack);

/* SPMV_VECTOR values, or `have` where those are fewer, or do not lie at a multiple of 16 bytes. */
WEIR_DEV SPMV_NAME(spmv_pack) SPMV_NAME(spmv_load)(const REAL *x, uint32_t have)
{
    SPMV_NAME(spmv_pack) pack;
    if (have == SPMV_VECTOR)
        return *(const SPMV_NAME(spmv_pack) *)x;
    WEIR_UNROLLED
    for (uint32_t j = 0; j < SPMV_VECTOR; j++)
        pack.v[j] = j < have ? x[j] : 0;
    return pack;
}

/* How lanes stand before a row of x: `across` of them have `have` columns each from `column` on, and `deep` are there for each of these columns. */
struct SPMV_NAME(spmv_stand) {
    uint32_t across, deep, column, have;
};

/* The sums of nonzeros begin, begin + step, ... before end, for a lane's columns. */
WEIR_DEV SPMV_NAME(spmv_pack)
    SPMV_NAME(spmv_gather)(const struct spmv_args *a, const struct SPMV_NAME(spmv_stand) * s,
                           uint64_t begin, uint64_t end, uint32_t step)
{
    const REAL *values = (const REAL *)a->values, *x = (const REAL *)a->x + s->column;
    SPMV_NAME(spmv_pack) sum = {{0}};
    if (!s->have)
        return sum;
    WEIR_UNROLLED_4
    for (uint64_t i = begin; i < end; i += step) {
        const REAL value = values[i];
        const SPMV_NAME(spmv_pack) row =
            SPMV_NAME(spmv_load)(x + (uint64_t)a->indices[i] * a->k, s->have);
        WEIR_UNROLLED
        for (uint32_t j = 0; j < SPMV_VECTOR; j++)
            sum.v[j] += value * row.v[j];
    }
    return sum;
}

/* Add what the lanes of the same columns have, and let the first of them put it away. All lanes. */
WEIR_DEV void SPMV_NAME(spmv_finish)(const struct spmv_args *a,
                                     const struct SPMV_NAME(spmv_stand) * s, int piece,
                                     uint64_t row, SPMV_NAME(spmv_pack) sum)
{
    WEIR_UNROLLED
    for (uint32_t j = 0; j < SPMV_VECTOR; j++) {
        const REAL all = SPMV_NAME(weir_group_sum)(sum.v[j], s->deep);
        if (weir_lane() % s->deep || j >= s->have)
            continue;
        if (piece)
            ((REAL *)a->partials)[row * a->k + s->column + j] = all;
        else
            SPMV_NAME(spmv_put)(a, row * a->k + s->column + j, all);
    }
}

/* Rows of a chunk for a lane's columns: a row for all lanes, or one for each group of lanes that have all columns, where there are enough. */
WEIR_DEV void SPMV_NAME(spmv_columns)(const struct spmv_args *a, const struct spmv_chunk *chunk,
                                      const struct SPMV_NAME(spmv_stand) * s)
{
    const uint16_t *ends = a->ends + chunk->row;
    const uint32_t group = weir_lane() % s->deep;
    if (chunk->rows <= 1) {
        const uint64_t end = chunk->begin + chunk->count;
        SPMV_NAME(spmv_finish)
        (a, s, !chunk->rows, chunk->row,
         SPMV_NAME(spmv_gather)(a, s, chunk->begin + group, end, s->deep));
        return;
    }
    if (chunk->rows < s->deep) {
        for (uint32_t row = 0; row < chunk->rows; row++) {
            const uint64_t begin = chunk->begin + (row ? ends[row - 1] : 0);
            SPMV_NAME(spmv_finish)
            (a, s, 0, (uint64_t)chunk->row + row,
             SPMV_NAME(spmv_gather)(a, s, begin + group, chunk->begin + ends[row], s->deep));
        }
        return;
    }
    for (uint32_t row = group; row < chunk->rows; row += s->deep) {
        const uint64_t begin = chunk->begin + (row ? ends[row - 1] : 0);
        const SPMV_NAME(spmv_pack) sum =
            SPMV_NAME(spmv_gather)(a, s, begin, chunk->begin + ends[row], 1);
        WEIR_UNROLLED
        for (uint32_t j = 0; j < SPMV_VECTOR; j++)
            if (j < s->have)
                SPMV_NAME(spmv_put)
        (a, ((uint64_t)chunk->row + row) * a->k + s->column + j, sum.v[j]);
    }
}

/* A chunk with k columns, as many of them at a time as the lanes can have. */
WEIR_DEV void SPMV_NAME(spmv_dense)(const struct spmv_args *a, const struct spmv_chunk *chunk)
{
    const uint32_t each = a->k % SPMV_VECTOR ? 1 : SPMV_VECTOR;
    struct SPMV_NAME(spmv_stand) s = {1, 1, 0, 0};
    while (s.across < WEIR_LANES && s.across * each < a->k)
        s.across *= 2;
    s.deep = WEIR_LANES / s.across;
    for (uint32_t column = 0; column < a->k; column += s.across * each) {
        s.column = column + weir_lane() / s.deep * each;
        s.have = s.column < a->k ? each : 0;
        SPMV_NAME(spmv_columns)(a, chunk, &s);
    }
}

/** Chunk number @p at. @param[in] room  the warp's own. All lanes. */
WEIR_DEV void SPMV_NAME(spmv_rows)(const struct spmv_args *a, uint64_t at, REAL room[SPMV_ROOM])
{
    const struct spmv_chunk chunk = a->chunks[at];
    if (a->k > 1)
        SPMV_NAME(spmv_dense)(a, &chunk);
    else if (chunk.rows <= 1)
        SPMV_NAME(spmv_alone)(a, &chunk);
    else
        SPMV_NAME(spmv_together)(a, &chunk, room);
}

/** Long row number @p at: the sum of its pieces. All lanes. */
WEIR_DEV void SPMV_NAME(spmv_longs)(const struct spmv_args *a, uint64_t at)
{
    const struct spmv_long row = a->longs[at];
    const REAL *partials = (const REAL *)a->partials + row.first * a->k;
    for (uint32_t c = 0; c < a->k; c++) {
        REAL sum = 0;
        for (uint32_t i = weir_lane(); i < row.pieces; i += WEIR_LANES)
            sum += partials[(uint64_t)i * a->k + c];
        sum = SPMV_NAME(weir_group_sum)(sum, WEIR_LANES);
        if (weir_lane() == 0)
            SPMV_NAME(spmv_put)(a, (uint64_t)row.row * a->k + c, sum);
    }
}

/* ---- by the schedules of worklist/schedule.h ---------------------------------------------------------- */

/* The end of a row, for a lane: y has its beta already. It adds by itself if it had the whole row, by an atomic if others have parts. */
WEIR_DEV void SPMV_NAME(spmv_end)(const struct spmv_args *a, weir_tile_set rows, uint32_t from,
                                  uint32_t column, const weir_tile_visit *visit, REAL sum)
{
    if (visit->atoms == 0)
        return;
    REAL *y = (REAL *)a->y + ((uint64_t)from + visit->tile) * a->k + column;
    sum *= (REAL)a->alpha;
    if (weir_tile_visit_whole(visit, rows))
        *y += sum;
    else
        SPMV_NAME(weir_atomic_add_relaxed_dev)(y, sum);
}

#define SPMV_LANE(schedule, sharing)                                                        \
    WEIR_DEV void SPMV_NAME(spmv_##schedule)(const struct spmv_args *a, weir_tile_set rows, \
                                             uint32_t from, uint32_t lane, uint32_t lanes,  \
                                             uint32_t column)                               \
    {                                                                                       \
        const REAL *values = (const REAL *)a->values, *x = (const REAL *)a->x + column;     \
        WEIR_SCHEDULE_NAME(schedule, walk) walk;                                            \
        weir_tile_visit visit = WEIR_TILE_VISIT_INIT;                                       \
        uint32_t row, atom;                                                                 \
        REAL sum = 0;                                                                       \
        WEIR_SCHEDULE_NAME(schedule, start)(&walk, rows, lane, lanes);                      \
        while (WEIR_SCHEDULE_NAME(schedule, next)(&walk, rows, &row, &atom)) {              \
            const uint32_t nonzero = weir_tile_set_first(rows, row) + atom;                 \
            if (weir_tile_visit_enters(&visit, row)) {                                      \
                SPMV_NAME(spmv_end)(a, rows, from, column, &visit, sum);                    \
                weir_tile_visit_begin(&visit, row);                                         \
                sum = 0;                                                                    \
            }                                                                               \
            sum += values[nonzero] * x[(uint64_t)a->indices[nonzero] * a->k];               \
            visit.atoms++;                                                                  \
        }                                                                                   \
        SPMV_NAME(spmv_end)(a, rows, from, column, &visit, sum);                            \
    }
SPMV_SCHEDULES(SPMV_LANE)
#undef SPMV_LANE

/** A warp's share, as examples/12_spmv.c has it: warps stand in groups of a->sharing, each of which walks a part of the rows. */
WEIR_DEV void SPMV_NAME(spmv_tiles)(const struct spmv_args *a, uint32_t worker, uint32_t workers)
{
    const uint32_t sharing = a->sharing && a->sharing < workers ? a->sharing : workers;
    const uint32_t groups = workers / sharing, group = worker / sharing;
    if (group >= groups) /* a last group that is not full has nothing */
        return;
    const weir_tile_set rows = weir_tile_set_part(a->tiles, group, groups);
    const uint32_t from = weir_share_begin(a->tiles.tiles, group, groups);
    const uint32_t lane = worker % sharing * WEIR_LANES + weir_lane(), lanes = sharing * WEIR_LANES;
    WEIR_ROLLED
    for (uint32_t column = 0; column < a->k; column++)
        switch (a->schedule) {
#define SPMV_CASE(schedule, sharing)                                    \
    case SPMV_##schedule:                                               \
        SPMV_NAME(spmv_##schedule)(a, rows, from, lane, lanes, column); \
        break;
            SPMV_SCHEDULES(SPMV_CASE)
#undef SPMV_CASE
        }
}

/** y *= beta, of element @p at. With beta 0 what it was is not looked at. */
WEIR_DEV void SPMV_NAME(spmv_scale)(REAL *y, double beta, uint64_t at)
{
    y[at] = beta != 0 ? (REAL)beta * y[at] : 0;
}

/** Element @p at of y, from the sums of several devices. */
WEIR_DEV void SPMV_NAME(spmv_join)(const struct spmv_join_args *a, uint64_t at)
{
    REAL *y = (REAL *)a->y, sum = 0;
    for (uint32_t i = 0; i < a->count; i++)
        sum += ((const REAL *)a->sums[i])[at];
    y[at] = a->beta != 0 ? sum + (REAL)a->beta * y[at] : sum;
}

/** Element @p at of what is packed for others. */
WEIR_DEV void SPMV_NAME(spmv_pack_one)(const struct spmv_pack_args *a, uint64_t at)
{
    const uint64_t row = a->k > 1 ? at / a->k : at;
    const REAL *x = (const REAL *)a->x + (uint64_t)a->list[row] * a->k;
    ((REAL *)a->packed)[at] = x[at - row * a->k];
}

#undef REAL
#undef SPMV_NAME
#undef SPMV_VECTOR
