/** @file admission.c  Runs of resident kernels are admitted one after the other where they share devices: one list holds
 * those that run or wait, the oldest first. */
#include "worklist/host/admission.h"
#include "runtime/internal.h"

#define SLICE_MS 20 /* between two looks at a cancel */

static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* guards the list, and all that is in it */
static pthread_cond_t given;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct admission *oldest;

static void init_given(void)
{
    weir__cond_init(&given);
}

/* The key of a host device is its address, since it belongs to one context; the key of a GPU is its number. No address is as
 * small as such a number. */
void weir__admission_add(struct admission *mine, const weir_device *device)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(device, &info);
    mine->key[mine->count++] =
        weir__device_is_gpu(device) ? info.ordinal : (uint64_t)(uintptr_t)device;
}

static int share(const struct admission *a, const struct admission *b)
{
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t j = 0; j < b->count; j++)
            if (a->key[i] == b->key[j])
                return 1;
    return 0;
}

/* Whether a run that came before has one of the devices, or waits for one. */
static int must_wait(const struct admission *mine)
{
    for (const struct admission *other = oldest; other != mine; other = other->next)
        if (share(other, mine))
            return 1;
    return 0;
}

/* Under the lock. */
static void leave(struct admission *mine)
{
    struct admission **link = &oldest;
    while (*link != mine)
        link = &(*link)->next;
    *link = mine->next;
    pthread_cond_broadcast(&given);
}

int weir__admission_take(struct admission *mine, int (*failed)(void *user), void *user)
{
    struct admission **link = &oldest;
    int taken = 1;
    if (mine->count < 2)
        return 1;
    pthread_once(&once, init_given);
    pthread_mutex_lock(&lock);
    while (*link)
        link = &(*link)->next;
    *link = mine;
    while (must_wait(mine)) {
        const struct timespec until = weir__deadline(SLICE_MS);
        pthread_cond_timedwait(&given, &lock, &until);
        pthread_mutex_unlock(&lock);
        taken = !failed(user);
        pthread_mutex_lock(&lock);
        if (!taken) {
            leave(mine);
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    return taken;
}

void weir__admission_give(struct admission *mine)
{
    if (mine->count < 2)
        return;
    pthread_mutex_lock(&lock);
    leave(mine);
    pthread_mutex_unlock(&lock);
}
