/** @file spill.c  Host memory for items that a worker's bags on the device have no room for.
 *
 * The memory is given in chunks, as bags grow into it. So a worklist that never spills takes none, and one that spills may
 * use all of WEIR_SPILL_BYTES for whichever bag needs it. A kernel of a host device calls give() itself. A lane of a GPU
 * waits, and the host thread that waits for the kernel looks every few milliseconds which chunks are wanted
 * (weir__spill_tend()). After a run that ended well all chunks are freed. After a failure no more are given
 * (weir__spill_refuse()), since a lane of a kernel that was given up would wait for ever; and chunks that were given stay
 * until the worklist is destroyed, since such a kernel may still write there. */
#include "worklist/host/internal.h"

#include <stdio.h>
#include <string.h>

#define CHUNK_LEAST ((uint64_t)1 << 20)
#define CHUNK_MOST  ((uint64_t)64 << 20)
#define CHUNKS      1024u /* chunks in all, unless they would be smaller or larger than that */
#define MORE_MOST   ((uint64_t)1 << 30) /* elements of a bag; its tail has 32 bits */

/* Bytes of a chunk at most. Each of the six bags can have at least one. */
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

/* Give one more chunk to a bag; under the lock. @return NULL, or why there is none. */
static const char *give_one(struct spill *spill, struct spilling *bag)
{
    void *chunk;
    if (spill->used + bag->chunk_bytes > spill->bytes || bag->given == bag->most)
        return "larger queues (WEIR_QUEUE_ITEMS) or more room help";
    if (weir__device_alloc_now(spill->home, bag->chunk_bytes, &chunk))
        return weir_error_detail();
    if (spill->zeroed)
        memset(chunk, 0, bag->chunk_bytes);
    spill->used += bag->chunk_bytes;
    /* Pairs with the acquire of the lane that finds it; from here on the chunk belongs to the kernel. */
    weir_store_release_sys_u64(weir_spill_word(bag->words, bag->given), (uint64_t)(uintptr_t)chunk);
    bag->given++;
    return NULL;
}

/* Give a bag all of its first `chunks` chunks, which are needed; under the lock. */
static void give_all(struct spill *spill, struct spilling *bag, uint32_t chunks)
{
    const char *why = NULL;
    while (bag->given < chunks && !why)
        why = give_one(spill, bag);
    if (why)
        refuse(spill, bag->words, why);
}

/* Give chunks that are not needed yet, as long as half of the bytes stays for bags that will need some; under the lock. */
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

/* A bag that grows gets half as many chunks again as it asks for while there are plenty, since the host looks only every few
 * milliseconds. Kernels of host devices never set `wanted`, so the lock, which they may hold for long, is not taken for
 * them. */
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

/* A chunk has a power of two of elements, so that kernels need not divide. */
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

static weir_status create_one(struct spill *spill, struct spilling *bag, uint32_t element_bytes)
{
    void *memory;
    bag->spill = spill;
    size_one(spill, bag, element_bytes);
    if (!bag->most)
        return WEIR_OK;
    const size_t bytes = sizeof *bag->words + bag->most * sizeof(uint64_t);
    weir_status status = weir__device_alloc_as(spill->home, "places of chunks", 1, bytes, &memory);
    if (status)
        return status;
    memset(memory, 0, bytes);
    bag->words = memory;
    bag->words->give = give;
    bag->words->user = bag;
    return WEIR_OK;
}

weir_status weir__spill_create(struct spill *spill, weir_device *home, uint64_t bytes,
                               const uint32_t *element_bytes)
{
    weir_status status = WEIR_OK;
    pthread_mutex_init(&spill->lock, NULL);
    spill->home = home;
    spill->bytes = bytes;
    for (uint32_t b = 0; b < WEIR_SPILLING_BAGS && !status; b++)
        if (element_bytes[b])
            status = create_one(spill, &spill->bag[b], element_bytes[b]);
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

void weir__spill_destroy(struct spill *spill)
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
