/** @file kept_tmpl.h  A part of engine_tmpl.h: what a thread of a host device keeps of the items that it makes.
 *
 * A warp of a GPU reserves slots for the items of its 32 lanes by one addition to the tail of a bag. A thread of a host device has
 * one lane, so it would add for every item, to a word that all threads of the device add to. So it keeps what it makes, apart by
 * bag, and puts it there when it has many, and at the end of its part of a round.
 *
 * Near items that it has kept it may also process itself when its share of the round is done (*fusing*; Zhang, Brahmakshatriya,
 * Chen, Dhulipala, Kamil, Amarasinghe, Shun: "Optimizing ordered graph algorithms with GraphIt", CGO 2020, fuse buckets so).
 * While there are few of them it does so in the order in which they were made, and no barrier comes in between; what it has no
 * room to keep is for all threads, in the next round. Only under soft order, which bounds by the threshold how far it can run
 * ahead of the others; and on one device, since what other devices send is taken in between rounds. */

WEIR_DEV void OP(kept_clear)(struct OP(block) * block)
{
    block->kept.head = block->kept.count = 0;
    block->kept.fused = block->kept.flushes = 0;
    memset(block->kept.others, 0, sizeof block->kept.others);
}

/** Put the near items that are kept into their bag. */
WEIR_DEV void OP(kept_flush_near)(struct weir_engine_thread *self)
{
    const struct weir_engine_args *work = self->work;
    struct OP(kept) *kept = &OP(block_of)(self)->kept;
    const uint32_t count = kept->count - kept->head;
    const OP(item) *items = kept->near + kept->head;
    kept->head = kept->count = 0;
    if (!count)
        return;
    const uint32_t slot =
        weir_atomic_add_relaxed_dev_u32(weir_bag_tail(work, self->near_bag), count);
    for (uint32_t i = 0; i < count; i++)
        if (!OP(items_put)(&work->bag[self->near_bag], slot + i, &items[i]))
            weir_refuse(work, self->block, WEIR_LOOK_FULL);
    self->pushed += count;
    kept->flushes++;
}

/** Put the deferred items that are kept for bucket @p b into it; those of WEIR_BUCKETS are for the far bag. */
WEIR_DEV void OP(kept_flush_deferred)(const struct OP(args) * args, struct OP(block) * block,
                                      uint32_t b)
{
    const struct weir_engine_args *work = &args->work;
    struct OP(kept) *kept = &block->kept;
    const uint32_t bag = b < WEIR_BUCKETS ? WEIR_BAG_BUCKET + b : block->base.order.far_bag;
    const uint32_t count = kept->others[b];
    uint32_t urgency = 0;
    if (!count)
        return;
    const uint32_t slot = weir_atomic_add_relaxed_dev_u32(weir_bag_tail(work, bag), count);
    for (uint32_t i = 0; i < count; i++) {
        const OP(item) *item = &kept->deferred[b][i];
        const int put = OP(items_put)(&work->bag[bag], slot + i, item);
        if (b < WEIR_BUCKETS && !put)
            OP(push_deferred)(args, block, 1, block->base.order.far_bag, *item);
        else if (!put)
            weir_refuse(work, &block->base, WEIR_LOOK_FULL);
        if (b < WEIR_BUCKETS)
            continue;
        const uint32_t own = OP(urgency_of)(args, item);
        urgency = own > urgency ? own : urgency;
    }
    if (urgency)
        weir_max_relaxed_dev_u32(&work->control->look[WEIR_LOOK_URGENCY].word, urgency);
    kept->others[b] = 0;
    kept->flushes++;
}

/** At the end of a round: everything that is kept goes into its bag. */
WEIR_DEV void OP(kept_flush)(struct weir_engine_thread *self)
{
    OP(kept_flush_near)(self);
    if (!self->plain)
        for (uint32_t b = 0; b <= WEIR_BUCKETS; b++)
            OP(kept_flush_deferred)(OP(args_of)(self), OP(block_of)(self), b);
}

/** Keep a near item. */
WEIR_DEV void OP(keep)(struct weir_engine_thread *self, const OP(item) * item)
{
    struct OP(kept) *kept = &OP(block_of)(self)->kept;
    if (kept->count == OP(kept_near) && kept->head > OP(kept_near) / 2) {
        kept->count -= kept->head;
        memmove(kept->near, kept->near + kept->head, kept->count * sizeof *kept->near);
        kept->head = 0;
    } else if (kept->count == OP(kept_near)) {
        OP(kept_flush_near)(self);
    }
    kept->near[kept->count++] = *item;
}

/** Keep an item for the far bag or a bucket. */
WEIR_DEV void OP(keep_deferred)(const struct OP(args) * args, struct OP(block) * block,
                                uint32_t bag, const OP(item) * item)
{
    struct OP(kept) *kept = &block->kept;
    const uint32_t b = bag >= WEIR_BAG_BUCKET ? bag - WEIR_BAG_BUCKET : WEIR_BUCKETS;
    kept->deferred[b][kept->others[b]++] = *item;
    if (kept->others[b] == OP(kept_deferred))
        OP(kept_flush_deferred)(args, block, b);
}

/** As push(), in a thread of a host device. */
WEIR_DEV void OP(keep_parcel)(struct weir_engine_thread *self, const struct OP(parcel) * parcel)
{
    const struct OP(args) *args = OP(args_of)(self);
    struct OP(block) *block = OP(block_of)(self);
    if (parcel->to == TO_NOWHERE)
        return;
    if (parcel->to == self->near_bag)
        OP(keep)(self, &parcel->item);
    else if (parcel->to >= TO_CHANNEL)
        OP(stage_wires)(args, block, 1, parcel->to - TO_CHANNEL, parcel->wire);
    else
        OP(keep_deferred)(args, block, parcel->to, &parcel->item);
}

/** Before the kernel ends: add what the thread counted to the words of the device. */
WEIR_DEV void OP(kept_finish)(const struct OP(args) * args, const struct OP(block) * block)
{
    struct weir_control *control = args->work.control;
    weir_add_relaxed_dev_u64(&control->fused, block->kept.fused);
    weir_add_relaxed_dev_u64(&control->flushes, block->kept.flushes);
}
