/** @file spill.c  Host memory for items that a worker's bags on the device have no room for.
 *
 * The memory is given in chunks, as bags grow into it, so that a worklist that never spills takes none, and one that
 * does may use all of WEIR_SPILL_BYTES for whichever bag needs it. Kernels of host devices call give() themselves;
 * those of GPUs wait while the thread that waits for them looks at what they want (weir__spill_tend()). A run that ended
 * well gives all chunks back. One that failed gives no more (weir__spill_refuse()), or a lane would wait for ever whose
 * kernel was given up; it keeps what it has until the worklist is destroyed, since such a kernel may still write there. */
#include "worklist/host/internal.h"

#include <stdio.h>
#include <string.h>

#define CHUNK_LEAST ((uint64_t)1 << 20)
#define CHUNK_MOST  ((uint64_t)64 << 20)
#define CHUNKS      1024u               /* of all the bytes, where chunks of these sizes allow it */
#define MORE_MOST   ((uint64_t)1 << 30) /* elements of a bag; its tail has 32 bits */

/* Bytes that a chunk has at most. All of the six bags find one in whatever there is. */
static uint64_t chunk_most(uint64_t bytes)
{
    uint64_t chunk = bytes / CHUNKS;
    chunk = chunk < CHUNK_LEAST ? CHUNK_LEAST : chunk > CHUNK_MOST ? CHUNK_MOST : chunk;
    return chunk < bytes / WEIR_SPILLING_BAGS ? chunk : bytes / WEIR_SPILLING_BAGS;
}

static void refuse(struct spill *spill, struct weir_spill *words, const char *why)
{
    if (!spill->why[0])
        snprintf(spill->why, sizeof spill->why, "%s", why);
    weir_store_release_sys_u32(&words->refused, 1);
}

/* One more chunk for a bag; under the lock. @return NULL, or why there is none. */
static const char *give_one(struct spill *spill, struct spilling *bag)
{
    void *chunk;
    if (spill->used + bag->chunk_bytes > spill->bytes || bag->given == bag->most)
        return "larger queues (WEIR_QUEUE_ITEMS) or more room help";
    if (weir__device_alloc_now(spill->home, bag->chunk_bytes, &chunk))
        return weir_error_detail();
    spill->used += bag->chunk_bytes;
    /* Pairs with the acquire of who finds it: the chunk is theirs from here on. */
    weir_store_release_sys_u64(weir_spill_word(bag->words, bag->given), (uint64_t)(uintptr_t)chunk);
    bag->given++;
    return NULL;
}

/* All of the first @p chunks, which somebody needs; under the lock. */
static void give_all(struct spill *spill, struct spilling *bag, uint32_t chunks)
{
    const char *why = NULL;
    while (bag->given < chunks && !why)
        why = give_one(spill, bag);
    if (why)
        refuse(spill, bag->words, why);
}

/* What nobody needs yet, and nobody is refused for want of; under the lock. */
static void give_ahead(struct spill *spill, struct spilling *bag, uint32_t chunks)
{
    while (bag->given < chunks && spill->used + bag->chunk_bytes <= spill->bytes / 2 &&
           !give_one(spill, bag))
        ;
}

static void give(void *user, struct weir_spill *words, uint32_t chunks)
{
    struct spilling *bag = user;
    (void)words;
    pthread_mutex_lock(&bag->spill->lock);
    give_all(bag->spill, bag, chunks);
    pthread_mutex_unlock(&bag->spill->lock);
}

/* A bag that grows is given half as much again as it asks for, while there is plenty: it is looked at once in a while
 * only. Kernels of host devices ask for nothing here, and may hold the lock for long. */
static void tend_one(struct spill *spill, struct spilling *bag)
{
    const uint32_t wanted = weir_load_relaxed_sys_u32(&bag->words->wanted);
    if (!wanted)
        return;
    pthread_mutex_lock(&spill->lock);
    if (wanted > bag->given && !weir_load_relaxed_sys_u32(&bag->words->refused)) {
        give_all(spill, bag, wanted);
        give_ahead(spill, bag, wanted + wanted / 2);
    }
    pthread_mutex_unlock(&spill->lock);
}

void weir__spill_tend(struct spill *spill)
{
    for (uint32_t b = 0; b < WEIR_SPILLING_BAGS; b++)
        if (spill->bag[b].words)
            tend_one(spill, &spill->bag[b]);
}

void weir__spill_refuse(struct spill *spill)
{
    pthread_mutex_lock(&spill->lock);
    for (uint32_t b = 0; b < WEIR_SPILLING_BAGS; b++)
        if (spill->bag[b].words)
            refuse(spill, spill->bag[b].words, "the run was stopped");
    pthread_mutex_unlock(&spill->lock);
}

/* A power of two of elements in a chunk, so that nobody divides. */
static void size_one(const struct spill *spill, struct spilling *bag, uint32_t element_bytes)
{
    const uint64_t fit = chunk_most(spill->bytes) / element_bytes;
    if (!fit)
        return;
    bag->chunk_log = weir_bits_u32((uint32_t)fit) - 1;
    bag->chunk_bytes = (uint64_t)element_bytes << bag->chunk_log;
    const uint64_t all = spill->bytes / bag->chunk_bytes, most = MORE_MOST >> bag->chunk_log;
    bag->most = (uint32_t)(all < most ? all : most);
}

static weir_status place_one(struct spill *spill, struct spilling *bag, uint32_t element_bytes)
{
    void *place;
    bag->spill = spill;
    size_one(spill, bag, element_bytes);
    if (!bag->most)
        return WEIR_OK;
    const size_t bytes = sizeof *bag->words + bag->most * sizeof(uint64_t);
    weir_status status = weir_device_alloc(spill->home, bytes, &place);
    if (status)
        return status;
    memset(place, 0, bytes);
    bag->words = place;
    bag->words->give = give;
    bag->words->user = bag;
    return WEIR_OK;
}

weir_status weir__spill_place(struct spill *spill, weir_device *home, uint64_t bytes,
                              const uint32_t *element_bytes)
{
    weir_status status = WEIR_OK;
    pthread_mutex_init(&spill->lock, NULL);
    spill->home = home;
    spill->bytes = bytes;
    for (uint32_t b = 0; b < WEIR_SPILLING_BAGS && !status; b++)
        if (element_bytes[b])
            status = place_one(spill, &spill->bag[b], element_bytes[b]);
    return status;
}

static void empty_one(struct spill *spill, struct spilling *bag)
{
    while (bag->given > 0) {
        uint64_t *word = weir_spill_word(bag->words, --bag->given);
        weir_device_free(spill->home, (void *)(uintptr_t)*word);
        *word = 0;
    }
    bag->words->wanted = bag->words->refused = 0;
}

void weir__spill_empty(struct spill *spill)
{
    for (uint32_t b = 0; b < WEIR_SPILLING_BAGS; b++)
        if (spill->bag[b].words)
            empty_one(spill, &spill->bag[b]);
    spill->used = 0;
    spill->why[0] = '\0';
}

void weir__spill_unplace(struct spill *spill)
{
    if (!spill->home)
        return;
    weir__spill_empty(spill);
    for (uint32_t b = 0; b < WEIR_SPILLING_BAGS; b++)
        weir_device_free(spill->home, spill->bag[b].words);
    pthread_mutex_destroy(&spill->lock);
}

struct weir_bag weir__spill_bag(const struct spill *spill, uint32_t bag)
{
    const struct spilling *one = &spill->bag[bag];
    return (struct weir_bag){.spill = one->words,
                             .more_room = one->words ? one->most << one->chunk_log : 0,
                             .chunk_log = one->chunk_log};
}
