/** @file native_host.c  A build without CUDA has no streams; the tests that need one are skipped before they ask. */
#include "tests/lib/native.h"

#if !WEIR_CUDA
void *native_stream_create(const weir_device *device)
{
    (void)device;
    return NULL;
}

int native_stream_destroy(void *stream)
{
    return stream != NULL;
}

int native_stream_sync(void *stream)
{
    return stream != NULL;
}

int native_fill(void *stream, void *data, int value, size_t bytes)
{
    (void)stream;
    (void)data;
    (void)value;
    return bytes != 0;
}

int native_capture_begin(void *stream)
{
    return stream != NULL;
}

int native_capture_end(void *stream)
{
    return stream != NULL;
}
#else
typedef int native_streams_are_in_native_cuda; /* ISO C wants something in every source */
#endif
