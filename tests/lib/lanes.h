/** @file lanes.h  The lanes of a GPU on a host: text for kernels, run by one thread whose fibers are the lanes of a few warps, so that what
 * lanes do for each other is tested where there is no GPU. A test includes it before anything else, and then the text.
 *
 * A fiber goes on until it comes to a function of the lanes, where it waits for all of its warp, or to lanes_look(), which gives way to
 * any other now and then: so what one lane looks at another changes meanwhile, in an order that is drawn. It is a strict GPU: lanes never go on
 * together by themselves, and the test fails if some wait for one that has ended or waits elsewhere.
 *
 * Warps that follow one another are a block, whose fibers wait for each other at weir_block_sync(); memory of a block is whatever the test makes
 * of it. A fiber that waits for a word (weir_pause()) lets others go on, so whole bodies of supersteps can be run, of several devices too. */
#ifndef WEIR_TESTS_LIB_LANES_H
#define WEIR_TESTS_LIB_LANES_H

#include <stdint.h>

#define WEIR_LANES_OF_TEST 32u

#ifdef __cplusplus
extern "C" {
#endif

/** Run @p run(data, thread) by 32 lanes of each warp, threads 0 to 32 * warps - 1, to their ends.
 *  @param[in] of_block  warps of a block, which divide @p warps.  @param[in] seed  of the order; not 0. */
void lanes_run(uint32_t warps, uint32_t of_block, uint64_t seed,
               void (*run)(void *data, uint32_t thread), void *data);

/** Where another lane may go on. */
void lanes_look(void);

/** Where another lane goes on, as a rule: this one waits for it. */
void lanes_pause(void);

/** Where all lanes of a block wait for each other. */
void lanes_meet(void);

/** The number of this lane, and what all lanes of the warp passed, by lane, until it passes something again. */
uint32_t lanes_mine(void);
const uint64_t *lanes_all(uint64_t value);

#ifdef __cplusplus
}
#endif

#define LANES_DEV static inline __attribute__((unused))

LANES_DEV uint32_t weir_lane(void)
{
    return lanes_mine();
}

LANES_DEV uint32_t weir_ballot(int value)
{
    const uint64_t *all = lanes_all(value != 0);
    uint32_t bits = 0;
    for (uint32_t i = 0; i < WEIR_LANES_OF_TEST; i++)
        bits |= (uint32_t)all[i] << i;
    return bits;
}

LANES_DEV uint64_t weir_broadcast_u64(uint64_t value, uint32_t from)
{
    return lanes_all(value)[from % WEIR_LANES_OF_TEST];
}

LANES_DEV uint32_t weir_broadcast_u32(uint32_t value, uint32_t from)
{
    return (uint32_t)weir_broadcast_u64(value, from);
}

LANES_DEV uint32_t weir_match_u32(uint32_t value)
{
    const uint64_t *all = lanes_all(value);
    uint32_t bits = 0;
    for (uint32_t i = 0; i < WEIR_LANES_OF_TEST; i++)
        bits |= (uint32_t)(all[i] == value) << i;
    return bits;
}

LANES_DEV uint32_t weir_prefix_u32(uint32_t value)
{
    const uint64_t *all = lanes_all(value);
    uint32_t sum = 0;
    for (uint32_t i = 0; i <= lanes_mine(); i++)
        sum += (uint32_t)all[i];
    return sum;
}

LANES_DEV uint64_t weir_sum_u64(uint64_t value)
{
    const uint64_t *all = lanes_all(value);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < WEIR_LANES_OF_TEST; i++)
        sum += all[i];
    return sum;
}

LANES_DEV uint32_t weir_sum_u32(uint32_t value)
{
    return (uint32_t)weir_sum_u64(value);
}

LANES_DEV uint64_t weir_or_u64(uint64_t value)
{
    const uint64_t *all = lanes_all(value);
    uint64_t bits = 0;
    for (uint32_t i = 0; i < WEIR_LANES_OF_TEST; i++)
        bits |= all[i];
    return bits;
}

LANES_DEV uint32_t weir_group_sum_u32(uint32_t value, uint32_t width)
{
    const uint64_t *all = lanes_all(value);
    const uint32_t first = lanes_mine() / width * width;
    uint32_t sum = 0;
    for (uint32_t i = first; i < first + width; i++)
        sum += (uint32_t)all[i];
    return sum;
}

LANES_DEV uint64_t weir_group_or_u64(uint64_t value, uint32_t width)
{
    const uint64_t *all = lanes_all(value);
    const uint32_t first = lanes_mine() / width * width;
    uint64_t bits = 0;
    for (uint32_t i = first; i < first + width; i++)
        bits |= all[i];
    return bits;
}

LANES_DEV uint32_t weir_exchange_u32(uint32_t value, uint32_t step)
{
    return (uint32_t)lanes_all(value)[(lanes_mine() ^ step) % WEIR_LANES_OF_TEST];
}

LANES_DEV uint32_t weir_max_u32(uint32_t value)
{
    const uint64_t *all = lanes_all(value);
    uint64_t most = 0;
    for (uint32_t i = 0; i < WEIR_LANES_OF_TEST; i++)
        most = all[i] > most ? all[i] : most;
    return (uint32_t)most;
}

LANES_DEV void weir_lanes_sync(void)
{
    (void)lanes_all(0);
}

LANES_DEV void weir_block_sync(void)
{
    lanes_meet();
}

LANES_DEV void weir_pause(uint32_t looks)
{
    (void)looks;
    lanes_pause();
}

#undef LANES_DEV

#endif
