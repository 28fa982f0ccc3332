/** @file drop.c  Work that nobody wants any more: what host queues skip, and how kernels end early.
 *
 * A copy of gigabytes between host devices is one call to memcpy, which nobody can stop. So long operations
 * go in pieces, and between two of them the thread looks at a word that whoever gives up sets. */
#include "runtime/context.h"

#include <string.h>

/* Large enough that a memcpy of a piece is as fast as one of the whole, small enough that the first write
 * to its pages takes a fraction of a second. */
#define PIECE ((size_t)32 << 20)

static _Thread_local const weir_context *working_for;

void weir__context_drop_when(weir_context *context, const volatile int *word)
{
    /* Release: a queue's thread that finds the address may read the word there. */
    atomic_store_explicit(&context->drop, word, memory_order_release);
}

const weir_context *weir__drop_enter(const weir_context *context)
{
    const weir_context *before = working_for;
    working_for = context;
    return before;
}

int weir__dropping(void)
{
    const volatile int *word =
        working_for ? atomic_load_explicit(&working_for->drop, memory_order_acquire) : NULL;
    return word && __atomic_load_n(word, __ATOMIC_RELAXED) != 0; /* a hint that publishes nothing */
}

void weir__drop_copy(void *destination, const void *source, size_t bytes)
{
    for (size_t at = 0; at < bytes && !weir__dropping(); at += PIECE)
        memcpy((char *)destination + at, (const char *)source + at,
               bytes - at < PIECE ? bytes - at : PIECE);
}

void weir__drop_fill(void *data, int value, size_t bytes)
{
    for (size_t at = 0; at < bytes && !weir__dropping(); at += PIECE)
        memset((char *)data + at, value, bytes - at < PIECE ? bytes - at : PIECE);
}
