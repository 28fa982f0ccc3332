/** @file engine_turn_tmpl.h  A part of engine_tmpl.h: from one round to the next. */

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

/** Wait until all blocks of the round have arrived. One lane. @return their arrivals; 0 if the others have
 *  gone on for so long without this block that the count is used anew. */
WEIR_DEV uint64_t OP(await_arrivals)(const struct OP(run) * run, uint64_t word, uint32_t active)
{
    const uint32_t generation = weir_word_generation(word);
    const uint64_t *at = &run->args->work.control->arrived[generation & 3u];
    WEIR_ROLLED
    for (uint32_t looks = 0;; looks++) {
        uint64_t arrivals = weir_load_acquire_dev_u64(at); /* pairs with the release in arrive() */
        if (!weir_arrivals_are_of(arrivals, generation))
            return 0;
        if (weir_arrivals_blocks(arrivals) == active) {
#ifndef __CUDACC__
            /* A thread that did not run for hundreds of rounds may take those of a later one for its own.
             * Who added to them had acquired the word that this thread missed. */
            uint64_t told = weir_load_acquire_dev_u64(&run->args->work.control->word);
            if (weir_word_is_newer(told, word) &&
                weir_word_generation(told) != ((generation + 1) & 0xFFFFFu))
                return 0;
#endif
            return arrivals;
        }
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
            weir_add_release_dev_u64(
                &run->args->work.control->arrived[weir_word_generation(word) & 3u], arrivals);
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

/** What comes after the round of @p word, in a fused kernel. Warp 0. */
WEIR_DEV uint64_t OP(next_word)(struct OP(run) * run, uint64_t word, int form)
{
    const struct weir_engine_args *work = &run->args->work;
    const uint32_t active = weir_word_blocks(word, run->blocks);
    uint64_t next = 0, arrivals = 0;
    if (run->block_number < active)
        arrivals = OP(arrive)(run, word, active);
    if (arrivals)
        next = weir_decide_near(work, word, arrivals);
    /* A narrow round leaves bounds beside the items it makes, and only a narrow one can read them. */
    if (form == FORM_NARROW && next && weir_is_narrow(work, word, run->blocks) &&
        weir_is_narrow(work, next, run->blocks))
        next |= WEIR_WORD_BOUNDS;
    if (weir_lane() == 0) {
        run->block->owed = next ? word : 0;
        run->block->fresh = !next && run->block_number != 0;
    }
    weir_lanes_sync();
    if (next) {
        /* Blocks that join must be told; those that wait for long must not take a very old word for new. */
        if (run->block_number == 0 && (weir_word_blocks(next, run->blocks) > active ||
                                       (weir_word_generation(next) & 0xFFFFu) == 0))
            OP(publish)(run, next);
        return next;
    }
    if (run->block_number == 0) {
        next = weir_decide(work, &run->block->ledger, word);
        /* A block that works alone goes on alone: nobody else looks. */
        if (active > 1 || weir_word_blocks(next, run->blocks) > 1 ||
            weir_word_action(next) == WEIR_ACTION_END ||
            (weir_word_generation(next) & 0xFFFFu) == 0)
            OP(publish)(run, next);
        return next;
    }
    if (weir_lane() == 0)
        next = OP(await)(run, word);
    return weir_broadcast_u64(next, 0);
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

/** While a round begins, block 0 does the books of the step to it and sets back what a later one needs.
 *  One warp. */
WEIR_DEV void OP(keep_books)(const struct OP(run) * run, uint64_t word)
{
    const struct weir_engine_args *work = &run->args->work;
    const uint32_t generation = weir_word_generation(word);
    if (weir_lane() != 0)
        return;
    weir_store_relaxed_dev_u64(&work->control->arrived[(generation + 2) & 3u],
                               weir_arrivals_none(generation + 2));
    weir_store_relaxed_dev_u32(&work->control->cursor[(generation + 1) & 1u], 0);
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
