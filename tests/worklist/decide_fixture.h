/** @file decide_fixture.h  A worker without memory, for tests of its decider: addresses are only added to. */
#ifndef WEIR_TESTS_WORKLIST_DECIDE_FIXTURE_H
#define WEIR_TESTS_WORKLIST_DECIDE_FIXTURE_H

#include "tests/lib/support.h"
#include "worklist/engine/next_round.h"

#include <stdlib.h>
#include <string.h>

struct world {
    struct weir_control control;
    struct weir_mail mail;
    struct weir_engine_args args;
    struct weir_ledger ledger;
    char device[WEIR_BAGS]; /* where bags lie */
    char ring[4096];
};

#define ROOM      100u
#define MORE_ROOM 50u

/* Two workers, of which it is the first; priorities below 100 are near. */
static inline struct world *make_world(uint32_t order, uint32_t channels_in)
{
    struct world *world = calloc(1, sizeof *world);
    assert_non_null(world);
    world->args.control = &world->control;
    world->args.mail = &world->mail;
    world->args.order = order;
    world->args.workers = 2;
    world->args.channels_in = channels_in;
    world->args.wire_bytes = 8;
    for (uint32_t b = 0; b < WEIR_BAGS; b++)
        world->args.bag[b] =
            (struct weir_bag){.slots = &world->device[b], .room = ROOM, .more_room = MORE_ROOM};
    for (uint32_t l = 0; l < channels_in; l++)
        world->control.in[l] =
            (struct weir_channel_in){.slots = world->ring, .mask = 15, .from = l};
    world->ledger.plan.order = (struct weir_work_order){.threshold = 100,
                                                        .delta = 10,
                                                        .window = WEIR_BUCKETS,
                                                        .near_bag = WEIR_BAG_NEAR,
                                                        .far_bag = WEIR_BAG_FAR,
                                                        .held_bag = WEIR_BAG_HELD};
    world->ledger.window_told = WEIR_BUCKETS;
    return world;
}

static inline void expect_segment(const struct world *world, uint32_t number, uint32_t kind,
                                  const void *slots, uint32_t end)
{
    const struct weir_work_segment *segment = &world->ledger.plan.segment[number];
    assert_in_range(number, 0, world->ledger.plan.segments - 1);
    assert_int_equal(segment->kind, kind);
    assert_ptr_equal(segment->slots, slots);
    assert_int_equal(segment->end, end);
}

#endif
