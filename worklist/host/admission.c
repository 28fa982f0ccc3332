/** @file admission.c  Runs of resident kernels take turns: one list of those that run or wait, oldest first. */
#include "worklist/host/admission.h"
#include "runtime/internal.h"

#define SLICE_MS 20 /* between two looks at a cancel */

static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* guards the list, and all that is in it */
static pthread_cond_t given;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct turn *oldest;

static void init_given(void)
{
    weir__cond_init(&given);
}

/* A host device is its context's; no address is as small as a GPU's number. */
void weir__turn_add(struct turn *turn, const weir_device *device)
{
    weir_device_info info;
    weir_device_info_get(device, &info);
    turn->key[turn->count++] =
        info.kind == WEIR_DEVICE_HOST ? (uint64_t)(uintptr_t)device : info.ordinal;
}

static int share(const struct turn *a, const struct turn *b)
{
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t j = 0; j < b->count; j++)
            if (a->key[i] == b->key[j])
                return 1;
    return 0;
}

/* Whether somebody who came before has, or wants, one of the devices. */
static int must_wait(const struct turn *turn)
{
    for (const struct turn *other = oldest; other != turn; other = other->next)
        if (share(other, turn))
            return 1;
    return 0;
}

/* Under the lock. */
static void leave(struct turn *turn)
{
    struct turn **place = &oldest;
    while (*place != turn)
        place = &(*place)->next;
    *place = turn->next;
    pthread_cond_broadcast(&given);
}

int weir__turn_take(struct turn *turn, int (*failed)(void *user), void *user)
{
    struct turn **place = &oldest;
    int taken = 1;
    if (turn->count < 2)
        return 1;
    pthread_once(&once, init_given);
    pthread_mutex_lock(&lock);
    while (*place)
        place = &(*place)->next;
    *place = turn;
    while (must_wait(turn)) {
        const struct timespec until = weir__deadline(SLICE_MS);
        pthread_cond_timedwait(&given, &lock, &until);
        pthread_mutex_unlock(&lock);
        taken = !failed(user);
        pthread_mutex_lock(&lock);
        if (!taken) {
            leave(turn);
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    return taken;
}

void weir__turn_give(struct turn *turn)
{
    if (turn->count < 2)
        return;
    pthread_mutex_lock(&lock);
    leave(turn);
    pthread_mutex_unlock(&lock);
}
