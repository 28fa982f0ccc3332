/** @file fault.c  Failures made to order, for tests: the n-th allocation, copy, event or operation. */
#include "runtime/backend.h"

static _Atomic uint32_t
    armed; /* a bit for each kind; relaxed: tests arm what their threads then do */
static _Atomic uint64_t left[WEIR__FAULTS];
static _Atomic int struck[WEIR__FAULTS];

void weir__fault_arm(enum weir__fault kind, uint64_t nth)
{
    uint32_t bit = 1u << kind;
    atomic_fetch_and_explicit(&armed, ~bit, memory_order_relaxed);
    atomic_store_explicit(&struck[kind], 0, memory_order_relaxed);
    atomic_store_explicit(&left[kind], nth, memory_order_relaxed);
    if (nth)
        atomic_fetch_or_explicit(&armed, bit, memory_order_release);
}

int weir__fault_struck(enum weir__fault kind)
{
    return atomic_load_explicit(&struck[kind], memory_order_relaxed);
}

int weir__fault_strikes(enum weir__fault kind)
{
    uint32_t bit = 1u << kind;
    if (!(atomic_load_explicit(&armed, memory_order_relaxed) & bit))
        return 0;
    uint64_t now = atomic_load_explicit(&left[kind], memory_order_relaxed);
    while (now && !atomic_compare_exchange_weak_explicit(
                      &left[kind], &now, now - 1, memory_order_relaxed, memory_order_relaxed)) {
    }
    if (now != 1)
        return 0;
    atomic_fetch_and_explicit(&armed, ~bit, memory_order_relaxed);
    atomic_store_explicit(&struck[kind], 1, memory_order_relaxed);
    return 1;
}

weir_status weir__copy_strikes(const weir_device *device)
{
    if (!weir__fault_strikes(WEIR__FAULT_COPY))
        return WEIR_OK;
    return weir__fail(WEIR_ERR_DEVICE, "%s: a copy could not be started", device->info.label);
}
