/** @file word.h  Three things that are packed into one 64-bit word each: what the next round does, the bounds of a tile, and
 * the arrivals of blocks. Plain arithmetic, for kernels and for the host. */
#ifndef WEIR_WORKLIST_ENGINE_WORD_H
#define WEIR_WORKLIST_ENGINE_WORD_H

#include "runtime/dialect.h"

/* ---- the word -------------------------------------------------------------------------------- */

enum weir_action {
    WEIR_ACTION_END = 0,
    WEIR_ACTION_NEAR,    /* process one near bag, which lies on the device whole */
    WEIR_ACTION_PLAN,    /* what the plan says */
    WEIR_ACTION_IDLE,    /* discrete: there is nothing to do until something arrives */
    WEIR_ACTION_HAND_OUT /* a narrow round that only gives what the plan says to block queues */
};

WEIR_BOTH uint64_t weir_word_make(uint32_t generation, uint32_t action, uint32_t near_bag,
                                  uint32_t blocks_log, uint32_t count)
{
    return (uint64_t)(generation & 0xFFFFFu) << 44 | (uint64_t)action << 41 |
           (uint64_t)near_bag << 40 | (uint64_t)blocks_log << 32 | count;
}
/** The bounds of the near bag's tiles lie beside its items. */
#define WEIR_WORD_BOUNDS ((uint64_t)1 << 37)
/** The round is not narrow, however few items it has: too many of them come from other workers (weir_judge_exchange()). */
#define WEIR_WORD_WIDE ((uint64_t)1 << 39)
WEIR_BOTH int weir_word_has_bounds(uint64_t word)
{
    return (word & WEIR_WORD_BOUNDS) != 0;
}
WEIR_BOTH uint32_t weir_word_generation(uint64_t word)
{
    return (uint32_t)(word >> 44);
}
WEIR_BOTH uint32_t weir_word_action(uint64_t word)
{
    return (uint32_t)(word >> 41) & 7u;
}
WEIR_BOTH uint32_t weir_word_near_bag(uint64_t word)
{
    return (uint32_t)(word >> 40) & 1u;
}
/** Whether @p word is of a later generation than @p than. Generations wrap, and the two are less than half of all numbers apart. */
WEIR_BOTH int weir_word_is_newer(uint64_t word, uint64_t than)
{
    uint32_t later = (weir_word_generation(word) - weir_word_generation(than)) & 0xFFFFFu;
    return later != 0 && later < 0x80000u;
}
WEIR_BOTH uint32_t weir_word_blocks_log(uint64_t word)
{
    return (uint32_t)(word >> 32) & 31u;
}
/** Blocks that take part in the round: the first ones, at most @p blocks. */
WEIR_BOTH uint32_t weir_word_blocks(uint64_t word, uint32_t blocks)
{
    uint32_t active = 1u << weir_word_blocks_log(word);
    return active < blocks ? active : blocks;
}
/** A flag of narrow rounds: some items of the round lie in block queues and not in the bag. The count in the word is two
 *  numbers of 16 bits then: the items in block queues, and all items. */
#define WEIR_WORD_QUEUED ((uint64_t)1 << 38)
/** Items of the round that lie in block queues. */
WEIR_BOTH uint32_t weir_word_queued(uint64_t word)
{
    return word & WEIR_WORD_QUEUED ? (uint32_t)word >> 16 : 0;
}
/** Items of the round, all of them. */
WEIR_BOTH uint32_t weir_word_count(uint64_t word)
{
    return word & WEIR_WORD_QUEUED ? (uint32_t)word & 0xFFFFu : (uint32_t)word;
}
/** Items of the round that lie in its bags. */
WEIR_BOTH uint32_t weir_word_shared(uint64_t word)
{
    return weir_word_count(word) - weir_word_queued(word);
}
/** The same word, but of the next generation. */
WEIR_BOTH uint64_t weir_word_later(uint64_t word)
{
    return word + ((uint64_t)1 << 44);
}

/* ---- the bounds of a tile in one word: first atom (40 bits), atoms (24) ---- */

/** The bounds do not fit into a word, or are not known: the operator has to be asked. */
#define WEIR_BOUNDS_UNKNOWN (~(uint64_t)0)
WEIR_BOTH uint64_t weir_bounds_make(uint64_t first, uint64_t last)
{
    return first >> 40 || (last - first) >= 0xFFFFFFu ? WEIR_BOUNDS_UNKNOWN
                                                      : first << 24 | (last - first);
}
WEIR_BOTH uint64_t weir_bounds_first(uint64_t bounds)
{
    return bounds >> 24;
}
WEIR_BOTH uint32_t weir_bounds_count(uint64_t bounds)
{
    return (uint32_t)bounds & 0xFFFFFFu;
}

/* ---- arrivals: generation (8 bits), items put into the near bag (36), blocks in which something special happened (10),
 * blocks (10). In a narrow round the 36 bits are two numbers: items put into block queues (15), items put into the
 * near bag (21). ---- */

/** Blocks of a kernel. */
#define WEIR_BLOCKS_MOST 1023u
/** Blocks of a narrow round. */
#define WEIR_NARROW_BLOCKS 512u
/** Items that a block may put into the near bag in a narrow round so that the sum fits; more count as special. */
#define WEIR_NARROW_PUSHED 4095u
/** Items that all block queues together may hold in a narrow round. */
#define WEIR_NARROW_QUEUED 32767u

WEIR_BOTH uint64_t weir_arrivals_none(uint32_t generation)
{
    return (uint64_t)(generation & 0xFFu) << 56;
}
/** What one block adds to the arrivals of a round. @param[in] special  block 0 has to decide. */
WEIR_BOTH uint64_t weir_arrivals_one(uint32_t pushed, int special)
{
    return (uint64_t)pushed << 20 | (special ? 1u << 10 : 0u) | 1u;
}
/** What one block adds after a narrow round. */
WEIR_BOTH uint64_t weir_arrivals_one_narrow(uint32_t pushed, uint32_t queued, int special)
{
    const int fits = pushed <= WEIR_NARROW_PUSHED;
    return (uint64_t)queued << 41 | weir_arrivals_one(fits ? pushed : 0, special || !fits);
}
WEIR_BOTH uint32_t weir_arrivals_pushed(uint64_t arrivals)
{
    return (uint32_t)(arrivals >> 20);
}
WEIR_BOTH uint32_t weir_arrivals_pushed_narrow(uint64_t arrivals)
{
    return (uint32_t)(arrivals >> 20) & 0x1FFFFFu;
}
WEIR_BOTH uint32_t weir_arrivals_queued(uint64_t arrivals)
{
    return (uint32_t)(arrivals >> 41) & 0x7FFFu;
}
WEIR_BOTH uint32_t weir_arrivals_special(uint64_t arrivals)
{
    return (uint32_t)(arrivals >> 10) & 0x3FFu;
}
WEIR_BOTH uint32_t weir_arrivals_blocks(uint64_t arrivals)
{
    return (uint32_t)arrivals & 0x3FFu;
}
/** Whether arrivals are those of the round of that generation. (Arrivals of the round 256 later look the same.) */
WEIR_BOTH int weir_arrivals_are_of(uint64_t arrivals, uint32_t generation)
{
    return (uint32_t)(arrivals >> 56) == (generation & 0xFFu);
}

#endif
