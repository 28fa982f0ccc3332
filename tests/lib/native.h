/** @file native.h  Streams that a program makes by itself, for tests; without CUDA there are none. */
#ifndef WEIR_TESTS_LIB_NATIVE_H
#define WEIR_TESTS_LIB_NATIVE_H

#include "runtime/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A stream of the device that does not wait for the default stream; NULL: it cannot be made. */
void *native_stream_create(const weir_device *device);
/** These return a cudaError_t. */
int native_stream_destroy(void *stream);
int native_stream_sync(void *stream);
int native_fill(void *stream, void *data, int value, size_t bytes);
int native_capture_begin(void *stream);
int native_capture_end(void *stream);

#ifdef __cplusplus
}
#endif
#endif
