/** @file team.c  The worker threads of a host device.
 *
 * The queue's thread is worker 0; the others sleep until a kernel comes. Queues of one device take
 * turns, as kernels that fill a GPU do. */
#include "runtime/host/host.h"

#include <stdlib.h>
#include <string.h>

struct helper {
    struct host_team *team;
    uint32_t worker;
};

static void *help(void *data)
{
    struct helper me = *(struct helper *)data;
    struct host_team *team = me.team;
    uint64_t seen = 0;
    free(data);
    (void)weir__drop_enter(team->context);
    pthread_mutex_lock(&team->lock);
    for (;;) {
        while (!team->stop && team->round == seen)
            pthread_cond_wait(&team->start, &team->lock);
        if (team->stop)
            break;
        seen = team->round;
        pthread_mutex_unlock(&team->lock);
        (void)weir__work_enter(team->queue);
        team->kernel->host(team->args, me.worker, team->workers);
        pthread_mutex_lock(&team->lock);
        if (--team->running == 0)
            pthread_cond_signal(&team->finish);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

static weir_status start_helper(struct host_team *team)
{
    struct helper *helper;
    weir_status status = weir__alloc(1, sizeof *helper, "worker thread", &helper);
    if (status)
        return status;
    *helper = (struct helper){team, team->started + 1};
    int error = pthread_create(&team->threads[team->started], NULL, help, helper);
    if (error) {
        free(helper);
        return weir__fail(WEIR_ERR_NOMEM, "worker thread %u of a host device: %s",
                          team->started + 1, strerror(error));
    }
    team->started++;
    return WEIR_OK;
}

weir_status weir__host_team_open(struct host_team *team, const weir_context *context,
                                 uint32_t workers)
{
    weir_status status;
    if ((status = weir__calloc(workers, sizeof *team->threads, "worker threads", &team->threads)))
        return status;
    pthread_mutex_init(&team->turn, NULL);
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->start, NULL);
    pthread_cond_init(&team->finish, NULL);
    team->context = context;
    team->workers = workers;
    weir__host_count_cores();
    while (!status && team->started + 1 < workers)
        status = start_helper(team);
    if (status)
        weir__host_team_close(team);
    return status;
}

void weir__host_team_close(struct host_team *team)
{
    pthread_mutex_lock(&team->lock);
    team->stop = 1;
    pthread_cond_broadcast(&team->start);
    pthread_mutex_unlock(&team->lock);
    while (team->started > 0)
        pthread_join(team->threads[--team->started], NULL);
    pthread_cond_destroy(&team->finish);
    pthread_cond_destroy(&team->start);
    pthread_mutex_destroy(&team->lock);
    pthread_mutex_destroy(&team->turn);
    free(team->threads);
}

void weir__host_team_run(struct host_team *team, weir_queue *queue, const weir_kernel *kernel,
                         const void *args)
{
    pthread_mutex_lock(&team->turn);
    weir__host_crowd((int32_t)team->workers);
    if (team->workers > 1) {
        pthread_mutex_lock(&team->lock);
        team->queue = queue;
        team->kernel = kernel;
        team->args = args;
        team->running = team->workers - 1;
        team->round++;
        pthread_cond_broadcast(&team->start);
        pthread_mutex_unlock(&team->lock);
    }
    kernel->host(args, 0, team->workers);
    if (team->workers > 1) {
        pthread_mutex_lock(&team->lock);
        while (team->running > 0)
            pthread_cond_wait(&team->finish, &team->lock);
        pthread_mutex_unlock(&team->lock);
    }
    weir__host_crowd(-(int32_t)team->workers);
    pthread_mutex_unlock(&team->turn);
}
