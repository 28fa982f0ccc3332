/** @file spmv_op_tmpl.h  What lanes do, for one kind of values: REAL, SPMV_NAME(name), and SPMV_VECTOR, how many of them are 16 bytes. Included by
 * spmv_op.h alone, once for each kind; it has no guard. */

/* y = alpha sum + beta y, at one place. */
WEIR_DEV void SPMV_NAME(spmv_put)(const struct spmv_args *a, uint64_t at, REAL sum)
{
    REAL *y = (REAL *)a->y;
    y[at] = a->beta != 0 ? (REAL)a->alpha * sum + (REAL)a->beta * y[at] : (REAL)a->alpha * sum;
}

/* ---- one column, by chunks ------------------------------------------------------------------------- */

/* The last of the pieces of a row that ends adds up all of them, in their order. What lanes stored of this one is behind them. All lanes. */
WEIR_DEV void SPMV_NAME(spmv_piece_ended)(const struct spmv_args *a, uint32_t piece)
{
    struct spmv_long *row = a->longs + a->long_of[piece];
    uint32_t before = 0;
    weir_lanes_sync();
    if (weir_lane() == 0)
        before = weir_add_acq_rel_dev_u32(&row->ended, 1);
    if (weir_broadcast_u32(before, 0) + 1 < row->pieces)
        return;
    weir_lanes_sync();
    const REAL *partials = (const REAL *)a->partials + (uint64_t)row->first * a->k;
    for (uint32_t c = 0; c < a->k; c++) {
        REAL sum = 0;
        for (uint32_t i = weir_lane(); i < row->pieces; i += WEIR_LANES)
            sum += partials[(uint64_t)i * a->k + c];
        sum = SPMV_NAME(weir_group_sum)(sum, WEIR_LANES);
        if (weir_lane() == 0)
            SPMV_NAME(spmv_put)(a, (uint64_t)row->row * a->k + c, sum);
    }
    if (weir_lane() == 0)
        weir_store_relaxed_dev_u32(&row->ended, 0);
}

#ifndef __CUDACC__
/* The sum of nonzeros begin to end of a record, by a thread of a host device, which has no lanes to share them out to. */
WEIR_DEV REAL SPMV_NAME(spmv_stretch)(const char *columns, const REAL *values, const REAL *x,
                                      int near, uint32_t begin, uint32_t end)
{
    REAL sum = 0;
    if (near)
        for (uint32_t i = begin; i < end; i++)
            sum += values[i] * x[((const uint16_t *)columns)[i]];
    else
        for (uint32_t i = begin; i < end; i++)
            sum += values[i] * x[((const uint32_t *)columns)[i]];
    return sum;
}

/** Chunk number @p at, with one column. */
WEIR_DEV void SPMV_NAME(spmv_rows)(const struct spmv_args *a, uint64_t at)
{
    const struct spmv_chunk *chunk = &a->chunks[at];
    const int near = chunk->base != SPMV_FAR;
    const uint32_t fours = (chunk->count + SPMV_FOUR - 1u) / SPMV_FOUR;
    const char *columns = a->records + (uint64_t)chunk->at * SPMV_UNIT;
    const REAL *values = (const REAL *)(columns + weir__spmv_columns_bytes(fours, near));
    const REAL *x = (const REAL *)a->x + (near ? chunk->base : 0);
    if (!chunk->rows) {
        ((REAL *)a->partials)[chunk->row] =
            SPMV_NAME(spmv_stretch)(columns, values, x, near, 0, chunk->count);
        SPMV_NAME(spmv_piece_ended)(a, chunk->row);
        return;
    }
    for (uint32_t row = 0, begin = 0, end; row < chunk->rows; row++, begin = end) {
        end = chunk->rows == 1 ? chunk->count : a->ends[chunk->row + row];
        SPMV_NAME(spmv_put)
        (a, (uint64_t)chunk->row + row,
         SPMV_NAME(spmv_stretch)(columns, values, x, near, begin, end));
    }
}
#else
/* SPMV_ABREAST fours of a lane, as they lie in a record, so many lanes apart; and how many lanes have one of each. */
struct SPMV_NAME(spmv_fours) {
    uint32_t column[SPMV_ABREAST]
                   [SPMV_FOUR]; /* near ones in pairs, of which the first two words are */
    REAL value[SPMV_ABREAST][SPMV_FOUR];
    uint32_t have[SPMV_ABREAST];
};

