/** @file lanes.c  The fibers of lanes.h. */
#include "tests/lib/lanes.h"
#include "tests/lib/support.h"

#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { STACK_BYTES = 1 << 16, LANES = WEIR_LANES_OF_TEST, PAUSES_MOST = 1 << 22 };

/* Lanes that meet: what they have passed, and what the last two that met had, since one may still read when others meet again. */
struct warp {
    uint64_t passed[LANES], all[2][LANES];
    uint32_t came, meetings;
};

static struct {
    struct warp *warps;
    ucontext_t *fibers, caller;
    char *stacks;
    uint32_t *ready, readies; /* fibers that can go on, the one that runs among them */
    uint32_t *at;             /* of a fiber: where it is in that list */
    uint32_t *met;            /* by block: fibers that wait for the others of it */
    uint32_t of_block;        /* fibers */
    uint32_t now, left;
    uint64_t drawn;
    uint32_t pauses; /* since any fiber was last made ready */
    void (*run)(void *data, uint32_t thread);
    void *data;
} lanes;

static uint32_t draw(uint32_t below)
{
    lanes.drawn ^= lanes.drawn << 13;
    lanes.drawn ^= lanes.drawn >> 7;
    lanes.drawn ^= lanes.drawn << 17;
    return (uint32_t)(lanes.drawn >> 32) % below;
}

static void make_ready(uint32_t fiber)
{
    lanes.pauses = 0;
    lanes.at[fiber] = lanes.readies;
    lanes.ready[lanes.readies++] = fiber;
}

static void take_out(uint32_t fiber)
{
    const uint32_t last = lanes.ready[--lanes.readies];
    lanes.ready[lanes.at[fiber]] = last;
    lanes.at[last] = lanes.at[fiber];
}

/* Another one that is ready goes on, or the caller if none is. @param[in,out] mine  where this one is kept. */
static void give_way(ucontext_t *mine)
{
    ucontext_t *next = &lanes.caller;
    if (lanes.readies) {
        lanes.now = lanes.ready[draw(lanes.readies)];
        next = &lanes.fibers[lanes.now];
    }
    if (next != mine)
        (void)swapcontext(mine, next);
}

uint32_t lanes_mine(void)
{
    return lanes.now % LANES;
}

void lanes_look(void)
{
    const uint32_t me = lanes.now;
    if (draw(3) == 0)
        give_way(&lanes.fibers[me]);
}

void lanes_pause(void)
{
    if (++lanes.pauses >= PAUSES_MOST) /* for a word that nobody will change */
        lanes.readies = 0;
    give_way(&lanes.fibers[lanes.now]);
}

void lanes_meet(void)
{
    const uint32_t me = lanes.now, first = me / lanes.of_block * lanes.of_block;
    uint32_t *met = &lanes.met[me / lanes.of_block];
    if (++*met < lanes.of_block) {
        take_out(me);
        give_way(&lanes.fibers[me]);
        return;
    }
    *met = 0;
    for (uint32_t i = first; i < first + lanes.of_block; i++)
        if (i != me)
            make_ready(i);
}

const uint64_t *lanes_all(uint64_t value)
{
    const uint32_t me = lanes.now;
    struct warp *warp = &lanes.warps[me / LANES];
    const uint64_t *all = warp->all[warp->meetings % 2];
    warp->passed[me % LANES] = value;
    if (++warp->came < LANES) {
        take_out(me);
        give_way(&lanes.fibers[me]);
        return all;
    }
    memcpy(warp->all[warp->meetings % 2], warp->passed, sizeof warp->passed);
    warp->came = 0;
    warp->meetings++;
    for (uint32_t i = me / LANES * LANES; i < me / LANES * LANES + LANES; i++)
        if (i != me)
            make_ready(i);
    return all;
}

static void be_lane(void)
{
    const uint32_t me = lanes.now;
    lanes.run(lanes.data, me);
    lanes.left--;
    take_out(me);
    give_way(&lanes.fibers[me]);
}

void lanes_run(uint32_t warps, uint32_t of_block, uint64_t seed,
               void (*run)(void *data, uint32_t thread), void *data)
{
    const uint32_t count = warps * LANES;
    lanes.warps = calloc(warps, sizeof *lanes.warps);
    lanes.fibers = calloc(count, sizeof *lanes.fibers);
    lanes.stacks = malloc((size_t)count * STACK_BYTES);
    lanes.ready = calloc(count, sizeof *lanes.ready);
    lanes.at = calloc(count, sizeof *lanes.at);
    lanes.met = calloc(warps / of_block, sizeof *lanes.met);
    assert_true(lanes.warps && lanes.fibers && lanes.stacks && lanes.ready && lanes.at &&
                lanes.met);
    assert_int_equal(warps % of_block, 0);
    lanes.of_block = of_block * LANES;
    lanes.readies = 0;
    lanes.left = count;
    lanes.drawn = seed;
    lanes.run = run;
    lanes.data = data;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(getcontext(&lanes.fibers[i]), 0);
        lanes.fibers[i].uc_stack.ss_sp = lanes.stacks + (size_t)i * STACK_BYTES;
        lanes.fibers[i].uc_stack.ss_size = STACK_BYTES;
        lanes.fibers[i].uc_link = NULL;
        makecontext(&lanes.fibers[i], be_lane, 0);
        make_ready(i);
    }
    give_way(&lanes.caller);
    free(lanes.warps);
    free(lanes.fibers);
    free(lanes.stacks);
    free(lanes.ready);
    free(lanes.at);
    free(lanes.met);
    assert_int_equal(lanes.left, 0); /* else some wait for one that is elsewhere, or has ended */
}
