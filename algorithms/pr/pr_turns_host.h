/** @file pr_turns_host.h  Which chunks a thread of a host device takes, and when: pr_pull.h includes it for host devices.
 *
 * Chunks are dealt out as to warps, a run of them at a time (pr_entry()): that is a worker's *turn*. Cores are not equally fast, though,
 * and threads that share one even less, so who has no turn left takes those of others. A worker's own come first, since its core's
 * cache has what it read there an iteration before. What a turn adds up is made an integer when it ends, so sums
 * are the same whoever took it. */
#ifndef WEIR_ALGORITHMS_PR_PR_TURNS_HOST_H
#define WEIR_ALGORITHMS_PR_PR_TURNS_HOST_H

#include "algorithms/pr/pr_pull_args.h"

/** Chunks of a turn. */
static inline uint32_t pr_run_of(uint32_t entries, uint32_t workers)
{
    const uint32_t fair = entries / 16 / workers;
    return fair < 1 ? 1 : fair < PR_RUN ? fair : PR_RUN;
}

/** Turns of worker @p index of @p workers. Every second one of all workers is dealt out backwards. */
static inline uint64_t pr_turns_of(uint32_t entries, uint32_t workers, uint32_t index)
{
    const uint64_t run = pr_run_of(entries, workers), round = run * workers;
    const uint64_t whole = entries / round, at = whole & 1 ? workers - 1 - index : index;
    return whole + (at * run < entries % round);
}

/** What a worker is at. */
struct pr_turns {
    const struct pr_pull_args *args;
    uint64_t number;         /* of the iteration */
    uint32_t index, workers; /* this one, and how many there are */
    uint32_t from;           /* whose turns are taken */
    uint64_t at, end;        /* chunks of the turn that are left */
    uint64_t stolen;         /* turns of others */
};

/** Take a turn of worker `from`, if it has one left. */
static inline int pr_take_turn(struct pr_turns *turns)
{
    const uint32_t entries = turns->args->lists.chunks, workers = turns->workers;
    const uint32_t run = pr_run_of(entries, workers);
    const uint64_t each = pr_turns_of(entries, workers, turns->from), before = turns->number * each;
    uint64_t *word = &turns->args->turns[turns->from].taken;
    uint64_t taken = weir_load_relaxed_dev_u64(word), seen;
    for (; taken < before + each; taken = seen) {
        seen = weir_atomic_compare_swap_relaxed_dev_u64(word, taken, taken + 1);
        if (seen != taken)
            continue;
        const uint64_t turn = taken - before;
        const uint32_t at = turn & 1 ? workers - 1 - turns->from : turns->from;
        turns->at = (turn * workers + at) * run;
        turns->end = turns->at + run < entries ? turns->at + run : entries;
        turns->stolen += turns->from != turns->index;
        return 1;
    }
    return 0;
}

/** The next chunk; one without rows behind the last. @param[out] turned  whether it is the first of another turn. */
static inline struct pr_chunk pr_next_chunk(struct pr_turns *turns, int *turned)
{
    const struct pr_chunk none = {0, 0, 0, 0, 0};
    *turned = turns->at == turns->end;
    while (turns->at == turns->end && !pr_take_turn(turns)) {
        turns->from = turns->from + 1 < turns->workers ? turns->from + 1 : 0;
        if (turns->from == turns->index)
            return none;
    }
    return turns->args->lists.chunk[turns->at++];
}

#endif