/* Ask for those from four `first` of the record on. */
WEIR_DEV void SPMV_NAME(spmv_ask)(const struct spmv_args *a, const struct spmv_chunk *chunk,
                                  int near, uint32_t first, struct SPMV_NAME(spmv_fours) * of)
{
    const uint32_t fours = (chunk->count + SPMV_FOUR - 1u) / SPMV_FOUR, at = first + weir_lane();
    const char *record = a->records + (uint64_t)chunk->at * SPMV_UNIT;
    const char *columns = record + at * (near ? 8u : 16u);
    const char *values =
        record + weir__spmv_columns_bytes(fours, near) + at * (uint32_t)(SPMV_FOUR * sizeof(REAL));
    WEIR_UNROLLED
    for (uint32_t j = 0; j < SPMV_ABREAST; j++) {
        const uint32_t begin = first + j * WEIR_LANES;
        of->have[j] = begin >= fours ? 0 : fours - begin < WEIR_LANES ? fours - begin : WEIR_LANES;
        if (weir_lane() >= of->have[j])
            continue;
        if (near) {
            weir_load_stream_8(of->column[j], columns + j * WEIR_LANES * 8u);
            weir__spmv_whole_u32(&of->column[j][0]);
            weir__spmv_whole_u32(&of->column[j][1]);
        } else
            weir_load_stream_16(of->column[j], columns + j * WEIR_LANES * 16u);
        WEIR_UNROLLED
        for (uint32_t t = 0; t < SPMV_FOUR; t += SPMV_VECTOR)
            weir_load_stream_16(&of->value[j][t],
                                values + (j * WEIR_LANES * SPMV_FOUR + t) * (uint32_t)sizeof(REAL));
    }
}

/* Multiply by what lies at x. */
WEIR_DEV void SPMV_NAME(spmv_multiply)(const REAL *x, int near, struct SPMV_NAME(spmv_fours) * of)
{
    WEIR_UNROLLED
    for (uint32_t j = 0; j < SPMV_ABREAST; j++) {
        if (weir_lane() >= of->have[j])
            continue;
        WEIR_UNROLLED
        for (uint32_t t = 0; t < SPMV_FOUR; t++) {
            const uint32_t column =
                near ? of->column[j][t / 2] >> 16 * (t % 2) & 0xFFFFu : of->column[j][t];
            of->value[j][t] *= x[column];
        }
    }
}

/* The sum of a row, or of a piece of one, by all lanes. Its first fours have been asked for. */
WEIR_DEV REAL SPMV_NAME(spmv_alone)(const struct spmv_args *a, const struct spmv_chunk *chunk,
                                    const REAL *x, int near, struct SPMV_NAME(spmv_fours) * of)
{
    const uint32_t fours = (chunk->count + SPMV_FOUR - 1u) / SPMV_FOUR;
    REAL sum = 0;
    for (uint32_t first = 0; first < fours; first += SPMV_ABREAST * WEIR_LANES) {
        if (first)
            SPMV_NAME(spmv_ask)(a, chunk, near, first, of);
        SPMV_NAME(spmv_multiply)(x, near, of);
        WEIR_UNROLLED
        for (uint32_t j = 0; j < SPMV_ABREAST; j++) {
            const uint32_t begin = (first + j * WEIR_LANES) * SPMV_FOUR + weir_lane();
            WEIR_UNROLLED
            for (uint32_t t = 0; t < SPMV_FOUR; t++)
                if (weir_lane() < of->have[j] && begin + t * of->have[j] < chunk->count)
                    sum += of->value[j][t];
        }
    }
    return SPMV_NAME(weir_group_sum)(sum, WEIR_LANES);
}

/* Where a warp keeps product i. */
WEIR_DEV uint32_t SPMV_NAME(spmv_place)(uint32_t i)
{
    return i + i / 32;
}

/* All products of a chunk, side by side as rows have them. */
WEIR_DEV void SPMV_NAME(spmv_lay_out)(const struct spmv_args *a, const struct spmv_chunk *chunk,
                                      const REAL *x, int near, struct SPMV_NAME(spmv_fours) * of,
                                      REAL room[SPMV_ROOM])
{
    const uint32_t fours = (chunk->count + SPMV_FOUR - 1u) / SPMV_FOUR;
    for (uint32_t first = 0; first < fours; first += SPMV_ABREAST * WEIR_LANES) {
        if (first)
            SPMV_NAME(spmv_ask)(a, chunk, near, first, of);
        SPMV_NAME(spmv_multiply)(x, near, of);
        WEIR_UNROLLED
        for (uint32_t j = 0; j < SPMV_ABREAST; j++) {
            const uint32_t begin = (first + j * WEIR_LANES) * SPMV_FOUR + weir_lane();
            if (of->have[j] == WEIR_LANES) {
                /* Places are 33 apart here. */
                REAL *place = room + SPMV_NAME(spmv_place)(begin);
                WEIR_UNROLLED
                for (uint32_t t = 0; t < SPMV_FOUR; t++)
                    place[t * 33] = of->value[j][t];
            } else if (weir_lane() < of->have[j]) {
                WEIR_UNROLLED
                for (uint32_t t = 0; t < SPMV_FOUR; t++)
                    room[SPMV_NAME(spmv_place)(begin + t * of->have[j])] = of->value[j][t];
            }
        }
    }
}

