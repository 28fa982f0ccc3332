/** @file next_round_tmpl.h  A part of engine_tmpl.h: from one round to the next. */

/* ---- between rounds --------------------------------------------------------------------------- */

/** Wait for a newer word that this block takes part in. One lane. */
WEIR_DEV uint64_t OP(await)(const struct OP(run) * run, uint64_t word)
{
    const uint64_t *at = &run->args->work.control->word;
    WEIR_ROLLED
    for (uint32_t looks = 0;; looks++) {
        uint64_t next = weir_load_acquire_dev_u64(at); /* pairs with the release in publish() */
        if (weir_word_is_newer(next, word)) {
            if (weir_word_action(next) == WEIR_ACTION_END ||
                run->block_number < weir_word_blocks(next, run->blocks))
                return next;
            word = next;
        }
        weir_pause(looks);
    }
}

/** Where blocks arrive that are through with the round of @p word. */
WEIR_DEV uint64_t *OP(arrivals_at)(const struct OP(run) * run, uint64_t word)
{
    return &run->args->work.control->arrived[weir_word_generation(word) % WEIR_ARRIVALS];
}

/** Whether the others have gone on without this block, which waits for the end of a round of that generation. A thread
 *  of a host that did not run for hundreds of rounds may take what belongs to a later one for its own; who added to that
 *  had acquired the word that this thread missed. On a GPU no resident block is kept from running for so long. */
WEIR_DEV int OP(was_left)(const struct OP(run) * run, uint64_t word)
{
#ifdef __CUDACC__
    (void)run, (void)word;
    return 0;
#else
    const uint64_t told = weir_load_acquire_dev_u64(&run->args->work.control->word);
    return weir_word_is_newer(told, word) &&
           weir_word_generation(told) != ((weir_word_generation(word) + 1) & 0xFFFFFu);
#endif
}

/** Wait until all blocks of the round have arrived. One lane. @return their arrivals; 0 if the others have
 *  gone on for so long without this block that the count is used anew. */
WEIR_DEV uint64_t OP(await_arrivals)(const struct OP(run) * run, uint64_t word, uint32_t active)
{
    const uint32_t generation = weir_word_generation(word);
    const uint64_t *at = OP(arrivals_at)(run, word);
    WEIR_ROLLED
    for (uint32_t looks = 0;; looks++) {
        uint64_t arrivals = weir_load_acquire_dev_u64(at); /* pairs with the release in arrive() */
        if (!weir_arrivals_are_of(arrivals, generation) || OP(was_left)(run, word))
            return 0;
        if (weir_arrivals_blocks(arrivals) == active)
            return arrivals;
        weir_pause(looks);
    }
}

/** This block is through with a round of a fused kernel. Warp 0. @return the arrivals of all, or 0. */
WEIR_DEV uint64_t OP(arrive)(const struct OP(run) * run, uint64_t word, uint32_t active)
{
    struct OP(block) *block = run->block;
    uint64_t arrivals = 0;
    if (weir_lane() == 0) {
        arrivals = weir_arrivals_one(block->pushed, (int)block->special);
        if (block->sent)
            weir_fence_sys(); /* this block's stores into peers, before a tail tells of them */
        block->sent = block->special = block->pushed = 0;
        if (active > 1) {
            weir_add_release_dev_u64(OP(arrivals_at)(run, word), arrivals);
            arrivals = OP(await_arrivals)(run, word, active);
        }
    }
    return weir_broadcast_u64(arrivals, 0);
}

/** Show a word to the blocks that wait for one. Warp 0 of block 0. */
WEIR_DEV void OP(publish)(const struct OP(run) * run, uint64_t next)
{
    if (weir_lane() == 0)
        weir_store_release_dev_u64(&run->args->work.control->word, next); /* pairs with await() */
}

/** Whether the word that follows a round of @p active blocks must be shown: to blocks that join; and now and then to all,
 *  since those that wait for long must not take a very old word for new. (Of two generations, since one that is used to
 *  hand items back has no word.) */
WEIR_DEV int OP(must_tell)(const struct OP(run) * run, uint64_t next, uint32_t active)
{
    return weir_word_blocks(next, run->blocks) > active ||
           (weir_word_generation(next) & 0xFFFFu) <= 1u;
}

/** Go on to @p next, or if that is 0 to what block 0 decides, after the round of @p word. Warp 0. @return the word. */
WEIR_DEV uint64_t OP(go_on)(const struct OP(run) * run, uint64_t word, uint64_t next)
{
    const struct weir_engine_args *work = &run->args->work;
    const uint32_t active = weir_word_blocks(word, run->blocks);
    if (weir_lane() == 0) {
        run->block->owed = next ? word : 0;
        run->block->fresh = !next && run->block_number != 0;
    }
    weir_lanes_sync();
    if (next) {
        if (run->block_number == 0 && OP(must_tell)(run, next, active))
            OP(publish)(run, next);
        return next;
    }
    if (run->block_number == 0) {
        next = weir_decide(work, &run->block->ledger, word);
        /* A block that works alone goes on alone: nobody else looks. */
        if (active > 1 || OP(must_tell)(run, next, active) ||
            weir_word_action(next) == WEIR_ACTION_END)
            OP(publish)(run, next);
        return next;
    }
    if (weir_lane() == 0)
        next = OP(await)(run, word);
    return weir_broadcast_u64(next, 0);
}

