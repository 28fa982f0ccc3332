/** @file admission.h  Runs of resident kernels on devices that they share go one after the other. Included in worklist/ only.
 *
 * A resident kernel waits for those of its run on other devices, and keeps its own device for itself. Two runs that
 * two threads start at the same time could each get a device that the other waits for, and neither would ever end.
 * So a run takes all its devices at once, or waits until it can; whoever came first goes first. A GPU counts as the
 * same one in all contexts of the process. */
#ifndef WEIR_WORKLIST_HOST_ADMISSION_H
#define WEIR_WORKLIST_HOST_ADMISSION_H

#include "runtime/runtime.h"

/** A run that has its devices or waits for them. Belongs to the thread that runs it, from take to give. */
struct admission {
    uint64_t key[WEIR_DEVICES_MAX]; /* of each device */
    uint32_t count;
    struct admission *next; /* the run that came next; under the lock of admission.c */
};

/** One more device. @param[in] mine  all zero before the first. */
void weir__admission_add(struct admission *mine, const weir_device *device);
/** Wait until the devices are free, and take them. Of one device nothing is taken: its queues keep order.
 *  @param[in] failed  asked some times a second whether the run was cancelled meanwhile.
 *  @return whether they are taken: then weir__admission_give() follows. @par Blocks  yes. */
int weir__admission_take(struct admission *mine, int (*failed)(void *user), void *user);
void weir__admission_give(struct admission *mine);

#endif