/* Where the products of SPMV_ROUNDS rows begin and end, among those of their chunk, so many lanes apart: nowhere if there is no such row. */
struct SPMV_NAME(spmv_bounds) {
    uint32_t begin[SPMV_ROUNDS], end[SPMV_ROUNDS];
};

/* Ask for the first `rounds` of them. */
WEIR_DEV void SPMV_NAME(spmv_bound)(const uint8_t *ends, uint32_t row, uint32_t rows,
                                    uint32_t rounds, struct SPMV_NAME(spmv_bounds) * bounds)
{
    ends += row;
    WEIR_UNROLLED
    for (uint32_t j = 0; j < SPMV_ROUNDS; j++) {
        bounds->begin[j] = bounds->end[j] = 0;
        if (j < rounds && row + j * WEIR_LANES < rows) {
            bounds->end[j] = ends[j * WEIR_LANES];
            if (j || row)
                bounds->begin[j] = *(ends + j * WEIR_LANES - 1);
        }
    }
}

/* Products `from`, from + step, ... before `end`. */
WEIR_DEV REAL SPMV_NAME(spmv_add)(const REAL room[SPMV_ROOM], uint32_t from, uint32_t end,
                                  uint32_t step)
{
    REAL sum = 0;
    WEIR_UNROLLED_4
    for (uint32_t i = from; i < end; i += step)
        sum += room[SPMV_NAME(spmv_place)(i)];
    return sum;
}

/* Short rows: products side by side as they lie, then as many lanes a row as there are for it. */
WEIR_DEV void SPMV_NAME(spmv_together)(const struct spmv_args *a, const struct spmv_chunk *chunk,
                                       const REAL *x, int near, struct SPMV_NAME(spmv_fours) * of,
                                       REAL room[SPMV_ROOM])
{
    const uint8_t *ends = a->ends + chunk->row;
    const uint32_t rows = chunk->rows;
    struct SPMV_NAME(spmv_bounds) bounds;
    if (rows <= WEIR_LANES / 2) {
        const uint32_t each = 5u - weir_bits_u32(rows - 1), width = 1u << each;
        const uint32_t row = weir_lane() >> each;
        SPMV_NAME(spmv_bound)(ends, row, rows, 1, &bounds);
        SPMV_NAME(spmv_lay_out)(a, chunk, x, near, of, room);
        weir_lanes_sync();
        const REAL sum = SPMV_NAME(weir_group_sum)(
            SPMV_NAME(spmv_add)(room, bounds.begin[0] + (weir_lane() & (width - 1)), bounds.end[0],
                                width),
            width);
        if (row < rows && (weir_lane() & (width - 1)) == 0)
            SPMV_NAME(spmv_put)(a, (uint64_t)chunk->row + row, sum);
        weir_lanes_sync();
        return;
    }
    /* The first rows of a lane are asked for before the products are. */
    SPMV_NAME(spmv_bound)(ends, weir_lane(), rows, SPMV_ROUNDS, &bounds);
    SPMV_NAME(spmv_lay_out)(a, chunk, x, near, of, room);
    weir_lanes_sync();
    for (uint32_t base = 0; base < rows; base += SPMV_ROUNDS * WEIR_LANES) {
        WEIR_UNROLLED
        for (uint32_t j = 0; j < SPMV_ROUNDS; j++) {
            const uint32_t row = base + j * WEIR_LANES + weir_lane();
            if (row < rows)
                SPMV_NAME(spmv_put)
            (a, (uint64_t)chunk->row + row,
             SPMV_NAME(spmv_add)(room, bounds.begin[j], bounds.end[j], 1));
        }
        if (base + SPMV_ROUNDS * WEIR_LANES < rows)
            SPMV_NAME(spmv_bound)
        (ends, base + SPMV_ROUNDS * WEIR_LANES + weir_lane(), rows, SPMV_ROUNDS, &bounds);
    }
    weir_lanes_sync();
}

/* A chunk with one column, whose first fours have been asked for. */
WEIR_DEV void SPMV_NAME(spmv_single)(const struct spmv_args *a, const struct spmv_chunk *chunk,
                                     int near, struct SPMV_NAME(spmv_fours) * of,
                                     REAL room[SPMV_ROOM])
{
    const REAL *x = (const REAL *)weir__spmv_whole((const REAL *)a->x + (near ? chunk->base : 0));
    if (chunk->rows > 1) {
        SPMV_NAME(spmv_together)(a, chunk, x, near, of, room);
        return;
    }
    const REAL sum = SPMV_NAME(spmv_alone)(a, chunk, x, near, of);
    if (chunk->rows) {
        if (weir_lane() == 0)
            SPMV_NAME(spmv_put)(a, chunk->row, sum);
        return;
    }
    if (weir_lane() == 0)
        ((REAL *)a->partials)[chunk->row] = sum;
    SPMV_NAME(spmv_piece_ended)(a, chunk->row);
}