/** What comes after the round of @p word, in a fused kernel. Warp 0. */
WEIR_DEV uint64_t OP(next_word)(const struct OP(run) * run, uint64_t word)
{
    const uint32_t active = weir_word_blocks(word, run->blocks);
    uint64_t next = 0, arrivals = 0;
    if (run->block_number < active)
        arrivals = OP(arrive)(run, word, active);
    if (arrivals && !weir_arrivals_special(arrivals))
        next = weir_decide_near(&run->args->work, word, weir_arrivals_pushed(arrivals));
    return OP(go_on)(run, word, next);
}

/** The end of a discrete kernel: the last block to come decides, since blocks may run one after the
 *  other. Warp 0. */
WEIR_DEV void OP(end_once)(const struct OP(run) * run, uint64_t word)
{
    struct weir_control *control = run->args->work.control;
    uint32_t last = 0;
    if (run->block_number >= weir_word_blocks(word, run->blocks))
        return;
    if (weir_lane() == 0)
        last = weir_add_acq_rel_dev_u32(&control->tickets, 1) ==
               weir_word_blocks(word, run->blocks) - 1;
    if (!weir_broadcast_u32(last, 0))
        return;
    uint64_t next = weir_decide(&run->args->work, &control->ledger, word);
    if (weir_lane() == 0) {
        weir_store_relaxed_dev_u32(&control->tickets, 0);
        weir_store_release_dev_u64(&control->word, next);
    }
}

/** In a round of this generation, when all have arrived in the one before: set back arrivals that nobody who still
 *  counts them needs, and that are added to three rounds from now or later. One lane of block 0. */
WEIR_DEV void OP(set_back)(const struct weir_engine_args *work, uint32_t generation)
{
    if (generation % 4u)
        return;
    WEIR_ROLLED
    for (uint32_t g = generation + 3; g < generation + 7; g++)
        weir_store_relaxed_dev_u64(&work->control->arrived[g % WEIR_ARRIVALS],
                                   weir_arrivals_none(g));
}

/** While a round begins, block 0 does the books of the step to it and sets back what a later one needs.
 *  One warp. */
WEIR_DEV void OP(keep_books)(const struct OP(run) * run, uint64_t word)
{
    const struct weir_engine_args *work = &run->args->work;
    if (weir_lane() != 0)
        return;
    OP(set_back)(work, weir_word_generation(word));
    weir_store_relaxed_dev_u32(&work->control->cursor[(weir_word_generation(word) + 1) & 1u], 0);
    if (run->block->owed)
        weir_decide_near_books(work, &run->block->ledger, run->block->owed, word);
}

/** Copy the ledger, word by word. Warp 0. */
WEIR_DEV void OP(copy_ledger)(struct weir_ledger *to, const struct weir_ledger *from)
{
#ifdef __CUDACC__
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < sizeof *to / sizeof(uint64_t); i += WEIR_LANES)
        ((uint64_t *)to)[i] = ((const uint64_t *)from)[i];
    weir_lanes_sync();
#else
    *to = *from;
#endif
}

/** Copy the arguments, word by word. Warp 0. */
WEIR_DEV void OP(copy_args)(struct OP(args) * to, const struct OP(args) * from)
{
#ifdef __CUDACC__
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < sizeof *to / sizeof(uint64_t); i += WEIR_LANES)
        ((uint64_t *)to)[i] = ((const uint64_t *)from)[i];
    weir_lanes_sync();
#else
    *to = *from;
#endif
}

/** Before the first round. Warp 0. */
WEIR_DEV void OP(begin)(const struct OP(run) * run)
{
    const struct weir_engine_args *work = &run->args->work;
    struct OP(block) *block = run->block;
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < WARPS * STAGE_LANES; i += WEIR_LANES)
        block->staged[i / STAGE_LANES][i % STAGE_LANES] = 0;
    if (!work->once && run->block_number == 0)
        OP(copy_ledger)(&block->ledger, &work->control->ledger);
    if (run->block_number < weir_word_blocks(work->word, run->blocks))
        OP(read_plan)(run, work->word, 1);
    if (weir_lane() == 0) {
        block->sent = block->special = block->pushed = 0;
        block->owed = 0;
        block->word = work->word;
    }
}

/** After the last round. */
WEIR_DEV void OP(finish)(const struct OP(run) * run)
{
    const struct weir_engine_args *work = &run->args->work;
    uint64_t stale = weir_sum_u64(run->stale), atoms = weir_sum_u64(run->atoms);
    if (weir_lane() == 0 && (stale | atoms)) {
        (void)weir_atomic_add_relaxed_dev_u64(&work->control->stale, stale);
        (void)weir_atomic_add_relaxed_dev_u64(&work->control->atoms, atoms);
    }
    if (WARP_ID == 0 && !work->once && run->block_number == 0)
        OP(copy_ledger)(&work->control->ledger, &run->block->ledger);
}
