/** @file peer.c  Peer access, believed only after bytes have been seen to arrive.
 *
 * Behind some IOMMU settings the driver reports peer access and writes are lost. So each ordered
 * pair copies a pattern and its complement, and the bytes are read back at the far end; a pair that
 * fails is staged through the host by the links above. */
#include "runtime/cuda/cuda.h"

#include <stdlib.h>
#include <string.h>

#define PROBE_BYTES ((size_t)256 << 10)

static void pattern(unsigned char *data, uint32_t seed, unsigned char flip)
{
    for (size_t i = 0; i < PROBE_BYTES; i++) {
        seed = seed * 1664525u + 1013904223u;
        data[i] = (unsigned char)(seed >> 24) ^ flip;
    }
}

/* One copy of `wanted` from s to d, read back into `got`. */
static weir_status round_trip(weir_device *s, weir_device *d, void *on_s, void *on_d,
                              const unsigned char *wanted, unsigned char *got)
{
    weir_status status;
    if ((status = weir__cuda_use(s)))
        return status;
    if ((status = weir__cuda_check(s, "writing a probe",
                                   cudaMemcpy(on_s, wanted, PROBE_BYTES, cudaMemcpyHostToDevice))))
        return status;
    if ((status = weir__cuda_check(s, "copying a probe to a peer",
                                   cudaMemcpy(on_d, on_s, PROBE_BYTES, cudaMemcpyDefault))))
        return status;
    if ((status = weir__cuda_check(s, "waiting for a probe", cudaDeviceSynchronize())))
        return status;
    memset(got, 0, PROBE_BYTES);
    if ((status = weir__cuda_use(d)))
        return status;
    return weir__cuda_check(d, "reading a probe",
                            cudaMemcpy(got, on_d, PROBE_BYTES, cudaMemcpyDeviceToHost));
}

static weir_status verify(weir_device *s, weir_device *d, int *good_out)
{
    unsigned char *host = NULL;
    void *on_s = NULL, *on_d = NULL;
    weir_status status;
    *good_out = 0;
    if ((status = weir__alloc(2, PROBE_BYTES, "peer probe", &host)))
        return status;
    if ((status = s->ops->mem_alloc(s, PROBE_BYTES, &on_s)))
        goto err_host;
    if ((status = d->ops->mem_alloc(d, PROBE_BYTES, &on_d)))
        goto err_source;
    *good_out = 1;
    for (int pass = 0; pass < 2 && !status; pass++) {
        pattern(host, 1u + s->info.index * 64u + d->info.index, pass ? 0xFF : 0);
        status = round_trip(s, d, on_s, on_d, host, host + PROBE_BYTES);
        if (status == WEIR_ERR_DEVICE) { /* a pair that cannot copy is staged, not given up */
            *good_out = 0;
            status = WEIR_OK;
            break;
        }
        if (status || memcmp(host, host + PROBE_BYTES, PROBE_BYTES) != 0)
            *good_out = 0;
    }
    d->ops->mem_free(d, on_d);
err_source:
    s->ops->mem_free(s, on_s);
err_host:
    free(host);
    return status;
}

/* Peer access belongs to the process, not to a context, and is never given up; asking for it twice is
 * an error to CUDA, so what was enabled is remembered. */
static pthread_mutex_t enabled_lock = PTHREAD_MUTEX_INITIALIZER; /* guards the table */
static unsigned char enabled[WEIR_DEVICES_MAX][WEIR_DEVICES_MAX];

static int ask(weir_device *from, weir_device *to)
{
    int can = 0, peer = ((struct cuda_device *)to)->ordinal;
    if (cudaDeviceCanAccessPeer(&can, ((struct cuda_device *)from)->ordinal, peer) != cudaSuccess ||
        !can || weir__cuda_use(from))
        return 0;
    cudaError_t error = cudaDeviceEnablePeerAccess(peer, 0);
    (void)cudaGetLastError(); /* "already enabled" by somebody else is as good */
    return error == cudaSuccess || error == cudaErrorPeerAccessAlreadyEnabled;
}

static int enable(weir_device *from, weir_device *to)
{
    uint32_t f = from->info.ordinal % WEIR_DEVICES_MAX, t = to->info.ordinal % WEIR_DEVICES_MAX;
    pthread_mutex_lock(&enabled_lock);
    if (!enabled[f][t])
        enabled[f][t] = (unsigned char)ask(from, to);
    int is = enabled[f][t];
    pthread_mutex_unlock(&enabled_lock);
    return is;
}

weir_status weir__cuda_connect(weir_device *source, weir_device *destination, int *reaches_out)
{
    weir_status status;
    *reaches_out = 0;
    /* Both ways: the copy may be driven from either end. */
    if (!enable(source, destination) || !enable(destination, source)) {
        weir__log(WEIR__LOG_INFO, "%s to %s: no peer access, staged", source->info.label,
                  destination->info.label);
        return WEIR_OK;
    }
    if ((status = verify(source, destination, reaches_out)))
        return status;
    if (!*reaches_out)
        weir__log(WEIR__LOG_ERROR, "%s to %s: peer access is reported but loses data, staged",
                  source->info.label, destination->info.label);
    return WEIR_OK;
}
