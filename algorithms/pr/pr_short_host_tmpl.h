/** @file pr_short_host_tmpl.h  Rows of few arcs, as a thread of a host device adds them up: pr_pull_tmpl.h includes it for host devices
 * with PR_REAL and PR_FN defined, for floats and for doubles.
 *
 * A core foresees neither where a short row ends nor how long the next one is, and a branch that it took the wrong way costs it
 * more than the row. So no branch here depends on a row's length, up to PR_FOUR arcs: first the shares of all arcs of a chunk are brought,
 * one after the other; then each row adds up four of them, those behind its end times 0. The sum is that of
 * PR_FN(stretch), bit for bit. */

/** Whether the rows of a chunk are so short that they are added up here. */
#ifndef PR_FOUR
#define PR_FOUR 4u
WEIR_DEV int pr_is_short(struct pr_chunk chunk)
{
    return chunk.arcs <= chunk.rows * PR_FOUR;
}
#endif

/** The sum of up to PR_FOUR shares. @param[in] share  four shares can be read here, which are finite. */
WEIR_DEV double PR_FN(sum_of_four)(const PR_REAL *share, uint32_t count)
{
    static const PR_REAL is_there[PR_FOUR + 1][PR_FOUR] = {
        {0, 0, 0, 0}, {1, 0, 0, 0}, {1, 1, 0, 0}, {1, 1, 1, 0}, {1, 1, 1, 1}};
    const PR_REAL *is = is_there[count];
    return (double)(share[0] * is[0]) + (double)(share[1] * is[1]) +
           ((double)(share[2] * is[2]) + (double)(share[3] * is[3]));
}

/** Add up the rows of a chunk. Not inlined, since the kernel has more variables than a core has registers. */
static __attribute__((noinline)) void PR_FN(short_rows)(const struct pr_pull_args *a,
                                                        const struct pr_round *round,
                                                        const struct pr_worker *worker,
                                                        const PR_REAL *from, struct pr_chunk chunk,
                                                        struct pr_tally *tally)
{
    const uint32_t *targets = a->rows.in.targets + chunk.arc;
    const uint8_t *ends = pr_ends_of(a, chunk);
    PR_REAL share[PR_SLOTS + PR_FOUR];
    struct pr_tally sums = *tally; /* a local, which no store of a share can change */
    for (uint32_t i = 0; i < chunk.arcs; i++)
        share[i] = PR_FN(read)(a, worker, from, targets[i]);
    for (uint32_t i = chunk.arcs; i < chunk.arcs + PR_FOUR; i++)
        share[i] = 0;
    for (uint32_t row = 0, at = 0; row < chunk.rows; row++) {
        const uint32_t end = ends[row];
        const struct PR_FN(row) own = PR_FN(ask)(a, from, chunk.row + row, end - at);
        const double sum = end - at <= PR_FOUR
                               ? PR_FN(sum_of_four)(share + at, end - at)
                               : PR_FN(stretch)(a, worker, targets + at, end - at, from);
        PR_FN(settle)(a, round, chunk.row + row, &own, sum, &sums);
        at = end;
    }
    *tally = sums;
}
