/** @file strict.h  Host devices that behave as GPUs do where queues wait: "strict:2" in place of "host:2".
 *
 * Their queues may not be told to wait for what was not submitted: the runtime has to hold them (runtime/held.h). What
 * a GPU would silently do wrong is counted here. */
#ifndef WEIR_TESTS_LIB_STRICT_H
#define WEIR_TESTS_LIB_STRICT_H

#include "runtime/backend.h"

#include <stdatomic.h>

/** What queues and devices were told, in all contexts; relaxed. */
struct strict_seen {
    _Atomic uint64_t
        early; /* waits for events that were not submitted, or of another kind of device */
    _Atomic uint64_t put;    /* copies, fills and kernels that were submitted */
    _Atomic uint64_t asked;  /* times that a device was asked whether it works */
    _Atomic int fail_copies; /* the next copies that are submitted fail */
};
extern struct strict_seen strict_seen;

/** Make the devices of a context, its home aside, strict; before anything else is made in it. */
void strict_devices(weir_context *context);

#endif
