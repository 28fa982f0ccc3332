/** @file bfs_2d_levels.c  Breadth-first search in two dimensions: what its levels told, from what each device wrote down. */
#include "algorithms/bfs/bfs_2d_step.h"
#include "algorithms/bfs/bfs_in_2d.h"
#include "runtime/support.h"

#include <stdlib.h>

uint64_t weir__bfs_in_2d_known(const struct bfs_in_2d *in_2d)
{
    return in_2d->levels < BFS_2D_LEVELS ? in_2d->levels : BFS_2D_LEVELS;
}

/* Bring what devices wrote down, once behind each run. */
static weir_status bring_log(struct bfs_in_2d *in_2d)
{
    const uint64_t known = weir__bfs_in_2d_known(in_2d);
    weir_status status;
    if (in_2d->log)
        return WEIR_OK;
    if ((status = weir__alloc(known * in_2d->on.parts, sizeof *in_2d->log, "levels", &in_2d->log)))
        return status;
    for (uint32_t p = 0; p < in_2d->on.parts && !status; p++)
        status = weir__download(weir_context_device(in_2d->on.context, p), in_2d->log + known * p,
                                weir_steps_data(in_2d->on.steps, "log", p),
                                (size_t)known * sizeof *in_2d->log);
    if (status) {
        free(in_2d->log);
        in_2d->log = NULL;
    }
    return status;
}

static weir_status find_level(struct bfs_in_2d *in_2d, uint64_t level)
{
    const uint64_t known = weir__bfs_in_2d_known(in_2d);
    return level < known ? bring_log(in_2d)
                         : weir__fail(WEIR_ERR_INVALID, "level %llu of %llu that are known",
                                      (unsigned long long)level, (unsigned long long)known);
}

static const struct bfs_2d_level *seen_by(const struct bfs_in_2d *in_2d, uint64_t level, uint32_t p)
{
    return &in_2d->log[weir__bfs_in_2d_known(in_2d) * p + level];
}

/* A bitmap is one of the sender's rows in the expand phase, of the receiver's in the fold phase. */
static weir_run_pair pair_of(const struct bfs_in_2d *in_2d, uint64_t level, uint32_t from,
                             uint32_t to)
{
    weir_run_pair pair = WEIR_RUN_PAIR_INIT;
    if (from == to ||
        (from / in_2d->rows != to / in_2d->rows && from % in_2d->rows != to % in_2d->rows))
        return pair;
    pair.fold = from / in_2d->rows != to / in_2d->rows;
    pair.items = seen_by(in_2d, level, from)->items[to];
    if (!pair.items)
        return pair;
    const uint64_t words = weir__row_steps_stretch(&in_2d->on, pair.fold ? to : from) / 32;
    const int bitmap = bfs_is_bitmap((uint32_t)in_2d->wire, pair.items, words);
    pair.wire = bitmap ? WEIR_WIRE_BITMAP : WEIR_WIRE_LIST;
    pair.bytes = (bitmap ? words : pair.items) * 4;
    return pair;
}

weir_status weir__bfs_in_2d_pair(struct bfs_in_2d *in_2d, uint64_t level, uint32_t from,
                                 uint32_t to, weir_run_pair *pair_out)
{
    weir_status status = find_level(in_2d, level);
    if (status)
        return status;
    if (from >= in_2d->on.parts || to >= in_2d->on.parts)
        return weir__fail(WEIR_ERR_INVALID, "from device %u to %u of %u", from, to,
                          in_2d->on.parts);
    *pair_out = pair_of(in_2d, level, from, to);
    return WEIR_OK;
}

static double longer(double ms, uint64_t ns)
{
    return ms > (double)ns / 1e6 ? ms : (double)ns / 1e6;
}

static void add_sender(const struct bfs_in_2d *in_2d, uint64_t level, uint32_t from,
                       weir_run_level *sum)
{
    const struct bfs_2d_level *its = seen_by(in_2d, level, from);
    uint32_t expands = 0, folds = 0;
    for (uint32_t to = 0; to < in_2d->on.parts; to++) {
        const weir_run_pair pair = pair_of(in_2d, level, from, to);
        *(pair.fold ? &folds : &expands) += pair.bytes != 0;
        *(pair.fold ? &sum->fold_bytes : &sum->expand_bytes) += pair.bytes;
    }
    sum->expand_partners = expands > sum->expand_partners ? expands : sum->expand_partners;
    sum->fold_partners = folds > sum->fold_partners ? folds : sum->fold_partners;
    sum->frontier += its->frontier;
    sum->expand_ms = longer(sum->expand_ms, its->ns[BFS_2D_EXPAND]);
    sum->compute_ms = longer(sum->compute_ms, its->ns[BFS_2D_LOOK]);
    sum->fold_ms = longer(sum->fold_ms, its->ns[BFS_2D_FOLD]);
    sum->update_ms = longer(sum->update_ms, its->ns[BFS_2D_UPDATE]);
}

weir_status weir__bfs_in_2d_level(struct bfs_in_2d *in_2d, uint64_t level,
                                  weir_run_level *level_out)
{
    weir_run_level sum = WEIR_RUN_LEVEL_INIT;
    weir_status status = find_level(in_2d, level);
    for (uint32_t p = 0; p < in_2d->on.parts && !status; p++)
        add_sender(in_2d, level, p, &sum);
    if (!status)
        *level_out = sum;
    return status;
}
