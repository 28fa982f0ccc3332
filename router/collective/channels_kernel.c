/** @file channels_kernel.c  Collectives over channels on host devices. */
#include "router/collective/channels_kernel.h"

#include <string.h>

#if WEIR_CUDA
#define CUDA_FORM(f) f
#else
#define CUDA_FORM(f) NULL
#endif

#define STRIP \
    1024u /* elements that are combined at a time: those of all kinds fit the first cache */

/* Strips of a job: block b has every so manieth. */
static void run_job(const struct weir__channels_args *args, const struct weir__channels_job *job,
                    uint32_t block)
{
    const size_t element = args->element;
    uint64_t strip[STRIP]; /* of the widest element */
    for (uint64_t at = (uint64_t)block * STRIP; at < job->count;
         at += (uint64_t)args->blocks * STRIP) {
        const uint64_t count = job->count - at < STRIP ? job->count - at : STRIP;
        const size_t bytes = (size_t)count * element, offset = (size_t)at * element;
        const char *from = (const char *)job->from[0] + offset;
        if (job->froms > 1) {
            memcpy(strip, from, bytes);
            for (uint32_t s = 1; s < job->froms; s++)
                weir__reduce(args->number, args->element, strip, strip,
                             (const char *)job->from[s] + offset, count);
            from = (const char *)(const void *)strip;
        }
        for (uint32_t t = 0; t < job->tos; t++)
            memcpy((char *)job->to[t] + offset, from, bytes);
    }
}

static void channels_host(const void *data, uint32_t worker, uint32_t workers)
{
    const struct weir__channels_args *args = data;
    (void)workers;
    if (worker >= args->blocks || args->number == WEIR__REDUCTION_LOAD)
        return;
    if (weir__channels_meet(args, worker))
        return;
    for (uint32_t j = 0; j < args->jobs; j++)
        run_job(args, &args->job[j], worker);
    (void)weir__channels_meet(args, worker);
}

const weir_kernel weir__channels_kernel = {
    .name = "collective", .host = channels_host, .cuda = CUDA_FORM(weir__channels_cuda)};