/** Chunk number @p at, with one column. @param[in] room  the warp's own. All lanes. */
WEIR_DEV void SPMV_NAME(spmv_rows)(const struct spmv_args *a, uint64_t at, REAL room[SPMV_ROOM])
{
    struct SPMV_NAME(spmv_fours) of;
    struct spmv_chunk chunk;
    weir_load_stream_16(&chunk, &a->chunks[at]);
    if (chunk.base == SPMV_FAR) {
        SPMV_NAME(spmv_ask)(a, &chunk, 0, 0, &of);
        SPMV_NAME(spmv_single)(a, &chunk, 0, &of, room);
    } else {
        SPMV_NAME(spmv_ask)(a, &chunk, 1, 0, &of);
        SPMV_NAME(spmv_single)(a, &chunk, 1, &of, room);
    }
}
#endif

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

/* The sums of nonzeros begin, begin + step, ... before end of a chunk, for a lane's columns. */
WEIR_DEV SPMV_NAME(spmv_pack)
    SPMV_NAME(spmv_gather)(const struct spmv_args *a, const struct spmv_chunk *chunk,
                           const struct SPMV_NAME(spmv_stand) * s, uint32_t begin, uint32_t end,
                           uint32_t step)
{
    const int near = chunk->base != SPMV_FAR;
    const char *columns = a->records + (uint64_t)chunk->at * SPMV_UNIT;
    const REAL *values =
        (const REAL *)(columns +
                       weir__spmv_columns_bytes((chunk->count + SPMV_FOUR - 1u) / SPMV_FOUR, near));
    const REAL *x = (const REAL *)a->x + s->column + (near ? (uint64_t)chunk->base * a->k : 0);
    SPMV_NAME(spmv_pack) sum = {{0}};
    if (!s->have)
        return sum;
    WEIR_UNROLLED_4
    for (uint32_t i = begin; i < end; i += step) {
        const REAL value = values[i];
        const uint32_t column =
            near ? ((const uint16_t *)columns)[i] : ((const uint32_t *)columns)[i];
        const SPMV_NAME(spmv_pack) row = SPMV_NAME(spmv_load)(x + (uint64_t)column * a->k, s->have);
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
    const uint8_t *ends = a->ends + chunk->row;
    const uint32_t group = weir_lane() % s->deep;
    if (chunk->rows <= 1) {
        SPMV_NAME(spmv_finish)
        (a, s, !chunk->rows, chunk->row,
         SPMV_NAME(spmv_gather)(a, chunk, s, group, chunk->count, s->deep));
        return;
    }
    if (chunk->rows < s->deep) {
        for (uint32_t row = 0; row < chunk->rows; row++) {
            const uint32_t begin = row ? ends[row - 1] : 0;
            SPMV_NAME(spmv_finish)
            (a, s, 0, (uint64_t)chunk->row + row,
             SPMV_NAME(spmv_gather)(a, chunk, s, begin + group, ends[row], s->deep));
        }
        return;
    }
    for (uint32_t row = group; row < chunk->rows; row += s->deep) {
        const uint32_t begin = row ? ends[row - 1] : 0;
        const SPMV_NAME(spmv_pack) sum = SPMV_NAME(spmv_gather)(a, chunk, s, begin, ends[row], 1);
        WEIR_UNROLLED
        for (uint32_t j = 0; j < SPMV_VECTOR; j++)
            if (j < s->have)
                SPMV_NAME(spmv_put)
        (a, ((uint64_t)chunk->row + row) * a->k + s->column + j, sum.v[j]);
    }
}

/** Chunk number @p at, with k columns, as many of them at a time as the lanes can have. All lanes. */
WEIR_DEV void SPMV_NAME(spmv_dense)(const struct spmv_args *a, uint64_t at)
{
    struct spmv_chunk chunk;
    weir_load_stream_16(&chunk, &a->chunks[at]);
    const uint32_t each = a->k % SPMV_VECTOR ? 1 : SPMV_VECTOR;
    struct SPMV_NAME(spmv_stand) s = {1, 1, 0, 0};
    while (s.across < WEIR_LANES && s.across * each < a->k)
        s.across *= 2;
    s.deep = WEIR_LANES / s.across;
    for (uint32_t column = 0; column < a->k; column += s.across * each) {
        s.column = column + weir_lane() / s.deep * each;
        s.have = s.column < a->k ? each : 0;
        SPMV_NAME(spmv_columns)(a, &chunk, &s);
    }
    if (!chunk.rows)
        SPMV_NAME(spmv_piece_ended)(a, chunk.row);
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
