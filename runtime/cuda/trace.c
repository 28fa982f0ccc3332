/** @file trace.c  What traces need of CUDA: the clock of kernels, and ranges for tools that watch the program (NVTX). */
#include "runtime/cuda/clock.h"
#include "runtime/cuda/cuda.h"
#include "runtime/sync.h"

#include <string.h>

#if defined(__has_include)
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define HAVE_NVTX 1
#endif
#endif

static int came(const struct weir__clock_words *words, uint32_t answer, uint64_t until_ns)
{
    while (weir_load_acquire_sys_u32(&words->answered) != answer)
        if (weir__now_ns() > until_ns)
            return 0;
    return 1;
}

/* The host asks when the kernel waits already: what lies between is a word each way. */
static weir_status ask(const weir_device *device, struct weir__clock_words *words,
                       uint64_t until_ns, uint64_t *before_ns, uint64_t *after_ns)
{
    int told = came(words, 1, until_ns);
    *before_ns = weir__now_ns();
    weir_store_release_sys_u32(&words->asked, 1); /* of a kernel that starts late after all too */
    told = told && came(words, 2, until_ns);
    *after_ns = weir__now_ns();
    return told ? WEIR_OK
                : weir__fail(WEIR_ERR_TIMEOUT, "%s: a kernel did not tell its time",
                             device->info.label);
}

weir_status weir__cuda_clock(weir_queue *queue, int64_t timeout_ms, uint64_t *device_ns,
                             uint64_t *before_ns, uint64_t *after_ns)
{
    weir_device *device = queue->device;
    struct cuda_device *cuda = (struct cuda_device *)device;
    const uint64_t patience_ns = (uint64_t)timeout_ms * 1000000u;
    weir_status status = weir__cuda_use(device);
    void *data;
    if (!status && !cuda->clock &&
        !(status = device->ops->pinned_alloc(device, sizeof *cuda->clock, &data)))
        cuda->clock = data;
    if (!status) /* a kernel that came too late the last time still writes there */
        status = weir__cuda_queue_sync(queue, timeout_ms);
    if (status)
        return status;
    memset(cuda->clock, 0, sizeof *cuda->clock);
    status = weir__cuda_check(
        device, "reading a clock",
        weir__cuda_clock_start(((struct cuda_queue *)queue)->stream, cuda->clock, patience_ns));
    if (!status)
        status = ask(device, cuda->clock, weir__now_ns() + patience_ns, before_ns, after_ns);
    *device_ns = cuda->clock->ns;
    return status ? status : weir__cuda_queue_sync(queue, timeout_ms);
}

void weir__cuda_range(const char *name)
{
#ifdef HAVE_NVTX
    if (name)
        (void)nvtxRangePushA(name);
    else
        (void)nvtxRangePop();
#else
    (void)name;
#endif
}
