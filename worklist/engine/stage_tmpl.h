/** @file stage_tmpl.h  A part of push_tmpl.h and of live_tmpl.h: packed items wait in a warp's own memory until a packet is whole.
 *
 * Included with STAGE(name) defined, which names the functions here and STAGE(store_wires), which stores a packet into a
 * channel. */

/** Store the first @p count wires that are staged for a channel into it. */
WEIR_DEV void STAGE(flush_stage)(const struct OP(args) * args, struct OP(block) * block,
                                 uint32_t channel, uint32_t count)
{
    const OP(wire) *stage = OP(stage_of)(args, block, channel);
    WEIR_ROLLED
    for (uint32_t begin = 0; begin < count; begin += WEIR_LANES) {
        uint32_t here = count - begin < WEIR_LANES ? count - begin : WEIR_LANES;
        OP(wire) wire = stage[begin + (weir_lane() < here ? weir_lane() : 0)];
        uint32_t group = here == 32u ? 0xFFFFFFFFu : (1u << here) - 1u;
        STAGE(store_wires)(args, block, group, channel, &wire);
    }
    weir_lanes_sync();
}

/** Stage the wires of the lanes in @p group for a channel, and store a packet into it when one is whole. */
WEIR_COLD void STAGE(stage_wires)(const struct OP(args) * args, struct OP(block) * block,
                                  uint32_t group, uint32_t channel, OP(wire) wire)
{
    if (channel >= args->work.stage_channels) {
        STAGE(store_wires)(args, block, group, channel, &wire);
        return;
    }
    OP(wire) *stage = OP(stage_of)(args, block, channel);
    uint32_t *staged = &block->base.staged[WARP_ID][channel];
    uint32_t count = *staged;
    if (group >> weir_lane() & 1u)
        stage[count + weir_popcount_u32(group & ((1u << weir_lane()) - 1u))] = wire;
    count += weir_popcount_u32(group);
    weir_lanes_sync();
    if (count >= STAGE_PACKET) {
        STAGE(flush_stage)(args, block, channel, STAGE_PACKET);
        count -= STAGE_PACKET;
        WEIR_ROLLED
        for (uint32_t i = weir_lane(); i < count; i += WEIR_LANES)
            stage[i] = stage[STAGE_PACKET + i];
    }
    if (weir_lane() == 0)
        *staged = count;
    weir_lanes_sync();
}

#undef STAGE
